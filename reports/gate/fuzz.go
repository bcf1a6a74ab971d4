package gate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/infer"
	"replanbench/harness/hunt/judge"
	"replanbench/scenarios"
)

// Fuzz runs a campaign of generated cases and adds it to the report. Of the configuration
// the engine is left to the gate.
func (g *Gate) Fuzz(ctx context.Context, c campaign.Config) (campaign.Run, error) {
	return g.Campaign(ctx, c, func(x cause.Cause) string { return g.reproduce(c, x) })
}

// longWait is the time from which on a run mentions how to end it.
const longWait = 2 * time.Minute

// A processor has perProcessor cases under way with an engine outside this process, so that
// neither waits for the other, and all of them at most severalProcesses: each may be a process.
const perProcessor, severalProcesses = 4, 16

// Campaign runs a campaign and adds it to the report.
func (g *Gate) Campaign(ctx context.Context, c campaign.Config, reproduce func(cause.Cause) string) (campaign.Run,
	error,
) {
	if d, ok := g.Hello.Dialects[c.Dialect]; ok { // if not, no case is supported
		c.Generator.Suit(d, len(g.Named.Profile) > 0)
	}
	if c.Workers == 0 {
		if c.Workers = runtime.GOMAXPROCS(0); !g.Named.InProcess() {
			c.Workers = min(perProcessor*c.Workers, max(c.Workers, severalProcesses))
		}
	}
	renamed := all.Find(c.Dialect).Vocabulary.Formerly
	c.Known = func(x cause.Group) bool {
		names := append(x.Names(c.Dialect), x.Former(c.Dialect, renamed)...)
		return slices.ContainsFunc(names, func(name string) bool { _, ok := g.Known.Find(name); return ok })
	}
	g.judging(ctx, &c)
	show, tell, end := g.progress()
	slow := false
	c.Progress = func(now campaign.Progress) {
		show(c.Dialect + ": " + now.String())
		if !slow && now.Left > longWait {
			slow = true
			tell(fmt.Sprintf("%s: about %s left; Ctrl-C ends the run and reports the results so far", c.Dialect,
				now.Left.Round(time.Minute)))
		}
	}
	told := map[string]bool{} // several groups may come to be one cause
	c.Found = func(x cause.Group, sentence string) {
		line := fmt.Sprintf("found: %-8s %s", x.Class, sentence)
		if !told[line] {
			told[line] = true
			tell(line)
		}
	}
	run, err := campaign.Start(ctx, c)
	for _, x := range run.Result.Causes {
		for _, name := range x.Former {
			if e, ok := g.Known.Find(name); ok && e.Pattern == name {
				tell(fmt.Sprintf("warning: line %d of %s: %s is now %s (a trait was renamed)", e.Line, g.KnownFile, name,
					x.Name(c.Dialect)))
			}
		}
	}
	if c.Dir != "" && err == nil && c.Time == 0 && run.Result.Stopped == "" { // replaying takes time
		g.removeFixed(ctx, c, run.Result, tell)
	}
	end()
	if run.Result.Dialect == "" {
		return run, err
	}
	first := len(g.Report.Failures)
	g.Report.AddFuzz(run, g.Known, reproduce)
	g.locateCrashes(g.Report.Failures[first:])
	return run, err
}

// removeFixed removes the causes and findings that earlier runs kept if this run did not find them
// and their scenarios pass now. It keeps files that someone else put there. A run with a limit of
// time, or one that was stopped, removes nothing.
func (g *Gate) removeFixed(ctx context.Context, c campaign.Config, found campaign.Result, tell func(string)) {
	kept := map[string]bool{}
	for _, x := range found.Causes {
		kept[x.ID] = true
	}
	for i := range found.Groups {
		if f := found.Groups[i].Example; f != nil {
			kept[f.Fingerprint] = true
		}
	}
	prune := func(folder string, names ...string) []string {
		dir := filepath.Join(c.Dir, folder)
		return files.Prune(dir, names, func(name string, data []byte) bool {
			s, err := scenarios.Parse(name, data)
			if err != nil || kept[name] || s.Case.Dialect != c.Dialect {
				return false
			}
			n := g.Named
			n.Judge = string(keptLevel(c.Dialect, filepath.Join(dir, name, names[1])))
			again, err := Replay(ctx, g.Engine, n, []scenarios.Scenario{s})
			return err == nil && again[0].Well
		})
	}
	prune(campaign.FindingsDir, finding.ReproFile, finding.JSONFile)
	for _, file := range prune(campaign.CausesDir, finding.ReproFile, cause.File, "session.json") { // of mcp
		tell("fixed: " + file + " passes now and is removed")
	}
}

// keptLevel returns the level that judges what the file of a cause or of a finding describes.
func keptLevel(dialect, file string) harness.Level {
	var x struct {
		Check     string      `json:"check"` // of a cause
		Kind      string      `json:"kind"`
		Invariant string      `json:"invariant"` // of a finding
		CheckKind string      `json:"check_kind"`
		Class     judge.Class `json:"class"`
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &x) != nil {
		return harness.JudgeExact
	}
	rules := all.Rules(dialect)
	return rules.Level(cmp.Or(x.Check, x.Invariant), cmp.Or(x.CheckKind, x.Kind), x.Class)
}

