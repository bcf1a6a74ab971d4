package outcome_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

// TestDeparts says in which ways plans and messages part from the right ones.
func TestDeparts(t *testing.T) {
	members := outcome.Members{outcome.Plan(), outcome.Messages(), outcome.Trace(equalItems)}
	const plan = `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":"one","dependencies":[],"status":"pending"},{"id":"b","description":"two","dependencies":["a"],"status":"done"}]}}`
	tests := []struct {
		name, want, got string
		ways            []string
	}{
		{"nothing", plan, plan, nil},
		{"a refusal", plan, `{"verdict":"rejected","code":"empty_patch"}`, nil},
		{"a step that is missing", plan, `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"b","description":"two","dependencies":["a"],"status":"done"}]}}`, []string{"steps gone"}},
		{"another order", plan, `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"b","description":"two","dependencies":["a"],"status":"done"},{"id":"a","description":"one","dependencies":[],"status":"pending"}]}}`, []string{"steps order"}},
		{"members of steps", plan, `{"verdict":"applied","plan":{"title":"u","steps":[{"id":"a","description":"one","dependencies":[],"status":"done"},{"id":"b","description":"two","dependencies":[],"status":"done"}]}}`, []string{"steps dependencies shorter", "steps status other", "title other"}},
		{"a message that is missing", `{"verdict":"applied","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, `{"verdict":"applied","messages":[{"role":"user","content":"a"}]}`, []string{"assistant gone"}},
		{"a message that is cut", `{"verdict":"applied","messages":[{"role":"user","content":"a text of twenty-odd bytes"}]}`, `{"verdict":"applied","messages":[{"role":"user","content":"a text"}]}`, []string{"user content shorter"}},
		{"another form of a text", `{"verdict":"applied","messages":[{"role":"user","content":""}]}`, `{"verdict":"applied","messages":[{"role":"user","content":null}]}`, []string{"messages form"}},
		{"a call that is rejected", `{"verdict":"applied","trace":[{"state":"normal","step":"read"}]}`, `{"verdict":"rejected","code":"bad_arguments","trace":[{"state":"normal","step":"read","code":"bad_arguments"}]}`, []string{"read code added"}},
		{"the data of an event", `{"verdict":"applied","trace":[{"event":"plan.enter","data":{"sessionId":"a","planExists":true}}]}`, `{"verdict":"applied","trace":[{"event":"plan.enter","data":{"sessionId":"b","planExists":true}}]}`, []string{"plan.enter data sessionId other"}},
		{"members that nobody knows", plan, `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":"one","dependencies":[],"status":"pending","<b>":1,"` + strings.Repeat("x", 99) + `":1},{"id":"b","description":"two","dependencies":["a"],"status":"done"}]}}`, []string{"steps members added"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want, got harness.Outcome
			for text, to := range map[string]*harness.Outcome{test.want: &want, test.got: &got} {
				if err := json.Unmarshal([]byte(text), to); err != nil {
					t.Fatal(err)
				}
			}
			if test.want == test.got {
				got = want
			}
			if diff := cmp.Diff(test.ways, members.Departs(harness.Case{}, &want, &got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDepartsOfRuns says where runs part, and nothing of what follows.
func TestDepartsOfRuns(t *testing.T) {
	trace := outcome.Trace(equalItems)
	trace.Run = true
	for _, test := range []struct {
		name, want, got string
		ways            []string
	}{
		{
			"a patch that is rejected", `[{"event":"plan_patch_applied"},{"event":"step_done"}]`,
			`[{"event":"patch_rejected","code":"unknown_step"},{"event":"replan_failed"},{"event":"run_failed","code":"replan_failed"}]`,
			[]string{"plan_patch_applied gone", "unknown_step added"},
		},
		{
			"another step", `[{"event":"step_done","step":"a"}]`, `[{"event":"step_done","step":"b"},{"event":"step_done","step":"a"}]`,
			nil,
		},
		{"an event too few", `[{"event":"state"},{"event":"verify_cached"}]`, `[{"event":"state"}]`, []string{"verify_cached gone"}},
		{
			"another state", `[{"event":"state","state":"VERIFYING"},{"event":"final_verify"}]`, `[{"event":"state","state":"DONE"}]`,
			[]string{"DONE added", "VERIFYING gone"},
		},
		{
			"the state of a call", `[{"step":"read","state":"explore"},{"step":"write"}]`,
			`[{"step":"read","state":"normal"},{"step":"write","code":"tool_forbidden"}]`,
			[]string{"read state other"},
		},
		{
			"a rejected call", `[{"step":"Task"}]`, `[{"step":"Task","code":"tool_forbidden"}]`,
			[]string{"Task gone", "Task:tool_forbidden added"},
		},
		{"an event too many", `[]`, `[{"event":"state","state":"DONE"},{"event":"step_done"}]`, []string{"DONE added"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want, got harness.Outcome
			for text, to := range map[string]*harness.Outcome{test.want: &want, test.got: &got} {
				if err := json.Unmarshal([]byte(text), &to.Trace); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.ways, outcome.Members{trace}.Departs(harness.Case{}, &want, &got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func equalItems(a, b harness.TraceItem) bool {
	return cmp.Equal(a, b)
}

// TestMessages compares messages: an empty list of calls says no more than none.
func TestMessages(t *testing.T) {
	for _, x := range []struct {
		got  string
		same bool
	}{
		{`[{"role":"assistant","content":"","tool_calls":[]}]`, true},
		{`[{"content":"","role":"assistant"}]`, true},
		{`[{"role":"assistant"}]`, false},
		{`[{"role":"assistant","content":"","tag":""}]`, false},
		{`[]`, false},
		{``, false},
	} {
		want := harness.Outcome{Messages: jsontext.Value(`[{"role":"assistant","content":""}]`)}
		got := harness.Outcome{Messages: jsontext.Value(x.got)}
		m := outcome.Messages()
		if m.Same(&want, &got) != x.same || m.Same(&got, &want) != x.same {
			t.Errorf("%s: expected %v", x.got, x.same)
		}
	}
}

// TestPlans calls a member of a step what the documents of its dialect call it.
func TestPlans(t *testing.T) {
	for _, test := range []struct{ want, got, words string }{
		{
			`{"title":"t","steps":[{"id":"a","description":"one"}]}`, `{"title":"t","steps":[{"id":"a","description":"two"}]}`,
			`the description of step "a": "two" and not "one"`,
		},
		{
			`{"items":[{"content":"one","status":"pending"}]}`, `{"items":[{"content":"two","status":"pending"}]}`,
			`the content of item 1: "two" and not "one"`,
		},
		{
			`{"tasks":[{"id":"a","subject":"one","status":"pending"}]}`, `{"tasks":[{"id":"a","subject":"two","status":"pending"}]}`,
			`the subject of task "a": "two" and not "one"`,
		},
		{
			`{"tasks":[{"id":"a","subject":"one","status":"pending"}]}`, `{"tasks":[]}`,
			`the graph has 0 tasks and not 1`,
		},
		{
			`{"tasks":[]}`, `{"tasks":[{"id":"a","subject":"one","status":"pending"}]}`,
			`the graph has 1 task and not 0`,
		},
	} {
		var want, got plan.Plan
		for text, to := range map[string]*plan.Plan{test.want: &want, test.got: &got} {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				t.Fatal(err)
			}
		}
		if d := outcome.Plans(&want, &got); d == nil || d.Words != test.words {
			t.Errorf("%s: got %+v, want %s", test.got, d, test.words)
		}
	}
}
