package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/judgetest"
)

const (
	oldRecord = `{"name":"N","description":"D","version":2,"steps":[
 {"id":"a","name":"A","status":"completed"},
 {"id":"b","name":"B","dependencies":["a"],"status":"running","parameters":{"k":{"deep":1}}},
 {"id":"c","name":"C"},
 {"id":"d","name":"D"}],
 "history":[{"name":"old","version":1,"steps":[{"id":"z","name":"Z"}],"update_reason":""}]}`

	// newRecord is what the update makes of it, written by hand.
	newRecord = `{"name":"N","description":"D","version":3,"steps":[
 {"id":"b","name":"B2","dependencies":["a"],"status":"running","parameters":{"k":{"deep":1}}},
 {"id":"a","name":"A","status":"completed"},
 {"id":"d","name":"D"},
 {"id":"e","name":"E","status":"pending"}],
 "history":[{"name":"old","version":1,"steps":[{"id":"z","name":"Z"}],"update_reason":""},
  {"name":"N","description":"D","version":2,"steps":[
   {"id":"a","name":"A","status":"completed"},
   {"id":"b","name":"B","dependencies":["a"],"status":"running","parameters":{"k":{"deep":1}}},
   {"id":"c","name":"C"},
   {"id":"d","name":"D"}],"update_reason":"why"}]}`

	update = `{"plan_metadata":{"update_reason":"why"},"operations":[
 {"type":"modify","step_id":"b","step_data":{"name":"B2"}},
 {"type":"remove","step_id":"c"},
 {"type":"add","step_data":{"id":"e","name":"E"}},
 {"type":"reorder","step_id":"b","position":0}]}`
)

func updateCase() harness.Case {
	return harness.Case{
		Dialect: "operations", Plan: jsontext.Value(oldRecord), Replies: []harness.Reply{update},
		Results: jsontext.Value(`{"a":1,"b":2,"c":3,"d":4,"other":5}`),
	}
}

// updated is the right answer, with changes to the new plan as text and to the
// rest.
func updated(t *testing.T, change func(*harness.Outcome), pairs ...string) harness.Outcome {
	t.Helper()
	var p plan.Plan
	text := strings.NewReplacer(pairs...).Replace(newRecord)
	if len(pairs) > 0 && pairs[0] != pairs[1] && text == newRecord {
		t.Fatalf("%q does not stand in the plan", pairs[0])
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	o := harness.Outcome{
		Verdict: harness.Applied, Plan: &p, Results: jsontext.Value(`{"a":1,"d":4,"other":5}`), UpdateType: "mixed",
		Operations: []harness.OperationResult{
			{Type: "modify", StepID: "b", Result: "applied"},
			{Type: "remove", StepID: "c", Result: "applied"},
			{Type: "add", StepID: "e", Result: "applied"},
			{Type: "reorder", StepID: "b", Result: "applied"},
		},
	}
	if change != nil {
		change(&o)
	}
	return o
}

// hello declares an engine that gives all members.
func hello() harness.Hello {
	return harness.Hello{Name: "by hand", Dialects: map[string]harness.Declaration{"operations": {
		Profile: harness.Reference(), Features: []string{harness.FeatureProfiles},
		Gives: all.Members("operations").Optional(),
	}}}
}

// judgeUpdate makes one check of an engine that gives the outcome.
func judgeUpdate(t *testing.T, o harness.Outcome, c harness.Case, check string) (exercised bool, b *judge.Break) {
	t.Helper()
	engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return o, nil })
	h := hello()
	j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{}).Only(t.Context(), judge.Item{Case: c}, check)
	if err != nil {
		t.Fatal(err)
	}
	for i := range j.Breaks {
		if j.Breaks[i].Check == check {
			b = &j.Breaks[i]
		}
	}
	return j.Exercised.Has(all.Rules("operations").Place(check)), b
}

