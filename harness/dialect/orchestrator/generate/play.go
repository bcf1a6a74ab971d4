package generate

import (
	"slices"
	"strconv"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// run plays the run to its end.
func (d *director) run() {
	switch {
	case !spec.Plans(d.profile):
		d.goOnWithoutPlan()
	case !d.given:
		d.playPlanning()
	}
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; s.Status != plan.Done && s.Status != plan.Failed {
			s.Status = plan.Pending
		}
	}
	for !d.ended {
		d.playPlan()
	}
}

func (d *director) fail(code harness.Code) {
	d.ended, d.code = true, code
}

// say is the next reply of the model; false if the script has ended, and the run with it.
func (d *director) say(text string) bool {
	if d.silent {
		code := harness.RepliesExhausted
		if d.budgeted.policy == pinned {
			code = harness.CannotFit
		}
		d.fail(code)
		return false
	}
	if d.replies == nil {
		d.replies = make([]harness.Reply, 0, 8)
	}
	d.replies = append(d.replies, harness.Reply(text))
	return true
}

// playPlanning plays the refused plans and then the right one.
func (d *director) playPlanning() {
	for d.hopeless && len(d.refused) <= d.retries {
		d.refused = append(d.refused, func() string { return "I need no plan." })
	}
	for _, bad := range d.refused {
		if !d.say(bad()) {
			return
		}
	}
	if d.hopeless {
		d.goOnWithoutPlan()
		return
	}
	doc := d.planDoc(d.p)
	if d.planned != nil {
		d.planned(&doc)
	}
	text := deform.Write(doc)
	if d.dress != nil {
		text = d.dress(text)
	}
	d.say(text)
}

// goOnWithoutPlan moves the scenes of all steps to one implicit step.
func (d *director) goOnWithoutPlan() {
	d.react = true
	left := collect.Flat(d.p.Steps, func(s plan.Step) []scene { return d.scenes[s.ID] })
	d.p = &plan.Plan{Steps: []plan.Step{{ID: spec.React, Status: plan.Pending}}}
	d.ids, d.scenes = []string{spec.React}, map[string][]scene{}
	d.scene(spec.React, left...)
}

// stuck reports whether a step has failed, or is blocked by one that has.
func (d *director) stuck(id string) bool {
	s := d.p.Step(id)
	return s.Status == plan.Failed || s.Status == plan.Pending && slices.ContainsFunc(s.Dependencies, d.stuck)
}

// playPlan runs waves until the plan has to change or the run ends.
func (d *director) playPlan() {
	for len(d.climbs) == 0 {
		wave := d.p.Ready()
		if len(wave) == 0 {
			d.playEnd()
			return
		}
		for _, id := range wave[:min(len(wave), d.profile.Parallel)] {
			if d.playStep(d.p.Step(id)); d.ended {
				return
			}
		}
	}
	d.recover(harness.MaxReplansReached)
}

// open reports whether something is left to do.
func (d *director) open() bool {
	return slices.ContainsFunc(d.p.Steps, func(s plan.Step) bool { return s.Status != plan.Done })
}

// playEnd plays what comes when nothing can run any more.
func (d *director) playEnd() {
	switch {
	case d.open():
		d.recover(harness.DependencyDeadlock)
		return
	case d.written && !d.playVerification():
		return
	}
	d.ended = true
}

// playVerification reports whether the verification passes. If not, the plan changes or the run ends.
func (d *director) playVerification() (passed bool) {
	passed = len(d.checks) == 0
	if passed && d.unasked {
		d.fail(harness.RepliesExhausted)
		return false
	}
	result := generators.Object(field("ok", generators.Raw(strconv.FormatBool(passed))))
	if !passed {
		result.Add("errors", generators.Texts([]string{"two tests fail"}))
	}
	d.verify = append(d.verify, result)
	switch {
	case passed:
	case !d.mayReplanOn(spec.OnVerification):
		d.fail(harness.VerificationFailed)
	default:
		d.climbs, d.checks = d.checks[:1:1], d.checks[1:]
		d.recover("")
	}
	return passed
}

