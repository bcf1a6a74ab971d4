package main

import (
	"errors"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/score/choice"
	"replanbench/reports/gate"
)

// fuzzFlags are the flags of a campaign.
type fuzzFlags struct {
	recorded
	Dialect    string `enum:"${dialects}" line:"yes" help:"the dialect whose cases are generated"`
	seedFlag   `set:"seeded=cases"`
	Cases      uint64        `help:"number of cases (default 20000, or as many as --time allows)"`
	First      uint64        `rare:"" arg:"INDEX" help:"the INDEX of the first case"`
	From       string        `rare:"" enum:"start,mix" help:"where to begin: with the plain cases, or with the random mix that follows single traits and pairs"`
	Time       time.Duration `help:"time limit, such as 10m"`
	Checks     []string      `rare:"" list:"${invariants}" arg:"CHECKS" help:"run only these CHECKS"`
	Skip       []string      `line:"no" list:"${invariants}" arg:"CHECKS" help:"skip these CHECKS (a,b; see replanbench list invariants --dialect NAME)"`
	Infer      bool          `help:"infer the engine's rules first (like engine infer) and judge it by them; each undeclared rule or lack is a cause"`
	shardFlag  `set:"parts=campaign"`
	traitFlags `set:"planted=plant only these TRAITS (a,b; none: plain cases only; see replanbench list traits)"`
	keptFlags
	Known knownFlags `embed:""`
	configFlag
	engineFlags `embed:""`
	Out         reportOutput `embed:"" set:"or=; a directory, or a name without an extension, is used as --dir"`
}

// keptFlags bound a campaign and keep what it finds.
type keptFlags struct {
	MaxFindings int    `default:"300" range:"1," rare:"" line:"no" help:"stop after this number of findings that are not known"`
	Dir         string `line:"no" arg:"DIR" help:"store findings, report and checkpoint in this DIR, which is created if missing"`
	Resume      bool   `line:"no" help:"resume from the checkpoint in --dir"`
	choice.Work `set:"work=cases|many=, up to four for an engine outside this process"`
}

// traitFlags select the traits that are planted.
type traitFlags struct {
	Traits []string `list:"${traits}" arg:"TRAITS" help:"${planted}"`
	Faults []string `old:"traits" list:"${traits}" help:"the old name of --traits"`
}

func (f *traitFlags) planted() []string {
	if f.Faults != nil {
		return f.Faults
	}
	return f.Traits
}

func newFuzz(e env) *cobra.Command {
	var f fuzzFlags
	return command(e, &cobra.Command{
		Use:   "fuzz [flags] [-- COMMAND]",
		Short: "Run generated plans and edits against an engine and judge every outcome",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := only(cmd, args, &f.Command, commandAfter); err != nil {
				return err
			}
			given := f.Args()
			if err := f.configure(e, cmd, f.recorded, &f.Engine); err != nil {
				return err
			}
			return f.run(cmd, e, given)
		},
	}, &f)
}

// heap limits the garbage collection of a command. Most values live for one case or reply,
// and collecting them took over 10 % of the time. So the heap may grow by percent before a
// collection, up to a soft limit of bound MiB plus more MiB per processor.
type heap struct{ percent, bound, more int }

// A campaign uses a few MiB, and 25 if it finds bugs with large cases; live and score use tens.
func campaignHeap() heap  { return heap{percent: 800, bound: 112, more: 8} }
func streamingHeap() heap { return heap{percent: 300, bound: 32, more: 4} }

// use sets the limits that GOGC and GOMEMLIMIT do not set.
func (h heap) use(e env) {
	if e.getenv("GOGC") == "" {
		debug.SetGCPercent(h.percent)
	}
	if e.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(h.bound+h.more*runtime.GOMAXPROCS(0)) << 20)
	}
}

// check lets --out name the directory of --dir.
func (f *fuzzFlags) check() error { return f.Out.orDir(&f.Dir) }

