package main

import (
	"context"
	"time"

	"replanbench/harness"
	"replanbench/harness/finding"
	"replanbench/harness/suite"
	"replanbench/reports"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

// gate is one run that ends in a report and a verdict.
type gate struct {
	env     env
	flags   engineFlags
	engine  harness.Engine
	hello   harness.Hello
	report  *reports.Report
	started time.Time
	quiet   bool // show no progress

	known     finding.Baseline // failures that fail nothing
	knownFile string           // where they stand

	// wait leaves it to the end to say which known findings were not found,
	// since several campaigns look for them; found are those that were.
	wait  bool
	found []string
	// results are those of the scenarios, for a list of what is known.
	results []suite.Result
}

// newGate opens the engine and begins a report. The caller closes the engine.
func newGate(ctx context.Context, e env, command string, flags engineFlags) (*gate, error) {
	engine, err := flags.open(ctx, e)
	if err != nil {
		return nil, err
	}
	hello, err := introduction(ctx, engine)
	if err != nil {
		engine.Close()
		return nil, err
	}
	return &gate{env: e, flags: flags, engine: engine, hello: hello, report: reports.New(command, version(), hello), started: time.Now()}, nil
}

// finish writes the report and returns the error that its verdict leads to.
func (g *gate) finish(out output) error {
	g.stamp()
	g.locate()
	passed := g.report.Conclude()
	err := out.writeReport(g.env, g.report)
	if err == nil && !passed {
		return gateFailed()
	}
	return err
}

// locate says of the failures that have no file of their own that they stand in
// the engine's.
func (g *gate) locate() {
	file := g.flags.file()
	for i := range g.report.Failures {
		if f := &g.report.Failures[i]; f.File == "" {
			f.File = file
		}
	}
}

// addUnusedFindings adds the known findings that were not found.
func (g *gate) addUnusedFindings(found []string, command string) {
	g.report.AddUnused(g.knownFile, ofFindings(g.known.Unused(found)), command)
}

// stamp notes when the run was and how long it took.
func (g *gate) stamp() {
	g.report.Environment.Started = g.started.UTC().Format(time.RFC3339)
	g.report.Environment.Seconds = time.Since(g.started).Seconds()
}

// scenarios runs scenarios and adds them to the report. An error means that
// the engine could not be asked, or not to the end; what it did is in the
// report.
func (g *gate) scenarios(ctx context.Context, set scenarioSet, o suite.Options) ([]suite.Result, error) {
	o.Deadline = g.flags.bounds.Deadline
	progress := newProgress(g.env, g.quiet)
	o.Progress = progress.counting("scenarios")
	results, err := suite.Run(ctx, g.engine, set.list, o)
	progress.end()
	unused := suite.ApplyKnown(results, g.known)
	again := g.flags.again()
	g.report.AddScenarios(results, func(s scenarios.Scenario) string {
		return escape.Shell(append([]string{"replanbench", "replay", set.name(s)}, again...)...)
	})
	for i := range g.report.Failures {
		if f := &g.report.Failures[i]; f.File == "" {
			f.File = set.files[f.ID]
		}
	}
	g.report.AddUnused(g.knownFile, ofScenarios(unused), "replanbench "+g.report.Command)
	return results, err
}
