package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

const versioned = `{"name":"n","version":1,"steps":[{"id":"a","description":"A","status":"completed"},{"id":"b","description":"B","dependencies":["a"],"status":"failed"},{"id":"c","description":"C"}]}`

// of makes a record of another dialect.
func of(dialect, plan, id, reply string, change ...func(*corpora.Record)) corpora.Record {
	as := func(r *corpora.Record) {
		if r.Dialect = dialect; plan == "" {
			r.Plan = nil
		} else {
			r.Plan = []byte(plan)
		}
		r.Intent = nil
	}
	return record(id, reply, append([]func(*corpora.Record){as}, change...)...)
}

func operations(list string) string { return `{"operations":[` + list + `]}` }

const (
	opModify  = `{"type":"modify","step_id":"b","step_data":{"description":"B again"}}`
	opUnknown = `{"type":"remove","step_id":"x"}`
	opRemove  = `{"type":"remove","step_id":"a"}`
	opReuse   = `{"type":"add","step_data":{"id":"a","description":"another"}}`
	opEdit    = `{"type":"modify","step_id":"a","step_data":{"description":"A again"}}`
	opMove    = `{"type":"reorder","step_id":"c","position":0}`
)

// Requests of every dialect end where they end, and every demand on finished work
// counts, in whatever order the faults come.
func TestDialects(t *testing.T) {
	oneStep := `{"title":"t","steps":[{"id":"s","description":"S"}]}`
	begun := `{"title":"t","steps":[{"id":"a","description":"A","status":"done"},{"id":"s","description":"S","dependencies":["a"]}]}`
	items := `{"items":[{"content":"A","status":"completed"},{"content":"B","status":"pending"}]}`
	lenient, _ := harness.Named(harness.ProfileLenient)
	givesUp := harness.Reference()
	givesUp.Ladder = []harness.Rung{harness.RungPatch, harness.RungRetry, harness.RungReact}
	aborts := harness.Reference()
	aborts.OnError = harness.Abort
	tests := []struct {
		name    string
		record  corpora.Record
		retries []harness.Reply
		profile harness.Profile
		want    string // rung, danger kinds and steps, code, unscored
	}{
		{"operations: at first", of("operations", versioned, "r", operations(opModify)), nil, harness.Reference(), "patch"},
		{
			"operations: partly", of("operations", versioned, "r", operations(opUnknown+","+opModify)), nil,
			harness.Reference(), "patch",
		},
		{
			"operations: refused", of("operations", versioned, "r", operations(opUnknown)), nil, harness.Reference(),
			"failed empty_patch",
		},
		{
			"operations: after a retry", of("operations", versioned, "r", prose),
			[]harness.Reply{harness.Reply(operations(opModify))},
			harness.Reference(), "retry no_document reread",
		},
		{
			"operations: given up", of("operations", versioned, "r", prose),
			[]harness.Reply{prose},
			givesUp,
			"react no_document",
		},
		{
			"operations: more retries than rungs", of("operations", versioned, "r", prose),
			[]harness.Reply{prose, harness.Reply(operations(opModify))},
			harness.Reference(), "failed no_document",
		},
		{
			"operations: every demand, behind other faults",
			of("operations", versioned, "r", operations(strings.Join([]string{opUnknown, opRemove, opReuse, opEdit}, ","))),
			nil, aborts, "failed unknown_step removal:a reuse:a edit:a",
		},
		{
			"operations: skipped silently", of("operations", versioned, "r", operations(opEdit+","+opModify)), nil,
			harness.Reference(), "patch edit:a",
		},
		{"operations: moved", of("operations", versioned, "r", operations(opMove)), nil, harness.Reference(), "patch"},
		{"operations: no plan", of("operations", "", "r", operations(opModify)), nil, harness.Reference(), "failed no plan"},

		{
			"planpatch: behind another fault", record("r",
				`{"update_steps":[{"id":"x","description":"X"}],"remove_steps":["a"]}`), nil, harness.Reference(),
			"failed done_immutable removal:a",
		},
		{
			"planpatch: an unknown member first", record("r", `{"surprise":1,"add_steps":[{"id":"a","description":"again"}]}`),
			nil, harness.Reference(), "failed extra_field reuse:a",
		},
		{
			"planpatch: a member of an update that none has", record("r", `{"update_steps":[{"id":" a ","language":"go"}]}`),
			nil, harness.Reference(), "failed extra_field edit:a",
		},
		{
			"planpatch: in a broken document", record("r", `{"remove_steps":["a"],}`), nil, lenient,
			"failed done_immutable removal:a",
		},
		{
			"planpatch: a whole plan rewrites", record("r",
				`{"title":"t","steps":[{"id":"a","description":"other"},{"id":"d","description":"D"}]}`), nil, harness.Reference(),
			"fullplan rewrite:a",
		},
		{
			"planpatch: a whole plan takes done back",
			record("r", `{"title":"t","steps":[{"id":"a","description":"A","status":"pending"},{"id":"d","description":"D"}]}`),
			nil, harness.Reference(), "fullplan rewrite:a",
		},
		{
			"planpatch: a whole plan leaves it alone",
			record("r", `{"title":"t","steps":[{"id":"a","description":"A"},{"id":"d","description":"D"}]}`), nil,
			harness.Reference(), "fullplan",
		},
		{
			"planpatch: in the retry", record("r", prose),
			[]harness.Reply{touching},
			harness.Reference(),
			"failed no_document removal:a reread",
		},
		{
			"planpatch: in a retry that nobody reads", record("r", good),
			[]harness.Reply{touching},
			harness.Reference(),
			"patch",
		},
		{"planpatch: given up", record("r", unknown), []harness.Reply{unknown}, givesUp, "react unknown_step"},

		{
			"orchestrator: done at first", of("orchestrator", oneStep, "r", `{"control":"step_done"}`), nil,
			harness.Reference(), "patch",
		},
		{
			"orchestrator: an old control word", of("orchestrator", oneStep, "r", "STEP_DONE"), nil, harness.Reference(),
			"patch",
		},
		{
			"orchestrator: no reply of a run", of("orchestrator", oneStep, "r", prose), nil, harness.Reference(),
			"failed no_document",
		},
		{
			"orchestrator: after a retry", of("orchestrator", oneStep, "r", prose),
			[]harness.Reply{`{"control":"step_done"}`},
			harness.Reference(), "retry no_document reread",
		},
		{
			"orchestrator: taken, and no more recorded", of("orchestrator", oneStep, "r", `{"tool":"read","args":{}}`), nil,
			harness.Reference(), "patch",
		},
		{
			"orchestrator: with a tool's result", of("orchestrator", oneStep, "r", `{"tool":"read","args":{}}`,
				func(r *corpora.Record) { r.Tools = []byte(`[{"ok":true,"output":"x"}]`) }),
			[]harness.Reply{`{"control":"step_done"}`},
			harness.Reference(), "patch",
		},
		{
			"orchestrator: a first plan", of("orchestrator", "", "r", oneStep),
			[]harness.Reply{`{"control":"step_done"}`},
			harness.Reference(), "patch",
		},
		{
			"orchestrator: no plan, given up", of("orchestrator", "", "r", prose),
			[]harness.Reply{prose, `{"control":"step_done"}`},
			harness.Reference(), "react no_document reread",
		},
		{
			"orchestrator: a replan", of("orchestrator", begun, "r", `{"control":"replan"}`),
			[]harness.Reply{`{"update_steps":[{"id":"s","description":"S again"}]}`, `{"control":"step_done"}`},
			harness.Reference(), "patch",
		},
		{
			"orchestrator: a replan that touches finished work", of("orchestrator", begun, "r", `{"control":"replan"}`),
			[]harness.Reply{touching, `{"update_steps":[{"id":"s","description":"S again"}]}`, `{"control":"step_done"}`},
			harness.Reference(), "retry removal:a",
		},
		{
			"orchestrator: a step that the run itself finished",
			of("orchestrator", strings.Replace(begun, `"status":"done"`, `"status":"pending"`, 1), "r",
				`{"control":"step_done"}`),
			[]harness.Reply{`{"control":"replan"}`, touching, touching},
			harness.Reference(),
			"failed removal:a",
		},
		{
			"orchestrator: by a whole plan", of("orchestrator", begun, "r", `{"control":"replan"}`),
			[]harness.Reply{`{"title":"t","steps":[{"id":"z","description":"Z"}]}`, `{"control":"step_done"}`},
			harness.Reference(), "fullplan removal:a",
		},
		{
			"orchestrator: nothing to do", of("orchestrator",
				`{"title":"t","steps":[{"id":"a","description":"A","status":"done"}]}`, "r", prose), nil, harness.Reference(),
			"failed bad plan or limit",
		},

		{
			"todos: at first", of("todos", items, "r",
				`{"todos":[{"content":"A","status":"completed"},{"content":"B","status":"completed"}]}`), nil, harness.Reference(),
			"patch",
		},
		{
			"todos: a done item is left out, and put back",
			of("todos", items, "r", `{"todos":[{"content":"B","status":"completed"}]}`), nil, harness.Reference(),
			"patch removal:A",
		},
		{
			"todos: a done item is opened again, behind another fault",
			of("todos", items, "r", `{"todos":[{"content":"A","status":"pending"},{"content":"B","status":"in_progress"},{"content":"B","status":"pending"}]}`),
			[]harness.Reply{`{"todos":[{"content":"A","status":"completed"},{"content":"B","status":"cancelled"}]}`},
			harness.Reference(), "retry duplicate_content edit:A",
		},
		{"todos: a clear", of("todos", items, "r", `{"todos":[]}`), nil, harness.Reference(), "failed empty_plan removal:A"},
		{"todos: given up", of("todos", items, "r", prose), nil, givesUp, "react no_document"},

		{"planmode has no replies", of("planmode", "", "r", prose), nil, harness.Reference(), "failed dialect without rules"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := score.Judge(&test.record, test.retries, test.profile, nil)
			got := []string{string(s.Rung)}
			if s.Rung == "" {
				got[0] = "failed"
			}
			if s.Code != "" {
				got = append(got, string(s.Code))
			}
			for _, d := range s.Dangers {
				got = append(got, d.Kind+":"+d.Step)
			}
			if s.Reread {
				got = append(got, "reread")
			}
			if s.Unscored != "" {
				got = append(got, s.Unscored)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if s.Danger != (s.Dangers != nil) {
				t.Errorf("danger is %v, with the dangers %v", s.Danger, s.Dangers)
			}
		})
	}
}

