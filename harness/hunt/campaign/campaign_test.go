package campaign

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/plan"
)

// altered is the reference with its outcomes changed: an engine with a defect.
type altered struct {
	harness.Engine
	change func(c harness.Case, o *harness.Outcome) error
}

func (a altered) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	o, err := a.Engine.Eval(ctx, c)
	if err == nil {
		err = a.change(c, &o)
	}
	return o, err
}

func (a altered) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := a.Engine.Hello(ctx)
	h.Name = "altered"
	return h, err
}

// forgetful reopens a done step whenever it adds a step: two defects in one,
// by which of them shows first.
func forgetful(_ harness.Case, o *harness.Outcome) error {
	if o.Plan == nil || o.Meta == nil || o.Meta.Added == 0 {
		return nil
	}
	for i := range o.Plan.Steps {
		if o.Plan.Steps[i].Status == plan.Done {
			o.Plan.Steps[i].Status = plan.Pending
			return nil
		}
	}
	o.Warnings = []harness.Warning{}
	return nil
}

// config is a small campaign of an engine, each chunk with its own.
func config(change func(harness.Case, *harness.Outcome) error) Config {
	profile := harness.Reference()
	open := func() (harness.Engine, error) {
		if change == nil {
			return reference.New(), nil
		}
		return altered{reference.New(), change}, nil
	}
	e, _ := open()
	return Config{
		Dialect: "planpatch", Seed: 1, Cases: 450, Engine: e, Fresh: open, Workers: 2,
		Generator: generators.Options{Profile: &profile, MaxSteps: 12, Traits: []string{
			"conflict-remove-add", "fence-json", "cycle-n", "duplicate-add", "prose-before", "unknown-member",
		}},
		Judging:      judge.Options{Reference: reference.New()},
		ShrinkBudget: 30,
	}
}

