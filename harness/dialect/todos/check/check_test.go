package check_test

import (
	"testing"

	"replanbench/generators"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// TestReferenceHolds makes every check on samples that the reference answers.
func TestReferenceHolds(t *testing.T) {
	source, err := all.Source("todos", generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine := reference.New()
	hello, err := engine.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j := judge.New(engine, hello, all.Rules("todos"), judge.Options{Reference: reference.New(), Every: 1})
	n := uint64(1500)
	if testing.Short() {
		n = 500
	}
	for i := range n {
		s := source.At(7, i)
		got, err := j.Judge(t.Context(), judge.Item{Case: s.Case, Before: s.Before, Traits: len(s.Traits)})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range got.Breaks {
			if b.Check != "bounded" {
				t.Errorf("case %d, %v: %s/%s: %s\n%s\n%q", i, s.Traits, b.Check, b.Kind, b.Message, s.Case.Plan, s.Case.Replies)
			}
		}
	}
}
