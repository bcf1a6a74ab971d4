package rpc_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/reference"
	"replanbench/scenarios"
)

func TestDecodeOutcome(t *testing.T) {
	const (
		plan   = `"plan":{"title":"t","steps":[]}`
		record = `"plan":{"name":"n","description":"","version":1,"steps":[],"history":[]}`
	)
	for _, tc := range []struct{ dialect, result, want string }{
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `}`, ""},
		{harness.PlanPatch, `{"verdict":"applied","rung":"react"}`, ""},
		{harness.PlanPatch, `{"verdict":"unsupported"}`, ""},
		{harness.PlanPatch, `{"verdict":"rejected","code":"empty_patch","unknown":1}`, ""},
		{harness.PlanPatch, `[]`, "not an object"},
		{harness.PlanPatch, `{"verdict":"applied"`, "unexpected EOF"},
		{harness.PlanPatch, `{}`, `the member "verdict" is missing`},
		{harness.PlanPatch, `{"verdict":"accepted"}`, `unknown verdict "accepted"`},
		{harness.PlanPatch, `{"verdict":"rejected"}`, `a rejection needs the member "code"`},
		{harness.PlanPatch, `{"verdict":"applied","code":"empty_patch",` + plan + `}`, "only a rejection has a code"},
		{harness.PlanPatch, `{"verdict":"rejected","code":"done_imutable"}`, `unknown code "done_imutable"; did you mean "done_immutable"?`},
		{harness.PlanPatch, `{"verdict":"applied"}`, `needs the member "plan"`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"tier":"strikt"}`, `unknown tier "strikt"; did you mean "strict"?`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"rung":"x"}`, `unknown rung "x"`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"warnings":[{"code":"truncate"}]}`, `unknown warning "truncate"; did you mean "truncated"?`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"repairs":[{"rule":"quote"}]}`, `unknown repair "quote"; did you mean "quotes"?`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"events":[{"event":"patch_rejected","code":"x"}]}`, `unknown code "x"`},
		{harness.PlanPatch, `{"verdict":"applied",` + plan + `,"meta":{"added":"1"}}`, "at /meta/added: a string is of the wrong type here"},
		{harness.PlanPatch, `{"verdict":"applied","plan":{"steps":[]}}`, `at /plan: the member "title" is missing`},
		{harness.PlanPatch, `{"verdict":"applied","plan":{"title":"t","steps":"none"}}`, "at /plan/steps: "},
		{harness.PlanPatch, `{"verdict":"applied",` + record + `}`, "the plan has no title"},
		{harness.Operations, `{"verdict":"applied",` + record + `,"operations":[],"results":{}}`, ""},
		{harness.Operations, `{"verdict":"applied",` + record + `,"operations":[]}`, ""},
		{harness.Operations, `{"verdict":"applied",` + record + `,"results":{}}`, `needs the member "operations"`},
		{harness.Operations, `{"verdict":"applied",` + plan + `,"operations":[],"results":{}}`, "the plan has no name"},
		{harness.Operations, `{"verdict":"applied",` + record + `,"operations":[{"type":"add","result":"done"}],"results":{}}`, `unknown result of an operation "done"`},
		{harness.Operations, `{"verdict":"applied",` + record + `,"operations":[],"results":{},"update_type":"all"}`, `unknown type of update "all"`},
		{harness.Orchestrator, `{"verdict":"applied","trace":[]}`, ""},
		{harness.Orchestrator, `{"verdict":"applied",` + plan + `}`, `needs the member "trace"`},
		{harness.PlanMode, `{"verdict":"applied","trace":[],"mode":"normal"}`, ""},
		{harness.PlanMode, `{"verdict":"applied","trace":[]}`, `needs the member "mode"`},
		{harness.PlanMode, `{"verdict":"rejected","code":"tool_forbidden","trace":[{"event":"call","code":"forbidden"}]}`, `unknown code "forbidden"`},
		{harness.Trim, `{"verdict":"applied","messages":[]}`, ""},
		{harness.Trim, `{"verdict":"applied"}`, `needs the member "messages"`},
		{"of the future", `{"verdict":"applied"}`, ""},
	} {
		_, err := rpc.DecodeOutcome(tc.dialect, []byte(tc.result))
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

// What the reference answers is a whole answer, whatever the dialect.
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
		if _, err := rpc.DecodeOutcome(s.Case.Dialect, answer); err != nil {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
}
