package score

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
)

// benchmark is the name of the preset of columns for benchmarks.
const benchmark = "benchmark"

// Names of columns that are not metrics.
const (
	columnRequests = "requests"
	columnCost     = "cost"
)

// benchmarkColumns returns the columns of benchmark.
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
