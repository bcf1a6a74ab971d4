package invariant

import (
	"fmt"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// inputUnchanged: the case is as it was. An engine outside the process cannot
// break this one, unless its own memory of the plan does: that shows in
// deterministic.
func (x *examination) inputUnchanged() result {
	if field := x.judge.scratch.changed(&x.item.Case); field != "" {
		return broke("", field, "the engine changed the "+field+" of the case that it was given")
	}
	return held()
}

// deterministic: the same request, the same outcome.
func (x *examination) deterministic() result {
	out, ok := x.again(x.item.Case)
	if !ok {
		return broke("", "verdict", "the engine answers a request and fails on the same request again")
	}
	d := x.judge.rules.compare(x.aligned(&out), &out)
	if d == nil && !sameGiven(&x.out, &out) {
		d = differs("outcome", "the second outcome does not give the same members")
	}
	if d == nil {
		return held()
	}
	return broke(d.step, d.field, "the same request again gives another outcome: "+d.words)
}

// related asks the engine a case derived from this one, which must have the
// same verdict, the plan want (nil for none), and the same code if only one
// thing is wrong.
func (x *examination) related(c harness.Case, want *plan.Plan, what string) result {
	out, ok := x.again(c)
	if !ok {
		return skip()
	}
	switch {
	case out.Verdict != x.out.Verdict, x.item.Faults <= 1 && out.Code != x.out.Code:
		return broke("", "verdict", fmt.Sprintf("%s, and %s becomes %s", what, Answer(x.out), Answer(out)))
	case (want == nil) != (out.Plan == nil):
		return broke("", "plan", what+", and the plan comes or goes")
	case want == nil:
		return held()
	}
	if want == x.out.Plan {
		want = x.aligned(&out).Plan
	}
	if step, field, words, differ := firstDifference(want, out.Plan); differ {
		return broke(step, field, what+", and another plan comes out: "+words)
	}
	return held()
}

// aligned returns the outcome with the names that the engine was free to choose
// called as in the right one.
func (x *examination) aligned(want *harness.Outcome) *harness.Outcome {
	if align := x.judge.rules.Align; align != nil {
		return align(x, want)
	}
	return &x.out
}