func start(t *testing.T, c Config) Run {
	t.Helper()
	run, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func encoded(t *testing.T, r Result) string {
	t.Helper()
	b, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent(" "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// written reads everything below a directory but the checkpoint.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), checkpointName) {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReferenceInBulk: an engine without defects has no findings, and no check goes
// without work.
func TestReferenceInBulk(t *testing.T) {
	c := config(nil)
	c.Cases, c.Judging.Every, c.Generator.Traits = 3000, 4, nil
	r := start(t, c).Result
	for _, f := range r.Findings() {
		t.Errorf("%s, case %d: %s", f.ID(), f.CaseIndex, f.Message)
	}
	if r.Cases != 3000 || r.Valid < generators.PlainCases || r.Accepted != r.Valid {
		t.Errorf("%d cases, %d valid, %d accepted", r.Cases, r.Valid, r.Accepted)
	}
	for name, n := range r.Coverage.Checks {
		if n == 0 {
			t.Errorf("the check %s was never made", name)
		}
	}
}

// TestMixInBulk: under rules of their own, cases reach everything that there is to
// reach, and nothing breaks.
func TestMixInBulk(t *testing.T) {
	c := config(nil)
	c.Generator, c.Judging.SampleReference = generators.Options{}, true
	c.Cases = 12000 // python_literal is the rarest: one case in 2,000
	r := start(t, c).Result
	for _, f := range r.Findings() {
		t.Errorf("%s, case %d: %s", f.ID(), f.CaseIndex, f.Message)
	}
	for _, tally := range r.Coverage.tallies() {
		for name, n := range *tally {
			if n == 0 {
				t.Errorf("no case met %s", name)
			}
		}
	}
}

// TestCoverageOfAFewCases: each value of a knob that is a list is met, and what the
// rules leave out of the campaign is not called unmade.
func TestCoverageOfAFewCases(t *testing.T) {
	profile := harness.Reference()
	if err := profile.Set("replan_on", "verification,tool", all.Vocabulary("orchestrator").Own...); err != nil {
		t.Fatal(err)
	}
	c := config(nil)
	c.Dialect, c.Cases, c.Generator = "orchestrator", generators.PlainCases, generators.Options{
		Profile: &profile, Traits: []string{"tool-fails", "tool-failure-replans", "other-json-value"},
	}
	c.Engine = reference.WithProfile(profile)
	c.Fresh = func() (harness.Engine, error) { return reference.WithProfile(profile), nil }
	r := start(t, c).Result
	for value, met := range map[string]bool{"verification": true, "tool": true, "environment": false, "none": false} {
		if n := r.Coverage.Knobs["replan_on="+value]; (n > 0) != met {
			t.Errorf("replan_on=%s was met %d times", value, n)
		}
	}
	want := []string{"other-json-value", "tool-failure-replans"} // a failed tool replans
	if diff := cmp.Diff(want, r.Unmade()); diff != "" {
		t.Errorf("traits never made (-want +got):\n%s", diff)
	}
}

// TestWrongLabelInBulk: the campaign does not believe the engine but the maker of
// the case. It must see a single wrong label even though engine and reference
// agree with each other.
func TestWrongLabelInBulk(t *testing.T) {
	tests := map[string]func(*generators.Sample){
		"verdict": func(s *generators.Sample) {
			s.Want.Verdict, s.Want.Codes = harness.Rejected, []harness.Code{harness.BadType}
		},
		"rung": func(s *generators.Sample) { s.Want.Rung = harness.RungRetry },
	}
	for field, corrupt := range tests {
		corrupted := uint64(0)
		c := config(nil)
		c.Cases, c.Workers = 300, 1
		n, chosen := uint64(0), ""
		var one sync.Mutex // examples are made beside the cases
		c.relabel = func(s *generators.Sample) {
			one.Lock()
			defer one.Unlock()
			if n++; chosen == "" && s.Valid && s.Want.Verdict == harness.Applied {
				corrupted, chosen = n, string(s.Case.Plan)
			}
			if string(s.Case.Plan) == chosen { // also when it is made again
				corrupt(s)
			}
		}
		c.Cases = 100
		r := start(t, c).Result
		list := r.Findings()
		if len(list) != 1 {
			t.Fatalf("%s: %d findings, want one", field, len(list))
		}
		f := list[0]
		if f.Invariant != judge.Expected || f.Field != field || f.CaseIndex != corrupted-1 || f.Kind != finding.Divergence {
			t.Errorf("%s: got %s at %q in case %d, %s: %s", field, f.Invariant, f.Field, f.CaseIndex, f.Kind, f.Message)
		}
		if r.Accepted != r.Valid-1 {
			t.Errorf("%s: %d of %d valid edits count as accepted", field, r.Accepted, r.Valid)
		}
	}
}

// TestWorkers: result, findings and files are the same for any number of
// workers, and for shards put together.
func TestWorkers(t *testing.T) {
	var want string
	var wantFiles map[string]string
	for _, workers := range []int{1, 2, 8} {
		c := config(forgetful)
		c.Workers, c.Dir = workers, t.TempDir()
		r := start(t, c).Result
		got, gotFiles := encoded(t, r), written(t, c.Dir)
		if want == "" {
			want, wantFiles = got, gotFiles
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers: another result:\n%s", workers, diff)
		}
		if diff := cmp.Diff(wantFiles, gotFiles); diff != "" {
			t.Errorf("%d workers: other files:\n%s", workers, diff)
		}
	}
	if len(wantFiles) == 0 {
		t.Fatal("the defect was not found")
	}
	var parts []Result
	for i := range 3 {
		c := config(forgetful)
		c.Shard = shard.Shard{I: 3 - i, N: 3}
		parts = append(parts, start(t, c).Result)
	}
	merged, err := merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, encoded(t, merged)); diff != "" {
		t.Errorf("shards: another result:\n%s", diff)
	}
	if _, err := merge(parts[0], parts[0]); err == nil {
		t.Error("a shard can stand twice")
	}
	parts[1].Seed++
	if _, err := merge(parts...); err == nil {
		t.Error("two campaigns can be put together")
	}
}

// TestResumeInBulk: interrupted at any place and resumed, a campaign gives what it
// would have given.
func TestResumeInBulk(t *testing.T) {
	whole := start(t, config(forgetful)).Result
	for _, stopAt := range []int{1, 40, 250, 420} {
		c := config(forgetful)
		c.Dir, c.Resume = t.TempDir(), true
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int64 // engines that were left behind still ask
		interrupted := c
		interrupted.Workers = 1
		interrupted.Fresh = func() (harness.Engine, error) {
			return altered{reference.New(), func(k harness.Case, o *harness.Outcome) error {
				if asked.Add(1) == int64(stopAt) {
					cancel()
				}
				return forgetful(k, o)
			}}, nil
		}
		run, err := Start(ctx, interrupted)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d: got %v", stopAt, err)
		}
		if n := run.Result.Statuses(nil)[harness.NotRun]; n != whole.Cases-run.Result.Cases || n == 0 {
			t.Errorf("stopped after %d: %d cases count as not run", stopAt, n)
		}
		saved := saved(t, c.Dir)
		resumed := start(t, c)
		if resumed.Ran+saved.Cases != whole.Cases || run.Ran != run.Result.Cases || run.Ran < saved.Cases {
			t.Errorf("stopped after %d: ran %d cases, saved %d and ran %d of %d", stopAt, run.Ran, saved.Cases, resumed.Ran,
				whole.Cases)
		}
		if diff := cmp.Diff(encoded(t, whole), encoded(t, resumed.Result)); diff != "" {
			t.Errorf("stopped after %d: another result:\n%s", stopAt, diff)
		}
	}
}

// saved is the checkpoint below a directory.
func saved(t *testing.T, dir string) Result {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, checkpointName+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestInterrupted: a report covers all cases judged before an interrupt, also of chunks
// that were not done, and what was found in it is not looked into any more.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := config(nil)
	c.Dir, c.Workers = t.TempDir(), 2
	var asked atomic.Int64
	c.Fresh = func() (harness.Engine, error) {
		return altered{reference.New(), func(_ harness.Case, o *harness.Outcome) error {
			if asked.Add(1) == 40 {
				cancel()
			}
			*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.EmptyPatch}
			return nil
		}}, nil
	}
	run, err := Start(ctx, c)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	res := run.Result
	if res.Cases == 0 || res.Cases >= chunkSize || res.Cases != run.Ran || len(res.Findings()) == 0 {
		t.Errorf("%d cases in the result, %d ran, %d findings", res.Cases, run.Ran, len(res.Findings()))
	}
	for _, f := range res.Findings() {
		if strings.Contains(f.Message, "does not occur again") {
			t.Errorf("nobody asked again: %s", f.Message)
		}
		if f.Reproduced != finding.Unexamined || f.Shrunk.From != f.Shrunk.To || f.Fingerprint == "" || f.Message == "" ||
			f.Answer.Verdict == "" {
			t.Errorf("too much or too little in a finding: %+v", f)
		}
	}
	if s := saved(t, c.Dir); s.Cases != 0 || len(s.Groups) != 0 {
		t.Errorf("the checkpoint holds %d cases", s.Cases)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, FindingsDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("findings were written: %v", err)
	}
}

