package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
)

// Trim is the section of the trimming simulation.
type Trim struct {
	Tokenizer string `json:"tokenizer"`
	// Single are the histories in the report.
	Single []simulate.Single `json:"single,omitzero"`
	// Many summarizes the policies over many histories.
	Many *simulate.Many `json:"many,omitzero"`
	// Unread are the parts of files without a history.
	Unread []string `json:"unread,omitzero"`
}

// AddTrim adds the section, and a failure for every policy that broke its contract.
// reproduce returns the command line that shows history i under a policy.
func (r *Report) AddTrim(t *Trim, reproduce func(policy string, i int) string) {
	r.Trim = t
	for _, s := range t.Single {
		for _, p := range s.Policies {
			r.addTally(&p.Tally, reproduce)
		}
	}
	if t.Many != nil {
		for i := range t.Many.Tallies {
			tally := &t.Many.Tallies[i]
			r.addTally(tally, reproduce)
			r.Summary.addMany(harness.NotRun, t.Many.Asked()-tally.Histories)
		}
	}
}

func (r *Report) addTally(t *simulate.Tally, reproduce func(policy string, i int) string) {
	r.Summary.addMany(harness.Pass, t.Histories-t.Broken)
	r.Summary.addMany(harness.Fail, t.Broken)
	if t.Broken > 0 {
		r.Failures = append(r.Failures, brokenPolicy(t, reproduce(t.Policy, t.FirstBroken)))
	}
}

func brokenPolicy(t *simulate.Tally, reproduce string) Failure {
	return Failure{
		Suite: suiteTrim, ID: t.Policy, Status: harness.Fail,
		Message: fmt.Sprintf("%d of %d histories break the contract of the policy; the first is number %d", t.Broken,
			t.Histories, t.FirstBroken),
		Reproduce: reproduce,
	}
}

func (t *Trim) blocks() []block {
	var blocks []block
	for _, s := range t.Single {
		blocks = append(blocks, singleBlocks(&s)...)
	}
	if t.Many != nil {
		blocks = append(blocks, manyBlocks(t.Many)...)
	}
	if len(t.Unread) > 0 {
		blocks = append(blocks, block{
			title: fmt.Sprintf("Not read: %d", len(t.Unread)),
			notes: t.Unread[:min(10, len(t.Unread))],
		})
	}
	if len(blocks) > 0 {
		last := &blocks[len(blocks)-1]
		last.notes = append(last.notes, "Tokens by "+t.Tokenizer+".")
	}
	return blocks
}

func singleBlocks(s *simulate.Single) []block {
	t := table{
		title: fmt.Sprintf("%s: %s, %s tokens of %s = %s", s.Name, counted(s.Messages, "message"), thousands(s.Tokens),
			thousands(s.MaxTokens), percent(s.Tokens, s.MaxTokens)),
		columns: []column{
			{name: "policy"}, {"left", true}, {"tokens", true}, {"of budget", true}, {name: "lost"}, {name: "largest left"},
		},
	}
	for _, p := range s.Policies {
		t.rows = append(t.rows, policyRow(&p, s.MaxTokens))
	}
	var notes []string
	if s.Rebuilt {
		notes = append(notes, "A reconstruction: the number of messages, the tokens and the limit are documented; the "+
			"texts are synthetic.")
	}
	for _, p := range s.Policies {
		if p.CannotFit != "" {
			notes = append(notes, p.Policy+" cannot fit: "+p.CannotFit)
		}
	}
	blocks := []block{{table: &t, notes: notes}}
	if s.Explain {
		blocks = append(blocks, sectionsBlock(s))
		for _, p := range s.Policies {
			if p.CannotFit == "" {
				blocks = append(blocks, explainBlock(&p))
			}
		}
	}
	return blocks
}

func sectionsBlock(s *simulate.Single) block {
	t := table{title: "Sections", columns: []column{{name: "tag"}, {"messages", true}, {"tokens", true}, {"share", true}}}
	for _, x := range s.Sections {
		t.rows = append(t.rows, []cell{
			text(x.Tag), number(x.Messages), text(thousands(x.Tokens)),
			text(percent(x.Tokens, s.Tokens)),
		})
	}
	return block{table: &t}
}

func policyRow(o *simulate.One, maxTokens int) []cell {
	if o.CannotFit != "" {
		return []cell{text(o.Policy), none(), none(), none(), {"cannot fit", style.Doubtful}, none()}
	}
	share := cell{percent(o.Tokens, maxTokens), style.Good}
	if o.Tokens > maxTokens {
		share.tone = style.Bad
	}
	return []cell{text(o.Policy), number(o.Messages), text(thousands(o.Tokens)), share, lost(o), text(largest(o))}
}

// lost names the parts of the history that trimming lost.
func lost(o *simulate.One) cell {
	var lost []string
	for _, x := range []struct {
		name string
		gone bool
	}{
		{"constraints", o.Tally.Constraints.K < o.Tally.Constraints.N},
		{"plan", o.Tally.Plan.K < o.Tally.Plan.N},
		{"user message", o.Tally.LastUser.K < o.Tally.LastUser.N},
		{"call or result", o.Tally.Orphans.K > 0},
		{"order of roles", o.Tally.Alternation.K > 0},
	} {
		if x.gone {
			lost = append(lost, x.name)
		}
	}
	if lost == nil {
		return cell{"nothing", style.Good}
	}
	return cell{strings.Join(lost, ", "), style.Bad}
}

