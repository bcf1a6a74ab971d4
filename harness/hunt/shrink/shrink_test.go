package shrink_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/shrink"
	"replanbench/harness/plan"
)

func large() harness.Case {
	var steps []string
	for i := range 30 {
		deps := "[]"
		if i > 0 {
			deps = fmt.Sprintf(`["step_%d"]`, i-1)
		}
		steps = append(steps, fmt.Sprintf(`{"id":"step_%d","description":"does thing number %d","dependencies":%s,"status":"pending","tools_expected":["grep","ls"]}`, i, i, deps))
	}
	lenient, _ := harness.Named(harness.ProfileLenient)
	limit, depth := 40, 17
	return harness.Case{
		Dialect: "planpatch",
		Profile: &lenient,
		Limits:  harness.Limits{MaxPlanSteps: &limit, MaxDepth: &depth},
		Plan: jsontext.Value(`{"title":"A long title","steps":[` + strings.Join(steps, ",") +
			`],"verification_policy":"run_pytest"}`),
		Replies: []harness.Reply{
			"I cannot do that.",
			"Sure! Here it is:\n```json\n" + `{"type": "PlanPatch", "reason": "because \u00e9", "remove_steps": ["step_3", "step_9"],
 "update_steps": [{"id": "step_7", "description": "new", "dependencies": ["step_2"]}],
 "add_steps": [{"id": "step_99", "description": "Ünïcode and \"quotes\""}]}` + "\n```\nHope it helps.",
		},
	}
}

// TestCase: what keep looks at stays, and nothing else does.
func TestCase(t *testing.T) {
	patch := func(c harness.Case) (doc struct {
		Remove []string `json:"remove_steps"`
		Update []struct {
			ID string `json:"id"`
		} `json:"update_steps"`
		Add []struct {
			ID string `json:"id"`
		} `json:"add_steps"`
	},
	) {
		for _, r := range c.Replies {
			start, end := strings.IndexByte(string(r), '{'), strings.LastIndexByte(string(r), '}')
			if start >= 0 && end > start {
				_ = json.Unmarshal([]byte(r[start:end+1]), &doc)
			}
		}
		return doc
	}
	tests := []struct {
		name string
		keep func(harness.Case) bool
		want string
	}{
		{
			"nothing", func(harness.Case) bool { return true }, `{"dialect":"planpatch","plan":{}}`,
		},
		{
			"a removed step", func(c harness.Case) bool {
				p, err := plan.Decode(c.Plan)
				return err == nil && len(patch(c).Remove) > 0 && p.Step(patch(c).Remove[0]) != nil
			}, `{"dialect":"planpatch","plan":{"title":"a","steps":[{"id":"a","description":"a"}]},"replies":["{\"remove_steps\":[\"a\"]}"]}`,
		},
		{
			"an update of a step with a dependency", func(c harness.Case) bool {
				p, err := plan.Decode(c.Plan)
				if err != nil || len(patch(c).Update) == 0 {
					return false
				}
				s := p.Step(patch(c).Update[0].ID)
				return s != nil && len(s.Dependencies) > 0
			}, `{"dialect":"planpatch","plan":{"title":"a","steps":[{"id":"a","description":"a"},{"id":"b","description":"a","dependencies":["a"]}]},"replies":["{\"update_steps\":[{\"id\":\"b\"}]}"]}`,
		},
		{
			"a limit and a knob", func(c harness.Case) bool {
				return c.Limits.MaxPlanSteps != nil && *c.Limits.MaxPlanSteps > 2 && c.Profile != nil &&
					c.Profile.Orphans == harness.Bridge
			}, `{"dialect":"planpatch","profile":{"orphans":"bridge"},"limits":{"max_plan_steps":3},"plan":{}}`,
		},
		{
			"a limit so far above the plan", func(c harness.Case) bool {
				p, err := plan.Decode(c.Plan)
				return err == nil && c.Limits.MaxPlanSteps != nil && *c.Limits.MaxPlanSteps == len(p.Steps)+10
			}, `{"dialect":"planpatch","limits":{"max_plan_steps":11},"plan":{"title":"a","steps":[{"id":"a","description":"a"}]}}`,
		},
		{
			"an escape in a fence", func(c harness.Case) bool {
				return len(c.Replies) > 0 && strings.Contains(string(c.Replies[len(c.Replies)-1]), "```") &&
					strings.Contains(string(c.Replies[len(c.Replies)-1]), `\u00e9`)
			}, "{\"dialect\":\"planpatch\",\"plan\":{},\"replies\":[\"\\\\u00e9```\"]}",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.keep(large()) {
				t.Fatal("the case does not show it to begin with")
			}
			got, calls := shrunk(all.Find(large().Dialect), large(), shrink.DefaultBudget, tt.keep)
			b, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(b)); diff != "" {
				t.Errorf("after %d calls (-want +got):\n%s", calls, diff)
			}
		})
	}
}