// A gate on an operations corpus passes and fails by what the replies did.
func TestGateOnOperations(t *testing.T) {
	gate := func(replies ...string) []score.Breach {
		var items []any
		for i, reply := range replies {
			items = append(items, of("operations", versioned, string(rune('a'+i)), reply))
		}
		var g score.Gate
		for _, s := range []string{"apply_rate_after_retry >= 1", "fallback_rate <= 0", "danger_rate <= 0"} {
			threshold, err := score.ParseThreshold(s)
			if err != nil {
				t.Fatal(err)
			}
			g.Thresholds = append(g.Thresholds, threshold)
		}
		breaches, err := g.Check(run(t, score.Options{}, source(t, items...)))
		if err != nil {
			t.Fatal(err)
		}
		return breaches
	}
	if b := gate(operations(opModify), operations(opMove)); len(b) > 0 {
		t.Errorf("good replies break %v", b)
	}
	if b := gate(operations(opModify), operations(opUnknown)); len(b) != 2 {
		t.Errorf("a refused reply breaks %v, want the rates of applying and of fallback", b)
	}
	if b := gate(operations(opModify+","+opRemove), operations(opMove)); len(b) != 1 ||
		!strings.HasPrefix(b[0].Rule, "danger_rate") || !strings.HasPrefix(b[0].Message, "0.5") {
		t.Errorf("a removal of finished work breaks %v, want the danger rate", b)
	}
}

