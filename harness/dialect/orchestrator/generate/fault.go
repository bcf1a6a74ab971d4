package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// runFault is a fault of the dialect orchestrator.
type runFault struct {
	generators.Trait
	claims runAspects
	// plant changes the stage; it returns false, and changes nothing, where the
	// fault has no place.
	plant func(d *director) bool
}

// Clashes reports whether the two cannot stand in one sample.
func (f runFault) Clashes(g runFault) bool {
	both := f.claims | g.claims
	return f.claims&g.claims&rAlone != 0 || (f.claims|g.claims)&rInput != 0 ||
		both&rGiven != 0 && both&rPlanning != 0 || both&rNoPlan != 0 && both&(rLadder|rTwist) != 0 || both&rRefused != 0 && both&rLimit != 0
}

// runAspects say what a fault needs and what it takes for itself.
type runAspects uint16

const (
	rInput    runAspects = 1 << iota // the run never begins
	rGiven                           // the case brings its plan
	rPlanning                        // it does not
	rNoPlan                          // and no reply is one
	rLadder                          // there is a plan to change
	rRefused                         // a first plan is refused
	rTwist                           // how the first plan is written
	rEnd                             // the script ends
	rVerify                          // what comes of the verification
	rReplans                         // the limit of replans
	rLimit                           // max_plan_steps
)

// rAlone are the aspects of which a sample holds one.
const rAlone = rNoPlan | rTwist | rEnd | rVerify | rReplans | rLimit

// faults are those of the dialect, made once and never written.
var faults = sync.OnceValue(func() []runFault {
	return slices.Concat(caseFaults(), planningFaults(), runStepFaults(), controlFaults(), climbFaults(), scriptFaults())
})

// caseFaults are cases that no run can begin with.
func caseFaults() []runFault {
	fault := generators.Family("case")
	limit := func(set func(c *harness.Case)) func(*director) bool {
		return refuseCase(harness.BadLimit, func(_ *director, c *harness.Case) { set(c) })
	}
	tools := func(code harness.Code, doc string) func(*director) bool {
		return refuseCase(code, func(_ *director, c *harness.Case) { c.Tools = []byte(doc) })
	}
	verify := func(code harness.Code, doc string) func(*director) bool {
		return refuseCase(code, func(_ *director, c *harness.Case) { c.Verify = []byte(doc) })
	}
	zero, negative := new(0), new(-1)
	return []runFault{
		{fault("limit-of-no-rounds", "max_step_tool_calls is 0").Weigh(4), rInput, limit(func(c *harness.Case) { c.Limits.MaxStepToolCalls = zero })},
		{fault("limit-of-no-steps", "max_plan_steps is 0").Weigh(4), rInput, limit(func(c *harness.Case) { c.Limits.MaxPlanSteps = zero })},
		{fault("negative-replans", "max_replans is below 0").Weigh(4), rInput, limit(func(c *harness.Case) { c.Limits.MaxReplans = negative })},
		{fault("negative-retries", "planning_retries is below 0").Weigh(4), rInput, limit(func(c *harness.Case) { c.Limits.PlanningRetries = negative })},
		{fault("interrupt-at-nothing", "interrupt_after is 0, and events count from 1").Weigh(4), rInput, limit(func(c *harness.Case) { c.InterruptAfter = zero })},
		{fault("unsound-plan", "a step of the plan has a status that is none").Weigh(4), rInput | rGiven, refuseCase(harness.InvalidPlan, unsoundStatus)},
		{fault("circular-plan", "a step of the plan waits for itself").Weigh(4), rInput | rGiven, refuseCase(harness.InvalidPlan, circle)},
		{fault("tools-no-list", "tools is no list").Weigh(4), rInput, tools(harness.BadType, `{"ok":true}`)},
		{fault("tool-result-without-ok", "a tool result does not say whether it succeeded").Weigh(4), rInput, tools(harness.MissingField, `[{"ok":true},{"output":"fine"}]`)},
		{fault("tool-result-misspelt", "a tool result has a member that none has").Weigh(4), rInput, tools(harness.ExtraField, `[{"ok":true,"write":{"a":"b"}}]`)},
		{fault("verify-without-ok", "a verification does not say whether it passed").Weigh(4), rInput, verify(harness.MissingField, `[{"errors":[]}]`)},
		{fault("verify-ok-as-text", "a verification says ok as text").Weigh(4), rInput, verify(harness.BadType, `[{"ok":"false"}]`)},
		{fault("verify-says-ok-twice", "a verification says ok twice").Weigh(4), rInput, verify(harness.DuplicateKey, `[{"ok":false,"ok":true}]`)},
	}
}