// TestUpdates breaks each check of updates once and more.
func TestUpdates(t *testing.T) {
	results := func(doc string) func(*harness.Outcome) {
		return func(o *harness.Outcome) { o.Results = jsontext.Value(doc) }
	}
	tests := []struct {
		name, check string
		change      func(*harness.Outcome)
		pairs       []string
	}{
		{"no new version", "version-once", nil, []string{`"version":3`, `"version":2`}},
		{"two versions for one reply", "version-once", nil, []string{`"version":3`, `"version":4`}},
		{
			"nothing filed", "version-once",
			func(o *harness.Outcome) { o.Plan.Record.History = o.Plan.Record.History[:1] }, nil,
		},
		{"an old version changed", "history-kept", nil, []string{`"name":"Z"`, `"name":"Y"`}},
		{"the new plan filed", "history-kept", nil, []string{
			"{\"id\":\"b\",\"name\":\"B\",",
			"{\"id\":\"b\",\"name\":\"B2\",",
		}},
		{"shared parameters", "history-kept", nil, []string{
			"\"k\":{\"deep\":1}}},\n   {\"id\":\"c\"",
			"\"k\":{\"deep\":2}}},\n   {\"id\":\"c\"",
		}},
		{
			"a history in the history", "history-kept", nil,
			[]string{`"update_reason":"why"`, `"update_reason":"why","history":[{"version":1,"steps":[]}]`},
		},
		{"another version filed", "history-kept", nil, []string{`"version":2`, `"version":3`}},
		{"a result of a modified step", "results-selective", results(`{"a":1,"b":2,"d":4,"other":5}`), nil},
		{"a result of a removed step", "results-selective", results(`{"a":1,"c":3,"d":4,"other":5}`), nil},
		{"a lost result", "results-selective", results(`{"a":1,"other":5}`), nil},
		{"a lost result of a completed step", "results-selective", results(`{"d":4,"other":5}`), nil},
		{"a lost result of no step", "results-selective", results(`{"a":1,"d":4}`), nil},
		{"another result", "results-selective", results(`{"a":2,"d":4,"other":5}`), nil},
		{"a new result", "results-selective", results(`{"a":1,"d":4,"e":0,"other":5}`), nil},
		{"an unnamed step changed", check.UntouchedKept, nil, []string{
			"{\"id\":\"d\",\"name\":\"D\"},\n {\"id\":\"e\"",
			"{\"id\":\"d\",\"name\":\"DD\"},\n {\"id\":\"e\"",
		}},
		{"unnamed steps changed places", check.UntouchedKept, func(o *harness.Outcome) {
			s := o.Plan.Steps
			s[1], s[2] = s[2], s[1]
		}, nil},
		{
			"an unnamed step gone", check.UntouchedKept,
			func(o *harness.Outcome) { o.Plan.Steps = append(o.Plan.Steps[:2], o.Plan.Steps[3]) }, nil,
		},
		{
			"a removal that was none", check.NoSilentLoss,
			func(o *harness.Outcome) { o.Plan.Steps = append(o.Plan.Steps, plan.Step{ID: "c"}) }, nil,
		},
		{"an addition that was none", check.NoSilentLoss, func(o *harness.Outcome) { o.Plan.Steps = o.Plan.Steps[:3] }, nil},
		{"an operation left out", check.NoSilentLoss, func(o *harness.Outcome) { o.Operations = o.Operations[:3] }, nil},
		{"a result that there is not", check.NoSilentLoss, func(o *harness.Outcome) { o.Operations[0].Result = "fine" }, nil},
		{"nothing done", check.NoSilentLoss, func(o *harness.Outcome) {
			for i := range o.Operations {
				o.Operations[i].Result = "unchanged"
			}
		}, nil},
		{"an id of the history", "ids-once", nil, []string{`{"id":"e"`, `{"id":"z"`}},
		{
			"a completed step changed", check.DoneImmutable, nil,
			[]string{
				"{\"id\":\"a\",\"name\":\"A\",\"status\":\"completed\"},\n {\"id\":\"d\"",
				"{\"id\":\"a\",\"name\":\"AA\",\"status\":\"completed\"},\n {\"id\":\"d\"",
			},
		},
		{
			"a step completed by a reply", check.NewPending, nil,
			[]string{
				`"name":"B2","dependencies":["a"],"status":"running"`,
				`"name":"B2","dependencies":["a"],"status":"completed"`,
			},
		},
		{"no results", judge.Total, results(""), nil},
		{"a plan without a version", judge.Total, func(o *harness.Outcome) { o.Plan.Record = nil }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, b := judgeUpdate(t, updated(t, tt.change, tt.pairs...), updateCase(), tt.check); b == nil {
				t.Errorf("%s does not see the break", tt.check)
			}
			exercised, b := judgeUpdate(t, updated(t, nil), updateCase(), tt.check)
			if b != nil {
				t.Errorf("an honest engine breaks it: %+v", *b)
			}
			if !exercised {
				t.Error("the check was not exercised by an honest engine")
			}
		})
	}
}

