package infer

import (
	"slices"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// TestLimits: a limit that the engine ignores throughout is proposed as one that it is
// without, and one that it gets wrong is not. Nothing is proposed for an engine that changes
// finished work.
func TestLimits(t *testing.T) {
	for defect, want := range map[string][]string{
		"no-step-limit": {"max_plan_steps"}, "off-by-one-limit": nil, "modifies-completed": nil,
	} {
		m := all.Mutant(defect)
		if m == nil {
			t.Fatalf("no defect %s", defect)
		}
		d := all.Find("operations")
		if defect == "off-by-one-limit" {
			d = all.Find("planpatch")
		}
		hello, err := m.Hello(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, hello, 1)
		s.ask = func(c harness.Case) (*harness.Outcome, error) {
			out, err := m.Eval(t.Context(), c)
			return &out, err
		}
		list, err := s.abilities()
		if err != nil {
			t.Fatal(err)
		}
		if got := lacking(list); !slices.Equal(got, want) {
			t.Errorf("%s: without %v, want %v: %+v", defect, got, want, list)
		}
	}
}

// TestCodes: exact codes are proposed only if no code differs.
func TestCodes(t *testing.T) {
	r := Result{Dialect: "operations", Refused: 100, SameCode: 99}
	if got := r.Proposed().Codes; got != "" {
		t.Errorf("99 of 100 equal codes: proposed %s", got)
	}
	r.SameCode = 100
	if got := r.Proposed().Codes; got != harness.ExactCodes {
		t.Errorf("100 of 100 equal codes: proposed %s", got)
	}
}
