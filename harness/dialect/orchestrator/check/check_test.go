package check_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/judgetest"
)

// output is what a tool of the case says, in 60 characters.
var output = strings.Repeat("0123456789", 5) + "数据库迁移数据库迁移"

func runCase() harness.Case {
	return harness.Case{
		Dialect: "orchestrator",
		Plan:    jsontext.Value(`{"title":"T","steps":[{"id":"a","description":"A"},{"id":"b","description":"B","dependencies":["a"]}]}`),
		Replies: []harness.Reply{`{"control":"replan"}`, `{"title":"U"}`, "not this", `{"control":"step_done"}`, "STEP_DONE"},
		Tools:   jsontext.Value(`[{"ok":true,"output":"` + output + `","writes":{"f":"h"}}]`),
		Verify:  jsontext.Value(`[{"ok":false}]`),
		Limits:  harness.Limits{MaxStepToolCalls: new(2), MaxReplans: new(1), MaxToolResultChars: new(40)},
	}
}

// rightTrace is the trace of that run, one event a word: STATE or event/step.
const rightTrace = "INTAKE PLANNING EXECUTING plan_step_start/a replan_asked/a RECOVERING replan_requested " +
	"plan_patch_applied " +
	"PLANNING EXECUTING plan_step_start/a reply_invalid/a step_done/a plan_step_start/b control_protocol_legacy/b " +
	"step_done/b DONE"

// ran is the right answer with changes to the trace as text and to the rest.
func ran(t *testing.T, change func(*harness.Outcome), pairs ...string) harness.Outcome {
	t.Helper()
	text := strings.NewReplacer(pairs...).Replace(rightTrace)
	if len(pairs) > 0 && text == rightTrace {
		t.Fatalf("%q does not stand in the trace", pairs[0])
	}
	o := harness.Outcome{
		Verdict: harness.Applied,
		Plan: &plan.Plan{Title: "U", Steps: []plan.Step{
			{ID: "a", Description: "A", Status: plan.Done},
			{ID: "b", Description: "B", Dependencies: []string{"a"}, Status: plan.Done},
		}},
		Messages: jsontext.Value(`[{"role":"system"}` + strings.Repeat(`,{"role":"user"},{"role":"assistant"}`, 5) + `]`),
	}
	state := ""
	for word := range strings.FieldsSeq(text) {
		event, step, _ := strings.Cut(word, "/")
		if event == strings.ToUpper(event) {
			state, event = event, spec.EventState
		}
		o.Trace = append(o.Trace, harness.TraceItem{State: state, Step: step, Event: event})
	}
	if change != nil {
		change(&o)
	}
	return o
}

// judgeRun makes one check of an engine that gives the outcome, and after an
// interruption the other.
func judgeRun(t *testing.T, o, interrupted harness.Outcome, c harness.Case, check string) (bool, *judge.Break) {
	t.Helper()
	engine := judgetest.Engine(func(c harness.Case) (harness.Outcome, error) {
		if c.InterruptAfter != nil {
			return interrupted, nil
		}
		return o, nil
	})
	h, _ := engine.Hello(context.Background())
	h.Dialects["orchestrator"] = h.Dialects["planpatch"]
	j, err := judge.New(engine, h, all.Rules("orchestrator"), judge.Options{}).Only(t.Context(), judge.Item{Case: c},
		check)
	if err != nil {
		t.Fatal(err)
	}
	for i := range j.Breaks {
		if j.Breaks[i].Check == check {
			return true, &j.Breaks[i]
		}
	}
	return j.Exercised.Has(all.Rules("orchestrator").Place(check)), nil
}

