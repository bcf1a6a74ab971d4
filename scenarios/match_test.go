package scenarios_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/engine/reference"
	"replanbench/harness/plan"
	"replanbench/scenarios"
)

// applied is an outcome with something in every member.
func applied() harness.Outcome {
	return harness.Outcome{
		Verdict: harness.Applied, Message: "for people", Rung: harness.RungRetry, Tier: harness.TierExtracted,
		Plan: &plan.Plan{Title: "T", Steps: []plan.Step{
			{ID: "a", Description: "A", Status: plan.Done, Extra: []byte(`{"result":{"n":1}}`)},
			{ID: "b", Description: "B", Status: plan.Pending, Dependencies: []string{"a"}},
		}},
		Repairs: []harness.Repair{{Rule: "replace", IDs: []string{"b"}}},
		Warnings: []harness.Warning{
			{Code: "status_forced", IDs: []string{"b"}}, {Code: "duplicate_key", IDs: []string{"title"}},
		},
		Meta: &harness.Meta{Updated: 1},
		Events: []harness.Event{{Event: "replan_requested"}, {
			Event: "plan_patch_applied", Reason: "r",
			Message: "for people",
		}},
	}
}

func rejected() harness.Outcome {
	at := ""
	return harness.Outcome{
		Verdict: harness.Rejected, Code: harness.EmptyPatch, At: &at,
		Repairs: []harness.Repair{}, Warnings: []harness.Warning{}, Events: []harness.Event{},
	}
}

func scenario(t *testing.T, want string) scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("s.txtar", []byte(header+planFile+reply+"-- want.json --\n"+want))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func path(pointer, want, got string) outcome.Path {
	return outcome.Path{Pointer: pointer, Want: want, Got: got}
}

