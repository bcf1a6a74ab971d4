package rules_test

import (
	"strings"
	"testing"

	"replanbench/harness"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
)

// TestBudget: the whole conversation is trimmed before each call, and the trace says
// what the model did not see.
func TestBudget(t *testing.T) {
	const begin = "INTAKE, PLANNING, EXECUTING, plan_step_start a, "
	grepped := `{"ok":true,"output":"` + strings.Repeat("handler.go:12 ", 60) + `"}`
	long := session{plan: ab, replies: []harness.Reply{grep, grep, done, done}, tools: grepped + "," + grepped}
	replanned := session{plan: ab, replies: []harness.Reply{grep, again, "no", addC, done, done, done}, tools: grepped}
	for _, test := range []struct {
		name, budget, policy string
		session
		want string
	}{
		{"enough room", `{"max_tokens":9000}`, ``, long, begin +
			"tool_called a, tool_called a, step_done a, plan_step_start b, step_done b, DONE"},
		{
			"emergency is the default", `{"max_tokens":450,"tokenizer":"chars/4"}`, ``, long,
			begin + "tool_called a, tool_called a, history_trimmed a, budget_exceeded a, step_done a, plan_step_start b, " +
				"history_trimmed b, step_done b, DONE",
		},
		{
			"what is left is too much", `{"max_tokens":200,"tokenizer":"chars/4"}`, `"window(1)"`, long,
			begin + "tool_called a, history_trimmed a, budget_exceeded a, tool_called a, history_trimmed a, budget_exceeded " +
				"a, step_done a, plan_step_start b, history_trimmed b, step_done b, DONE",
		},
		{"nothing can be left", `{"max_tokens":90,"tokenizer":"chars/4"}`, `"pinned"`, long, begin +
			"tool_called a, run_failed!cannot_fit"},
		{
			"the ladder", `{"max_tokens":9000}`, `"window(1)"`, replanned,
			begin + "tool_called a, history_trimmed a, replan_asked a, RECOVERING, replan_requested a, history_trimmed a, " +
				"patch_rejected a!no_document, retry_requested a, history_trimmed a, plan_patch_applied a, PLANNING, EXECUTING, " +
				"plan_step_start a, history_trimmed a, step_done a, plan_step_start b, history_trimmed b, step_done b, " +
				"plan_step_start c, history_trimmed c, step_done c, DONE",
		},
		{
			"the ladder does not fit", `{"max_tokens":120,"tokenizer":"chars/4"}`, `"pinned"`,
			session{plan: ab, replies: []harness.Reply{again, addC}},
			begin + "replan_asked a, RECOVERING, replan_requested a, run_failed!cannot_fit",
		},
		{
			"no plan and no room", `{"max_tokens":1}`, `"pinned"`,
			session{replies: []harness.Reply{ab}},
			"INTAKE, PLANNING, run_failed!cannot_fit",
		},
		{"a policy alone", ``, `"pinned"`, long, "INTAKE, run_failed!missing_field"},
		{"no such policy", `{"max_tokens":1}`, `"pinnd"`, long, "INTAKE, run_failed!bad_type"},
		{"no budget", `{"max_tokens":0}`, ``, long, "INTAKE, run_failed!bad_limit"},
	} {
		c, p := test.build(t)
		c.Budget, c.Policy = []byte(test.budget), []byte(test.policy)
		out := orchestrator.Eval(c, p)
		if got := sketch(out); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestBudgetAfterInterruption: a run that is interrupted anywhere is trimmed as one
// that is not.
func TestBudgetAfterInterruption(t *testing.T) {
	c, p := session{
		plan: ab, replies: []harness.Reply{grep, again, "no", addC, done, done, done},
		tools: `{"ok":true,"output":"x"}`,
	}.build(t)
	c.Budget, c.Policy = []byte(`{"max_tokens":200}`), []byte(`"window(1)"`)
	whole := orchestrator.Eval(c, p)
	for k := 1; k <= len(whole.Trace); k++ {
		c.InterruptAfter = &k
		out := orchestrator.Eval(c, p)
		if got := strings.Replace(sketch(out), ", resumed", "", 1); got != sketch(whole) &&
			!strings.Contains(got, "verify_cached") {
			t.Errorf("interrupted after event %d: %s", k, got)
		}
	}
}
