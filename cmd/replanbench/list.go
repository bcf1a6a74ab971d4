package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/defects"
	"replanbench/harness/invariant"
	"replanbench/reports"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

// listing is a kind of things that can be listed.
type listing struct {
	name  string
	text  string
	items func() ([]harness.Term, error)
}

func listings() []listing {
	return []listing{
		{"codes", "why a reply was refused", fixed(harness.Codes)},
		{"defects", "built-in engines that are wrong in one respect (--engine defect:NAME)", fixed(knownDefects)},
		{"dialects", "families of plan edits", fixed(harness.Dialects)},
		{"events", "the log of the fallback ladder", fixed(harness.Events)},
		{"features", "what an engine may declare", fixed(harness.Features)},
		{"histories", "kinds of generated chat histories", fixed(generators.HistoryKinds)},
		{"importers", "formats that a corpus is made from", fixed(corpora.Importers)},
		{"invariants", "what is checked of every outcome", fixed(invariants)},
		{"policies", "the knobs of a profile with their values", fixed(policies)},
		{"profiles", "named sets of policies", fixed(harness.Profiles)},
		{"repairs", "rules of mending, bending and settling conflicts", fixed(harness.RepairRules)},
		{"rungs", "the steps of the fallback ladder", fixed(harness.Rungs)},
		{"scenarios", "the built-in scenarios", builtinScenarios},
		{"statuses", "what became of a case", fixed(harness.Statuses)},
		{"tiers", "how far reading had to go", fixed(harness.Tiers)},
		{"tokenizers", "ways of counting tokens", fixed(budget.Tokenizers)},
		{"trimming", "policies of the dialect trim", fixed(budget.Policies)},
		{"warnings", "what was done or left out without failing", fixed(harness.Warnings)},
	}
}

func fixed(list func() []harness.Term) func() ([]harness.Term, error) {
	return func() ([]harness.Term, error) { return list(), nil }
}

func knownDefects() []harness.Term {
	return termsOf(defects.All(), func(d defects.Defect) harness.Term { return harness.Term{Name: d.Name, Text: d.Text} })
}

func invariants() []harness.Term {
	return termsOf(invariant.Checks(), func(c invariant.Check) harness.Term { return harness.Term{Name: c.Name, Text: c.Text} })
}

// termsOf makes terms of a table.
func termsOf[T any](table []T, term func(T) harness.Term) []harness.Term {
	terms := make([]harness.Term, len(table))
	for i, t := range table {
		terms[i] = term(t)
	}
	return terms
}

func builtinScenarios() ([]harness.Term, error) {
	list, err := scenarios.Builtin()
	if err != nil {
		return nil, err
	}
	return termsOf(list, func(s scenarios.Scenario) harness.Term {
		why, _, _ := strings.Cut(s.Doc, "\n")
		return harness.Term{Name: s.ID, Text: why}
	}), nil
}

func policies() []harness.Term {
	var terms []harness.Term
	for _, k := range harness.Knobs() {
		values, reference := strings.Join(k.Values, " | "), k.Get(harness.Reference())
		if k.Values == nil {
			values = "a positive integer"
		}
		if k.List {
			values = "a list of " + values
		}
		terms = append(terms, harness.Term{Name: k.Name, Text: fmt.Sprintf("%s (reference: %s)", values, reference)})
	}
	return terms
}

func newList(e env) *cobra.Command {
	var out output
	var help strings.Builder
	var names []string
	for _, l := range listings() {
		fmt.Fprintf(&help, "  %-11s %s\n", l.name, l.text)
		names = append(names, l.name)
	}
	cmd := &cobra.Command{
		Use:       "list KIND",
		Short:     "List codes, policies, profiles and the like, one a line",
		Long:      "List what there is of a kind: one item a line, its name first.\n\nKinds:\n" + strings.TrimRight(help.String(), "\n"),
		Example:   "  replanbench list codes\n  replanbench list policies",
		Args:      exactly(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, l := range listings() {
				if l.name == args[0] {
					return list(e, out, l)
				}
			}
			return usagef("unknown kind %q%s (the kinds are %s)", args[0], didYouMean(args[0], names), strings.Join(names, ", "))
		},
	}
	out.add(cmd, "table", "json")
	return cmd
}

func list(e env, out output, l listing) error {
	terms, err := l.items()
	if err != nil {
		return err
	}
	return out.write(e, func(w io.Writer) error {
		if out.format == "json" {
			return reports.WriteJSON(w, terms)
		}
		width := 0
		for _, t := range terms {
			width = max(width, len(t.Name))
		}
		if e.outTerminal && out.file == "" {
			fmt.Fprintf(w, "%s: %s\n\n", strings.ToUpper(l.name), l.text)
		}
		for _, t := range terms {
			fmt.Fprintf(w, "%-*s  %s\n", width, escape.Terminal(t.Name), escape.Terminal(t.Text))
		}
		return nil
	})
}
