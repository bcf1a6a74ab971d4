package planpatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/schematest"
	"replanbench/scenarios"
)

// TestPatches compares what the schema and the reference take for a patch, over
// the built-in scenarios.
func TestPatches(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	patches := schematest.Compile(t, "planpatch")
	judged := map[bool]int{}
	for _, s := range list {
		out, err := reference.New().Eval(t.Context(), s.Case)
		if err != nil {
			t.Fatal(err)
		}
		if fits, told := patchVerdict(s.Case, out); told {
			judged[fits]++
			if err := schematest.Validate(patches, []byte(s.Case.Replies[0])); (err == nil) != fits {
				t.Errorf("%s: the reference says that the patch fits its form: %t; the schema says %v", s.ID, fits, err)
			}
		}
	}
	if judged[true] < 20 {
		t.Errorf("only %d patches were judged", judged[true])
	}
}

// patchVerdict says whether the reference read a single strict reply as a
// well-formed patch, if its outcome shows it.
func patchVerdict(c harness.Case, out harness.Outcome) (fits, told bool) {
	if c.Dialect != "planpatch" || len(c.Replies) != 1 || !strings.HasPrefix(string(c.Replies[0]), "{") ||
		c.Profile != nil {
		return false, false
	}
	switch out.Code {
	case "", harness.IDConflict, harness.UnknownStep, harness.DoneImmutable, harness.MissingDependency,
		harness.DependencyCycle, harness.EmptyPatch:
		return true, out.Tier == harness.TierStrict && out.Rung != harness.RungFullPlan
	case harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID:
		return false, true
	}
	return false, false
}

func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "planpatch", []string{
		`{}`,
		`{"type":null,"title":null,"remove_steps":null,"update_steps":null,"add_steps":null,"reason":null}`,
		`{"type":"PlanPatch","add_steps":[{"id":"a","description":"d","status":"Done"}]}`,
	}, []string{
		`{"type":"FullPlan"}`,
		`{"steps":[]}`,
		`{"remove_steps":"a"}`,
		`{"remove_steps":[1]}`,
		`{"remove_steps":[" "]}`,
		`{"update_steps":[{"id":"a","status":"done"}]}`,
		`{"add_steps":[{"id":"a"}]}`,
		`[]`,
	})
	schematest.GoodAndBad(t, "fullplan", []string{
		`{"title":"t","steps":[{"id":"a","description":"d","status":"done","result":1}],"risks":[]}`,
		`{"title":"t","steps":[{"id":"a","description":"d","status":"Done"}]}`, // of a reply
	}, []string{
		`{"title":"t","steps":[]}`,
		`{"title":"t","steps":[{"id":"a","description":"d","status":1}]}`,
		`{"steps":[{"id":"a","description":"d"}]}`,
	})
}

func TestStatuses(t *testing.T) {
	want := []string{"<nil>"}
	for _, s := range plan.Statuses() {
		want = append(want, string(s))
	}
	got := schematest.Look(t, "fullplan", "properties/steps/items/properties/status/examples")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-types +schema):\n%s", diff)
	}
}
