package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"replanbench/cmd/replanbench/option"
	"replanbench/harness/document/files"
)

// The annotations of flags.
const (
	groupKey = "replanbench_group" // the heading in help
	rareKey  = "replanbench_rare"  // help shows the flag only after --help-all
	writes   = "replanbench_writes"
)

// helpAll is the flag that shows the help with every flag.
const helpAll = "help-all"

// checker is a command that rejects flags before it starts.
type checker interface{ check() error }

// recorded keeps the flags of a command for its recorded command line.
type recorded struct{ given []option.Option }

func (r *recorded) keep(list []option.Option) { r.given = list }

// line returns the arguments of the flags that decide the result, after some words. It leaves
// out the named flags.
func (r *recorded) line(words []string, without ...string) []string {
	return append(words, option.Line(r.given, without...)...)
}

// command gives a command the flags of a struct, their completions and their checks. While the
// command runs, it holds the lock of the file of --out.
func command(e env, cmd *cobra.Command, fields any) *cobra.Command {
	list := option.Of(fields, values)
	if r, ok := fields.(interface{ keep(list []option.Option) }); ok {
		r.keep(list)
	}
	for _, f := range list {
		cmd.Flags().AddFlag(f.Flag)
		f.Annotations = map[string][]string{groupKey: {f.Tag("group")}}
		for key, tag := range map[string]string{rareKey: "rare", writes: "writes"} {
			if f.Has(tag) {
				f.Annotations[key] = nil
			}
		}
		complete(cmd, f)
	}
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := cmp.Or(option.Check(list, e.warn), outFormat(list)); err != nil {
			return err
		}
		for _, c := range option.Structs[checker](fields) {
			if err := c.check(); err != nil {
				return err
			}
		}
		return nil
	}
	cmd.RunE = locked(cmd.RunE)
	return cmd
}

// locked holds the lock of the file of --out while a command runs.
func locked(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		out := cmd.Flags().Lookup("out")
		if out == nil || out.Value.String() == "" {
			return run(cmd, args)
		}
		unlock, err := files.Lock(out.Value.String(), cmd.CommandPath())
		if err != nil {
			return err
		}
		return errors.Join(run(cmd, args), unlock())
	}
}

// addHelpAll lets every command show all its flags.
func addHelpAll(cmd *cobra.Command) {
	cmd.Flags().BoolFunc(helpAll, "show this help with all flags", func(string) error {
		return cmd.Flags().Set("help", "true")
	})
	cmd.Flags().Lookup(helpAll).Hidden = !hasRare(cmd)
	for _, c := range cmd.Commands() {
		addHelpAll(c)
	}
}

func hasRare(cmd *cobra.Command) (rare bool) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { rare = rare || isRare(f) })
	return rare
}

func isRare(f *pflag.Flag) bool { _, rare := f.Annotations[rareKey]; return rare }

// complete lets shells complete the values of a flag: one of a closed list, or several of an
// open one.
func complete(cmd *cobra.Command, f option.Option) {
	const alone = cobra.ShellCompDirectiveNoFileComp
	var err error
	if allowed := f.Names("enum"); allowed != nil {
		err = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(allowed, alone))
	} else if f.Has("list") {
		err = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, begun string) ([]string,
			cobra.ShellCompDirective,
		) {
			names := f.Names("list")
			if names == nil {
				names = listed(strings.Trim(f.Raw("list"), "${}"))(cmd)
			}
			return completed(names, begun), alone | cobra.ShellCompDirectiveNoSpace
		})
	}
	if err != nil {
		panic(err) // two fields have one name
	}
}

// behind is the command of the tested program, given after --.
type behind struct{ command []string }

// split takes the command after -- and returns the arguments before it.
func split(cmd *cobra.Command, args []string, command *[]string) []string {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, *command = args[:dash], args[dash:]
	}
	return args
}

// only takes the command after -- and rejects any other argument; way says what to do instead.
func only(cmd *cobra.Command, args []string, command *[]string, way string) error {
	if rest := split(cmd, args, command); len(rest) > 0 {
		return usagef("unexpected argument %q (%s)", rest[0], way)
	}
	return nil
}

// alone runs a command whose only argument is the command after --.
func alone(e env, command *[]string, way string, run func(context.Context, env) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := only(cmd, args, command, way); err != nil {
			return err
		}
		return run(cmd.Context(), e)
	}
}

// family completes a command that has only commands below it.
func family(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// after adds the command to a command line.
func (f *behind) after(args []string) []string {
	if f.command == nil {
		return args
	}
	return append(append(args, "--"), f.command...)
}

// variables are NAME=VALUE. A name alone has the value that it has here.
func (e env) variables(list []string) (full []string, err error) {
	for _, v := range list {
		name, _, given := strings.Cut(v, "=")
		if name == "" {
			return nil, usagef("--env %q: the name is missing (give NAME or NAME=VALUE)", v)
		}
		if !given {
			if e.getenv(name) == "" {
				e.say("--env " + name + ": the variable is empty or not set (set it, or give NAME=VALUE)")
			}
			v += "=" + e.getenv(name)
		}
		full = append(full, v)
	}
	return full, nil
}
