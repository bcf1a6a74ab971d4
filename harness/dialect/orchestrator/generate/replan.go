package generate

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// ascent is what follows a request for another plan: rejected replies, then an accepted one.
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

// from returns the ascent to which a trait leads.
func (a ascent) from(at *spot) ascent { a.at = at; return a }

// recover changes the plan, or ends the run with the code if no replan is left.
func (d *director) recover(code harness.Code) {
	if d.used == d.replans {
		d.fail(code)
		return
	}
	d.used++
	var c ascent
	if i := slices.IndexFunc(d.climbs, func(a ascent) bool { return a.at != nil }); i >= 0 && !d.react {
		c = d.climbs[i]
	}
	if c.at == nil {
		c.at = &spot{Choices: d.draw.Stream("replan"), edits: 10 * d.used}
	}
	d.climbs = nil
	d.climb(c)
}

// climb plays the rungs of the ladder until one is applied.
func (d *director) climb(c ascent) {
	replies := len(d.replies)
	for i, rung := range d.profile.Ladder {
		switch {
		case rung == harness.RungReact:
			d.climbReact()
			return
		case d.react, d.spent(&c):
		case rung != harness.RungFullPlan:
			if d.climbPatch(&c, slices.Contains(d.profile.Ladder[i+1:], harness.RungFullPlan)) {
				return
			}
		case len(c.bad) > 0 || !d.fits(0) || d.draw.Lacks("full plan"):
			d.say("There is no better plan.")
		default:
			d.playFullPlan(&c, true)
			return
		}
	}
	code := harness.ReplanFailed
	if !d.react && len(d.replies) == replies {
		code = harness.RepliesExhausted
	}
	d.fail(code)
}

// climbReact goes on with the plan as it is, or without one if all of it is done.
func (d *director) climbReact() {
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
		d.say(cmp.Or(c.bad[0](d, c.at), prose(d, c.at)))
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
	d.say(text)
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
	}
}

// edit is a patch in the making. The plan changes as it is made.
type edit struct {
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
			v.Add(l.name, generators.List(l.items...))
		case e.nulls:
			v.Add(l.name, generators.Raw("null"))
		}
	}
	if e.title != "" {
		v.Add("title", generators.Text(e.title))
	}
	return v
}

// sensible is a patch that helps: it updates the failed steps, unless it stalls, and sometimes adds one.
func (d *director) sensible(c *ascent) edit {
	var e edit
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; s.Status == plan.Failed && !c.stall {
			e.update(c.at, s)
		}
	}
	if (c.at.OneIn(2) || d.draw.Lacks("title")) && d.fits(1) && !c.idle {
		d.addStep(&e, c.at, nil)
	}
	if len(e.updates)+len(e.adds) == 0 {
		e.title = "Revised: " + c.at.fresh()
		d.p.Title = e.title
	}
	return e
}

// fresh is a text that no edit had before.
func (at *spot) fresh() string {
	at.edits++
	return fmt.Sprintf("%s %d.%d", generators.Pick(&at.Choices, plainTexts), at.at, at.edits)
}

func (e *edit) update(at *spot, s *plan.Step) {
	s.Description = at.fresh()
	e.updates = append(e.updates, generators.Object(field("id", generators.Text(s.ID)),
		field("description", generators.Text(s.Description))))
	e.named = append(e.named, s.ID)
}

// addStep adds a step, which may depend on the first; twist changes how the reply writes it.
func (d *director) addStep(e *edit, at *spot, twist func(s *plan.Step, doc *generators.Value)) {
	text := at.fresh()
	s := pending(fmt.Sprintf("new_%d_%d", at.at, at.edits), text)
	if at.OneIn(2) && !d.draw.Lacks("dependencies") {
		s.Dependencies = []string{d.p.Steps[0].ID}
	}
	doc := stepDoc(&s)
	if twist != nil {
		twist(&s, &doc)
	}
	d.p.Steps = append(d.p.Steps, s)
	e.adds = append(e.adds, doc)
}

// stepDoc is a new step as a reply writes it.
func stepDoc(s *plan.Step) generators.Value {
	return generators.Object(field("id", generators.Text(s.ID)), field("description", generators.Text(s.Description)),
		field("dependencies", generators.Texts(s.Dependencies)))
}

// planDoc is a plan as a reply writes it.
func (d *director) planDoc(p *plan.Plan) generators.Value {
	v := generators.Object(field("type", generators.Text("FullPlan")), field("title", generators.Text(p.Title)))
	steps := generators.List()
	for _, s := range p.Steps {
		step := stepDoc(&s)
		step.Add("tools_expected", generators.Texts(s.ToolsExpected))
		steps.Items = append(steps.Items, step)
	}
	v.Add("steps", steps)
	if p.VerificationPolicy != "" && !d.forgetPolicy {
		v.Add("verification_policy", generators.Text(p.VerificationPolicy))
	}
	return v
}

// playFullPlan answers with a whole plan, and reports whether it is taken: finished work unchanged, the rest said
// anew, and sometimes a step more. The reply may leave finished steps out.
func (d *director) playFullPlan(c *ascent, taken bool) bool {
	c.full = false
	before := d.p
	d.p = d.p.Clone()
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; s.Status != plan.Done {
			s.Description, s.Extra = c.at.fresh(), nil
		}
	}
	if title := "Anew: " + c.at.fresh(); !d.draw.Lacks("titles of full plans") {
		d.p.Title = title
	}
	if c.at.OneIn(2) && d.fits(1) {
		d.addStep(&edit{}, c.at, nil)
	}
	if !taken {
		d.say(deform.Write(d.planDoc(d.p)))
		d.p = before
		return false
	}
	written := d.p
	if c.forgets {
		written = d.forget()
	}
	d.say(deform.Write(d.planDoc(written)))
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; s.Status != plan.Done {
			s.Status = plan.Pending
		}
	}
	return true
}

// forget leaves the finished steps out of the plan, if all of them are at its front, where the rules restore them.
func (d *director) forget() *plan.Plan {
	finished := func(s plan.Step) bool { return s.Status == plan.Done }
	q := *d.p
	q.Steps = slices.DeleteFunc(slices.Clone(q.Steps), finished)
	done := len(d.p.Steps) - len(q.Steps)
	if d.profile.CarryOver != harness.Restore || len(q.Steps) == 0 || slices.ContainsFunc(d.p.Steps[done:], finished) {
		return d.p
	}
	return &q
}
