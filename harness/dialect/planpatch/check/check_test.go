package check_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/judgetest"
)

const reply = judgetest.Reply

// NewPlan is what the reply makes of the old plan, written by hand.
func applied(p *plan.Plan) harness.Outcome {
	return harness.Outcome{Verdict: harness.Applied, Plan: p, Rung: harness.RungPatch}
}

func rejected(c harness.Code) harness.Outcome {
	return harness.Outcome{Verdict: harness.Rejected, Code: c}
}

// with is the right answer with something changed in the plan.
func with(change func(*plan.Plan)) func(harness.Case) (harness.Outcome, error) {
	return func(harness.Case) (harness.Outcome, error) {
		p := judgetest.NewPlan()
		change(p)
		return applied(p), nil
	}
}

// only judges a case by one check and returns the break, if any.
func only(t *testing.T, e judgetest.Engine, check string, item judge.Item, o judge.Options) (judge.Judgement,
	*judge.Break,
) {
	t.Helper()
	j, err := judge.New(e, hello(), all.Rules("planpatch"), o).Only(t.Context(), item, check)
	if err != nil {
		t.Fatal(err)
	}
	for i := range j.Breaks {
		if j.Breaks[i].Check == check {
			return j, &j.Breaks[i]
		}
	}
	return j, nil
}

// honest answers the case, and nothing else, as it should be.
func honest(harness.Case) (harness.Outcome, error) { return applied(judgetest.NewPlan()), nil }

