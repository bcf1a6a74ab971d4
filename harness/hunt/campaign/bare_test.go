package campaign

import (
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
