package rules_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	operations "replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/plan"
)

// abc is a plan with a completed step, one under way that had been given its
// place by an earlier update, and one that waits.
const abc = `{"id":"p","name":"N","description":"D","version":2,"steps":[
 {"id":"a","name":"A","description":"do a","status":"completed","priority":1,"parameters":{"k":{"deep":[1]}}},
 {"id":"b","name":"B","description":"do b","status":"running","dependencies":["a"]},
 {"id":"c","name":"C","description":"do c","dependencies":["b"]}],
 "history":[{"id":"p","name":"N","description":"D","version":1,"steps":[{"id":"gone","description":"x"},{"id":"a","description":"do a"}],"update_reason":"first"}]}`

const results = `{"a":{"ok":true},"b":"half","zz":null}`

func eval(t testing.TB, settings string, limit int, planDoc string, replies ...harness.Reply) harness.Outcome {
	t.Helper()
	p := harness.Reference()
	for s := range strings.FieldsSeq(settings) {
		if err := p.Apply(s, spec.ReorderDone()); err != nil {
			t.Fatal(err)
		}
	}
	c := harness.Case{Dialect: "operations", Plan: []byte(planDoc), Results: []byte(results), Replies: replies}
	if limit != 0 {
		c.Limits.MaxPlanSteps = &limit
	}
	return operations.Eval(c, p)
}

// sketch is a plan on one line: version, history, and each step with its
// dependencies.
func sketch(p *plan.Plan) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "v%d/%d", p.Record.Version, len(p.Record.History))
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "; %s <%s", s.ID, strings.Join(s.Dependencies, ","))
	}
	return b.String()
}

// log is what became of the operations, on one line.
func log(out harness.Outcome) string {
	var list []string
	for _, o := range out.Operations {
		s := o.Type + " " + o.StepID + " " + o.Result
		if o.Warnings != nil {
			s += " (" + strings.Join(o.Warnings, ",") + ")"
		}
		list = append(list, s)
	}
	return strings.Join(list, "; ")
}

func update(ops ...string) harness.Reply {
	return harness.Reply(`{"operations":[` + strings.Join(ops, ",") + `]}`)
}

const (
	addD  = `{"type":"add","step_data":{"id":"d","name":"D"}}`
	dropC = `{"type":"remove","step_id":"c"}`
	bad   = `{"type":"remove","step_id":"nope"}`
)

