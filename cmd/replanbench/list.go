package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/live"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
	"replanbench/scenarios"
)

// listing is a kind of things that can be listed.
type listing struct {
	name string
	text string
	// all gives the items of all dialects; nil gives the items of each, with its name before
	// the text.
	all func() []harness.Term
	// of gives the items of one dialect; nil if all dialects have the same.
	of func(*dialect.Dialect) []harness.Term
}

// everyDialect means all dialects together.
const everyDialect = "all"

func listings() []listing {
	return []listing{
		{
			"capabilities", "features that an engine may lack (--without NAME)", nil,
			func(d *dialect.Dialect) []harness.Term { return d.Vocabulary.Capabilities },
		},
		words("codes", "reasons of a rejection", func(v harness.Vocabulary) []harness.Term { return v.Codes }),
		{"columns", "columns of score --columns", score.Columns, nil},
		{"defects", "built-in engines with one known defect (--engine defect:NAME)", nil, defectsOf},
		{"dialects", "families of plan edits", all.Terms, nil},
		words("events", "states, calls and events of ladders, runs and sessions",
			func(v harness.Vocabulary) []harness.Term { return slices.Concat(v.Marks, v.Events) }),
		{"failures", "classes of failed requests of live", live.Classes, nil},
		{"features", "optional features that an engine may declare", harness.Features, nil},
		{"histories", "kinds of generated chat histories", histories.Kinds, nil},
		{"importers", "formats that a corpus can be imported from", corpora.Importers, nil},
		{
			"invariants", "checks of every outcome", invariants,
			func(d *dialect.Dialect) []harness.Term { return collect.Map(d.Judging.Checks, checkTerm) },
		},
		{
			"knobs", "the rules of a profile with their values",
			func() []harness.Term { return knobs(harness.Knobs(all.Words().Own...)) },
			func(d *dialect.Dialect) []harness.Term { return knobs(d.Vocabulary.Settings()) },
		},
		{"keys", "fields for score --by and --where", score.Keys, nil},
		{"metrics", "metrics of score, compare and --require", score.Metrics, nil},
		{"profiles", "named sets of rules", harness.Profiles, nil},
		{"repairs", "repairs and coercions of replies", func() []harness.Term { return all.Words().Repairs }, nil},
		{"rungs", "the steps of the fallback ladder", harness.Rungs, nil},
		{"scenarios", "the built-in scenarios", func() []harness.Term { return scenariosOf(nil) }, scenariosOf},
		{"statuses", "results of a case", harness.Statuses, nil},
		{"tiers", "tiers of reading a reply", harness.Tiers, nil},
		{"tokenizers", "ways of counting tokens", tokens.Tokenizers, nil},
		{"traits", "unusual properties of generated cases (fuzz --traits NAME)", nil, traitsOf},
		{"transport", "faults of answers and connections (agent --faults NAME)", transportTerms, nil},
		{"trimming", "trimming policies", history.Policies, nil},
		words("warnings", "warnings of applied replies", func(v harness.Vocabulary) []harness.Term { return v.Warnings }),
	}
}

// words is a listing of a part of the vocabulary.
func words(name, text string, of func(harness.Vocabulary) []harness.Term) listing {
	return listing{
		name, text, func() []harness.Term { return of(all.Words()) },
		func(d *dialect.Dialect) []harness.Term { return of(d.Vocabulary) },
	}
}

// kinds lists the kinds themselves.
func kinds() []harness.Term {
	return collect.Map(listings(), func(l listing) harness.Term { return harness.Term{Name: l.name, Text: l.text} })
}

// items lists what there is of the kind in a dialect, or in all.
func (l listing) items(name string) (list []harness.Term) {
	switch {
	case name != everyDialect:
		return l.of(all.Find(name))
	case l.all != nil:
		return l.all()
	}
	for _, d := range all.Dialects() {
		for _, t := range l.of(d) {
			list = append(list, harness.Term{Name: t.Name, Text: d.Name + ": " + t.Text})
		}
	}
	return list
}