// TestSafety holds for each check an engine that breaks it.
func TestSafety(t *testing.T) {
	calls := 0
	tests := []struct {
		check, step, field string
		engine             judgetest.Engine
	}{
		{"total", "", "", func(harness.Case) (harness.Outcome, error) {
			return harness.Outcome{},
				errors.New("out of memory")
		}},
		{"total", "", "verdict", func(harness.Case) (harness.Outcome, error) {
			return harness.Outcome{Verdict: "maybe"},
				nil
		}},
		{"total", "", "verdict", func(harness.Case) (harness.Outcome, error) {
			return harness.Outcome{Verdict: harness.Unsupported}, nil
		}},
		{"total", "", "code", func(harness.Case) (harness.Outcome, error) { return rejected("because"), nil }},
		{"total", "", "code", func(harness.Case) (harness.Outcome, error) { return rejected(""), nil }},
		{"total", "", "code", func(harness.Case) (harness.Outcome, error) {
			return harness.Outcome{Verdict: harness.Applied, Code: harness.BadType, Plan: judgetest.NewPlan()}, nil
		}},
		{"total", "", "plan", func(harness.Case) (harness.Outcome, error) { return applied(nil), nil }},
		{"input-unchanged", "", "plan", func(c harness.Case) (harness.Outcome, error) {
			c.Plan[strings.Index(string(c.Plan), "C")] = 'X'
			return applied(judgetest.NewPlan()), nil
		}},
		{"input-unchanged", "", "replies", func(c harness.Case) (harness.Outcome, error) {
			c.Replies[0] = ""
			return applied(judgetest.NewPlan()), nil
		}},
		{"input-unchanged", "", "limits", func(c harness.Case) (harness.Outcome, error) {
			*c.Limits.MaxPlanSteps++
			return applied(judgetest.NewPlan()), nil
		}},
		{"atomic", "c", "description", func(harness.Case) (harness.Outcome, error) {
			o := rejected(harness.UnknownStep)
			o.Plan = judgetest.NewPlan()
			return o, nil
		}},
		{"done-immutable", "b", "", with(func(p *plan.Plan) { p.Steps = slices.Delete(p.Steps, 1, 2) })},
		{"done-immutable", "a", "unknown members", with(func(p *plan.Plan) { p.Steps[0].Extra = nil })},
		{"done-immutable", "b", "status", with(func(p *plan.Plan) { p.Steps[1].Status = plan.Pending })},
		{"done-immutable", "b", "order", with(func(p *plan.Plan) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] })},
		{"ids-unique", "d", "id", with(func(p *plan.Plan) { p.Steps[4].ID = "d" })},
		{"ids-unique", "\u2003", "id", with(func(p *plan.Plan) { p.Steps[4].ID = "\u2003" })},
		{"deps-exist", "e", "dependencies", with(func(p *plan.Plan) { p.Steps[4].Dependencies = []string{"gone"} })},
		{"deps-acyclic", "d", "dependencies", with(func(p *plan.Plan) { p.Steps[3].Dependencies = []string{"d"} })},
		{"deps-acyclic", "c", "dependencies", with(func(p *plan.Plan) { p.Steps[2].Dependencies = []string{"e"} })},
		{"within-limit", "", "steps", with(func(p *plan.Plan) {
			p.Steps = append(p.Steps, plan.Step{ID: "f", Status: plan.Pending})
		})},
		{"new-pending", "e", "status", with(func(p *plan.Plan) { p.Steps[4].Status = plan.Blocked })},
		{"new-pending", "d", "status", with(func(p *plan.Plan) { p.Steps[3].Status = plan.Done })},
		{"progress", "", "", func(harness.Case) (harness.Outcome, error) {
			p, err := plan.Decode([]byte(judgetest.OldPlan))
			return applied(p), err
		}},
		{"untouched-kept", "d", "steps", with(func(p *plan.Plan) { p.Steps = slices.Delete(p.Steps, 3, 4) })},
		{"untouched-kept", "d", "tools_expected", with(func(p *plan.Plan) { p.Steps[3].ToolsExpected = []string{"ls"} })},
		{"untouched-kept", "d", "order", with(func(p *plan.Plan) { p.Steps[1], p.Steps[3] = p.Steps[3], p.Steps[1] })},
		{"no-silent-loss", "e", "add_steps", with(func(p *plan.Plan) { p.Steps = p.Steps[:4] })},
		{"no-silent-loss", "e", "id", with(func(p *plan.Plan) { p.Steps[4].ID = "another" })},
		{"no-silent-loss", "e", "dependencies", with(func(p *plan.Plan) { p.Steps[4].Dependencies = []string{"c"} })},
		{"no-silent-loss", "c", "description", with(func(p *plan.Plan) { p.Steps[2].Description = "C" })},
		{"deterministic", "c", "description", func(harness.Case) (harness.Outcome, error) {
			p := judgetest.NewPlan()
			if calls++; calls > 1 {
				p.Steps[2].Description = "C"
			}
			return applied(p), nil
		}},
		{"bounded", "", "", func(c harness.Case) (harness.Outcome, error) {
			n := len(c.Replies[0])
			time.Sleep(time.Duration(n*n) * 30 * time.Nanosecond / 256)
			return applied(judgetest.NewPlan()), nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.check+" "+tt.step+" "+tt.field, inSimulatedTime(func(t *testing.T) {
			item := judge.Item{Case: judgetest.Patch()}
			_, b := only(t, tt.engine, tt.check, item, judge.Options{})
			if b == nil {
				t.Fatal("the check does not see the break")
			}
			if b.Step != tt.step || b.Field != tt.field || b.Message == "" || b.Got == "" {
				t.Errorf("got %+v, want step %q and field %q", *b, tt.step, tt.field)
			}
			item.Case = judgetest.Patch()
			j, b := only(t, honest, tt.check, item, judge.Options{})
			if b != nil {
				t.Errorf("an honest engine breaks it: %+v", *b)
			}
			if !j.Exercised.Has(all.Rules("planpatch").Place(tt.check)) && tt.check != check.Atomic {
				t.Error("the check was not exercised by an honest engine")
			}
		}))
	}
}

// TestTooSlow: an engine that does not answer a long reply in time breaks a check only if a quarter of the reply shows
// that time does not grow linearly, or takes too long as well, and the reply alone does not.
func TestTooSlow(t *testing.T) {
	const limit = 2 * time.Second
	for _, tt := range []struct {
		name    string
		quarter time.Duration // for a quarter of the long reply; a multiple of it for others
		kind    string
	}{
		{"quadratic", 150 * time.Millisecond, "slow"},
		{"unknown", 600 * time.Millisecond, ""},
		{"a quarter, too", 3 * time.Second, "fails"},
		{"whatever the length", 2 * time.Hour, ""},
	} {
		t.Run(tt.name, inSimulatedTime(func(t *testing.T) {
			engine := func(c harness.Case) (harness.Outcome, error) {
				share := float64(len(c.Replies[0])) / (4 << 10)
				took := time.Duration(float64(tt.quarter) * share * share)
				if time.Sleep(min(took, limit)); took > limit {
					return harness.Outcome{}, &harness.Failure{Kind: harness.Hang, Detail: "no answer"}
				}
				return applied(judgetest.NewPlan()), nil
			}
			_, b := only(t, engine, "bounded", judge.Item{Case: judgetest.Patch()}, judge.Options{})
			kind := ""
			if b != nil {
				kind, _, _ = strings.Cut(b.Kind, ":")
			}
			if kind != tt.kind {
				t.Errorf("the check breaks as %q, want %q: %+v", kind, tt.kind, b)
			}
		}))
	}
}

