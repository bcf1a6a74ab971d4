package judge

import (
	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

// inputUnchanged: the case is as it was. Of an engine outside the process nobody
// sees it; what its own memory of the plan does shows in deterministic.
func (x *Examination) inputUnchanged() Result {
	if x.Judge.hello.Remote {
		return Unseen()
	}
	if field := x.Judge.Scratch.changed(&x.Item.Case); field != "" {
		return Broke(field, "", field, "the engine changed the "+field+" of the case that it was given")
	}
	return Held()
}

// deterministic: the same request, the same outcome.
func (x *Examination) deterministic() Result {
	out, failure := x.Ask(x.Item.Case)
	switch {
	case failure != nil && failure.Kind == harness.Hang:
		return Broke(Late, "", "verdict", "the engine answers a request and times out on the same request again")
	case failure != nil || out.Verdict != harness.Applied && out.Verdict != harness.Rejected:
		return Broke("fails", "", "verdict", "the engine answers a request and fails on the same request again")
	}
	d := x.Judge.rules.Again(x.aligned(&out), &out)
	if d == nil {
		return Held()
	}
	return Broke("again", d.Step, d.Field, "the same request again gives another outcome: "+d.Words)
}

// Related asks the engine a case derived from this one, which must have the
// same verdict, the plan want (nil for none), and the same code if only one
// thing is wrong, as far as known, and codes mean something.
func (x *Examination) Related(c harness.Case, want *plan.Plan, what string) Result {
	out, ok := x.Again(c)
	if !ok {
		return Skip()
	}
	switch {
	case out.Verdict != x.Out.Verdict, x.Exact() && x.Item.Traits <= 1 && out.Code != x.Out.Code &&
		!x.rightly(c, out.Code):
		return x.Parted(c, out, Brokef("", "", "verdict", "%s, and %s becomes %s", what, Answer(x.Out), Answer(out)))
	case (want == nil) != (out.Plan == nil):
		return x.Parted(c, out, Broke("", "", "plan", what+", and the plan comes or goes"))
	case want == nil:
		return Held()
	}
	if want == x.Out.Plan {
		want = x.aligned(&out).Plan
	}
	if d := outcome.Plans(want, out.Plan); d != nil {
		return x.Parted(c, out, Broke("", d.Step, d.Field, what+", and another plan comes out: "+d.Words))
	}
	return Held()
}

// Parted attributes a break between two cases to the case whose outcome differs from the
// reference. Its kind is the name of the relation and the kind of that difference.
func (x *Examination) Parted(c harness.Case, out harness.Outcome, r Result) Result {
	relation := x.Judge.rules.Checks[x.current].Name
	first, second := whole(&x.Out), whole(&out)
	kind := x.answers(first, second)
	if kind == "" {
		kind = "differs:plan"
	}
	for _, side := range []struct {
		c   *harness.Case
		out *harness.Outcome
	}{{&c, &out}, {nil, &x.Out}} {
		asked := x.Item.Case
		if side.c != nil {
			asked = *side.c
		}
		if want, ok := x.right(asked); ok {
			if d := x.pair(&want, side.out); d != nil {
				kind, r.Broken.Case = d.kind, side.c
				r.Broken.Want = Answer(want)
				break
			}
		}
	}
	r.Broken.Kind = relation + "/" + kind
	return r
}

// right is what the reference gives for a case, where there is a reference.
func (x *Examination) right(c harness.Case) (harness.Outcome, bool) {
	if x.Judge.Options.Reference == nil {
		return harness.Outcome{}, false
	}
	c.Profile = &x.Profile
	want, err := x.Judge.Options.Reference.Eval(x.Ctx, c)
	return want, err == nil
}

// rightly reports whether the rules, too, give this code for a related case and
// another one for this: then more than one thing is wrong.
func (x *Examination) rightly(c harness.Case, code harness.Code) bool {
	first, ok := x.right(x.Item.Case)
	if !ok || first.Code != x.Out.Code {
		return false
	}
	second, ok := x.right(c)
	return ok && second.Code == code
}

// aligned returns the outcome with the names that the engine was free to choose
// called as in the right one.
func (x *Examination) aligned(want *harness.Outcome) *harness.Outcome {
	if align := x.Judge.rules.Align; align != nil {
		return align(x, want)
	}
	return &x.Out
}

// Aligned returns an outcome of a case with the names that the engine was free to choose called
// as in the right one. The engine declared d.
func (r *Rules) Aligned(d harness.Declaration, c harness.Case, got, want *harness.Outcome) *harness.Outcome {
	hello := harness.Hello{Dialects: map[string]harness.Declaration{c.Dialect: d}}
	x := &Examination{Judge: &Judge{rules: *r, hello: hello}, Item: &Item{Case: c}, Out: *got}
	x.Decode()
	return x.aligned(want)
}

// Compare finds the first difference in the members of two outcomes.
func (x *Examination) Compare(want, got *harness.Outcome) *outcome.Difference {
	return x.Judge.rules.Members.Differ(want, got)
}