// TestKillInBulk resumes what was killed without warning: this test runs itself as
// another process.
func TestKillInBulk(t *testing.T) {
	const variable = "REPLANBENCH_TEST_CAMPAIGN_DIR"
	const cases = 3000
	c := config(forgetful)
	c.Cases = cases
	if dir := os.Getenv(variable); dir != "" {
		c.Dir = dir
		start(t, c)
		return
	}
	c.Dir, c.Resume = t.TempDir(), true
	child := exec.Command(os.Args[0], "-test.run=^TestKillInBulk$")
	child.Env = append(os.Environ(), variable+"="+c.Dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = child.Wait() // killed or not, it ends
		close(ended)
	}()
	exists := func() bool {
		_, err := os.Stat(filepath.Join(c.Dir, checkpointName+".json"))
		return err == nil
	}
	for !exists() { // until there is something to go on from
		select {
		case <-ended:
			t.Fatal("the campaign ended without a checkpoint")
		case <-time.After(time.Millisecond):
		}
	}
	_ = child.Process.Kill() // it fails if the campaign is over: then all is done
	<-ended
	c.Cases = cases
	saved := saved(t, c.Dir)
	resumed := start(t, c)
	if resumed.Ran != cases-saved.Cases {
		t.Errorf("ran %d of %d cases again, %d were done", resumed.Ran, cases, saved.Cases)
	}
	c.Dir = ""
	if diff := cmp.Diff(encoded(t, start(t, c).Result), encoded(t, resumed.Result)); diff != "" {
		t.Errorf("another result:\n%s", diff)
	}
}

// TestFailures: an engine that crashes, hangs or talks nonsense gives findings
// and does not end the campaign; one that is given up does.
func TestFailures(t *testing.T) {
	rare := func(c harness.Case, then func() error) error {
		if len(c.Plan)%61 == 0 {
			return then()
		}
		return nil
	}
	tests := map[finding.Kind]func(c harness.Case, o *harness.Outcome) error{
		finding.Crash: func(c harness.Case, _ *harness.Outcome) error {
			return rare(c,
				func() error { panic("out of ideas") })
		},
		finding.Protocol: func(c harness.Case, _ *harness.Outcome) error {
			return rare(c, func() error { return &harness.Failure{Kind: harness.ProtocolFailure, Detail: "printed hello"} })
		},
		finding.Violation: func(c harness.Case, o *harness.Outcome) error {
			return rare(c, func() error { o.Verdict = "fine"; return nil })
		},
	}
	for kind, change := range tests {
		c := config(change)
		c.Cases = 300
		r := start(t, c).Result
		list := r.Findings()
		if len(list) == 0 || list[0].Kind != kind || list[0].Invariant != judge.Total || r.Cases != 300 {
			t.Errorf("%s: %d cases, findings %+v", kind, r.Cases, list)
		}
		total := uint64(0)
		for _, n := range r.Statuses(nil) {
			total += n
		}
		if total != r.Cases {
			t.Errorf("%s: the statuses count %d of %d cases", kind, total, r.Cases)
		}
	}
	stopped := config(func(harness.Case, *harness.Outcome) error { return harness.ErrStopped })
	run, err := Start(t.Context(), stopped)
	if !errors.Is(err, harness.ErrStopped) || run.Result.Cases != 0 {
		t.Errorf("got %v after %d cases", err, run.Result.Cases)
	}
}