// What is given up is a share of its own: it is not resolved, and not failed either.
func TestGivenUpIsNotResolved(t *testing.T) {
	p := harness.Reference()
	p.Ladder = []harness.Rung{harness.RungPatch, harness.RungReact}
	r := run(t, score.Options{Profile: p}, source(t, record("good", good), record("bad", unknown),
		of("operations", versioned, "update", operations(opUnknown)), of("orchestrator", "", "run", prose),
		of("orchestrator", "", "run/2", prose, retryOf("run"))))
	got := rates(r.Groups[0])
	for name, want := range map[string]string{
		"apply_rate_after_retry": "1/4", "react_rate": "3/4", "failed_rate": "0/4", "fallback_rate": "3/4",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
}

// The failed step must be removed or changed by name.
func TestIntent(t *testing.T) {
	detach := harness.Reference()
	detach.Orphans = harness.Detach
	two := 2
	chain := `{"title":"t","steps":[{"id":"a","description":"A"},{"id":"b","description":"B","dependencies":["a"],"status":"failed"},{"id":"c","description":"C"}]}`
	chained := func(r *corpora.Record) { r.Plan = []byte(chain) }
	tests := []struct {
		name    string
		record  corpora.Record
		profile harness.Profile
		intent  string
		changed string
	}{
		{"the title alone", record("r", `{"title":"another"}`), harness.Reference(), score.Missed, "title only"},
		{
			"changed by the way, since another step went", record("r", `{"remove_steps":["a"]}`, chained), detach, score.Missed,
			"",
		},
		{
			"removed by name", record("r", `{"remove_steps":["b"],"update_steps":[{"id":"c","dependencies":[]}]}`),
			harness.Reference(), score.Met, "",
		},
		{"cut from a whole plan by the limit", record("r",
			`{"title":"t","steps":[{"id":"a","description":"A"},{"id":"c","description":"C","dependencies":["a"]},{"id":"b","description":"B","dependencies":["a"]}]}`, func(r *corpora.Record) {
				r.Limits.MaxPlanSteps = &two
			}), harness.Reference(), score.Missed, ""},
		{
			"replaced under its id", record("r", `{"remove_steps":["b"],"add_steps":[{"id":"b","description":"B again"}]}`),
			harness.Reference(), score.Met, "",
		},
		{"by an operation", of("operations", versioned, "r", operations(opModify),
			func(r *corpora.Record) { r.Intent = &corpora.Intent{FailedStep: "b"} }), harness.Reference(), score.Met, ""},
		{
			"by an operation on the name alone", of("operations", versioned, "r",
				`{"plan_metadata":{"name":"m"},"operations":[]}`,
				func(r *corpora.Record) { r.Intent = &corpora.Intent{FailedStep: "b"} }), harness.Reference(), score.Missed,
			"name only",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := score.Judge(&test.record, nil, test.profile, nil)
			if s.Verdict != harness.Applied {
				t.Fatalf("refused: %s %s", s.Code, s.Message)
			}
			if s.Intent != test.intent || s.Changed != test.changed {
				t.Errorf("intent %q, changed %q; want %q, %q", s.Intent, s.Changed, test.intent, test.changed)
			}
		})
	}
}

