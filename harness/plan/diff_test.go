package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/plan"
)

func base() *plan.Plan {
	return &plan.Plan{Title: "t", Steps: []plan.Step{
		{ID: "a", Description: "A", Status: plan.Done, Extra: []byte(`{"result":1}`)},
		{ID: "b", Description: "B", Status: plan.Pending, Dependencies: []string{"a"}},
		{ID: "c", Description: "C", Status: plan.Pending, Dependencies: []string{"b"}, ToolsExpected: []string{"grep"}},
	}}
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name string
		edit func(p *plan.Plan)
		want plan.Difference
	}{
		{"nothing", func(*plan.Plan) {}, plan.Difference{}},
		{
			"empty and absent lists are the same", func(p *plan.Plan) { p.Steps[0].Dependencies = []string{} },
			plan.Difference{},
		},
		{
			"members of the plan", func(p *plan.Plan) { p.Title, p.VerificationPolicy = "u", "run" },
			plan.Difference{Members: []plan.FieldChange{
				{Field: "title", From: "t", To: "u"},
				{Field: "verification_policy", To: "run"},
			}},
		},
		{"removed", func(p *plan.Plan) { p.Steps = p.Steps[:2] }, plan.Difference{Removed: []plan.Step{base().Steps[2]}}},
		{
			"added", func(p *plan.Plan) { p.Steps = append(p.Steps, plan.Step{ID: "d"}) },
			plan.Difference{Added: []plan.Step{{ID: "d"}}},
		},
		{"every member of a step", func(p *plan.Plan) {
			p.Steps[0] = plan.Step{
				ID: "a", Description: "Z", Status: plan.Failed, Dependencies: []string{"c"},
				ToolsExpected: []string{"x"},
			}
		}, plan.Difference{Changed: []plan.StepChange{{ID: "a", Fields: []plan.FieldChange{
			{Field: "description", From: "A", To: "Z"},
			{Field: "dependencies", From: "[]", To: `["c"]`},
			{Field: "status", From: "done", To: "failed"},
			{Field: "tools_expected", From: "[]", To: `["x"]`},
			{Field: "result", From: "1"},
		}}}}},
		{"members that steps of some dialects have", func(p *plan.Plan) {
			p.Steps[0].Extra = []byte(`{"result":{"x":[]},"name":"A b"}`)
		}, plan.Difference{Changed: []plan.StepChange{{ID: "a", Fields: []plan.FieldChange{
			{Field: "name", To: "A b"}, {Field: "result", From: "1", To: `{"x":[]}`},
		}}}}},
		{
			"moved", func(p *plan.Plan) { p.Steps = []plan.Step{p.Steps[2], p.Steps[0], p.Steps[1]} },
			plan.Difference{Moved: []string{"c"}},
		},
		{
			"an id that stands twice", func(p *plan.Plan) { p.Steps = append(p.Steps, p.Steps[1]) },
			plan.Difference{Added: []plan.Step{base().Steps[1]}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := base()
			test.edit(p)
			got := plan.Diff(base(), p)
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("difference (-want +got):\n%s", d)
			}
			if got.Empty() != (got.String() == "") {
				t.Errorf("Empty is %v, but the text is %q", got.Empty(), got)
			}
		})
	}
}

// The moved steps are enough: without them the common steps keep their order.
func TestDiffMoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "steps")
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		old, new := ordered(order), ordered(rapid.Permutation(order).Draw(t, "order"))
		moved := plan.Diff(old, new).Moved
		without := func(p *plan.Plan) (ids []string) {
			for _, s := range p.Steps {
				if !slices.Contains(moved, s.ID) {
					ids = append(ids, s.ID)
				}
			}
			return ids
		}
		if a, b := without(old), without(new); !slices.Equal(a, b) {
			t.Fatalf("without %v the orders are %v and %v", moved, a, b)
		}
		if same := slices.Equal(ids(old), ids(new)); same != (len(moved) == 0) {
			t.Fatalf("moved %v, same order %v", moved, same)
		}
	})
}

func ordered(order []int) *plan.Plan {
	p := &plan.Plan{}
	for _, i := range order {
		p.Steps = append(p.Steps, plan.Step{ID: fmt.Sprint(i)})
	}
	return p
}

func ids(p *plan.Plan) (list []string) {
	for _, s := range p.Steps {
		list = append(list, s.ID)
	}
	return list
}

func BenchmarkDiff(b *testing.B) {
	order := make([]int, 200)
	for i := range order {
		order[i] = i
	}
	old := ordered(order)
	slices.Reverse(order)
	reversed := ordered(order)
	for b.Loop() {
		plan.Diff(old, reversed)
	}
}
