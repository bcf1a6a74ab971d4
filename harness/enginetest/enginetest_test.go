package enginetest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/enginetest"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/plan"
	"replanbench/scenarios"
)

func TestReferenceInBulk(t *testing.T) {
	enginetest.Run(t, reference.New(), enginetest.Cases(300))
}

// subjectEnv makes TestSubject run the engine with that defect; it fails, so it
// runs in a process of its own. knownEnv is the list of its known failures.
const (
	subjectEnv = "REPLANBENCH_TEST_SUBJECT"
	knownEnv   = "REPLANBENCH_TEST_KNOWN"
)

func TestSubject(t *testing.T) {
	name := os.Getenv(subjectEnv)
	if name == "" {
		t.Skip("runs only as the subject of other tests")
	}
	e := all.Mutant(name)
	if name == twoBugs {
		e = untitled{all.Mutant(defect)}
	}
	if e == nil {
		t.Fatalf("no defect %q", name)
	}
	enginetest.Run(t, e, enginetest.Cases(300), enginetest.Known(os.Getenv(knownEnv)))
}

// twoBugs names an engine with two causes: it has a defect, and returns another title.
const twoBugs = "two bugs"

type untitled struct{ harness.Engine }

func (u untitled) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := u.Engine.Eval(ctx, c)
	if out.Plan != nil {
		other := *out.Plan
		other.Title += "!"
		out.Plan = &other
	}
	return out, err
}

// subject runs TestSubject/sub and returns whether it passed and what it said.
func subject(t *testing.T, defect, known, sub string) (passed bool, output string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSubject$"+sub, "-test.v")
	cmd.Env = append(os.Environ(), subjectEnv+"="+defect, knownEnv+"="+known)
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

const defect = "accepts-cycle"

func TestFindsADefectInBulk(t *testing.T) {
	passed, out := subject(t, defect, "", "")
	for _, want := range []string{
		`--- SKIP: TestSubject/scenarios/planpatch/graph/\w*cycle`,
		`the cause planpatch/unsound/\w+ explains it`,
		`--- FAIL: TestSubject/campaign/planpatch/deps-acyclic`,
		`--- PASS: TestSubject/campaign/planpatch/ids-unique`,
		`(?m)unsound: Makes a dependency cycle .*\n +name +planpatch/unsound/\w+`,
		`(?m)^ +plan  `, `(?m)^ +reply  `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the output lacks %s", want)
		}
	}
	if passed || t.Failed() {
		t.Logf("passed: %v, output:\n%s", passed, out)
		t.Fail()
	}
}

// TestLines: a test with causes writes few lines, and each cause once.
func TestLinesInBulk(t *testing.T) {
	for _, name := range []string{"removes-done-steps", twoBugs} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSubject$")
		cmd.Env = append(os.Environ(), subjectEnv+"="+name)
		out, err := cmd.CombinedOutput()
		if n := strings.Count(string(out), "\n"); err == nil || n > 200 {
			t.Errorf("%v, %d lines:\n%s", err, n, out)
		}
		if n := strings.Count(string(out), "enginetest.Findings(dir)"); n != 1 {
			t.Errorf("%d lines say how to keep cases:\n%s", n, out)
		}
	}
}

// misnamed gives one code another name.
type misnamed struct{ harness.Engine }

func (m misnamed) Hello(ctx context.Context) (harness.Hello, error) {
	hello, err := m.Engine.Hello(ctx)
	hello.Dialects = map[string]harness.Declaration{"planpatch": hello.Dialects["planpatch"]}
	d := hello.Dialects["planpatch"]
	d.Codes = harness.AnyCodes
	hello.Dialects["planpatch"] = d
	return hello, err
}

func (m misnamed) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := m.Engine.Eval(ctx, c)
	if out.Code == harness.DoneImmutable {
		out.Code = harness.UnknownStep
	}
	return out, err
}

// TestAnyCodes: with codes that mean nothing, a wrong one fails nothing.
func TestAnyCodes(t *testing.T) {
	enginetest.Run(t, misnamed{reference.New()}, enginetest.Cases(300))
}

