package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/reports/measure"
)

// Trim is the section of the trimming simulation.
type Trim struct {
	Tokenizer string `json:"tokenizer"`
	// Single are the histories in the report.
	Single []simulate.Single `json:"single,omitzero"`
	// Many summarizes the policies over many histories.
	Many *simulate.Many `json:"many,omitzero"`
	// Unread are the parts of files without a history.
	Unread []string `json:"unread,omitzero" join:"first"`
}

// AddTrim adds the section, and a failure for every policy that broke its contract.
// reproduce returns the command line that shows history i under a policy.
func (r *Report) AddTrim(t *Trim, reproduce func(policy string, i int) string) {
	r.Trim = t
	for _, x := range t.tallies() {
		r.Summary.addMany(harness.Pass, x.Histories-x.Broken)
		r.Summary.addMany(harness.Fail, x.Broken)
	}
	for i := 0; t.Many != nil && i < len(t.Many.Tallies); i++ {
		r.Summary.addMany(harness.NotRun, t.Many.Asked()-t.Many.Tallies[i].Histories)
	}
	r.addBroken(reproduce)
}

// addBroken adds a failure for every policy that broke its contract.
func (r *Report) addBroken(reproduce func(policy string, i int) string) {
	for _, x := range r.Trim.tallies() {
		if x.Broken > 0 {
			r.Failures = append(r.Failures, Failure{
				Suite: suiteTrim, ID: x.Policy, Status: harness.Fail,
				Message: fmt.Sprintf("%d of %d histories break the contract of the policy; the first is number %d", x.Broken,
					x.Histories, x.FirstBroken),
				Reproduce: reproduce(x.Policy, x.FirstBroken),
			})
		}
	}
}

// tallies returns the results of all policies: of single histories, then of many.
func (t *Trim) tallies() (list []*simulate.Tally) {
	for i := range t.Single {
		for k := range t.Single[i].Policies {
			list = append(list, &t.Single[i].Policies[k].Tally)
		}
	}
	for i := 0; t.Many != nil && i < len(t.Many.Tallies); i++ {
		list = append(list, &t.Many.Tallies[i])
	}
	return list
}

// tables returns the histories one by one, the policies over many histories, and for
// programs every rate.
func (t *Trim) tables() []measure.Table {
	var list []measure.Table
	data := measure.Table{Hidden: true}
	for i := range t.Single {
		s := &t.Single[i]
		list = append(list, singleTables(s)...)
		for k := range s.Policies {
			data.Add(tallyMeasures(measure.By("history", s.Name), &s.Policies[k].Tally)...)
		}
	}
	if t.Many != nil {
		list = append(list, manyTables(t.Many)...)
		data.Add(t.measures()...)
	}
	if len(t.Unread) > 0 {
		list = append(list, measure.Note(fmt.Sprintf("Not read: %d", len(t.Unread)), t.Unread[:min(10, len(t.Unread))]...))
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		last.Notes = append(last.Notes, "Tokens by "+t.Tokenizer+".")
	}
	return append(list, data)
}

// measures returns the rates of many histories, with every budget.
func (t *Trim) measures() (list []measure.Measure) {
	k := measure.By("histories", t.Many.Name)
	for i := range t.Many.Tallies {
		list = append(list, tallyMeasures(k, &t.Many.Tallies[i])...)
	}
	for _, b := range t.Many.Sweep {
		for i := range b.Tallies {
			list = append(list, tallyMeasures(k.With("budget", fmt.Sprintf("%d %%", b.Percent)), &b.Tallies[i])...)
		}
	}
	return list
}

