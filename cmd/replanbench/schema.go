package main

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
	"replanbench/harness/hunt/finding"
	"replanbench/reports"
	"replanbench/scenarios"
)

// profileSchemas has the schemas of profiles, which a test makes from their types.
//
//go:embed schemas
var profileSchemas embed.FS

// schemas lists what schema can print.
func schemas() []schema.Schema {
	derived := func(of func() map[string]any) []byte {
		var b bytes.Buffer
		_ = reports.WriteJSON(&b, of()) // a buffer takes everything
		return b.Bytes()
	}
	return append(all.Schemas(), []schema.Schema{
		{Name: "record", Text: "a line of a corpus", Data: corpora.Schema()},
		{Name: "config", Text: "the file " + config.FileName, Data: derived(config.Schema)},
		{Name: "scenario", Text: "a scenario in YAML, NAME.scenario.yaml", Data: derived(scenarios.Schema)},
		{Name: "known", Text: "a list of known failures in YAML", Data: derived(finding.Schema)},
		{Name: "agent-profile", Text: "a profile of an agent (agent --as)", Data: profileSchema("agent")},
		{
			Name: "mcp-profile", Text: "a profile of a task server (mcp --as), or a map of tools", Data: profileSchema("mcp"),
		},
		{Name: "report", Text: "the report document (--format json)", Data: reports.Schema()},
	}...)
}

// profileSchema returns the schema of the profiles of agents or of task servers.
func profileSchema(of string) []byte {
	data, err := profileSchemas.ReadFile("schemas/" + of + "-profile.json")
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

func newSchema(e env) *cobra.Command {
	var f struct {
		Out outFile `embed:"" set:"result=schema|or=|extensions=.json"`
	}
	var help strings.Builder
	var names []string
	list := schemas()
	for _, t := range list {
		fmt.Fprintf(&help, "\n  %-13s %s", t.Name, t.Text)
		names = append(names, t.Name)
	}
	return command(e, &cobra.Command{
		Use:       "schema NAME",
		Short:     "Print the JSON Schema of a document",
		Long:      help.String(),
		Args:      exactly(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.Index(names, args[0])
			if i < 0 {
				return usagef("unknown schema %q%s (the schemas are %s)", args[0], harness.DidYouMean(args[0], names),
					strings.Join(names, ", "))
			}
			return f.Out.write(e, func(w io.Writer) error {
				_, err := w.Write(list[i].Data)
				return err
			})
		},
	}, &f)
}