func refuseCase(code harness.Code, change func(d *director, c *harness.Case)) func(*director) bool {
	return func(d *director) bool {
		d.unsound = &unsound{code, func(c *harness.Case) { change(d, c) }}
		return true
	}
}

func unsoundStatus(d *director, c *harness.Case) {
	p := d.p.Clone()
	p.Steps[d.Below(len(p.Steps))].Status = plan.Status(generators.Pick(&d.Choices, []string{"Done", "completed", "open", ""}))
	w := d.writer()
	generators.WritePlan(&w, p, false, false)
	c.Plan = w.B
}

func circle(d *director, c *harness.Case) {
	p := d.p.Clone()
	s := &p.Steps[d.Below(len(p.Steps))]
	s.Dependencies = append(s.Dependencies, s.ID)
	w := d.writer()
	generators.WritePlan(&w, p, false, false)
	c.Plan = w.B
}

// badPlan is a reply that is refused as the first plan.
type badPlan struct {
	code harness.Code
	text func(d *director) string
}

// planningFaults are first plans that are refused or coerced.
func planningFaults() []runFault {
	fault := generators.Family("planning")
	refused := func(name, words string, code harness.Code, text func(d *director) string) runFault {
		return runFault{fault(name, words), rPlanning | rRefused, func(d *director) bool {
			d.refusals = append(d.refusals, badPlan{code, text})
			return true
		}}
	}
	// changed writes the plan with a change to its document.
	changed := func(change func(d *director, doc *generators.Value)) func(*director) string {
		return func(d *director) string {
			doc := d.planDoc(d.p)
			change(d, &doc)
			return d.write(doc)
		}
	}
	list := []runFault{
		refused("plan-in-words", "the plan is prose", harness.NoDocument, said("First I read the code, then I change it. No need to REPLAN.")),
		refused("plan-is-a-patch", "the first plan is a patch", harness.WrongDocument, said(`{"type":"PlanPatch","add_steps":[{"id":"a","description":"x"}]}`)),
		refused("plan-without-title", "the first plan has no title", harness.MissingField, changed(func(_ *director, doc *generators.Value) { doc.Drop("title") })),
		refused("plan-without-steps", "the first plan is empty", harness.EmptyPlan, changed(func(_ *director, doc *generators.Value) { doc.Put("steps", generators.Value{IsList: true}) })),
		refused("plan-with-a-number", "the title of the first plan is a number", harness.BadType, changed(func(_ *director, doc *generators.Value) { doc.Put("title", generators.Raw("7")) })),
		refused("plan-waits-for-itself", "a step of the first plan depends on itself", harness.DependencyCycle, changed(func(d *director, doc *generators.Value) {
			steps := doc.Get("steps")
			i := d.Below(len(steps.Items))
			steps.Items[i].Put("dependencies", generators.Texts([]string{d.p.Steps[i].ID}))
		})),
		refused("plan-waits-for-nothing", "a step of the first plan depends on one that is not there", harness.MissingDependency, changed(func(d *director, doc *generators.Value) {
			steps := doc.Get("steps")
			steps.Items[d.Below(len(steps.Items))].Put("dependencies", generators.Texts([]string{"no such step"}))
		})),
		refused("plan-with-a-blank-id", "a step of the first plan has a blank id", harness.EmptyID, changed(func(d *director, doc *generators.Value) {
			steps := doc.Get("steps")
			steps.Items[d.Below(len(steps.Items))].Put("id", generators.Text(" "))
		})),
		refused("plan-repeats-an-id", "two steps of the first plan have one id", harness.DuplicateID, changed(func(_ *director, doc *generators.Value) {
			steps := doc.Get("steps")
			steps.Items = append(steps.Items, steps.Items[0])
		})),
		{fault("no-plan-at-all", "no reply is a plan, so that the run goes on without one"), rPlanning | rNoPlan, func(d *director) bool {
			d.hopeless = true
			return true
		}},
	}
	return append(list, coercedPlanFaults()...)
}

