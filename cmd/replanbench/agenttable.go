package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/reports"
)

func newAgentTable(e env) *cobra.Command {
	var f struct {
		Out screenOutput `embed:"" set:"forms=table,markdown"`
	}
	cmd := &cobra.Command{
		Use:   "table FILE...",
		Short: "Show which causes occur in which version of agents: a column for each report",
		Long: `Show the failing causes of several runs in one table. Each file is a report of
replanbench agent --format json; its name without the extension is the title of its
column, such as qwen-code@0.24.4.`,
		Example: "  replanbench agent table reports/qwen-code@0.15.10.json reports/qwen-code@0.24.4.json",
		Args:    between(1, 1000),
		RunE: func(_ *cobra.Command, files []string) error {
			var v reports.AgentVersions
			for _, file := range files {
				data, err := readInput(e, file)
				if err != nil {
					return err
				}
				r, err := reports.Decode(data)
				if err != nil {
					return usagef("%s: %w", inputName(file), err)
				}
				if r.Agent == nil {
					return usagef("%s is no report of replanbench agent", inputName(file))
				}
				v.Names = append(v.Names, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
				v.Runs = append(v.Runs, r.Agent)
			}
			return f.Out.show(e, v.Screen(), func(w io.Writer) error {
				if f.Out.Format == "markdown" {
					return v.Markdown(w)
				}
				return v.Table(w, f.Out.colour(e), e.columns())
			})
		},
	}
	return command(e, cmd, &f)
}
