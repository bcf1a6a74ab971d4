package generate

import (
	"slices"
	"strconv"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// ascent is trouble with another plan: replies that are refused before the one
// that is not.
type ascent struct {
	bad    []badPatch
	silent bool // behind them the script ends
	stall  bool // what is accepted does not help the failed steps
	full   bool // a whole plan, if the ladder takes one
	// forgets says that the whole plan leaves finished steps out.
	forgets bool
	edit    func(d *director, e *edit) bool
}

// recover changes the plan, or ends the run with the code where that is not
// allowed any more.
func (d *director) recover(code harness.Code) {
	if d.used == d.replans {
		d.fail(code)
		return
	}
	d.used++
	d.enter(words.StateRecovering)
	origin := ""
	if len(d.trouble) > 0 {
		origin = d.trouble[0]
	}
	d.event(harness.EventReplanRequested, origin, "")
	var c ascent
	if len(d.climbs) > 0 && !d.react {
		c, d.climbs = d.climbs[0], d.climbs[1:]
	}
	if d.climb(c, origin) {
		d.trouble = nil
		d.enter(words.StatePlanning)
	}
}

// climb plays the rungs of the ladder. It reports whether one was applied.
func (d *director) climb(c ascent, origin string) bool {
	read := len(d.replies)
	for i, rung := range d.profile.Ladder {
		switch {
		case rung == harness.RungReact:
			d.event(harness.EventReactUsed, origin, "")
			d.reopen(d.failed())
			return true
		case d.react:
		case rung == harness.RungFullPlan:
			if d.climbFullPlan(&c, origin, len(d.replies) > read) {
				return true
			}
		case d.spent(&c):
		default:
			if rung == harness.RungRetry {
				d.event(harness.EventRetryRequested, origin, "")
			}
			if d.climbPatch(&c, origin, slices.Contains(d.profile.Ladder[i+1:], harness.RungFullPlan)) {
				return true
			}
		}
	}
	d.event(harness.EventReplanFailed, origin, "")
	switch {
	case d.react || len(d.replies) > read:
		d.fail(harness.ReplanFailed)
	default:
		d.asked++
		d.fail(harness.RepliesExhausted)
	}
	return false
}

// spent reports whether no reply is left for a rung.
func (d *director) spent(c *ascent) bool {
	d.silent = d.silent || c.silent && len(c.bad) == 0
	return d.silent
}

func (d *director) climbPatch(c *ascent, origin string, takesFull bool) bool {
	if len(c.bad) > 0 {
		bad := c.bad[0]
		c.bad = c.bad[1:]
		text := bad.text(d)
		if text == "" {
			bad = badPatches()[0]
			text = bad.text(d)
		}
		d.say(text)
		d.event(harness.EventPatchRejected, origin, bad.code)
		return false
	}
	if c.full && takesFull && d.fits(0) {
		d.playFullPlan(origin, c.forgets)
		return true
	}
	e := d.sensible(c.stall)
	if c.edit != nil && !c.edit(d, &e) {
		e = d.sensible(c.stall)
	}
	d.say(d.dress(d.write(e.doc())))
	d.event(harness.EventPatchApplied, origin, "")
	d.p = e.p
	d.reopen(e.named)
	return true
}

func (d *director) climbFullPlan(c *ascent, origin string, read bool) bool {
	if d.spent(c) {
		if read { // the last reply is read again: prose
			d.event(harness.EventFullPlanRejected, origin, harness.NoDocument)
		}
		return false
	}
	if len(c.bad) > 0 || !d.fits(0) {
		d.say("There is no better plan.")
		d.event(harness.EventFullPlanRejected, origin, harness.NoDocument)
		return false
	}
	d.playFullPlan(origin, c.forgets)
	return true
}

// fits reports whether the plan and n steps more are within the limit.
func (d *director) fits(n int) bool { return d.limit == 0 || len(d.p.Steps)+n <= d.limit }

func (d *director) failed() (ids []string) {
	for _, s := range d.p.Steps {
		if s.Status == plan.Failed {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// reopen lets the named steps wait again that had failed or were blocked.
func (d *director) reopen(ids []string) {
	for i := range d.p.Steps {
		s := &d.p.Steps[i]
		if slices.Contains(ids, s.ID) && (s.Status == plan.Failed || s.Status == plan.Blocked) {
			s.Status = plan.Pending
			d.event(words.EventStepReopened, s.ID, "")
		}
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
}

func (e *edit) doc() generators.Value {
	v := generators.Object()
	for _, l := range []struct {
		name  string
		items []generators.Value
	}{{"remove_steps", e.removes}, {"update_steps", e.updates}, {"add_steps", e.adds}} {
		if l.items != nil {
			v.Add(l.name, generators.Value{IsList: true, Items: l.items})
		}
	}
	if e.title != "" {
		v.Add("title", generators.Text(e.title))
	}
	return v
}

// sensible is a patch that helps: the failed steps are updated, sometimes one is
// added. One that stalls names no failed step.
func (d *director) sensible(stall bool) edit {
	e := edit{p: d.p.Clone()}
	for i := range e.p.Steps {
		if s := &e.p.Steps[i]; s.Status == plan.Failed && !stall {
			d.update(&e, s)
		}
	}
	if d.OneIn(2) && d.fits(1) {
		d.addStep(&e, nil)
	}
	if len(e.updates)+len(e.adds) == 0 {
		e.p.Title = "Revised " + d.fresh()
		e.title = e.p.Title
	}
	return e
}

// fresh is a text that no edit had before.
func (d *director) fresh() string {
	d.edits++
	return generators.Pick(&d.Choices, generators.Phrases) + " #" + strconv.Itoa(d.edits)
}

func (d *director) update(e *edit, s *plan.Step) {
	s.Description = d.fresh()
	e.updates = append(e.updates, generators.Object(generators.Field{Name: "id", Value: generators.Text(s.ID)}, generators.Field{Name: "description", Value: generators.Text(s.Description)}))
	e.named = append(e.named, s.ID)
}

// addStep adds a step that depends on some that stand; twist changes how the
// reply writes it.
func (d *director) addStep(e *edit, twist func(s *plan.Step, doc *generators.Value)) {
	d.edits++
	s := plan.Step{ID: "new_" + strconv.Itoa(d.edits), Description: generators.Pick(&d.Choices, generators.Phrases), Status: plan.Pending}
	for range d.Below(3) {
		if id := e.p.Steps[d.Below(len(e.p.Steps))].ID; !slices.Contains(s.Dependencies, id) {
			s.Dependencies = append(s.Dependencies, id)
		}
	}
	doc := generators.Object(generators.Field{Name: "id", Value: generators.Text(s.ID)}, generators.Field{Name: "description", Value: generators.Text(s.Description)}, generators.Field{Name: "dependencies", Value: generators.Texts(s.Dependencies)})
	if twist != nil {
		twist(&s, &doc)
	}
	e.p.Steps = append(e.p.Steps, s)
	e.adds = append(e.adds, doc)
}

// planDoc is a plan as a reply writes it, without statuses.
func (d *director) planDoc(p *plan.Plan) generators.Value {
	v := generators.Object()
	if d.OneIn(2) {
		v.Add("type", generators.Text("FullPlan"))
	}
	v.Add("title", generators.Text(p.Title))
	steps := generators.Value{IsList: true}
	for _, s := range p.Steps {
		doc := generators.Object(generators.Field{Name: "id", Value: generators.Text(s.ID)}, generators.Field{Name: "description", Value: generators.Text(s.Description)})
		if len(s.Dependencies) > 0 {
			doc.Add("dependencies", generators.Texts(s.Dependencies))
		}
		if len(s.ToolsExpected) > 0 {
			doc.Add("tools_expected", generators.Texts(s.ToolsExpected))
		}
		steps.Items = append(steps.Items, doc)
	}
	v.Add("steps", steps)
	if p.VerificationPolicy != "" {
		v.Add("verification_policy", generators.Text(p.VerificationPolicy))
	}
	return v
}

// playFullPlan answers with a whole plan: finished work as it stands, the rest
// said anew, and sometimes a step more.
func (d *director) playFullPlan(origin string, forgets bool) {
	next := d.p.Clone()
	for i := range next.Steps {
		s := &next.Steps[i]
		if s.Status != plan.Done {
			s.Description, s.Status, s.Extra = d.fresh(), plan.Pending, nil
		}
	}
	next.Title = "Anew " + d.fresh()
	if d.OneIn(2) && d.fits(1) {
		e := edit{p: next}
		d.addStep(&e, nil)
	}
	written := next
	if forgets {
		written = d.forget(next)
	}
	d.say(d.dress(d.write(d.planDoc(written))))
	d.event(harness.EventFullPlanUsed, origin, "")
	for i := range next.Steps {
		s := &next.Steps[i]
		if old := d.p.Step(s.ID); old != nil && (old.Status == plan.Failed || old.Status == plan.Blocked) {
			d.event(words.EventStepReopened, s.ID, "")
		}
	}
	d.p = next
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
