package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// run plays the run to its end.
func (d *director) run() {
	d.enter(words.StateIntake)
	if d.unsound != nil {
		d.fail(d.unsound.code)
		return
	}
	d.enter(words.StatePlanning)
	if !d.given {
		d.playPlanning()
	}
	for !d.ended {
		d.unblock()
		d.enter(words.StateExecuting)
		d.playPlan()
	}
}

func (d *director) enter(state string) {
	d.state = state
	d.event(words.EventEntered, "", "")
}

func (d *director) event(event, step string, code harness.Code) {
	d.trace = append(d.trace, harness.TraceItem{State: d.state, Step: step, Event: event, Code: code})
}

func (d *director) fail(code harness.Code) {
	d.event(words.EventRunFailed, "", code)
	d.ended, d.code = true, code
}

// say is the next reply of the model; false if the script has ended, and the run
// with it.
func (d *director) say(text string) bool {
	d.asked++
	if d.silent {
		d.fail(harness.RepliesExhausted)
		return false
	}
	d.replies = append(d.replies, harness.Reply(text))
	return true
}

// playPlanning plays the refused plans and then the right one.
func (d *director) playPlanning() {
	for _, bad := range d.refusals {
		if !d.say(bad.text(d)) {
			return
		}
		d.event(words.EventPlanRejected, "", bad.code)
	}
	if d.hopeless {
		d.event(words.EventPlanParseFailed, "", "")
		d.react = true
		d.p = &plan.Plan{Steps: []plan.Step{{ID: "react", Status: plan.Pending}}}
		return
	}
	doc := d.planDoc(d.p)
	if d.planned != nil {
		d.planned(d, &doc)
	}
	if d.say(d.dress(d.write(doc))) {
		d.event(words.EventPlanAccepted, "", "")
	}
}