// TestHang: time is simulated, so that nothing but the hang costs any.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		c := config(func(c harness.Case, _ *harness.Outcome) error {
			if len(c.Plan)%61 == 0 {
				<-release
			}
			return nil
		})
		c.Cases, c.Deadline, c.Workers, c.MaxFindings = 300, time.Minute, 1, 1
		list := start(t, c)
		found := list.Result.Findings()
		if len(found) == 0 || found[0].Kind != finding.Hang || found[0].Reproduced != "3/3" {
			t.Errorf("got %+v", found)
		}
	})
}

// TestFlaky: a failure that does not show each time is reported as nondeterministic, a timeout
// as advice: the machine may have been busy.
func TestFlaky(t *testing.T) {
	var asked atomic.Int64 // examples are made beside the cases
	c := config(nil)
	c.Workers, c.Cases = 1, 100
	c.Fresh = nil
	c.Engine = altered{reference.New(), func(_ harness.Case, o *harness.Outcome) error {
		if asked.Add(1) == 7 {
			*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.BadType}
		}
		return nil
	}}
	r := start(t, c).Result
	list := r.Findings()
	if len(list) != 1 || list[0].Kind != finding.Flaky || list[0].Reproduced != "0/3" ||
		r.Statuses(nil)[harness.Flaky] != 1 {
		t.Errorf("got %+v", list)
	}
	asked.Store(0)
	c.Engine = altered{reference.New(), func(harness.Case, *harness.Outcome) error {
		if asked.Add(1) == 7 {
			return &harness.Failure{Kind: harness.Hang, Detail: "no response within 1s"}
		}
		return nil
	}}
	if r := start(t, c).Result; r.Failing != 0 || len(r.Causes) != 1 || !r.Causes[0].Advisory {
		t.Errorf("one timeout: %d failing cases, %+v", r.Failing, r.Causes)
	}
}

// TestRandomInBulk: an engine that answers at random has one cause, although most cases fail again when they are re-run,
// and is connected, although it fails most plain cases. Its answers depend on the seed, the case and how often it was
// asked, and not on the order of the workers.
func TestRandomInBulk(t *testing.T) {
	for seed := range uint64(3) {
		random, mutex := map[string]*rand.Rand{}, sync.Mutex{}
		c := config(nil)
		c.Cases, c.Fresh = 150, nil
		c.Engine = altered{reference.New(), func(asked harness.Case, o *harness.Outcome) error {
			mutex.Lock()
			defer mutex.Unlock()
			key := fmt.Sprint(asked.Replies, string(asked.Plan))
			if random[key] == nil {
				sum := fnv.New64a()
				_, _ = sum.Write([]byte(key))
				random[key] = rand.New(rand.NewPCG(seed, sum.Sum64()))
			}
			switch n := random[key].IntN(100); {
			case n < 20:
				*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.BadType}
			case o.Plan != nil:
				p := *o.Plan
				o.Plan, p.Title = &p, strconv.Itoa(n)
			}
			return nil
		}}
		r := start(t, c).Result
		advisory := func(x cause.Cause) bool { return x.Advisory }
		if list := slices.DeleteFunc(r.Causes, advisory); r.Unconnected || len(list) != 1 || list[0].Class != judge.Unsteady {
			for _, x := range r.Causes {
				t.Errorf("seed %d: stopped %q, cause %s: %s (%d of %d)", seed, r.Stopped, x.Class, x.Sentence, x.Cases, x.Of)
			}
		}
	}
}

