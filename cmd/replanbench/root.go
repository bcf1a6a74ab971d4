package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/reports"
)

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, e env) int {
	root := newRoot(e, args...)
	root.SetArgs(args)
	err := unknownCommand(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	return conclude(ctx, e, err)
}

// newRoot builds the command line: only the command that the arguments name, or all.
func newRoot(e env, args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:           "replanbench COMMAND",
		Short:         "Test, fuzz and score edits of plans that models make",
		Version:       described(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := oneEngine(cmd, args); err != nil {
				return err
			}
			return apart(cmd, args)
		},
	}
	describe(root)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s (see %s -h)", flagError(err), nearestFlag(e, cmd, err), cmd.CommandPath())
	})
	for _, g := range []string{groupStart, groupTargets, groupModels, groupTrim, groupLab, groupMore} {
		root.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	root.AddCommand(commands(e, args)...)
	root.SetUsageFunc(func(cmd *cobra.Command) error { usage(e, cmd, cmd.OutOrStdout()); return nil })
	root.SetHelpCommand(newHelp(e))
	root.SetHelpCommandGroupID(groupMore)
	root.SetCompletionCommandGroupID(groupMore)
	addCompletion(root)
	addHelpAll(root)
	return root
}

// find returns the command with that name.
func find(root *cobra.Command, name []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(name)
	if err != nil || len(rest) > 0 {
		return nil, usagef("unknown command %q (see replanbench -h)", strings.Join(name, " "))
	}
	return cmd, nil
}

// nearestFlag returns a suggestion: the known flag that best matches an unknown one, or the
// commands that have it.
func nearestFlag(e env, cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	switch {
	case !slices.Contains(reports.Formats(), name):
	case !cmd.HasParent():
		return fmt.Sprintf("; did you mean %q after a command?", "--format "+name)
	case cmd.Flags().Lookup("format") != nil:
		return fmt.Sprintf("; did you mean %q?", "--format "+name)
	}
	if argument(cmd, name) {
		return ": it is an argument, " + cmd.UseLine()
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := cmp.Or(harness.Nearest(name, names), synonym(name, names)); near != "" {
		return fmt.Sprintf("; did you mean %q?", "--"+near)
	}
	var others []string
	for _, c := range newRoot(e).Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(name) != nil {
			others = append(others, c.Name())
		}
	}
	if others == nil {
		return ""
	}
	return ": it is a flag of " + english.OxfordWordSeries(others, "and")
}

// synonym returns the flag of a command that other programs give another name.
func synonym(name string, flags []string) string {
	for _, names := range []string{
		"base-url url endpoint host server api-base", "key-env api-key token apikey", "samples n repeats trials",
		"prompt template", "out output o file save", "cases iterations count num runs n", "time duration max-time",
		"timeout deadline", "dir directory folder outdir", "workers jobs j parallel threads", "judge level strict",
		"known ignore baseline allow xfail", "traits only filter k",
	} {
		flag, others, _ := strings.Cut(names, " ")
		if slices.Contains(flags, flag) && slices.Contains(strings.Fields(others), name) {
			return flag
		}
	}
	return ""
}

// argument reports whether the usage of a command has an argument with that name.
func argument(cmd *cobra.Command, name string) bool {
	return slices.ContainsFunc(strings.Fields(cmd.Use), func(word string) bool {
		return strings.Trim(word, "[].") == strings.ToUpper(name)
	})
}

// flagError describes the values that a flag accepts, after it rejected one.
func flagError(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		if before, _, ok := strings.Cut(err.Error(), ": time: "); ok {
			return errors.New(before + ": expected a number with a unit, such as 90s, 10m or 1h30m")
		}
		return err
	}
	problem := "expected a whole number"
	switch {
	case errors.Is(number, strconv.ErrRange):
		problem = "the number is too large or too small"
	case number.Func == "ParseUint":
		problem = "expected a whole number, 0 or more"
	case number.Func == "ParseFloat":
		problem = "expected a number"
	case number.Func == "ParseBool":
		problem = "expected true or false"
	}
	return errors.New(strings.TrimSuffix(err.Error(), number.Error()) + problem)
}