func defectsOf(d *dialect.Dialect) []harness.Term {
	return collect.Map(d.Defects, func(d mutant.Defect) harness.Term { return harness.Term{Name: d.Name, Text: d.Text} })
}

func traitsOf(d *dialect.Dialect) []harness.Term {
	return collect.Map(d.Traits, func(t generators.Trait) harness.Term { return harness.Term{Name: t.Name, Text: t.Text} })
}

func invariants() []harness.Term { return collect.Map(all.Checks(), checkTerm) }

func checkTerm(c judge.Check) harness.Term { return harness.Term{Name: c.Name, Text: c.Text} }

// scenariosOf lists the built-in scenarios of a dialect; nil is all.
func scenariosOf(d *dialect.Dialect) []harness.Term {
	list, err := scenarios.Builtin()
	if err != nil {
		panic(err) // they are embedded
	}
	list = slices.DeleteFunc(list, func(s scenarios.Scenario) bool { return d != nil && s.Case.Dialect != d.Name })
	return collect.Map(list, func(s scenarios.Scenario) harness.Term {
		why, _, _ := strings.Cut(s.Doc, "\n")
		return harness.Term{Name: s.ID, Text: why}
	})
}

func knobs(list []harness.Knob) []harness.Term {
	var terms []harness.Term
	for _, k := range list {
		values, reference := strings.Join(k.Values, " | "), k.Get(harness.Reference())
		if k.Values == nil {
			values = "a positive integer"
		}
		if k.List {
			values = "a list of " + values
		}
		text := fmt.Sprintf("%s (reference: %s)", values, reference)
		if k.Text != "" {
			text = k.Text + ": " + text
		}
		terms = append(terms, harness.Term{Name: k.Name, Text: text})
	}
	return terms
}

func newList(e env) *cobra.Command {
	var f struct {
		Dialect string `enum:"all,${dialects}" help:"list the items of one dialect"`
		Out     output `embed:"" set:"forms=table,json"`
	}
	var help strings.Builder
	names := harness.Names(kinds())
	for _, k := range kinds() {
		fmt.Fprintf(&help, "  %-13s %s\n", k.Name, k.Text)
	}
	return command(e, &cobra.Command{
		Use:       "list [KIND]",
		Short:     "List codes, knobs, profiles and other kinds of items, one per line",
		Long:      strings.TrimRight(help.String(), "\n"),
		Args:      between(0, 1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return list(e, f.Out, listing{name: "kinds", text: "list KIND shows one", all: kinds}, everyDialect)
			}
			for _, l := range listings() {
				if l.name == args[0] {
					return list(e, f.Out, l, f.Dialect)
				}
			}
			return usagef("unknown kind %q%s (the kinds are %s)", args[0], harness.DidYouMean(args[0], names),
				strings.Join(names, ", "))
		},
	}, &f)
}

func list(e env, out output, l listing, dialect string) error {
	if dialect != everyDialect && l.of == nil {
		fmt.Fprintf(e.stderr, "%s are the same for all dialects\n", l.name)
		dialect = everyDialect
	}
	terms := l.items(dialect)
	return out.write(e, func(w io.Writer) error {
		if out.Format == "json" {
			return reports.WriteJSON(w, terms)
		}
		width := 0
		for _, t := range terms {
			width = max(width, len(t.Name))
		}
		for _, t := range terms {
			fmt.Fprintf(w, "%-*s  %s\n", width, escape.Terminal(t.Name), escape.Terminal(t.Text))
		}
		if e.outTerminal && out.Out == "" {
			fmt.Fprintf(w, "\n%d %s: %s\n", len(terms), l.name, l.text)
			if l.of != nil && dialect == everyDialect {
				fmt.Fprintln(w, "For one dialect: --dialect NAME")
			}
		}
		return nil
	})
}
