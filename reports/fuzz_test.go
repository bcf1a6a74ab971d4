package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document"
	"replanbench/harness/document/style"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/reports/screen"
	"replanbench/scenarios"

	"github.com/google/go-cmp/cmp"
)

// TestFailureOfACampaign: the case stands there with its limits, and none is said to be
// shrunk that was not even asked again.
func TestFailureOfACampaign(t *testing.T) {
	f := finding.Finding{Reproduced: "3/3", Message: "it breaks", Case: harness.Case{
		Dialect: "orchestrator", Limits: harness.Limits{MaxPlanSteps: new(2)}, InterruptAfter: new(0),
		Plan: jsontext.Value("{}"), Replies: []harness.Reply{"x"},
	}}
	result := campaign.Result{Dialect: "orchestrator", Groups: []cause.Group{{ID: "g", Example: &f}}}
	title := func() string {
		return fuzzFailure(&result, cause.Cause{Groups: []string{"g"}, Findings: []string{f.ID()}}, "again").Title
	}
	for _, step := range []struct{ reproduced, stopped, want string }{
		{"3/3", "", "limits  max_plan_steps: 2, interrupt_after: 0\nplan  {}\nreply  x"},
		{"3/3", "", "bytes after shrinking."},
		{finding.Unexamined, "", "bytes as found (not shrunk: time was up)."},
		{finding.Unexamined, "enough was found", "bytes as found (not shrunk: enough was found)."},
	} {
		f.Reproduced, result.Stopped = step.reproduced, step.stopped
		if got := title(); !strings.Contains(got, step.want) {
			t.Errorf("%s lacks %q", got, step.want)
		}
	}
}

// TestNeverMetIsNotRed: a check without cases is no failure, and does not open its table.
func TestNeverMetIsNotRed(t *testing.T) {
	c := campaign.Result{Dialect: "tasks", Coverage: campaign.Coverage{Checks: campaign.Tally{"total": 0}}}
	table := fuzzChecks(&c)
	if s := newPageSection("1", &table); s.Open || s.Rows[0][4] != (pageCell{campaign.CheckNotMet, "doubtful"}) {
		t.Errorf("got %+v", s)
	}
}

