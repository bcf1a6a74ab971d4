package judge

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
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
	d := x.pair(&want, x.aligned(&want))
	if d == nil {
		return Held()
	}
	r := Broke(d.kind, d.Step, d.Field, d.Words)
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
	switch kind := x.answers(l.part(x.Out.Code), whole(&x.Out)); {
	case kind != "":
		r = Brokef(kind, "", "verdict", "the case was made to be %s, the engine answers %s", l.answer(), Answer(x.Out))
	default:
		p := x.unlike(l)
		if p == nil {
			return Held()
		}
		r = Broke(p.kind, p.Step, p.Field, "the case was made to give another outcome: "+p.Words)
	}
	r.Broken.Want = l.answer()
	return r
}

// part is the answer that the label wants, with that one of its codes that was
// given.
func (l *Label) part(given harness.Code) Part {
	p := Part{Applied: l.Verdict == harness.Applied}
	switch {
	case p.Applied:
	case len(l.Codes) == 0 || slices.Contains(l.Codes, given):
		p.Code = given
	default:
		p.Code = l.Codes[0]
	}
	return p
}

// unlike returns the first difference between a label and the outcome.
func (x *Examination) unlike(l *Label) *pair {
	if l.bare() {
		return nil
	}
	var known harness.Outcome
	if l.More != nil {
		known = *l.More
	}
	known.Rung, known.At, known.Plan = l.Rung, l.At, x.Out.Plan // any plan is right
	d := x.Judge.rules.Members.Compare(&known, &x.Out, func(name string) bool {
		return x.Gives(name) && x.Judge.rules.Members.Find(name).Given(&known)
	})
	if d == nil {
		return nil
	}
	if w, g, ok := x.Judge.rules.part(&known, &x.Out); ok {
		if kind := x.answers(w, g); kind != "" {
			return &pair{kind, d}
		}
	}
	if l.Verdict == harness.Applied && d.Content {
		return &pair{"differs:" + d.Member, d}
	}
	return &pair{"reports:" + d.Member, d}
}

// bare reports whether no more than the verdict and the code is known.
func (l *Label) bare() bool {
	return l.More == nil && l.At == nil && l.Rung == ""
}

func (l *Label) answer() string {
	if l.Verdict != harness.Rejected || len(l.Codes) == 0 {
		return string(l.Verdict)
	}
	var s strings.Builder
	s.WriteString(string(l.Verdict))
	for i, c := range l.Codes {
		if i > 0 {
			s.WriteString(" or")
		}
		s.WriteString(" " + string(c))
	}
	return s.String()
}

// Again finds the first difference between two answers of one engine to the same
// request, which give the same members.
func (r *Rules) Again(first, second *harness.Outcome) *outcome.Difference {
	if first.Verdict != second.Verdict || first.Code != second.Code {
		return outcome.Differs("verdict", "the answer is %s and not %s", Answer(*second), Answer(*first))
	}
	d := r.Members.Differ(first, second)
	if d == nil && !r.Members.SameGiven(first, second) {
		d = outcome.Differs("outcome", "the second outcome does not give the same members")
	}
	return d
}

// pair is a difference between an outcome and the expected one.
type pair struct {
	kind string
	*outcome.Difference
}

// pair compares an outcome with the right one, of what the engine gives; nil if
// they are the same. Where the outcome is a list of answers, the first that parts
// decides. Messages are for people and not compared.
func (x *Examination) pair(want, got *harness.Outcome) *pair {
	r := &x.Judge.rules
	if w, g, ok := r.part(want, got); ok {
		if kind := x.answers(w, g); kind != "" {
			d := r.Members.Compare(want, got, x.Gives)
			if d == nil {
				d = outcome.Differs("verdict", "engine: an item is %s; expected: %s", g.words(), w.words())
			}
			return &pair{kind, d}
		}
	}
	w, g := whole(want), whole(got)
	if kind := x.answers(w, g); kind != "" {
		return &pair{kind, outcome.Differs("verdict", "engine: %s; expected: %s", Answer(*got), Answer(*want))}
	}
	d := r.Members.Compare(want, got, x.Gives)
	switch {
	case d == nil:
		return nil
	case w.Applied && d.Content:
		return &pair{"differs:" + d.Member, d}
	}
	return &pair{"reports:" + d.Member, d}
}

// answers names the kind in which two answers part; "" if they do not.
func (x *Examination) answers(want, got Part) string {
	switch {
	case want.Applied && got.Applied:
		return ""
	case want.Applied:
		return "refuses:" + string(got.Code)
	case got.Applied:
		return "accepts:" + string(want.Code)
	case want.Code == got.Code || got.Code == harness.Refused || x.also(got.Code):
		return ""
	}
	return "code:" + string(want.Code) + ":" + string(got.Code)
}

// also reports whether the rules give the code for one of the case's traits alone.
func (x *Examination) also(code harness.Code) bool {
	if x.Item.Codes == nil {
		return false
	}
	return slices.Contains(x.Item.Codes(), code)
}

func whole(o *harness.Outcome) Part {
	switch o.Verdict {
	case harness.Applied:
		return Part{Applied: true}
	case harness.Unsupported:
		return Part{Code: harness.Code(harness.Unsupported)}
	}
	return Part{Code: o.Code}
}

func (p Part) words() string {
	if p.Applied {
		return "applied"
	}
	return "refused (" + string(p.Code) + ")"
}

// part returns the first answers within two outcomes that part. Of lists that are not equally long it is not known
// which answers belong together.
func (r *Rules) part(want, got *harness.Outcome) (w, g Part, ok bool) {
	if r.Parts == nil {
		return w, g, false
	}
	a, b := r.Parts(want), r.Parts(got)
	if len(a) != len(b) {
		return w, g, false
	}
	for i := range a {
		if a[i].Applied != b[i].Applied || !r.Uncoded && a[i].Code != b[i].Code {
			return a[i], b[i], true
		}
	}
	return w, g, false
}

// RejectsPart reports whether an outcome rejects a part of a reply.
func (r *Rules) RejectsPart(o *harness.Outcome) bool {
	return r.Parts != nil && slices.ContainsFunc(r.Parts(o), func(p Part) bool { return !p.Applied })
}

// Gives reports whether the engine gives a member of outcomes: all must give
// those that are not optional.
func (x *Examination) Gives(member string) bool {
	m := x.Judge.rules.Members.Find(member)
	return m != nil && !m.Optional || x.Declared().GivesMember(member)
}

// Declared is what the engine says of the case's dialect.
func (x *Examination) Declared() harness.Declaration {
	return x.Judge.hello.Dialects[x.Item.Case.Dialect]
}

// Lacks reports whether the engine declares to lack a capability.
func (x *Examination) Lacks(capability string) bool {
	return slices.Contains(x.Declared().Without, capability)
}

// Exact reports whether the engine means the codes of its refusals as the rules
// do.
func (x *Examination) Exact() bool { return x.Declared().Codes == harness.ExactCodes }