// TestFailsOnLongReply: an engine that fails on a long reply breaks a check only if it does not fail on a short one
// with the same text around it.
func TestFailsOnLongReply(t *testing.T) {
	crash := func(when func(reply string) bool) judgetest.Engine {
		return func(c harness.Case) (harness.Outcome, error) {
			if when(string(c.Replies[0])) {
				return harness.Outcome{}, &harness.Failure{Kind: harness.Crash, Detail: "exited"}
			}
			return applied(judgetest.NewPlan()), nil
		}
	}
	for _, tt := range []struct {
		name   string
		engine judgetest.Engine
		broken bool
	}{
		{"long", crash(func(reply string) bool { return len(reply) > 8<<10 }), true},
		{"any prose", crash(func(reply string) bool { return !strings.HasPrefix(strings.TrimSpace(reply), `{"update_steps"`) }), false},
	} {
		broken := 0
		for salt := range uint64(200) { // the paddings
			if _, b := only(t, tt.engine, "bounded", judge.Item{Case: judgetest.Patch(), Salt: salt}, judge.Options{}); b != nil {
				broken++
			}
		}
		if (broken > 0) != tt.broken {
			t.Errorf("%s: the check breaks in %d cases", tt.name, broken)
		}
	}
}

// inSimulatedTime makes a test in which an engine is slow by sleeping alone, not
// because others load the machine.
func inSimulatedTime(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// TestAtomicRetry judges an engine whose retry goes on from a half-done plan.
func TestAtomicRetry(t *testing.T) {
	engine := func(clean bool) judgetest.Engine {
		return func(c harness.Case) (harness.Outcome, error) {
			p := judgetest.NewPlan()
			if len(c.Replies) == 2 && !clean {
				p.Steps[3].Description = "left over from the refused reply"
			}
			o := applied(p)
			o.Rung = harness.RungRetry
			return o, nil
		}
	}
	item := judge.Item{Case: judgetest.Patch(`{"update_steps":[{"id":"d","description":"x"},{"id":"unknown"}]}`, reply)}
	if _, b := only(t, engine(false), check.Atomic, item, judge.Options{}); b == nil || b.Step != "d" {
		t.Errorf("got %v, want a break at step d", b)
	}
	if j, b := only(t, engine(true), check.Atomic, item, judge.Options{}); b != nil ||
		!j.Exercised.Has(all.Rules("planpatch").Place(check.Atomic)) {
		t.Errorf("got %v, exercised %v", b, j.Exercised)
	}
}

// TestReported: what the outcome names is no silent loss, and edges that a
// declared policy took away and reported are no change of a step untouched.
func TestReported(t *testing.T) {
	bridge := harness.Reference()
	bridge.Orphans = harness.Bridge
	c := judgetest.Patch(`{"remove_steps":["c","nobody"],"add_steps":[{"id":"e","description":"E"}]}`)
	c.Profile = &bridge
	c.Plan = jsontext.Value(`{"title":"T","steps":[{"id":"b","description":"B"},{"id":"c","description":"C","dependencies":["b"]},{"id":"d","description":"D","dependencies":["c"]}]}`)
	out := applied(&plan.Plan{Title: "T", Steps: []plan.Step{
		{ID: "b", Description: "B", Status: plan.Pending},
		{ID: "d", Description: "D", Status: plan.Pending, Dependencies: []string{"b"}},
	}})
	out.Warnings = []harness.Warning{
		{Code: harness.WarnBridged, IDs: []string{"d"}},
		{Code: harness.WarnUnknownRemove, IDs: []string{"nobody"}},
		{Code: harness.WarnTruncated, IDs: []string{"e"}},
	}
	for i, want := range []string{"d", "nobody", "e"} {
		silent := out
		silent.Warnings = slices.Delete(slices.Clone(out.Warnings), i, i+1)
		name := check.NoSilentLoss
		if i == 0 {
			name = check.UntouchedKept
		}
		_, b := only(t, func(harness.Case) (harness.Outcome, error) { return silent, nil }, name, judge.Item{Case: c},
			judge.Options{})
		if b == nil || b.Step != want {
			t.Errorf("without the warning about %q: got %v", want, b)
		}
		j, b := only(t, func(harness.Case) (harness.Outcome, error) { return out, nil }, name, judge.Item{Case: c},
			judge.Options{})
		if b != nil || !j.Exercised.Has(all.Rules("planpatch").Place(name)) {
			t.Errorf("%s with all warnings: got %v", name, b)
		}
	}
}

// TestMetamorphic holds for each property an engine that breaks it and one
// that does not. The engines look at the reply's text as no engine should.
func TestMetamorphic(t *testing.T) {
	edited := func(c harness.Case) (harness.Outcome, error) { return small(c) }
	picky := func(sees func(harness.Case) bool) judgetest.Engine {
		return func(c harness.Case) (harness.Outcome, error) {
			if sees(c) {
				return rejected(harness.NoDocument), nil
			}
			return small(c)
		}
	}
	tests := []struct {
		check  string
		engine judgetest.Engine
	}{
		{"rename-ids", picky(func(c harness.Case) bool { return !strings.Contains(string(c.Plan), `"b"`) })},
		{"permute-lists", picky(func(c harness.Case) bool {
			return strings.HasPrefix(string(c.Replies[0]),
				`{"remove_steps":["c"`)
		})},
		{"layout", picky(func(c harness.Case) bool { return strings.Contains(string(c.Replies[0]), "```") })},
		{"layout", picky(func(c harness.Case) bool {
			return strings.Index(string(c.Replies[0]), "title") < strings.Index(string(c.Replies[0]), "remove")
		})},
		{"diff-patch", picky(func(c harness.Case) bool { return strings.Contains(string(c.Replies[0]), `"type"`) })},
		{"apply-twice", func(c harness.Case) (harness.Outcome, error) {
			o, err := small(c)
			if !strings.Contains(string(c.Plan), `"b"`) { // the second time
				o = applied(&plan.Plan{Title: "T", Steps: []plan.Step{{ID: "z", Status: plan.Pending}}})
			}
			return o, err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.check, func(t *testing.T) {
			item := judge.Item{Case: smallCase()}
			if _, b := only(t, tt.engine, tt.check, item, judge.Options{}); b == nil {
				t.Error("the check does not see the break")
			}
			j, b := only(t, edited, tt.check, item, judge.Options{})
			if b != nil {
				t.Errorf("an honest engine breaks it: %+v", *b)
			}
			if !j.Exercised.Has(all.Rules("planpatch").Place(tt.check)) {
				t.Error("the check was not exercised by an honest engine")
			}
		})
	}
}

func smallCase() harness.Case {
	return harness.Case{
		Dialect: "planpatch",
		Plan:    jsontext.Value(`{"title":"T","steps":[{"id":"a","description":"A","status":"done"},{"id":"b","description":"B"},{"id":"c","description":"C"}]}`),
		Replies: []harness.Reply{`{"remove_steps":["b","c"],"title":"New"}`},
	}
}

// small is a tiny engine that keeps done steps and sets the title, refusing
// what changes nothing: enough for the small case and its relatives.
func small(c harness.Case) (harness.Outcome, error) {
	p, err := plan.Decode(c.Plan)
	if err != nil {
		return rejected(harness.InvalidPlan), nil
	}
	before := p.Clone()
	p.Title = "New"
	p.Steps = slices.DeleteFunc(p.Steps, func(s plan.Step) bool { return s.Status != plan.Done })
	if p.Equal(before) {
		return rejected(harness.EmptyPatch), nil
	}
	return applied(p), nil
}

// TestOracles: a wrong label and a reference of another opinion are breaks.
func TestOracles(t *testing.T) {
	tests := []struct {
		name  string
		label judge.Label
		want  string // what the break says was wanted; "" for no break
	}{
		{"verdict alone", judge.Label{Verdict: harness.Applied}, ""},
		{
			"right rung, and a tier that the engine does not give",
			judge.Label{Verdict: harness.Applied, Rung: harness.RungPatch, More: &harness.Outcome{Tier: harness.TierStrict}},
			"",
		},
		{"wrong rung", judge.Label{Verdict: harness.Applied, Rung: harness.RungRetry}, "applied"},
		{
			"wrong verdict",
			judge.Label{Verdict: harness.Rejected, Codes: []harness.Code{harness.BadType, harness.EmptyID}},
			"rejected bad_type or empty_id",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if _, b := only(t, honest, judge.Expected, judge.Item{Case: judgetest.Patch(), Label: &tt.label},
				judge.Options{}); b != nil {
				got = b.Want
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	nothing, other := applied(judgetest.NewPlan()), judgetest.NewPlan()
	other.Steps[4].Description = "another"
	changes := []func(o *harness.Outcome){
		func(o *harness.Outcome) { *o = rejected(harness.BadType) },
		func(o *harness.Outcome) { o.Plan = other },
		func(o *harness.Outcome) { o.Rung = harness.RungRetry },
		func(o *harness.Outcome) { o.Tier = harness.TierExtracted },
		func(o *harness.Outcome) { o.Warnings = []harness.Warning{{Code: harness.WarnRepliesUnused}} },
		func(o *harness.Outcome) { o.Repairs = []harness.Repair{{Rule: "comment"}} },
		func(o *harness.Outcome) { o.Meta = &harness.Meta{Added: 2} },
		func(o *harness.Outcome) { o.Events = []harness.Event{{Event: harness.EventReplanFailed}} },
	}
	nothing.Tier, nothing.Warnings, nothing.Repairs = harness.TierStrict, []harness.Warning{}, []harness.Repair{}
	nothing.Meta, nothing.Events = &harness.Meta{Added: 1}, []harness.Event{}
	for i, change := range changes {
		wrong := nothing
		change(&wrong)
		reference := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return nothing, nil })
		engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return wrong, nil })
		o := judge.Options{Reference: reference}
		if _, b := only(t, engine, judge.Reference, judge.Item{Case: judgetest.Patch()}, o); b == nil {
			t.Errorf("change %d: the reference's other opinion is not seen", i)
		}
		if _, b := only(t, reference, judge.Reference, judge.Item{Case: judgetest.Patch()}, o); b != nil {
			t.Errorf("change %d: an outcome differs from itself: %v", i, b)
		}
	}
}

// TestUnreported: an engine that gives no warnings is held only to what no rule
// allows it to lose.
func TestUnreported(t *testing.T) {
	after := judgetest.NewPlan()
	cut := &plan.Plan{Title: after.Title, Steps: after.Steps[:4]}
	full, room := judgetest.Patch(), judgetest.Patch()
	four := 4
	full.Limits.MaxPlanSteps = &four
	both := judgetest.Patch(`{"update_steps":[{"id":"c","description":"C2"}],"add_steps":[
		{"id":"e","description":"E","dependencies":["c","a"]},{"id":"e","description":"F"}]}`)
	two, other, kept := after.Clone(), after.Clone(), after.Clone()
	kept.Steps = kept.Steps[:4]
	two.Steps = append(two.Steps, plan.Step{ID: "e", Description: "F", Status: plan.Pending})
	other.Steps = append(other.Steps, plan.Step{ID: "e", Description: "G", Status: plan.Pending})
	for _, tt := range []struct {
		name string
		c    harness.Case
		got  *plan.Plan
		kind string
	}{
		{"a step is cut at the limit", full, cut, ""},
		{"a step vanishes", room, cut, "add"},
		{
			"an addition has the id of a step that stays",
			judgetest.Patch(`{"add_steps":[{"id":"d","description":"other"}]}`), kept, "",
		},
		{"one id is added twice, and both steps are in the plan", both, two, ""},
		{"one id is added twice, and the second has another value", both, other, "add:description"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return applied(tt.got), nil })
			j, err := judge.New(engine, judgetest.Hello(), all.Rules("planpatch"), judge.Options{}).Only(t.Context(),
				judge.Item{Case: tt.c}, check.NoSilentLoss)
			if err != nil {
				t.Fatal(err)
			}
			kind := ""
			for _, b := range j.Breaks {
				kind = b.Kind
			}
			if kind != tt.kind {
				t.Errorf("got the kind %q, want %q (%v)", kind, tt.kind, j.Breaks)
			}
		})
	}
}

