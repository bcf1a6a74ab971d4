package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/score"
	"replanbench/harness/suite"
	"replanbench/reports"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

// checkFlags are the flags of check, most of which set a key of the
// configuration.
type checkFlags struct {
	config   string
	explain  bool
	dialects []string
	cases    uint64
	seed     uint64
	known    knownFlags
	baseline string
	missing  bool
	require  []string
	workers  int
	quiet    bool
	engine   engineFlags
	out      output
}

func newCheck(e env) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Run the gate: every suite, one report, one verdict",
		Long: `Run all that replanbench.yaml names, and end with one report and one verdict.
Without that file: the built-in scenarios, a fuzzing campaign for each dialect
that the engine declares, the built-in corpus and the trimming simulation.

Flags override the file (replanbench init writes one). Exit code 1 if the gate
fails: a failure or finding that is not known, a threshold that does not hold,
something worse than in the baseline, or a known failure that is none.`,
		Example: `  replanbench check
  replanbench check --explain
  replanbench check --format github --report junit=replanbench.xml --report html=replanbench.html
  replanbench check --write-known known.txt -- python3 adapter.py
  replanbench check --known known.txt -- python3 adapter.py`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := f.engine.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (run PATH runs single scenarios; an engine's command stands behind --)", rest[0])
			}
			c, err := f.effective(e, cmd)
			if err != nil {
				return err
			}
			if f.explain {
				_, err := e.stdout.Write(c.Explained())
				return err
			}
			return check(cmd.Context(), e, c, f)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *checkFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "read this `FILE` (default "+config.FileName+", where there is one)")
	flags.BoolVar(&f.explain, "explain", false, "print the configuration in effect, and where each value comes from; run nothing")
	flags.StringSliceVar(&f.dialects, "dialect", nil, "test these `DIALECTS` only (a,b; default all that the engine declares)")
	flags.Uint64Var(&f.cases, "cases", defaultCases, "how many fuzz cases for each dialect")
	flags.Uint64Var(&f.seed, "seed", 1, "what the fuzz cases are made from")
	f.known.add(cmd)
	flags.StringVar(&f.baseline, "baseline", "", "a `REPORT` of an earlier score: no metric may have become worse, and no group or case be missing or new")
	flags.BoolVar(&f.missing, "allow-missing", false, "with --baseline: let pass groups and cases that it or the new score lacks")
	flags.StringArrayVar(&f.require, "require", nil, "a `THRESHOLD` that the scores must keep, such as \"parse_rate >= 0.95\"; may stand several times")
	addWorkers(cmd, &f.workers, "how many cases may be under way at once (default one per processor)")
	addQuiet(cmd, &f.quiet)
	f.engine.add(cmd)
	f.out.add(cmd, reports.Formats()...)
	f.out.addReports(cmd)
}

// part is one part of the gate: it runs its suite and adds to the report.
type part struct {
	name string
	runs bool
	run  func(context.Context, *gate, *config.Config) error
}

// parts is the explicit list of what check runs.
func parts(c *config.Config) []part {
	s := &c.Suites
	return []part{
		{"scenarios", s.Scenarios.Run && (s.Scenarios.Builtin || len(s.Scenarios.Paths) > 0), checkScenarios},
		{"fuzz", s.Fuzz.Run, checkFuzz},
		{"corpora", s.Corpora.Run && (s.Corpora.Builtin || len(s.Corpora.Files) > 0), checkCorpora},
		{"trim", s.Trim.Run, checkTrim},
	}
}

