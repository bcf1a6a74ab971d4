package named

import (
	"context"
	"time"

	"replanbench/harness"
)

// profiled is an engine that is judged under another profile than the one it
// declares. If it takes any profile it is told so with each case.
type profiled struct {
	harness.Engine
	profile harness.Profile
	hello   harness.Hello
}

// profiledBounded is the same for an engine that keeps its own deadline.
type profiledBounded struct {
	profiled
	deadline time.Duration
}

func (p profiledBounded) Deadline() time.Duration { return p.deadline }

// underProfile lets an engine be judged under a profile, if there is one.
func underProfile(ctx context.Context, e harness.Engine, profile *harness.Profile) (harness.Engine, error) {
	if profile == nil {
		return e, nil
	}
	hello, err := e.Hello(ctx)
	if err != nil {
		e.Close()
		return nil, err
	}
	p := profiled{e, *profile, hello}
	if b, ok := e.(harness.Bounded); ok {
		return profiledBounded{p, b.Deadline()}, nil
	}
	return p, nil
}

func (p profiled) Hello(context.Context) (harness.Hello, error) {
	h := p.hello
	h.Dialects = map[string]harness.Declaration{}
	for name, d := range p.hello.Dialects {
		d.Profile = p.profile
		h.Dialects[name] = d
	}
	return h, nil
}

func (p profiled) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Profile == nil && p.hello.Dialects[c.Dialect].Has(harness.FeatureProfiles) {
		c.Profile = &p.profile
	}
	return p.Engine.Eval(ctx, c)
}