// hello declares the dialect, and every member of outcomes.
func hello() harness.Hello {
	h := judgetest.Hello()
	d := h.Dialects["planpatch"]
	d.Codes, d.Gives = harness.ExactCodes, all.Members("planpatch").Optional()
	h.Dialects["planpatch"] = d
	return h
}

// TestDisagreementInWords: the sentence about two outcomes shows their difference.
func TestDisagreementInWords(t *testing.T) {
	with := func(change func(o *harness.Outcome)) harness.Outcome {
		o := applied(judgetest.NewPlan())
		change(&o)
		return o
	}
	warned := func(w ...harness.Warning) harness.Outcome {
		return with(func(o *harness.Outcome) { o.Warnings = append([]harness.Warning{}, w...) })
	}
	repaired := func(r ...harness.Repair) harness.Outcome {
		return with(func(o *harness.Outcome) { o.Repairs = append([]harness.Repair{}, r...) })
	}
	counted := func(m harness.Meta) harness.Outcome { return with(func(o *harness.Outcome) { o.Meta = &m }) }
	told := func(e ...harness.Event) harness.Outcome { return with(func(o *harness.Outcome) { o.Events = e }) }
	tests := []struct {
		name      string
		want, got harness.Outcome
		words     string
	}{
		{
			"description", with(func(o *harness.Outcome) {}),
			with(func(o *harness.Outcome) { o.Plan.Steps[4].Description = "x y" }),
			`the description of step "e": "x y" and not "E"`,
		},
		{
			"dependencies", with(func(o *harness.Outcome) {}),
			with(func(o *harness.Outcome) { o.Plan.Steps[4].Dependencies = []string{"a", "c"} }),
			`the dependencies of step "e": ["a" "c"] and not ["c" "a"]`,
		},
		{
			"unknown members", with(func(o *harness.Outcome) {}),
			with(func(o *harness.Outcome) { o.Plan.Steps[0].Extra = nil }),
			`the unknown members of step "a": none and not {"owner":"me"}`,
		},
		{
			"warnings", warned(), warned(harness.Warning{Code: "truncated", IDs: []string{"d", "e f"}},
				harness.Warning{Code: "replies_unused"}),
			`/warnings is [{"code": "replies_unused"}, {"code": "truncated", "ids": ["d", "e f"]}] and not []`,
		},
		{
			"repairs", repaired(harness.Repair{Rule: "comment"}),
			repaired(harness.Repair{Rule: "wrapped_list", IDs: []string{"add_steps"}}),
			`/repairs/0/rule is "wrapped_list" and not "comment"`,
		},
		{
			"meta", counted(harness.Meta{Added: 1}),
			counted(harness.Meta{Added: 1, TruncatedAdd: true, Dropped: []string{"e"}}), `/meta/dropped is ["e"] and not []`,
		},
		{
			"events", told(harness.Event{Event: "replan_requested"}),
			told(harness.Event{Event: "patch_rejected", Code: harness.BadType}),
			`/events/0/event is "patch_rejected" and not "replan_requested"`,
		},
		{
			"meta of an event", told(harness.Event{Event: "replan_requested"}, harness.Event{Event: "full_plan_used"}),
			told(harness.Event{Event: "replan_requested"},
				harness.Event{Event: "full_plan_used", Meta: &harness.Meta{Removed: 1}}),
			`/events/1/meta is {"added": 0, "dropped": [], "removed": 1, "truncated_add": false, "updated": 0} and should not be there`,
		},
		{
			"reason of an event", told(harness.Event{Event: "plan_patch_applied", Reason: "so"}),
			told(harness.Event{Event: "plan_patch_applied"}), `/events/0/reason is missing and should be "so"`,
		},
		{
			"a long list", warned(), warned(harness.Warning{Code: "truncated", IDs: []string{strings.Repeat("x", 1000)}}),
			`/warnings is [{"code": "truncated", "ids": ["` + strings.Repeat("x", 268) + `… and not []`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return tt.got, nil })
			reference := judgetest.Engine(func(harness.Case) (harness.Outcome, error) { return tt.want, nil })
			_, b := only(t, engine, judge.Reference, judge.Item{Case: judgetest.Patch()}, judge.Options{Reference: reference})
			if b == nil || b.Message != tt.words {
				t.Errorf("got %v, want a break with the words %q", b, tt.words)
			}
		})
	}
}

