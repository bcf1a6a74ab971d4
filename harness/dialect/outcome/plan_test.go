package outcome_test

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

func TestStepDifferenceNamesEveryMember(t *testing.T) {
	base := plan.Step{ID: "a", Description: "d", Status: plan.Done, Extra: jsontext.Value(`{"r":1,"s":2}`)}
	tests := []struct {
		name   string
		change func(*plan.Step)
	}{
		{"id", func(s *plan.Step) { s.ID = "b" }},
		{"description", func(s *plan.Step) { s.Description = "e" }},
		{"dependencies", func(s *plan.Step) { s.Dependencies = []string{"x"} }},
		{"status", func(s *plan.Step) { s.Status = plan.Failed }},
		{"tools_expected", func(s *plan.Step) { s.ToolsExpected = []string{"x"} }},
		{"unknown members", func(s *plan.Step) { s.Extra = nil }},
	}
	if n := reflect.TypeFor[plan.Step]().NumField(); n != len(tests) {
		t.Fatalf("%d of %d members are tested", len(tests), n)
	}
	for i, tt := range tests {
		s := base.Clone()
		for _, later := range tests[i:] { // the first member that differs counts
			later.change(&s)
		}
		if got := outcome.StepDifference(&base, &s); got != tt.name {
			t.Errorf("difference %q, want %q", got, tt.name)
		}
	}
	same := base.Clone()
	same.Extra = jsontext.Value(`{ "s": 2, "r": 1 }`)
	if got := outcome.StepDifference(&base, &same); got != "" {
		t.Errorf("difference %q of equal steps", got)
	}
}