// tallyMeasures returns the measures of a policy. Rates of harm are bad unless they are 0.
func tallyMeasures(k measure.Keys, t *simulate.Tally) []measure.Measure {
	k = k.With("policy", t.Policy)
	list := []measure.Measure{k.Count("histories", t.Histories)}
	for _, x := range []struct {
		name string
		rate simulate.Rate
		harm bool
	}{
		{"over_before", t.OverBefore, false},
		{"over_after", t.OverAfter, true},
		{"cannot_fit", t.CannotFit, false},
		{"constraints_kept", t.Constraints, false},
		{"plan_kept", t.Plan, false},
		{"user_message_kept", t.LastUser, false},
		{"roles_broken", t.Alternation, true},
		{"orphans", t.Orphans, true},
		{"safe", t.Safe, false},
	} {
		list = append(list, k.Share(x.name, x.rate.K, x.rate.N).If(x.harm && x.rate.K > 0, style.Bad))
	}
	list = append(list, tokensKept(k, "tokens_kept", t.TokensAfter, t.TokensBefore))
	for _, l := range t.Losses {
		k := k.With("tag", tagName(l.Tag))
		list = append(list, number(k, "messages", l.Messages), number(k, "dropped", l.Dropped), number(k, "cut", l.Cut),
			tokensKept(k, "tag_tokens_kept", l.TokensAfter, l.TokensBefore))
	}
	return list
}

// tokensKept returns a share of tokens.
func tokensKept(k measure.Keys, name string, after, before int) measure.Measure {
	return k.Portion(name, after, before).As("%s", percent(after, before))
}

// number returns a count with its digits in groups.
func number(k measure.Keys, name string, n int) measure.Measure {
	return k.Count(name, n).As("%s", measure.Thousands(n))
}

// singleTables show a history under every policy.
func singleTables(s *simulate.Single) []measure.Table {
	t := measure.Table{
		Title: fmt.Sprintf("%s: %s, %s tokens of %s = %s", s.Name, counted(s.Messages, "message"),
			measure.Thousands(s.Tokens), measure.Thousands(s.MaxTokens), percent(s.Tokens, s.MaxTokens)),
		Columns: []measure.Column{
			measure.KeyCol("policy", "policy"), measure.Col("left", "messages_left"), measure.Col("tokens", "tokens_left"),
			measure.Col("of budget", "tokens_of_budget"), measure.WordCol("lost", "lost"),
			measure.WordCol("largest left", "largest_left"),
		},
	}
	for i := range s.Policies {
		t.Add(oneMeasures(s, &s.Policies[i])...)
	}
	t.Notes.If(s.Rebuilt, "A reconstruction: the number of messages, the tokens and the limit are documented; the texts "+
		"are synthetic.")
	for _, p := range s.Policies {
		t.Notes.If(p.CannotFit != "", "%s cannot fit: %s", p.Policy, p.CannotFit)
	}
	if !s.Explain {
		return []measure.Table{t}
	}
	return append([]measure.Table{t, sectionsTable(s)}, explainTables(s)...)
}

// answer returns the tables of the screen: the policies, and of one policy first the messages
// that --explain asks for.
func (t *Trim) answer(policies measure.Table) []measure.Table {
	if len(t.Single) == 1 && len(t.Single[0].Policies) == 1 {
		return append(explainTables(&t.Single[0]), policies)
	}
	return []measure.Table{policies}
}

// explainTables shows the messages of a history under each policy, if the user asks for that.
func explainTables(s *simulate.Single) (list []measure.Table) {
	for i := range s.Policies {
		if p := &s.Policies[i]; s.Explain && p.CannotFit == "" {
			list = append(list, explainTable(p))
		}
	}
	return list
}

func sectionsTable(s *simulate.Single) measure.Table {
	t := measure.Table{Title: "Sections", Columns: []measure.Column{
		measure.KeyCol("tag", "tag"), measure.Col("messages", "messages"), measure.Col("tokens", "tokens"),
		measure.Col("share", "tokens_of_history"),
	}}
	for _, x := range s.Sections {
		k := measure.By("history", s.Name, "tag", x.Tag)
		t.Add(k.Count("messages", x.Messages), k.Tokens("tokens", x.Tokens),
			tokensKept(k, "tokens_of_history", x.Tokens, s.Tokens))
	}
	return t
}

