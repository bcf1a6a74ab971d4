package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/harness/history/simulate"
	"replanbench/harness/score"
)

// prompts shows the sections of the recorded prompts, and what other policies would
// have sent.
func (v *scoreView) prompts() []block {
	measured := func(g score.Group) bool { return g.Prompts != nil && g.Prompts.Measured > 0 }
	if !slices.ContainsFunc(v.groups, measured) {
		return nil
	}
	sections := v.table("Prompt contents", column{"n", true}, column{name: "section"}, column{"messages", true},
		column{"tokens", true}, column{"share", true})
	unread := 0
	for i, g := range v.groups {
		if g.Prompts == nil {
			continue
		}
		unread += g.Prompts.Unread
		for _, s := range g.Prompts.Sections {
			sections.rows = append(sections.rows, []cell{
				text(v.labels[i]), number(g.Prompts.Measured), text(s.Tag), text(thousands(s.Messages)), text(thousands(s.Tokens)),
				text(fmt.Sprintf("%.1f %%", 100*s.Share)),
			})
		}
	}
	notes := []string{"Counted with the program's tokenizer; endpoints may count differently."}
	if unread > 0 {
		notes = append(notes, "The prompts of "+counted(unread, "call")+" could not be read.")
	}
	return append([]block{{table: sections, notes: notes}}, v.trimmed()...)
}

// trimmed shows what policies would have sent instead of the prompts.
func (v *scoreView) trimmed() []block {
	size := v.table(fmt.Sprintf("Trimmed to %s tokens", thousands(v.budget)), column{name: "policy"}, column{"n", true},
		column{"over: before → " + rateName("after"), true}, column{"tokens kept", true})
	whole := v.table("Sections that trimming keeps whole", column{name: "policy"},
		column{rateName("constraints"), true}, column{rateName("plan"), true}, column{rateName("safe"), true})
	var refused []string
	for i, g := range v.groups {
		if g.Prompts == nil {
			continue
		}
		for k := range g.Prompts.Trimmed {
			t := &g.Prompts.Trimmed[k]
			label, policy := text(v.labels[i]), text(t.Policy)
			size.rows = append(size.rows, []cell{
				label, policy, number(t.Histories), overBeforeAfter(t),
				text(percent(t.TokensAfter, t.TokensBefore)),
			})
			whole.rows = append(whole.rows, []cell{label, policy, rateOf(t.Constraints), rateOf(t.Plan), rateOf(t.Safe)})
			if t.CannotFit.K > 0 {
				refused = append(refused, fmt.Sprintf("%s, %s: cannot fit %d of %d prompts.", v.labels[i], t.Policy, t.CannotFit.K,
					t.CannotFit.N))
			}
		}
	}
	if len(size.rows) == 0 {
		return nil
	}
	return []block{{table: size, notes: refused}, {table: whole, notes: []string{
		"Rates over the prompts that have a section with this tag (--tag adds tags). Safe: within",
		"the budget, with constraints, plan and last user message whole, and no new orphan.",
	}}}
}

func overBeforeAfter(t *simulate.Tally) cell {
	c := harm(t.OverAfter)
	c.text = fmt.Sprintf("%.1f → %s", 100*float64(t.OverBefore.K)/float64(max(1, t.OverBefore.N)), c.text)
	return c
}

// passes shows how often any or all of k replies to a case apply.
func (v *scoreView) passes() block {
	t := v.table("Several replies to a case", column{"k", true}, column{"cases", true},
		column{"pass@k: " + rateName("any applies"), true}, column{"pass^k: " + rateName("all apply"), true})
	for i, g := range v.groups {
		for _, p := range g.Passes {
			t.rows = append(t.rows, []cell{text(v.labels[i]), number(p.K), number(p.Cases), estimate(p.Any), estimate(p.All)})
		}
	}
	if len(t.rows) == 0 {
		return block{table: t}
	}
	return block{table: t, notes: []string{"Over the cases with at least k replies, and with more than one."}}
}

func estimate(i score.Interval) cell {
	return text(fmt.Sprintf("%.1f [%.1f–%.1f]", 100*i.Value, 100*i.Low, 100*i.High))
}

// unscored shows in which groups requests could not be scored, and why.
func (v *scoreView) unscored() block {
	t := v.table("Requests without an apply score", column{"n", true}, column{"of", true}, column{name: "why"})
	for i, g := range v.groups {
		for _, reason := range slices.Sorted(maps.Keys(g.Unscored)) {
			t.rows = append(t.rows, []cell{
				text(v.labels[i]),
				{fmt.Sprint(g.Unscored[reason]), style.Doubtful},
				number(g.Requests),
				text(strings.TrimSpace(reason)),
			})
		}
	}
	return block{table: t}
}