// mayReplanOn reports whether something leads to another plan unasked.
func (d *director) mayReplanOn(what string) bool {
	return !d.react && d.used < d.replans && spec.ReplansOn(d.profile, what)
}

// scene is something unusual in a step, before its work or in place of it.
type scene struct {
	rank int // of several the lower come first; those that end the run are last
	play func(d *director, s *plan.Step) (ended bool)
}

// scene puts scenes into a step.
func (d *director) scene(id string, scenes ...scene) {
	d.scenes[id] = append(d.scenes[id], scenes...)
	slices.SortStableFunc(d.scenes[id], func(a, b scene) int { return a.rank - b.rank })
}

// casts returns a planting that puts a scene into the step of the trait.
func casts(rank int, play playing) planting {
	return func(d *director, at *spot) {
		d.scene(d.ids[at.step], scene{rank, func(d *director, s *plan.Step) bool { return play(d, at, s) }})
	}
}

// playing plays a part of a step. It reports whether the step has ended.
type playing = func(d *director, at *spot, s *plan.Step) (ended bool)

// The ranks of scenes.
const (
	early = iota
	work  // the first time that the step runs
	late
	last // nothing comes after it
)

// playStep plays one step: its work the first time, its scenes, and its end.
func (d *director) playStep(s *plan.Step) {
	d.round, d.failing = 0, ascent{}
	done := stepDone
	if at := slices.Index(d.ids, s.ID); at >= 0 {
		c := d.draw.Stream("work" + string(rune('a'+at)))
		if c.OneIn(2) {
			done = `{"control":"step_done","reason":"all tests pass"}`
		}
		if works := at == 0 || c.OneIn(2); works && !d.worked[s.ID] {
			d.worked[s.ID] = true
			d.scene(s.ID, scene{work, func(d *director, s *plan.Step) bool { return d.work(&c, s, at == 0 && !d.dry) }})
		}
	}
	for len(d.scenes[s.ID]) > 0 {
		next := d.scenes[s.ID][0]
		d.scenes[s.ID] = d.scenes[s.ID][1:]
		if next.play(d, s) || d.ended {
			return
		}
	}
	d.finish(s, done)
}

// work calls a tool that succeeds.
func (d *director) work(c *generators.Choices, s *plan.Step, writes bool) bool {
	result := generators.Object(field("ok", generators.Raw("true")),
		field("output", generators.Text(generators.Pick(c, plainTexts))))
	if writes {
		result.Add("writes", generators.Object(field("main.go", generators.Text("h"+string(rune('0'+c.Below(10)))))))
		d.written = true
	}
	call := generators.Object(field("tool", generators.Text(generators.Pick(c, generators.ToolNames[:]))),
		field("args", generators.Object(field("text", generators.Text(generators.Pick(c, plainTexts))))))
	return d.call(s, deform.Write(call), result)
}

// finish ends the step as done.
func (d *director) finish(s *plan.Step, text string) bool {
	if d.say(text) {
		s.Status = plan.Done
	}
	return true
}

// request asks for another plan; the ascent says what follows.
func (d *director) request(text string, a ascent) bool {
	if d.say(text) {
		d.climbs = append(d.climbs, a)
	}
	return true
}

// call calls a tool and gets its result. It reports whether the step has ended.
func (d *director) call(s *plan.Step, text string, result generators.Value) bool {
	if !d.say(text) {
		return true
	}
	d.tools = append(d.tools, result)
	return d.countRound(s)
}

// invalid is a reply that is neither control nor tool call.
func (d *director) invalid(s *plan.Step, text string) bool {
	return !d.say(text) || d.countRound(s)
}

// countRound reports whether the step has used up its rounds.
func (d *director) countRound(s *plan.Step) bool {
	if d.round++; d.round < d.rounds {
		return false
	}
	s.Status = plan.Failed
	d.climbs = append(d.climbs, d.failing)
	return true
}
