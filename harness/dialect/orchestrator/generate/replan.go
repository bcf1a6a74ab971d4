package generate

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// ascent is what comes of asking for another plan: replies that are refused
// before the one that is not.
type ascent struct {
	at     *spot
	bad    []replying
	silent bool // behind them the script ends
	stall  bool // what is accepted does not help the failed steps
	full   bool // a whole plan
	// forgets says that the whole plan leaves finished steps out.
	forgets bool
	edit    func(d *director, at *spot, e *edit)
	dress   func(text string) string
	idle    bool // the patch changes the title alone
}

// recover changes the plan, or ends the run with the code where that is not
// allowed any more.
func (d *director) recover(code harness.Code) {
	if d.used == d.replans {
		d.fail(code)
		return
	}
	d.used++
	d.enter(spec.StateRecovering)
	d.event(harness.EventReplanRequested)
	var c ascent
	if i := slices.IndexFunc(d.climbs, func(a ascent) bool { return a.at != nil }); i >= 0 && !d.react {
		c = d.climbs[i]
	}
	if c.at == nil {
		c.at = &spot{Choices: d.draw.Stream("replan"), edits: 10 * d.used}
	}
	d.climbs = nil
	if d.climb(c) {
		d.enter(spec.StatePlanning)
	}
}

// climb plays the rungs of the ladder. It reports whether one was applied.
func (d *director) climb(c ascent) bool {
	replies := len(d.replies)
	for i, rung := range d.profile.Ladder {
		read := len(d.replies) > replies
		switch {
		case rung == harness.RungReact:
			d.climbReact()
			return true
		case d.react:
		case d.spent(&c):
			if read && rung == harness.RungFullPlan { // the last reply is read again: prose
				d.event(harness.EventFullPlanRejected)
			}
		case rung != harness.RungFullPlan:
			if rung == harness.RungRetry && read {
				d.event(harness.EventRetryRequested)
			}
			if d.climbPatch(&c, slices.Contains(d.profile.Ladder[i+1:], harness.RungFullPlan)) {
				return true
			}
		case len(c.bad) > 0 || !d.fits(0) || d.without("full plan"):
			d.say("There is no better plan.", harness.EventFullPlanRejected)
		default:
			return d.playFullPlan(&c, true)
		}
	}
	d.event(harness.EventReplanFailed)
	code := harness.ReplanFailed
	if !d.react && len(d.replies) == replies {
		code = harness.RepliesExhausted
	}
	d.fail(code)
	return false
}

// climbReact goes on with the plan as it is, or without one if all of it is done.
func (d *director) climbReact() {
	d.event(harness.EventReactUsed)
	if d.open() {
		d.reopen(func(s *plan.Step) bool { return s.Status == plan.Failed })
	} else {
		d.goOnWithoutPlan()
	}
}

// spent reports whether no reply is left for a rung.
func (d *director) spent(c *ascent) bool {
	d.silent = d.silent || c.silent && len(c.bad) == 0
	return d.silent
}

func (d *director) climbPatch(c *ascent, takesFull bool) bool {
	switch {
	case len(c.bad) > 0:
		// By some rules there is no place for it.
		d.say(cmp.Or(c.bad[0](d, c.at), prose(d, c.at)), harness.EventPatchRejected)
		c.bad = c.bad[1:]
		return false
	case c.full:
		return d.playFullPlan(c, takesFull)
	}
	e := d.sensible(c)
	if c.edit != nil {
		c.edit(d, c.at, &e)
	}
	text := deform.Write(e.doc())
	if c.dress != nil {
		text = c.dress(text)
	}
	d.say(text, harness.EventPatchApplied)
	d.p = e.p
	d.reopen(func(s *plan.Step) bool { return slices.Contains(e.named, s.ID) })
	return true
}

// fits reports whether the plan and n steps more are within the limit.
func (d *director) fits(n int) bool { return d.limit == 0 || len(d.p.Steps)+n <= d.limit }

// reopen lets steps wait again that had failed or were blocked.
func (d *director) reopen(which func(s *plan.Step) bool) {
	var list []*plan.Step
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; which(s) && d.stuck(s.ID) {
			list = append(list, s)
		}
	}
	for _, s := range list {
		s.Status = plan.Pending
		d.event(spec.EventStepReopened)
	}
}

// edit is a patch in the making, with the plan that it makes.
type edit struct {
	p       *plan.Plan
	named   []string // steps that it updates
	removes []generators.Value
	updates []generators.Value
	adds    []generators.Value
	title   string
	nulls   bool // lists that are empty are null
}

func (e *edit) doc() generators.Value {
	v := generators.Object()
	for _, l := range []struct {
		name  string
		items []generators.Value
	}{{"remove_steps", e.removes}, {"update_steps", e.updates}, {"add_steps", e.adds}} {
		switch {
		case l.items != nil:
			v.Add(l.name, generators.Value{IsList: true, Items: l.items})
		case e.nulls:
			v.Add(l.name, generators.Raw("null"))
		}
	}
	if e.title != "" {
		v.Add("title", generators.Text(e.title))
	}
	return v
}