// run runs a campaign; given are the arguments of the engine on the command line. If no dialect is named, and the
// engine declares another one than the default and no more, it is that one.
func (f *fuzzFlags) run(cmd *cobra.Command, e env, given []string) error {
	err := f.campaign(cmd, e, given)
	if other, ok := errors.AsType[*undeclared](err); ok && len(other.known) == 1 {
		if err := cmd.Flags().Set("dialect", other.known[0]); err != nil {
			return err
		}
		return f.campaign(cmd, e, given)
	}
	return err
}

// undeclared says that the engine does not declare the default dialect.
type undeclared struct {
	known []string // what it declares
	error
}

// Unwrap returns the mistake of the user.
func (u *undeclared) Unwrap() error { return u.error }

// otherDialects lists the dialects of an engine that does not declare a certain one, and has others.
func otherDialects(hello harness.Hello, dialect string) []string {
	if _, ok := hello.Dialects[dialect]; ok {
		return nil
	}
	return slices.Sorted(maps.Keys(hello.Dialects))
}

func (f *fuzzFlags) campaign(cmd *cobra.Command, e env, given []string) error {
	ctx := cmd.Context()
	if f.Time < 0 {
		return usagef("--time %s: give a positive time, such as 10m", f.Time)
	}
	campaignHeap().use(e)
	known, err := f.Known.load(e, &f.Out)
	if err != nil {
		return err
	}
	c := campaign.Config{
		Dialect: f.Dialect, Generator: generators.Options{Traits: f.planted()}, Seed: f.Seed, First: f.First,
		FromMix: f.From == gate.Mix, Cases: f.Cases, Time: f.Time, Shard: f.Shard, Workers: f.Workers,
		MaxFindings: f.MaxFindings, Dir: f.Dir, Resume: f.Resume, Began: time.Now(),
	}
	if c.Judging.Checks, err = gate.Checks(f.Dialect, f.Checks, f.Skip); err != nil {
		return err
	}
	f.Checks, f.Traits = c.Judging.Checks, f.planted()
	args := f.Args()
	declared := f.Engine
	if f.Infer {
		if c.Behaviours, f.Engine, err = gate.Infer(ctx, f.Engine, f.Dialect, f.Seed, e.warn); err != nil {
			return err
		}
		c.Began, f.Infer = time.Now(), c.Behaviours != nil
	}
	command := escape.Shell(append(f.line([]string{"fuzz"}, "known", "earlier"), args...)...)
	c.Generator.Traits = gate.Present(f.Dialect, c.Generator.Traits, e.warn)
	if err := gate.Sound(&c); err != nil {
		return err
	}
	unlock, err := c.Lock("replanbench fuzz")
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // the file is gone with the process anyway
	g, err := newGate(ctx, e, command, f.engineFlags, f.Out)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Declared = declared
	if known := otherDialects(g.Hello, f.Dialect); known != nil {
		err := usagef("the engine declares %s and not %s: use --dialect %s", strings.Join(known, ", "), f.Dialect, known[0])
		if cmd.Flags().Changed("dialect") {
			return err
		}
		return &undeclared{known, err}
	}
	g.Cut(f.Shard)
	g.Known, g.KnownFile = known, f.Known.List
	if f.Config != "" && c.Behaviours == nil && !cmd.Flags().Changed("judge") {
		g.Again = append([]string{"--config", f.Config}, given...)
	}
	if f.Known.Write != "" {
		c.MaxFindings = gate.EveryFinding
	}
	run, err := g.Fuzz(ctx, c)
	switch {
	case err != nil && run.Result.Dialect == "":
		return usageError(err)
	case err == nil && f.Known.Write != "" && ctx.Err() == nil:
		return errors.Join(g.Keep(c), f.Known.save(e, g, f.Out))
	}
	return errors.Join(err, g.Keep(c), finish(e, g, f.Out))
}
