package rules_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

const (
	done   = `{"control":"step_done","reason":"as asked"}`
	again  = `{"control":"replan"}`
	grep   = `{"tool":"grep","args":{"pattern":"x"}}`
	chat   = `I do not want to REPLAN yet, nor is this STEP_DONE.`
	fixB   = `{"update_steps":[{"id":"b","description":"do b otherwise"}]}`
	addC   = `{"add_steps":[{"id":"c","description":"do c"}]}`
	ab     = `{"title":"T","steps":[{"id":"a","description":"do a"},{"id":"b","description":"do b","dependencies":["a"]}]}`
	ok     = `{"ok":true,"output":"fine"}`
	writes = `{"ok":true,"writes":{"main.go":"h1"}}`
	pass   = `{"ok":true}`
)

// session is a case with settings on one line: knobs of the profile and limits.
type session struct {
	settings string
	plan     string
	replies  []harness.Reply
	tools    string
	verify   string
}

func (s session) build(t testing.TB) (harness.Case, harness.Profile) {
	t.Helper()
	c := harness.Case{Dialect: "orchestrator", Replies: s.replies}
	if s.plan != "" {
		c.Plan = []byte(s.plan)
	}
	if s.tools != "" {
		c.Tools = []byte("[" + s.tools + "]")
	}
	if s.verify != "" {
		c.Verify = []byte("[" + s.verify + "]")
	}
	p := harness.Reference()
	for setting := range strings.FieldsSeq(s.settings) {
		name, value, _ := strings.Cut(setting, "=")
		n := new(int)
		switch fmt.Sscan(value, n); name {
		case "steps":
			c.Limits.MaxPlanSteps = n
		case "rounds":
			c.Limits.MaxStepToolCalls = n
		case "replans":
			c.Limits.MaxReplans = n
		case "retries":
			c.Limits.PlanningRetries = n
		case "bytes":
			c.Limits.MaxReplyBytes = n
		case "interrupt":
			c.InterruptAfter = n
		case "chars":
			c.Limits.MaxToolResultChars = n
		default:
			if err := p.Apply(setting, spec.Knobs()...); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, p
}

func (s session) eval(t testing.TB) harness.Outcome {
	c, p := s.build(t)
	return orchestrator.Eval(c, p)
}

// sketch is a trace on one line: a state where it is entered, otherwise event
// and step, and the code of either.
func sketch(out harness.Outcome) string {
	var list []string
	for _, e := range out.Trace {
		w := e.Event
		if e.Event == spec.EventState {
			w = e.State
		}
		if e.Step != "" {
			w += " " + e.Step
		}
		if e.Code != "" {
			w += "!" + string(e.Code)
		}
		list = append(list, w)
	}
	return strings.Join(list, ", ")
}

func TestRuns(t *testing.T) {
	const begin = "INTAKE, PLANNING, EXECUTING, "
	tests := []struct {
		name string
		session
		want string
	}{
		{
			"a plan is read and done",
			session{replies: []harness.Reply{ab, done, done}},
			"INTAKE, PLANNING, plan_generated, EXECUTING, plan_step_start a, step_done a, plan_step_start b, step_done b, DONE",
		},
		{
			"a second try at planning",
			session{replies: []harness.Reply{"no", ab, done, done}},
			"INTAKE, PLANNING, plan_rejected!no_document, planning_retry, plan_generated, EXECUTING, plan_step_start a, " +
				"step_done a, plan_step_start b, step_done b, DONE",
		},
		{
			"no plan",
			session{settings: "retries=0", replies: []harness.Reply{"no", done}},
			"INTAKE, PLANNING, plan_rejected!no_document, plan_parse_failed, EXECUTING, plan_step_start react, step_done " +
				"react, DONE",
		},
		{
			"no plan, and another is asked for",
			session{settings: "retries=0", replies: []harness.Reply{"no", again, ab}},
			"INTAKE, PLANNING, plan_rejected!no_document, plan_parse_failed, EXECUTING, plan_step_start react, replan_asked " +
				"react, RECOVERING, replan_requested react, replan_failed react, run_failed!replan_failed",
		},
		{
			"no plan, and the ladder goes on without",
			session{
				settings: "retries=0 ladder=patch,retry,react",
				replies:  []harness.Reply{"no", again, done},
			},
			"INTAKE, PLANNING, plan_rejected!no_document, plan_parse_failed, EXECUTING, plan_step_start react, replan_asked " +
				"react, RECOVERING, replan_requested react, react_used react, PLANNING, EXECUTING, plan_step_start react, " +
				"step_done react, DONE",
		},
		{
			"written and verified",
			session{plan: ab, replies: []harness.Reply{grep, done, done}, tools: writes, verify: pass},
			begin + "plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, final_verify, " +
				"DONE",
		},
		{"verified before the interruption", session{
			settings: "interrupt=10", plan: ab,
			replies: []harness.Reply{grep, done, done}, tools: writes, verify: pass,
		}, begin +
			"plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, final_verify, " +
			"resumed, verify_cached, DONE"},
		{"not verified", session{
			settings: "replan_on=none", plan: ab, replies: []harness.Reply{grep, done, done},
			tools: writes, verify: `{"ok":false,"errors":["E1"]}`,
		}, begin +
			"plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, " +
			"final_verify!verification_failed, run_failed!verification_failed"},
		{"not verified, and no replan is left", session{
			settings: "replans=0", plan: ab,
			replies: []harness.Reply{grep, done, done}, tools: writes, verify: `{"ok":false}`,
		}, begin +
			"plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, " +
			"final_verify!verification_failed, run_failed!verification_failed"},
		{"not verified at first", session{
			plan: ab, replies: []harness.Reply{grep, done, done, addC, done}, tools: writes,
			verify: `{"ok":false,"errors":["E1"]},` + pass,
		}, begin +
			"plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, " +
			"final_verify!verification_failed, replan_triggered, RECOVERING, replan_requested, plan_patch_applied, PLANNING, " +
			"EXECUTING, plan_step_start c, step_done c, VERIFYING, final_verify, DONE"},
		{"not verified, and given up", session{
			settings: "ladder=patch,react", plan: ab,
			replies: []harness.Reply{grep, done, done, "no", done}, tools: writes, verify: `{"ok":false},` + pass,
		}, begin +
			"plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, " +
			"final_verify!verification_failed, replan_triggered, RECOVERING, replan_requested, patch_rejected!no_document, " +
			"react_used, PLANNING, EXECUTING, plan_step_start react, step_done react, VERIFYING, final_verify, DONE"},
		{"without a plan, not verified", session{
			settings: "planning=off", plan: ab, replies: []harness.Reply{grep, done},
			tools: writes, verify: `{"ok":false}`,
		}, begin +
			"plan_step_start react, tool_called react, step_done react, VERIFYING, final_verify!verification_failed, " +
			"run_failed!verification_failed"},
		{"a tool fails", session{
			settings: "replan_on=tool replans=1 rounds=1", plan: ab,
			replies: []harness.Reply{grep, addC, grep}, tools: `{"ok":false,"environment":"x"},{"ok":false}`,
		}, begin +
			"plan_step_start a, tool_called a, replan_triggered a, RECOVERING, replan_requested a, plan_patch_applied a, " +
			"PLANNING, EXECUTING, plan_step_start a, tool_called a, step_failed a, run_failed!max_replans_reached"},
		{
			"the environment changes",
			session{
				settings: "replan_on=environment", plan: ab,
				replies: []harness.Reply{grep, grep, addC, done, done, done}, tools: `{"ok":false},{"ok":true,"environment":"x"}`,
			},
			begin + "plan_step_start a, tool_called a, tool_called a, replan_triggered a, RECOVERING, replan_requested a, " +
				"plan_patch_applied a, PLANNING, EXECUTING, plan_step_start a, step_done a, plan_step_start b, step_done b, " +
				"plan_step_start c, step_done c, DONE",
		},
		{"words are no signals, lines are", session{plan: ab, replies: []harness.Reply{
			chat, "well\n 【step_done】 \nREPLAN",
			"step_done",
		}}, begin + "plan_step_start a, reply_invalid a!no_document, control_protocol_legacy a, step_done a, " +
			"plan_step_start b, control_protocol_legacy b, step_done b, DONE"},
		{
			"an envelope beats words",
			session{plan: ab, replies: []harness.Reply{"REPLAN\n" + done, "STEP_DONE\n" + grep}},
			begin + "plan_step_start a, step_done a, plan_step_start b, control_protocol_legacy b, step_done b, DONE",
		},
		{"thoughts and other letters are no words", session{
			settings: "rounds=2 replans=0", plan: ab,
			replies: []harness.Reply{"<think>\nREPLAN\n</think>", "ſtep_done"},
		}, begin +
			"plan_step_start a, reply_invalid a!no_document, reply_invalid a!no_document, step_failed a, " +
			"run_failed!max_replans_reached"},
		{"what speaks of a plan is no envelope", session{
			settings: "reading.coerce=true rounds=2 replans=0", plan: ab,
			replies: []harness.Reply{
				`{"control":"step_done","steps":[]}`, `{"control":"step_done","note":1}`,
				`{"tool":"x","type":"PlanPatch"}`,
			},
		}, begin +
			"plan_step_start a, reply_invalid a!extra_field, step_done a, plan_step_start b, reply_invalid b!extra_field, " +
			"run_failed!replies_exhausted"},
		{"members left out", session{
			settings: "extra_fields=drop rounds=2 replans=0", plan: ab,
			replies: []harness.Reply{`{"control":"step_done","args":{}}`, `{"control":"step_done","tool":"x"}`},
		}, begin +
			"plan_step_start a, step_done a, plan_step_start b, reply_invalid b!extra_field, run_failed!replies_exhausted"},
		{"done steps do not block", session{
			settings: "ladder=fullplan",
			plan:     `{"title":"T","steps":[{"id":"a","description":"A","status":"failed"},{"id":"b","description":"B","dependencies":["a"],"status":"done"},{"id":"c","description":"C","dependencies":["b"]}]}`, replies: []harness.Reply{again, `{"title":"T","steps":[{"id":"a","description":"A"},{"id":"c","description":"C"}]}`},
		}, begin + "plan_step_start c, replan_asked c, RECOVERING, replan_requested c, full_plan_used c, step_reopened a, PLANNING, EXECUTING, plan_step_start a, run_failed!replies_exhausted"},
		{"interrupted after the last event", session{
			settings: "interrupt=4",
			plan:     `{"title":"T","steps":[{"id":"a","description":"A","status":"done"}]}`,
		}, begin + "DONE, resumed"},
		{"used up and patched", session{
			settings: "rounds=1", plan: ab, replies: []harness.Reply{done, grep, fixB, done},
			tools: ok,
		}, begin + "plan_step_start a, step_done a, plan_step_start b, tool_called b, step_failed b, " +
			"RECOVERING, replan_requested b, plan_patch_applied b, step_reopened b, PLANNING, EXECUTING, plan_step_start b, " +
			"step_done b, DONE"},
		{"blocked steps are reopened too", session{
			settings: "rounds=1", plan: ab,
			replies: []harness.Reply{
				chat, `{"update_steps":[{"id":"b","dependencies":[]},{"id":"a","description":"x"}]}`, done,
				done,
			},
		}, begin + "plan_step_start a, reply_invalid a!no_document, step_failed a, RECOVERING, replan_requested a, " +
			"plan_patch_applied a, step_reopened a, step_reopened b, PLANNING, EXECUTING, plan_step_start a, step_done a, " +
			"plan_step_start b, step_done b, DONE"},
		{"a failed step that no patch names stays failed", session{
			settings: "rounds=1 replans=1", plan: ab,
			replies: []harness.Reply{chat, addC, done},
		}, begin +
			"plan_step_start a, reply_invalid a!no_document, step_failed a, RECOVERING, replan_requested a, " +
			"plan_patch_applied a, PLANNING, EXECUTING, plan_step_start c, step_done c, BLOCKED, run_failed!dependency_deadlock"},
		{"out of a deadlock", session{settings: "rounds=1 replans=2", plan: ab, replies: []harness.Reply{
			chat, addC, done,
			`{"title":"","steps":[{"id":"a","description":"do a"}]}`, done,
		}}, begin +
			"plan_step_start a, reply_invalid a!no_document, step_failed a, RECOVERING, replan_requested a, " +
			"plan_patch_applied a, PLANNING, EXECUTING, plan_step_start c, step_done c, BLOCKED, RECOVERING, " +
			"replan_requested, full_plan_used, step_reopened a, PLANNING, EXECUTING, plan_step_start a, step_done a, DONE"},
		{
			"a step that asks has not failed",
			session{plan: ab, replies: []harness.Reply{again, addC, done, done, done}},
			begin + "plan_step_start a, replan_asked a, RECOVERING, replan_requested a, plan_patch_applied a, PLANNING, " +
				"EXECUTING, plan_step_start a, step_done a, plan_step_start b, step_done b, plan_step_start c, step_done c, DONE",
		},
		{"no replan allowed", session{settings: "replans=0", plan: ab, replies: []harness.Reply{again, addC}}, begin +
			"plan_step_start a, replan_asked a, run_failed!max_replans_reached"},
		{"the ladder fails", session{plan: ab, replies: []harness.Reply{again, "no", "nor this"}}, begin +
			"plan_step_start a, replan_asked a, RECOVERING, replan_requested a, patch_rejected a!no_document, " +
			"retry_requested a, patch_rejected a!no_document, full_plan_rejected a!no_document, replan_failed a, " +
			"run_failed!replan_failed"},
		{"the ladder has nothing to read", session{plan: ab, replies: []harness.Reply{again}}, begin +
			"plan_step_start a, replan_asked a, RECOVERING, replan_requested a, replan_failed a, run_failed!replies_exhausted"},
		{"the step goes on without planning", session{
			settings: "rounds=1 ladder=patch,react", plan: ab,
			replies: []harness.Reply{chat, "no", done, done},
		}, begin +
			"plan_step_start a, reply_invalid a!no_document, step_failed a, RECOVERING, replan_requested a, patch_rejected " +
			"a!no_document, react_used a, step_reopened a, PLANNING, EXECUTING, plan_step_start a, step_done a, " +
			"plan_step_start b, step_done b, DONE"},
		{"a wave ends whatever fails in it", session{
			settings: "rounds=1 parallel=2",
			plan:     `{"title":"T","steps":[{"id":"a","description":"A"},{"id":"b","description":"B"},{"id":"c","description":"C"}]}`, replies: []harness.Reply{chat, done, `{"remove_steps":["a"]}`, done},
		}, begin + "plan_step_start a, reply_invalid a!no_document, step_failed a, plan_step_start b, step_done b, RECOVERING, replan_requested a, plan_patch_applied a, PLANNING, EXECUTING, plan_step_start c, step_done c, DONE"},
		{"statuses of the plan", session{plan: `{"title":"T","steps":[{"id":"a","description":"A","status":"in_progress"},{"id":"b","description":"B","status":"blocked"},{"id":"c","description":"C","status":"done"}]}`, replies: []harness.Reply{done, done}}, begin + "plan_step_start a, step_done a, plan_step_start b, step_done b, DONE"},
		{"everything is done", session{plan: `{"title":"T","steps":[{"id":"a","description":"A","status":"done"}]}`}, begin +
			"DONE"},
		{"no reply", session{plan: ab}, begin + "plan_step_start a, run_failed!replies_exhausted"},
		{"no result of the tool", session{plan: ab, replies: []harness.Reply{grep}}, begin +
			"plan_step_start a, run_failed!replies_exhausted"},
		{
			"no result of the verification",
			session{plan: ab, replies: []harness.Reply{grep, done, done}, tools: writes},
			begin + "plan_step_start a, tool_called a, step_done a, plan_step_start b, step_done b, VERIFYING, " +
				"run_failed!replies_exhausted",
		},
		{"as large as allowed", session{
			settings: "rounds=1 replans=0 bytes=21", plan: ab,
			replies: []harness.Reply{"STEP_DONE\n          x"},
		}, begin +
			"plan_step_start a, control_protocol_legacy a, step_done a, plan_step_start b, run_failed!replies_exhausted"},
		{"larger than allowed", session{
			settings: "rounds=1 replans=0 bytes=8", plan: ab,
			replies: []harness.Reply{"STEP_DONE"},
		}, begin +
			"plan_step_start a, reply_invalid a!reply_too_large, step_failed a, run_failed!max_replans_reached"},
		{"an unsound plan", session{plan: `{"title":"T","steps":[]}`}, "INTAKE, run_failed!invalid_plan"},
		{"an unsound limit", session{settings: "replans=-1", plan: ab}, "INTAKE, run_failed!bad_limit"},
		{"an unsound script", session{plan: ab, tools: `{"output":"x"}`}, "INTAKE, run_failed!missing_field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := tt.eval(t)
			if d := cmp.Diff(tt.want, sketch(out)); d != "" {
				t.Errorf("trace (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

// The one place where a run waits for the model can come to many ends; what is
// said of a plan stands in the outcome.
func TestPlanOfOutcome(t *testing.T) {
	out := session{settings: "steps=2", replies: []harness.Reply{
		`{"title":"T","steps":[{"id":"a","description":"A"},{"id":"b","description":"B","dependencies":["d"]},{"id":"c","description":"C"},{"id":"d","description":"D"}]}`, done,
	}}.eval(t)
	want := &plan.Plan{Title: "T", Steps: []plan.Step{{ID: "a", Description: "A", Status: plan.Done}}}
	if !out.Plan.Equal(want) {
		t.Errorf("plan %v, want %v", out.Plan, want)
	}
	if d := cmp.Diff([]harness.Warning{{Code: harness.WarnTruncated, IDs: []string{"c", "d", "b"}}},
		out.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	out = session{
		plan:    `{"title":"T","steps":[{"id":"a","description":"A","result":{"n":1}}],"verification_policy":"v"}`,
		replies: []harness.Reply{done, done},
	}.eval(t)
	want = &plan.Plan{
		Title: "T", VerificationPolicy: "v",
		Steps: []plan.Step{{ID: "a", Description: "A", Status: plan.Done, Extra: []byte(`{"result":{"n":1}}`)}},
	}
	if !out.Plan.Equal(want) {
		t.Errorf("plan %v, want %v", out.Plan, want)
	}
	if d := cmp.Diff([]harness.Warning{{Code: harness.WarnRepliesUnused}}, out.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

// A later patch of the same run warns of the same ids again, and names them once.
func TestWarningsOfARun(t *testing.T) {
	out := session{plan: ab, replies: []harness.Reply{
		again, `{"add_steps":[{"id":"A","description":"x"}]}`, again, `{"title":"U"}`, done, done, done,
	}}.eval(t)
	want := []harness.Warning{{Code: harness.WarnConfusableID, IDs: []string{"a", "A"}}}
	if d := cmp.Diff(want, out.Warnings); d != "" || out.Verdict != harness.Applied {
		t.Errorf("%s, warnings (-want +got):\n%s", out.Verdict, d)
	}
}

func TestMessages(t *testing.T) {
	out := session{
		settings: "rounds=2", plan: ab, tools: `{"ok":false,"output":"nothing found"}`,
		replies: []harness.Reply{grep, "\xff", "no", fixB},
	}.eval(t)
	var messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(out.Messages, &messages); err != nil {
		t.Fatal(err)
	}
	want := []string{"system", "user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant", "user"}
	var roles []string
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	if d := cmp.Diff(want, roles); d != "" {
		t.Fatalf("roles (-want +got):\n%s", d)
	}
	if said := messages[3].Content; !strings.Contains(said, "grep failed") || !strings.Contains(said, "nothing found") {
		t.Errorf("the model was told %q of the tool", said)
	}
	if said := messages[5].Content; !strings.Contains(said, "invalid_utf8") || !strings.Contains(said, "PlanPatch") {
		t.Errorf("the correction and the next question are %q", said)
	}
}

// Control words count in a dozen dresses, both of them, and in no others.
func TestControlWords(t *testing.T) {
	for _, tt := range []struct {
		dress string
		is    bool
	}{
		{"%s", true},
		{"  %s\t", true},
		{"well\n%s\nbye", true},
		{"【%s】", true},
		{"[%s]", true},
		{"**%s**", true},
		{"__%s__", true},
		{"`%s`", true},
		{`"%s"`, true},
		{"'%s'", true},
		{"“%s”", true},
		{"‘%s’", true},
		{"「%s」", true},
		{"『%s』", true},
		{"%s.", true},
		{"%s。", true},
		{"%s!", true},
		{"%s！", true},
		{"%s...", true},
		{"**%s**.", true},
		{"【%s】。", true},
		{"(%s)", false},
		{"<%s>", false},
		{"*%s*", false},
		{"[[%s]]", false},
		{"`**%s**`", false},
		{"[%s", false},
		{"%s]", false},
		{"**%s.**", false},
		{"# %s", false},
		{"- %s", false},
		{"%s it", false},
		{"no %s", false},
		{"[ %s ]", false},
		{"【%s]", false},
		{"x%s", false},
	} {
		for word, event := range map[string]string{"STEP_DONE": "step_done a", "replan": "replan_asked a"} {
			text := fmt.Sprintf(tt.dress, word)
			got := sketch(session{plan: ab, replies: []harness.Reply{harness.Reply(text)}}.eval(t))
			if is := strings.Contains(got, "control_protocol_legacy a, "+event); is != tt.is {
				t.Errorf("%q is a signal: %v: %s", text, is, got)
			}
		}
	}
}

// What a tool says is told whole, or its head and its tail.
func TestToolResultsAreBounded(t *testing.T) {
	const long = "The quick brown fox jumps over the lazy dog, and then 步骤 again and again and again, until the end."
	for _, tt := range []struct {
		settings, want string
	}{
		{"", long},
		{"chars=99", long},
		{"chars=60", "The quick brow\n[70 of 98 characters left out]\nuntil the end."},
		{"chars=9", "The quick"},
	} {
		out := session{
			settings: tt.settings, plan: ab, tools: `{"ok":true,"output":"` + long + `"}`,
			replies: []harness.Reply{grep},
		}.eval(t)
		if !strings.Contains(string(out.Messages), strings.ReplaceAll("answered:\n"+tt.want+"\n\nGo on", "\n", `\n`)) {
			t.Errorf("%s: %s", tt.settings, out.Messages)
		}
	}
}

// drawSession makes a run that may go wrong anywhere.
func drawSession(t *rapid.T) session {
	texts := []harness.Reply{
		done, done, done, done, again, grep, grep, chat, "REPLAN", "x\nstep_done", ab, fixB, addC, "no", "\xff",
		`{"remove_steps":["b"]}`, `{"remove_steps":["a"],"update_steps":[{"id":"b","dependencies":[]}]}`,
		`{"update_steps":[{"id":"a","description":"x"},{"id":"b","dependencies":[]}]}`,
		`{"update_steps":[{"id":"a","dependencies":["b"]}]}`,
		`{"title":"U","steps":[{"id":"b","description":"B","dependencies":["c"]},{"id":"c","description":"C","status":"done"}]}`,
		`{"add_steps":[{"id":"d","description":"D","dependencies":["c"]},{"id":"e","description":"E","dependencies":["a","b"]}]}`,
	}
	s := session{
		plan: rapid.SampledFrom([]string{
			"", ab,
			`{"title":"T","steps":[{"id":"a","description":"A","status":"done","dependencies":["b"]},{"id":"b","description":"B","status":"failed"},{"id":"c","description":"C","dependencies":["b"],"status":"blocked"},{"id":"f","description":"F","status":"in_progress"}]}`,
		}).Draw(t, "plan"),
		replies: rapid.SliceOfN(rapid.SampledFrom(texts), 0, 25).Draw(t, "replies"),
		tools: strings.TrimSuffix(strings.Repeat(rapid.SampledFrom([]string{
			ok, writes, `{"ok":false,"writes":{"b":"1"}}`,
			`{"ok":true,"environment":"x"}`,
		}).Draw(t, "tools")+",", 20), ","),
		verify: rapid.SampledFrom([]string{pass, `{"ok":false},` + pass, `{"ok":false}`, ""}).Draw(t, "verify"),
	}
	s.settings = fmt.Sprintf("steps=%d rounds=%d replans=%d retries=%d parallel=%d ladder=%s replan_on=%s planning=%s "+
		"chars=%d",
		rapid.IntRange(1, 5).Draw(t, "steps"), rapid.IntRange(1, 3).Draw(t, "rounds"),
		rapid.IntRange(0, 3).Draw(t, "replans"),
		rapid.IntRange(0, 2).Draw(t, "retries"), rapid.IntRange(1, 3).Draw(t, "parallel"),
		rapid.SampledFrom([]string{"patch,retry,fullplan", "patch,retry,react", "patch", "react", "fullplan"}).Draw(t,
			"ladder"),
		rapid.SampledFrom([]string{"none", "verification", "verification,tool,environment"}).Draw(t, "replan_on"),
		rapid.SampledFrom([]string{"on", "on", "on", "off"}).Draw(t, "planning"), rapid.IntRange(1, 4).Draw(t, "chars"))
	return s
}

// TestLaws: whatever the replies, a run goes by legal transitions, keeps to its
// limits, runs no step too early or again, and succeeds only with all steps
// done; and it ends the same wherever it is interrupted.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSession(rt)
		c, p := s.build(t)
		out := orchestrator.Eval(c, p)
		if d := difference(out, orchestrator.Eval(c, p)); d != "" {
			rt.Fatalf("a second evaluation differs:\n%s", d)
		}
		checkEnd(rt, out)
		checkTrace(rt, c, out)
		if n := strings.Count(string(out.Messages), `"role":"assistant"`); n > spec.MaxReplies(c.Limits, p,
			max(*c.Limits.MaxPlanSteps, 4)) {
			rt.Fatalf("%d replies", n)
		}
		for k := range len(out.Trace) {
			c.InterruptAfter = new(k + 1)
			resumed := orchestrator.Eval(c, p)
			resumed.Trace = slices.DeleteFunc(resumed.Trace, func(e harness.TraceItem) bool {
				return e.Event == spec.EventResumed || e.Event == spec.EventVerifyCached
			})
			if d := difference(out, resumed); d != "" {
				rt.Fatalf("interrupted after event %d of %s (-through +resumed):\n%s", k+1, sketch(out), d)
			}
		}
	})
}

// difference is cmp.Diff, which takes its time also where there is none.
func difference(a, b harness.Outcome) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}

func checkEnd(t *rapid.T, out harness.Outcome) {
	last := out.Trace[len(out.Trace)-1]
	if (out.Verdict == harness.Applied) != (last.State == spec.StateDone) ||
		(out.Verdict == harness.Applied) != (out.Code == "") {
		t.Fatalf("verdict %s, code %q in the state %s", out.Verdict, out.Code, last.State)
	}
	if out.Plan == nil {
		return
	}
	if err := out.Plan.Check(); err != nil {
		t.Fatalf("the plan is unsound: %v", err)
	}
	for _, s := range out.Plan.Steps {
		if out.Verdict == harness.Applied && s.Status != plan.Done || s.Status == plan.InProgress {
			t.Fatalf("the step %s is %s at the end of %s", s.ID, s.Status, sketch(out))
		}
	}
}

func checkTrace(t *rapid.T, c harness.Case, out harness.Outcome) {
	rounds, replans := 0, 0
	when := map[string]int{} // the event at which a step was done
	state := ""
	for i, e := range out.Trace {
		if state != "" && e.State != state && !slices.Contains(spec.Transitions(state), e.State) {
			t.Fatalf("from %s to %s", state, e.State)
		}
		state = e.State
		switch e.Event {
		case spec.EventState:
			if e.State == spec.StateRecovering {
				replans++
			}
		case spec.EventPlanStepStart:
			rounds = 0
			if when[e.Step] > 0 {
				t.Fatalf("the step %s ran again: %s", e.Step, sketch(out))
			}
			if out.Plan != nil && out.Plan.Step(e.Step) != nil {
				for _, d := range out.Plan.Step(e.Step).Dependencies {
					if when[d] == 0 && !strings.Contains(string(c.Plan), `"id":"`+d+`","description":"`+strings.ToUpper(d)+
						`","status":"done"`) && lastStart(out, e.Step) == i && !replaced(out.Trace[i:]) {
						t.Fatalf("the step %s ran before %s: %s", e.Step, d, sketch(out))
					}
				}
			}
		case spec.EventToolCalled, spec.EventReplyInvalid:
			rounds++
		case spec.EventStepDone:
			when[e.Step] = i
		case harness.EventReactUsed: // the implicit step begins anew
			delete(when, spec.React)
		}
		if rounds > *c.Limits.MaxStepToolCalls || replans > *c.Limits.MaxReplans {
			t.Fatalf("%d rounds, %d replans: %s", rounds, replans, sketch(out))
		}
	}
}

func lastStart(out harness.Outcome, step string) int {
	last := -1
	for i, e := range out.Trace {
		if e.Event == spec.EventPlanStepStart && e.Step == step {
			last = i
		}
	}
	return last
}

// replaced says whether a whole plan, which may name other dependencies, replaces the old one.
func replaced(trace []harness.TraceItem) bool {
	return slices.ContainsFunc(trace, func(e harness.TraceItem) bool { return e.Event == harness.EventFullPlanUsed })
}

func FuzzEval(f *testing.F) {
	f.Add(ab, done+"\n---\n"+again+"\n---\n"+fixB+"\n---\n"+done, ok, pass, uint8(3), uint8(5))
	f.Add("", ab+"\n---\n"+grep+"\n---\nSTEP_DONE", writes, `{"ok":false,"errors":["x"]}`, uint8(1), uint8(0))
	f.Add(`{"title":"","steps":[{"id":" a","description":"","status":"failed","x":1}]}`, addC, `{"ok":1}`, "", uint8(0),
		uint8(2))
	f.Fuzz(func(t *testing.T, planDoc, replies, tools, verify string, profile, after uint8) {
		s := session{plan: planDoc, tools: tools, verify: verify, settings: "rounds=2 " +
			harness.Profiles()[int(profile)%len(harness.Profiles())].Name}
		for r := range strings.SplitSeq(replies, "\n---\n") {
			s.replies = append(s.replies, harness.Reply(r))
		}
		c, p := s.build(t)
		out := orchestrator.Eval(c, p)
		if out.Verdict == harness.Applied && out.Plan != nil {
			if err := out.Plan.Check(); err != nil {
				t.Fatalf("the plan is unsound: %v", err)
			}
		}
		if after > 0 {
			c.InterruptAfter = new(int(after))
		}
		again := orchestrator.Eval(c, p)
		if out.Verdict != again.Verdict || out.Code != again.Code || !out.Plan.Equal(again.Plan) {
			t.Fatalf("interrupted after %d: %s %s, else %s %s", after, again.Verdict, again.Code, out.Verdict, out.Code)
		}
	})
}
