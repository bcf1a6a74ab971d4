package main

import (
	"errors"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/campaign"
	"replanbench/reports/gate"
)

// fuzzFlags are the flags of a campaign.
type fuzzFlags struct {
	campaign.Config
	from   string
	infer  bool
	checks []string
	skip   []string
	known  knownFlags
	engine engineFlags
	out    output
}

func (f *fuzzFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	addChoice(cmd, &f.Dialect, "dialect", "the dialect whose cases are generated", all.Names()...)
	flags.Uint64Var(&f.Cases, "cases", 0, "number of cases (default 20000, or as many as --time allows)")
	flags.Uint64Var(&f.First, "first", 0, "the `INDEX` of the first case")
	addChoice(cmd, &f.from, "from", "where to begin: with the plain cases, or with the random mix that follows single "+
		"traits and pairs", "start", gate.Mix)
	flags.DurationVar(&f.Time, "time", 0, "time limit, such as 10m")
	flags.BoolVar(&f.infer, "infer", false, "infer the engine's rules first (like engine infer) and judge it by them; "+
		"each undeclared rule is a cause")
	addSeed(cmd, &f.Seed, "cases")
	addWorkers(cmd, &f.Workers, "cases")
	addShard(cmd, &f.Shard, "campaign")
	addTraits(cmd, &f.Generator.Traits, "plant only these `TRAITS` (a,b; none: plain cases only; see replanbench list "+
		"traits)")
	flags.StringSliceVar(&f.checks, "checks", nil,
		"run only these `CHECKS` (a,b; see replanbench list invariants --dialect NAME)")
	flags.StringSliceVar(&f.skip, "skip", nil, "skip these `CHECKS`")
	flags.IntVar(&f.MaxFindings, "max-findings", campaign.DefaultMaxFindings,
		"stop after this number of findings that are not known")
	addDir(cmd, &f.Dir, "store findings, report and checkpoint")
	flags.BoolVar(&f.Resume, "resume", false, "resume from the checkpoint in --dir")
	f.known.add(cmd)
	f.engine.add(cmd)
	f.out.addReport(cmd)
	f.out.orDir(cmd, &f.Dir)
}

// addTraits adds --traits, and --faults, its name in earlier versions.
func addTraits(cmd *cobra.Command, list *[]string, usage string) {
	cmd.Flags().StringSliceVar(list, "traits", nil, usage)
	cmd.Flags().StringSliceVar(list, "faults", nil, "deprecated: use --traits")
	if err := cmd.Flags().MarkHidden("faults"); err != nil {
		panic(err) // the line above adds the flag
	}
}

// warnOfFaults warns if a command line has --faults, and rejects it next to --traits. Cobra
// would warn on standard output.
func warnOfFaults(cmd *cobra.Command, e env) error {
	if !cmd.Flags().Changed("faults") {
		return nil
	}
	if cmd.Flags().Changed("traits") {
		return usagef("--faults is the old name of --traits: give one of them")
	}
	e.warn("--faults is deprecated, and the next version does not have it (use --traits)")
	return nil
}

func newFuzz(e env) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Run generated plans and edits against an engine and judge every outcome",
		Long: `Generate plans and edits, plant faults in them, send them to the engine, and check
every outcome: by invariants, by the reference under the same profile, and by the
label of the generator. A failure is reproduced, shrunk and stored in --dir as a
scenario. Standard error reports failures during the campaign.

The same seed gives the same report with any number of workers, and after an
interrupt and --resume. Exit code 1 if a finding is not known.`,
		Example: `  replanbench fuzz
  replanbench fuzz --cases 200000 --seed 7 --dir fuzzed
  replanbench fuzz --time 10m --traits conflict-remove-add,fence-long -- ./my-engine
  replanbench fuzz --from mix --skip no-silent-loss -- ./my-engine
  replanbench fuzz --infer -- ./my-engine`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.engine.alone(cmd, args, commandAfter); err != nil {
				return err
			}
			return f.run(cmd, e)
		},
	}
	f.add(cmd)
	return cmd
}

// heap limits the garbage collection of a command. Most values live for one case or reply,
// and collecting them took over 10 % of the time. So the heap may grow by percent before a
// collection, up to a soft limit of bound MiB plus more MiB per processor.
type heap struct{ percent, bound, more int }

// A campaign uses a few MiB, live and score use tens, and the gate uses most.
func campaignHeap() heap  { return heap{percent: 800, bound: 48, more: 8} }
func gateHeap() heap      { return heap{percent: 800, bound: 112, more: 8} }
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

func (f *fuzzFlags) run(cmd *cobra.Command, e env) error {
	ctx := cmd.Context()
	switch {
	case f.Time < 0:
		return usagef("--time %s: give a positive time, such as 10m", f.Time)
	case f.MaxFindings < 1:
		return usagef("--max-findings %d: give a positive number", f.MaxFindings)
	}
	campaignHeap().use(e)
	if err := errors.Join(warnOfFaults(cmd, e), wholeOnly(cmd, f.Shard, "write-known")); err != nil {
		return err
	}
	known, err := f.known.load(e)
	if err != nil {
		return err
	}
	f.FromMix = f.from == gate.Mix
	if f.Judging.Checks, err = gate.Checks(f.Dialect, f.checks, f.skip); err != nil {
		return err
	}
	args := f.engine.Args()
	if f.infer {
		if f.Behaviours, f.engine.Engine, err = gate.Infer(ctx, f.engine.Engine, f.Dialect, f.Seed, e.warn); err != nil {
			return err
		}
	}
	command := gate.FuzzCommand(f.Config, args)
	f.Generator.Traits = gate.Present(f.Dialect, f.Generator.Traits, e.warn)
	if err := gate.Sound(&f.Config); err != nil {
		return err
	}
	unlock, err := f.Lock("replanbench fuzz")
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // the file is gone with the process anyway
	g, err := newGate(ctx, e, command, f.engine, f.out.quiet)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	if known := slices.Sorted(maps.Keys(g.Hello.Dialects)); !cmd.Flags().Changed("dialect") && len(known) > 0 &&
		!slices.Contains(known, f.Dialect) {
		return usagef("the engine declares %s and not %s: use --dialect %s", strings.Join(known, ", "), f.Dialect, known[0])
	}
	g.Cut(f.Shard)
	g.Known, g.KnownFile = known, f.known.read
	if f.known.write != "" {
		f.MaxFindings = gate.EveryFinding
	}
	run, err := g.Fuzz(ctx, f.Config)
	switch {
	case err != nil && run.Result.Dialect == "":
		return usageError(err)
	case err == nil && f.known.write != "" && ctx.Err() == nil:
		return errors.Join(g.Keep(f.Config), f.known.save(e, g))
	}
	return errors.Join(err, g.Keep(f.Config), finish(e, g, f.out))
}
