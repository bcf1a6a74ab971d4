package named

import (
	"context"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// restated is a built-in engine under another declaration than its own. Built-in
// engines take any profile, so it sends the declared one with every case that has none.
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

// restate returns the declaration that Profile, Codes, Without and Gives make of the
// engine's own.
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
