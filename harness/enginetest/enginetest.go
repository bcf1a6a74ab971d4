// Package enginetest runs the whole harness inside your own go test: the
// scenarios, and campaigns of generated cases judged by invariants and by the
// reference.
//
//	func TestPlanner(t *testing.T) {
//		enginetest.Run(t, myEngine{})
//	}
//
// Every scenario and every check is a subtest, so that -run picks one:
//
//	go test -run 'TestPlanner/scenarios/planpatch/conflicts'
//	go test -run 'TestPlanner/campaign/planpatch/done-immutable'
//
// [Check] is the short way for one dialect: a property of pgregory.net/rapid over
// the same samples and checks, with rapid's own shrinking, seeds and flags.
//
// The engine may be any Go value; one in another process comes from
// engine.Start, and one behind HTTP from engine.Dial, of package
// replanbench/harness/engine. For engines that are not tested from Go there is
// the command replanbench.
package enginetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/guard"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// DefaultCases is how many cases a campaign has for each dialect; a tenth of
// them with -short.
const DefaultCases = 2000

type options struct {
	cases     uint64
	seed      uint64
	deadline  time.Duration
	known     string
	scenarios []scenarios.Scenario
	builtin   bool
	findings  string
	judge     harness.Level
}

// Option changes what [Run] does.
type Option func(*options)

// Cases sets how many cases a campaign has for each dialect; 0 is no campaign.
func Cases(n uint64) Option { return func(o *options) { o.cases = n } }

// Seed sets what the cases of the campaigns are made from; the default is 1.
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// Deadline sets the time for one case; the default is 10 s. Engines outside
// this process have their own.
func Deadline(d time.Duration) Option { return func(o *options) { o.deadline = d } }

// Scenarios runs these in place of the built-in ones; see scenarios.Load.
func Scenarios(list []scenarios.Scenario) Option {
	return func(o *options) { o.scenarios, o.builtin = list, false }
}

// Known names failures that are known and fail nothing: a line each,
// "pattern  # reason". A line that matches no failure fails the test.
func Known(baseline string) Option { return func(o *options) { o.known = baseline } }

// Findings keeps what the campaigns find in a directory, as the command
// replanbench fuzz --dir does.
func Findings(dir string) Option { return func(o *options) { o.findings = dir } }

// Judge sets how much counts; the default is harness.JudgeExact. See harness.Levels.
func Judge(level harness.Level) Option { return func(o *options) { o.judge = level } }

