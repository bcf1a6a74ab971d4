package rpc_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
	"replanbench/scenarios"
)

func TestDecodeOutcome(t *testing.T) {
	const (
		plan   = `"plan":{"title":"t","steps":[]}`
		record = `"plan":{"name":"n","description":"","version":1,"steps":[],"history":[]}`
	)
	for _, tc := range []struct{ dialect, result, want string }{
		{"planpatch", `{"verdict":"applied",` + plan + `}`, ""},
		{"planpatch", `{"verdict":"applied","rung":"react"}`, ""},
		{"planpatch", `{"verdict":"unsupported"}`, ""},
		{"planpatch", `{"verdict":"rejected","code":"empty_patch","unknown":1}`, ""},
		{"planpatch", `[]`, "not an object"},
		{"planpatch", `{"verdict":"applied"`, "the JSON is cut off"},
		{"planpatch", `{}`, `the member "verdict" is missing`},
		{"planpatch", `{"verdict":"accepted"}`, `unknown verdict "accepted"`},
		{"planpatch", `{"verdict":"rejected"}`, `a rejection needs the member "code"`},
		{"planpatch", `{"verdict":"applied","code":"empty_patch",` + plan + `}`, "only a rejection has a code"},
		{
			"planpatch", `{"verdict":"rejected","code":"done_imutable"}`,
			`unknown code "done_imutable"; refused gives no reason; did you mean "done_immutable"?`,
		},
		{"planpatch", `{"verdict":"applied"}`, `needs the member "plan"`},
		{"planpatch", `{"verdict":"applied",` + plan + `,"tier":"strikt"}`, `unknown tier "strikt"; did you mean "strict"?`},
		{"planpatch", `{"verdict":"applied",` + plan + `,"rung":"x"}`, `unknown rung "x"`},
		{
			"planpatch", `{"verdict":"applied",` + plan + `,"warnings":[{"code":"truncate"}]}`,
			`unknown warning "truncate"; did you mean "truncated"?`,
		},
		{
			"planpatch", `{"verdict":"applied",` + plan + `,"repairs":[{"rule":"quote"}]}`,
			`unknown repair "quote"; did you mean "quotes"?`,
		},
		{
			"planpatch", `{"verdict":"applied",` + plan + `,"events":[{"event":"patch_rejected","code":"x"}]}`,
			`unknown code "x"`,
		},
		{
			"planpatch", `{"verdict":"applied",` + plan + `,"meta":{"added":"1"}}`,
			"at /meta/added: a string is of the wrong type here",
		},
		{"planpatch", `{"verdict":"applied","plan":{"steps":[]}}`, `at /plan: the member "title" is missing`},
		{
			"todos", `{"verdict":"applied","plan":{"todos":[]}}`,
			`at /plan: the plan has neither "steps" nor "items" (todos) nor "tasks"`,
		},
		{"planpatch", `{"verdict":"applied","plan":{"title":"t","steps":"none"}}`, "a string as steps (at /plan/steps)"},
		{"planpatch", `{"verdict":"applied",` + record + `}`, "the plan has no title"},
		{"operations", `{"verdict":"applied",` + record + `,"operations":[],"results":{}}`, ""},
		{"operations", `{"verdict":"applied",` + record + `,"operations":[]}`, ""},
		{"operations", `{"verdict":"applied",` + record + `,"results":{}}`, ""},
		{"operations", `{"verdict":"applied",` + plan + `,"operations":[],"results":{}}`, "the plan has no name"},
		{
			"operations", `{"verdict":"applied",` + record + `,"operations":[{"type":"add","result":"done"}],"results":{}}`,
			`unknown result of an operation "done"`,
		},
		{
			"operations", `{"verdict":"applied",` + record + `,"operations":[],"results":{},"update_type":"all"}`,
			`unknown type of update "all"`,
		},
		{"operations", `{"verdict":"applied","plan":{"name":"n","steps":[]}}`, ""}, // keeps no version
		{"operations", `{"verdict":"applied",` + record + `,"operations":[{"type":"add","result":"refused"}]}`, ""},
		{
			"planpatch", `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":5}]}}`,
			"the engine stores a number as description (at /plan/steps/0/description)",
		},
		{
			"planpatch", `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":"\ud800"}]}}`,
			"the engine stores half a character as description (at /plan/steps/0/description)",
		},
		{"planpatch", `{"verdict":"rejected","code":"refused","message":"not JSON: \ud83d"}`, ""}, // free text
		{
			"planpatch", `{"verdict":"applied","message":"\ud83d","plan":{"title":"\ud83d","steps":[]}}`,
			"the engine stores half a character as title (at /plan/title)",
		},
		{"orchestrator", `{"verdict":"applied","trace":[]}`, ""},
		{
			"orchestrator", `{"verdict":"rejected","code":"replan_failed","trace":[{"state":"FAILED","event":"run_failed"}]}`,
			`unknown state "FAILED" in the trace (the states are INTAKE, `,
		},
		{"orchestrator", `{"verdict":"applied",` + plan + `}`, `needs the member "trace"`},
		{"planmode", `{"verdict":"applied","trace":[],"mode":"normal"}`, ""},
		{"planmode", `{"verdict":"applied"}`, `needs the member "trace"`},
		{"planmode", `{"verdict":"applied","trace":null}`, `needs the member "trace", which is null (an empty list is [])`},
		{
			"planmode", `{"verdict":"rejected","code":"tool_forbidden","trace":[{"event":"call","code":"forbidden"}]}`,
			`unknown code "forbidden"`,
		},
		{"trim", `{"verdict":"applied","messages":[]}`, ""},
		{"trim", `{"verdict":"applied"}`, `needs the member "messages"`},
		{"of the future", `{"verdict":"applied"}`, ""},
	} {
		_, err := rpc.DecodeOutcome(harness.Case{Dialect: tc.dialect}, []byte(tc.result))
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s %s: %v", tc.dialect, tc.result, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s %s: error %v, want %q in it", tc.dialect, tc.result, err, tc.want)
		}
		if err != nil && (strings.Contains(err.Error(), " Go ") || strings.Contains(err.Error(), "json:")) {
			t.Errorf("%s: %v speaks of the types of this program", tc.result, err)
		}
	}
}

