package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/campaign"
	"replanbench/harness/dialect/all"
	"replanbench/harness/finding"
	"replanbench/harness/reference"
	"replanbench/reports"
	"replanbench/reports/escape"
)

// fuzzFlags are the flags of a campaign.
type fuzzFlags struct {
	dialect     string
	cases       uint64
	first       uint64
	time        time.Duration
	seed        uint64
	workers     int
	shard       string
	faults      []string
	maxFindings int
	dir         string
	resume      bool
	known       string
	quiet       bool
}

func (f *fuzzFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	addChoice(cmd, &f.dialect, "dialect", "the dialect whose cases are made", all.Names()...)
	flags.Uint64Var(&f.cases, "cases", 0, "how many cases (default 20000, or any number within --time)")
	flags.Uint64Var(&f.first, "first", 0, "the `INDEX` of the case to begin with")
	flags.DurationVar(&f.time, "time", 0, "how long at most, such as 10m")
	flags.Uint64Var(&f.seed, "seed", 1, "what the cases are made from: the same seed makes the same cases")
	addWorkers(cmd, &f.workers, "how many cases may be under way at once (default one per processor)")
	flags.StringVar(&f.shard, "shard", "1/1", "run the `I/N`-th part of the campaign; reports of all parts are merged with: replanbench report")
	flags.StringSliceVar(&f.faults, "faults", nil, "plant these `FAULTS` only (a,b; none: no faults; see replanbench list faults)")
	flags.IntVar(&f.maxFindings, "max-findings", campaign.DefaultMaxFindings, "stop when there are so many findings that are not known")
	flags.StringVar(&f.dir, "out", "", "keep findings, report and checkpoint in this `DIR`")
	flags.BoolVar(&f.resume, "resume", false, "go on from the checkpoint in --out")
	flags.StringVar(&f.known, "known", "", "a `FILE` of known findings, which fail nothing: pattern  # reason")
	addQuiet(cmd, &f.quiet)
}

func newFuzz(e env) *cobra.Command {
	var f fuzzFlags
	var engine engineFlags
	var out output
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Run generated plans and edits against an engine and judge every outcome",
		Long: `Make plans and edits of plans, plant faults in them, give them to the engine, and
judge what comes out: by invariants that hold for every engine, by the reference
under the same profile, and by what the generator knows to be right. What breaks
is reproduced, made small and kept in --out as a scenario.

The same seed makes the same report with any number of workers, and after an
interrupt and --resume. Exit code 1 if there is a finding that is not known.`,
		Example: `  replanbench fuzz
  replanbench fuzz --cases 200000 --seed 7 --out fuzzed
  replanbench fuzz --time 10m --faults conflict-remove-add,fence-long -- ./my-engine`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := engine.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (an engine's command stands behind --)", rest[0])
			}
			return fuzz(cmd.Context(), e, f, engine, out)
		},
	}
	f.add(cmd)
	engine.add(cmd)
	addChoice(cmd, &out.format, "format", "how to write the result", reports.Formats()...)
	return cmd
}

// relaxGC lets the heap, which is small in a campaign and full of what lives for
// one case, grow to some 20 MiB before it is looked through: a tenth of the time
// went into that. GOGC says otherwise.
func relaxGC(e env) {
	if e.getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

func fuzz(ctx context.Context, e env, f fuzzFlags, flags engineFlags, out output) error {
	relaxGC(e)
	known, err := (&knownFlags{read: f.known}).load(e)
	if err != nil {
		return err
	}
	config, err := f.config()
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, f.command(flags), flags)
	if err != nil {
		return err
	}
	defer g.engine.Close()
	g.known, g.knownFile, g.quiet = known, f.known, f.quiet
	run, err := g.fuzz(ctx, config, f)
	if err != nil && run.Result.Dialect == "" {
		return usageError(err)
	}
	if err := g.keep(f, config); err != nil {
		return err
	}
	return errors.Join(err, g.finish(out))
}

// keep writes the report beside the findings.
func (g *gate) keep(f fuzzFlags, c campaign.Config) error {
	if f.dir == "" {
		return nil
	}
	name := "report.json"
	if c.Shards > 1 {
		name = fmt.Sprintf("report-%d-of-%d.json", c.Shard, c.Shards)
	}
	g.stamp()
	g.report.Conclude()
	return writeFile(filepath.Join(f.dir, name), func(w io.Writer) error { return g.report.JSON(w) })
}

// fuzz runs a campaign of generated cases and adds it to the report.
func (g *gate) fuzz(ctx context.Context, c campaign.Config, f fuzzFlags) (campaign.Run, error) {
	run, err := g.campaign(ctx, c, func(x finding.Finding) string { return f.reproduce(g.flags, x) })
	if run.Result.Dialect == "" {
		return run, err
	}
	g.locateFindings(f)
	if !g.wait {
		g.addUnusedFindings(g.found, "replanbench "+f.command(g.flags))
	}
	return run, err
}