func said(text string) func(*director) string { return func(*director) string { return text } }

// coercedPlanFaults are first plans that are taken, but not as they stand.
func coercedPlanFaults() []runFault {
	fault := generators.Family("planning")
	coerced := func(name, words string, twist func(d *director, doc *generators.Value)) runFault {
		return runFault{fault(name, words), rPlanning | rTwist, func(d *director) bool {
			d.planned = twist
			return true
		}}
	}
	return []runFault{
		coerced("plan-claims-done", "the first plan calls steps done, and they run all the same", func(d *director, doc *generators.Value) {
			steps := doc.Get("steps")
			for i := range steps.Items {
				if i == 0 || d.OneIn(2) {
					steps.Items[i].Add("status", generators.Text(generators.Pick(&d.Choices, []string{"done", "in_progress", "completed"})))
				}
			}
		}),
		coerced("plan-with-assumptions", "the first plan has members that plans do not have", func(_ *director, doc *generators.Value) {
			doc.Add("assumptions", generators.Texts([]string{"the tests run"}))
		}),
		coerced("plan-repeats-a-dependency", "a step of the first plan has a duplicate dependency", func(_ *director, doc *generators.Value) {
			steps := doc.Get("steps")
			for i := range steps.Items {
				if deps := steps.Items[i].Get("dependencies"); deps != nil {
					deps.Items = append(deps.Items, deps.Items[0])
				}
			}
		}),
		{fault("plan-over-its-limit", "the first plan has more steps than allowed, and is cut"), rPlanning | rTwist | rLimit, func(d *director) bool {
			n := len(d.p.Steps)
			if n < 2 {
				return false
			}
			limit := 1 + d.Below(n-1)
			if cut := cutPlan(d.p, limit); len(cut.Steps) > 0 {
				d.limit = limit
				d.planned = func(d *director, _ *generators.Value) { d.p = cut }
				return true
			}
			return false
		}},
		{fault("plan-cut-to-nothing", "of a first plan over its limit nothing is left that does not need what was cut"), rPlanning | rTwist | rLimit, func(d *director) bool {
			n := len(d.p.Steps)
			if n < 2 {
				return false
			}
			for i := range n - 1 {
				d.p.Steps[i].Dependencies = []string{d.p.Steps[n-1].ID}
			}
			d.p.Steps[n-1].Dependencies = nil
			d.limit = n - 1
			whole := d.p
			d.refusals = append(d.refusals, badPlan{harness.EmptyPlan, func(d *director) string { return d.write(d.planDoc(whole)) }})
			d.p = &plan.Plan{Title: whole.Title, Steps: whole.Clone().Steps[n-1:], VerificationPolicy: whole.VerificationPolicy}
			return true
		}},
	}
}

// cutPlan is a plan cut to its limit from the end, without the steps that need
// one that was cut.
func cutPlan(p *plan.Plan, limit int) *plan.Plan {
	p = p.Clone()
	p.Steps = p.Steps[:limit]
	for gone := true; gone; {
		var kept []plan.Step
		for _, s := range p.Steps {
			if !slices.ContainsFunc(s.Dependencies, func(id string) bool { return p.Step(id) == nil }) {
				kept = append(kept, s)
			}
		}
		p.Steps, gone = kept, len(kept) < len(p.Steps)
	}
	return p
}