func check(ctx context.Context, e env, c *config.Config, f checkFlags) error {
	list := slices.DeleteFunc(parts(c), func(p part) bool { return !p.runs })
	if len(list) == 0 {
		return usagef("there is nothing to run: every suite is left out")
	}
	known, err := (&knownFlags{read: c.Known, write: f.known.write}).load(e)
	if err != nil {
		return err
	}
	flags, err := engineOf(c)
	if err != nil {
		return err
	}
	for _, o := range c.Outputs {
		f.out.also = append(f.out.also, target{o.Format, o.File})
	}
	if err := errors.Join(f.out.ready(), inputsReady(e, c)); err != nil {
		return err
	}
	g, err := newGate(ctx, e, "check", flags)
	if err != nil {
		return err
	}
	defer g.engine.Close()
	g.known, g.knownFile, g.quiet = known, c.Known, f.quiet
	if f.known.write != "" {
		c.Suites.Fuzz.MaxFindings = math.MaxInt // else the next run, which knows these, would find more
	}
	if err := g.speaks(c); err != nil {
		return err
	}
	for _, p := range list {
		if err := p.run(ctx, g, c); err != nil {
			return g.ended(ctx, p, err, f.out)
		}
	}
	if g.wait {
		g.addUnusedFindings(g.found, "replanbench check")
	}
	if f.known.write != "" && ctx.Err() == nil {
		return g.saveKnown(f.known.write)
	}
	return g.finish(f.out)
}

// ended reports what was done before a part could not go on. A mistake in what
// was asked for leads to no report.
func (g *gate) ended(ctx context.Context, p part, err error, out output) error {
	if code, _ := verdict(err); code == exitUsage {
		return err
	}
	if ctx.Err() == nil {
		g.report.Failures = append(g.report.Failures, reports.Failure{
			Suite: "check", ID: p.name, Status: harness.NotRun, Message: "not run to its end: " + err.Error(), Reproduce: "replanbench check",
		})
	}
	return errors.Join(err, g.finish(out))
}

