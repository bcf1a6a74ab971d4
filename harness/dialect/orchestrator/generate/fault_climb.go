package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// climbFaults are replies that the ladder refuses or coerces.
func climbFaults() []runFault {
	fault := generators.Family("replan")
	var list []runFault
	for _, b := range badPatches() {
		list = append(list, runFault{b.Trait, rLadder, inReplan(ascent{bad: []badPatch{b}}, asksSensibly)})
	}
	coerced := func(name, words string, edit func(d *director, e *edit) bool) runFault {
		return runFault{fault(name, words), rLadder, inReplan(ascent{edit: edit}, asksSensibly)}
	}
	return append(list,
		runFault{fault("ladder-fails", "no reply is another plan"), rLadder | rEnd, inReplan(ascent{bad: slices.Repeat(badPatches()[:1], 8)}, asksSensibly)},
		runFault{fault("plan-over-capacity", "the plan has more steps than allowed, and a patch adds one"), rLadder | rGiven | rLimit, func(d *director) bool {
			if len(d.p.Steps) < 2 {
				return false
			}
			d.limit = len(d.p.Steps) - 1
			return inReplan(ascent{bad: []badPatch{{code: harness.OverCapacity, text: addToFull}}}, asksSensibly)(d)
		}},
		runFault{fault("patch-forgets-the-step", "a patch changes something, but not the step that failed"), rLadder, inReplan(ascent{stall: true}, playOutOfRounds)},
		runFault{fault("whole-plan-instead", "a whole plan in place of a patch").Weigh(32), rLadder, inReplan(ascent{full: true}, asksSensibly)},
		runFault{fault("whole-plan-loses-work", "a whole plan that leaves finished steps out, and gets them back"), rLadder, inReplan(ascent{full: true, forgets: true}, asksSensibly)},
		coerced("patch-removes-unknown", "a patch removes a step that is not there, twice", func(d *director, e *edit) bool {
			e.removes = append(e.removes, generators.Text("no such step"), generators.Text("no such step"))
			return true
		}),
		coerced("patch-adds-done", "a patch adds a step that it calls done, and it runs all the same", func(d *director, e *edit) bool {
			return d.fits(2) && d.add(e, func(_ *plan.Step, doc *generators.Value) { doc.Add("status", generators.Text("done")) })
		}),
		coerced("patch-repeats-a-dependency", "a patch adds a step that has a duplicate dependency", func(d *director, e *edit) bool {
			return d.fits(2) && d.add(e, func(s *plan.Step, doc *generators.Value) {
				id := e.p.Steps[0].ID
				s.Dependencies = []string{id}
				doc.Put("dependencies", generators.Texts([]string{id, id}))
			})
		}),
		coerced("patch-adds-look-alikes", "a patch adds two steps whose ids differ in case alone", func(d *director, e *edit) bool {
			return d.fits(3) && d.add(e, rename("Alike")) && d.add(e, rename("aLIKE"))
		}),
		coerced("patch-over-the-limit", "a patch adds more steps than fit, and the rest is dropped", func(d *director, e *edit) bool {
			if d.limit == 0 || len(e.p.Steps) > d.limit {
				return false
			}
			p := e.p.Clone()
			for room := d.limit - len(e.p.Steps); ; room-- {
				d.add(e, func(s *plan.Step, doc *generators.Value) {
					s.Dependencies = nil
					doc.Put("dependencies", generators.Texts(nil))
				})
				if room <= 0 {
					break
				}
				p = e.p.Clone()
			}
			e.p = p
			return true
		}),
		runFault{fault("patch-removes-needed", "a patch removes a step that others need"), rLadder, func(d *director) bool {
			if d.free {
				d.profile.Orphans = generators.Pick(&d.Choices, []string{harness.Detach, harness.Bridge})
			}
			return inReplan(ascent{edit: dropNeeded}, asksSensibly)(d)
		}},
	)
}

// addToFull adds a step to a plan that is over its limit.
func addToFull(d *director) string {
	if len(d.p.Steps) <= d.limit {
		return ""
	}
	return `{"add_steps":[{"id":"extra","description":"x"}]}`
}

func (d *director) add(e *edit, twist func(s *plan.Step, doc *generators.Value)) bool {
	d.addStep(e, twist)
	return true
}

func rename(id string) func(s *plan.Step, doc *generators.Value) {
	return func(s *plan.Step, doc *generators.Value) {
		s.ID = id
		doc.Put("id", generators.Text(id))
	}
}

// dropNeeded removes a step that others need, where the rules allow that.
func dropNeeded(d *director, e *edit) bool {
	if d.profile.Orphans == harness.Reject {
		return false
	}
	for i, s := range e.p.Steps {
		if s.Status == plan.Done || slices.Contains(e.named, s.ID) || len(e.p.Steps) < 2 {
			continue
		}
		needed := false
		for _, t := range e.p.Steps {
			if slices.Contains(t.Dependencies, s.ID) {
				needed = true
				if t.Status == plan.Done || d.p.Step(t.ID) == nil {
					needed = false
					break
				}
			}
		}
		if needed {
			e.p.Steps = slices.Delete(slices.Clone(e.p.Steps), i, i+1)
			for j := range e.p.Steps {
				e.p.Steps[j].Dependencies = without(e.p.Steps[j].Dependencies, s, d.profile.Orphans)
			}
			e.removes = append(e.removes, generators.Text(s.ID))
			return true
		}
	}
	return false
}

