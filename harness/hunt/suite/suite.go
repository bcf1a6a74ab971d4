// Package suite runs scenarios against an engine and reports the result of each.
//
// It compares outcomes with those that the scenarios want. If a scenario does not
// hold under the profile that the engine declares, it compares with the reference
// under that profile. Package harness/hunt/campaign checks invariants over
// generated cases.
package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/engine/guard"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/scenarios"
)

// DefaultDeadline is the time that an engine has for one case.
const DefaultDeadline = 10 * time.Second

// Options say how to run.
type Options struct {
	// Workers is how many cases may be under way at once; 0 is one per
	// processor, or what the engine takes if it does its work in another
	// process. It is never more than the engine takes.
	Workers int
	// Deadline is the time for one case; 0 is [DefaultDeadline].
	Deadline time.Duration
	// Level is how much is judged: what counts at a wider level alone passes.
	Level harness.Level
	// Progress, if not nil, is called with the number of scenarios that were begun.
	Progress func(begun, total int)
}

// Result is what became of a scenario.
type Result struct {
	Scenario scenarios.Scenario
	Status   harness.Status
	// Reason says why the engine could not be asked or did not answer, or by
	// what it was judged if not by what the scenario wants.
	Reason string
	// Lacks names what the engine does not have and the scenario needs; "" if nothing.
	Lacks string
	// Failed is what kept the engine from an answer, as [harness.Failure.Word]; "" if nothing did.
	Failed      string
	Outcome     harness.Outcome // meaningful where the status is Pass or Fail
	Differences []outcome.Path
	// Wider is the level at which a scenario that passes at the level of the run fails.
	Wider harness.Level

	stopped error // why the engine was given up, if it was
}

// FailsGate reports whether the result must fail a gate. A scenario of level
// should never does: it is reported only.
func (r Result) FailsGate() bool {
	switch r.Status {
	case harness.Pass, harness.Known, harness.NotSupported:
		return false
	case harness.Fail, harness.Fixed, harness.Flaky:
		return r.Scenario.Level != scenarios.Should
	}
	return true // crash, hang, protocol, not run
}

// Run runs the scenarios. The results are in the order of the scenarios,
// whatever the number of workers. When ctx ends, what was not finished has the
// status NotRun. An error means that the engine could not be asked, or not to
// the end (harness.ErrStopped); the results then hold what there is.
func Run(ctx context.Context, engine harness.Engine, list []scenarios.Scenario, o Options) ([]Result, error) {
	hello, err := engine.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("the engine did not answer initialize: %w", err)
	}
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	results := make([]Result, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	var chance atomic.Bool // the engine gave different answers to a scenario
	if _, outside := engine.(harness.Bounded); outside && o.Workers <= 0 {
		o.Workers = hello.Window // its work is done elsewhere
	}
	for range workerCount(o.Workers, hello.Window, len(list)) {
		workers.Go(func() {
			guarded := guard.Shared(engine, o.Deadline)
			defer guarded.Close()
			for i := range next {
				r := one(ctx, guarded, hello, list[i]).at(ctx, hello, o.Level)
				results[i] = repeated(ctx, guarded, hello, r, &chance)
			}
		})
	}
	for i := range list {
		next <- i
		if o.Progress != nil {
			o.Progress(i+1, len(list))
		}
	}
	close(next)
	workers.Wait()
	for _, r := range results {
		if r.stopped != nil {
			return results, r.stopped
		}
	}
	return results, nil
}

func workerCount(asked, window, cases int) int {
	if asked <= 0 {
		asked = runtime.GOMAXPROCS(0)
	}
	return max(1, min(asked, window, cases))
}

// reruns is how often a failing scenario runs again. An engine that answers at random with two
// equally frequent responses is noticed in seven of eight cases. Once it is, others run varied times more.
const reruns, varied = 3, 8

// repeated runs a failing scenario again, and reports another outcome as flaky.
func repeated(ctx context.Context, engine harness.Engine, hello harness.Hello, r Result, chance *atomic.Bool) Result {
	for n := 0; r.Status == harness.Fail && (n < reruns || n < varied && chance.Load()); n++ {
		again := one(ctx, engine, hello, r.Scenario)
		if again.Status == harness.NotRun {
			break
		}
		if again.Status != harness.Fail || !slices.EqualFunc(again.Differences, r.Differences, samePath) {
			chance.Store(true)
			r.Status, r.Reason = harness.Flaky, "the answer depends on earlier requests or on chance"
		}
	}
	return r
}

// samePath reports whether two differences are the same for readers.
func samePath(a, b outcome.Path) bool {
	return a.Pointer == b.Pointer && a.Want == b.Want && a.Got == b.Got
}

// one runs one scenario.
func one(ctx context.Context, engine harness.Engine, hello harness.Hello, s scenarios.Scenario) Result {
	r := Result{Scenario: s, Status: harness.NotRun, Reason: "interrupted"}
	if ctx.Err() != nil {
		return r
	}
	c, lack := Asked(hello, s)
	if s.Case = c; lack.Reason != "" {
		r.Status, r.Reason, r.Lacks = harness.NotSupported, lack.Reason, lack.Name
		return r
	}
	out, err := engine.Eval(ctx, s.Case)
	switch {
	case ctx.Err() != nil:
		return r
	case errors.Is(err, harness.ErrStopped):
		r.Reason, r.stopped = err.Error(), err
		return r
	case err != nil:
		f := harness.AsFailure(err)
		r.Status, r.Reason, r.Failed = f.Kind, f.Detail, f.Word()
		return r
	case out.Verdict == harness.Unsupported:
		r.Status, r.Reason = harness.NotSupported, "the engine says that it is not supported: "+out.Message
		return r
	}
	out = Aligned(hello, s.Case, out)
	r.Outcome = out
	r.Status, r.Differences, r.Reason = compare(s, hello, out)
	if r.Status == harness.Fail && hello.Dialects[s.Case.Dialect].Codes != harness.ExactCodes &&
		!slices.ContainsFunc(r.Differences, beyondCode) {
		r.Scenario.Level = scenarios.Should // as in campaigns, its reasons are its own affair
	}
	return r
}

