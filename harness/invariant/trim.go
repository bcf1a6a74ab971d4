package invariant

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/budget"
)

// trimming is what was found about an outcome of the dialect trim.
type trimming struct {
	sound  bool // the case can be read
	policy budget.Policy
	breaks []budget.Break
}

// trimRules are the checks of package budget on one answer, and on the answer
// to what that left.
func trimRules() []rule {
	elsewhere := []string{budget.CheckTotal, budget.CheckDeterministic, budget.CheckReference, budget.CheckIdempotent}
	trim := []string{harness.Trim}
	var list []rule
	for _, t := range budget.Checks() {
		switch {
		case t.Name == budget.CheckIdempotent:
			list = append(list, rule{Check{t.Name, t.Text, Metamorphic, true, trim}, (*examination).trimsOnce})
		case !slices.Contains(elsewhere, t.Name):
			list = append(list, rule{Check{t.Name, t.Text, Safety, false, trim}, func(x *examination) result { return x.trims(t.Name) }})
		}
	}
	return list
}

// trims picks what was found by one check.
func (x *examination) trims(check string) result {
	t := x.trimmed()
	for _, b := range t.breaks {
		if b.Check == check {
			return broke("", "", b.Message)
		}
	}
	if !t.sound || !t.asks(check, x.out.Verdict) {
		return skip()
	}
	return held()
}

// trimmed judges the outcome once for all checks.
func (x *examination) trimmed() *trimming {
	if x.trim != nil {
		return x.trim
	}
	x.trim = &trimming{}
	if req, err := budget.DecodeCase(x.item.Case); err == nil {
		*x.trim = trimming{true, req.Policy, budget.Judge(x.item.Case, x.out)}
	}
	return x.trim
}

// asks reports whether a check has something to look at: what the policy does
// not claim is not asked, and a refusal leaves no messages.
func (t *trimming) asks(check string, v harness.Verdict) bool {
	claims := t.policy.Claims()
	switch check {
	case budget.CheckWellFormed:
		return true
	case budget.CheckFits:
		return claims.Fits
	case budget.CheckPairs:
		return claims.Pairs && v == harness.Applied
	case budget.CheckAlternates:
		return claims.Alternates && v == harness.Applied
	case budget.CheckProtects:
		return claims.Protects && v == harness.Applied
	}
	return v == harness.Applied
}

// trimsOnce: trimming what was trimmed changes nothing.
func (x *examination) trimsOnce() result {
	c, ok := budget.Again(x.item.Case, x.out)
	if !ok || !x.trimmed().sound {
		return skip()
	}
	second, ok := x.again(c)
	if !ok {
		return skip()
	}
	for _, b := range budget.JudgeAgain(x.out, second) {
		return broke("", "", b.Message)
	}
	return held()
}

// exactTokens reports whether a case of the dialect trim asks for a tokenizer
// that not everybody has. What an engine counts by it cannot declare, so that it
// may answer unsupported.
func exactTokens(c harness.Case) bool {
	if c.Dialect != harness.Trim {
		return false
	}
	req, err := budget.DecodeCase(c)
	return err == nil && req.Budget.Tokenizer != budget.Chars4
}
