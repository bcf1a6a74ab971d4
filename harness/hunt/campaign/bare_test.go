package campaign

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// giving returns a campaign against an engine that gives only these of the optional members, and declares so.
func giving(d *dialect.Dialect, eval mutant.Eval, cases uint64, members ...string) Config {
	declared := d.Declare(harness.Profile{})
	declared.Gives = append([]string{}, members...)
	engine := mutant.New("giving", "", func(right mutant.Eval) mutant.Eval {
		return func(c harness.Case, p harness.Profile) harness.Outcome {
			out := right(c, p)
			return d.Members.Given(&out, members...)
		}
	})
	open := func() (harness.Engine, error) { return mutant.Engine(d.Name, engine, eval, declared), nil }
	e, _ := open()
	return Config{
		Dialect: d.Name, Seed: 1, Cases: cases, Engine: e, Fresh: open, ShrinkBudget: -1,
		Judging: judge.Options{Reference: reference.New()},
	}
}

// TestBareEngines: a correct engine that gives only the members that every engine must give passes.
func TestBareEngines(t *testing.T) {
	for _, d := range all.Dialects() {
		for _, c := range start(t, giving(d, d.Eval, 1000)).Result.Causes {
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
	for _, gives := range [][]string{{"created"}, {"created", "order"}} {
		causes := start(t, giving(d, reversed, 600, gives...)).Result.Causes
		if ordered := slices.Contains(gives, "order"); ordered != (len(causes) > 0) {
			t.Errorf("an engine that gives %q has %d causes", gives, len(causes))
		}
	}
}

// TestSortedMembers: an engine may write the members of messages in another order, which changes
// how many tokens the text of a call has.
func TestSortedMembers(t *testing.T) {
	d := all.Find("trim")
	sorted := func(c harness.Case, p harness.Profile) harness.Outcome {
		out := d.Eval(c, p)
		out.Messages = out.Messages.Clone()
		if err := out.Messages.Canonicalize(jsontext.CanonicalizeRawInts(false)); out.Messages != nil && err != nil {
			t.Error(err)
		}
		return out
	}
	for _, c := range start(t, giving(d, sorted, 1000)).Result.Causes {
		t.Errorf("%s (%d cases)", c.Sentence, c.Cases)
	}
}

// TestWithoutReasons: an engine may reject without a reason, with the code refused.
func TestWithoutReasons(t *testing.T) {
	for _, d := range all.Dialects() {
		silent := func(c harness.Case, p harness.Profile) harness.Outcome {
			out := d.Eval(c, p)
			if out.Verdict == harness.Rejected {
				out.Code, out.At = harness.Refused, nil
			}
			return out
		}
		for _, c := range start(t, giving(d, silent, 1000)).Result.Causes {
			t.Errorf("%s: %s (%d cases)", d.Name, c.Sentence, c.Cases)
		}
	}
}