// TestRuns breaks each check of runs once and more.
func TestRuns(t *testing.T) {
	rejected := func(code harness.Code) func(*harness.Outcome) {
		return func(o *harness.Outcome) { o.Verdict, o.Code, o.Plan = harness.Rejected, code, nil }
	}
	messages := func(list string) func(*harness.Outcome) {
		return func(o *harness.Outcome) { o.Messages = jsontext.Value(list) }
	}
	tests := []struct {
		name, check string
		change      func(*harness.Outcome)
		pairs       []string
	}{
		{"no intake", "legal-transitions", nil, []string{"INTAKE ", ""}},
		{
			"no planning behind a replan", "legal-transitions", nil,
			[]string{"plan_patch_applied PLANNING", "plan_patch_applied"},
		},
		{"an unknown state", judge.Total, nil, []string{"DONE", "FINISHED"}},
		{
			"b before a", "dependencies-first", nil,
			[]string{
				"plan_step_start/a reply_invalid/a step_done/a plan_step_start/b control_protocol_legacy/b step_done/b",
				"plan_step_start/b step_done/b plan_step_start/a step_done/a",
			},
		},
		{"b before the replan", "dependencies-first", nil, []string{
			"plan_step_start/a replan_asked/a",
			"plan_step_start/b replan_asked/b",
		}},
		{"a again", "done-once", nil, []string{"DONE", "plan_step_start/a step_done/a DONE"}},
		{"a gone", "done-once", func(o *harness.Outcome) { o.Plan.Steps = o.Plan.Steps[1:] }, nil},
		{
			"a changed", "done-once", func(o *harness.Outcome) { o.Plan.Steps[0].Description = "another" },
			[]string{"plan_patch_applied ", ""},
		},
		{"two at a time", "steps-closed", nil, []string{
			"reply_invalid/a step_done/a plan_step_start/b",
			"plan_step_start/b step_done/b",
		}},
		{"left in progress", "steps-closed", nil, []string{"replan_asked/a ", ""}},
		{"done without a beginning", "steps-closed", nil, []string{"plan_step_start/b ", ""}},
		{"success in a deadlock", "done-means-done", nil, []string{"DONE", "BLOCKED"}},
		{"refused and done", "done-means-done", rejected(harness.ReplanFailed), nil},
		{
			"a step still blocked", "done-means-done",
			func(o *harness.Outcome) { o.Plan.Steps[1].Status = plan.Blocked }, nil,
		},
		{
			"a step that never ran", "done-means-done", nil,
			[]string{"plan_step_start/b control_protocol_legacy/b step_done/b ", ""},
		},
		{"no plan", "done-means-done", func(o *harness.Outcome) { o.Plan = nil }, nil},
		{"written and not verified", "writes-verified", nil, []string{"reply_invalid/a", "tool_called/a"}},
		{
			"written behind a verification", "writes-verified", nil,
			[]string{
				"EXECUTING plan_step_start/a", "VERIFYING final_verify EXECUTING plan_step_start/a", "reply_invalid/a",
				"tool_called/a",
			},
		},
		{
			"done although the verification failed", "writes-verified", nil,
			[]string{"reply_invalid/a", "tool_called/a", "DONE", "VERIFYING final_verify DONE"},
		},
		{
			"a round too many", "limits-kept", nil,
			[]string{"reply_invalid/a step_done/a", "reply_invalid/a tool_called/a step_done/a"},
		},
		{"failed too early", "limits-kept", nil, []string{"step_done/b", "step_failed/b"}},
		{
			"a replan too many", "limits-kept", nil,
			[]string{"step_done/a", "replan_asked/a RECOVERING replan_requested plan_patch_applied PLANNING EXECUTING " +
				"plan_step_start/a step_done/a"},
		},
		{
			"a try too many", "limits-kept", nil,
			[]string{"INTAKE PLANNING", "INTAKE PLANNING plan_rejected plan_rejected plan_rejected"},
		},
		{
			"given up too early", "limits-kept", nil,
			[]string{"INTAKE PLANNING", "INTAKE PLANNING plan_rejected plan_parse_failed"},
		},
		{"another code", "end-named", rejected(harness.ReplanFailed), []string{" DONE", ""}},
		{
			"a replan is left", "end-named", rejected(harness.MaxReplansReached),
			[]string{"replan_requested ", "", " DONE", ""},
		},
		{"replies that there are not", "run-bound", messages(`[` + strings.Repeat(`{"role":"assistant"},`, 5) +
			`{"role":"assistant"}]`), nil},
		{"a reply without an event", "true-signals", nil, []string{"reply_invalid/a step_done/a", "step_done/a"}},
		{"too much of a result", "results-bounded", messages(`[{"role":"user","content":"it said ` + output[:30] +
			` and so on, ` + output[len(output)-36:] + `"}]`), []string{"reply_invalid/a", "tool_called/a"}},
		{"half a character of a result", "results-bounded", messages(`[{"role":"user","content":"it said ` +
			output[:20] + "\ufffd" + `"}]`), []string{"reply_invalid/a", "tool_called/a"}},
		{"no trigger", "steps-closed", nil, []string{"step_done/a", "step_done/a replan_triggered/a"}},
		{
			"gave up verifying", "end-named", rejected(harness.VerificationFailed),
			[]string{"replan_requested ", "", "DONE", "VERIFYING final_verify"},
		},
		{"two of the user", "roles-alternate", messages(`[{"role":"user"},{"role":"user"}]`), nil},
		{
			"two of the system", "roles-alternate", messages(`[{"role":"system"},{"role":"system"},{"role":"user"}]`),
			nil,
		},
		{
			"another end behind an interruption", "resume-anywhere", rejected(harness.ReplanFailed),
			[]string{" DONE", ""},
		},
		{
			"another plan behind an interruption", "resume-anywhere", func(o *harness.Outcome) { o.Plan.Title = "V" },
			nil,
		},
		{
			"done again behind an interruption", "resume-anywhere", nil,
			[]string{"DONE", "plan_step_start/a step_done/a DONE"},
		},
	}
	broken := map[string]bool{"budget-kept": true} // by TestBudgetKept
	rules := all.Rules("orchestrator")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			right, wrong := ran(t, nil), ran(t, tt.change, tt.pairs...)
			// Of some there is nothing to see in that answer.
			idle := slices.Contains([]string{"end-named", "results-bounded", "writes-verified"},
				tt.check)
			if exercised, b := judgeRun(t, right, right, runCase(), tt.check); !exercised && !idle || b != nil {
				t.Errorf("the right answer: exercised %v, broken %v", exercised, b)
			}
			first := wrong
			if tt.check == "resume-anywhere" {
				first = right
			}
			if _, b := judgeRun(t, first, wrong, runCase(), tt.check); b == nil {
				t.Error("holds for a wrong answer")
			} else if rules.Class(tt.check, b.Kind) == "" {
				t.Errorf("%s breaks in a kind that it does not name: %q", tt.check, b.Kind)
			}
		})
		broken[tt.check] = true
	}
	for _, c := range all.Rules("orchestrator").Checks {
		if all.Rules("planpatch").Place(c.Name) < 0 && !broken[c.Name] {
			t.Errorf("nothing breaks the check %s", c.Name)
		}
	}
}

