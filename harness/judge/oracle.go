package judge

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/outcome"
)

// reference: the outcome is the reference's, under the profile that the engine
// declares. What an engine does not give is not compared.
func (x *Examination) reference() Result {
	j := x.Judge
	if j.Options.Reference == nil || j.Options.SampleReference && !x.Drawn() {
		return Skip()
	}
	c := x.Item.Case
	if free := j.rules.Free; free != nil && free(x) {
		return Skip()
	}
	c.Profile = &x.Profile
	want, err := j.Options.Reference.Eval(x.Ctx, c)
	if err != nil {
		x.err = fmt.Errorf("the reference failed on a case: %w (this is a bug in replanbench)", err)
		return Skip()
	}
	d := j.rules.compare(&want, x.aligned(&want))
	if d == nil {
		return Held()
	}
	r := Broke("", d.Step, d.Field, "the reference under the same profile: "+d.Words)
	r.Broken.Want = Answer(want)
	return r
}

// expected: the outcome is what the maker of the case knows.
func (x *Examination) expected() Result {
	l := x.Item.Label
	if l == nil {
		return Skip()
	}
	var r Result
	switch {
	case l.Verdict != x.Out.Verdict, l.Verdict == harness.Rejected && len(l.Codes) > 0 && !slices.Contains(l.Codes, x.Out.Code):
		r = Broke("", "", "verdict", fmt.Sprintf("the case was made to be %s, the engine answers %s", l.answer(), Answer(x.Out)))
	case l.Plan != nil && x.Out.Plan == nil:
		r = Broke("", "", "plan", "the case was made to give a plan, and there is none")
	default:
		d := l.difference(&x.Judge.rules, x.aligned(&harness.Outcome{Plan: l.Plan}))
		if d == nil {
			return Held()
		}
		r = Broke("", d.Step, d.Field, "the case was made to give another outcome: "+d.Words)
	}
	r.Broken.Want = l.answer()
	return r
}

// difference finds the first difference between what is known of the right
// outcome and an outcome.
func (l *Label) difference(r *Rules, out *harness.Outcome) *outcome.Difference {
	var known harness.Outcome
	if l.More != nil {
		known = *l.More
	}
	known.Rung, known.Tier = l.Rung, l.Tier
	if known.Plan = l.Plan; l.Plan == nil {
		known.Plan = out.Plan // then any plan is right
	}
	return r.Members.Compare(&known, out)
}

func (l *Label) answer() string {
	if l.Verdict != harness.Rejected || len(l.Codes) == 0 {
		return string(l.Verdict)
	}
	s := string(l.Verdict)
	for i, c := range l.Codes {
		if i > 0 {
			s += " or"
		}
		s += " " + string(c)
	}
	return s
}

// compare finds the first difference between two outcomes, of what both give;
// nil if there is none. Messages are for people and not compared.
func (r *Rules) compare(want, got *harness.Outcome) *outcome.Difference {
	if want.Verdict != got.Verdict || want.Code != got.Code {
		return outcome.Differs("verdict", "the answer is %s and not %s", Answer(*got), Answer(*want))
	}
	return r.Members.Compare(want, got)
}

// Again finds the first difference between two answers of one engine to the same
// request, which give the same members.
func (r *Rules) Again(first, second *harness.Outcome) *outcome.Difference {
	d := r.compare(first, second)
	if d == nil && !r.Members.SameGiven(first, second) {
		d = outcome.Differs("outcome", "the second outcome does not give the same members")
	}
	return d
}
