package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness"
	"replanbench/reports/style"
)

// newHelp is the command help, which knows what commands and topics there are.
// Where a topic has the name of a command, it is the topic that is shown: the
// command's own help is one -h away.
func newHelp(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "help [TOPIC | COMMAND...]",
		Short: "Help about any topic or command",
		Example: `  replanbench help
  replanbench help causes
  replanbench help fuzz`,
		Args: anyArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(topics.Names(), commandNames(cmd.Root())...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if text, ok := topics.Markdown(args[0]); ok {
					_, err := io.WriteString(e.stdout, topics.Plain(text, e.columns(), style.Palette(e.colour())))
					return err
				}
			}
			asked, err := find(cmd.Root(), args)
			if err != nil && len(args) == 1 {
				known := append(topics.Names(), commandNames(cmd.Root())...)
				return usagef("unknown topic or command %q%s (see replanbench help)", args[0], harness.DidYouMean(args[0], known))
			}
			if err != nil {
				return err
			}
			return asked.Help()
		},
	}
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// topicsOf says which topics tell more of a command and of those below it.
func topicsOf(command string) []string {
	return map[string][]string{
		"agent":     {"agents", "causes"},
		"apply":     {"profiles", "dialects"},
		"calibrate": {"causes"},
		"check":     {"gate", "causes"},
		"compare":   {"scoring", "statistics"},
		"corpus":    {"scoring", "files"},
		"engine":    {"protocol", "profiles"},
		"fuzz":      {"causes", "profiles"},
		"init":      {"protocol", "gate"},
		"list":      {"dialects", "profiles"},
		"live":      {"live", "statistics"},
		"minimize":  {"causes"},
		"prompt":    {"live"},
		"protocols": {"dialects"},
		"replay":    {"causes"},
		"report":    {"reports", "gate"},
		"run":       {"files", "causes"},
		"schema":    {"files", "protocol"},
		"score":     {"scoring", "statistics"},
		"trim":      {"trimming"},
	}[command]
}

// addTopics lets every command point to the topics that tell more of it.
func addTopics(root *cobra.Command) {
	for _, c := range root.Commands() {
		more := slices.Clone(topicsOf(c.Name()))
		for i := range more {
			more[i] = "replanbench help " + more[i]
		}
		if len(more) > 0 {
			point(c, "\n\nMore: "+strings.Join(more, ", "))
		}
	}
}

// point puts a line behind the description of a command and of all below it.
func point(cmd *cobra.Command, line string) {
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	cmd.Long += line
	for _, c := range cmd.Commands() {
		point(c, line)
	}
}