// saveKnown writes the failures of scenarios and the findings as known.
func (g *gate) saveKnown(file string) error {
	n := 0
	err := writeFile(file, func(w io.Writer) error {
		scenarios, err := suite.WriteKnown(w, g.results)
		n = scenarios
		for _, f := range g.report.Failures {
			if slices.Contains(g.found, f.ID) {
				fmt.Fprintf(w, "%s  # %s\n", f.ID, escape.Terminal(f.Message))
				n++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(g.env.stdout, "%d failures written to %s; say in each line why it is known, or mend it\n", n, escape.Terminal(file))
	return nil
}

// speaks refuses dialects that the engine does not declare: a gate that was
// asked to test them must not pass without.
func (g *gate) speaks(c *config.Config) error {
	declared := slices.Sorted(maps.Keys(g.hello.Dialects))
	for i, d := range c.Dialects {
		if !slices.Contains(declared, d) {
			return usageError(c.Errorf(item("dialects", i), "the engine %s does not declare %s (it declares %s)", g.hello.Name, d, strings.Join(declared, ", ")))
		}
	}
	return nil
}

// tests reports whether a dialect is to be tested.
func tests(c *config.Config, dialect string) bool {
	return len(c.Dialects) == 0 || slices.Contains(c.Dialects, dialect)
}

func checkScenarios(ctx context.Context, g *gate, c *config.Config) error {
	var set scenarioSet
	if c.Suites.Scenarios.Builtin {
		builtin, err := loadScenarios(nil)
		if err != nil {
			return err
		}
		set = builtin
	}
	if paths := c.Suites.Scenarios.Paths; len(paths) > 0 {
		own, err := loadScenarios(paths)
		if err != nil {
			return usageError(c.Errorf("suites.scenarios.paths", "%w", err))
		}
		for _, s := range set.list {
			if file := own.files[s.ID]; file != "" {
				return usageError(c.Errorf("suites.scenarios.paths", "%s has the id of a built-in scenario, %s (rename the file, or set suites.scenarios.builtin to false)", file, s.ID))
			}
		}
		set.list, set.files = append(set.list, own.list...), own.files
	}
	set.list = slices.DeleteFunc(set.list, func(s scenarios.Scenario) bool { return !tests(c, s.Case.Dialect) })
	results, err := g.scenarios(ctx, set, suite.Options{Workers: c.Workers})
	g.results = results
	return err
}

// checkFuzz runs a campaign for each dialect that the engine declares and that
// cases can be made for.
func checkFuzz(ctx context.Context, g *gate, c *config.Config) error {
	s := c.Suites.Fuzz
	g.wait = true
	for _, dialect := range all.Names() {
		faults := someFaults(dialect, s.Faults)
		if _, ok := g.hello.Dialects[dialect]; !ok || !tests(c, dialect) || len(s.Faults) > 0 && faults == nil {
			continue
		}
		f := fuzzFlags{
			dialect: dialect, cases: s.Cases, time: s.Time, seed: s.Seed, faults: faults, workers: c.Workers,
			shard: "1/1", maxFindings: s.MaxFindings, dir: s.Out,
		}
		o, err := f.config()
		if err != nil {
			return err
		}
		if _, err := g.fuzz(ctx, o, f); err != nil {
			return err
		}
	}
	return nil
}

// someFaults keeps the faults that a dialect has; nil is all of them.
func someFaults(dialect string, asked []string) []string {
	var list []string
	for _, f := range all.Faults(dialect) {
		if slices.Contains(asked, f.Name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// inputsReady refuses files that cannot be read, before the work is done that
// comes before them.
func inputsReady(e env, c *config.Config) error {
	var errs []error
	if s := c.Suites.Corpora; s.Run {
		if c.Baseline != stdinName { // which can be read once
			_, _, err := scoring(e, c)
			errs = append(errs, err)
		}
		for i, file := range s.Files {
			if err := readable(file); err != nil {
				errs = append(errs, usageError(c.Errorf(item("suites.corpora.files", i), "%w", err)))
			}
		}
	}
	if s := c.Suites.Trim; s.Run {
		for i, file := range s.History {
			if err := readable(file); err != nil {
				errs = append(errs, usageError(c.Errorf(item("suites.trim.history", i), "%w", err)))
			}
		}
	}
	return errors.Join(errs...)
}

// readable opens a file and reads nothing.
func readable(name string) error {
	if name == stdinName || name == builtinCorpus {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory (name a file)", name)
	}
	return nil
}

// scoring is how corpora are scored, and what the scores must keep.
func scoring(e env, c *config.Config) (score.Options, score.Gate, error) {
	f := scoreFlags{
		by: c.Suites.Corpora.By, profile: c.Engine.Profile, ladder: strings.Join(c.Suites.Corpora.Ladder, ","),
		tokenizer: c.Budget.Tokenizer, budget: c.Budget.Tokens, workers: c.Workers,
	}
	o, err := f.options(e)
	if err != nil {
		return o, score.Gate{}, err
	}
	conditions, err := (&gateFlags{require: c.Thresholds, repeat: c.Repeat, baseline: c.Baseline, missing: c.AllowMissing}).gate(e)
	return o, conditions, err
}

func checkCorpora(ctx context.Context, g *gate, c *config.Config) error {
	o, conditions, err := scoring(g.env, c)
	if err != nil {
		return err
	}
	if !tests(c, "planpatch") && len(c.Thresholds) == 0 && c.Baseline == "" {
		return nil // corpora hold replies of that dialect
	}
	files := c.Suites.Corpora.Files
	if c.Suites.Corpora.Builtin {
		files = append([]string{builtinCorpus}, files...)
	}
	return g.corpus(ctx, files, o, conditions)
}

func checkTrim(ctx context.Context, g *gate, c *config.Config) error {
	s := c.Suites.Trim
	if !tests(c, "trim") {
		return nil
	}
	f := trimFlags{
		history: s.History, policies: s.Policies, tokenizer: c.Budget.Tokenizer, maxTokens: s.MaxTokens, seed: s.Seed, cases: s.Cases,
		pick: -1, workers: cmp.Or(c.Workers, runtime.GOMAXPROCS(0)),
	}
	if len(f.policies) == 0 {
		f.policies = []string{"window", "emergency", "clamp|emergency", "priority", "pinned"}
	}
	return g.trimming(ctx, f)
}