// oneMeasures returns what one policy leaves of one history.
func oneMeasures(s *simulate.Single, o *simulate.One) []measure.Measure {
	k := measure.By("history", s.Name, "policy", o.Policy)
	if o.CannotFit != "" {
		return []measure.Measure{k.Words("lost", "cannot fit").In(style.Doubtful)}
	}
	list := []measure.Measure{
		k.Count("messages_left", o.Messages), k.Tokens("tokens_left", o.Tokens),
		tokensKept(k, "tokens_of_budget", o.Tokens, s.MaxTokens).In(style.Good).If(o.Tokens > s.MaxTokens, style.Bad), lost(k, o),
	}
	if text := largest(o); text != "" {
		list = append(list, k.Words("largest_left", text))
	}
	return list
}

// lost names the parts of the history that trimming lost.
func lost(k measure.Keys, o *simulate.One) measure.Measure {
	var lost measure.Notes
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
		lost.If(x.gone, "%s", x.name)
	}
	text := cmp.Or(strings.Join(lost, ", "), "nothing")
	return k.Words("lost", text).In(style.Good).If(lost != nil, style.Bad)
}

// largest returns the message with the most tokens, or "".
func largest(o *simulate.One) string {
	most := history.Fate{After: -1}
	for _, f := range o.Fates {
		if f.After > most.After {
			most = f
		}
	}
	if most.After < 0 {
		return ""
	}
	return fmt.Sprintf("%d %s: %s", most.Index, most.Role, measure.Thousands(most.After))
}

// explainTable shows every message in a line, with a bar for its tokens.
func explainTable(o *simulate.One) measure.Table {
	t := measure.Table{Title: o.Policy + ", message by message", Again: true, Columns: []measure.Column{
		measure.NumberCol("#", "message"), measure.KeyCol("role", "role"), measure.TextCol("tag", false, "tag", textOf),
		measure.Col("before", "before"),
		measure.Col("after", "after"), measure.WordCol("what", "what"), measure.WordCol("left █", "bar"),
	}}
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
		k := measure.By("message", fmt.Sprint(f.Index), "role", string(f.Role))
		what := k.Words("what", string(f.Action)).In(style.Good)
		if f.Action != history.Kept {
			what = what.In(style.Doubtful)
			if pipeline {
				what.Text += ": " + f.By
			}
		}
		t.Add(k.Words("tag", f.Tag), k.Tokens("before", f.Before), k.Tokens("after", f.After), what,
			k.Words("bar", measure.Bar(blocks(f.After, most, longest), blocks(f.Before, most, longest))))
	}
	return t
}

func textOf(m *measure.Measure) string { return m.Text }

// blocks returns the length of a bar of tokens, scaled to the largest message of the
// history. Any message with tokens has at least one block.
func blocks(n, most, longest int) int {
	if n == 0 {
		return 0
	}
	return max(1, n*longest/most)
}

// manyTables show the policies over many histories.
func manyTables(m *simulate.Many) []measure.Table {
	list := []measure.Table{
		policies(fmt.Sprintf("Budget: %s (n = %s)", m.Name, done(m)), m.Tallies, []measure.Column{
			overBudget(measure.Rated("after"), func(m *measure.Measure) string { return m.Cell().Text }),
			measure.Col(measure.Rated("cannot fit"), "cannot_fit"), measure.Col("tokens kept", "tokens_kept"),
		}, "Cannot fit: the required messages exceed the budget. Nothing is sent then, and the next tables exclude it."),
		policies("Survival: kept whole", m.Tallies, []measure.Column{
			measure.Col(measure.Rated("constraints"), "constraints_kept"), measure.Col(measure.Rated("plan"), "plan_kept"),
			measure.Col(measure.Rated("last user message"), "user_message_kept"),
		}, "Over the histories with such parts: "+had(m, func(t *simulate.Tally) []int {
			return []int{t.Constraints.N, t.Plan.N, t.LastUser.N}
		}, "constraints", "a plan", "a user message")+"."),
		policies("New faults", m.Tallies, []measure.Column{
			measure.Col(measure.Rated("orphans"), "orphans"), measure.Col(measure.Rated("roles"), "roles_broken"),
			measure.Col(measure.Rated("safe"), "safe"),
		}, "Orphans: a tool result without its call, or a call without its result. Roles: roles do not alternate, even "+
			"after merging neighbours with the same role.",
			"Over the histories without such a fault before: "+had(m, func(t *simulate.Tally) []int {
				return []int{t.Orphans.N, t.Alternation.N}
			}, "without orphans", "with alternating roles")+".",
			"Safe: within the budget, with constraints, plan and last user message whole, and no new orphan. Cannot fit "+
				"counts as unsafe."),
		lossesTable(m),
	}
	if m.Sweep != nil {
		list = append(list, sweepTables(m)...)
	}
	if m.Seconds != nil {
		list = append(list, timeTable(m))
	}
	return list
}