// TestFindingInBulk: a finding is small, tells what broke, says what would be right,
// and breaks the same on the engine again.
func TestFindingInBulk(t *testing.T) {
	c := config(forgetful)
	c.Dir, c.Generator.MaxSteps, c.ShrinkBudget = t.TempDir(), 0, 0
	r := start(t, c).Result
	list := r.Findings()
	if len(list) == 0 {
		t.Fatal("nothing was found")
	}
	kept, err := filepath.Glob(filepath.Join(c.Dir, FindingsDir, "*", finding.JSONFile))
	if err != nil || len(kept) != len(list) {
		t.Errorf("%d findings are kept, %d were found: %v", len(kept), len(list), err)
	}
	for _, f := range list {
		if f.Shrunk.To.Steps > 3 || f.Shrunk.To.Operations > 3 || f.Reproduced != "3/3" {
			t.Errorf("%s: %+v, reproduced %s", f.ID(), f.Shrunk, f.Reproduced)
		}
		hello, err := c.Engine.Hello(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := Minimize(t.Context(), c, hello, f.Case, f.Invariant)
		if err != nil || again.Invariant != f.Invariant || again.Got != f.Got {
			t.Errorf("%s: again %s %s, %v", f.ID(), again.Invariant, again.Got, err)
		}
		fine := config(nil)
		if _, err := Minimize(t.Context(), fine, hello, f.Case, ""); !errors.Is(err, ErrHolds) {
			t.Errorf("%s: on the reference: %v", f.ID(), err)
		}
	}
}

// TestOtherLine: a smaller case crashes at the line of the engine where the case crashed.
func TestOtherLine(t *testing.T) {
	c := config(func(c harness.Case, o *harness.Outcome) error {
		if strings.Count(string(c.Plan), `"id"`) > 2 {
			panic("many steps")
		}
		panic("few steps")
	})
	hello, err := c.Engine.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := Minimize(t.Context(), c, hello, harness.Case{
		Dialect: "planpatch", Replies: []harness.Reply{`{"title":"another"}`},
		Plan: []byte(`{"title":"t","steps":[{"id":"a","description":"a"},{"id":"b","description":"b"},` +
			`{"id":"c","description":"c"},{"id":"d","description":"d"}]}`),
	}, "")
	if err != nil || f.Shrunk.To.Steps != 3 || !strings.Contains(f.Message, "many steps") {
		t.Errorf("%d steps, %s, %v", f.Shrunk.To.Steps, f.Message, err)
	}
}

// TestByIDInBulk: the rules that lose finished work are found to do so, and the right
// answer is not theirs.
func TestByIDInBulk(t *testing.T) {
	byID := harness.Reference()
	byID.CarryOver = harness.ByID
	c := config(nil)
	c.Generator.Profile, c.Generator.Traits, c.Cases = &byID, []string{"full-drops-done"}, 300
	c.Engine = reference.WithProfile(byID)
	c.Fresh = func() (harness.Engine, error) { return reference.WithProfile(byID), nil }
	r := start(t, c).Result
	if len(r.Findings()) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range r.Findings() {
		kept := func(o *harness.Outcome) bool {
			before, err := plan.Decode(f.Case.Plan)
			if err != nil {
				t.Fatal(err)
			}
			return o.Plan == nil || !slices.ContainsFunc(before.Steps, func(s plan.Step) bool {
				return s.Status == plan.Done && o.Plan.Step(s.ID) == nil
			})
		}
		if f.Invariant != check.DoneImmutable || kept(f.Given) || !kept(&f.Answer) {
			t.Errorf("%s: given %+v, right %+v", f.ID(), f.Given, f.Answer)
		}
	}
}

// TestDisputeInBulk: a finding about a member that engines need not give keeps it, so
// that its scenario fails where the campaign did, and passes on the reference.
func TestDisputeInBulk(t *testing.T) {
	tests := map[string]func(o *harness.Outcome){
		"rung":     func(o *harness.Outcome) { o.Rung = harness.RungRetry },
		"tier":     func(o *harness.Outcome) { o.Tier = harness.TierNone },
		"at":       func(o *harness.Outcome) { o.At = new("/nowhere") },
		"repairs":  func(o *harness.Outcome) { o.Repairs = []harness.Repair{{Rule: "comment"}, {Rule: "comment"}} },
		"warnings": func(o *harness.Outcome) { o.Warnings = append([]harness.Warning{{Code: "bridged"}}, o.Warnings...) },
		"meta":     func(o *harness.Outcome) { o.Meta = &harness.Meta{Added: 99} },
		"events":   func(o *harness.Outcome) { o.Events = []harness.Event{{Event: harness.EventReactUsed}} },
	}
	for field, change := range tests {
		t.Run(field, func(t *testing.T) {
			c := config(func(_ harness.Case, o *harness.Outcome) error {
				if code := o.Code; code != harness.BadLimit && code != harness.InvalidPlan {
					change(o)
				}
				return nil
			})
			c.Cases, c.ShrinkBudget = 300, -1
			r := start(t, c).Result
			var found finding.Finding
			for _, f := range r.Findings() {
				if f.Invariant == judge.Reference && f.Field == field {
					found = f
				}
			}
			s, err := found.Scenario()
			if err != nil || found.Given == nil {
				t.Fatalf("no finding about %s with an answer (%v) among %+v", field, err, r.Findings())
			}
			if s.Match(*found.Given) == nil {
				t.Errorf("the scenario that wants %s is content with %+v", s.Want, *found.Given)
			}
			right, err := reference.New().Eval(t.Context(), found.Case)
			if d := s.Match(right); err != nil || d != nil {
				t.Errorf("the reference differs from the scenario: %v %v", err, d)
			}
		})
	}
}

// TestDisputeOfAnyCheckInBulk: where a check, and not the reference alone, finds results that
// should be gone, the scenario wants them gone, too.
func TestDisputeOfAnyCheckInBulk(t *testing.T) {
	c := config(func(c harness.Case, o *harness.Outcome) error {
		if o.Results != nil {
			o.Results = c.Results
		}
		return nil
	})
	c.Dialect, c.Generator.Traits, c.ShrinkBudget = "operations", nil, -1
	r := start(t, c).Result
	for _, f := range r.Findings() {
		s, err := f.Scenario()
		if err != nil || f.Given == nil || f.Field != "results" {
			t.Fatalf("%s about %q, with the answer %v: %v", f.ID(), f.Field, f.Given, err)
		}
		if s.Match(*f.Given) == nil {
			t.Errorf("%s: the scenario that wants %s is content with %s", f.ID(), s.Want, f.Given.Results)
		}
	}
	if list := r.Findings(); !slices.ContainsFunc(list,
		func(f finding.Finding) bool { return f.Invariant != judge.Reference }) {
		t.Errorf("no check found it: %+v", list)
	}
}

// almost is an engine's fault: the last step has a status that does not exist.
func almost(_ harness.Case, o *harness.Outcome) error {
	if o.Plan != nil {
		o.Plan.Steps[len(o.Plan.Steps)-1].Status = "almost"
	}
	return nil
}

// TestInterruptedAtTheEnd: a chunk that is in the result when the campaign ends
// and is interrupted at once counts a single time.
func TestInterruptedAtTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := config(almost)
	c.MaxFindings, c.Workers = 1, 1
	c.Known = func(cause.Group) bool { cancel(); return false }
	run, err := Start(ctx, c)
	if err != nil || run.Result.Cases != generators.PlainCases || run.Result.Stopped == "" || len(run.Result.Groups) == 0 {
		t.Errorf("%d cases, stopped %q, %d findings, %v", run.Result.Cases, run.Result.Stopped, len(run.Result.Findings()),
			err)
	}
}

