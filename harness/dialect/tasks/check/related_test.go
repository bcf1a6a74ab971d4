package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/check"
	"replanbench/harness/plan"
)

// TestCanonical: the canonical outcome has sorted blockers, and the outcome itself is not changed.
func TestCanonical(t *testing.T) {
	o := harness.Outcome{Plan: &plan.Plan{Steps: []plan.Step{{ID: "a", Dependencies: []string{"c", "b"}}}}}
	sorted := check.Canonical(&o)
	if diff := cmp.Diff([]string{"b", "c"}, sorted.Plan.Steps[0].Dependencies); diff != "" {
		t.Errorf("canonical (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c", "b"}, o.Plan.Steps[0].Dependencies); diff != "" {
		t.Errorf("the outcome (-want +got):\n%s", diff)
	}
}