// Infer finds the rules that an engine follows in a dialect. It returns the values and the lacks that
// the engine does not declare, and the engine with these declared.
func Infer(ctx context.Context, n byname.Engine, dialect string, seed uint64, warn func(string)) ([]cause.Behaviour,
	byname.Engine, error,
) {
	engine, hello, err := n.Meet(ctx, warn)
	if err != nil {
		return nil, n, err
	}
	defer engine.Close()
	found, err := infer.Run(ctx, engine, hello, all.Find(dialect), infer.Options{Seed: seed, Deadline: n.Bounds.Deadline})
	if err != nil {
		return nil, n, err
	}
	list, settings := found.Behaviours()
	n.Profile = slices.Concat(n.Profile, settings)
	if without := infer.Settings([]infer.Result{found}).Without; without != nil {
		n.Without = without
	}
	return list, n, nil
}

// Minimize makes a case smaller that breaks the check, or any if it is "".
func (g *Gate) Minimize(ctx context.Context, c harness.Case, check string, budget int) (finding.Finding, error) {
	config := campaign.Config{ShrinkBudget: budget}
	g.judging(ctx, &config)
	return campaign.Minimize(ctx, config, g.Hello, c, check)
}

// startAgain is the time limit for initialize of an engine that has answered it before: it is slow
// only because the machine is busy.
const startAgain = time.Minute

// judging configures what belongs to the engine: how to open another one, and
// what to compare it with.
func (g *Gate) judging(ctx context.Context, c *campaign.Config) {
	c.Engine = g.Engine
	c.Judging.Reference, c.Judging.SampleReference = reference.New(), g.Named.IsReference()
	if g.Named.InProcess() {
		c.Fresh = func() (harness.Engine, error) { return g.Named.Open(ctx, g.warn) }
	} else if g.Named.Starts() {
		c.Apart = func() (harness.Engine, error) {
			one := g.Named
			one.Bounds.Processes, one.Bounds.Start = 1, startAgain
			return one.Open(ctx, g.warn)
		}
	}
	c.Deadline, c.Judging.Level = g.Named.Bounds.Deadline, g.Named.Level()
}

// Keep writes the report next to the findings of a campaign, if they are kept.
func (g *Gate) Keep(c campaign.Config) error {
	if c.Dir == "" {
		return nil
	}
	name := "report.json"
	if !c.Shard.Whole() {
		name = fmt.Sprintf("report-%d-of-%d.json", c.Shard.I, c.Shard.N)
	}
	g.Conclude()
	return files.Write(filepath.Join(c.Dir, name), func(w io.Writer) error { return g.Report.JSON(w) })
}

// reproduce is the command line that shows a cause again: its scenario if
// that is kept, or else its case. Only invariants are not seen by replay.
func (g *Gate) reproduce(c campaign.Config, x cause.Cause) string {
	if x.ID == "" {
		n := byname.Engine{Use: g.Named.Use, Judge: g.Named.Judge, Command: g.Named.Command} // it has no other flags
		return escape.Shell(append([]string{"replanbench", "engine", "check"}, n.Args()...)...)
	}
	if x.Check == cause.CheckProfile {
		return escape.Shell(append([]string{"replanbench", "engine", "infer", "--dialect", c.Dialect}, g.Declared.Args()...)...)
	}
	replay := []string{"replanbench", "replay"}
	if c.Dir == "" || x.Before != nil {
		replay = faultArgs(replay, c)
	}
	for _, index := range x.Before {
		replay = append(replay, fmt.Sprintf("%s:%d:%d", c.Dialect, c.Seed, index))
	}
	if c.Dir != "" && x.Before == nil {
		replay = append(replay, filepath.Join(c.Dir, campaign.CausesDir, x.ID, finding.ReproFile))
	} else {
		replay = append(replay, fmt.Sprintf("%s:%d:%d", c.Dialect, c.Seed, x.First))
	}
	return escape.Shell(append(replay, g.again()...)...)
}

func faultArgs(args []string, c campaign.Config) []string {
	switch {
	case c.Generator.Traits == nil:
		return args
	case len(c.Generator.Traits) == 0:
		return append(args, "--traits", NoFaults)
	}
	return append(args, "--traits", strings.Join(c.Generator.Traits, ","))
}

// NoFaults is the name of an empty list of faults.
const NoFaults = "none"

// Mix is the part of a campaign that a campaign may begin with: see
// [campaign.Config].
const Mix = "mix"

// Checks returns the checks of a dialect that only names, without the checks that skip
// names; nil means all. The first check of a dialect, that the engine answers, cannot be
// skipped.
func Checks(dialect string, only, skip []string) ([]string, error) {
	names, list := collect.Map(all.Rules(dialect).Checks, func(c judge.Check) string { return c.Name }), []string(nil)
	for flag, asked := range map[string][]string{"--checks": only, "--skip": skip} {
		for _, name := range asked {
			if err := OneOf(name, names); err != nil {
				return nil, harness.Mistakef("%s: %w", flag, err)
			}
		}
	}
	if only == nil && skip == nil {
		return nil, nil
	}
	for i, name := range names {
		if i == 0 || (only == nil || slices.Contains(only, name)) && !slices.Contains(skip, name) {
			list = append(list, name)
		}
	}
	return list, nil
}
