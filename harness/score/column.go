package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
)

// benchmark is the name of the preset of columns for benchmarks.
const benchmark = "benchmark"

// Names of columns that are not metrics.
const (
	columnRequests = "requests"
	columnCost     = "cost"
)

func benchmarkColumns() []string {
	return []string{"parse", "apply", "fallback", "failed", "danger", "tokens", "saving"}
}

// column is a column of the table of scores: a metric, or a figure of the group.
type column struct {
	harness.Term
	metric string // "": not a metric
}

// columns lists all columns. The name of a rate lacks "_rate".
func columns() []column {
	list := []column{
		{term(columnRequests, "number of first attempts"), ""},
		{term("tokens", "mean of the reply's tokens, the same as reply_tokens"), "reply_tokens"},
		{term(columnCost, "cost of all replies (needs --prices)"), ""},
	}
	for _, m := range metrics() {
		list = append(list, column{term(strings.TrimSuffix(m.Name, "_rate"), m.Text), m.Name})
	}
	return list
}

// Columns lists the columns that a table of scores may have, the preset first.
func Columns() []harness.Term {
	terms := []harness.Term{term(benchmark, strings.Join(benchmarkColumns(), ","))}
	for _, c := range columns() {
		terms = append(terms, c.Term)
	}
	return terms
}

// ParseColumns replaces presets by their columns and drops repeated columns. It
// accepts a rate with or without "_rate". The error of an unknown name suggests the
// nearest one.
func ParseColumns(names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		short := strings.TrimSuffix(name, "_rate")
		switch known := harness.Names(Columns()); {
		case name == benchmark:
			list = append(list, benchmarkColumns()...)
		case slices.Contains(known, short) && short != benchmark:
			list = append(list, short)
		default:
			return nil, fmt.Errorf("unknown column %q%s (replanbench list columns)", name, harness.DidYouMean(name, known))
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(name string) bool {
		repeated := seen[name]
		seen[name] = true
		return repeated
	}), nil
}

// Figure is the value of a column in a group.
type Figure struct {
	Rate            // of a share: k of n with its interval
	Mean     bool   // Value is a mean or an amount, and not a share
	Number   bool   // Yes is a plain count
	Currency string // of a cost
}

// Figure returns the value of a column. ok is false if the group has none.
func (g *Group) Figure(name string) (f Figure, ok bool) {
	switch name {
	case columnRequests:
		return Figure{Rate: Rate{Yes: g.Requests}, Number: true}, true
	case columnCost:
		if g.Cost == nil {
			return f, false
		}
		return Figure{Rate: Rate{Value: g.Cost.Amount, Bare: true}, Mean: true, Currency: g.Cost.Currency}, true
	}
	i := slices.IndexFunc(columns(), func(c column) bool { return c.Name == name })
	if i < 0 {
		return f, false
	}
	metric := columns()[i].metric
	if f.Rate, ok = g.Rate(metric); ok {
		return f, f.N > 0
	}
	mean, _ := g.Mean(metric)
	return Figure{Rate: mean, Mean: metric != Saving}, mean.N > 0
}

// metric is a yes/no property or a number of a cell. A rate is the share of yes among
// the cells that have the property.
type metric struct {
	harness.Term
	ask     func(*Score, *Options) (yes, asked bool)
	measure func(*Score, *Options) (value, of int) // instead of ask: a mean over of, such as requests or tokens
	share   string                                 // instead of ask: the dialect's name of a share of items
	lower   bool                                   // lower is better
}

// count returns yes and asked of a request: 0 or 1, or the numbers of items of a share.
func (m *metric) count(s *Score, o *Options) (yes, asked int) {
	if m.share != "" {
		return s.Items[m.share].Yes, s.Items[m.share].Of
	}
	if m.measure != nil {
		return m.measure(s, o)
	}
	is, has := m.ask(s, o)
	switch {
	case !has:
		return 0, 0
	case is:
		return 1, 1
	}
	return 0, 1
}

// The names of rates that other packages use.
const (
	parseRate    = "parse_rate"
	ApplyRate    = "apply_rate"
	fallbackRate = "fallback_rate"
	ConflictRate = "conflict_rate"
	dangerRate   = "danger_rate"

	// Saving is a mean over the tokens of plans.
	Saving = "saving"
)

func term(name, text string) harness.Term { return harness.Term{Name: name, Text: text} }

