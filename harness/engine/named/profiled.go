package named

import (
	"context"
	"time"

	"replanbench/harness"
)

// restated is an engine of which something else is said than what it declares
// itself. If it takes any profile it is told with each case by which it is judged.
type restated struct {
	harness.Engine
	profile *harness.Profile // nil: its own
	own     harness.Hello
	said    harness.Hello
}

// restatedBounded is the same for an engine that keeps its own deadline.
type restatedBounded struct {
	restated
	deadline time.Duration
}

func (p restatedBounded) Deadline() time.Duration { return p.deadline }

// restate lets an engine be judged under a profile, if there is one, and by what is
// said of it.
func restate(ctx context.Context, e harness.Engine, profile *harness.Profile, say func(dialect string, d harness.Declaration) harness.Declaration) (harness.Engine, error) {
	hello, err := e.Hello(ctx)
	if err != nil {
		e.Close()
		return nil, err
	}
	said := hello
	said.Dialects = map[string]harness.Declaration{}
	for name, d := range hello.Dialects {
		if profile != nil {
			d.Profile = *profile
		}
		said.Dialects[name] = say(name, d)
	}
	p := restated{e, profile, hello, said}
	if b, ok := e.(harness.Bounded); ok {
		return restatedBounded{p, b.Deadline()}, nil
	}
	return p, nil
}

func (p restated) Hello(context.Context) (harness.Hello, error) { return p.said, nil }

func (p restated) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if p.profile != nil && c.Profile == nil && p.own.Dialects[c.Dialect].Has(harness.FeatureProfiles) {
		c.Profile = p.profile
	}
	return p.Engine.Eval(ctx, c)
}