// The intent of a run is met by its first reply that is an edit of the plan, and no
// question where there is none.
func TestIntentOfRuns(t *testing.T) {
	const replan, done = `{"control":"replan"}`, `{"control":"step_done"}`
	runs := `{"title":"t","steps":[{"id":"s","description":"S"},{"id":"u","description":"U"}]}`
	for _, test := range []struct {
		name   string
		script []harness.Reply
		want   string // intent, and whether the metric asks
	}{
		{"named", []harness.Reply{replan, `{"update_steps":[{"id":"s","description":"S again"}]}`, done, done}, "met true"},
		{"removed", []harness.Reply{replan, `{"remove_steps":["s"]}`, done}, "met true"},
		{
			"another step",
			[]harness.Reply{replan, `{"update_steps":[{"id":"u","description":"U again"}]}`, done, done},
			"missed true",
		},
		{"the second edit", []harness.Reply{replan, `{"title":"T"}`, replan, `{"remove_steps":["s"]}`, done}, "missed true"},
		{"refused", []harness.Reply{replan, prose, `{"remove_steps":["s"]}`, done}, " true"},
		{"no edit", []harness.Reply{done, done}, " false"},
		{"no edit, behind a refusal", []harness.Reply{prose, done, done}, " false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := of("orchestrator", runs, "r", string(test.script[0]),
				func(r *corpora.Record) { r.Intent = &corpora.Intent{FailedStep: "s"} })
			items := []any{r}
			for i, reply := range test.script[1:] {
				items = append(items, of("orchestrator", runs, fmt.Sprint(i), string(reply),
					func(r *corpora.Record) { r.RetryOf, r.Attempt = "r", i+2 }))
			}
			s := score.Judge(&r, test.script[1:], harness.Reference(), nil)
			asked, _ := run(t, score.Options{}, source(t, items...)).Groups[0].Rate("intent_rate")
			if got := fmt.Sprintf("%s %v", s.Intent, asked.N == 1); got != test.want {
				t.Errorf("got %q, want %q (%s %s)", got, test.want, s.Code, s.Message)
			}
		})
	}
}