func TestMatch(t *testing.T) {
	bare := harness.Outcome{Verdict: harness.Rejected, Code: harness.EmptyPatch}
	tests := []struct {
		name string
		want string
		out  harness.Outcome
		diff []outcome.Path
	}{
		{"verdict alone", `{"verdict":"applied"}`, applied(), nil},
		{"members given", `{"verdict":"applied","rung":"retry","tier":"extracted","plan":{"steps":[{"id":"a"},{"dependencies":["a"]}]},"meta":{"updated":1}}`, applied(), nil},
		{"absent equals default", `{"verdict":"applied","code":null,"at":null,"plan":{"verification_policy":"","steps":[{"dependencies":[]},{"tools_expected":null}]}}`, applied(), nil},
		{"warnings in any order", `{"verdict":"applied","warnings":[{"code":"duplicate_key"},{"code":"status_forced","ids":["b"]}]}`, applied(), nil},
		{"unknown members of a step", `{"verdict":"applied","plan":{"steps":[{"id":"a","result":{"n":1.0}},{"id":"b","result":null}]}}`, applied(), nil},
		{"numbers by value", `{"verdict":"applied","plan":{"steps":[{"result":{"n":1e0}},{}]}}`, applied(), nil},
		{"optional members not given", `{"verdict":"rejected","at":"/x","tier":"none","repairs":[{"rule":"x"}],"warnings":[{"code":"x"}],"events":[{"event":"x"}],"meta":{},"rung":"patch"}`, bare, nil},
		{"no plan wanted, none there", `{"verdict":"rejected","plan":null}`, bare, nil},
		{
			"verdict and code", `{"verdict":"rejected","code":"bad_type"}`, applied(),
			[]outcome.Path{path("/code", `"bad_type"`, "nothing"), path("/verdict", `"rejected"`, `"applied"`)},
		},
		{
			"no plan wanted, but one there", `{"verdict":"applied","plan":null}`,
			harness.Outcome{Verdict: harness.Applied, Plan: &plan.Plan{Title: "T"}},
			[]outcome.Path{path("/plan", "nothing", `{"steps": [], "title": "T"}`)},
		},
		{
			"plan wanted, none there", `{"verdict":"rejected","plan":{"title":"T"}}`, bare,
			[]outcome.Path{path("/plan", `{"title": "T"}`, "nothing")},
		},
		{
			"other steps", `{"verdict":"applied","plan":{"steps":[{"id":"a"},{"id":"c"},{"id":"d"}]}}`, applied(),
			[]outcome.Path{path("/plan/steps", `["a", "c", "d"]`, `["a", "b"]`)},
		},
		{
			"other order", `{"verdict":"applied","plan":{"steps":[{"id":"b"},{"id":"a"}]}}`, applied(),
			[]outcome.Path{path("/plan/steps/0/id", `"b"`, `"a"`), path("/plan/steps/1/id", `"a"`, `"b"`)},
		},
		{
			"list within a step", `{"verdict":"applied","plan":{"steps":[{},{"dependencies":["a","c"]}]}}`, applied(),
			[]outcome.Path{path("/plan/steps/1/dependencies", `["a", "c"]`, `["a"]`)},
		},
		{
			"unknown member of a step", `{"verdict":"applied","plan":{"steps":[{"result":{"n":2}},{}]}}`, applied(),
			[]outcome.Path{path("/plan/steps/0/result/n", "2", "1")},
		},
		{
			"an unknown object is compared whole", `{"verdict":"applied","plan":{"steps":[{"result":{}},{}]}}`, applied(),
			[]outcome.Path{path("/plan/steps/0/result/n", "nothing", "1")},
		},
		{"an object that is opened up", `{"verdict":"applied","plan":{"steps":[{"result":{"…":"any"}},{}]}}`, applied(), nil},
		{
			"an opened object has what is wanted", `{"verdict":"applied","plan":{"steps":[{"result":{"n":2,"…":"any"}},{}]}}`,
			applied(),
			[]outcome.Path{path("/plan/steps/0/result/n", "2", "1")},
		},
		{
			"large integers exactly", `{"verdict":"applied","plan":{"steps":[{"n":9007199254740993}]}}`,
			harness.Outcome{
				Verdict: harness.Applied,
				Plan:    &plan.Plan{Steps: []plan.Step{{Extra: []byte(`{"n":9007199254740992}`)}}},
			},
			[]outcome.Path{path("/plan/steps/0/n", "9007199254740993", "9007199254740992")},
		},
		{
			"no place is not the root", `{"verdict":"rejected","at":null}`, rejected(),
			[]outcome.Path{path("/at", "nothing", `""`)},
		},
		{
			"a list that is there is compared", `{"verdict":"rejected","warnings":[{"code":"truncated"}]}`, rejected(),
			[]outcome.Path{path("/warnings", `[{"code": "truncated"}]`, "[]")},
		},
		{
			"too many warnings", `{"verdict":"applied","warnings":[]}`, applied(),
			[]outcome.Path{path("/warnings", "[]",
				`[{"code": "status_forced", "ids": ["b"]}, {"code": "duplicate_key", "ids": ["title"]}]`)},
		},
		{
			"events in order", `{"verdict":"applied","events":[{"event":"plan_patch_applied"},{"event":"replan_requested"}]}`,
			applied(),
			[]outcome.Path{
				path("/events/0/event", `"plan_patch_applied"`, `"replan_requested"`),
				path("/events/1/event", `"replan_requested"`, `"plan_patch_applied"`),
			},
		},
		{
			"count", `{"verdict":"applied","meta":{"added":1,"updated":1,"truncated_add":true}}`, applied(),
			[]outcome.Path{path("/meta/added", "1", "0"), path("/meta/truncated_add", "true", "false")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.diff, scenario(t, tt.want).Match(tt.out)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnchecked(t *testing.T) {
	s := scenario(t, `{"verdict":"rejected","code":"empty_patch","at":"","tier":"none","warnings":[],"events":null}`)
	if diff := cmp.Diff([]string{"tier"}, s.Unchecked(rejected())); diff != "" {
		t.Errorf("of a telling outcome (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"tier", "at", "warnings"},
		s.Unchecked(harness.Outcome{Verdict: harness.Rejected})); diff != "" {
		t.Errorf("of a bare outcome (-want +got):\n%s", diff)
	}
}

func TestDifferenceString(t *testing.T) {
	d := outcome.Path{Pointer: "/plan/title", Want: `"a"`, Got: "\"\x1b[31m\u202e\U000e0041é" + strings.Repeat("x", 3000)}
	got := d.String()
	want := "/plan/title\n  expected \"a\"\n  got      \"\\u001b[31m\\u202e\\U000e0041éxxx"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %.80q, want the beginning %q", got, want)
	}
	if len(got) > 2200 || !strings.HasSuffix(got, " bytes more)") {
		t.Errorf("a rendering of %d bytes is not cut: …%q", len(got), got[len(got)-40:])
	}
}

func TestWithWant(t *testing.T) {
	tests := []struct {
		name, want string
		out        harness.Outcome
		rewritten  string
	}{
		{
			"only the members that stood there",
			`{"verdict":"applied","plan":{"steps":[{"id":"x"},{"id":"y","status":"done"}]},"warnings":[],"meta":{"added":9}}`,
			applied(),
			`{"verdict":"applied","plan":{"steps":[{"id":"a"},{"id":"b","status":"pending"}]},"meta":{"added":0},"warnings":[{"code":"status_forced","ids":["b"]},{"code":"duplicate_key","ids":["title"]}]}`,
		},
		{
			"another number of steps",
			`{"verdict":"applied","plan":{"steps":[{"id":"x"},{"id":"y","dependencies":[]},{"id":"z"}]}}`,
			applied(),
			`{"verdict":"applied","plan":{"steps":[{"id":"a","dependencies":[]},{"id":"b","dependencies":["a"]}]}}`,
		},
		{
			"now rejected",
			`{"verdict":"applied","rung":"patch","plan":{"title":"T"},"at":null}`,
			rejected(),
			`{"verdict":"rejected","code":"empty_patch","at":""}`,
		},
		{
			"an object is written whole, or stays open",
			`{"verdict":"applied","plan":{"steps":[{"result":{}},{}]},"warnings":[]}`,
			applied(),
			`{"verdict":"applied","plan":{"steps":[{"result":{"n":1}},{}]},"warnings":[{"code":"status_forced","ids":["b"]},{"code":"duplicate_key","ids":["title"]}]}`,
		},
		{
			"an open object stays open",
			`{"verdict":"applied","plan":{"steps":[{"result":{"…":"any"}},{}]},"warnings":[]}`,
			applied(),
			`{"verdict":"applied","plan":{"steps":[{"result":{"…":"any"}},{}]},"warnings":[{"code":"status_forced","ids":["b"]},{"code":"duplicate_key","ids":["title"]}]}`,
		},
		{
			"what is still absent stays so",
			`{"verdict":"applied","code":null,"at":null,"events":[{"event":"x"}]}`,
			applied(),
			`{"verdict":"applied","code":null,"at":null,"events":[{"event":"replan_requested"},{"event":"plan_patch_applied"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scenario(t, tt.want).WithWant(tt.out)
			if diff := cmp.Diff(tt.rewritten, string(s.Want)); diff != "" {
				t.Errorf("want.json (-want +got):\n%s", diff)
			}
			if diff := s.Match(tt.out); len(diff) > 0 {
				t.Errorf("the outcome does not match what was written after it: %v", diff)
			}
			if _, err := scenarios.Parse("s.txtar", s.Format()); err != nil {
				t.Errorf("the rewritten file does not parse: %v", err)
			}
		})
	}
}

// Rewriting a scenario that holds must change no byte of it, or every update
// would bury the one that matters.
func TestWithWantOfMatchingOutcome(t *testing.T) {
	engine := reference.New()
	for _, s := range builtin(t) {
		out, err := engine.Eval(t.Context(), s.Case)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Match(out)) > 0 {
			continue // reported by another test
		}
		if diff := cmp.Diff(string(s.Format()), string(s.WithWant(out).Format())); diff != "" {
			t.Errorf("%s (-before +after):\n%s", s.ID, diff)
		}
	}
}

// TestMatchHistory compares entries of a history, of which engines may leave out what
// is the default.
func TestMatchHistory(t *testing.T) {
	const whole = `{"version":1,"steps":[{"id":"a","description":"A","status":"pending"}],"operations":[{"type":"remove","step_id":"b"}]}`
	const bare = `{"steps":[{"id":"a","description":"A"}]}`
	const reasoned = `{"steps":[{"id":"a","description":"A"}],"operations":[{"type":"remove","step_id":"b","reason":"r"}]}`
	at := func(member string) string { return "/plan/history/0/" + member }
	tests := []struct {
		name, want, got string
		diff            []string // pointers
	}{
		{"defaults left out", whole, bare, nil},
		{"defaults written", bare, `{"version":1,"steps":[{"id":"a","description":"A","status":"pending"}]}`, nil},
		{"no status", whole, strings.Replace(whole, "pending", "", 1), []string{at("steps/0/status")}},
		{
			"another status", bare, `{"steps":[{"id":"a","description":"A","status":"completed"}]}`,
			[]string{at("steps/0/status")},
		},
		{"another version", bare, `{"version":2,"steps":[{"id":"a","description":"A"}]}`, []string{at("version")}},
		{"a version that is none", whole, strings.Replace(whole, `"version":1`, `"version":0`, 1), []string{at("version")}},
		{"other operations", whole, strings.Replace(whole, "remove", "add", 1), nil},
		{"operations not wanted", bare, whole, nil},
		{"a reason left out", reasoned, bare, []string{at("operations")}},
		{"another reason", reasoned, strings.Replace(reasoned, `"r"`, `"s"`, 1), []string{at("operations/0/reason")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scenarios.Scenario{
				Case: harness.Case{Dialect: "operations"},
				Want: jsontext.Value(`{"verdict":"applied","plan":{"history":[` + tt.want + `]}}`),
			}
			out := applied()
			out.Plan.Record = &plan.Record{Version: 2, History: []jsontext.Value{jsontext.Value(tt.got)}}
			var diff []string
			for _, p := range s.Match(out) {
				diff = append(diff, p.Pointer)
			}
			if d := cmp.Diff(tt.diff, diff); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestMatchUnexplained: a call that an engine rejects without a reason code has no code and place that could be wrong.
func TestMatchUnexplained(t *testing.T) {
	s, err := scenarios.Parse("s.txtar", []byte(`# A task is deleted twice.
dialect: tasks
level: must
profile: reference
-- plan.json --
{"tasks": [{"id": "k1", "subject": "Write part 1", "status": "pending"}]}
-- reply.1.txt --
{"calls":[{"call":"delete","id":"k1"},{"call":"delete","id":"k1"}]}
-- want.json --
{"verdict": "applied", "results": [{"ok": true}, {"at": "/calls/1/id", "code": "unknown_step"}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		result string
		want   []outcome.Path
	}{
		"the right code": {`{"ok":false,"code":"unknown_step","at":"/calls/1/id"}`, nil},
		"no reason code": {`{"ok":false,"code":"refused"}`, nil},
		"carried out": {`{"ok":true,"code":"refused"}`, []outcome.Path{
			path("/results/1/at", `"/calls/1/id"`, "nothing"), path("/results/1/code", `"unknown_step"`, `"refused"`),
			path("/results/1/ok", "nothing", "true"),
		}},
		"another code": {
			`{"ok":false,"code":"empty_id","at":"/calls/1/id"}`,
			[]outcome.Path{path("/results/1/code", `"unknown_step"`, `"empty_id"`)},
		},
	} {
		out := harness.Outcome{Verdict: harness.Applied, Results: jsontext.Value(`[{"ok":true},` + test.result + `]`)}
		if diff := cmp.Diff(test.want, s.Match(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
