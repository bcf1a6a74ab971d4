package judge

import (
	"fmt"

	"replanbench/harness"
	"replanbench/harness/outcome"
	"replanbench/harness/plan"
)

// inputUnchanged: the case is as it was. An engine outside the process cannot
// break this one, unless its own memory of the plan does: that shows in
// deterministic.
func (x *Examination) inputUnchanged() Result {
	if field := x.Judge.Scratch.changed(&x.Item.Case); field != "" {
		return Broke("", "", field, "the engine changed the "+field+" of the case that it was given")
	}
	return Held()
}

// deterministic: the same request, the same outcome.
func (x *Examination) deterministic() Result {
	out, ok := x.Again(x.Item.Case)
	if !ok {
		return Broke("", "", "verdict", "the engine answers a request and fails on the same request again")
	}
	d := x.Judge.rules.Again(x.aligned(&out), &out)
	if d == nil {
		return Held()
	}
	return Broke("", d.Step, d.Field, "the same request again gives another outcome: "+d.Words)
}

// Related asks the engine a case derived from this one, which must have the
// same verdict, the plan want (nil for none), and the same code if only one
// thing is wrong.
func (x *Examination) Related(c harness.Case, want *plan.Plan, what string) Result {
	out, ok := x.Again(c)
	if !ok {
		return Skip()
	}
	switch {
	case out.Verdict != x.Out.Verdict, x.Item.Faults <= 1 && out.Code != x.Out.Code:
		return Broke("", "", "verdict", fmt.Sprintf("%s, and %s becomes %s", what, Answer(x.Out), Answer(out)))
	case (want == nil) != (out.Plan == nil):
		return Broke("", "", "plan", what+", and the plan comes or goes")
	case want == nil:
		return Held()
	}
	if want == x.Out.Plan {
		want = x.aligned(&out).Plan
	}
	if d := outcome.Plans(want, out.Plan); d != nil {
		return Broke("", d.Step, d.Field, what+", and another plan comes out: "+d.Words)
	}
	return Held()
}

// aligned returns the outcome with the names that the engine was free to choose
// called as in the right one.
func (x *Examination) aligned(want *harness.Outcome) *harness.Outcome {
	if align := x.Judge.rules.Align; align != nil {
		return align(x, want)
	}
	return &x.Out
}

// Compare finds the first difference in the members of two outcomes.
func (x *Examination) Compare(want, got *harness.Outcome) *outcome.Difference {
	return x.Judge.rules.Members.Compare(want, got)
}
