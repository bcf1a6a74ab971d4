package cause

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
)

// TestBreaksNothing: nothing explains a group without a kept case.
func TestBreaksNothing(t *testing.T) {
	var c Campaign
	if c.breaks(suspect{}, &Group{Cases: 3}) || c.explains(suspect{}, &Group{Cases: 3}, nil) {
		t.Error("a group without cases is explained")
	}
}

// TestSuspectsWriteIntoCopies: what an evaluation writes into its case spoils no
// comparison after it.
func TestSuspectsWriteIntoCopies(t *testing.T) {
	c := Campaign{Dialect: &dialect.Dialect{}}
	k := harness.Case{Plan: jsontext.Value(`{"title":"a"}`)}
	writes := func(k harness.Case, _ harness.Profile) harness.Outcome {
		copy(k.Plan, `{"title":"b"}`)
		return harness.Outcome{}
	}
	c.answer(writes, suspect{}, k, "")
	writes(c.item(generators.Sample{Case: k}, 0).Case, harness.Profile{})
	if diff := cmp.Diff(`{"title":"a"}`, string(k.Plan)); diff != "" {
		t.Errorf("the plan of the case (-want +got):\n%s", diff)
	}
}