func TestSpeed(t *testing.T) {
	for want, s := range map[string]Speed{
		"3.4 cases per second, 0.4 for each of 8 workers.":  {PerSecond: 3.4, PerWorker: .42, Workers: 8},
		"5312 cases per second, 5312 for each of 1 worker.": {PerSecond: 5312.3, PerWorker: 5312.3, Workers: 1},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestLacks: what an engine lacks comes from the results, whatever their reasons say.
func TestLacks(t *testing.T) {
	s := Scenarios{}
	for _, name := range []string{"title", "the feature ladder", "the feature ladder", ""} {
		s.Results = append(s.Results, ScenarioResult{Status: harness.NotSupported, Reason: "no", Lacks: name})
	}
	const want = ": the engine lacks what they need: the feature ladder (2), title (1). See replanbench list features."
	if got := s.lacks(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHowOften: a cause that shows in plain cases, too, is not said to show with its traits only.
func TestHowOften(t *testing.T) {
	plain, one, other := cause.Shows{}, cause.Shows{Culprits: []string{"a"}}, cause.Shows{Culprits: []string{"b", "c"}}
	for _, tt := range []struct {
		traits []cause.Shows
		want   string
	}{
		{nil, "3 of 9 cases"},
		{[]cause.Shows{one}, "3 of 9 cases with this trait"},
		{[]cause.Shows{other}, "3 of 9 cases with these traits"},
		{[]cause.Shows{one, other}, "3 of 9 cases with one of these traits"},
		{[]cause.Shows{one, plain}, "3 of 9 cases"},
	} {
		c := cause.Cause{Cases: 3, Of: 9, Traits: tt.traits}
		if tt.traits != nil {
			c.Culprits = tt.traits[0].Culprits
		}
		if got := howOften(c); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.traits, got, tt.want)
		}
	}
	if got := howOften(cause.Cause{Check: cause.CheckProfile, Cases: 1, Of: 1}); got != "1 of 1 probe" {
		t.Errorf("got %q", got)
	}
}

// TestHasIndex: no command is given that cannot show a case: of a server, or a probe.
func TestHasIndex(t *testing.T) {
	for _, tt := range []struct {
		features []string
		check    string
		want     string
	}{
		{nil, "reference", "replanbench replay tasks:2:7"},
		{[]string{harness.FeatureStore}, "reference", ""},
		{nil, cause.CheckProfile, ""},
	} {
		x := cause.Cause{ID: "c", Check: tt.check, First: 7, Groups: []string{"c"}, Advisory: true}
		r := Report{Fuzz: &Fuzz{Campaigns: []campaign.Result{{Dialect: "tasks", Seed: 2, Features: tt.features, Causes: []cause.Cause{x}}}}}
		notes := strings.Join(advisory(&r.Fuzz.Campaigns[0]), "")
		if got := r.passedOver()[0].Reproduce; got != tt.want || strings.Contains(notes, "replay") != (tt.want != "") {
			t.Errorf("%v %s: got %q and %q, want %q", tt.features, tt.check, got, notes, tt.want)
		}
	}
}

// TestChance: a screen says that an engine that often answers by chance must be fixed first.
func TestChance(t *testing.T) {
	for cases, want := range map[uint64]bool{1: false, 19: false, 20: true, 200: true} {
		c := campaign.Result{Cases: 200, Causes: []cause.Cause{{Class: judge.Unsteady, Cases: cases}}}
		got := strings.Join(campaignUndone(&c), "")
		if strings.HasPrefix(got, "The answer to a request depends on earlier requests or on chance") != want {
			t.Errorf("%d of 200 cases: %q", cases, got)
		}
	}
}

// TestContents: the size of a case is given in the terms of its dialect.
func TestContents(t *testing.T) {
	size := finding.Size{Operations: 1}
	for _, d := range all.Dialects() {
		want := "0 steps, 1 operation"
		if d.Name == "tasks" {
			want = "0 tasks, 1 operation"
		}
		if d.Replies == document.NoReplies {
			want = "1 " + strings.TrimSuffix(d.Documents[slices.IndexFunc(d.Documents,
				func(x document.Document) bool { return x.Counted })].Name, "s")
		}
		if got := contents(harness.Case{Dialect: d.Name, Plan: jsontext.Value(`{"tasks":[]}`)}, size); got != want {
			t.Errorf("%s: got %q, want %q", d.Name, got, want)
		}
	}
}

// TestTraitsNeverMade: one line, with three names at most.
func TestTraitsNeverMade(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"a"}, "No case has this trait (run more cases): a."},
		{[]string{"a", "b", "c"}, "No case has these traits (run more cases): a, b, c."},
		{[]string{"a", "b", "c", "d", "e"}, "No case has these traits (run more cases): a, b, c " +
			"and 2 more."},
	} {
		if got := strings.Join(unmade(tt.names), "\n"); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestUnsupportedCases: the screen says why they were not asked.
func TestUnsupportedCases(t *testing.T) {
	for n, want := range map[uint64]string{
		1: "Skipped 1 case: the server's tools do not take it.",
		9: "Skipped 9 cases: the server's tools do not take them.",
	} {
		server := campaign.Result{Unsupported: n, Features: []string{harness.FeatureStore}}
		if got := fuzzCauses(&server).Notes[0]; got != want {
			t.Errorf("of a task server: got %q, want %q", got, want)
		}
	}
	for n, want := range map[uint64]string{
		0: "No cause found with d, seed 0.",
		1: "Skipped 1 case: it needs features that the engine does not declare (replanbench list features).",
		9: "Skipped 9 cases: they need features that the engine does not declare (replanbench list features).",
	} {
		if got := fuzzCauses(&campaign.Result{Dialect: "d", Unsupported: n}).Notes[0]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func story(s scenarios.Scenario, x explain.Subject) explain.Story {
	return (&Replayed{Scenario: s, Subject: x}).Story()
}

// TestReplayShowsLimits: each limit of the case is shown once.
func TestReplayShowsLimits(t *testing.T) {
	s := scenarios.Scenario{Case: harness.Case{Dialect: "orchestrator", Limits: harness.Limits{
		MaxPlanSteps: new(2),
		MaxReplans:   new(1),
	}, InterruptAfter: new(0)}}
	lines := story(s, explain.Subject{Case: s.Case}).Sections[0].Lines
	if got, want := lines[len(lines)-1].Text,
		"limits max_plan_steps: 2, max_replans: 1, interrupt_after: 0"; len(lines) != 3 || got != want {
		t.Errorf("got %+v, want the last to be %q", lines, want)
	}
}

// TestReplayShowsWhatDiffers, also far behind in a long text.
func TestReplayShowsWhatDiffers(t *testing.T) {
	long := strings.Repeat("word ", 200)
	s := scenarios.Scenario{Case: harness.Case{Dialect: "planpatch"}, Want: jsontext.Value(`{"plan":{"title":"` + long +
		`one"}}`)}
	whole := story(s, explain.Subject{Case: s.Case, Outcome: harness.Outcome{
		Verdict: harness.Applied,
		Plan:    &plan.Plan{Title: long + "two"},
	}})
	lines := whole.Sections[len(whole.Sections)-1].Lines
	if len(lines) != 3 || !strings.Contains(lines[1].Text, "one") || !strings.Contains(lines[2].Text, "two") {
		t.Errorf("got %+v", lines)
	}
}

// TestScenariosAreToldInBulk: every code in an outcome has a known meaning, and every scenario fits
// on one screen.
func TestScenariosAreToldInBulk(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	engine := reference.New()
	for _, s := range list {
		out, err := engine.Eval(t.Context(), s.Case)
		if err != nil {
			t.Fatal(err)
		}
		x := Replayed{Scenario: s, Subject: explain.Subject{Case: s.Case, Outcome: out}, Well: len(s.ID)%2 == 0}
		oneScreen(t, ReplayScreen(harness.Hello{Name: "e"}, []Replayed{x}, ""))
		for _, section := range x.Story().Sections {
			for _, l := range section.Lines {
				if strings.Contains(l.Text, "not in the dialect's list") {
					t.Errorf("%s: %s: %s", s.ID, section.Title, l.Text)
				}
			}
		}
	}
}

// oneScreen checks the height of a screen, and its width except for words that are too long.
func oneScreen(t *testing.T, s screen.Screen) {
	t.Helper()
	for _, columns := range []int{60, 80, 200} {
		var b strings.Builder
		if err := s.Write(&b, style.Palette(false), columns); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"); len(lines) > screen.Lines {
			t.Errorf("%d lines at %d columns:\n%s", len(lines), columns, b.String())
		}
	}
}

// TestDrawable: of an engine with one profile no value is missed, and of cases that draw
// theirs each value that none had.
func TestDrawable(t *testing.T) {
	for _, tt := range []struct{ knobs, want campaign.Tally }{
		{campaign.Tally{"a=1": 9, "a=2": 0, "b=1": 9, "b=2": 0}, campaign.Tally{"a=1": 9, "b=1": 9}},
		{campaign.Tally{"a=1": 5, "a=2": 4, "b=1": 9, "b=2": 0}, campaign.Tally{"a=1": 5, "a=2": 4, "b=1": 9, "b=2": 0}},
	} {
		if diff := cmp.Diff(tt.want, drawable(tt.knobs)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestKnownHasTheNameOfTheReport: the entry of a cause begins with its name in the report, whatever the class of the group
// with its id.
func TestKnownHasTheNameOfTheReport(t *testing.T) {
	r := Report{
		Fuzz: &Fuzz{Campaigns: []campaign.Result{{
			Dialect: "todos", Causes: []cause.Cause{{ID: "b", Class: judge.Crashes, Groups: []string{"a", "b"}}},
			Groups: []cause.Group{{ID: "a", Class: judge.Loss}, {ID: "b", Class: judge.Loss}},
		}}},
		Failures: []Failure{{Suite: suiteFuzz, ID: "todos/crash/b", Message: "Crashes"}},
	}
	want := []finding.Entry{{Pattern: "todos/crash/b", Reason: "Crashes", Also: []string{"todos/loss/a"}}}
	if diff := cmp.Diff(want, r.Known(nil)); diff != "" {
		t.Error(diff)
	}
}