// largest returns the message with the most tokens.
func largest(o *simulate.One) string {
	most := history.Fate{After: -1}
	for _, f := range o.Fates {
		if f.After > most.After {
			most = f
		}
	}
	if most.After < 0 {
		return "–"
	}
	return fmt.Sprintf("%d %s: %s", most.Index, most.Role, thousands(most.After))
}

// explainBlock shows every message in a line, with a bar for its tokens.
func explainBlock(o *simulate.One) block {
	t := table{
		title: fmt.Sprintf("%s, message by message", o.Policy),
		columns: []column{
			{"#", true}, {name: "role"}, {name: "tag"}, {"before", true}, {"after", true}, {name: "what"}, {name: "left █"},
		},
	}
	pipeline := strings.Contains(o.Policy, "|") // else the policy has one step
	longest := 14
	if pipeline {
		longest = 7
	}
	most := 1
	for _, f := range o.Fates {
		most = max(most, f.Before)
	}
	for _, f := range o.Fates {
		what := cell{string(f.Action), style.Good}
		if f.Action != history.Kept {
			what = cell{string(f.Action), style.Doubtful}
			if pipeline {
				what.text += ": " + f.By
			}
		}
		t.rows = append(t.rows, []cell{
			number(f.Index), text(string(f.Role)), text(f.Tag), text(thousands(f.Before)), text(thousands(f.After)), what,
			text(bar(f, most, longest)),
		})
	}
	return block{table: &t}
}

// bar draws a message's tokens before and after, scaled to the largest message of the
// history. Any message with tokens has at least one block.
func bar(f history.Fate, most, longest int) string {
	length := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(1, n*longest/most)
	}
	before, after := length(f.Before), length(f.After)
	return strings.Repeat("█", after) + strings.Repeat("░", max(0, before-after))
}

func manyBlocks(m *simulate.Many) []block {
	blocks := []block{budgetBlock(m), survivalBlock(m), faultsBlock(m), lossesBlock(m)}
	if m.Sweep != nil {
		blocks = append(blocks, sweepBlocks(m)...)
	}
	if m.Seconds != nil {
		blocks = append(blocks, timeBlock(m))
	}
	return blocks
}

// rows returns a row for each tally, with the policy first.
func rows(tallies []simulate.Tally, cells func(t *simulate.Tally) []cell) [][]cell {
	list := make([][]cell, len(tallies))
	for i := range tallies {
		list[i] = append([]cell{text(tallies[i].Policy)}, cells(&tallies[i])...)
	}
	return list
}

func rateOf(r simulate.Rate) cell { return rate(r.K, r.N) }

// harm shows a rate that should be 0.
func harm(r simulate.Rate) cell {
	c := rateOf(r)
	if r.K > 0 {
		c.tone = style.Bad
	}
	return c
}

func budgetBlock(m *simulate.Many) block {
	return block{table: &table{
		title: fmt.Sprintf("Budget: %s (n = %s)", m.Name, done(m)),
		columns: []column{
			{name: "policy"},
			{"over: before → " + rateName("after"), true},
			{rateName("cannot fit"), true},
			{"tokens kept", true},
		},
		rows: rows(m.Tallies, func(t *simulate.Tally) []cell {
			return []cell{overBeforeAfter(t), rateOf(t.CannotFit), text(percent(t.TokensAfter, t.TokensBefore))}
		}),
	}, notes: []string{"Cannot fit: the required messages exceed the budget. Nothing is sent then, and the next tables " +
		"exclude it."}}
}

// done returns how many histories were trimmed, and out of how many if not all.
func done(m *simulate.Many) string {
	if len(m.Tallies) == 0 || m.Tallies[0].Histories == m.N {
		return fmt.Sprint(m.N)
	}
	return fmt.Sprintf("%d of %d", m.Tallies[0].Histories, m.N)
}

func survivalBlock(m *simulate.Many) block {
	return block{table: &table{
		title: "Survival: kept whole",
		columns: []column{
			{name: "policy"}, {rateName("constraints"), true}, {rateName("plan"), true}, {rateName("last user message"), true},
		},
		rows: rows(m.Tallies, func(t *simulate.Tally) []cell {
			return []cell{rateOf(t.Constraints), rateOf(t.Plan), rateOf(t.LastUser)}
		}),
	}, notes: []string{"Over the histories with such parts: " + had(m, func(t *simulate.Tally) []int {
		return []int{t.Constraints.N, t.Plan.N, t.LastUser.N}
	}, "constraints", "a plan", "a user message") + "."}}
}

// had returns the number of histories behind a table: the maximum over the policies,
// because each excludes the histories that cannot fit.
func had(m *simulate.Many, n func(t *simulate.Tally) []int, names ...string) string {
	most := make([]int, len(names))
	for i := range m.Tallies {
		for k, x := range n(&m.Tallies[i]) {
			most[k] = max(most[k], x)
		}
	}
	parts := make([]string, len(names))
	for k, name := range names {
		parts[k] = thousands(most[k]) + " " + name
	}
	return strings.Join(parts, ", ")
}

