package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/score"
)

// Score is the section of scored replies.
type Score struct {
	score.Result
	Ablations []score.Ablation `json:"ablations,omitempty"`
	// Columns are the columns of the only table; nil: the report shows all tables.
	Columns []string `json:"columns,omitempty"`
	// Table is this table: a member for each key; for a share its value, k, n, low and
	// high.
	Table []map[string]any `json:"table,omitempty"`
	// Gate contains the conditions for the scores of all shards, in the report of a shard.
	Gate *score.Gate `json:"gate,omitzero"`
	// Reproduce is the command line of the whole run, in the report of a shard.
	Reproduce string `json:"reproduce,omitzero"`
	// Breaches are the violated conditions of the gate.
	Breaches []score.Breach `json:"breaches,omitempty"`
}

// AddScore adds the section of scored replies, and a failure for each violated condition
// of its gate. reproduce is the command line that makes the section.
func (r *Report) AddScore(s Score, reproduce string) {
	if r.Score = &s; r.Part != nil {
		s.Reproduce = reproduce
	} else {
		s.Table = s.members()
	}
	for _, b := range s.Breaches {
		f := Failure{
			Suite: suiteCorpus, ID: strings.Join(append([]string{b.Rule}, b.Group...), " · "),
			Status: harness.Fail, Title: b.Message, Reproduce: reproduce,
		}
		if len(b.Cases) > 0 {
			f.Message = "cases that became worse: " + strings.Join(b.Cases, ", ")
		}
		r.Failures = append(r.Failures, f)
	}
}

func (s *Score) blocks() []block {
	blocks := []block{s.overview()}
	if s.Columns != nil {
		return []block{{table: s.oneTable(), notes: append(blocks[0].notes, s.legend()...)}}
	}
	for _, v := range s.views() {
		blocks = append(blocks, v.blocks()...)
	}
	blocks = append(blocks, s.overflow()...)
	for _, a := range s.Ablations {
		blocks = append(blocks, ablation(a)...)
	}
	return slices.DeleteFunc(blocks, func(b block) bool {
		return (b.table == nil || len(b.table.rows) == 0) && len(b.notes) == 0
	})
}

// scoreView contains the groups of one source. A table never mixes recorded, synthetic
// and documented replies.
type scoreView struct {
	source string
	keys   string // the keys of the groups
	labels []string
	groups []score.Group
	budget int
	files  []string
}

func (s *Score) views() []scoreView {
	at := slices.Index(s.By, "source")
	by := slices.Clone(s.By)
	if at >= 0 {
		by = slices.Delete(by, at, at+1)
	}
	var views []scoreView
	for _, source := range s.Sources {
		v := scoreView{source: source, keys: strings.Join(by, " · "), budget: s.Budget, files: s.Corpora}
		for _, g := range s.Groups {
			key := slices.Clone(g.Key)
			if at >= 0 && key[at] != source {
				continue
			}
			if at >= 0 {
				key = slices.Delete(key, at, at+1)
			}
			v.labels, v.groups = append(v.labels, label(key)), append(v.groups, g)
		}
		views = append(views, v)
	}
	return views
}

func label(key []string) string {
	if len(key) == 0 {
		return "all"
	}
	for i, k := range key {
		if k == "" {
			key[i] = "–"
		}
	}
	return strings.Join(key, " · ")
}

func (v *scoreView) blocks() []block {
	blocks := []block{
		v.rates("Reading", "parse_rate", "parse_rate_after_retry", "strict_rate", "extracted_rate", "repaired_rate",
			"coerced_rate"),
		v.rates("Applying", "apply_rate", "apply_rate_after_retry", "intent_rate", "aside_rate", "danger_rate", "loss_rate",
			score.ConflictRate, "cut_off_rate"),
		v.rates("Items", harness.Names(score.ItemRates())...),
		v.listed(), v.dangers(), v.unscored(), v.passes(), v.ladder(),
		v.rates("Fallback", "fallback_rate", "retry_rate", "fullplan_rate", "react_rate", "failed_rate"),
		v.failures(), v.tokens(),
		v.rates("Token budget", "overflow_rate"),
	}
	blocks = append(blocks, v.prompts()...)
	return append(blocks, v.costs())
}

