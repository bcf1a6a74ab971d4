package option_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"replanbench/cmd/replanbench/option"
)

type limits struct {
	Time    time.Duration `default:"2s" help:"time limit of one ${unit}"`
	Workers int           `range:"1,8" default:"1" line:"no" help:"number of workers"`
	More    int           `range:"0," help:"number of more"`
}

type target struct {
	File string `writes:"" arg:"FILE" help:"write to FILE"`
}

type example struct {
	limits  `rare:"" group:"Limits" set:"unit=case"`
	Colour  string   `enum:"${colours}" help:"the colour"`
	Names   []string `list:"a,b" conflicts:"file" help:"names"`
	Pairs   []string `sep:"none" arg:"KEY=VALUE" help:"a KEY=VALUE"`
	OldPart []string `old:"pairs" help:"the old name of --pairs"`
	Whole   bool     `whole:"" help:"needs all"`
	Shard   string   `help:"the part"`
	Seed    uint64   `default:"1" line:"yes" help:"the seed"`
	To      target   `embed:""`

	hidden int
}

func values(name string) []string {
	return map[string][]string{"colours": {"red", "green"}}[name]
}

// parse reads a command line into an example.
func parse(t *testing.T, line string) (*example, []option.Option, error) {
	t.Helper()
	x := &example{hidden: 1}
	list := option.Of(x, values)
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, f := range list {
		set.AddFlag(f.Flag)
	}
	return x, list, set.Parse(strings.Fields(line))
}

func TestUsage(t *testing.T) {
	_, list, err := parse(t, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		line := f.Name + ": " + f.Usage + " [" + f.DefValue + "] " + f.Tag("group")
		if f.Has("rare") {
			line += " rare"
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		"time: time limit of one case [2s] Limits rare", "workers: number of workers [1] Limits rare",
		"more: number of more [0] Limits rare", "colour: the colour: red, green [red]", "names: names [[]]",
		"pairs: a `KEY=VALUE` [[]]", "old-part: the old name of --pairs [[]]", "whole: needs all [false]",
		"shard: the part []", "seed: the seed [1]", "file: write to `FILE` []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestValues(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"--workers 9", "expected a number from 1 to 8"},
		{"--workers x", "expected a number from 1 to 8"},
		{"--more -1", "expected a number, 0 or more"},
		{"--workers 2 --workers 3", `invalid argument "3" for "--workers" flag: already given as "2" (give it once)`},
		{"--time 1s --file a --file b", `invalid argument "b" for "--file" flag: already given as "a" (give it once)`},
		{"--colour gren", `choose one of red, green; did you mean "green"?`},
	} {
		if _, _, err := parse(t, tc.line); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.line, err, tc.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct{ line, want, warning string }{
		{line: "--names a --pairs x=1"},
		{line: "--names a --file x", want: "give --names or --file, not both"},
		{line: "--whole --shard 2/3", want: "--whole needs the whole run, and --shard 2/3 is a part of it (leave one of the two out)"},
		{line: "--whole --shard 1/1"},
		{line: "--old-part x --pairs y", want: "--old-part is the old name of --pairs: give one of them"},
		{line: "--old-part x", warning: "--old-part is deprecated, and the next version does not have it (use --pairs)"},
	} {
		_, list, err := parse(t, tc.line)
		if err != nil {
			t.Fatal(err)
		}
		got, warning := "", ""
		if err := option.Check(list, func(text string) { warning = text }); err != nil {
			got = err.Error()
		}
		if got != tc.want || warning != tc.warning {
			t.Errorf("%s: %q and %q, want %q and %q", tc.line, got, warning, tc.want, tc.warning)
		}
	}
}

// TestLine: a recorded command line sets the same values again.
func TestLine(t *testing.T) {
	for line, want := range map[string]string{
		"":                                       "--seed 1",
		"--workers 4 --colour red --time 2s":     "--seed 1",
		"--colour=green --names a --names b":     "--colour green --names a,b --seed 1",
		"--time 3s --time 3s --whole --whole":    "--time 3s --whole --seed 1",
		"--pairs a=1 --pairs b=2 --whole":        "--pairs a=1 --pairs b=2 --whole --seed 1",
		"--time 1m --seed 7 --file a --more 3":   "--time 1m0s --more 3 --seed 7 --file a",
		"--old-part x --shard 2/3 --time 2000ms": "--shard 2/3 --seed 1",
	} {
		first, list, err := parse(t, line)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(option.Line(list), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		again, _, err := parse(t, got)
		first.Workers, first.OldPart = 1, nil
		if diff := cmp.Diff(first, again, cmp.AllowUnexported(example{}, limits{})); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", got, err, diff)
		}
	}
}
