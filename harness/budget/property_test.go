package budget_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/budget"
	trim "replanbench/harness/dialect/trim/generate"
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
		h := trim.HistoryAt(trim.HistoryOptions{Tokenizer: tok}, 1, i)
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

// TestMarkersAreMeasuredFairly: a cut must not lengthen a message, but a marker
// with characters of several bytes does not make it longer by itself.
func TestMarkersAreMeasuredFairly(t *testing.T) {
	const text = "Replan rules: one list per step id. Done steps stay as they are. At most 8 steps."
	for _, tt := range []struct {
		name, content string
		after         int
		grows         bool
	}{
		{"wide marker", "Replan rules: one list [… “cut” …] as they are. At most eight steps in all.", 19, false},
		{"more characters", text + "]", 21, true},
		{"more tokens", text + " [cut]", 22, true},
	} {
		c := harness.Case{
			Dialect:  "trim",
			Messages: encoded(text),
			Budget:   jsontext.Value(`{"max_tokens":400,"tokenizer":"chars/4"}`),
			Policy:   jsontext.Value(`["clamp(5)"]`),
		}
		breaks := budget.Judge(c, harness.Outcome{
			Verdict: harness.Applied, Messages: encoded(tt.content), Dropped: []int{},
			Tokens: &harness.TokenChange{Before: 21, After: tt.after},
			Cut:    []harness.Cut{{Index: 0, Before: 21, After: tt.after}},
		})
		grows := slices.ContainsFunc(breaks, func(b budget.Break) bool { return b.Check == budget.CheckNoGrowth })
		if grows != tt.grows {
			t.Errorf("%s: grows %v, want %v (%v)", tt.name, grows, tt.grows, breaks)
		}
	}
}

func encoded(content string) jsontext.Value {
	return budget.Encode([]budget.Message{{Role: budget.System, Content: content}})
}