// TestReasonsKept: an entry of the history need not have operations; if it does, they have the reasons.
func TestReasonsKept(t *testing.T) {
	c := updateCase()
	c.Replies = []harness.Reply{`{"plan_metadata":{"update_reason":"why"},
		"operations":[{"type":"remove","step_id":"c","reason":"old"}]}`}
	for filed, kept := range map[string]bool{
		"": true,
		`,"operations":[{"type":"remove","step_id":"c","reason":"old"}]`: true,
		`,"operations":[{"type":"remove","step_id":"c"}]`:                false,
		`,"operations":[]`: false,
	} {
		o := updated(t, func(o *harness.Outcome) {
			o.Operations = []harness.OperationResult{{Type: "remove", StepID: "c", Result: "applied", Reason: "old"}}
		}, `"update_reason":"why"`, `"update_reason":"why"`+filed)
		if exercised, b := judgeUpdate(t, o, c, "reasons-kept"); !exercised || (b == nil) != kept {
			t.Errorf("%q: exercised %t, broken: %+v", filed, exercised, b)
		}
		o.Operations[0].Reason = ""
		if _, b := judgeUpdate(t, o, c, "reasons-kept"); b == nil || b.Kind != "outcome" {
			t.Errorf("without the reason: %+v", b)
		}
	}
}

// TestPlanLosesItsVersion: what an engine answers to a related case may be
// anything, too.
func TestPlanLosesItsVersion(t *testing.T) {
	n := 0
	engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
		n++
		return updated(t, func(o *harness.Outcome) {
			if n > 1 {
				o.Plan.Record = nil
				for i := range o.Operations {
					o.Operations[i].Result = spec.Unchanged
				}
			}
		}), nil
	})
	h := hello()
	j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{}).Only(t.Context(),
		judge.Item{Case: updateCase()}, check.ApplyTwice)
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Breaks) != 1 || n != 2 {
		t.Errorf("%d questions, and these breaks: %+v", n, j.Breaks)
	}
}

// TestTwiceMovesDoneSteps: where completed steps may be moved, the same reply may move them again.
func TestTwiceMovesDoneSteps(t *testing.T) {
	c := harness.Case{
		Dialect: "operations",
		Plan: []byte(`{"id":"p","name":"p","description":"p","version":1,"steps":[
			{"id":"a","name":"a","description":"a","status":"completed","dependencies":[],"tools_expected":[]},
			{"id":"b","name":"b","description":"b","status":"pending","dependencies":[],"tools_expected":[]},
			{"id":"c","name":"c","description":"c","status":"completed","dependencies":[],"tools_expected":[]}],"history":[]}`),
		Replies: []harness.Reply{`{"operations":[{"type":"reorder","step_id":"a","position":2},
			{"type":"add","position":0,"step_data":{"id":"d","name":"d","description":"d"}}]}`},
	}
	engine := reference.New()
	h, err := engine.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{}).Only(t.Context(), judge.Item{Case: c},
		check.ApplyTwice)
	if err != nil || len(j.Breaks) > 0 {
		t.Errorf("%v, broken: %+v", err, j.Breaks)
	}
}

