package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// asks casts a scene in which a step asks for another plan.
func asks(a ascent) planting {
	return casts(late, func(d *director, at *spot, _ *plan.Step) bool {
		return d.request(`{"control":"replan","reason":"a step is missing"}`, a.from(at))
	})
}

// refusedPatch is a reply that the ladder refuses as a patch.
func refusedPatch(bad replying) part { return does(asks(ascent{bad: []replying{bad}})) }

// replanParts are other plans: good ones, and replies that the ladder rejects or coerces.
func replanParts() map[string]part {
	replans := func(a ascent) part { return does(asks(a)).seen(asked) }
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
		"patch-over-the-limit": edited(func(d *director, at *spot, e *edit) {
			d.limit = len(d.p.Steps) + at.Below(3)
			if len(e.adds) == 0 && d.limit == len(d.p.Steps) {
				d.limit++
			}
			for len(d.p.Steps) <= d.limit { // one step more than fits
				d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
					s.Dependencies = nil
					doc.Put("dependencies", generators.Texts(nil))
				})
			}
			d.p.Steps = d.p.Steps[:d.limit]
		}),
		"plan-over-capacity": refusedPatch(func(d *director, _ *spot) string {
			if len(d.p.Steps) <= d.limit {
				return ""
			}
			return `{"add_steps":[{"id":"extra","description":"x"}]}`
		}).before(func(d *director) { d.limit = len(d.p.Steps) - 1 }),
		"patch-bytes-no-text": refusedPatch(said("{\"title\":\"\xff\"}")),
		"patch-repeats-an-id": refusedPatch(func(d *director, at *spot) string {
			id := strings.ReplaceAll(d.ids[at.step], "\u00a0", " ")
			return `{"add_steps":[{"id":` + generators.Quoted(id) + `,"description":"x"}]}`
		}),
		"patch-removes-all": refusedPatch(func(d *director, _ *spot) string { // if none is done
			var ids []string
			for _, s := range d.p.Steps {
				if s.Status == plan.Done {
					return ""
				}
				ids = append(ids, s.ID)
			}
			return deform.Write(generators.Object(field("remove_steps", generators.Texts(ids))))
		}).ruled(func(p *harness.Profile) { p.Parallel = 1 }, nil),
		"patch-forgets-the-step": does(outOfRounds(ascent{stall: true})),
		"patch-removes-needed": edited(func(d *director, _ *spot, e *edit) { d.remove(e, d.ids[d.steps]) }).
			ruled(func(p *harness.Profile) {
				if p.Orphans == harness.Reject {
					p.Orphans = harness.Bridge
				}
			}, func(p harness.Profile) bool { return p.Orphans != harness.Reject }),
	}
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

func said(text string) replying { return func(*director, *spot) string { return text } }

// prose is refused as a patch everywhere.
var prose = said("I would rather not change the plan. No REPLAN.")

// badPatch is the patch of the row, or nothing if the step that it is about is not finished, or if there is a step with
// the id in upper case.
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
	patch, upper := text(r.Patch), strings.ToUpper(id)
	taken := slices.ContainsFunc(d.p.Steps, func(s plan.Step) bool { return s.ID == upper })
	if taken && strings.Contains(patch, upperID) {
		return ""
	}
	return strings.NewReplacer(ownID, generators.Quoted(id), upperID, generators.Quoted(upper)).Replace(patch)
}

// triggerParts are triggers of replans that no reply requests, and ends of ladders.
func triggerParts() map[string]part {
	const environment = `{"ok":true,"output":"x","environment":"the branch was rebased"}`
	happens := func(what, result string) part { return does(casts(late, playTrigger(what, result))).on(what) }
	fails := func(a ...ascent) part {
		return does(failingVerification(a...)).on(spec.OnVerification).seen(failedVerification)
	}
	wave := func(plant planting) part {
		return does(plant).ruled(func(p *harness.Profile) { p.Parallel = max(p.Parallel, 3) }, nil)
	}
	// usedUp fails the step, and climbs to react with the last replan. A climb that ends in react is a replan like any
	// other: it uses up what then is asked for again.
	usedUp := func(then planting) part {
		return does(func(d *director, at *spot) {
			usingUp(0, outOfRounds(ascent{bad: hopeless()}))(d, at)
			then(d, at)
		}).climbsReact()
	}
	helps := ascent{edit: func(d *director, at *spot, e *edit) { d.addStep(e, at, nil) }}
	none := func(d *director) { d.replans = 0 }
	return map[string]part{
		"tool-failure-replans": happens(spec.OnTool, toolFails),
		"failing-tool-writes-and-replans": happens(spec.OnTool,
			`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`).before(dry),
		"environment-replans":              happens(spec.OnEnvironment, environment),
		"tool-failure-with-no-replan-left": happens(spec.OnTool, toolFails).before(none),
		"environment-with-no-replan-left":  happens(spec.OnEnvironment, environment).before(none),
		"verification-replans":             fails(helps),
		"verification-replans-twice":       fails(helps, helps),
		"verification-changes-a-title":     fails(ascent{idle: true}),
		"verification-gives-up":            fails(ascent{bad: hopeless()}).climbsReact(),
		"step-gives-up":                    does(outOfRounds(ascent{bad: hopeless()})).climbsReact(),
		"ladder-of-one":                    refusedPatch(prose),
		"asks-in-a-wave":                   wave(asks(ascent{})),
		"fails-in-a-wave":                  wave(outOfRounds(ascent{})),
		"giving-up-uses-up-replans":        usedUp(outOfRounds(ascent{})),
		"giving-up-leaves-none-for-tools":  usedUp(casts(late, playTrigger(spec.OnTool, toolFails))).on(spec.OnTool),
		"giving-up-leaves-none-for-verification": usedUp(failingVerification(ascent{})).on(spec.OnVerification).
			seen(failedVerification),
	}
}