// campaign runs a campaign and adds it to the report.
func (g *gate) campaign(ctx context.Context, c campaign.Config, reproduce func(finding.Finding) string) (campaign.Run, error) {
	d := g.hello.Dialects[c.Dialect]
	if len(g.flags.profile) > 0 || !d.Has(harness.FeatureProfiles) {
		c.Generator.Profile = &d.Profile
	}
	c.Known = func(x finding.Finding) bool { _, ok := g.known.Find(x.ID()); return ok }
	g.judging(ctx, &c)
	progress := newProgress(g.env, g.quiet)
	c.Progress = func(now campaign.Progress) { progress.show(c.Dialect + ": " + progressLine(now)) }
	run, err := campaign.Start(ctx, c)
	progress.end()
	if run.Result.Dialect == "" {
		return run, err
	}
	if err == nil && c.Fresh != nil && run.Ran >= ceilingCases {
		run.Ceiling, err = campaign.Ceiling(ctx, c, ceilingCases)
	}
	g.report.AddFuzz(run, g.known, reproduce)
	for _, x := range run.Result.Findings() {
		g.found = append(g.found, x.ID())
	}
	return run, err
}

// locateFindings says where the findings are kept.
func (g *gate) locateFindings(f fuzzFlags) {
	for i := range g.report.Failures {
		x := &g.report.Failures[i]
		if _, fingerprint, ok := strings.Cut(x.ID, f.dialect+"/"); ok && f.dir != "" && x.Suite == "fuzz" {
			x.File = filepath.Join(f.dir, campaign.FindingsDir, fingerprint[strings.LastIndexByte(fingerprint, '/')+1:], finding.ReproFile)
		}
	}
}

// ceilingCases is how many cases the ceiling of an engine within this process is
// measured with: a tenth of a second or so. A shorter campaign says nothing
// about speed.
const ceilingCases = 4000

// judging configures what belongs to the engine: how to open another one, and
// what to compare it with.
func (g *gate) judging(ctx context.Context, c *campaign.Config) {
	c.Engine = g.engine
	c.Judging.Reference, c.Judging.SampleReference = reference.New(), g.flags.isReference()
	if g.flags.inProcess() {
		c.Fresh = func() (harness.Engine, error) { return g.flags.open(ctx, g.env) }
	}
	c.Deadline = g.flags.bounds.Deadline
}

// defaultCases is the length of a campaign where nothing is said of it.
const defaultCases = 20000

// config turns the flags into a campaign's configuration, but for the engine.
func (f *fuzzFlags) config() (campaign.Config, error) {
	c := campaign.Config{
		Dialect: f.dialect, Seed: f.seed, First: f.first, Cases: f.cases, Time: f.time, Workers: f.workers,
		MaxFindings: f.maxFindings, Dir: f.dir, Resume: f.resume,
	}
	if c.Cases == 0 && c.Time == 0 {
		c.Cases = defaultCases
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if f.faults != nil {
		c.Generator.Faults = f.faults
		if len(f.faults) == 1 && f.faults[0] == "none" {
			c.Generator.Faults = []string{}
		}
	}
	i, n, ok := strings.Cut(f.shard, "/")
	var err1, err2 error
	c.Shard, err1 = strconv.Atoi(i)
	c.Shards, err2 = strconv.Atoi(n)
	switch {
	case !ok || err1 != nil || err2 != nil || c.Shard < 1 || c.Shard > c.Shards:
		return c, usagef("--shard %s: it is I/N, from 1/N to N/N", f.shard)
	case c.Shards > 1 && c.Cases == 0:
		return c, usagef("--shard %s: parts need a whole (give --cases)", f.shard)
	case f.resume && f.dir == "":
		return c, usagef("--resume: name the directory of the campaign with --out")
	case f.time < 0 || f.workers < 0 || f.maxFindings < 1:
		return c, usagef("--time, --workers and --max-findings are positive")
	}
	return c, nil
}

// command is the command line without what changes nothing in the report.
func (f *fuzzFlags) command(engine engineFlags) string {
	args := []string{"fuzz", "--dialect", f.dialect, "--seed", fmt.Sprint(f.seed)}
	if f.cases > 0 {
		args = append(args, "--cases", fmt.Sprint(f.cases))
	}
	if f.first > 0 {
		args = append(args, "--first", fmt.Sprint(f.first))
	}
	if f.time > 0 {
		args = append(args, "--time", f.time.String())
	}
	if f.shard != "1/1" {
		args = append(args, "--shard", f.shard)
	}
	return escape.Shell(append(f.faultArgs(args), engine.again()...)...)
}

func (f *fuzzFlags) faultArgs(args []string) []string {
	if f.faults == nil {
		return args
	}
	return append(args, "--faults", strings.Join(f.faults, ","))
}

// reproduce is the command line that shows a finding again: its scenario if
// that is kept, or else its case. Only invariants are not seen by replay.
func (f *fuzzFlags) reproduce(engine engineFlags, x finding.Finding) string {
	if f.dir != "" {
		file := filepath.Join(f.dir, campaign.FindingsDir, x.Fingerprint, finding.ReproFile)
		return escape.Shell(append([]string{"replanbench", "replay", file}, engine.again()...)...)
	}
	args := []string{"replanbench", "fuzz", "--dialect", f.dialect, "--seed", fmt.Sprint(x.Seed), "--first", fmt.Sprint(x.CaseIndex), "--cases", "1"}
	return escape.Shell(append(f.faultArgs(args), engine.again()...)...)
}