// policies returns a table with a row for each policy.
func policies(title string, tallies []simulate.Tally, columns []measure.Column, notes ...string) measure.Table {
	t := measure.Table{Title: title, Again: true, Notes: notes}
	t.Columns = append([]measure.Column{measure.KeyCol("policy", "policy")}, columns...)
	for i := range tallies {
		t.Add(tallyMeasures(nil, &tallies[i])...)
	}
	return t
}

// overBudget shows how many histories are over the budget before and after trimming, with a heading and a text for the
// value after it.
func overBudget(after string, text func(m *measure.Measure) string) measure.Column {
	return measure.RowCol("over: before → "+after, true, func(r measure.Row) measure.Cell {
		m := r.Of("over_after")
		return measure.Cell{Text: bare(r.Of("over_before")) + " → " + text(m), Tone: m.Tone}
	})
}

// bare writes a share without its interval.
func bare(m *measure.Measure) string {
	k, n := m.Whole()
	return fmt.Sprintf("%.1f", 100*float64(k)/float64(max(1, n)))
}

// done returns how many histories were trimmed, and out of how many if not all.
func done(m *simulate.Many) string {
	if len(m.Tallies) == 0 || m.Tallies[0].Histories == m.N {
		return fmt.Sprint(m.N)
	}
	return fmt.Sprintf("%d of %d", m.Tallies[0].Histories, m.N)
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
		parts[k] = measure.Thousands(most[k]) + " " + name
	}
	return strings.Join(parts, ", ")
}

// lossesTable shows the dropped and cut messages by tag.
func lossesTable(m *simulate.Many) measure.Table {
	t := measure.Table{Title: "Dropped and cut messages", Again: true, Columns: []measure.Column{
		measure.KeyCol("policy", "policy"), measure.KeyCol("tag", "tag"), measure.Col("messages", "messages"),
		measure.Col("dropped", "dropped"), measure.Col("cut", "cut"), measure.Col("tokens kept", "tag_tokens_kept"),
	}}
	for i := range m.Tallies {
		x := m.Tallies[i]
		x.Losses = slices.DeleteFunc(slices.Clone(x.Losses), func(l simulate.Loss) bool { return l.Dropped+l.Cut == 0 })
		for _, y := range tallyMeasures(nil, &x) {
			if y.Keys.Get("tag") != "" {
				t.Add(y)
			}
		}
	}
	if t.Measures == nil {
		return measure.Note("", "Nothing was dropped or cut.")
	}
	return t
}

// sweepTables show the budget at which each policy becomes unsafe, then every budget.
func sweepTables(m *simulate.Many) []measure.Table {
	t := measure.Table{
		Title: "Where each policy becomes unsafe", Again: true,
		Notes: []string{"Budgets as shares of each history. Safe: as above, for all histories."},
		Columns: []measure.Column{
			measure.KeyCol("policy", "policy"), measure.Col("safe down to", "safe_down_to"),
			measure.Col("unsafe at", "unsafe_at"), measure.WordCol("because", "because"),
		},
	}
	for i := range m.Tallies {
		k := measure.By("policy", m.Tallies[i].Policy)
		least := k.Words("safe_down_to", "–").In(style.Bad)
		for _, b := range m.Sweep {
			if one := &b.Tallies[i]; one.Safe.K < one.Safe.N {
				t.Add(k.Words("unsafe_at", fmt.Sprintf("%d %%", b.Percent)), k.Words("because", harms(one)))
				break
			}
			least = k.Words("safe_down_to", fmt.Sprintf("%d %%", b.Percent)).In(style.Good)
		}
		t.Add(least)
	}
	list := []measure.Table{t}
	for _, b := range m.Sweep {
		one := policies(fmt.Sprintf("With a budget of %d %% of each history", b.Percent), b.Tallies, []measure.Column{
			measure.Col(measure.Rated("safe"), "safe"), measure.WordCol("harm, in histories", "harm"),
		})
		for i := range b.Tallies {
			one.Measures = append(one.Measures, measure.By("policy", b.Tallies[i].Policy).Words("harm", harms(&b.Tallies[i])))
		}
		list = append(list, one)
	}
	return list
}

