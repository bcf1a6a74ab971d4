package main

import "github.com/spf13/cobra"

// addCompletion adds the command that prints completions for shells, with
// examples and errors like those of the others.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args, cmd.RunE = knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		cmd.Example = "  replanbench completion bash > /etc/bash_completion.d/replanbench"
		for _, shell := range cmd.Commands() {
			shell.Args = noArgs
			shell.Example = "  replanbench completion " + shell.Name()
		}
	}
}