// commands returns all commands, or only the one that the first argument names, because
// building all of them takes longer than running many of them. Man pages need all of them.
func commands(e env, args []string) (list []*cobra.Command) {
	type entry struct {
		name, group, topics string
		make                func(env) *cobra.Command
	}
	table := []entry{
		{"init", groupStart, "protocol gate", newInit},
		{"check", groupStart, "gate causes", newCheck},
		{"fuzz", groupStart, "causes profiles", newFuzz},
		{"run", groupStart, "files causes", newRun},
		{"replay", groupStart, "causes", newReplay},
		{"engine", groupTargets, "protocol profiles", newEngine},
		{"agent", groupTargets, "agents causes", newAgent},
		{"mcp", groupTargets, "mcp causes", newMCP},
		{"apply", groupModels, "profiles dialects", newApply},
		{"live", groupModels, "live statistics", newLive},
		{"score", groupModels, "scoring statistics", newScore},
		{"compare", groupModels, "scoring statistics", newCompare},
		{"prompt", groupModels, "live", newPrompt},
		{"corpus", groupModels, "scoring files", newCorpus},
		{"trim", groupTrim, "trimming", newTrim},
		{"calibrate", groupLab, "causes", newCalibrate},
		{"protocols", groupLab, "dialects", newProtocols},
		{"minimize", groupLab, "", newMinimize},
		{"report", groupMore, "reports gate", newReport},
		{"list", groupMore, "dialects profiles", newList},
		{"schema", groupMore, "files protocol", newSchema},
		{"man", groupMore, "", newMan},
		{"version", groupMore, "", newVersion},
	}
	if slices.Equal(args, []string{"--version"}) {
		args = []string{"version"}
	}
	if i := slices.IndexFunc(table, func(c entry) bool {
		return len(args) > 0 && args[0] == c.name && c.name != "man"
	}); i >= 0 {
		table = table[i : i+1]
	}
	for _, c := range table {
		cmd := c.make(e)
		describe(cmd)
		cmd.GroupID = c.group
		addTopics(cmd, c.topics)
		list = append(list, cmd)
	}
	return list
}

// The groups of commands: what a user wants to do.
const (
	groupStart   = "Start here"
	groupTargets = "Engines, agents and servers"
	groupModels  = "Models, prompts and replies"
	groupTrim    = "Trimming"
	groupLab     = "Laboratory"
	groupMore    = "More"
)

// unknownCommand rejects an unknown command even with -h: cobra would show the help of the
// parent command.
func unknownCommand(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") ||
		strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	return knownCommand(cmd, rest)
}

func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := collect.Map(cmd.Commands(), func(c *cobra.Command) string { return c.Name() })
	return usagef("unknown command %q%s (see %s -h)", args[0], harness.DidYouMean(args[0], names), cmd.CommandPath())
}

// noArgs, exactly and between reject other numbers of arguments as wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return exactly(0)(cmd, args) }

func exactly(n int) cobra.PositionalArgs { return between(n, n) }

func between(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return usagef("an argument is missing: %s (see %s -h)", cmd.UseLine(), cmd.CommandPath())
		case len(args) > high:
			return usagef("unexpected argument %q (see %s -h)", args[high], cmd.CommandPath())
		}
		return nil
	}
}

// release is the version of a release; the build sets it (see .goreleaser.yaml).
var release string

// newVersion prints the version, like --version.
func newVersion(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(e.stdout, "replanbench version %s\n", described())
			return err
		},
	}
}

// version returns the version of the release or of the module, or the commit of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	switch v := buildSetting(info, "vcs.revision"); {
	case release != "":
		return release
	case ok && info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	case v != "":
		return "devel-" + short(v)
	}
	return "devel"
}

// ref returns the tag or commit of this build, or main if the build has none.
func ref() string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(release, buildSetting(info, "vcs.revision"), "main")
}

// described returns the version with commit, Go version and platform.
func described() string {
	info, _ := debug.ReadBuildInfo()
	var more []string
	if commit := buildSetting(info, "vcs.revision"); commit != "" {
		more = append(more, "commit "+short(commit))
		if buildSetting(info, "vcs.modified") == "true" {
			more[0] += " and changes"
		}
	}
	more = append(more, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
	return version() + " (" + strings.Join(more, ", ") + ")"
}

func short(commit string) string { return strings.ToLower(commit[:min(12, len(commit))]) }

// buildSetting returns a setting of the build, or "".
func buildSetting(info *debug.BuildInfo, key string) string {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