// TestSignalsOfASilentEngine: a control that follows a reply without an event may be of that reply or of
// a later one. The engine is asked with the script up to that reply.
func TestSignalsOfASilentEngine(t *testing.T) {
	whole := ran(t, nil, "reply_invalid/a step_done/a", "step_done/a")
	passes := ran(t, nil, "reply_invalid/a step_done/a plan_step_start/b control_protocol_legacy/b step_done/b DONE", "FAILED")
	reads := ran(t, nil, "reply_invalid/a step_done/a plan_step_start/b control_protocol_legacy/b step_done/b DONE",
		"step_done/a plan_step_start/b FAILED")
	for kind, short := range map[string]harness.Outcome{"no-event": passes, spec.EventStepDone: reads} {
		engine := judgetest.Engine(func(c harness.Case) (harness.Outcome, error) {
			if len(c.Replies) < len(runCase().Replies) {
				return short, nil
			}
			return whole, nil
		})
		h, _ := engine.Hello(t.Context())
		h.Dialects["orchestrator"] = h.Dialects["planpatch"]
		c := runCase()
		c.Replies[2] = "no STEP_DONE yet"
		j, err := judge.New(engine, h, all.Rules("orchestrator"), judge.Options{}).Only(t.Context(), judge.Item{Case: c},
			"true-signals")
		if err != nil || len(j.Breaks) == 0 || j.Breaks[0].Kind != kind {
			t.Errorf("%v, %v, want the kind %s", j.Breaks, err, kind)
		}
	}
}