func metrics() []metric {
	tier := func(t harness.Tier) func(*Score, *Options) (bool, bool) {
		return func(s *Score, _ *Options) (bool, bool) { return s.Tier == t, s.Tier != "" }
	}
	list := []metric{
		{term(parseRate, "the harness reads a document from the first reply"), parsed, nil, "", false},
		{
			term("parse_rate_after_retry", "the harness reads a document from the first reply or a retry"), reread, nil, "",
			false,
		},
		{term("strict_rate", "the first reply is the document and nothing else"), tier(harness.TierStrict), nil, "", false},
		{term("extracted_rate", "the document is in a fence or in prose"), tier(harness.TierExtracted), nil, "", true},
		{term("repaired_rate", "its syntax needs repair"), tier(harness.TierRepaired), nil, "", true},
		{term("coerced_rate", "its types need coercion"), tier(harness.TierCoerced), nil, "", true},
		{term(ApplyRate, "the first reply is applied"), applied, nil, "", false},
		{term("apply_rate_after_retry", "the first reply is applied, or the ladder ends with a changed plan"), resolved, nil, "", false},
		{term(fallbackRate, "the first rung of the ladder fails"), fellBack, nil, "", true},
		{term(dangerRate, "the first reply or a retry would change, lose or reuse finished work"), danger, nil, "", true},
		{term("loss_rate", "finished work is changed or lost"), loss, nil, "", true},
		{
			term(ConflictRate, "the first reply has the same id in two of the lists remove, update and add, under any profile"),
			conflict, nil, "", true,
		},
		{term("cut_off_rate", "the reply ends at its token limit"), cutOff, nil, "", true},
		{term("intent_rate", "the first reply is applied and does what the case requires"), intent, nil, "", false},
		{
			term("metadata_only_rate", "the first reply is applied and changes no step, only metadata such as the title"), changedAside,
			nil, "", true,
		},
		{term("overflow_rate", "prompt and reply of a call or retry exceed the token budget, or the budget of a trimmed "+
			"prompt"), overflow, nil, "", true},
		{term("reply_tokens", "mean of the reply's tokens"), nil, replyTokens, "", true},
		{term("retry_rate", "the ladder ends on a retry"), ended(harness.RungRetry), nil, "", true},
		{term("fullplan_rate", "it falls back to a full plan"), ended(harness.RungFullPlan), nil, "", true},
		{term("react_rate", "it ends by abandoning planning"), ended(harness.RungReact), nil, "", true},
		{term("failed_rate", "it ends on no rung"), ended(""), nil, "", true},
		{
			term("ladder_tokens", "mean of the tokens of all requests of a cell, including prompts and retries"), nil,
			ladderTokens, "", true,
		},
		{
			term(Saving, "tokens that applied patches saved, as a share of the tokens of the resulting plans"), nil, saving,
			"", false,
		},
	}
	for _, t := range ItemRates() {
		list = append(list, metric{Term: t, share: t.Name, lower: true})
	}
	return list
}

// ItemRates lists the rates over items that dialects count.
func ItemRates() (list []harness.Term) {
	for _, d := range all.Dialects() {
		list = append(list, d.Vocabulary.Rates...)
	}
	return list
}

// metricOf returns the metric with that name, or nil.
func metricOf(name string) *metric {
	list := metrics()
	i := slices.IndexFunc(list, func(m metric) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Metrics lists the rates and then the means, with their meanings.
func Metrics() []harness.Term {
	return collect.Map(metrics(), func(m metric) harness.Term { return m.Term })
}

func parsed(s *Score, _ *Options) (bool, bool) { return s.Tier != harness.TierNone, s.Tier != "" }
func reread(s *Score, _ *Options) (bool, bool) {
	return s.Tier != harness.TierNone || s.Reread, s.Tier != ""
}
func applied(s *Score, _ *Options) (bool, bool) { return s.Verdict == harness.Applied, s.scored }

// resolved is never less than applied: a run whose first reply was applied can still end badly.
func resolved(s *Score, _ *Options) (bool, bool) {
	return s.Verdict == harness.Applied || s.Rung != "" && s.Rung != harness.RungReact, s.scored
}

func fellBack(s *Score, _ *Options) (bool, bool)     { return s.Rung != harness.RungPatch, s.scored }
func danger(s *Score, _ *Options) (bool, bool)       { return s.Danger, s.scored }
func loss(s *Score, _ *Options) (bool, bool)         { return s.Lost, s.scored }
func cutOff(s *Score, _ *Options) (bool, bool)       { return s.CutOff, true }
func intent(s *Score, _ *Options) (bool, bool)       { return s.Intent == Met, s.scored && s.intent }
func changedAside(s *Score, _ *Options) (bool, bool) { return s.Changed != "", s.scored }
func conflict(s *Score, _ *Options) (bool, bool)     { return s.Conflict, s.scored && s.lists }
func overflow(s *Score, o *Options) (bool, bool) {
	budget := s.limit(o)
	return s.Largest > budget, budget > 0 && s.Largest >= 0
}

// limit returns the token budget of a request: from the options, or else the budget of its
// trimmed prompt; 0: none.
func (s *Score) limit(o *Options) int { return cmp.Or(o.Budget, s.budget) }

// ended returns a test whether the ladder ends on a rung.
func ended(r harness.Rung) func(*Score, *Options) (bool, bool) {
	return func(s *Score, _ *Options) (bool, bool) { return s.Rung == r, s.scored }
}

func replyTokens(s *Score, _ *Options) (value, of int)  { return known(s.Reply) }
func ladderTokens(s *Score, _ *Options) (value, of int) { return known(s.Ladder) }
func saving(s *Score, _ *Options) (value, of int)       { return s.Whole - s.Patch, s.Whole }

// known returns a number of tokens as the value of one request, unless it was not counted.
func known(n int) (value, of int) {
	if n < 0 {
		return 0, 0
	}
	return n, 1
}

// LowerIsBetter reports whether lower values of a metric are better.
func LowerIsBetter(metric string) bool {
	m := metricOf(metric)
	return m != nil && m.lower
}
