// Package gate runs suites against one engine, and makes one report with one verdict.
package gate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/reports"
	"replanbench/scenarios"
)

// Gate is one run that ends in a report and a verdict.
type Gate struct {
	Named byname.Engine // how the engine was asked for
	// Declared is Named without what was inferred; see [Infer].
	Declared byname.Engine
	Engine   harness.Engine
	Hello    harness.Hello
	Report   *reports.Report

	// Shard is the part of the run that this is; see [Gate.Cut].
	Shard shard.Shard

	Known     finding.Baseline // failures that fail nothing
	KnownFile string           // their places
	// Again has the arguments of replay that choose the engine; nil means the arguments of Named.
	Again []string

	// Progress begins to show the progress of a run. It returns three functions: show
	// replaces the last line, tell writes a line that stays, and end ends it; nil shows
	// nothing.
	Progress func() (show, tell func(line string), end func())

	warn    func(string)
	started time.Time
	results []suite.Result // of the scenarios
}

// Open opens the engine and begins a report of what the command does. The caller
// closes the engine. warn gets the parts of the request that have no effect. If the engine
// does not start, the error comes with an empty report.
func Open(ctx context.Context, n byname.Engine, command, version string, warn func(string)) (*Gate, error) {
	engine, hello, err := n.Meet(ctx, warn)
	if err != nil {
		hello.Name = cmp.Or(n.File(), escape.Shell(n.Command...), byname.WithoutSecrets(n.Use))
	}
	g := Begin(command, version, hello)
	g.Named, g.Declared, g.Engine, g.warn = n, n, engine, warn
	g.Report.Engine.Said, g.Report.Judge = n.Said(), n.Level()
	return g, err
}

// Broken adds a failure for a part of the run that an error ended.
func (g *Gate) Broken(part, message string) {
	lines := strings.Split(strings.ReplaceAll(message, ":\n  ", ": "), "\n")
	g.Report.Failures = append(g.Report.Failures, reports.Failure{
		Suite: "check", ID: part, Status: harness.NotRun, Message: strings.Join(slices.Compact(lines), "; "), // of several workers
		Reproduce: g.command(),
	})
}

// Begin begins a report without an engine to open.
func Begin(command, version string, hello harness.Hello) *Gate {
	return &Gate{Hello: hello, Report: reports.New(command, version, hello), started: time.Now()}
}

// Since sets when the run began, if that was before the gate.
func (g *Gate) Since(t time.Time) { g.started = t }

// Cut says that only one shard of the run is done. config is everything except the command
// line and the version that decides the result, such as a file of settings.
func (g *Gate) Cut(s shard.Shard, config ...string) {
	g.Shard = s
	hash := sha256.New()
	for _, text := range append(config, g.Report.Environment.Version) {
		fmt.Fprintf(hash, "%d %s", len(text), text)
	}
	g.Report.AddPart(s, hex.EncodeToString(hash.Sum(nil)[:6]))
}

// Conclude completes the report and reports whether the gate passes. Failures without
// a file of their own get the engine's.
func (g *Gate) Conclude() bool {
	g.locate(func(*reports.Failure) string { return g.Named.File() })
	g.Report.Environment.Started = g.started.UTC().Format(time.RFC3339)
	g.Report.Environment.Seconds = time.Since(g.started).Seconds()
	return g.Report.Conclude()
}

func (g *Gate) locate(file func(*reports.Failure) string) {
	for i := range g.Report.Failures {
		if f := &g.Report.Failures[i]; f.File == "" {
			if f.File = file(f); f.File != "" {
				f.Line = entry(f.File)
			}
		}
	}
}

