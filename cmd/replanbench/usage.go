package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness/dialect/all"
)

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
	for _, group := range []string{ // flags without a group come first
		"", "Flags of the engine", "Flags of the endpoint", "Flags for known failures", "Flags of the result",
	} {
		if text := flagsOf(cmd, group, e.wrapping()); text != "" {
			title := group
			if group == "" {
				title = "Flags"
			}
			fmt.Fprint(w, "\n\n"+title+":\n"+text)
		}
	}
	if hasRare(cmd) && !cmd.Flags().Changed(helpAll) {
		fmt.Fprintf(w, "\n\n%q shows all flags.", cmd.CommandPath()+" --"+helpAll)
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
			fmt.Fprintf(w, "\n  %-13s %s", t.Name, t.Text)
		}
		fmt.Fprintln(w)
	}
}

// flagsOf describes the flags of a group within a number of columns; 0 is no limit.
func flagsOf(cmd *cobra.Command, group string, columns int) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = cmd.LocalFlags().SortFlags
	every := cmd.Flags().Changed(helpAll)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if slices.Equal(f.Annotations[groupKey], []string{group}) || group == "" && f.Annotations[groupKey] == nil {
			if every || !isRare(f) {
				set.AddFlag(f)
			}
		}
	})
	return strings.TrimRight(set.FlagUsagesWrapped(columns), " \n")
}