// TestOneIDTwice: a new step with the id of a finished, an open or a removed one changes and moves no other step.
func TestOneIDTwice(t *testing.T) {
	h := hello()
	h.Dialects["operations"] = harness.Declaration{Profile: harness.Reference()}
	for id, reply := range map[string]string{
		"a": `{"operations":[{"type":"add","position":0,"step_data":{"id":"a","name":"other"}}]}`,
		"c": `{"operations":[{"type":"remove","step_id":"c"},
			{"type":"add","position":0,"step_data":{"id":"c","name":"other"}}]}`,
		"d": `{"operations":[{"type":"add","position":0,"step_data":{"id":"d","name":"other"}}]}`,
	} {
		c := updateCase()
		c.Replies = []harness.Reply{harness.Reply(reply)}
		engine := judgetest.Engine(func(k harness.Case) (harness.Outcome, error) {
			var p plan.Plan
			if err := json.Unmarshal(k.Plan, &p); err != nil {
				return harness.Outcome{}, err
			}
			p.Steps = slices.DeleteFunc(p.Steps, func(s plan.Step) bool { return s.ID == "c" && id == "c" })
			p.Steps = slices.Insert(p.Steps, 0, plan.Step{ID: id, Description: "other", Status: plan.Pending})
			p.Record.Version++
			return harness.Outcome{Verdict: harness.Applied, Plan: &p, Results: k.Results}, nil
		})
		j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{}).Only(t.Context(), judge.Item{Case: c},
			check.DoneImmutable, check.UntouchedKept)
		if err != nil || len(j.Breaks) > 0 {
			t.Errorf("%s: %v, broken: %+v", id, err, j.Breaks)
		}
	}
}

// TestOperationsDiffer: the sentence names the first operation that came to
// something else.
func TestOperationsDiffer(t *testing.T) {
	want := updated(t, func(*harness.Outcome) {})
	for words, edit := range map[string]func(list []harness.OperationResult) []harness.OperationResult{
		`/operations/1 is "bad_type" and not "applied"`: func(list []harness.OperationResult) []harness.OperationResult {
			list[1] = harness.OperationResult{Type: "remove", StepID: "a b", Result: "bad_type"}
			return list
		},
		`/operations/0/warnings is ["position_ignored"] and not []`: func(
			list []harness.OperationResult,
		) []harness.OperationResult {
			list[0].Warnings = []string{harness.WarnPositionIgnored}
			return list
		},
		`/operations/1 is missing and should be "applied"`: func(list []harness.OperationResult) []harness.OperationResult {
			return list[:1]
		},
	} {
		reference := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
			return updated(t, func(o *harness.Outcome) { o.Operations[0].Warnings = []string{} }), nil
		})
		engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
			return updated(t, func(o *harness.Outcome) { o.Operations = edit(slices.Clone(want.Operations)) }), nil
		})
		h := hello()
		j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{Reference: reference}).Only(t.Context(),
			judge.Item{Case: updateCase()}, judge.Reference)
		if err != nil || len(j.Breaks) != 1 || !strings.Contains(j.Breaks[0].Message, words) {
			t.Errorf("%v, breaks %+v, want %q", err, j.Breaks, words)
		}
	}
}

// TestMadeUpIDs: what an engine calls a step that brought no id is its own
// business; what the reply or the plan names is not.
func TestMadeUpIDs(t *testing.T) {
	c := updateCase()
	c.Replies = []harness.Reply{harness.Reply(strings.Replace(update, `"id":"e",`, "", 1))}
	named := func(id string) harness.Outcome {
		return updated(t, func(o *harness.Outcome) { o.Plan.Steps[3].ID, o.Operations[2].StepID = id, id })
	}
	reference := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return named("step_1"), nil })
	for id, same := range map[string]bool{"step_1": true, "new-17": true, "c": false, "a": false} {
		engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return named(id), nil })
		h := hello()
		j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{Reference: reference}).Only(t.Context(),
			judge.Item{Case: c}, judge.Reference)
		if err != nil {
			t.Fatal(err)
		}
		if (len(j.Breaks) == 0) != same {
			t.Errorf("a step called %q: %+v", id, j.Breaks)
		}
	}
}

// TestRandomIDs: an engine may make up another id each time.
func TestRandomIDs(t *testing.T) {
	c := updateCase()
	c.Replies = []harness.Reply{harness.Reply(strings.Replace(update, `"id":"e",`, "", 1))}
	n := 0
	engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
		n++
		id := "random-" + strings.Repeat("x", n)
		return updated(t, func(o *harness.Outcome) { o.Plan.Steps[3].ID, o.Operations[2].StepID = id, id }), nil
	})
	h := hello()
	for _, check := range []string{judge.Deterministic, check.Layout} {
		j, err := judge.New(engine, h, all.Rules("operations"), judge.Options{}).Only(t.Context(), judge.Item{Case: c}, check)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Breaks) > 0 || !j.Exercised.Has(all.Rules("operations").Place(check)) {
			t.Errorf("%s: %+v", check, j.Breaks)
		}
	}
}
