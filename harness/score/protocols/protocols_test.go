package protocols

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/plan"
)

type words struct{}

func (words) Count(s string) int { return (len(s) + 3) / 4 }

func decode(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, changes []Change, c Channel, repeats int) map[string]Row {
	t.Helper()
	r, err := Run(t.Context(), changes, Options{
		Channel: c, Profile: harness.Reference(), Counter: words{}, Seed: 1,
		Repeats: repeats,
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]Row{}
	for _, row := range r.Rows {
		rows[row.Name] = row
	}
	return rows
}

func generated(t *testing.T, n int) []Change {
	t.Helper()
	list, err := Generated(1, n, 12)
	if err != nil || len(list) != n {
		t.Fatalf("%d changes, %v", len(list), err)
	}
	return list
}

// Without errors every protocol comes to the plan that was meant, and what it cannot
// say is counted.
func TestWithoutErrorsInBulk(t *testing.T) {
	for name, row := range run(t, generated(t, 150), Channel{}, 1) {
		if row.Said+row.Unsaid != 150 || row.Right.K != row.Said || row.Damaged+row.Refused.K+row.Wrong.K+row.LostDone.K > 0 {
			t.Errorf("%s: %+v", name, row)
		}
		if row.Lacks == "" && row.Unsaid > 3 {
			t.Errorf("%s cannot say %d of 150 plain patches", name, row.Unsaid)
		}
		if row.Said > 0 && (row.Tokens == 0 || row.Whole == 0) {
			t.Errorf("%s: no tokens: %+v", name, row)
		}
	}
}

// Each kind of error has the effect that is known beforehand.
func TestChannelInBulk(t *testing.T) {
	changes := generated(t, 60)
	t.Run("a cut reply is never read strictly", func(t *testing.T) {
		for name, row := range run(t, changes, Channel{Cut: 1}, 1) {
			if row.Right.K != 0 && row.Damaged != row.Replies {
				t.Errorf("%s: %+v", name, row)
			}
			if row.Refused.K < row.Replies-2 {
				t.Errorf("%s: %d of %d cut replies are refused", name, row.Refused.K, row.Replies)
			}
		}
	})
	t.Run("a whole plan that loses items loses them silently", func(t *testing.T) {
		rows := run(t, changes, Channel{Drop: 0.3}, 2)
		if row := rows["fullplan"]; row.Wrong.K < row.Replies/3 || row.LostDone.K > 0 {
			t.Errorf("whole plans, of which finished work is put back: %+v", row)
		}
		if row := rows["rfc6902"]; row.Wrong.K == 0 {
			t.Errorf("operations by index that miss one: %+v", row)
		}
	})
	t.Run("a wrong index is a wrong step, a wrong id mostly is refused", func(t *testing.T) {
		rows := run(t, changes, Channel{Wrong: 1}, 2)
		if row := rows["rfc6902"]; row.Wrong.K <= row.Right.K || row.LostDone.K == 0 {
			t.Errorf("by index: %+v", row)
		}
		if row := rows["planpatch"]; row.LostDone.K != 0 {
			t.Errorf("by id, with finished work protected: %+v", row)
		}
	})
	t.Run("an extra member", func(t *testing.T) {
		rows := run(t, changes, Channel{Extra: 1}, 1)
		if row := rows["fullplan"]; row.Right.K != row.Replies {
			t.Errorf("whole plans pass over members: %+v", row)
		}
		if row := rows["planpatch"]; row.Right.K == row.Replies {
			t.Errorf("patches refuse them: %+v", row)
		}
	})
}

// The result depends on nothing but changes, channel and seed, and its parts add up.
func TestRunIsDeterministic(t *testing.T) {
	c := Channel{Cut: 0.05, Broken: 0.05, Drop: 0.05, Wrong: 0.05, Extra: 0.05}
	one, two := run(t, generated(t, 40), c, 3), run(t, generated(t, 40), c, 3)
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
	for name, row := range one {
		if row.Right.K+row.Refused.K+row.Wrong.K != row.Replies || row.LostDone.K > row.Wrong.K || row.Replies != 3*row.Said {
			t.Errorf("%s does not add up: %+v", name, row)
		}
	}
}

// Edits by index are written in the order in which it applies.
func TestPointers(t *testing.T) {
	before := decode(t, `{"title":"t","steps":[{"id":"a","description":"A","status":"done"},{"id":"b","description":"B"},{"id":"c","description":"C","dependencies":["a"]},{"id":"d","description":"D"}]}`)
	after := decode(t, `{"title":"u","steps":[{"id":"a","description":"A","status":"done"},{"id":"d","description":"D"},{"id":"n","description":"N"},{"id":"c","description":"other","dependencies":["n"]}]}`)
	rows := run(t, []Change{{"x", before, after}}, Channel{}, 1)
	for _, name := range []string{"rfc6902", "fullplan", "operations", "todos"} {
		if row := rows[name]; row.Said != 1 || row.Right.K != 1 {
			t.Errorf("%s: %+v", name, row)
		}
	}
	if row := rows["planpatch"]; row.Unsaid != 1 {
		t.Errorf("a patch cannot move steps: %+v", row)
	}
}

// The rates are taken from what was recorded, and the changes too.
func TestEstimateInBulk(t *testing.T) {
	c, n := Estimate(corpora.Builtin()[:1], harness.Reference(), words{})
	if n != 1610 || c.Cut <= 0 || c.Broken <= 0 || c.Wrong <= 0 || c.Drop != 0 || c.Wrong > 0.2 || c.Cut > 0.2 {
		t.Errorf("%d replies, %+v", n, c)
	}
	changes, err := FromCorpus(corpora.Builtin(), harness.Reference())
	if err != nil || len(changes) < 500 || !slices.ContainsFunc(changes,
		func(c Change) bool { return c.ID == "form/fullplan" }) {
		t.Errorf("%d changes, %v", len(changes), err)
	}
}
