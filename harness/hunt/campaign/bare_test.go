package campaign

import (
	"slices"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// TestBareEngines: a correct engine that gives only the members that every engine must give passes.
func TestBareEngines(t *testing.T) {
	for _, d := range all.Dialects() {
		declared := d.Declare(harness.Profile{})
		declared.Gives = []string{}
		bare := func(c harness.Case, p harness.Profile) harness.Outcome {
			out := d.Eval(c, p)
			return d.Members.Given(&out)
		}
		none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
		open := func() (harness.Engine, error) { return mutant.Engine(d.Name, none, bare, declared), nil }
		e, _ := open()
		r := start(t, Config{
			Dialect: d.Name, Seed: 1, Cases: 1000, Engine: e, Fresh: open, ShrinkBudget: -1,
			Judging: judge.Options{Reference: reference.New()},
		}).Result
		for _, c := range r.Causes {
			t.Errorf("%s: %s (%d cases)", d.Name, c.Sentence, c.Cases)
		}
	}
}

// TestOrderOfTasks: an engine may keep its tasks in another order, unless it declares that it gives their order.
func TestOrderOfTasks(t *testing.T) {
	d := all.Find("tasks")
	reversed := func(c harness.Case, p harness.Profile) harness.Outcome {
		out := d.Eval(c, p)
		if out.Plan != nil {
			out.Plan = out.Plan.Clone()
			slices.Reverse(out.Plan.Steps)
		}
		return out
	}
	none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
	for _, gives := range [][]string{{"results", "created"}, {"results", "created", "order"}} {
		declared := d.Declare(harness.Profile{})
		declared.Gives = gives
		open := func() (harness.Engine, error) { return mutant.Engine(d.Name, none, reversed, declared), nil }
		e, _ := open()
		r := start(t, Config{
			Dialect: d.Name, Seed: 1, Cases: 600, Engine: e, Fresh: open, ShrinkBudget: -1,
			Judging: judge.Options{Reference: reference.New()},
		}).Result
		if ordered := slices.Contains(gives, "order"); ordered != (len(r.Causes) > 0) {
			t.Errorf("an engine that gives %q has %d causes", gives, len(r.Causes))
		}
	}
}