func TestMaxFindingsInBulk(t *testing.T) {
	c := config(almost)
	c.MaxFindings = 2
	r := start(t, c).Result
	if n := len(r.Groups); n < 2 || r.Stopped == "" || r.Cases >= c.Cases {
		t.Errorf("%d groups after %d cases, stopped %q", n, r.Cases, r.Stopped)
	}
}

// TestUnsupported: an engine without the feature ladder is not asked what it
// cannot do.
func TestUnsupported(t *testing.T) {
	c := config(nil)
	c.Fresh, c.Engine, c.Generator.Traits = nil, plainEngine{reference.New()}, []string{"first-reply-fails"}
	r := start(t, c).Result
	if len(r.Findings()) > 0 || r.Unsupported == 0 || r.Statuses(nil)[harness.NotSupported] != r.Unsupported {
		t.Errorf("%d of %d cases unsupported, findings %v", r.Unsupported, r.Cases, r.Findings())
	}
}

type plainEngine struct{ harness.Engine }

func (e plainEngine) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := e.Engine.Hello(ctx)
	h.Dialects = map[string]harness.Declaration{"planpatch": {Profile: harness.Reference()}}
	return h, err
}

func (e plainEngine) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if len(c.Replies) > 1 {
		return harness.Outcome{}, errors.New("asked for a ladder")
	}
	return e.Engine.Eval(ctx, c)
}