func faultsBlock(m *simulate.Many) block {
	return block{table: &table{
		title: "New faults",
		columns: []column{
			{name: "policy"}, {rateName("orphans"), true}, {rateName("roles"), true}, {rateName("safe"), true},
		},
		rows: rows(m.Tallies, func(t *simulate.Tally) []cell {
			return []cell{harm(t.Orphans), harm(t.Alternation), rateOf(t.Safe)}
		}),
	}, notes: []string{
		"Orphans: a tool result without its call, or a call without its result. Roles: roles do not alternate, even after " +
			"merging neighbours with the same role.",
		"Over the histories without such a fault before: " + had(m, func(t *simulate.Tally) []int {
			return []int{t.Orphans.N, t.Alternation.N}
		}, "without orphans", "with alternating roles") + ".",
		"Safe: within the budget, with constraints, plan and last user message whole, and no new orphan. Cannot fit " +
			"counts as unsafe.",
	}}
}

// lossesBlock shows the dropped and cut messages by tag.
func lossesBlock(m *simulate.Many) block {
	t := table{
		title: "Dropped and cut messages",
		columns: []column{
			{name: "policy"},
			{name: "tag"},
			{"messages", true},
			{"dropped", true},
			{"cut", true},
			{"tokens kept", true},
		},
	}
	for i := range m.Tallies {
		for _, l := range m.Tallies[i].Losses {
			if l.Dropped+l.Cut == 0 {
				continue
			}
			t.rows = append(t.rows, []cell{
				text(m.Tallies[i].Policy), text(tagName(l.Tag)), text(thousands(l.Messages)), text(thousands(l.Dropped)),
				text(thousands(l.Cut)),
				text(percent(l.TokensAfter, l.TokensBefore)),
			})
		}
	}
	if len(t.rows) == 0 {
		return block{notes: []string{"Nothing was dropped or cut."}}
	}
	return block{table: &t}
}

// sweepBlocks show the budget at which each policy becomes unsafe, then every budget.
func sweepBlocks(m *simulate.Many) []block {
	t := table{title: "Where each policy becomes unsafe", columns: []column{
		{name: "policy"},
		{"safe down to", true},
		{"unsafe at", true},
		{name: "because"},
	}}
	for i := range m.Tallies {
		least, breaks, why := cell{"–", style.Bad}, none(), none()
		for _, b := range m.Sweep {
			if one := &b.Tallies[i]; one.Safe.K < one.Safe.N {
				breaks, why = text(fmt.Sprintf("%d %%", b.Percent)), text(harms(one))
				break
			}
			least = cell{fmt.Sprintf("%d %%", b.Percent), style.Good}
		}
		t.rows = append(t.rows, []cell{text(m.Tallies[i].Policy), least, breaks, why})
	}
	blocks := []block{{table: &t, notes: []string{"Budgets as shares of each history. Safe: as above, for all histories."}}}
	for _, b := range m.Sweep {
		blocks = append(blocks, shareBlock(&b))
	}
	return blocks
}

func shareBlock(b *simulate.Share) block {
	return block{table: &table{
		title:   fmt.Sprintf("With a budget of %d %% of each history", b.Percent),
		columns: []column{{name: "policy"}, {rateName("safe"), true}, {name: "harm, in histories"}},
		rows: rows(b.Tallies, func(t *simulate.Tally) []cell {
			return []cell{rateOf(t.Safe), text(harms(t))}
		}),
	}}
}

// harms counts the unsafe histories by reason.
func harms(t *simulate.Tally) string {
	var list []string
	for _, x := range []struct {
		name string
		n    int
	}{
		{"over", t.OverAfter.K},
		{"cannot fit", t.CannotFit.K},
		{"constraints lost", t.Constraints.N - t.Constraints.K},
		{"plan lost", t.Plan.N - t.Plan.K},
		{"user message lost", t.LastUser.N - t.LastUser.K},
		{"orphans", t.Orphans.K},
	} {
		if x.n > 0 {
			list = append(list, fmt.Sprintf("%s %s", x.name, thousands(x.n)))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "–")
}

func timeBlock(m *simulate.Many) block {
	t := table{title: "Time", columns: []column{
		{name: "policy"},
		{"µs per history", true},
		{"histories per second", true},
	}}
	for i, s := range m.Seconds {
		t.rows = append(t.rows, []cell{
			text(m.Tallies[i].Policy), text(fmt.Sprintf("%.1f", 1e6*s/float64(m.N))), text(thousands(int(float64(m.N) / s))),
		})
	}
	return block{table: &t, notes: []string{"Trimming only, on one core. Counting the tokens of the histories is not " +
		"included."}}
}

func tagName(tag string) string { return cmp.Or(tag, "(untagged)") }

// percent returns a share with one decimal.
func percent(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(n))
}

// thousands writes a number in groups of three digits.
func thousands(n int) string { return humanize.Comma(int64(n)) }