func TestRunPicksSubtestsInBulk(t *testing.T) {
	passed, out := subject(t, defect, "", "/scenarios/planpatch/conflicts")
	if !passed || strings.Contains(out, "TestSubject/campaign/planpatch") ||
		!strings.Contains(out, "TestSubject/scenarios/planpatch/conflicts/") {
		t.Errorf("passed: %v, output:\n%s", passed, out)
	}
	passed, out = subject(t, defect, "", "/campaign/planpatch/deps-acyclic$")
	if passed || strings.Contains(out, "/scenarios/planpatch") {
		t.Errorf("passed: %v, output:\n%s", passed, out)
	}
}

func TestKnownInBulk(t *testing.T) {
	if passed, out := subject(t, defect, "planpatch/** # there is a ticket", ""); !passed {
		t.Errorf("known failures fail:\n%s", out)
	}
	passed, out := subject(t, defect, "planpatch/** # there is a ticket\nplanpatch/nothing/* # gone", "")
	if passed || !strings.Contains(out, "known failures, line 2: planpatch/nothing/* matches no failure") {
		t.Errorf("passed: %v, output:\n%s", passed, out)
	}
}

// TestOptionsInBulk: of all scenarios only one is run, so that those which the defect
// breaks fail nothing; what the campaign finds is kept, with its seed.
func TestOptionsInBulk(t *testing.T) {
	e := all.Mutant(defect)
	list, err := scenarios.Builtin()
	i := slices.IndexFunc(list, func(s scenarios.Scenario) bool { return s.ID == "planpatch/documented/valid_patch_read" })
	if e == nil || err != nil || i < 0 {
		t.Fatalf("no defect %s, or no such scenario (%v)", defect, err)
	}
	dir := t.TempDir()
	enginetest.Run(t, e, enginetest.Cases(300), enginetest.Seed(7), enginetest.Deadline(time.Minute),
		enginetest.Scenarios(list[i:i+1]), enginetest.Findings(dir),
		enginetest.Known("planpatch/deps-acyclic/*  # it is built in"))
	found, err := filepath.Glob(filepath.Join(dir, campaign.FindingsDir, "*", finding.JSONFile))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d findings are kept: %v", len(found), err)
	}
	for _, name := range found {
		if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), `"seed":7,`) &&
			!strings.Contains(string(data), `"seed": 7,`) {
			t.Errorf("the finding %s does not come from the seed 7 (%v)", name, err)
		}
	}
}

// rude is an engine that fails with words that a terminal would obey.
type rude struct{ harness.Engine }

func (rude) Eval(context.Context, harness.Case) (harness.Outcome, error) {
	return harness.Outcome{}, &harness.Failure{Kind: harness.Crash, Detail: "\x1b[2Jgone", Stderr: "\x1b]0;title\x07"}
}

func TestRude(t *testing.T) {
	if os.Getenv(subjectEnv) == "" {
		t.Skip("runs only as the subject of TestWordsAreHarmless")
	}
	enginetest.Run(t, rude{reference.New()}, enginetest.Cases(20))
}

func TestWordsAreHarmless(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestRude$/scenarios/planpatch/documented", "-test.v")
	cmd.Env = append(os.Environ(), subjectEnv+"=rude")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "gone") || strings.ContainsAny(string(out), "\x1b\x07") {
		t.Errorf("%v: %.2000q", err, out)
	}
}

func TestCheckReferenceInBulk(t *testing.T) {
	for _, d := range all.Names() {
		t.Run(d, func(t *testing.T) { enginetest.Check(t, reference.New(), d) })
	}
}

func TestChecked(t *testing.T) {
	name := os.Getenv(subjectEnv)
	if name == "" {
		t.Skip("runs only as the subject of other tests")
	}
	d, m, ok := all.Defect(name)
	if !ok {
		t.Fatalf("no defect %q", name)
	}
	enginetest.Check(t, d.Mutant(m), d.Name, enginetest.Known(os.Getenv(knownEnv)))
}