// harms counts the unsafe histories by reason.
func harms(t *simulate.Tally) string {
	var list measure.Notes
	for _, x := range []struct {
		name string
		n    int
	}{
		{"over", t.OverAfter.K - t.CannotFit.K}, // what cannot fit has a line of its own
		{"cannot fit", t.CannotFit.K},
		{"constraints lost", t.Constraints.N - t.Constraints.K},
		{"plan lost", t.Plan.N - t.Plan.K},
		{"user message lost", t.LastUser.N - t.LastUser.K},
		{"orphans", t.Orphans.K},
	} {
		list.If(x.n > 0, "%s %s", x.name, measure.Thousands(x.n))
	}
	return cmp.Or(strings.Join(list, ", "), "–")
}

func timeTable(m *simulate.Many) measure.Table {
	t := measure.Table{
		Title: "Time",
		Notes: []string{"Trimming only, on one core. Counting the tokens of the histories is not included."},
		Columns: []measure.Column{
			measure.KeyCol("policy", "policy"), measure.Col("µs per history", "time_per_history"),
			measure.Col("histories per second", "histories_per_second"),
		},
	}
	for i, s := range m.Seconds {
		k := measure.By("policy", m.Tallies[i].Policy)
		t.Add(k.Figure("time_per_history", measure.Micros, 1e6*s/float64(m.N)),
			number(k, "histories_per_second", int(float64(m.N)/s)))
	}
	return t
}

func tagName(tag string) string { return cmp.Or(tag, "(untagged)") }

// percent returns a share with one decimal.
func percent(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(n))
}

// plots show what each policy keeps of a history, and how often trimming is safe.
func (t *Trim) plots() (list []measure.Plot) {
	tags := t.tags()
	for i := range t.Single {
		s := &t.Single[i]
		tallies := collect.Map(s.Policies, func(p simulate.One) simulate.Tally { return p.Tally })
		p := keptPlot(s.Name, tallies, tags)
		p.Line, p.LineName = new(float64(s.MaxTokens)/float64(max(1, s.Tokens))), "budget"
		list = append(list, p)
	}
	if t.Many == nil {
		return list
	}
	safe := measure.Plot{
		Title: "How often is trimming safe?", Rows: []string{"policy"},
		Note: "Within the budget, with all required messages; with 95 % intervals.",
	}
	for i := range t.Many.Tallies {
		x := &t.Many.Tallies[i]
		safe.Measures = append(safe.Measures, measure.By("policy", x.Policy).Share("safe", x.Safe.K, x.Safe.N))
	}
	return append(list, keptPlot(t.Many.Name, t.Many.Tallies, tags), safe)
}

// keptPlot shows the remaining tokens by the tags of messages.
func keptPlot(name string, tallies []simulate.Tally, tags []string) measure.Plot {
	p := measure.Plot{
		Title: "What does each policy keep? " + name, Note: "Shares of the original tokens, by tag of the messages.",
		Rows: []string{"policy"}, Marks: "tag", Bars: true, Names: tags, Rest: "cut away",
	}
	for _, x := range tallies {
		before := 0
		for _, l := range x.Losses {
			before += l.TokensBefore
		}
		for _, l := range x.Losses {
			k := measure.By("policy", x.Policy, "tag", tagName(l.Tag))
			p.Measures = append(p.Measures, k.Portion("tokens", l.TokensAfter, before))
		}
	}
	return p
}

// tags returns the tags of all histories, those with the most tokens first, so that each
// has one colour in all plots.
func (t *Trim) tags() []string {
	by := map[string]int{}
	for _, x := range t.tallies() {
		for _, l := range x.Losses {
			by[tagName(l.Tag)] += l.TokensBefore
		}
	}
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
}