// Documented replies are written by hand: no interval is drawn from them.
func TestDocumentedHasNoInterval(t *testing.T) {
	byHand := func(r *corpora.Record) { r.Source, r.Provenance = corpora.Documented, "a report" }
	r := run(t, score.Options{}, source(t, record("one", good, byHand), record("two", unknown, byHand)))
	g := r.Groups[0]
	apply, _ := g.Rate(score.ApplyRate)
	if !apply.Bare || apply.HasInterval() || apply.Value != 0.5 {
		t.Errorf("the rate is %+v, want 1 of 2 without an interval", apply)
	}
	want := []score.Listed{
		{ID: "one", Verdict: harness.Applied, Rung: harness.RungPatch, Provenance: "a report"},
		{ID: "two", Verdict: harness.Rejected, Code: harness.UnknownStep, Provenance: "a report"},
	}
	if diff := cmp.Diff(want, g.Listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	threshold, _ := score.ParseThreshold("apply_rate.low >= 0.1")
	breaches, err := score.Gate{Thresholds: []score.Threshold{threshold}}.Check(r)
	if err != nil || len(breaches) != 1 || breaches[0].Message != "replies written by hand give no interval" {
		t.Errorf("%v, %v; want a breach, since there is no interval", breaches, err)
	}
}

// Nor is anything inferred from comparing them, on whichever side they stand: the
// cases that changed are named, and count as no question.
func TestDocumentedIsNotTested(t *testing.T) {
	of := func(kind, reply string) corpora.Source {
		var list []any
		for i := range 20 {
			list = append(list, record(fmt.Sprint(i), reply, func(r *corpora.Record) {
				r.Case, r.Source, r.Provenance, r.Intent = fmt.Sprint(i), kind, "a report", nil
			}))
		}
		return source(t, list...)
	}
	for _, kinds := range [][2]string{
		{corpora.Documented, corpora.Documented},
		{corpora.Synthetic, corpora.Documented},
		{corpora.Documented, corpora.Synthetic},
	} {
		c := compare(t, of(kinds[0], good), of(kinds[1], unknown),
			score.CompareOptions{Metrics: []string{score.ApplyRate, "reply_tokens"}})
		r := row(t, c, score.ApplyRate)
		if c.Questions != 0 || r.Verdict != score.NoSample || r.Worsened != 20 || len(r.Flipped) != 20 {
			t.Errorf("%v: %d questions, %s, %d worse (%q)", kinds, c.Questions, r.Verdict, r.Worsened, r.Flipped)
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, member := range []string{"low", "high", "p", "p_corrected", "needed", "detectable"} {
			if strings.Contains(string(raw), `"`+member+`":`) {
				t.Errorf("%v: the comparison says %q: %s", kinds, member, raw)
			}
		}
	}
}