// A refusal that sends back the malformed plan of the case is valid, and one that damages a good
// plan is not.
func TestRefusalSendsPlanBack(t *testing.T) {
	for _, tc := range []struct {
		dialect, plan, back string
		valid               bool
	}{
		{"planpatch", `{"title":"t","steps":[{"id":1}]}`, `{"title":"t","steps":[{"id":1}]}`, true},
		{"planpatch", `[]`, `[]`, true},
		{"planpatch", `{"title":"t","title":"u","steps":[]}`, `{"title":"u","title":"t","steps":[]}`, true},
		{"planpatch", `{"title":"t","steps":[{"id":"a","description":"A"}]}`, `[]`, false},
		{"todos", `{"todos":[]}`, `{"todos":[]}`, true},
		{"operations", `{"name":"p","steps":[{"id":"a","name":"A"}]}`, `{"name":"p","steps":[{"id":"a","name":"A"}]}`, true},
		{"tasks", `{"tasks":5}`, `{"tasks":5}`, true},
	} {
		c := harness.Case{Dialect: tc.dialect, Plan: jsontext.Value(tc.plan)}
		_, err := rpc.DecodeOutcome(c, []byte(`{"verdict":"rejected","code":"refused","plan":`+tc.back+`}`))
		if (err == nil) != tc.valid {
			t.Errorf("%s: case %s, refusal with %s: %v", tc.dialect, tc.plan, tc.back, err)
		}
	}
}

// A member that an engine adds to steps for itself is not part of the plan, unless the case names it or a dialect knows
// it.
func TestOwnMembers(t *testing.T) {
	for _, tc := range []struct {
		plan, reply, step, extra string
	}{
		{`{"title":"t","steps":[{"id":"a","description":"A"}]}`, ``, `"updated_at":"now"`, ``},
		{`{"title":"t","steps":[{"id":"a","description":"A","result":1}]}`, ``, `"updated_at":1,"result":2`, `{"result":2}`},
		{`{"title":"t","steps":[]}`, `{"add_steps":[{"owner":"me"}]}`, `"owner":"me","index":0`, `{"owner":"me"}`},
		{`{"title":"t","steps":[]}`, `"{\"owner\":\"me\"}"`, `"owner":"me"`, `{"owner":"me"}`},
		{`{"title":"t","steps":[{"id":"a","description":"A","owner":"me"}]}`, ``, `"owner":null`, ``},
		{`{"title":"t","steps":[]}`, ``, `"priority":3,"index":0`, `{"priority":3}`},
	} {
		c := harness.Case{Dialect: "planpatch", Plan: jsontext.Value(tc.plan), Replies: []harness.Reply{harness.Reply(tc.reply)}}
		out, err := rpc.DecodeOutcome(c, []byte(`{"verdict":"applied","plan":{"title":"t","steps":[`+
			`{"id":"a","description":"A",`+tc.step+`}]}}`))
		if err != nil {
			t.Errorf("%s: %v", tc.step, err)
		} else if diff := cmp.Diff(tc.extra, string(out.Plan.Steps[0].Extra)); diff != "" {
			t.Errorf("%s: a step with %s (-want +got):\n%s", tc.plan, tc.step, diff)
		}
	}
}

// The reference's answers are complete in every dialect.
func TestReferenceAnswersWhole(t *testing.T) {
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
		answer, err := json.Marshal(out)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		if _, err := rpc.DecodeOutcome(s.Case, answer); err != nil {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
}