// locateCrashes completes the names of the files where the engine crashes: the file next to the
// engine's own, or else the only one below the working directory. Without such a file the
// failure has no place yet.
func (g *Gate) locateCrashes(list []reports.Failure) {
	const most = 100_000 // entries of directories
	paths, left := map[string][]string{}, most
	for i := range list {
		if f := &list[i]; f.File != "" {
			paths[f.File] = nil
		}
	}
	if len(paths) == 0 {
		return
	}
	_ = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not the engine's
		}
		list, wanted := paths[d.Name()]
		switch left--; {
		case left == 0:
			return fs.SkipAll
		case d.IsDir() && path != "." && (d.Name()[0] == '.' || d.Name() == "node_modules"):
			return fs.SkipDir
		case wanted && d.Type().IsRegular():
			paths[d.Name()] = append(list, path)
		}
		return nil
	})
	for i := range list {
		f := &list[i]
		beside := filepath.Join(filepath.Dir(g.Named.File()), f.File)
		switch found := paths[f.File]; {
		case f.File != "" && slices.Contains(found, beside):
			f.File = beside
		case len(found) == 1:
			f.File = found[0]
		default:
			f.File, f.Line = "", 0
		}
	}
}

// entry returns the line to look at in a file: the expected outcome of a scenario, or the
// function of an adapter that applies replies; 0: none is found.
func entry(file string) int {
	const most = 1 << 20
	data := files.Head(file, most)
	at := regexp.MustCompile(`(?m)^-- want\.json --$|^[ \t]*(?:async |export )*(?:def|func|function) \(?apply`).FindIndex(data)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(data[:at[0]], []byte("\n"))
}

func (g *Gate) progress() (show, tell func(string), end func()) {
	if g.Progress == nil {
		return func(string) {}, func(string) {}, func() {}
	}
	return g.Progress()
}

func (g *Gate) again() []string {
	if g.Again != nil {
		return g.Again
	}
	return g.Named.Args()
}

// command is what was run, with the name of the program.
func (g *Gate) command() string { return "replanbench " + g.Report.Command }

// Scenarios runs scenarios and adds them to the report. An error means that the
// engine could not be asked, or not to the end; what it did is in the report.
func (g *Gate) Scenarios(ctx context.Context, set scenarios.Set, o suite.Options) ([]suite.Result, error) {
	o.Deadline, o.Level = g.Named.Bounds.Deadline, g.Named.Level()
	show, _, end := g.progress()
	o.Progress = func(begun, total int) { show(fmt.Sprintf("%d of %d scenarios", begun, total)) }
	var list []scenarios.Scenario
	for i, s := range set.List {
		if g.Shard.Holds(i) {
			list = append(list, s)
		}
	}
	results, err := suite.Run(ctx, g.Engine, list, o)
	end()
	unused := suite.ApplyKnown(results, g.Known)
	g.results = results
	g.Report.AddScenarios(results, g.Shard, func(s scenarios.Scenario) string {
		return escape.Shell(append([]string{"replanbench", "replay", set.Name(s)}, g.again()...)...)
	})
	g.locate(func(f *reports.Failure) string { return set.Files[f.ID] })
	unused = slices.DeleteFunc(unused, finding.Entry.NamesFinding) // another seed may not show them
	g.Report.AddUnused(g.KnownFile, unused, g.command())
	return results, err
}

// WriteKnown writes the causes, with the scenarios that they explain, and the other failing
// scenarios as known, and returns how many entries there are. An entry keeps the reason that its name,
// or that of one of its groups, has in the list before.
func (g *Gate) WriteKnown(file string, before finding.Baseline) (n int, err error) {
	if f := g.Report.Fuzz; f != nil {
		for i := range f.Campaigns {
			if c := &f.Campaigns[i]; c.Unconnected {
				return 0, harness.Mistakef("%s is not written, because nothing was tested: %s (fix that first, see replanbench "+
					"engine check -h)", file, c.Stopped)
			}
		}
	}
	g.Conclude() // causes list the scenarios that they explain
	list := g.Report.Known(suite.Failing(g.results))
	for i := range list {
		x := &list[i]
		for _, name := range slices.Backward(append([]string{x.Pattern}, x.Also...)) {
			if e, ok := before.Find(name); ok && (name == x.Pattern || e.NamesFinding()) {
				x.Reason = e.Reason
			}
		}
	}
	if finding.InYAML(file) {
		name := filepath.Join(filepath.Dir(file), schema.File("known"))
		err = files.WriteData(name, append(strictjson.Encode(finding.Schema()), '\n'))
	}
	return len(list), cmp.Or(err, files.WriteData(file, finding.Written(file, g.Named.Level(), list)))
}