// unblock brings the statuses up to date: a step is blocked while one that it
// needs has failed.
func (d *director) unblock() {
	for i := range d.p.Steps {
		if s := &d.p.Steps[i]; s.Status == plan.InProgress || s.Status == plan.Blocked {
			s.Status = plan.Pending
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range d.p.Steps {
			s := &d.p.Steps[i]
			if s.Status == plan.Pending && slices.ContainsFunc(s.Dependencies, d.stuck) {
				s.Status, changed = plan.Blocked, true
			}
		}
	}
}

func (d *director) stuck(id string) bool {
	s := d.p.Step(id)
	return s.Status == plan.Failed || s.Status == plan.Blocked
}

// playPlan runs waves until the plan has to change or the run ends.
func (d *director) playPlan() {
	for !d.ended {
		wave := d.p.Ready()
		if len(wave) == 0 {
			d.playEnd()
			return
		}
		wave = wave[:min(len(wave), d.profile.Parallel)]
		for _, id := range wave {
			if d.playStep(d.p.Step(id)); d.ended {
				return
			}
		}
		if len(d.trouble) > 0 {
			d.unblock()
			d.recover(harness.MaxReplansReached)
			return
		}
	}
}

// playEnd plays what comes when nothing can run any more.
func (d *director) playEnd() {
	open := slices.ContainsFunc(d.p.Steps, func(s plan.Step) bool { return s.Status != plan.Done })
	switch {
	case open:
		d.enter(words.StateBlocked)
		d.recover(harness.DependencyDeadlock)
		return
	case d.written:
		d.enter(words.StateVerifying)
		if !d.playVerification() {
			return
		}
	}
	d.enter(words.StateDone)
	d.ended = true
}

func (d *director) playVerification() bool {
	switch {
	case d.unasked:
		d.fail(harness.RepliesExhausted)
		return false
	case d.failing:
		d.checks = append(d.checks, generators.Object(generators.Field{Name: "ok", Value: generators.Raw("false")}, generators.Field{Name: "errors", Value: generators.Texts([]string{generators.Pick(&d.Choices, generators.Phrases)})}))
		d.event(words.EventVerifyFailed, "", "")
		d.fail(harness.VerificationFailed)
		return false
	}
	d.checks = append(d.checks, generators.Object(generators.Field{Name: "ok", Value: generators.Raw("true")}))
	d.event(words.EventVerifyPassed, "", "")
	return true
}

// scene is trouble in a step: what the model does there in place of its work.
type scene struct {
	rank int // of several the lower come first; those that end the run are last
	play func(d *director, s *plan.Step) (ended bool)
}

// playStep plays one step: trouble if there is some, then work, then its end.
func (d *director) playStep(s *plan.Step) {
	d.event(words.EventStepStarted, s.ID, "")
	d.round = 0
	for range d.cast() {
		next := d.scenes[0]
		d.scenes = d.scenes[1:]
		if next.play(d, s) || d.ended {
			return
		}
	}
	for n := d.Below(4); n > 0 && d.round+1 < d.rounds; n-- {
		if d.call(s) {
			return
		}
	}
	d.finish(s, d.dress(generators.Pick(&d.Choices, doneReplies[:])))
}

// cast draws how many scenes the step gets: all of them if it may be the last.
func (d *director) cast() int {
	open := 0
	for _, s := range d.p.Steps {
		if s.Status != plan.Done {
			open++
		}
	}
	if open <= 1 {
		return len(d.scenes)
	}
	return min(len(d.scenes), d.Below(2)+len(d.scenes)/open)
}

var doneReplies = [...]string{
	`{"control":"step_done"}`, `{"control":"step_done","reason":"all tests pass"}`, `{ "reason" : null, "control" : "step_done" }`,
}

// finish ends the step as done.
func (d *director) finish(s *plan.Step, text string) bool {
	if d.say(text) {
		d.event(words.EventStepDone, s.ID, "")
		s.Status = plan.Done
	}
	return true
}

// finishLegacy ends the step with a word.
func (d *director) finishLegacy(s *plan.Step, text string) bool {
	if d.say(text) {
		d.event(words.EventControlLegacy, s.ID, "")
		d.event(words.EventStepDone, s.ID, "")
		s.Status = plan.Done
	}
	return true
}

// request asks for another plan.
func (d *director) request(s *plan.Step, text string, legacy bool) bool {
	if d.say(text) {
		if legacy {
			d.event(words.EventControlLegacy, s.ID, "")
		}
		d.event(words.EventReplanAsked, s.ID, "")
		d.trouble = append(d.trouble, s.ID)
	}
	return true
}

// call calls a tool and gets its result.
func (d *director) call(s *plan.Step) bool {
	tool := generators.Pick(&d.Choices, generators.ToolNames[:])
	doc := generators.Object(generators.Field{Name: "tool", Value: generators.Text(tool)})
	if d.Below(4) > 0 {
		doc.Add("args", generators.Object(generators.Field{Name: "text", Value: generators.Text(generators.Pick(&d.Choices, generators.Phrases))}))
	}
	if !d.say(d.dress(d.write(doc))) {
		return true
	}
	result := generators.Object(generators.Field{Name: "ok", Value: generators.Raw("true")})
	if d.OneIn(4) {
		result = generators.Object(generators.Field{Name: "ok", Value: generators.Raw("false")})
	}
	if d.OneIn(2) {
		result.Add("output", generators.Text(generators.Pick(&d.Choices, generators.Phrases)))
	}
	if d.OneIn(3) {
		result.Add("writes", generators.Object(generators.Field{Name: "main.go", Value: generators.Text("h" + string(rune('0'+d.Below(10))))}))
		d.written = true
	}
	d.tools = append(d.tools, result)
	d.event(words.EventToolCalled, s.ID, "")
	return d.countRound(s)
}

// invalid is a reply that is neither control nor tool call.
func (d *director) invalid(s *plan.Step, text string, code harness.Code) bool {
	if !d.say(text) {
		return true
	}
	d.event(words.EventReplyInvalid, s.ID, code)
	return d.countRound(s)
}

// countRound reports whether the step has used up its rounds.
func (d *director) countRound(s *plan.Step) bool {
	if d.round++; d.round < d.rounds {
		return false
	}
	d.event(words.EventStepFailed, s.ID, "")
	s.Status = plan.Failed
	d.trouble = append(d.trouble, s.ID)
	return true
}

// dress puts a document into prose, where it is found there.
func (d *director) dress(text string) string {
	if !d.profile.Reading.Extract || d.Below(8) > 0 {
		return text
	}
	switch d.Below(3) {
	case 0:
		return "```json\n" + text + "\n```"
	case 1:
		return "<think>\nREPLAN\n</think>\n" + text
	}
	return "Here it is, and no need to REPLAN:\n" + text + "\nSTEP_DONE is what I shall say next."
}
