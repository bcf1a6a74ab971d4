package judge

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
)

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

// part returns the first answers within two outcomes that part.
func (r *Rules) part(want, got *harness.Outcome) (w, g Part, ok bool) {
	if r.Parts == nil {
		return w, g, false
	}
	a, b := r.Parts(want), r.Parts(got)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i], b[i], true
		}
	}
	return w, g, false
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

// Exact reports whether the engine means the codes of its refusals as the rules
// do.
func (x *Examination) Exact() bool { return x.Declared().Codes == harness.ExactCodes }