// beyondCode reports whether a difference is more than another reason for a refusal.
func beyondCode(p outcome.Path) bool { return p.Pointer != "/code" && p.Pointer != "/at" }

func (r Result) at(ctx context.Context, hello harness.Hello, level harness.Level) Result {
	if rules := all.Rules(r.Scenario.Case.Dialect); r.Failed != "" && !level.Includes(harness.JudgeRules) &&
		rules.Unreadable(r.Scenario.Case) {
		r.Status, r.Failed, r.Reason, r.Wider = harness.Pass, "", "", harness.JudgeRules
	}
	if r.Status != harness.Fail || level.Next() == "" {
		return r
	}
	counts, err := LevelOf(ctx, hello, r.Scenario.Case, r.Outcome, r.Differences)
	if err == nil && !level.Includes(counts) {
		r.Status, r.Differences, r.Reason, r.Wider = harness.Pass, nil, "", counts
	}
	return r
}

// Asked returns the case of a scenario as an engine gets it. A profile or a limit that
// the engine does not take is left out if the reference, under the profile that the
// engine declares, gives the wanted answer without it. The lack says why the engine
// does not get the case; it is empty if it does.
func Asked(hello harness.Hello, s scenarios.Scenario) (c harness.Case, lack harness.Lack) {
	_, lack = all.Resolve(hello, s.Case)
	declared, ok := hello.Dialects[s.Case.Dialect]
	if lack.Reason == "" || !ok {
		return s.Case, lack
	}
	c = s.Case
	if !declared.Has(harness.FeatureProfiles) {
		c.Profile = nil
	}
	for _, l := range c.Limits.All() {
		if slices.Contains(declared.Without, l.Name) {
			*l.Value = nil
		}
	}
	if _, still := all.Resolve(hello, c); still.Reason != "" {
		return s.Case, lack
	}
	profile := declared.Profile
	if c.Profile != nil {
		profile = *c.Profile
	}
	if out, err := reference.Judge(c, profile); err != nil || len(s.Match(out)) > 0 {
		lack.Reason += ", and without it another answer is right"
		return s.Case, lack
	}
	return c, harness.Lack{}
}

// compare compares an outcome with what the scenario wants.
//
// A scenario without a profile runs under the one that the engine declares, and
// what it wants may not hold there: an engine that keeps what it declared must
// not fail for it. So where the reference, under that profile, does not give
// what is wanted either, it is the reference that the outcome is compared with.
func compare(s scenarios.Scenario, hello harness.Hello, out harness.Outcome) (harness.Status, []outcome.Path, string) {
	differences := s.Match(out)
	if len(differences) == 0 {
		return harness.Pass, nil, ""
	}
	declared := hello.Dialects[s.Case.Dialect].Profile
	if s.Case.Profile != nil || declared.Same(harness.Reference(), all.Vocabulary(s.Case.Dialect).Own) {
		return harness.Fail, differences, ""
	}
	want, err := reference.Judge(s.Case, declared)
	if err != nil || len(s.Match(want)) == 0 {
		return harness.Fail, differences, ""
	}
	const why = "the scenario has no profile, and what it wants does not hold under the one that the engine declares"
	if differences = s.WithWant(want).Match(out); len(differences) > 0 {
		return harness.Fail, differences, why + "; compared with the reference under that profile"
	}
	return harness.NotSupported, nil, why + " (give the scenario a profile line)"
}

// Eval asks an engine once, guarded.
func Eval(ctx context.Context, engine harness.Engine, c harness.Case, deadline time.Duration) (harness.Outcome, error) {
	guarded := guard.Shared(engine, deadline)
	defer guarded.Close()
	return guarded.Eval(ctx, c)
}

// Aligned returns an outcome with the names that the engine was free to choose called as in the right one.
func Aligned(hello harness.Hello, c harness.Case, out harness.Outcome) harness.Outcome {
	rules, declared := all.Rules(c.Dialect), hello.Dialects[c.Dialect]
	if rules.Settle != nil && declared.Codes != harness.ExactCodes {
		rules.Settle(&out)
	}
	if rules.Align == nil {
		return out
	}
	want, err := reference.Judge(c, declared.Profile)
	if err != nil {
		return out
	}
	return *rules.Aligned(declared, c, &out, &want)
}

// LevelOf returns the narrowest level at which an outcome with these differences from the
// expected one counts as a failure.
func LevelOf(ctx context.Context, hello harness.Hello, c harness.Case, out harness.Outcome,
	differences []outcome.Path,
) (harness.Level, error) {
	judged, err := judge.Given(ctx, hello, all.Rules(c.Dialect), judge.Options{}, judge.Item{Case: c}, out)
	if err != nil {
		return "", err
	}
	for _, b := range judged.Breaks {
		if b.Level == harness.JudgeSafety {
			return harness.JudgeSafety, nil
		}
	}
	members := all.Members(c.Dialect)
	for _, d := range differences {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.Pointer, "/"), "/")
		if m := members.Find(name); name == "verdict" || m != nil && m.Content {
			return harness.JudgeRules, nil
		}
	}
	return harness.JudgeExact, nil
}