// without is a list of dependencies without a step, or with what that step
// needed in its place, each once.
func without(deps []string, gone plan.Step, orphans string) (list []string) {
	put := func(id string) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	if !slices.Contains(deps, gone.ID) {
		return deps
	}
	for _, id := range deps {
		if id != gone.ID {
			put(id)
			continue
		}
		for _, behind := range gone.Dependencies {
			if orphans == harness.Bridge && !slices.Contains(deps, behind) {
				put(behind)
			}
		}
	}
	return list
}

// badPatch is a reply that the ladder refuses as a patch.
type badPatch struct {
	generators.Trait
	code harness.Code
	text func(d *director) string // "" where there is no place for it
}

// badPatches are refused under all rules, where there is a place for them; the
// first, prose, has one everywhere.
func badPatches() []badPatch {
	fault := generators.Family("replan")
	return append([]badPatch{
		{fault("patch-in-words", "another plan in prose"), harness.NoDocument, said("I would rather not change the plan. No REPLAN.")},
		{fault("patch-of-nothing", "a patch that changes nothing"), harness.EmptyPatch, said(`{"type":"PlanPatch","reason":"none"}`)},
		{fault("patch-of-another-type", "a document of a type that is none"), harness.WrongDocument, said(`{"type":"Note"}`)},
		{fault("patch-with-a-number", "the title of a patch is a number"), harness.BadType, said(`{"title":5}`)},
		{fault("patch-without-id", "an update without an id"), harness.MissingField, said(`{"update_steps":[{"description":"x"}]}`)},
		{fault("patch-with-a-blank-id", "an added step with a blank id"), harness.EmptyID, said(`{"add_steps":[{"id":" ","description":"x"}]}`)},
		{fault("patch-of-unknown-step", "an update of a step that is not there"), harness.UnknownStep, said(`{"update_steps":[{"id":"no such step","description":"x"}]}`)},
		{fault("patch-bytes-no-text", "another plan in bytes that are not UTF-8"), harness.InvalidUTF8, said("{\"title\":\"\xff\"}")},
		{fault("patch-says-title-twice", "a patch with two titles"), harness.DuplicateKey, where(func(d *director) bool { return d.profile.DuplicateKeys == harness.Reject }, `{"title":"x","title":"y"}`)},
		{fault("patch-with-more", "a patch with a member that it does not have"), harness.ExtraField, where(func(d *director) bool { return !d.profile.Reading.Coerce }, `{"title":"x","risk":"low"}`)},
		{fault("patch-waits-for-nothing", "an added step depends on one that is not there"), harness.MissingDependency, where(func(d *director) bool { return d.fits(1) }, `{"add_steps":[{"id":"extra","description":"x","dependencies":["no such step"]}]}`)},
	}, badEdits()...)
}

// where is a text that has a place only under a condition.
func where(is func(d *director) bool, text string) func(*director) string {
	return func(d *director) string {
		if !is(d) {
			return ""
		}
		return text
	}
}

// badEdits are bad patches about steps that are there.
func badEdits() []badPatch {
	fault := generators.Family("replan")
	about := func(is func(s plan.Step) bool, text func(id string) string) func(*director) string {
		return func(d *director) string {
			if i := slices.IndexFunc(d.p.Steps, is); i >= 0 {
				return text(generators.Quoted(d.p.Steps[i].ID))
			}
			return ""
		}
	}
	done := func(s plan.Step) bool { return s.Status == plan.Done }
	open := func(s plan.Step) bool { return s.Status != plan.Done }
	any := func(plan.Step) bool { return true }
	return []badPatch{
		{fault("patch-removes-done", "a patch removes a done step"), harness.DoneImmutable, about(done, func(id string) string { return `{"remove_steps":[` + id + `]}` })},
		{fault("patch-changes-done", "a patch changes a done step"), harness.DoneImmutable, about(done, func(id string) string { return `{"update_steps":[{"id":` + id + `,"description":"x"}]}` })},
		{fault("patch-makes-a-circle", "a patch makes a step depend on itself"), harness.DependencyCycle, about(open, func(id string) string {
			return `{"update_steps":[{"id":` + id + `,"dependencies":[` + id + `]}]}`
		})},
		{fault("patch-repeats-an-id", "a patch adds a step that is there"), harness.DuplicateID, about(any, func(id string) string { return `{"add_steps":[{"id":` + id + `,"description":"x"}]}` })},
		{fault("patch-contradicts-itself", "a patch removes and updates one step"), harness.IDConflict, func(d *director) string {
			if d.profile.Conflicts != harness.Reject {
				return ""
			}
			return about(open, func(id string) string {
				return `{"remove_steps":[` + id + `],"update_steps":[{"id":` + id + `,"description":"x"}]}`
			})(d)
		}},
		{fault("patch-removes-all", "a patch removes every step"), harness.EmptyPlan, func(d *director) string {
			if slices.ContainsFunc(d.p.Steps, done) {
				return ""
			}
			var ids []string
			for _, s := range d.p.Steps {
				ids = append(ids, s.ID)
			}
			return d.write(generators.Object(generators.Field{Name: "remove_steps", Value: generators.Texts(ids)}))
		}},
	}
}