// TestBudgetKept breaks the check of token budgets in each of its kinds. The conversation has 4,
// 8, 12 and 16 tokens after its messages.
func TestBudgetKept(t *testing.T) {
	text := strings.Repeat("abcd", 4)
	messages := jsontext.Value(fmt.Sprintf(`[{"role":"system","content":%q},{"role":"user","content":%[1]q},`+
		`{"role":"assistant","content":%[1]q},{"role":"user","content":%[1]q},{"role":"assistant","content":%[1]q}]`, text))
	event := func(name, data string) harness.TraceItem {
		return harness.TraceItem{State: "EXECUTING", Event: name, Data: jsontext.Value(data)}
	}
	trimmed := func(data string) harness.TraceItem { return event("history_trimmed", data) }
	exceeded := event("budget_exceeded", `{"max_tokens":10,"before":16,"after":12}`)
	for _, tt := range []struct {
		kind  string
		trace []harness.TraceItem
	}{
		{"", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":16,"after":8,"dropped":[1,2]}`)}},
		{"", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":16,"after":12,"dropped":[1]}`), exceeded}},
		{"", []harness.TraceItem{exceeded}},
		{"silent", []harness.TraceItem{event("state", "{}")}},
		{"other", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":15,"after":8,"dropped":[1]}`)}},
		{"other", []harness.TraceItem{trimmed(`{"max_tokens":11,"before":16,"after":8,"dropped":[1]}`)}},
		{"over", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":16,"after":12,"dropped":[1]}`)}},
		{"none", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":16,"after":8}`)}},
		{"unknown", []harness.TraceItem{trimmed(`{"max_tokens":10,"before":16,"after":8,"cut":[{"index":4}]}`)}},
	} {
		c := runCase()
		c.Budget = jsontext.Value(`{"max_tokens":10,"tokenizer":"chars/4"}`)
		o := ran(t, nil)
		o.Trace, o.Messages = append(o.Trace, tt.trace...), messages
		exercised, b := judgeRun(t, o, o, c, "budget-kept")
		if got := kindOf(b); !exercised || got != tt.kind {
			t.Errorf("%v: exercised %v, breaks %q, want %q", tt.trace, exercised, got, tt.kind)
		}
	}
}

func kindOf(b *judge.Break) string {
	if b == nil {
		return ""
	}
	return b.Kind
}

// What people read of a trace, and how a model is asked, is not compared.
func TestRunsAreComparedByTheirFacts(t *testing.T) {
	engine := func(data, content string, step string) judgetest.Engine {
		return func(harness.Case) (harness.Outcome, error) {
			o := ran(t, nil)
			o.Trace[11].Step, o.Trace[11].Data = step, jsontext.Value(data)
			o.Messages = jsontext.Value(`[{"role":"user","content":"` + content + `"}]`)
			return o, nil
		}
	}
	for _, tt := range []struct {
		name, data, content, step string
		same                      bool
	}{
		{"other words", `{"message":"x","n":1}`, "do it", "a", true},
		{"nothing said", ``, "x", "a", true},
		{"another fact", `{"message":"y","n":2}`, "x", "a", false},
		{"another step", `{"message":"y","n":1}`, "x", "b", false},
	} {
		ref, e := engine(`{"message":"y","n":1}`, "x", "a"), engine(tt.data, tt.content, tt.step)
		h, _ := e.Hello(t.Context())
		h.Dialects["orchestrator"] = h.Dialects["planpatch"]
		j, err := judge.New(e, h, all.Rules("orchestrator"), judge.Options{Reference: ref}).Only(t.Context(),
			judge.Item{Case: runCase()}, judge.Reference)
		if err != nil {
			t.Fatal(err)
		}
		if same := len(j.Breaks) == 0; same != tt.same {
			t.Errorf("%s: compared as the same: %v (%v)", tt.name, same, j.Breaks)
		}
	}
}

// A run that failed may show the plan that it left, or not; one that succeeded
// must, and a reply that was refused has none.
func TestFailedRunsMayShowTheirPlan(t *testing.T) {
	outcome := func(v harness.Verdict, shown, run bool) harness.Outcome {
		o := harness.Outcome{Verdict: v}
		if v == harness.Rejected {
			o.Code = harness.ReplanFailed
		}
		if shown {
			o.Plan = judgetest.NewPlan()
		}
		if run {
			o.Trace = []harness.TraceItem{{State: spec.StateIntake, Event: spec.EventState}}
		}
		return o
	}
	for _, tt := range []struct {
		name      string
		c         harness.Case
		reference harness.Outcome
		engine    harness.Outcome
		want      string
	}{
		{"failed, shown", runCase(), outcome(harness.Rejected, false, true), outcome(harness.Rejected, true, true), ""},
		{"failed, not shown", runCase(), outcome(harness.Rejected, false, true), outcome(harness.Rejected, false, true), ""},
		{
			"done, not shown", runCase(), outcome(harness.Applied, true, true), outcome(harness.Applied, false, true),
			"there is no plan, and should be one",
		},
		{
			"done without a plan, shown", runCase(), outcome(harness.Applied, false, true),
			outcome(harness.Applied, true, true), "there is a plan, and should be none",
		},
		{
			"refused, shown", judgetest.Patch(), outcome(harness.Rejected, false, false),
			outcome(harness.Rejected, true, false), "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reference := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return tt.reference, nil })
			engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return tt.engine, nil })
			h := judgetest.Hello()
			h.Dialects["orchestrator"] = h.Dialects["planpatch"]
			j, err := judge.New(engine, h, all.Rules("orchestrator"), judge.Options{Reference: reference}).Only(t.Context(),
				judge.Item{Case: tt.c}, judge.Reference)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(j.Breaks) > 0 {
				got = j.Breaks[0].Message
			}
			if !strings.HasSuffix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPlanOfAFailedRun: the plan that a run had when it failed is judged, too.
func TestPlanOfAFailedRun(t *testing.T) {
	engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.RepliesExhausted, Plan: judgetest.NewPlan()}, nil
	})
	h := judgetest.Hello()
	h.Dialects["orchestrator"] = h.Dialects["planpatch"]
	for limit, want := range map[int]bool{4: true, 5: false} {
		c := runCase()
		c.Limits.MaxPlanSteps = &limit
		j, err := judge.New(engine, h, all.Rules("orchestrator"), judge.Options{}).Only(t.Context(), judge.Item{Case: c},
			"within-limit")
		if err != nil || len(j.Breaks) > 0 != want {
			t.Errorf("max_plan_steps %d: %v, breaks %v", limit, err, j.Breaks)
		}
	}
}

// Where two traces part is told by the first item that differs, is missing or is
// one too many.
func TestTracesPart(t *testing.T) {
	full := []harness.TraceItem{
		{State: spec.StateIntake, Event: spec.EventState},
		{State: spec.StateIntake, Event: spec.EventRunFailed, Code: harness.BadLimit},
	}
	given := func(trace []harness.TraceItem) judgetest.Engine {
		return func(harness.Case) (harness.Outcome, error) {
			return harness.Outcome{Verdict: harness.Rejected, Code: harness.BadLimit, Trace: trace}, nil
		}
	}
	other := []harness.TraceItem{full[0], {
		State: spec.StateIntake, Event: spec.EventReplyInvalid, Step: "a",
		Code: harness.BadType,
	}}
	for _, tt := range []struct {
		name      string
		want, got []harness.TraceItem
		words     string
	}{
		{"another", full, other, `/trace/1 is "reply_invalid a bad_type" and not "run_failed bad_limit"`},
		{"of a state", full, []harness.TraceItem{full[0], {
			State: "DONE", Event: spec.EventRunFailed,
			Code: harness.BadLimit,
		}}, `/trace/1/state is "DONE" and not "INTAKE"`},
		{"missing", full, full[:1], `/trace/1 is missing and should be "run_failed bad_limit"`},
		{"too many", full[:1], full, `/trace/1 is "run_failed bad_limit" and should not be there`},
		{"of states", full[1:], full[:1], `/trace/0 is "INTAKE" and not "run_failed bad_limit"`},
	} {
		h := judgetest.Hello()
		h.Dialects["orchestrator"] = h.Dialects["planpatch"]
		j, err := judge.New(given(tt.got), h, all.Rules("orchestrator"),
			judge.Options{Reference: given(tt.want)}).Only(t.Context(), judge.Item{Case: runCase()}, judge.Reference)
		if err != nil || len(j.Breaks) != 1 || !strings.HasSuffix(j.Breaks[0].Message, tt.words) {
			t.Errorf("%s: %v, breaks %v, want %q", tt.name, err, j.Breaks, tt.words)
		}
	}
}
