package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/shard"
)

// shardValue is a flag value: I/N.
type shardValue struct{ *shard.Shard }

// addShard adds --shard.
func addShard(cmd *cobra.Command, s *shard.Shard, what string) {
	cmd.Flags().Var(shardValue{s}, "shard", "run only the `I/N`-th part of the "+what+
		", 1/N to N/N; replanbench report merges the reports (--format json)")
}

func (v shardValue) Type() string { return "I/N" }

func (v shardValue) String() string {
	if v.Shard == nil || v.Whole() {
		return ""
	}
	return v.Shard.String()
}

func (v shardValue) Set(text string) (err error) {
	*v.Shard, err = shard.Parse(text)
	return err
}

// unsharded are flags that change nothing in the report, or only which part of it
// there is. Those that are true take no value.
var unsharded = map[string]bool{
	"--dir": false, "--out": false, "--format": false, "--report": false, "--replies": false, "--workers": false,
	"--shard": false, "--quiet": true,
}

// asRun is the command line as it was typed, without what changes nothing in the report.
func asRun(command string) string {
	args := []string{command}
	list := os.Args[min(2, len(os.Args)):]
	for i := 0; i < len(list); i++ {
		name, _, joined := strings.Cut(list[i], "=")
		alone, leave := unsharded[name]
		switch {
		case list[i] == "--":
			return escape.Shell(append(args, list[i:]...)...)
		case !leave:
			args = append(args, list[i])
		case !alone && !joined:
			i++
		}
	}
	return escape.Shell(args...)
}

// wholeOnly refuses flags that need the whole run.
func wholeOnly(cmd *cobra.Command, s shard.Shard, names ...string) error {
	i := slices.IndexFunc(names, func(n string) bool { return cmd.Flags().Changed(n) })
	if s.Whole() || i < 0 {
		return nil
	}
	return usagef("--%s needs the whole run, and --shard %s is a part of it (leave one of the two out)", names[i], s)
}
