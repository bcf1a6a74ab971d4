package budget_test

import (
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/budget"
)

// builtins are the built-in policies and pipelines of them.
func builtins(t testing.TB) []budget.Policy {
	var list []budget.Policy
	for _, term := range budget.Policies() {
		list = append(list, policy(t, term.Name))
	}
	for _, text := range []string{
		"window(5)", "clamp|emergency", "section_caps|emergency|clamp(25)", "clamp(5)|pinned", "section_caps(5, 10)|priority(60)", "pinned(50, 0, 1)",
	} {
		list = append(list, policy(t, text))
	}
	return list
}

// TestEveryPolicyKeepsItsPromises judges the policies by checks that know
// nothing of how they work.
func TestEveryPolicyKeepsItsPromises(t *testing.T) {
	tok := tokenizer(t, budget.Chars4)
	policies := builtins(t)
	cannotFit := 0
	for i := range uint64(1500) {
		h := generators.HistoryAt(generators.HistoryOptions{Tokenizer: tok}, 1, i)
		p := policies[int(i)%len(policies)]
		c := h.TrimCase(tok.Name(), p)
		o := budget.Eval(c, harness.Reference())
		breaks := budget.Judge(c, o)
		if again, ok := budget.Again(c, o); ok {
			breaks = append(breaks, budget.JudgeAgain(o, budget.Eval(again, harness.Reference()))...)
		}
		for _, b := range breaks {
			t.Errorf("history %d (%s), policy %s: %s: %s", i, h.Kind, p, b.Check, b.Message)
		}
		if o.Code == harness.CannotFit {
			cannotFit++
		}
	}
	if cannotFit == 0 {
		t.Error("no history was too large to fit, so that cannot_fit was never judged")
	}
}