// sensible is a patch that helps: the failed steps are updated, sometimes one is
// added. One that stalls names no failed step.
func (d *director) sensible(c *ascent) edit {
	e := edit{p: d.p.Clone()}
	for i := range e.p.Steps {
		if s := &e.p.Steps[i]; s.Status == plan.Failed && !c.stall {
			d.update(&e, c.at, s)
		}
	}
	if (c.at.OneIn(2) || d.without("title")) && d.fits(1) && !c.idle {
		d.addStep(&e, c.at, nil)
	}
	if len(e.updates)+len(e.adds) == 0 {
		e.p.Title = "Revised: " + c.at.fresh()
		e.title = e.p.Title
	}
	return e
}

// fresh is a text that no edit had before.
func (at *spot) fresh() string {
	at.edits++
	return fmt.Sprintf("%s %d.%d", generators.Pick(&at.Choices, plainTexts), at.at, at.edits)
}

func (d *director) update(e *edit, at *spot, s *plan.Step) {
	s.Description = at.fresh()
	e.updates = append(e.updates, generators.Object(field("id", generators.Text(s.ID)),
		field("description", generators.Text(s.Description))))
	e.named = append(e.named, s.ID)
}

// addStep adds a step, which may depend on the first; twist changes how the reply
// writes it.
func (d *director) addStep(e *edit, at *spot, twist func(s *plan.Step, doc *generators.Value)) {
	text := at.fresh()
	s := plan.Step{ID: fmt.Sprintf("new_%d_%d", at.at, at.edits), Description: text, Status: plan.Pending}
	if at.OneIn(2) && !d.without("dependencies") {
		s.Dependencies = []string{e.p.Steps[0].ID}
	}
	doc := generators.Object(field("id", generators.Text(s.ID)),
		field("description", generators.Text(s.Description)),
		field("dependencies", generators.Texts(s.Dependencies)))
	if twist != nil {
		twist(&s, &doc)
	}
	e.p.Steps = append(e.p.Steps, s)
	e.adds = append(e.adds, doc)
}

// planDoc is a plan as a reply writes it.
func (d *director) planDoc(p *plan.Plan) generators.Value {
	v := generators.Object(field("type", generators.Text("FullPlan")), field("title", generators.Text(p.Title)))
	steps := generators.Value{IsList: true}
	for _, s := range p.Steps {
		steps.Items = append(steps.Items, generators.Object(
			field("id", generators.Text(s.ID)),
			field("description", generators.Text(s.Description)),
			field("dependencies", generators.Texts(s.Dependencies)),
			field("tools_expected", generators.Texts(s.ToolsExpected))))
	}
	v.Add("steps", steps)
	if p.VerificationPolicy != "" && !d.forgetPolicy {
		v.Add("verification_policy", generators.Text(p.VerificationPolicy))
	}
	return v
}

// nextPlan is a whole plan: finished work as it stands, the rest said anew, and
// sometimes a step more. What is written may leave finished steps out.
func (d *director) nextPlan(c *ascent) (next, written *plan.Plan) {
	next = d.p.Clone()
	for i := range next.Steps {
		s := &next.Steps[i]
		if s.Status != plan.Done {
			s.Description, s.Status, s.Extra = c.at.fresh(), plan.Pending, nil
		}
	}
	if title := "Anew: " + c.at.fresh(); !d.without("titles of full plans") {
		next.Title = title
	}
	if c.at.OneIn(2) && d.fits(1) {
		e := edit{p: next}
		d.addStep(&e, c.at, nil)
	}
	if c.forgets {
		return next, d.forget(next)
	}
	return next, next
}

// playFullPlan answers with a whole plan, and reports whether it is taken.
func (d *director) playFullPlan(c *ascent, taken bool) bool {
	c.full = false
	next, written := d.nextPlan(c)
	if !taken {
		d.say(deform.Write(d.planDoc(next)), harness.EventPatchRejected)
		return false
	}
	d.say(deform.Write(d.planDoc(written)), harness.EventFullPlanUsed)
	d.reopen(func(*plan.Step) bool { return true })
	d.p = next
	return true
}

// forget leaves the finished steps out of a plan, where the rules put them back
// to where they stand: at the front.
func (d *director) forget(p *plan.Plan) *plan.Plan {
	done := 0
	for done < len(p.Steps) && p.Steps[done].Status == plan.Done {
		done++
	}
	more := slices.ContainsFunc(p.Steps[done:], func(s plan.Step) bool { return s.Status == plan.Done })
	if d.profile.CarryOver != harness.Restore || more || done == len(p.Steps) {
		return p
	}
	q := *p
	q.Steps = p.Steps[done:]
	return &q
}