// overview says how many records were read, skipped and not scored.
func (s *Score) overview() block {
	b := block{title: "Corpora", notes: []string{
		strings.Join(s.Corpora, ", "),
		fmt.Sprintf("%s, %d of them retries; %s skipped", counted(s.Records, "record"), s.Retries, counted(s.Bad,
			"bad line")),
	}}
	if s.Left > 0 {
		b.notes = append(b.notes, counted(s.Left, "record")+" excluded by the filters")
	}
	if s.Failed > 0 {
		b.notes = append(b.notes, "Not scored: "+counted(s.Failed, "request")+
			" without a reply (replanbench corpus stats says why)")
	}
	b.notes = append(b.notes, damaged("", s.Damaged)...)
	for _, p := range s.Problems {
		b.notes = append(b.notes, "  "+p)
	}
	if n := s.Bad - len(s.Problems); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("  and %d more", n))
	}
	why := map[string]int{}
	for _, g := range s.Groups {
		for reason, n := range g.Unscored {
			if reason != score.NoReply { // counted above
				why[reason] += n
			}
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		b.notes = append(b.notes, "No apply score for "+counted(why[reason], "request")+": "+reason)
	}
	return b
}

// damaged warns of prompts that showed wrong ids.
func damaged(side string, list []corpora.DamagedPrompt) []string {
	var notes []string
	for _, d := range list {
		notes = append(notes, fmt.Sprintf("%sWarning: the prompt %s showed ids and tools with added backslashes (%s for "+
			"%s) in %s, such as %s. Their figures are biased against the model. Record them again with replanbench live.",
			side, cmp.Or(d.Prompt, "without a name"), `step\_2`, "step_2", counted(d.Replies, "reply"), d.Example))
	}
	return notes
}

// table returns a table whose first column is the label of the group.
func (v *scoreView) table(title string, columns ...column) *table {
	return &table{
		title:   title + ", " + v.source + " replies",
		columns: append([]column{{name: cmp.Or(v.keys, "group")}}, columns...),
	}
}

// rates returns a table of rates. A note below it names the rates that are 0 in every
// group.
func (v *scoreView) rates(title string, metrics ...string) block {
	shown, never := []string{}, []string{}
	for _, m := range metrics {
		yes, n := v.sum(m)
		switch {
		case yes > 0:
			shown = append(shown, m)
		case n > 0:
			never = append(never, fmt.Sprintf("%s (0 of %d)", words(m), n))
		}
	}
	b := block{title: title + ", " + v.source + " replies"}
	if len(never) > 0 {
		b.notes = []string{"Never: " + strings.Join(never, ", ") + "."}
	}
	if len(shown) == 0 {
		return b
	}
	t := v.table(title+v.unit(), column{"n", true})
	t.repeated = len(t.columns)
	for _, m := range shown {
		t.columns = append(t.columns, column{strings.Replace(words(m), " rate", "", 1), true})
	}
	for i, g := range v.groups {
		row := []cell{text(v.labels[i]), number(g.Requests)}
		for _, m := range shown {
			r, _ := g.Rate(m)
			row = append(row, interval(r, r.N != g.Requests))
		}
		t.rows = append(t.rows, row)
	}
	b.title, b.table = "", t
	return b
}

// unit returns the unit in the title. Documented replies are no sample, so their rates
// are counts.
func (v *scoreView) unit() string {
	if v.source == corpora.Documented {
		return ", counts"
	}
	return " in % [95 % CI]"
}

// listed shows documented replies one by one.
func (v *scoreView) listed() block {
	t := &table{title: "One by one, " + v.source + " replies", columns: []column{{name: "reply"}, {name: "outcome"}}}
	for _, g := range v.groups {
		for _, l := range g.Listed {
			came := text("rung " + string(l.Rung))
			if l.Code != "" {
				came = textIf(true, "%s, then %s", l.Code, cmp.Or(string(l.Rung), "nothing"))
				came.tone = style.Bad
			}
			t.rows = append(t.rows, []cell{text(l.ID), came})
		}
	}
	if len(t.rows) == 0 {
		return block{table: t}
	}
	return block{table: t, notes: []string{
		"Written by hand from documents, as examples. They are no sample of model replies, so they have no intervals. " +
			"Incidents among them are reconstructions.",
	}}
}