// TestRing: a ring of steps stays a ring while it becomes shorter.
func TestRing(t *testing.T) {
	var steps []string
	for i := range 7 {
		steps = append(steps, fmt.Sprintf(`{"id":"r%d","description":"","dependencies":["step_1","r%d"]}`, i, (i+1)%7))
	}
	c := large()
	c.Replies = []harness.Reply{harness.Reply(`{"add_steps":[` + strings.Join(steps, ",") + `]}`)}
	got, calls := shrunk(all.Find(c.Dialect), c, shrink.DefaultBudget, func(c harness.Case) bool {
		var patch struct {
			Add []struct {
				ID           string   `json:"id"`
				Dependencies []string `json:"dependencies"`
			} `json:"add_steps"`
		}
		if len(c.Replies) == 0 || json.Unmarshal([]byte(c.Replies[0]), &patch) != nil {
			return false
		}
		var added plan.Plan
		for _, a := range patch.Add {
			added.Steps = append(added.Steps, plan.Step{ID: a.ID, Dependencies: a.Dependencies})
		}
		return added.Cycle() != nil
	})
	if want := harness.Reply(`{"add_steps":[{"id":"a","dependencies":["a"]}]}`); got.Replies[0] != want {
		t.Errorf("got %s after %d calls, want %s", got.Replies[0], calls, want)
	}
}

// TestText: a reply that is no JSON shrinks as text.
func TestText(t *testing.T) {
	c := large()
	c.Replies = []harness.Reply{harness.Reply(strings.Repeat("some line\n", 300) + "{\"id\": \xff needle,\n" +
		strings.Repeat("another line\n", 300))}
	got, calls := shrunk(all.Find(c.Dialect), c, 4000, func(c harness.Case) bool {
		return len(c.Replies) == 1 && strings.Contains(string(c.Replies[0]), "\xff needle")
	})
	if got.Replies[0] != "\xff needle" {
		t.Errorf("got %q after %d calls", got.Replies[0], calls)
	}
}

// TestBudget: keep is asked no more often than allowed, and what comes out
// holds.
func TestBudget(t *testing.T) {
	for _, budget := range []int{0, 1, 7, 100} {
		calls := 0
		keep := func(c harness.Case) bool { calls++; return len(c.Replies) > 0 }
		got, used := shrunk(all.Find(large().Dialect), large(), budget, keep)
		if calls != used || used > budget || len(got.Replies) == 0 {
			t.Errorf("budget %d: asked %d times, said %d", budget, calls, used)
		}
	}
}

// TestProperties: for any reply, the result holds, is no larger, and is the
// same each time.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := large()
		c.Replies = nil
		for range rapid.IntRange(1, 2).Draw(t, "replies") {
			c.Replies = append(c.Replies, harness.Reply(rapid.StringMatching("[{}\\[\\]\",:a1\\\\ \n]{0,40}").Draw(t, "reply")))
		}
		letter := rapid.SampledFrom([]string{"a", "{", `"`, ":", ""}).Draw(t, "letter")
		keep := func(c harness.Case) bool {
			return strings.Contains(fmt.Sprint(c.Replies), letter) && strings.Contains(string(c.Plan), "step_7")
		}
		if !keep(c) {
			return
		}
		before, _ := json.Marshal(c)
		first, _ := shrunk(all.Find(c.Dialect), c, 300, keep)
		second, _ := shrunk(all.Find(c.Dialect), c, 300, keep)
		after, _ := json.Marshal(c)
		size, _ := json.Marshal(first)
		switch {
		case !keep(first):
			t.Fatalf("the result does not hold: %s", size)
		case len(size) > len(before):
			t.Fatalf("the result is larger: %s", size)
		case cmp.Diff(first, second) != "":
			t.Fatal("another result the second time")
		case string(before) != string(after):
			t.Fatal("the case given was changed")
		}
	})
}

// shrunk shrinks a case without an end but the budget.
func shrunk(d *dialect.Dialect, c harness.Case, budget int, keep func(harness.Case) bool) (harness.Case, int) {
	return shrink.While(d, c, budget, func() bool { return true }, keep)
}
