package invariant

import (
	"fmt"

	"replanbench/harness/plan"
)

// recordDifference names the first member in which what two plans have beside
// their steps differs, in words too; "" if there is none.
func recordDifference(want, got *plan.Record) (field, words string) {
	switch {
	case want.Equal(got):
		return "", ""
	case want == nil || got == nil:
		return "version", "one plan has a version and the other has none"
	case want.ID != got.ID:
		return "id", fmt.Sprintf("the plan's id is %q and not %q", brief(got.ID), brief(want.ID))
	case want.Name != got.Name:
		return "name", fmt.Sprintf("the plan's name is %q and not %q", brief(got.Name), brief(want.Name))
	case want.Description != got.Description:
		return "description", fmt.Sprintf("the plan's description is %q and not %q", brief(got.Description), brief(want.Description))
	case want.Version != got.Version:
		return "version", fmt.Sprintf("the version is %d and not %d", got.Version, want.Version)
	case len(want.History) != len(got.History):
		return "history", fmt.Sprintf("the history has %d entries and not %d", len(got.History), len(want.History))
	}
	return "history", "an entry of the history is another"
}