// checked runs TestChecked and returns whether it passed and what it said.
func checked(known string, flags ...string) (passed bool, output string) {
	cmd := exec.Command(os.Args[0], append([]string{
		"-test.run=^TestChecked$", "-rapid.nofailfile", "-rapid.seed=1",
		"-rapid.checks=2000",
	}, flags...)...)
	cmd.Env = append(os.Environ(), subjectEnv+"="+defect, knownEnv+"="+known)
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

// TestCheckShrinksInBulk: rapid finds the defect, and the case it ends with is smaller
// than the one it begins with, which one seed gives both.
func TestCheckShrinksInBulk(t *testing.T) {
	passed, shrunk := checked("", "-rapid.seed=1", "-rapid.shrinktime=8s")
	_, whole := checked("", "-rapid.seed=1", "-rapid.shrinktime=0s")
	for _, want := range []string{
		"deps-acyclic: ", "as a scenario:", "# deps-acyclic", "-- plan.json --",
		"-- reply.1.txt --", "-- want.json --", "the engine returned:", "-rapid.seed=",
	} {
		if !strings.Contains(shrunk, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	t.Logf("%d bytes shrunk from %d", len(shrunk), len(whole))
	if passed || len(shrunk) >= len(whole) || t.Failed() {
		t.Errorf("passed: %v, %d bytes shrunk from %d:\n%s", passed, len(shrunk), len(whole), shrunk)
	}
}

func TestCheckKnownInBulk(t *testing.T) {
	if passed, out := checked("planpatch/**  # there is a ticket", "-rapid.checks=300"); !passed {
		t.Errorf("known failures fail:\n%s", out)
	}
}

// unsound is an engine that makes every plan unsound, in one way.
type unsound struct {
	harness.Engine
	spoil func(p *plan.Plan)
}

func (e unsound) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := e.Engine.Eval(ctx, c)
	if out.Verdict == harness.Applied && out.Plan != nil && len(out.Plan.Steps) > 0 {
		out.Plan = out.Plan.Clone()
		e.spoil(out.Plan)
	}
	return out, err
}

// spoils are the ways, and what the failure shows.
func spoils() map[string]struct {
	spoil func(p *plan.Plan)
	shown string
} {
	return map[string]struct {
		spoil func(p *plan.Plan)
		shown string
	}{
		"twice":   {func(p *plan.Plan) { p.Steps = append(p.Steps, p.Steps[0]) }, `duplicate id`},
		"blank":   {func(p *plan.Plan) { p.Steps[len(p.Steps)-1].ID = "" }, ` "" `},
		"missing": {func(p *plan.Plan) { p.Steps[0].Dependencies = []string{"nowhere"} }, `nowhere`},
		"self":    {func(p *plan.Plan) { p.Steps[0].Dependencies = []string{p.Steps[0].ID} }, "dependencies from ["},
		"status":  {func(p *plan.Plan) { p.Steps[0].Status = "finished" }, `finished`},
		"bytes":   {func(p *plan.Plan) { p.Steps[0].Description = "half \xed\xa0\x80" }, `half `},
		"extra":   {func(p *plan.Plan) { p.Steps[0].Extra = []byte(`{"broken":`) }, `broken`},
		"list":    {func(p *plan.Plan) { p.Steps[0].Extra = []byte(`[1]`) }, `[1]`},
	}
}

func TestUnsoundSubject(t *testing.T) {
	way, ok := spoils()[os.Getenv(subjectEnv)]
	if !ok {
		t.Skip("runs only as the subject of TestUnsoundInBulk")
	}
	t.Run("run", func(t *testing.T) {
		enginetest.Run(t, unsound{reference.New(), way.spoil}, enginetest.Cases(20), enginetest.Judge(harness.JudgeSafety))
	})
	t.Run("check", func(t *testing.T) {
		enginetest.Check(t, unsound{reference.New(), way.spoil}, "planpatch", enginetest.Judge(harness.JudgeSafety))
	})
}

// TestUnsoundInBulk: plans that no dialect allows can be built, and a failure at safety shows them.
func TestUnsoundInBulk(t *testing.T) {
	for name, way := range spoils() {
		for _, how := range []string{"run/campaign/planpatch", "check"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				cmd := exec.Command(os.Args[0], "-test.run=^TestUnsoundSubject$/"+how, "-test.v", "-rapid.nofailfile",
					"-rapid.checks=100", "-rapid.seed=1", "-rapid.shrinktime=500ms")
				cmd.Env = append(os.Environ(), subjectEnv+"="+name)
				out, err := cmd.CombinedOutput()
				if err == nil || !strings.Contains(string(out), way.shown) || strings.Contains(string(out), "panic") {
					t.Errorf("%v, want %s:\n%.3000s", err, way.shown, out)
				}
			})
		}
	}
}
