// Package reference is the engine that others are compared with: it sends each
// case to the rules of its dialect.
package reference

import (
	"context"
	"fmt"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// New returns the reference engine. Cases without a profile of their own run
// under the profile reference.
func New() harness.Engine { return WithProfile(harness.Reference()) }

// WithProfile returns the reference engine that declares another profile.
func WithProfile(p harness.Profile) harness.Engine {
	return &engine{profile: p}
}

// Judge returns what the reference makes of a case under a given profile,
// whatever the case says of its own. It is how an engine under test is compared
// under the profile that it declares.
func Judge(c harness.Case, p harness.Profile) (harness.Outcome, error) {
	d := all.Find(c.Dialect)
	if d == nil {
		return harness.Outcome{}, fmt.Errorf("the reference has no dialect %q", c.Dialect)
	}
	return d.Eval(c, p), nil
}

type engine struct {
	profile harness.Profile
}

func (e *engine) Hello(context.Context) (harness.Hello, error) {
	h := harness.Hello{Name: "reference", Version: harness.Version, Window: 1, Dialects: map[string]harness.Declaration{}}
	for _, d := range all.Dialects() {
		h.Dialects[d.Name] = d.Declare(e.profile)
	}
	return h, nil
}

func (e *engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	d := all.Find(c.Dialect)
	if d == nil {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "the reference has no dialect " + c.Dialect}, nil
	}
	p := e.profile
	if c.Profile != nil {
		p = *c.Profile
	}
	return d.Eval(c, p), nil
}

func (e *engine) Close() error { return nil }