// TestOperations shows what one operation can come to; the scenarios hold the
// rest, with their reasons.
func TestOperations(t *testing.T) {
	const same = "v3/2; a <; b <a; c <b"
	tests := []struct {
		name, settings string
		limit          int
		reply          harness.Reply
		plan, log      string
	}{
		{"add at the end", "", 0, update(addD), same + "; d <", "add d applied"},
		{"add without an id", "", 0, update(`{"type":"add","position":0,"step_data":{"description":"x","dependencies":["c"," a","a"]}}`), "v3/2; step_1 <c,a; a <; b <a; c <b", "add step_1 applied (duplicate_dependency)"},
		{"generated ids pass over taken ones", "", 0, update(`{"type":"add","step_data":{"id":"step_2","name":"x"}}`,
			`{"type":"add","step_data":{"name":"x"}}`, `{"type":"add","step_data":{"name":"x"}}`), same +
			"; step_2 <; step_1 <; step_3 <", "add step_2 applied; add step_1 applied; add step_3 applied"},
		{"add with an id of the history", "", 0, update(addD, `{"type":"add","step_data":{"id":"gone","name":"x"}}`), same +
			"; d <", "add d applied; add gone duplicate_id"},
		{
			"add with an id just removed", "", 0, update(dropC, `{"type":"add","step_data":{"id":" c ","name":"x"}}`),
			"v3/2; a <; b <a", "remove c applied; add c duplicate_id",
		},
		{
			"add with an id added and removed", "", 0, update(addD, `{"type":"remove","step_id":"d"}`, addD), same + "; d <",
			"add d applied; remove d applied; add d applied",
		},
		{
			"add past the end", "", 0, update(`{"type":"add","position":9,"step_data":{"id":"d","name":"x"}}`), same + "; d <",
			"add d applied (position_ignored)",
		},
		{
			"add over the limit", "", 4, update(addD, `{"type":"add","step_data":{"name":"x"}}`), same + "; d <",
			"add d applied; add  over_capacity",
		},
		{
			"add of nothing", "", 0, update(addD, `{"type":"add","step_data":{"id":"e","name":" "}}`), same + "; d <",
			"add d applied; add e missing_field",
		},
		{
			"modify", "", 0, update(`{"type":"modify","step_id":" c","step_data":{"dependencies":[]}}`), "v3/2; a <; b <a; c <",
			"modify c applied",
		},
		{
			"modify to the same", "", 0, update(addD,
				`{"type":"modify","step_id":"c","step_data":{"name":"C","parameters":{},"description":null}}`), same + "; d <",
			"add d applied; modify c unchanged",
		},
		{
			"modify into a cycle", "", 0, update(addD, `{"type":"modify","step_id":"b","step_data":{"dependencies":["c"]}}`),
			same + "; d <", "add d applied; modify b dependency_cycle",
		},
		{
			"modify to depend on itself", "", 0, update(addD,
				`{"type":"modify","step_id":"c","step_data":{"dependencies":["c"]}}`), same + "; d <",
			"add d applied; modify c dependency_cycle",
		},
		{
			"modify to depend on nothing", "", 0, update(addD,
				`{"type":"modify","step_id":"c","step_data":{"dependencies":["c","q"]}}`), same + "; d <",
			"add d applied; modify c missing_dependency",
		},
		{
			"modify the id", "", 0, update(addD, `{"type":"modify","step_id":"c","step_data":{"id":"c"}}`), same + "; d <",
			"add d applied; modify c extra_field",
		},
		{"modify a completed step", "", 0, update(addD, `{"type":"modify","step_id":"a","step_data":{"id":"c"}}`), same +
			"; d <", "add d applied; modify a done_immutable"},
		{
			"remove", "", 0, update(dropC, `{"type":"remove","step_id":"b"}`), "v3/2; a <",
			"remove c applied; remove b applied",
		},
		{
			"remove what is needed", "", 0, update(addD, `{"type":"remove","step_id":"b"}`), same + "; d <",
			"add d applied; remove b dependents_exist",
		},
		{
			"remove a step that one does without", "orphans=detach", 0, update(`{"type":"remove","step_id":"b"}`),
			"v3/2; a <; c <", "remove b applied (detached)",
		},
		{
			"remove a step whose own needs take its place", "orphans=bridge", 0, update(`{"type":"remove","step_id":"b"}`),
			"v3/2; a <; c <a", "remove b applied (bridged)",
		},
		{
			"a need stands once", "orphans=bridge", 0,
			update(`{"type":"add","step_data":{"id":"d","name":"D","dependencies":["a"]}}`, `{"type":"remove","step_id":"b"}`),
			"v3/2; a <; c <a; d <a", "add d applied; remove b applied (bridged)",
		},
		{
			"remove what the update made needed", "orphans=bridge", 0,
			update(`{"type":"modify","step_id":"c","step_data":{"dependencies":["a","b"]}}`, `{"type":"remove","step_id":"b"}`),
			"v3/2; a <; b <a; c <a,b", "modify c applied; remove b dependents_exist",
		},
		{
			"reorder a completed step", "", 0, update(`{"type":"reorder","step_id":"a","position":2}`), "v3/2; b <a; c <b; a <",
			"reorder a applied",
		},
		{
			"reorder a completed step that stays", "reorder_done=reject", 0,
			update(addD, `{"type":"reorder","step_id":"a","position":2}`), same + "; d <",
			"add d applied; reorder a done_immutable",
		},
		{
			"reorder", "", 0, update(`{"type":"reorder","step_id":"c","position":0}`), "v3/2; c <b; a <; b <a",
			"reorder c applied",
		},
		{
			"reorder to the last index", "", 0, update(`{"type":"reorder","step_id":"b","position":2.0}`),
			"v3/2; a <; c <b; b <a", "reorder b applied",
		},
		{
			"reorder past the last index", "", 0, update(addD, `{"type":"reorder","step_id":"b","position":4}`), same + "; d <",
			"add d applied; reorder b unchanged (position_ignored)",
		},
		{
			"reorder to its place", "", 0, update(addD, `{"type":"reorder","step_id":"b","position":1}`), same + "; d <",
			"add d applied; reorder b unchanged",
		},
		{
			"position is text", "", 0, update(addD, `{"type":"reorder","step_id":"b","position":"0"}`), same + "; d <",
			"add d applied; reorder b bad_type",
		},
		{
			"position is text, taken", "positions=any", 0, update(`{"type":"reorder","step_id":"b","position":"0"}`),
			"v3/2; b <a; a <; c <b", "reorder b applied",
		},
		{
			"position begins with a digit", "positions=any", 0,
			update(addD, `{"type":"reorder","step_id":"b","position":"2abc"}`), same + "; d <",
			"add d applied; reorder b bad_type",
		},
		{
			"before another", "positions=any", 0, update(`{"type":"reorder","step_id":"c","position":"before: a"}`),
			"v3/2; c <b; a <; b <a", "reorder c applied",
		},
		{"after another", "positions=any", 0, update(`{"type":"add","position":"after:a","step_data":{"id":"d","name":"x"}}`), "v3/2; a <; d <; b <a; c <b", "add d applied"},
		{"after itself", "positions=any", 0, update(addD, `{"type":"reorder","step_id":"c","position":"after:c"}`), same +
			"; d <", "add d applied; reorder c unchanged (position_ignored)"},
		{
			"another name for the id", "", 0, update(addD, `{"type":"remove","stepID":"c"}`), same + "; d <",
			"add d applied; remove  missing_field",
		},
		{
			"another name, taken", "step_id_names=any", 0, update(`{"type":"remove","stepID":"c"}`), "v3/2; a <; b <a",
			"remove c applied",
		},
		{
			"unknown members of a new step", "", 0, update(addD, `{"type":"add","step_data":{"id":"e","name":"x","risk":1}}`),
			same + "; d <", "add d applied; add e extra_field",
		},
		{
			"unknown members, dropped", "extra_fields=drop", 0,
			update(`{"type":"add","step_data":{"id":"e","name":"x","risk":1,"status":"completed"}}`), same + "; e <",
			"add e applied (unknown_field,status_forced)",
		},
		{
			"members without use", "", 0, update(`{"type":"remove","step_id":"c","position":1,"step_data":null,"why":"x"}`),
			"v3/2; a <; b <a", "remove c applied (unknown_field)",
		},
		{
			"no object, no type, no known type", "", 0,
			update(addD, `null`, `{"step_id":"c"}`, `{"type":"replace","step_id":"c"}`, `{"type":7}`), same + "; d <",
			"add d applied;   bad_type;   missing_field; replace  unknown_operation;   bad_type",
		},
		{
			"abort", "on_error=abort", 0, update(addD, bad, dropC), "",
			"add d undone; remove nope unknown_step; remove c not_run",
		},
		{"nothing applied", "", 0, update(bad), "", "remove nope unknown_step"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, tt.settings, tt.limit, abc, tt.reply)
			if d := cmp.Diff([]string{tt.plan, tt.log}, []string{sketch(out.Plan), log(out)}); d != "" {
				t.Errorf("plan, operations (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

// TestBlame looks at the place of an aborted update: the member at fault, its
// parent where a member is missing, or the operation.
func TestBlame(t *testing.T) {
	tests := []struct{ op, code, at string }{
		{`null`, "bad_type", ""},
		{`{"step_id":"c"}`, "missing_field", ""},
		{`{"type":null}`, "bad_type", "/type"},
		{`{"type":"replace"}`, "unknown_operation", "/type"},
		{`{"type":"remove"}`, "missing_field", ""},
		{`{"type":"remove","step_id":null}`, "bad_type", "/step_id"},
		{`{"type":"remove","step_id":null,"stepId":null}`, "bad_type", "/step_id"},
		{`{"type":"remove","stepId":7}`, "bad_type", "/stepId"},
		{`{"type":"remove","step_id":null,"id":" "}`, "empty_id", "/id"},
		{`{"type":"remove","step_id":"q","reason":1}`, "bad_type", "/reason"},
		{`{"type":"remove","step_id":"q"}`, "unknown_step", ""},
		{`{"type":"remove","step_id":"a"}`, "done_immutable", ""},
		{`{"type":"remove","step_id":"b"}`, "dependents_exist", ""},
		{`{"type":"reorder","step_id":"c"}`, "missing_field", ""},
		{`{"type":"reorder","step_id":"c","position":null}`, "bad_type", "/position"},
		{`{"type":"reorder","step_id":"c","position":0.5}`, "bad_type", "/position"},
		{`{"type":"reorder","step_id":"c","position":"before: "}`, "empty_id", "/position"},
		{`{"type":"modify","step_id":"c"}`, "missing_field", ""},
		{`{"type":"modify","step_id":"c","step_data":null}`, "bad_type", "/step_data"},
		{`{"type":"modify","step_id":"c","step_data":{"id":"e","status":"running"}}`, "extra_field", "/step_data/id"},
		{`{"type":"modify","step_id":"c","step_data":{"id":7}}`, "bad_type", "/step_data/id"},
		{`{"type":"modify","step_id":"c","step_data":{"a/b":1}}`, "extra_field", "/step_data/a~1b"},
		{`{"type":"modify","step_id":"c","step_data":{"priority":"1"}}`, "bad_type", "/step_data/priority"},
		{`{"type":"modify","step_id":"c","step_data":{"dependencies":["a",null]}}`, "bad_type", "/step_data/dependencies/1"},
		{`{"type":"modify","step_id":"c","step_data":{"dependencies":["a"," "]}}`, "empty_id", "/step_data/dependencies/1"},
		{
			`{"type":"modify","step_id":"c","step_data":{"dependencies":["a","a","q"]}}`, "missing_dependency",
			"/step_data/dependencies/2",
		},
		{
			`{"type":"modify","step_id":"b","step_data":{"dependencies":["a","c"]}}`, "dependency_cycle",
			"/step_data/dependencies/1",
		},
		{`{"type":"add","step_data":{"assigned_specialist":"x"}}`, "missing_field", "/step_data"},
		{`{"type":"add","step_data":{"id":" ","name":"x"}}`, "empty_id", "/step_data/id"},
		{`{"type":"add","step_data":{"id":"c","name":"x"}}`, "duplicate_id", ""},
		{`{"type":"add","step_data":{"name":"x","risk":1}}`, "extra_field", "/step_data/risk"},
		{
			`{"type":"add","step_data":{"id":"e","name":"x","dependencies":["a","e"]}}`, "dependency_cycle",
			"/step_data/dependencies/1",
		},
		{`{"type":"add","step_data":{"name":"x"}}`, "over_capacity", ""},
	}
	for _, tt := range tests {
		t.Run(tt.op, func(t *testing.T) {
			limit := 0
			if tt.code == "over_capacity" {
				limit = 3
			}
			out := eval(t, "on_error=abort step_id_names=any positions=any", limit, abc,
				update(`{"type":"reorder","step_id":"c","position":0}`, tt.op))
			if out.At == nil {
				t.Fatalf("%s, and nothing to blame", out.Code)
			}
			if d := cmp.Diff([]string{tt.code, "/operations/1" + tt.at}, []string{string(out.Code), *out.At}); d != "" {
				t.Errorf("code, at (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

// TestUpdates shows what a whole update can come to.
func TestUpdates(t *testing.T) {
	tests := []struct {
		name, settings          string
		replies                 []harness.Reply
		code                    harness.Code
		at, plan, kind, results string
	}{
		{"a whole plan", "", []harness.Reply{abc}, "missing_field", "", "", "none", results},
		{"an error", "", []harness.Reply{`{"error":"overloaded"}`}, "missing_field", "", "", "none", results},
		{"nothing", "", []harness.Reply{`{}`}, "missing_field", "", "", "none", results},
		{"null", "", []harness.Reply{`null`}, "no_document", "-", "", "none", results},
		{"no list", "", []harness.Reply{`{"operations":{}}`}, "bad_type", "/operations", "", "none", results},
		{"no operation", "", []harness.Reply{update()}, "empty_patch", "", "", "none", results},
		{
			"a blank name", "",
			[]harness.Reply{`{"operations":[],"plan_metadata":{"name":" ","description":"D"}}`},
			"empty_patch", "", "", "none", results,
		},
		{
			"a name", "",
			[]harness.Reply{`{"operations":[],"plan_metadata":{"name":" M "}}`},
			"", "-", "v3/2; a <; b <a; c <b",
			"metadata", results,
		},
		{
			"content", "",
			[]harness.Reply{update(`{"type":"modify","step_id":"b","step_data":{"priority":2}}`)},
			"", "-",
			"v3/2; a <; b <a; c <b", "content", `{"a":{"ok":true},"zz":null}`,
		},
		{
			"mixed", "",
			[]harness.Reply{update(addD, `{"type":"modify","step_id":"c","step_data":{"priority":2}}`)},
			"", "-",
			"v3/2; a <; b <a; c <b; d <", "mixed", results,
		},
		{
			"two updates", "",
			[]harness.Reply{update(addD), update(dropC)},
			"", "-", "v4/3; a <; b <a; d <", "structure",
			results,
		},
		{
			"the second refused", "",
			[]harness.Reply{update(addD), update(bad)},
			"", "-", "v3/2; a <; b <a; c <b; d <",
			"structure", results,
		},
		{"both refused", "", []harness.Reply{update(bad), "no"}, "no_document", "-", "", "none", results},
		{"aborted", "on_error=abort", []harness.Reply{update(`{"type":"modify","step_id":"b","step_data":{"name":"x"}}`,
			bad)}, "unknown_step", "/operations/1", "", "none", results},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := eval(t, tt.settings, 0, abc, tt.replies...)
			at := "-"
			if out.At != nil {
				at = *out.At
			}
			got := []string{string(out.Code), at, sketch(out.Plan), out.UpdateType, string(out.Results)}
			if d := cmp.Diff([]string{string(tt.code), tt.at, tt.plan, tt.kind, tt.results}, got); d != "" {
				t.Errorf("code, at, plan, type, results (-want +got):\n%s\n%s", d, out.Message)
			}
		})
	}
}

func TestInput(t *testing.T) {
	for name, doc := range map[string]string{
		"version 0":           `{"name":"n","version":0,"steps":[{"id":"a","name":"A"}]}`,
		"version is text":     `{"name":"n","version":"1","steps":[{"id":"a","name":"A"}]}`,
		"status done":         `{"name":"n","steps":[{"id":"a","name":"A","status":"done"}]}`,
		"neither name":        `{"name":"n","steps":[{"id":"a"}]}`,
		"name is null":        `{"name":"n","steps":[{"id":"a","name":null}]}`,
		"priority is text":    `{"name":"n","steps":[{"id":"a","name":"A","priority":"1"}]}`,
		"parameters a list":   `{"name":"n","steps":[{"id":"a","name":"A","parameters":[]}]}`,
		"no steps":            `{"name":"n","steps":[]}`,
		"cycle":               `{"name":"n","steps":[{"id":"a","name":"A","dependencies":["a"]}]}`,
		"history of no plans": `{"name":"n","steps":[{"id":"a","name":"A"}],"history":[{"version":1}]}`,
	} {
		if out := eval(t, "", 0, doc, update(addD)); out.Code != harness.InvalidPlan || out.At != nil {
			t.Errorf("%s: code %q", name, out.Code)
		}
	}
	out := eval(t, "", 0, `{"steps":[{"id":"a","name":"A"}]}`, update(addD))
	if got := sketch(out.Plan); got != "v2/1; a <; d <" {
		t.Errorf("a plan without a version: %s (%s)", got, out.Message)
	}
}

func TestHistory(t *testing.T) {
	out := eval(t, "", 0, abc, harness.Reply(`{"plan_metadata":{"update_reason":"why"},"operations":[{"type":"modify","step_id":"c","step_data":{"parameters":{"x":1}},"reason":"faster"}]}`))
	want := `{"id":"p","name":"N","description":"D","version":2,"steps":[` +
		`{"id":"a","description":"do a","dependencies":[],"status":"completed","tools_expected":[],"name":"A","priority":1,"parameters":{"k":{"deep":[1]}}},` +
		`{"id":"b","description":"do b","dependencies":["a"],"status":"running","tools_expected":[],"name":"B"},` +
		`{"id":"c","description":"do c","dependencies":["b"],"status":"pending","tools_expected":[],"name":"C"}],"update_reason":"why","operations":[{"type":"modify","step_id":"c","result":"applied","reason":"faster"}]}`
	if d := cmp.Diff(want, string(out.Plan.Record.History[1])); d != "" {
		t.Errorf("entry of the history (-want +got):\n%s", d)
	}
}

// drawUpdate makes an update that is often unsound.
func drawUpdate(t *rapid.T) harness.Reply {
	id := rapid.SampledFrom([]string{"a", "b", "c", " b", "d", "e", "gone", "step_1", ""})
	var ops []any
	for range rapid.IntRange(0, 5).Draw(t, "operations") {
		op := map[string]any{"type": rapid.SampledFrom([]string{"add", "add", "modify", "remove", "reorder", "swap"}).Draw(t,
			"type")}
		op["step_id"] = id.Draw(t, "step")
		if rapid.Bool().Draw(t, "placed") {
			op["position"] = rapid.IntRange(-1, 5).Draw(t, "position")
		}
		data := map[string]any{}
		for _, name := range []string{"name", "description"} {
			if rapid.Bool().Draw(t, name) {
				data[name] = rapid.SampledFrom([]string{"", "x", "B"}).Draw(t, "text")
			}
		}
		if op["type"] == "add" && rapid.Bool().Draw(t, "named") {
			data["id"] = id.Draw(t, "id")
		}
		if rapid.Bool().Draw(t, "wired") {
			data["dependencies"] = rapid.SliceOfN(id, 0, 3).Draw(t, "dependencies")
		}
		op["step_data"] = data
		ops = append(ops, op)
	}
	raw, err := json.Marshal(map[string]any{
		"operations":    ops,
		"plan_metadata": map[string]any{"name": rapid.SampledFrom([]string{"", "N", "M"}).Draw(t, "plan")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return harness.Reply(raw)
}

// TestLaws: whatever the updates, an accepted case leaves a sound plan in which
// completed steps are as they were, each update that applied counts once, and
// the history only grows; replies one at a time come to the same.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := harness.Reference()
		p.OnError = rapid.SampledFrom([]string{harness.Skip, harness.Abort}).Draw(t, "on_error")
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		c := harness.Case{
			Dialect: "operations", Plan: []byte(abc), Results: []byte(results),
			Limits:  harness.Limits{MaxPlanSteps: &limit},
			Replies: []harness.Reply{drawUpdate(t), drawUpdate(t)},
		}
		out := operations.Eval(c, p)
		if string(c.Plan) != abc || string(c.Results) != results {
			t.Fatal("the case changed")
		}
		if d := cmp.Diff(out, operations.Eval(c, p)); d != "" {
			t.Fatalf("a second evaluation differs:\n%s", d)
		}
		before, err := plan.DecodeRecord([]byte(abc))
		if err != nil {
			t.Fatal(err)
		}
		applied := 0
		step := c
		for _, r := range c.Replies {
			step.Replies = []harness.Reply{r}
			one := operations.Eval(step, p)
			step.Results = one.Results
			if one.Verdict == harness.Applied {
				applied++
				if step.Plan, err = json.Marshal(one.Plan); err != nil {
					t.Fatal(err)
				}
			}
		}
		if (applied > 0) != (out.Verdict == harness.Applied) || !bytes.Equal(step.Results, out.Results) {
			t.Fatalf("one at a time %d apply, results %s; together %s, results %s", applied, step.Results, out.Verdict,
				out.Results)
		}
		if out.Plan == nil {
			return
		}
		if last, err := plan.DecodeRecord(step.Plan); err != nil || !last.Equal(out.Plan) {
			t.Fatalf("one at a time the plan becomes\n%s", step.Plan)
		}
		if err := out.Plan.Check(); err != nil {
			t.Fatalf("the result is unsound: %v", err)
		}
		if !out.Plan.Step("a").Equal(before.Steps[0]) {
			t.Fatal("a completed step changed")
		}
		rec := out.Plan.Record
		if rec.Version != 2+applied || len(rec.History) != 1+applied ||
			!bytes.Equal(rec.History[0], before.Record.History[0]) {
			t.Fatalf("version %d, %d old versions after %d updates", rec.Version, len(rec.History), applied)
		}
		if len(out.Plan.Steps) > max(limit, len(before.Steps)) {
			t.Fatalf("%d steps, limit %d", len(out.Plan.Steps), limit)
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add(abc, string(update(addD, dropC)), uint8(0), uint8(5))
	f.Add(abc, "```\n{'operations':[{type:'remove','stepID':'c',}],}\n```", uint8(3), uint8(0))
	f.Add(abc, `{"operations":[{"type":"reorder","step_id":"b","position":"before:a"}]}`, uint8(3), uint8(3))
	f.Add(`{"version":1,"steps":[{"id":" a ","name":"A"}],"history":[]}`,
		`{"operations":[{"type":"add","step_data":{"id":"a","name":""}}]}`, uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, doc, reply string, profile, limit uint8) {
		name := harness.Profiles()[int(profile)%len(harness.Profiles())].Name
		out := eval(t, name, int(limit), doc, harness.Reply(reply))
		switch out.Verdict {
		case harness.Applied:
			if err := out.Plan.Check(); err != nil {
				t.Fatalf("the result is unsound: %v", err)
			}
			raw, err := json.Marshal(out.Plan)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := plan.DecodeRecord(raw); err != nil || !again.Equal(out.Plan) {
				t.Fatalf("the plan does not read back as it is: %v\n%s", err, raw)
			}
		case harness.Rejected:
			if out.Plan != nil || out.Code == "" ||
				slices.ContainsFunc(out.Operations, func(o harness.OperationResult) bool { return o.Result == "applied" }) {
				t.Fatalf("a rejection with plan %v, code %q, operations %v", out.Plan, out.Code, out.Operations)
			}
		default:
			t.Fatalf("verdict %q", out.Verdict)
		}
	})
}