// dangers shows which replies would change or lose finished work.
func (v *scoreView) dangers() block {
	t := v.table("Replies that endanger finished work", column{name: "kind"}, column{"requests", true},
		column{name: "example"}, column{name: "step"})
	for i, g := range v.groups {
		for _, d := range g.Dangers {
			t.rows = append(t.rows, []cell{
				text(v.labels[i]), text(d.Kind),
				{strconv.Itoa(d.N), style.Bad},
				text(d.Example),
				text(d.Step),
			})
		}
	}
	return block{table: t}
}

func (v *scoreView) sum(metric string) (yes, n int) {
	for _, g := range v.groups {
		r, _ := g.Rate(metric)
		yes, n = yes+r.Yes, n+r.N
	}
	return yes, n
}

// words returns the name of a metric with spaces.
func words(metric string) string { return strings.ReplaceAll(metric, "_", " ") }

// interval shows a rate in percent with its interval and, if count, its denominator.
func interval(r score.Rate, count bool) cell {
	of := ""
	if count {
		of = fmt.Sprintf(" of %d", r.N)
	}
	if r.Bare {
		return textIf(r.N > 0, "%d of %d", r.Yes, r.N)
	}
	if r.N > 0 && !r.HasInterval() {
		return text(fmt.Sprintf("%.1f%s", 100*r.Value, of))
	}
	return textIf(r.N > 0, "%.1f [%.1f–%.1f]%s", 100*r.Value, 100*r.Low, 100*r.High, of)
}

func (v *scoreView) ladder() block {
	t := v.table("Where the ladder ended", column{"n", true})
	gaveUp := slices.ContainsFunc(v.groups, func(g score.Group) bool {
		return slices.ContainsFunc(g.Rungs, func(r score.Rung) bool { return givesUp(r) && r.N > 0 })
	})
	for i, g := range v.groups {
		row, n := []cell{text(v.labels[i]), {}}, 0
		for _, r := range g.Rungs {
			name := r.Name
			if givesUp(r) {
				name = "given up"
				if !gaveUp {
					continue
				}
			}
			if i == 0 {
				t.columns = append(t.columns, column{name, true})
			}
			n += r.N
			row = append(row, number(r.N))
		}
		if row[1] = number(n); n > 0 {
			t.rows = append(t.rows, row)
		}
	}
	return block{table: t}
}

// givesUp reports whether a ladder that ends on the rung abandons planning.
func givesUp(r score.Rung) bool { return r.Name == string(harness.RungReact) }

func (v *scoreView) failures() block {
	t := v.table("Why first replies were rejected", column{name: "code"}, column{"n", true}, column{name: "example"})
	for i, g := range v.groups {
		for _, f := range g.Failures {
			t.rows = append(t.rows, []cell{
				text(v.labels[i]), text(string(f.Code)),
				{strconv.Itoa(f.N), style.Bad},
				text(f.Example),
			})
		}
	}
	if len(t.rows) == 0 {
		return block{table: t}
	}
	return block{table: t, notes: []string{"To show one: " + v.command()}}
}

// command returns a command line that shows one reply of the corpora.
func (v *scoreView) command() string {
	args := []string{"replanbench", "score"}
	for _, f := range v.files {
		if !strings.HasPrefix(f, "builtin/") {
			args = append(args, f)
		}
	}
	return escape.Shell(append(args, "--id", "EXAMPLE")...)
}