// TestUnknown: where it cannot be told what a reply asks for, nothing is
// held against the engine, and the check does not count as exercised.
func TestUnknown(t *testing.T) {
	replies := []harness.Reply{
		"no JSON at all", `[{"remove_steps":["d"]}]`, `{"remove_steps":["d"]} or {"remove_steps":["c"]}`,
		`<think>{"remove_steps":["d"]}</think>`, `{"remove_steps":["d"],"remove_steps":["c"]}`,
		`{"remove_steps":"d"}`, `{"unknown":1}`, `{"add_steps":[{"id":7}]}`, `{"update_steps":[{"id":"\ud800"}]}`, `}{`,
	}
	for _, r := range replies {
		for _, check := range []string{check.UntouchedKept, check.NoSilentLoss, check.Layout, check.RenameIDs} {
			j, b := only(t, honest, check, judge.Item{Case: judgetest.Patch(r)}, judge.Options{})
			if b != nil || j.Exercised.Has(all.Rules("planpatch").Place(check)) {
				t.Errorf("%s of %q: exercised %v, break %v", check, r, j.Exercised.Has(all.Rules("planpatch").Place(check)), b)
			}
		}
	}
}

// TestSampled: the same salt chooses the same checks, and every check is
// chosen about once in Every salts.
func TestSampled(t *testing.T) {
	count := map[string]int{}
	j := judge.New(judgetest.Engine(small), hello(), all.Rules("planpatch"),
		judge.Options{Every: 8, Reference: judgetest.Engine(small), SampleReference: true})
	const cases = 2000
	for salt := range uint64(cases) {
		item := judge.Item{Case: smallCase(), Salt: salt}
		first, err := j.Judge(t.Context(), item)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := j.Judge(t.Context(), item)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatal(diff)
		}
		for i, c := range all.Rules("planpatch").Checks {
			if first.Exercised.Has(i) {
				count[c.Name]++
			}
		}
	}
	for _, name := range []string{
		"deterministic", "rename-ids", "permute-lists", "layout", "diff-patch", "apply-twice",
		"reference",
	} {
		if n := count[name]; n < cases/16 || n > cases/4 {
			t.Errorf("%s was made on %d of %d cases, want about one in 8", name, n, cases)
		}
	}
	if count["bounded"] == 0 {
		t.Error("bounded was never made")
	}
}

