package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// behind is the command of the tested program, given after --.
type behind struct{ command []string }

// cut returns the arguments before -- and those after it; nil without --.
func cut(cmd *cobra.Command, args []string) (before, after []string) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args, nil
	}
	return args[:dash], args[dash:]
}

// split takes the command and returns the arguments before it.
func (f *behind) split(cmd *cobra.Command, args []string) []string {
	args, f.command = cut(cmd, args)
	return args
}

// alone takes the command and rejects any other argument; whose is what it starts.
func (f *behind) alone(cmd *cobra.Command, args []string, whose string) error {
	if rest := f.split(cmd, args); len(rest) > 0 {
		return usagef("unexpected argument %q (give the %s's command after --)", rest[0], whose)
	}
	return nil
}

// after adds the command to a command line.
func (f *behind) after(args []string) []string {
	if f.command == nil {
		return args
	}
	return append(append(args, "--"), f.command...)
}

// variables are NAME=VALUE. A name alone has the value that it has here.
func (e env) variables(list []string) (full []string) {
	for _, v := range list {
		if !strings.Contains(v, "=") {
			v += "=" + e.getenv(v)
		}
		full = append(full, v)
	}
	return full
}
