package main

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/finding"
	"replanbench/reports"
	"replanbench/scenarios"
)

// profileSchemas has the schemas of profiles, which a test makes from their types.
//
//go:embed schemas
var profileSchemas embed.FS

// schemas lists what schema can print.
func schemas() []harness.Term {
	var list []harness.Term
	for _, s := range all.Schemas() {
		list = append(list, harness.Term{Name: s.Name, Text: s.Text})
	}
	return append(list,
		harness.Term{Name: "record", Text: "a line of a corpus"},
		harness.Term{Name: "config", Text: "the file " + config.FileName},
		harness.Term{Name: "scenario", Text: "a scenario in YAML, NAME.scenario.yaml"},
		harness.Term{Name: "known", Text: "a list of known failures in YAML"},
		harness.Term{Name: "agent-profile", Text: "a profile of an agent (agent --as)"},
		harness.Term{Name: "mcp-profile", Text: "a profile of a task server (mcp --as), or a map of tools"},
		harness.Term{Name: "report", Text: "the report document (--format json)"},
	)
}

func newSchema(e env) *cobra.Command {
	var f struct {
		Out outFile `embed:"" set:"result=schema|or="`
	}
	var help strings.Builder
	var names []string
	for _, t := range schemas() {
		fmt.Fprintf(&help, "\n  %-13s %s", t.Name, t.Text)
		names = append(names, t.Name)
	}
	cmd := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a document",
		Long: `Print the JSON Schema (draft 2020-12) of a document, to validate your documents or for
structured output of a model.

Names:` + help.String(),
		Example:   "  replanbench schema planpatch\n  replanbench schema outcome --out outcome.schema.json",
		Args:      exactly(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			data, ok := all.Schema(args[0])
			derived := map[string]func() map[string]any{
				"config": config.Schema, "scenario": scenarios.Schema, "known": finding.Schema,
			}
			if of := derived[args[0]]; of != nil {
				return f.Out.write(e, func(w io.Writer) error { return reports.WriteJSON(w, of()) })
			}
			switch args[0] {
			case "agent-profile", "mcp-profile":
				var err error
				if data, err = profileSchemas.ReadFile("schemas/" + args[0] + ".json"); err != nil {
					return err
				}
				ok = true
			case "record":
				data, ok = corpora.Schema(), true
			case "report":
				data, ok = reports.Schema(), true
			}
			if !ok {
				return usagef("unknown schema %q%s (the schemas are %s)", args[0], harness.DidYouMean(args[0], names),
					strings.Join(names, ", "))
			}
			return f.Out.write(e, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		},
	}
	return command(e, cmd, &f)
}
