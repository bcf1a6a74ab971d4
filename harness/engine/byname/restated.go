package byname

import (
	"context"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// restated is a built-in engine with an overridden declaration. Built-in engines accept any
// profile, so it sends the declared one with every case that has none.
type restated struct {
	harness.Engine
	said harness.Hello
}

func (r restated) Hello(context.Context) (harness.Hello, error) { return r.said, nil }

func (r restated) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if d, ok := r.said.Dialects[c.Dialect]; ok && c.Profile == nil {
		c.Profile = &d.Profile
	}
	return r.Engine.Eval(ctx, c)
}

// restate returns the engine's own declaration with Profile, Codes, Without and Gives applied.
func (e *Engine) restate(own harness.Hello, profile *harness.Profile) harness.Hello {
	said := own
	said.Dialects = map[string]harness.Declaration{}
	for name, d := range own.Dialects {
		if profile != nil {
			d.Profile = profile.For(all.Rules(name).Knobs)
		}
		said.Dialects[name] = e.declared(name, d)
	}
	return said
}