func TestUnsupported(t *testing.T) {
	j, err := judge.New(judgetest.Engine(honest), hello(), all.Rules("planpatch"), judge.Options{}).Judge(t.Context(),
		judge.Item{Case: harness.Case{Dialect: "unheard-of"}})
	if err != nil || j.Unsupported == "" || len(j.Breaks) > 0 {
		t.Errorf("got %+v, %v", j, err)
	}
}

// An engine cannot declare its tokenizers, so that it may decline a case of
// trimming that needs an exact one. It may decline no other.
func TestUnsupportedTokenizer(t *testing.T) {
	engine := judgetest.Engine(func(harness.Case) (harness.Outcome, error) {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "no such count"}, nil
	})
	h := hello()
	h.Dialects["trim"] = h.Dialects["planpatch"]
	for _, tt := range []struct {
		name, budget, message string
	}{
		{"exact", `{"max_tokens":10,"tokenizer":"cl100k_base"}`, ""},
		{"the default", `{"max_tokens":10}`, ""},
		{
			"estimate", `{"max_tokens":10,"tokenizer":"chars/4"}`,
			"the engine answers unsupported to a case that its declaration covers: no such count",
		},
		{"unreadable", `{"max_tokens":0}`, "the engine answers unsupported to a case that its declaration covers: no such " +
			"count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := harness.Case{
				Dialect:  "trim",
				Messages: jsontext.Value(`[{"role":"user","content":"go on"}]`),
				Budget:   jsontext.Value(tt.budget),
				Policy:   jsontext.Value(`["none"]`),
			}
			j, err := judge.New(engine, h, all.Rules("trim"), judge.Options{}).Judge(t.Context(), judge.Item{Case: c})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(j.Breaks) > 0 {
				got = j.Breaks[0].Message
			}
			if got != tt.message || (j.Unsupported == "") != (tt.message != "") {
				t.Errorf("unsupported %q, breaks %q, want %q", j.Unsupported, got, tt.message)
			}
		})
	}
}
