package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/judge"
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
func trimRules() []judge.Check {
	elsewhere := []string{budget.CheckTotal, budget.CheckDeterministic, budget.CheckReference, budget.CheckIdempotent}
	var list []judge.Check
	for _, t := range budget.Checks() {
		switch {
		case t.Name == budget.CheckIdempotent:
			list = append(list, judge.Relates(t.Name, t.Text, trimsOnce))
		case !slices.Contains(elsewhere, t.Name):
			list = append(list, judge.Holds(t.Name, t.Text, func(x *judge.Examination) judge.Result { return trims(x, t.Name) }))
		}
	}
	return list
}

// trims picks what was found by one check.
func trims(x *judge.Examination, check string) judge.Result {
	t := trimmed(x)
	for _, b := range t.breaks {
		if b.Check == check {
			return judge.Broke("", "", b.Message)
		}
	}
	if !t.sound || !t.asks(check, x.Out.Verdict) {
		return judge.Skip()
	}
	return judge.Held()
}

// trimmed judges the outcome once for all checks.
func trimmed(x *judge.Examination) *trimming {
	return judge.Remembered(x, func() *trimming {
		req, err := budget.DecodeCase(x.Item.Case)
		if err != nil {
			return &trimming{}
		}
		return &trimming{sound: true, policy: req.Policy, breaks: budget.Judge(x.Item.Case, x.Out)}
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
func trimsOnce(x *judge.Examination) judge.Result {
	c, ok := budget.Again(x.Item.Case, x.Out)
	if !ok || !trimmed(x).sound {
		return judge.Skip()
	}
	second, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	for _, b := range budget.JudgeAgain(x.Out, second) {
		return judge.Broke("", "", b.Message)
	}
	return judge.Held()
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

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks:  slices.Concat(judge.Answers(), trimRules(), []judge.Check{judge.Again()}, judge.Oracles()),
		Plan:    func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Free:    func(x *judge.Examination) bool { return !trimmed(x).sound || !trimmed(x).policy.Exact() },
		Unknown: unknownTokenizer,
	}
}
