package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// asks casts a scene in which a step asks for another plan.
func asks(a ascent) planting {
	return casts(late, func(d *director, at *spot, _ *plan.Step) bool {
		return d.request(`{"control":"replan","reason":"a step is missing"}`, a.from(at))
	})
}

// replanParts are other plans: good ones, and replies that the ladder refuses or
// coerces.
func replanParts() map[string]part {
	replans := func(a ascent) part { return does(asks(a)).seen(asked) }
	refused := func(bad replying) part { return does(asks(ascent{bad: []replying{bad}})) }
	edited := func(change func(d *director, at *spot, e *edit)) part { return replans(ascent{edit: change}) }
	// added is a patch that adds a step.
	added := func(twist func(s *plan.Step, doc *generators.Value)) part {
		return edited(func(d *director, at *spot, e *edit) { d.addStep(e, at, twist) })
	}
	return map[string]part{
		"replan-asked":                  replans(ascent{}),
		"patch-of-a-title":              replans(ascent{idle: true}),
		"patch-in-a-fence":              replans(ascent{dress: fenced}),
		"patch-drafted":                 replans(ascent{dress: drafted(`{"title":"a draft"}`)}),
		"ladder-fails":                  replans(ascent{bad: hopeless()}),
		"whole-plan-instead":            replans(ascent{full: true}),
		"whole-plan-loses-work":         replans(ascent{full: true, forgets: true}),
		"whole-plan-without-the-policy": does(asks(ascent{full: true})).before(func(d *director) { d.forgetPolicy = true }),
		"patch-says-null":               edited(func(_ *director, _ *spot, e *edit) { e.nulls = true }),
		"patch-removes-unknown": edited(func(_ *director, _ *spot, e *edit) {
			e.removes = append(e.removes, generators.Text("no such step"), generators.Text("no such step"))
		}),
		"patch-removes-a-step": edited(func(d *director, _ *spot, e *edit) { d.remove(e, d.ids[d.steps+1]) }),
		"patch-updates-a-step": edited(func(d *director, at *spot, e *edit) {
			if s := d.p.Step(d.ids[d.steps+1]); s.Status != plan.Done {
				e.update(at, s)
			}
		}),
		"patch-adds-done": added(func(_ *plan.Step, doc *generators.Value) { doc.Add("status", generators.Text("done")) }),
		"patch-repeats-a-dependency": edited(func(d *director, at *spot, e *edit) {
			d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
				id := d.p.Steps[0].ID
				s.Dependencies = []string{id}
				doc.Put("dependencies", generators.Texts([]string{id, id}))
			})
		}),
		"patch-adds-look-alikes": edited(func(d *director, at *spot, e *edit) {
			d.addStep(e, at, called("Alike"))
			d.addStep(e, at, called("aLIKE"))
		}),
		"patch-adds-padded": added(func(s *plan.Step, doc *generators.Value) {
			doc.Put("id", generators.Text(" "+s.ID+"\t"))
		}),
		"patch-over-the-limit":   edited(overTheLimit),
		"plan-over-capacity":     refused(overCapacity).before(func(d *director) { d.limit = len(d.p.Steps) - 1 }),
		"patch-bytes-no-text":    refused(said("{\"title\":\"\xff\"}")),
		"patch-repeats-an-id":    refused(repeatID),
		"patch-removes-all":      refused(removeAll).ruled(func(p *harness.Profile) { p.Parallel = 1 }, nil),
		"patch-forgets-the-step": does(outOfRounds(ascent{stall: true})),
		"patch-removes-needed": edited(func(d *director, _ *spot, e *edit) { d.remove(e, d.ids[d.steps]) }).
			ruled(func(p *harness.Profile) {
				if p.Orphans == harness.Reject {
					p.Orphans = harness.Bridge
				}
			}, func(p harness.Profile) bool { return p.Orphans != harness.Reject }),
	}
}

// overCapacity adds a step to a plan that is over its limit.
func overCapacity(d *director, _ *spot) string {
	if len(d.p.Steps) <= d.limit {
		return ""
	}
	return `{"add_steps":[{"id":"extra","description":"x"}]}`
}

// drafted puts a draft in a code fence, within thoughts, in front of a text.
func drafted(draft string) func(text string) string {
	return func(text string) string { return "<think>\n```json\n" + draft + "\n```\n</think>\n" + text }
}

func fenced(text string) string {
	return "Here it is, and no need to REPLAN:\n```json\n" + text + "\n```\nSTEP_DONE is what I shall say next."
}

func called(id string) func(s *plan.Step, doc *generators.Value) {
	return func(s *plan.Step, doc *generators.Value) {
		s.ID = id
		doc.Put("id", generators.Text(id))
	}
}

// remove removes a step that is not done, by the policy for those that need it.
func (d *director) remove(e *edit, id string) {
	needs := func(s plan.Step) bool { return slices.Contains(s.Dependencies, id) }
	i := slices.IndexFunc(d.p.Steps, func(s plan.Step) bool { return s.ID == id })
	gone := d.p.Steps[i]
	if gone.Status == plan.Done || d.profile.Orphans == harness.Reject && slices.ContainsFunc(d.p.Steps, needs) {
		return // it stays
	}
	d.p.Steps = slices.Delete(d.p.Steps, i, i+1)
	e.removes = append(e.removes, generators.Text(id))
	if d.profile.Orphans != harness.Bridge {
		gone.Dependencies = nil
	}
	for j := range d.p.Steps {
		deps := d.p.Steps[j].Dependencies
		if k := slices.Index(deps, id); k >= 0 {
			more := slices.DeleteFunc(slices.Clone(gone.Dependencies), func(d string) bool { return slices.Contains(deps, d) })
			d.p.Steps[j].Dependencies = slices.Replace(slices.Clone(deps), k, k+1, more...)
		}
	}
}

// overTheLimit adds one step more than fits.
func overTheLimit(d *director, at *spot, e *edit) {
	d.limit = len(d.p.Steps) + at.Below(3)
	if len(e.adds) == 0 && d.limit == len(d.p.Steps) {
		d.limit++
	}
	for len(d.p.Steps) <= d.limit {
		d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
			s.Dependencies = nil
			doc.Put("dependencies", generators.Texts(nil))
		})
	}
	d.p.Steps = d.p.Steps[:d.limit]
}

func said(text string) replying { return func(*director, *spot) string { return text } }

// prose is refused as a patch everywhere.
var prose = said("I would rather not change the plan. No REPLAN.")

// badPatch is the patch of the row, or nothing where the step that it is about is not finished.
func (r *row) badPatch(d *director, at *spot) string {
	var id string
	switch r.About {
	case "asking":
		id = d.ids[at.step]
	case "spare":
		id = d.ids[d.steps+1]
	case "finished":
		if id = d.ids[at.step-1]; d.p.Step(id).Status != plan.Done {
			return ""
		}
	}
	return strings.ReplaceAll(text(r.Patch), ownID, generators.Quoted(id))
}

// repeatID adds a step with the id of the one that asks.
func repeatID(d *director, at *spot) string {
	id := strings.ReplaceAll(d.ids[at.step], "\u00a0", " ")
	return `{"add_steps":[{"id":` + generators.Quoted(id) + `,"description":"x"}]}`
}

// removeAll removes every step, if none is done.
func removeAll(d *director, _ *spot) string {
	var ids []string
	for _, s := range d.p.Steps {
		if s.Status == plan.Done {
			return ""
		}
		ids = append(ids, s.ID)
	}
	return deform.Write(generators.Object(field("remove_steps", generators.Texts(ids))))
}