// TestTime: a campaign by time ends, and knows how many cases it ran.
func TestTime(t *testing.T) {
	c := config(nil)
	c.Cases, c.Time, c.Workers = 0, time.Minute, 1
	now := time.Unix(0, 0)
	c.Now = func() time.Time { return now }
	told := 0
	c.Progress = func(p Progress) { told++ }
	c.Fresh = func() (harness.Engine, error) {
		return reference.New(), nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	made := 0
	c.relabel = func(*generators.Sample) {
		if made++; made > 3*chunkSize {
			cancel()
		}
	}
	run, err := Start(ctx, c) // the clock stands: only the context ends it
	if !errors.Is(err, context.Canceled) || run.Result.Cases == 0 {
		t.Errorf("%d cases, %v", run.Result.Cases, err)
	}
	var asked atomic.Int64
	c.Now = func() time.Time { return time.Unix(asked.Add(10), 0) } // ten seconds pass at each look
	run, err = Start(t.Context(), c)
	if err != nil || run.Result.Cases == 0 || run.Result.Planned != 0 || told == 0 {
		t.Errorf("%d cases, progress told %d times, %v", run.Result.Cases, told, err)
	}
}

// TestTimeWithinChunk: the time ends a chunk in the middle. What was judged counts, and a
// campaign that goes on from there comes to the result of a whole one.
func TestTimeWithinChunk(t *testing.T) {
	c := config(nil)
	c.Workers, c.Cases, c.Dir = 1, 5*chunkSize, t.TempDir()
	whole := start(t, c).Result

	var now atomic.Int64
	c.Dir, c.Time, c.Now = t.TempDir(), 290*time.Second, func() time.Time { return time.Unix(now.Load(), 0) }
	c.relabel = func(*generators.Sample) { now.Add(1) } // each case takes a second
	cut := start(t, c).Result
	if cut.Cases == 0 || cut.Cases%chunkSize == 0 || cut.Cases > 260 || cut.Interrupted {
		t.Errorf("%d cases in 290 seconds, interrupted %v", cut.Cases, cut.Interrupted)
	}
	c.Time, c.Now, c.relabel, c.Resume = 0, nil, nil, true
	if diff := cmp.Diff(whole, start(t, c).Result); diff != "" {
		t.Errorf("(-whole +gone on):\n%s", diff)
	}
}

func TestCeiling(t *testing.T) {
	c := config(nil)
	if rate, err := Ceiling(t.Context(), c, 50); err != nil || rate <= 0 {
		t.Errorf("%f cases per second: %v", rate, err)
	}
	c.Judging.Reference = nil
	if _, err := Ceiling(t.Context(), c, 50); err == nil {
		t.Error("a ceiling without a reference")
	}
}

func TestConfigRefuses(t *testing.T) {
	tests := map[string]func(*Config){
		"engine": func(c *Config) { c.Engine = nil }, "--cases": func(c *Config) { c.Cases = 0 },
		"shard": func(c *Config) { c.Shard = shard.Shard{I: 3, N: 2} }, "dialect": func(c *Config) { c.Dialect = "x" },
		"trait": func(c *Config) { c.Generator.Traits = []string{"x"} },
	}
	for word, change := range tests {
		c := config(nil)
		change(&c)
		if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: got %v", word, err)
		}
	}
	c := config(nil)
	c.Dir, c.Cases = t.TempDir(), 100
	start(t, c)
	c.Resume, c.Seed = true, 2
	if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "another campaign") ||
		!strings.Contains(err.Error(), "seed 2, and seed 1") {
		t.Errorf("the checkpoint of another seed: %v", err)
	}
	c.Seed, c.Generator.Traits = 1, []string{} // none, which is not all
	if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "the traits []") {
		t.Errorf("the checkpoint of other faults: %v", err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, checkpointName+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged checkpoint: %v", err)
	}
}

// TestOtherCases: cases may come from elsewhere than the dialect's generator,
// and are not put together with the generator's.
func TestOtherCases(t *testing.T) {
	c := config(nil)
	generated := start(t, c).Result
	source, err := all.Source(c.Dialect, c.Generator)
	if err != nil {
		t.Fatal(err)
	}
	one := source.At(1, 0)
	c.Source, c.Cases = "one case", 150
	c.Sample = func(_, _ uint64) generators.Sample { return one }
	r := start(t, c).Result
	if r.Title() != "planpatch: one case" || r.Cases != 150 || r.Valid != 0 && r.Valid != 150 {
		t.Errorf("%s: %d cases, %d valid", r.Title(), r.Cases, r.Valid)
	}
	if _, err := merge(generated, r); err == nil || !strings.Contains(err.Error(), "cases from one case") {
		t.Errorf("merging with generated cases: %v", err)
	}
}

