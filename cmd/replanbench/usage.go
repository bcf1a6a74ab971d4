package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness/dialect/all"
)

// The groups of flags, in their order; flags without a group come first.
const (
	groupEngine   = "Flags of the engine"
	groupEndpoint = "Flags of the endpoint"
	groupKnown    = "Flags for known failures"
	groupResult   = "Flags of the result"
)

func flagGroups() []string { return []string{"", groupEngine, groupEndpoint, groupKnown, groupResult} }

const groupKey = "replanbench_group"

// inGroup puts all flags into a group that are added before the returned function is called.
func inGroup(cmd *cobra.Command, group string) func() {
	before := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	return func() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !before[f.Name] && f.Annotations[groupKey] == nil {
				_ = cmd.Flags().SetAnnotation(f.Name, groupKey, []string{group}) // the flag is there
			}
		})
	}
}

// usage prints the usage of a command: cobra's text, with the flags in groups.
func usage(e env, cmd *cobra.Command, w io.Writer) {
	fmt.Fprint(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprint(w, "\n  "+cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() && strings.Contains(cmd.Use, "--") {
		fmt.Fprint(w, "\n  "+cmd.CommandPath()+" COMMAND [flags]")
	}
	if cmd.HasExample() {
		fmt.Fprint(w, "\n\nExamples:\n"+cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		for _, g := range append([]*cobra.Group{{Title: "Commands"}}, cmd.Groups()...) {
			title := "\n\n" + g.Title + ":"
			for _, c := range cmd.Commands() {
				if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
					fmt.Fprintf(w, "%s\n  %-*s %s", title, c.NamePadding(), c.Name(), c.Short)
					title = ""
				}
			}
		}
	}
	for _, group := range flagGroups() {
		if text := flagsOf(cmd, group, e.wrapping()); text != "" {
			title := group
			if group == "" {
				title = "Flags"
			}
			fmt.Fprint(w, "\n\n"+title+":\n"+text)
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\n%q shows the help of a command.", cmd.CommandPath()+" COMMAND -h")
	}
	fmt.Fprintln(w)
	if !cmd.HasParent() {
		fmt.Fprint(w, "\nTopics, shown by replanbench help TOPIC:")
		for _, t := range topics.List() {
			fmt.Fprintf(w, "\n  %-11s %s", t.Name, t.Text)
		}
		fmt.Fprint(w, "\n\nDialects, shown by replanbench help DIALECT:")
		for _, t := range all.Terms() {
			fmt.Fprintf(w, "\n  %-12s %s", t.Name, t.Text)
		}
		fmt.Fprintln(w)
	}
}

// flagsOf describes the flags of a group within a number of columns; 0 is no limit.
func flagsOf(cmd *cobra.Command, group string, columns int) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = cmd.LocalFlags().SortFlags
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if own := f.Annotations[groupKey]; group == "" && own == nil || own != nil && own[0] == group {
			set.AddFlag(f)
		}
	})
	return strings.TrimRight(set.FlagUsagesWrapped(columns), " \n")
}
