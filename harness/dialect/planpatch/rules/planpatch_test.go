package rules_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

const abc = `{"title":"t","steps":[
 {"id":"a","description":"A","status":"done","result":"kept"},
 {"id":"b","description":"B","dependencies":["a"],"status":"failed"},
 {"id":"c","description":"C","dependencies":["b"]}]}`

func eval(t testing.TB, settings string, limit int, planDoc string, replies ...harness.Reply) harness.Outcome {
	t.Helper()
	p := harness.Reference()
	for s := range strings.FieldsSeq(settings) {
		if err := p.Apply(s); err != nil {
			t.Fatal(err)
		}
	}
	c := harness.Case{Dialect: "planpatch", Plan: []byte(planDoc), Replies: replies}
	if limit != 0 {
		c.Limits.MaxPlanSteps = &limit
	}
	return planpatch.Eval(c, p)
}

// sketch is a plan on one line: each step with its status and dependencies.
func sketch(p *plan.Plan) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for i, s := range p.Steps {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %s <%s", s.ID, s.Status, strings.Join(s.Dependencies, ","))
	}
	return b.String()
}

// TestApply shows the rules that one reply can meet; the scenarios hold the
// rest, with their reasons.
func TestApply(t *testing.T) {
	tests := []struct {
		name, settings string
		limit          int
		reply          harness.Reply
		code           harness.Code
		at             string
		plan           string
	}{
		{
			"update keeps the status", "", 0, `{"update_steps":[{"id":"b","description":"x"}]}`, "", "",
			"a done <; b failed <a; c pending <b",
		},
		{
			"remove and rewire", "", 0, `{"remove_steps":["b"],"update_steps":[{"id":"c","dependencies":["a"]}]}`, "", "",
			"a done <; c pending <a",
		},
		{"orphan refused", "", 0, `{"remove_steps":["b"]}`, "missing_dependency", "/remove_steps/0", ""},
		{"orphan detached", "orphans=detach", 0, `{"remove_steps":["b"]}`, "", "", "a done <; c pending <"},
		{"orphan bridged", "orphans=bridge", 0, `{"remove_steps":["b"]}`, "", "", "a done <; c pending <a"},
		{
			"written edge to a removed step", "orphans=bridge", 0,
			`{"remove_steps":["b"],"update_steps":[{"id":"c","dependencies":["a","b"]}]}`, "missing_dependency",
			"/update_steps/0/dependencies/1", "",
		},
		{
			"cycle by update", "", 0, `{"update_steps":[{"id":"b","dependencies":["c"]}]}`, "dependency_cycle",
			"/update_steps/0/dependencies/0", "",
		},
		{
			"added behind", "", 0, `{"add_steps":[{"id":" d ","description":"D","dependencies":[" c","c"],"status":"done"}]}`,
			"", "", "a done <; b failed <a; c pending <b; d pending <c",
		},
		{"no room at all", "", 3, `{"add_steps":[{"id":"d","description":"D"}]}`, "empty_patch", "", ""},
		{
			"first that fit", "", 4, `{"add_steps":[{"id":"d","description":"D"},{"id":"e","description":"E"}]}`, "", "",
			"a done <; b failed <a; c pending <b; d pending <",
		},
		{"truncated dependency", "", 4, `{"add_steps":[{"id":"d","description":"D","dependencies":["e"]},{"id":"e","description":"E"}]}`, "missing_dependency", "/add_steps/0/dependencies/0", ""},
		{"over the limit before", "", 2, `{"add_steps":[{"id":"d","description":"D"}]}`, "over_capacity", "/add_steps", ""},
		{
			"over the limit, nothing added", "", 2, `{"update_steps":[{"id":"b","description":"x"}]}`, "", "",
			"a done <; b failed <a; c pending <b",
		},
		{"done step named", "", 0, `{"update_steps":[{"id":"a"}]}`, "done_immutable", "/update_steps/0", ""},
		{"replaced beside an addition", "", 0, `{"remove_steps":["b"],"add_steps":[{"id":"b","description":"x","dependencies":["a"]},{"id":"d","description":"D","dependencies":["b"]}]}`, "", "", "a done <; b failed <a; c pending <b; d pending <b"},
		{"same values", "", 0, `{"update_steps":[{"id":"b","description":"B"}]}`, "empty_patch", "", ""},
		{"a number is no id", "", 0, `{"remove_steps":[1]}`, "bad_type", "/remove_steps/0", ""},
		{
			"blank dependency", "", 0, `{"update_steps":[{"id":"b","dependencies":["a"," "]}]}`, "empty_id",
			"/update_steps/0/dependencies/1", "",
		},
		{
			"first fault in document order", "", 0, `{"add_steps":[{"id":"d"}],"update_steps":[{"id":""}]}`, "empty_id",
			"/update_steps/0/id", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, "ladder=patch "+tt.settings, tt.limit, abc, tt.reply)
			at := ""
			if out.At != nil {
				at = *out.At
			}
			got := []string{string(out.Code), at, sketch(out.Plan)}
			if d := cmp.Diff([]string{string(tt.code), tt.at, tt.plan}, got); d != "" {
				t.Errorf("code, at, plan (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

func TestFullPlan(t *testing.T) {
	const old = `{"title":"t","steps":[
 {"id":"a","description":"A","status":"done"},
 {"id":"b","description":"B","status":"failed"},
 {"id":"c","description":"C","status":"done"},
 {"id":"d","description":"D"}],"verification_policy":"run"}`
	tests := []struct {
		name, settings string
		limit          int
		steps          string
		code           harness.Code
		plan           string
		warnings       string
	}{
		{
			"lost ones go back to their place", "", 0, `{"id":"d","description":"x"},{"id":"b","description":"B"}`, "",
			"a done <; d pending <; b pending <; c done <", "done_restored",
		},
		{
			"by id they stay lost", "carry_over=by_id", 0, `{"id":"c","description":"x"},{"id":"b","description":"B"}`, "",
			"c done <; b pending <", "",
		},
		{"done ones keep their order", "", 0, `{"id":"c","description":"x"},{"id":"n","description":"N"},{"id":"a","description":"y"}`, "", "a done <; n pending <; c done <", ""},
		{"forged", "", 0, `{"id":"a","description":"A"},{"id":"c","description":"C"},{"id":"d","description":"D","status":"done"}`, "", "a done <; c done <; d pending <", "status_forced"},
		{
			"cut from the end, but never done ones", "", 3,
			`{"id":"n","description":"N"},{"id":"m","description":"M"},{"id":"a","description":"A"},{"id":"c","description":"C"}`, "", "n pending <; a done <; c done <", "truncated",
		},
		{"only done ones left", "", 1, `{"id":"n","description":"N"}`, "", "a done <; c done <", "done_restored truncated"},
		{"twice", "", 0, `{"id":"n","description":"N"},{"id":" n","description":"M"}`, "duplicate_id", "", ""},
		{"nothing", "", 0, ``, "empty_plan", "", ""},
		{
			"missing dependency", "", 0, `{"id":"n","description":"N","dependencies":["b"]}`, "missing_dependency", "",
			"done_restored",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, tt.settings, tt.limit, old, harness.Reply(`{"title":"","steps":[`+tt.steps+`]}`))
			var codes []string
			for _, w := range out.Warnings {
				codes = append(codes, w.Code)
			}
			got := []string{string(out.Code), sketch(out.Plan), strings.Join(codes, " ")}
			if d := cmp.Diff([]string{string(tt.code), tt.plan, tt.warnings}, got); d != "" {
				t.Errorf("code, plan, warnings (-want +got):\n%s\n%s", d, out.Message)
			}
			if out.Plan != nil && (out.Plan.VerificationPolicy != "run" || out.Plan.Title != "t") {
				t.Errorf("policy %q, title %q: an absent policy and a blank title keep the old", out.Plan.VerificationPolicy,
					out.Plan.Title)
			}
		})
	}
}

func TestLadder(t *testing.T) {
	const (
		good = `{"update_steps":[{"id":"b","description":"x"}]}`
		bad  = `{"update_steps":[{"id":"z"}]}`
		full = `{"title":"n","steps":[{"id":"n","description":"N"}]}`
	)
	tests := []struct {
		name, ladder string
		replies      []harness.Reply
		code         harness.Code
		rung         harness.Rung
		events       string
	}{
		{"at once", "patch,retry,fullplan", []harness.Reply{good}, "", "patch", "replan_requested plan_patch_applied"},
		{
			"by retry", "patch,retry,fullplan",
			[]harness.Reply{bad, good},
			"", "retry",
			"replan_requested patch_rejected:unknown_step retry_requested plan_patch_applied",
		},
		{
			"a full plan at once", "patch,retry,fullplan",
			[]harness.Reply{full, good},
			"", "fullplan",
			"replan_requested full_plan_used",
		},
		{
			"a full plan without its rung", "patch,retry,react",
			[]harness.Reply{full},
			"", "react",
			"replan_requested patch_rejected:wrong_document react_used",
		},
		{
			"the last reply again", "patch,retry,fullplan",
			[]harness.Reply{bad, bad},
			"replan_failed", "",
			"replan_requested patch_rejected:unknown_step retry_requested patch_rejected:unknown_step " +
				"full_plan_rejected:missing_field replan_failed",
		},
		{
			"one reply keeps its code", "patch,retry,fullplan",
			[]harness.Reply{bad},
			"unknown_step", "",
			"replan_requested patch_rejected:unknown_step full_plan_rejected:missing_field replan_failed",
		},
		{
			"third reply", "patch,retry,fullplan",
			[]harness.Reply{bad, bad, full},
			"", "fullplan",
			"replan_requested patch_rejected:unknown_step retry_requested patch_rejected:unknown_step full_plan_used",
		},
		{"a retry of nothing", "retry,fullplan", []harness.Reply{good}, "", "retry", "replan_requested plan_patch_applied"},
		{"no reply", "patch,retry,fullplan", nil, "replies_exhausted", "", "replan_requested replan_failed"},
		{"no reply but react", "patch,react", nil, "", "react", "replan_requested react_used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, "ladder="+tt.ladder, 0, abc, tt.replies...)
			var events []string
			for _, e := range out.Events {
				s := e.Event
				if e.Code != "" {
					s += ":" + string(e.Code)
				}
				if (e.Meta != nil) != (e.Event == harness.EventPatchApplied) {
					t.Errorf("%s with meta %v: only a patch that was applied has one", e.Event, e.Meta)
				}
				events = append(events, s)
			}
			got := []string{string(out.Code), string(out.Rung), strings.Join(events, " ")}
			if d := cmp.Diff([]string{string(tt.code), string(tt.rung), tt.events}, got); d != "" {
				t.Errorf("code, rung, events (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

// TestConflict looks for an id in two lists, whether or not the reply can be applied.
func TestConflict(t *testing.T) {
	old, err := plan.Decode([]byte(abc))
	if err != nil {
		t.Fatal(err)
	}
	g := planpatch.NewGround(old, harness.Limits{}, harness.Reference())
	defer g.Release()
	for raw, want := range map[string]bool{
		`{"remove_steps":["b"],"update_steps":[{"id":"b"}]}`:                 true,
		`see {"update_steps":[{"id":" b "}],"add_steps":[{"id":"b"}],"x":1}`: true,
		`{"remove_steps":["c"],"update_steps":[{"id":"b"}]}`:                 false,
		`{"remove_steps":["b","b"]}`:                                         false,
		`{"remove_steps":[""],"add_steps":[{"id":""}]}`:                      false,
		`{"add_steps":[{"id":"b"}]} {"remove_steps":["b"]}`:                  false,
		`no plan`: false,
	} {
		if got := g.Conflict(harness.Reply(raw)); got != want {
			t.Errorf("%s: conflict %t, want %t", raw, got, want)
		}
	}
	bad := planpatch.NewGround(old, harness.Limits{MaxPlanSteps: new(0)}, harness.Reference())
	defer bad.Release()
	if bad.Conflict(`{"remove_steps":["b"],"update_steps":[{"id":"b"}]}`) {
		t.Error("a conflict under limits that cannot be used")
	}
	var settled []string
	for _, rule := range []string{"all_three", "remove_update", "replace", "remove_add", "update_add", "quotes"} {
		if planpatch.SettlesConflict(rule) {
			settled = append(settled, rule)
		}
	}
	if len(settled) != 5 {
		t.Errorf("a conflict is settled by %v", settled)
	}
}

// TestWarnings: one warning a code, each id once, in the order met; a later
// object that says the same in other words is no second opinion.
func TestWarnings(t *testing.T) {
	const (
		abcAndSpaced = `{"title":"t","steps":[{"id":"a","description":"A","status":"done"},{"id":"c","description":"C"},{"id":"e ","description":"old"}]}`
		add          = `{"add_steps":[{"id":"d","description":"D"}]}`
	)
	tests := []struct {
		name, settings string
		reply          harness.Reply
		want           []harness.Warning
	}{
		{"a member in two steps", "", `{"title":"","steps":[{"id":"d","description":"","note":1,"why":2},{"id":"f","description":"","note":3}]}`, []harness.Warning{{Code: "unknown_field", IDs: []string{"note", "why"}}, {Code: "done_restored", IDs: []string{"a"}}}},
		{
			"a member in two added steps", "extra_fields=drop",
			`{"add_steps":[{"id":"d","description":"","note":1},{"id":"f","description":"","note":3}]}`,
			[]harness.Warning{{Code: "unknown_field", IDs: []string{"note"}}},
		},
		{
			"removed three times", "", `{"remove_steps":["c","c"," c"]}`,
			[]harness.Warning{{Code: "duplicate_remove", IDs: []string{"c"}}},
		},
		{
			"a status, under the plan's own name", "",
			`{"remove_steps":["e"],"add_steps":[{"id":" e","description":"E","status":"done"}]}`,
			[]harness.Warning{{Code: "status_forced", IDs: []string{"e "}}},
		},
		{
			"another object", "", add + `{"add_steps":[{"id":"e","description":"D"}]}`,
			[]harness.Warning{{Code: "ambiguous_reply"}},
		},
		{"the same object", "", add + ` then ` + add, []harness.Warning{}},
		{"white space and defaults", "", add + `{"title":" ","add_steps":[{"id":" d","description":"D","dependencies":[],"tools_expected":null,"status":"pending"}]}`, []harness.Warning{}},
		{"a plan with other statuses", "", `{"title":"n","steps":[{"id":"d","description":"D"}]} or {"title":"n ","steps":[{"id":"d ","description":"D","status":"done"}]}`, []harness.Warning{{Code: "done_restored", IDs: []string{"a"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, tt.settings, 0, abcAndSpaced, tt.reply)
			if d := cmp.Diff(tt.want, out.Warnings); d != "" || out.Verdict != harness.Applied {
				t.Errorf("%s %s: warnings (-want +got):\n%s", out.Verdict, out.Code, d)
			}
		})
	}
}

// drawCase makes a small sound plan and a patch that is often unsound.
func drawCase(t *rapid.T) harness.Case {
	ids := []string{"a", "b", "c", "d", "e"}
	id := rapid.SampledFrom(append(ids, " b", "f", "g", ""))
	p := plan.Plan{Title: "t"}
	for i := range rapid.IntRange(1, len(ids)).Draw(t, "steps") {
		s := plan.Step{ID: ids[i], Description: "d", Status: rapid.SampledFrom(plan.Statuses()).Draw(t, "status")}
		if i > 0 {
			s.Dependencies = rapid.SliceOfN(rapid.SampledFrom(ids[:i]), 0, 3).Draw(t, "deps")
		}
		p.Steps = append(p.Steps, s)
	}
	type step map[string]any
	draw := func(label string) step {
		s := step{"id": id.Draw(t, label)}
		if rapid.Bool().Draw(t, "described") {
			s["description"] = "new"
		}
		if rapid.Bool().Draw(t, "wired") {
			s["dependencies"] = rapid.SliceOfN(id, 0, 3).Draw(t, "edges")
		}
		return s
	}
	patch := map[string]any{"remove_steps": rapid.SliceOfN(id, 0, 2).Draw(t, "remove")}
	var update, add []step
	for range rapid.IntRange(0, 2).Draw(t, "updates") {
		update = append(update, draw("update"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "adds") {
		add = append(add, draw("add"))
	}
	patch["update_steps"], patch["add_steps"] = update, add
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	limit := rapid.IntRange(1, 8).Draw(t, "limit")
	return harness.Case{
		Dialect: "planpatch", Plan: raw, Limits: harness.Limits{MaxPlanSteps: &limit},
		Replies: []harness.Reply{harness.Reply(reply)},
	}
}

func drawProfile(t *rapid.T) harness.Profile {
	p := harness.Reference()
	for _, k := range harness.Knobs() {
		if len(k.Values) == 0 || k.List || k.Name == "carry_over" {
			continue // carry_over=by_id loses finished work: that is what it shows
		}
		if err := p.Set(k.Name, rapid.SampledFrom(k.Values).Draw(t, k.Name)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestAcceptedIsSafe: whatever the profile, an accepted patch leaves a sound
// plan in which finished work is as it was; and the case is never changed.
func TestAcceptedIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		before := bytes.Clone(c.Plan)
		p := drawProfile(t)
		out := planpatch.Eval(c, p)
		if !bytes.Equal(before, c.Plan) {
			t.Fatalf("the input plan changed to %s", c.Plan)
		}
		if d := cmp.Diff(out, planpatch.Eval(c, p)); d != "" {
			t.Fatalf("a second evaluation differs:\n%s", d)
		}
		if out.Verdict != harness.Applied {
			if out.Plan != nil || out.Rung != "" || out.Code == "" {
				t.Fatalf("a rejection with plan %v, rung %q, code %q", out.Plan, out.Rung, out.Code)
			}
			return
		}
		old, err := plan.Decode(before)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Plan.Check(); err != nil {
			t.Fatalf("the result is unsound: %v", err)
		}
		var was, is []plan.Step
		for _, s := range old.Steps {
			if s.Status == plan.Done {
				was = append(was, s)
			}
		}
		for _, s := range out.Plan.Steps {
			if s.Status == plan.Done {
				is = append(is, s)
			}
		}
		if d := cmp.Diff(was, is); d != "" {
			t.Fatalf("finished work changed:\n%s", d)
		}
		if n := len(out.Plan.Steps); n > max(*c.Limits.MaxPlanSteps, len(old.Steps)) {
			t.Fatalf("%d steps, limit %d", n, *c.Limits.MaxPlanSteps)
		}
		if out.Plan.Equal(old) {
			t.Fatal("accepted, and nothing changed")
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add(abc, `{"remove_steps":["b"],"update_steps":[{"id":"c","dependencies":["a"]}]}`, uint8(0), uint8(5))
	f.Add(abc, `{"title":"x","steps":[{"id":"b","description":"B","status":"done"}]}`, uint8(2), uint8(1))
	f.Add(abc, "```\n{'add_steps':[{id:'b','description':None}],}\n```", uint8(3), uint8(3))
	f.Add(abc, `{"remove_steps":["c"],"add_steps":[{"id":"c","description":"x"}]}`, uint8(1), uint8(0))
	f.Add(abc, "no plan", uint8(49), uint8(5)) // the profile react gives up
	f.Fuzz(func(t *testing.T, doc, reply string, profile, limit uint8) {
		name := harness.Profiles()[int(profile)%len(harness.Profiles())].Name
		out := eval(t, name, int(limit), doc, harness.Reply(reply))
		switch {
		case out.GaveUp:
			if out.Plan != nil || out.Rung != harness.RungReact {
				t.Fatalf("gave up with plan %v and rung %q", out.Plan, out.Rung)
			}
		case out.Verdict == harness.Applied:
			if err := out.Plan.Check(); err != nil {
				t.Fatalf("the result is unsound: %v", err)
			}
		case out.Verdict == harness.Rejected:
			if out.Plan != nil || out.Code == "" {
				t.Fatalf("a rejection with plan %v and code %q", out.Plan, out.Code)
			}
		default:
			t.Fatalf("verdict %q", out.Verdict)
		}
	})
}