// TestCheckStates: the state of a check follows from its cases.
func TestCheckStates(t *testing.T) {
	r := Result{
		Dialect: "planpatch", Judge: harness.JudgeSafety,
		Groups: []cause.Group{{
			Key: cause.Key{Check: "ids-unique", Kind: "twice"}, Class: judge.Unsound, Cases: 3,
			Beside: map[string]uint64{"within-limit grown": 1, "reference differs:plan": 3},
		}},
		Coverage: Coverage{
			Checks: Tally{"ids-unique": 9, "deps-exist": 9, "atomic": 1, "within-limit": 4, "reference": 9},
			Unseen: Tally{"atomic": 8, "input-unchanged": 9},
		},
	}
	states := r.States()
	for check, want := range map[string]CheckState{
		"ids-unique": {CheckBroken, 3}, "within-limit": {CheckBroken, 1}, "reference": {CheckNotJudged, 0},
		"deps-exist": {CheckHeld, 0}, "atomic": {CheckHeld, 0}, "input-unchanged": {CheckNotObservable, 0},
		"deps-acyclic": {CheckNotMet, 0},
	} {
		if got := states[check]; got != want {
			t.Errorf("%s is %v, want %v", check, got, want)
		}
	}
}

// TestShardsInBulk: the merged shards are the whole campaign, though each shard finds the
// culprits of its own cases alone. One shard goes on from what a killed run left behind.
func TestShardsInBulk(t *testing.T) {
	for name, test := range map[string]struct {
		first  uint64
		change func(harness.Case, *harness.Outcome) error
		shards []int
	}{
		"one defect":  {0, forgetful, []int{2, 8}},
		"ten defects": {3700, tenfold, []int{3}}, // among the pairs of traits
	} {
		c := config(test.change)
		c.First, c.Cases, c.MaxFindings, c.Bare, c.Unnamed, c.Generator.Traits = test.first, 850, 10_000, true, true, nil
		whole := start(t, c).Result
		whole.Causes = []cause.Cause{}
		if whole.NotAttributed != 0 || len(whole.Groups) == 0 {
			t.Errorf("%s: %d breaks are not attributed, and there are %d groups", name, whole.NotAttributed, len(whole.Groups))
		}
		for _, n := range test.shards {
			var m Merger
			for i := range n {
				part := c
				part.Shard = shard.Shard{I: i + 1, N: n}
				if i == 1 {
					part.Dir, part.Resume = t.TempDir(), true
					killed(t, part)
				}
				if err := m.Add(start(t, part).Result); err != nil {
					t.Fatal(err)
				}
			}
			merged := *m.all // before the causes, which are a function of the groups
			merged.Shards, merged.Of, merged.Next = whole.Shards, whole.Of, whole.Next
			if diff := cmp.Diff(encoded(t, whole), encoded(t, merged)); diff != "" {
				t.Errorf("%s, %d shards: another result (-whole +merged):\n%.2000s", name, n, diff)
			}
		}
	}
}

// tenfold has ten defects. Plain cases show most of them.
func tenfold(c harness.Case, o *harness.Outcome) error {
	if o.Plan == nil {
		if o.Code == harness.MissingDependency {
			o.Code = harness.EmptyPatch
		}
		return nil
	}
	o.Plan.Title = strings.TrimSuffix(o.Plan.Title, "s")
	o.Plan.VerificationPolicy = ""
	o.Warnings, o.Repairs = []harness.Warning{}, nil
	if last := len(o.Plan.Steps) - 1; last > 0 {
		s := &o.Plan.Steps[last]
		s.Description = strings.ReplaceAll(s.Description, "  ", " ")
		s.ToolsExpected, s.Extra = nil, nil
		if len(s.Dependencies) > 1 {
			s.Dependencies = s.Dependencies[:1]
		}
		if strings.Contains(string(c.Replies[0]), "add_steps") {
			o.Plan.Steps[0].Status = plan.Pending
		}
		if last > 6 {
			o.Plan.Steps = o.Plan.Steps[:last]
		}
	}
	return nil
}

// killed runs a campaign that writes a checkpoint after each chunk, and leaves the
// checkpoint behind that a kill in the second chunk would leave.
func killed(t *testing.T, c Config) {
	t.Helper()
	var left []byte
	now := time.Unix(0, 0)
	c.Now = func() time.Time { now = now.Add(time.Minute); return now }
	c.Workers = 1
	c.Progress = func(Progress) {
		if data, err := os.ReadFile(c.checkpoint()); err == nil && left == nil {
			left = data
		}
	}
	start(t, c)
	if left == nil {
		t.Fatal("there was no checkpoint")
	}
	if err := os.WriteFile(c.checkpoint(), left, 0o600); err != nil {
		t.Fatal(err)
	}
}

// merge puts the results of shards together.
func merge(parts ...Result) (Result, error) {
	var m Merger
	for _, p := range parts {
		if err := m.Add(p); err != nil {
			return Result{}, err
		}
	}
	return m.Result()
}
