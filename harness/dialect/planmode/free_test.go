package planmode_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode"
	"replanbench/harness/engine/reference"
	"replanbench/scenarios"
)

// drawnSession is a session that draws its name, with its expectation.
const drawnSession = `# Why.
dialect: planmode
level: must
-- context.json --
{"slugs": ["a-b-c"], "taken": ["a-b-c"]}
-- calls.json --
[{"tool": "EnterPlanMode", "approval": "approve"}, {"tool": "write", "args": {"path": "{plan}", "content": "x"}}]
-- want.json --
`

// TestDrawnNamesAndGuidance changes what an engine answers to a session: names that it
// drew and guidance are its own, as far as the rules leave them to it.
func TestDrawnNamesAndGuidance(t *testing.T) {
	const wanted = `{"verdict":"applied","mode":"plan","phase":"explore","path":"plans/d-e-f.md","content":"x","trace":[
{"state":"normal","step":"EnterPlanMode","data":{"path":"plans/d-e-f.md","guidance":"write plans/d-e-f.md"}},
{"state":"explore","event":"plan.enter","data":{"sessionId":"session","planFilePath":"plans/d-e-f.md","planExists":false}},
{"state":"explore","step":"write","data":{"path":"plans/d-e-f.md"}}]}`
	s, err := scenarios.Parse("planmode/drawn.txtar", []byte(drawnSession+wanted))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := reference.Judge(s.Case, harness.Reference()); err != nil || len(s.Match(out)) > 0 {
		t.Errorf("the reference: %v, %v", err, s.Match(out))
	}
	for _, test := range []struct {
		old, new string
		at       string // the reported difference; "" is none
	}{
		{"plans/d-e-f.md", "plans/g-h-i.md", ""},
		{"write plans/", "your file is plans/", ""},
		{`,"guidance":"write plans/d-e-f.md"`, "", ""},
		{`"data":{"path":"plans/d-e-f.md","guidance":"write plans/d-e-f.md"}`, `"data":null`, ""},
		{"write plans/d-e-f.md", "go on", "/trace/0/data/guidance"},
		{"plans/d-e-f.md", "plans/a-b-c.md", "/path"}, // taken
		{"plans/d-e-f.md", "plans/D.md", "/path"},     // no name that is drawn
		{
			`"step":"write","data":{"path":"plans/d-e-f.md"}`, `"step":"write","data":{"path":"plans/g-h-i.md"}`,
			"/trace/2/data/path",
		},
	} {
		differences := s.Match(outcomeOf(t, strings.ReplaceAll(wanted, test.old, test.new)))
		if (len(differences) == 0) != (test.at == "") || len(differences) > 0 && differences[0].Pointer != test.at {
			t.Errorf("%s for %s: %v, want %q", test.new, test.old, differences, test.at)
		}
	}
}

// TestGivenNames: a name that the case gives is wanted as it is.
func TestGivenNames(t *testing.T) {
	file := strings.ReplaceAll(drawnSession, `, "taken": ["a-b-c"]`, "") + `{"verdict":"applied","path":"plans/a-b-c.md"}`
	s, err := scenarios.Parse("planmode/given.txtar", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Match(harness.Outcome{Verdict: harness.Applied, Path: "plans/d-e-f.md"}); len(d) != 1 {
		t.Errorf("%v", d)
	}
}

func outcomeOf(t *testing.T, text string) (out harness.Outcome) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDeparting: of two sessions only the first call that differs counts, since later ones follow from it.
func TestDeparting(t *testing.T) {
	c := harness.Case{Dialect: "planmode", Calls: jsontext.Value(`[{"tool":"EnterPlanMode","approval":"deny"},{"tool":"read"}]`)}
	outcomeOf := func(trace string) *harness.Outcome {
		var o harness.Outcome
		if err := json.Unmarshal([]byte(`{"verdict":"applied","trace":`+trace+`}`), &o); err != nil {
			t.Fatal(err)
		}
		return &o
	}
	want := outcomeOf(`[{"state":"normal","step":"EnterPlanMode"},{"state":"normal","event":"plan.denied"},{"state":"normal","step":"read"}]`)
	got := outcomeOf(`[{"state":"normal","step":"EnterPlanMode"},{"state":"explore","event":"plan.enter"},{"state":"explore","step":"read"}]`)
	ways := []string{"plan.denied gone", "plan.enter added"}
	if diff := cmp.Diff(ways, planmode.Dialect().Members.Departs(c, want, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDepartingNames: where the right session has no plan file, two engines that draw other names and have other words of
// guidance answer alike.
func TestDepartingNames(t *testing.T) {
	members := planmode.Dialect().Members
	right := outcomeOf(t, `{"verdict":"rejected","code":"agent_context","mode":"normal",
"trace":[{"state":"normal","step":"EnterPlanMode","code":"agent_context"}]}`)
	entered := func(path, guidance string) map[string]any {
		out := outcomeOf(t, strings.NewReplacer("PATH", path, "GUIDANCE", guidance).Replace(`{"verdict":"applied",
"mode":"plan","phase":"explore","path":"PATH","trace":[{"state":"normal","step":"EnterPlanMode",
"data":{"path":"PATH","guidance":"GUIDANCE PATH"}},{"state":"explore","event":"plan.enter","data":{"planFilePath":"PATH"}}]}`))
		return members.Departing(&right, &out, "")
	}
	one := entered("plans/d-e-f.md", "write to")
	if diff := cmp.Diff(one, entered("plans/g-h-i.md", "your file is")); diff != "" {
		t.Errorf("(-one +other):\n%s", diff)
	}
	if cmp.Equal(one, entered("notes.md", "write to")) {
		t.Error("a path that is no plan file's counts as one")
	}
	if trace, ok := entered(`\"`, "write to")["trace"].([]any); !ok || len(trace) != 2 {
		t.Errorf("a path that is a quotation mark: the trace is %v", trace)
	}
}
