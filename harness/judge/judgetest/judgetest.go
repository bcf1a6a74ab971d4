// Package judgetest holds what the tests of several dialects' checks share. It is
// no part of the program.
package judgetest

import (
	"context"

	"replanbench/harness"
)

// Engine is an engine by hand: it knows a case or two and nothing else.
type Engine func(harness.Case) (harness.Outcome, error)

func (f Engine) Hello(context.Context) (harness.Hello, error) { return Hello(), nil }
func (f Engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	return f(c)
}
func (f Engine) Close() error { return nil }

// Hello declares the dialect planpatch alone.
func Hello() harness.Hello {
	return harness.Hello{Name: "by hand", Dialects: map[string]harness.Declaration{
		"planpatch": {Profile: harness.Reference(), Features: []string{harness.FeatureLadder, harness.FeatureProfiles}},
	}}
}