// Run tests an engine. It does not close it.
func Run(t *testing.T, engine harness.Engine, opts ...Option) {
	t.Helper()
	r := newRunner(t, engine, opts)
	if r.builtin {
		var err error
		if r.options.scenarios, err = scenarios.Builtin(); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("campaign", r.campaigns) // first: its causes explain scenarios
	t.Run("scenarios", r.scenarios)
	r.unused(t)
}

// runner is one call of Run.
type runner struct {
	options
	engine harness.Engine
	hello  harness.Hello
	known  finding.Baseline
	met    []string // failures, by the names that a baseline may know
	whole  int      // parts that ran to the end with every subtest
	shown  int      // failures that were shown with their case
	// results has the result of each campaign, by dialect.
	results map[string]*campaign.Result
}

func newRunner(t *testing.T, engine harness.Engine, opts []Option) *runner {
	t.Helper()
	o := options{cases: DefaultCases, seed: 1, deadline: suite.DefaultDeadline, builtin: true, judge: harness.JudgeExact}
	if testing.Short() {
		o.cases = DefaultCases / 10
	}
	for _, set := range opts {
		set(&o)
	}
	hello, err := engine.Hello(t.Context())
	if err != nil {
		t.Fatalf("the engine did not answer initialize: %v", err)
	}
	known, err := finding.ParseBaseline("known", []byte(o.known))
	if err != nil {
		t.Fatal(err)
	}
	return &runner{engine: engine, hello: hello, known: known, options: o, results: map[string]*campaign.Result{}}
}

func (r *runner) scenarios(t *testing.T) {
	ran := 0
	for _, s := range r.options.scenarios {
		t.Run(s.ID, func(t *testing.T) {
			ran++
			r.scenario(t, s)
		})
	}
	if ran == len(r.options.scenarios) {
		r.whole++
	}
}

func (r *runner) scenario(t *testing.T, s scenarios.Scenario) {
	options := suite.Options{Deadline: r.deadline, Level: r.judge}
	results, err := suite.Run(t.Context(), r.engine, []scenarios.Scenario{s}, options)
	if err != nil {
		t.Fatal(err)
	}
	result := results[0]
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", result.Status, s.Doc)
	if result.Reason != "" {
		fmt.Fprintf(&text, "\n%s", result.Reason)
	}
	for _, d := range result.Differences {
		fmt.Fprintf(&text, "\n%s", d)
	}
	said := harmless(text.String())
	switch result.Status {
	case harness.Pass:
		return
	case harness.NotSupported:
		t.Skip(said)
	}
	r.met = append(r.met, s.ID)
	if e, ok := r.known.Find(s.ID); ok {
		t.Skipf("known (%s): %s", e.Reason, said)
	}
	if !result.FailsGate() {
		t.Skipf("advisory: %s", said)
	}
	if c := r.explaining(result); c != "" {
		t.Skipf("%s fails; the cause %s explains it", s.ID, c)
	}
	if r.shown++; r.shown > most {
		said, _, _ = strings.Cut(said, "\n")
	}
	t.Error(short(said))
}

// campaigns runs one campaign for each dialect that cases can be made for.
func (r *runner) campaigns(t *testing.T) {
	if r.cases == 0 {
		t.Skip("no cases requested")
	}
	for _, dialect := range slices.Sorted(maps.Keys(r.hello.Dialects)) {
		if !slices.Contains(all.Names(), dialect) {
			continue
		}
		t.Run(dialect, func(t *testing.T) { r.campaign(t, dialect) })
	}
}

func (r *runner) campaign(t *testing.T, dialect string) {
	run, err := campaign.Start(t.Context(), r.config(t, dialect))
	if err != nil {
		t.Errorf("the campaign did not finish: %v", err)
	}
	result := &run.Result
	if result.Unconnected {
		t.Errorf("%s (declare what the engine lacks, or check how it handles a plain edit)", result.Stopped)
	}
	found := r.news(result)
	r.results[dialect] = result
	for _, c := range ranked(all.Rules(dialect).Checks, found) {
		t.Run(c.Name, func(t *testing.T) { r.check(t, c, found, result.Coverage) })
	}
	r.whole++
	if result.Wider > 0 {
		t.Logf("%s: the next level would add %d more causes (enginetest.Judge)", r.judge, result.Wider)
	}
}

// serial is a guarded engine for several goroutines, one at a time.
type serial struct {
	*guard.Engine
	mu *sync.Mutex
}

func (s serial) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Engine.Eval(ctx, c)
}

// config configures a campaign. An engine within this process is guarded and
// asked for one case at a time: nothing is known of its being safe for more.
func (r *runner) config(t *testing.T, dialect string) campaign.Config {
	d := r.hello.Dialects[dialect]
	c := campaign.Config{
		Dialect: dialect, Seed: r.seed, Cases: r.cases, Engine: r.engine, Workers: r.hello.Window, Dir: r.findings,
		Judging: judge.Options{Reference: reference.New(), Level: r.judge},
	}
	if _, outside := r.engine.(harness.Bounded); !outside {
		g := guard.Shared(r.engine, r.deadline)
		t.Cleanup(func() { g.Close() })
		c.Engine, c.Workers = serial{g, &sync.Mutex{}}, 1
	}
	c.Generator.Suit(d, false)
	return c
}

// harmless replaces what does not print: an engine's words may hold sequences
// that a terminal would obey.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// unused fails the test for known failures that did not happen, if everything
// was run.
func (r *runner) unused(t *testing.T) {
	parts := 1
	for _, d := range all.Names() {
		if _, ok := r.hello.Dialects[d]; ok && r.cases > 0 {
			parts++
		}
	}
	if r.whole < parts {
		return // -run picked some
	}
	for _, e := range slices.DeleteFunc(r.known.Unused(r.met), finding.Entry.NamesFinding) {
		t.Errorf("known failures, line %d: %s matches no failure (delete it, or correct it)", e.Line, e.Pattern)
	}
}