func (v *scoreView) tokens() block {
	t := v.table("Tokens, p50 / p95 / max", column{"n", true}, column{"prompt", true}, column{"reply", true},
		column{"saving", true})
	if v.budget > 0 {
		t.columns = append(t.columns, column{"of the budget %", true})
	}
	known := false
	for i, g := range v.groups {
		known = known || g.Tokens.Reply.N > 0
		row := []cell{
			text(v.labels[i]), number(g.Tokens.Reply.N), spread(g.Tokens.Prompt), spread(g.Tokens.Reply),
			saving(&g),
		}
		if v.budget > 0 {
			row = append(row, share(g.Tokens.Total, v.budget))
		}
		t.rows = append(t.rows, row)
	}
	if !known {
		t.rows = nil
		return block{table: t}
	}
	return block{table: t, notes: []string{
		"As the endpoint reported them, or counted if it did not; retries included.",
		"Saving: how much shorter applied patches are than the resulting plans, in %, and the tokens of these plans.",
	}}
}

func spread(s score.Spread) cell {
	return textIf(s.N > 0, "%d / %d / %d", s.P50, s.P95, s.Max)
}

func saving(g *score.Group) cell {
	r, _ := g.Mean(score.Saving)
	return interval(r, true)
}

func share(s score.Spread, budget int) cell {
	of := func(n int) float64 { return 100 * float64(n) / float64(budget) }
	return textIf(s.N > 0, "%.1f / %.1f / %.1f", of(s.P50), of(s.P95), of(s.Max))
}

func (v *scoreView) costs() block {
	t := v.table("Cost", column{"amount", true}, column{name: "currency"}, column{"without a price", true})
	for i, g := range v.groups {
		if c := g.Cost; c != nil {
			t.rows = append(t.rows, []cell{
				text(v.labels[i]), text(fmt.Sprintf("%.4f", c.Amount)), text(c.Currency),
				number(c.Unpriced),
			})
		}
	}
	return block{table: t}
}

// ablation shows the rates of each rule, and what it gains and loses.
func ablation(a score.Ablation) []block {
	what := a.Source + " replies, " + counted(a.Requests-a.Unscored, "request")
	rates := table{title: "Rates with each rule alone (" + what + ")", columns: []column{
		{name: "rule"}, {rateName("parsed"), true}, {rateName("applied"), true},
	}}
	worth := table{title: "Each rule compared with the strict rules (" + what + ")", columns: []column{
		{name: "rule"}, {"gained", true}, {"lost", true}, {"changed", true}, {"against intent", true}, {"cut off", true},
	}}
	acts := table{title: "Necessary repairs, coercions and resolutions", columns: []column{
		{name: "rule"}, {name: "act"}, {"gained", true}, {"alone", true},
	}}
	notes := []string{
		"Gained: applied only with the rule. Lost: applied only without it. Changed: applied",
		"with a different plan. Against intent: gained replies that contradict the recorded",
		"intent. Cut off: gained replies that are incomplete.",
	}
	for _, b := range a.Rules {
		rates.rows = append(rates.rows, []cell{text(b.Rule), interval(b.Parsed, false), interval(b.Applied, false)})
		if b.Rule == score.NoRule {
			continue
		}
		worth.rows = append(worth.rows, []cell{
			text(b.Rule), number(b.Gained), number(b.Lost), number(b.Changed), wrong(b), number(b.CutOff),
		})
		if b.WrongExample != "" {
			notes = append(notes, fmt.Sprintf("  %s, against intent: %s", b.Rule, b.WrongExample))
		} else if b.GainedExample != "" {
			notes = append(notes, fmt.Sprintf("  %s, gained: %s", b.Rule, b.GainedExample))
		}
		for _, act := range b.Acts {
			acts.rows = append(acts.rows, []cell{text(b.Rule), text(act.Rule), number(act.Gained), number(act.Alone)})
		}
	}
	return []block{{table: &rates}, {table: &worth, notes: notes}, {table: &acts}}
}

func wrong(b score.Buy) cell {
	c := textIf(b.Judged > 0, "%d of %d", b.Wrong, b.Judged)
	if b.Wrong > 0 {
		c.tone = style.Bad
	}
	return c
}

// line summarizes the section.
func (s *Score) line() string {
	requests := 0
	for _, g := range s.Groups {
		requests += g.Requests
	}
	line := counted(s.Records, "reply") + " scored in " + counted(requests, "request")
	if s.Bad > 0 {
		line += ", " + counted(s.Bad, "bad line") + " skipped"
	}
	return line
}
