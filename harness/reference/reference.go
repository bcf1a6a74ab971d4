// Package reference is the engine that others are compared with: it sends each
// case to the rules of its dialect.
package reference

import (
	"context"
	"fmt"

	"replanbench/harness"
	operations "replanbench/harness/dialect/operations/rules"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
	planmode "replanbench/harness/dialect/planmode/rules"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/dialect/trim/rules"
)

// dialect evaluates cases under a profile.
type dialect struct {
	name string
	eval func(c harness.Case, p harness.Profile) harness.Outcome
}

// table returns the dialects that the reference knows.
func table() [5]dialect {
	return [...]dialect{
		{harness.PlanPatch, planpatch.Eval},
		{harness.Operations, operations.Eval},
		{harness.Orchestrator, orchestrator.Eval},
		{harness.PlanMode, planmode.Eval},
		{harness.Trim, rules.Eval},
	}
}

func find(name string) (dialect, bool) {
	for _, d := range table() {
		if d.name == name {
			return d, true
		}
	}
	return dialect{}, false
}

// Dialects lists the names of the dialects that the reference knows.
func Dialects() []string {
	var names []string
	for _, d := range table() {
		names = append(names, d.name)
	}
	return names
}

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
	d, ok := find(c.Dialect)
	if !ok {
		return harness.Outcome{}, fmt.Errorf("the reference has no dialect %q", c.Dialect)
	}
	return d.eval(c, p), nil
}

type engine struct {
	profile harness.Profile
}

func (e *engine) Hello(context.Context) (harness.Hello, error) {
	h := harness.Hello{Name: "reference", Version: harness.Version, Window: 1, Dialects: map[string]harness.Declaration{}}
	for _, name := range Dialects() {
		h.Dialects[name] = harness.Declaration{Profile: e.profile, Features: []string{harness.FeatureLadder, harness.FeatureProfiles}}
	}
	return h, nil
}

func (e *engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	d, ok := find(c.Dialect)
	if !ok {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "the reference has no dialect " + c.Dialect}, nil
	}
	p := e.profile
	if c.Profile != nil {
		p = *c.Profile
	}
	return d.eval(c, p), nil
}

func (e *engine) Close() error { return nil }
