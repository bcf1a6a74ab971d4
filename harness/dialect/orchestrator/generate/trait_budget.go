package generate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// budget is the token budget of a case, and the policy that trims the conversation to it.
type budget struct {
	tokens int    // 0: the case has no budget
	policy string // "": the case has no policy
}

// pinned is a policy that makes no call whose protected messages exceed the budget.
const pinned = "pinned"

// write adds the budget to the case.
func (b budget) write(c *harness.Case) {
	if b.tokens == 0 {
		return
	}
	c.Budget = jsontext.Value(`{"max_tokens":` + strconv.Itoa(b.tokens) + `,"tokenizer":"chars/4"}`)
	if b.policy != "" {
		c.Policy = jsontext.Value(strconv.Quote(b.policy))
	}
}

// budgetTraits are budgets that most conversations exceed. The replies are scripted, so a run
// that can make its calls ends as it would without a budget.
func budgetTraits() []trait {
	family := generators.Family("budget")
	tight := func(name, text, theme string, more claims, plant func(d *director, at *spot)) trait {
		t := trait{Trait: family(name, text).Says(theme, "in the case"), claims: budgets | more, plant: plant}
		t.Needs, t.Seen = []string{"budget"}, func(c harness.Case) bool { return c.Budget != nil }
		return t
	}
	return []trait{
		tight("budget-tight", "the conversation exceeds its token budget", "a token budget", 0,
			func(d *director, at *spot) { d.budgeted = budget{tokens: 40 + at.Below(200)} }),
		tight("budget-policy", "the conversation exceeds its token budget, and the case names the policy",
			"a token budget", 0, func(d *director, at *spot) {
				d.budgeted = budget{40 + at.Below(200), generators.Pick(&at.Choices, []string{
					"none", "window(2)", "emergency|clamp(25)", "section_caps|dedup", "window(4)",
				})}
			}),
		tight("budget-cannot-fit", "not even the first question fits the token budget", "a token budget that nothing fits",
			ends|planAsked|needsPlan, func(d *director, _ *spot) { d.silent, d.budgeted = true, budget{1, pinned} }),
	}
}
