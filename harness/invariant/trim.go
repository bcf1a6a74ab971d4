package invariant

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/plan"
)

// trimming is what was found about an outcome of the dialect trim.
type trimming struct {
	sound  bool // the case can be read
	policy budget.Policy
	breaks []budget.Break
}

// trimRules are the checks of package budget on one answer, and on the answer
// to what that left.
func trimRules() []Check {
	elsewhere := []string{budget.CheckTotal, budget.CheckDeterministic, budget.CheckReference, budget.CheckIdempotent}
	var list []Check
	for _, t := range budget.Checks() {
		switch {
		case t.Name == budget.CheckIdempotent:
			list = append(list, metamorphic(t.Name, t.Text, (*examination).trimsOnce))
		case !slices.Contains(elsewhere, t.Name):
			list = append(list, safety(t.Name, t.Text, func(x *examination) result { return x.trims(t.Name) }))
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
	return remembered(x, func() *trimming {
		req, err := budget.DecodeCase(x.item.Case)
		if err != nil {
			return &trimming{}
		}
		return &trimming{sound: true, policy: req.Policy, breaks: budget.Judge(x.item.Case, x.out)}
	})
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

// unknownTokenizer: what an engine counts by it cannot declare, so that it may
// answer unsupported where a case asks for a tokenizer that not everybody has.
func unknownTokenizer(c harness.Case) string {
	req, err := budget.DecodeCase(c)
	if err != nil || req.Budget.Tokenizer == budget.Chars4 {
		return ""
	}
	return "the engine does not count by the tokenizer of the case"
}

// trimRulesAll says how outcomes are judged.
func trimRulesAll() Rules {
	return Rules{
		Checks: slices.Concat(Answers(), trimRules(), []Check{Again()}, Oracles()),
		Plan:   func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Missing: func(x *examination) string {
			if len(x.out.Messages) == 0 {
				return "messages"
			}
			return ""
		},
		Free:    func(x *examination) bool { return !x.trimmed().sound || !x.trimmed().policy.Exact() },
		Unknown: unknownTokenizer,
	}
}