const toolFails = `{"ok":false,"output":"no such file"}`

// failingVerification lets a tool write, and the verification fail; the ascents say what follows each time.
func failingVerification(a ...ascent) planting {
	return func(d *director, at *spot) {
		for _, next := range a {
			d.checks = append(d.checks, next.from(at))
		}
		writesSomething(d, at)
	}
}

// playTrigger calls a tool with a result that may lead to another plan.
func playTrigger(what, result string) playing {
	return func(d *director, at *spot, s *plan.Step) bool {
		if !d.say(`{"tool":"run_pytest","args":{}}`) {
			return true
		}
		d.tools = append(d.tools, generators.Raw(result))
		d.written = d.written || strings.Contains(result, `"writes":{`)
		if !d.mayReplanOn(what) {
			return d.countRound(s)
		}
		d.climbs = append(d.climbs, ascent{at: at})
		return true
	}
}

// usingUp plants the same trouble for each of one or two replans, and so many times more.
func usingUp(more int, trouble planting) planting {
	return func(d *director, at *spot) {
		d.replans = 1 + at.Below(2)
		for range d.replans + more {
			trouble(d, at)
		}
	}
}

// failedVerification recognises a verification that does not pass.
func failedVerification(c harness.Case) bool {
	return holds(`"ok":false`)(harness.Case{Verify: c.Verify})
}

// hopeless are more patches that are refused than a ladder has rungs.
func hopeless() []replying { return slices.Repeat([]replying{prose}, 8) }

// climbsReact lets the ladder end in the rung react, behind others.
func (p part) climbsReact() part {
	endsSo := func(p harness.Profile) bool {
		return len(p.Ladder) > 1 && p.Ladder[0] == harness.RungPatch && p.Ladder[len(p.Ladder)-1] == harness.RungReact
	}
	return p.ruled(func(p *harness.Profile) {
		if !endsSo(*p) {
			p.Ladder = []harness.Rung{harness.RungPatch, harness.RungReact}
		}
	}, endsSo)
}

// writesSomething adds a tool call that writes a file.
func writesSomething(d *director, at *spot) {
	casts(early, func(d *director, _ *spot, s *plan.Step) bool {
		d.written = true
		return d.call(s, `{"tool":"write_file","args":{"path":"b.go"}}`,
			generators.Raw(`{"ok":true,"output":"written","writes":{"b.go":"h1"}}`))
	})(d, at)
}

// endParts are ends of the script, and of the limits.
func endParts() map[string]part {
	return map[string]part{
		"replies-end": does(casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
			d.silent = true
			return !d.say("")
		})),
		"replies-end-at-planning":   does(func(d *director, _ *spot) { d.silent = true }),
		"replies-end-at-replan":     does(asks(ascent{silent: true})),
		"replies-end-in-the-ladder": does(asks(ascent{silent: true, bad: []replying{prose}})),
		"tool-results-end": does(casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
			if d.say(grep) {
				d.fail(harness.RepliesExhausted)
			}
			return true
		})),
		"verification-fails": does(failingVerification(ascent{})).ruled(set("replan_on=none"),
			func(p harness.Profile) bool { return !spec.ReplansOn(p, spec.OnVerification) || !spec.Plans(p) }),
		"verification-fails-with-no-replan-left": does(failingVerification(ascent{})).
			before(func(d *director) { d.replans = 0 }),
		"verification-missing": does(writesSomething).before(func(d *director) { d.unasked = true }),
		"nothing-written":      does(func(d *director, _ *spot) { dry(d) }),
		"replies-left":         does(func(d *director, _ *spot) { d.leftover = true }),
		"no-replan-allowed":    does(asks(ascent{})).before(func(d *director) { d.replans = 0 }),
		"replans-used-up":      does(usingUp(1, outOfRounds(ascent{}))),
		"last-replan":          does(usingUp(0, asks(ascent{}))),
		"deadlock":             does(outOfRounds(ascent{stall: true})).before(func(d *director) { d.replans = 1 }),
	}
}

// resumeParts are runs that a new process takes up, behind any of their events.
func resumeParts() map[string]part {
	interrupted := func(plant planting) part {
		return does(func(d *director, at *spot) {
			d.stopAt = at
			plant(d, at)
		}).seen(func(c harness.Case) bool { return c.InterruptAfter != nil })
	}
	return map[string]part{
		"interrupted": interrupted(func(*director, *spot) {}),
		"interrupted-in-planning": interrupted(func(d *director, _ *spot) {
			d.refused = append(d.refused, func() string { return "First I read the code." })
		}),
		"interrupted-behind-a-write": interrupted(writesSomething),
		"interrupted-in-a-replan":    interrupted(asks(ascent{bad: []replying{prose}})),
		"interrupted-among-rounds":   interrupted(outOfRounds(ascent{})),
		"replans-count-on": interrupted(func(d *director, at *spot) {
			d.replans = 1
			asks(ascent{})(d, at)
			asks(ascent{})(d, at)
		}),
	}
}
