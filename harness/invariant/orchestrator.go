package invariant

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// runRules look at the trace of a run.
func runRules() []Check {
	return []Check{
		safety(LegalTransitions, "a run begins at INTAKE and goes by the transitions that there are", (*examination).legalTransitions),
		safety(DependenciesFirst, "no step runs before every step that it depends on is done", (*examination).dependenciesFirst),
		safety(DoneOnce, "what is done is not run again", (*examination).doneOnce),
		safety(StepsClosed, "steps run one after the other, and each that begins comes to an end", (*examination).stepsClosed),
		safety(DoneMeansDone, "a run succeeds in the state DONE, with every step done, and in no other way", (*examination).doneMeansDone),
		safety(LimitsKept, "rounds, replans and planning tries keep to their limits", (*examination).limitsKept),
		safety(EndNamed, "a run that fails stays in its state, with the code that belongs there", (*examination).endNamed),
		safety(RunBound, "a run reads no more replies than its limits make possible", (*examination).runBound),
		safety(TrueSignals, "a reply that merely mentions a control word is no signal", (*examination).trueSignals),
		safety(RolesAlternate, "behind at most one system message user and assistant take turns", (*examination).rolesAlternate),
		metamorphic(ResumeAnywhere, "interrupted after any event, the run ends the same", (*examination).resumeAnywhere),
	}
}

// legalTransitions: the states follow one another as they may.
func (x *examination) legalTransitions() result {
	state := ""
	for i, e := range x.out.Trace {
		switch {
		case i == 0 && e.State != harness.StateIntake:
			return broke("", "trace", fmt.Sprintf("the run begins in the state %q and not in %s", e.State, harness.StateIntake))
		case i > 0 && e.State != state && !slices.Contains(harness.Transitions(state), e.State):
			return broke(e.Step, "trace", fmt.Sprintf("the run goes from %s to %q, which it may not", state, e.State))
		}
		state = e.State
	}
	return x.traced()
}

// traced is held where there is a trace to look at.
func (x *examination) traced() result {
	if len(x.out.Trace) == 0 {
		return skip()
	}
	return held()
}

// works reports whether an event is part of the work on its step.
func works(event string) bool {
	switch event {
	case harness.EventStepStarted, harness.EventToolCalled, harness.EventReplyInvalid, harness.EventControlLegacy, harness.EventStepDone, harness.EventStepFailed:
		return true
	}
	return false
}

// replanned reports whether an event changed the plan.
func replanned(event string) bool {
	return event == harness.EventPatchApplied || event == harness.EventFullPlanUsed
}

// dependenciesFirst: until the plan is changed, the plan of the case says what
// depends on what. Behind the last change the plan of the outcome does.
func (x *examination) dependenciesFirst() result {
	if x.before == nil && x.after == nil {
		return skip()
	}
	last := -1
	for i, e := range x.out.Trace {
		if replanned(e.Event) {
			last = i
		}
	}
	done := x.doneBefore()
	steps := &x.old
	if x.before == nil {
		steps = nil
	}
	for i, e := range x.out.Trace {
		if i > last && x.after != nil {
			steps = &x.new
		} else if replanned(e.Event) {
			steps = nil // a plan that nobody shows
		}
		if e.Event == harness.EventStepDone {
			done[e.Step] = true
		}
		if e.Event != harness.EventStepStarted || steps == nil {
			continue
		}
		at := steps.at(e.Step)
		if at < 0 {
			continue
		}
		for _, d := range steps.steps[at].Dependencies {
			if !done[d] {
				return broke(e.Step, "dependencies", fmt.Sprintf("the step %q begins before %q is done", brief(e.Step), brief(d)))
			}
		}
	}
	return x.traced()
}

// doneBefore are the steps that the case calls done.
func (x *examination) doneBefore() map[string]bool {
	done := map[string]bool{}
	if x.before != nil {
		for _, s := range x.before.Steps {
			if s.Status == plan.Done {
				done[s.ID] = true
			}
		}
	}
	return done
}

func (x *examination) doneOnce() result {
	done := x.doneBefore()
	for _, e := range x.out.Trace {
		if works(e.Event) && done[e.Step] {
			return broke(e.Step, "trace", fmt.Sprintf("the step %q is done, and has the event %s once more", brief(e.Step), e.Event))
		}
		if e.Event == harness.EventStepDone {
			done[e.Step] = true
		}
	}
	return x.traced()
}

// stepsClosed: the step that began is the one that events are about, until it is
// done, has failed or asks for another plan.
func (x *examination) stepsClosed() result {
	running := ""
	for _, e := range x.out.Trace {
		switch e.Event {
		case harness.EventStepStarted:
			if running != "" {
				return broke(running, "trace", fmt.Sprintf("the step %q has come to no end, and %q begins", brief(running), brief(e.Step)))
			}
			running = e.Step
			continue
		case harness.EventStepDone, harness.EventStepFailed, harness.EventReplanAsked, harness.EventToolCalled, harness.EventReplyInvalid:
			if e.Step != running || running == "" {
				return broke(e.Step, "trace", fmt.Sprintf("the step %q has the event %s, and is not the one that runs", brief(e.Step), e.Event))
			}
		case harness.EventEntered:
			if running != "" {
				return broke(running, "trace", fmt.Sprintf("the step %q is left in progress, and the run enters %s", brief(running), e.State))
			}
		}
		switch e.Event {
		case harness.EventStepDone, harness.EventStepFailed, harness.EventReplanAsked:
			running = ""
		}
	}
	return x.traced()
}

// doneMeansDone: neither a step that could not run nor a circle is a success.
func (x *examination) doneMeansDone() result {
	n := len(x.out.Trace)
	if n == 0 {
		return skip()
	}
	state := x.out.Trace[n-1].State
	switch applied := x.out.Verdict == harness.Applied; {
	case applied && state != harness.StateDone:
		return broke("", "verdict", "the run is called a success, and ends in the state "+state)
	case !applied && state == harness.StateDone:
		return broke("", "verdict", "the run is refused, and ends in the state DONE")
	case !applied:
		return held()
	}
	done, given := x.doneBefore(), false
	for _, e := range x.out.Trace {
		given = given || e.Event == harness.EventPlanParseFailed
		if e.Event == harness.EventStepDone {
			done[e.Step] = true
		}
	}
	if x.after == nil {
		if !given {
			return broke("", "plan", "the run is called a success and has no plan, although it did not give up planning")
		}
		return held()
	}
	for _, s := range x.after.Steps {
		if s.Status != plan.Done {
			return broke(s.ID, "status", fmt.Sprintf("the run is called a success, and the step %q is %s", brief(s.ID), s.Status))
		}
		if !done[s.ID] {
			return broke(s.ID, "status", fmt.Sprintf("the step %q is called done, and has never run", brief(s.ID)))
		}
	}
	return held()
}

// limitOr is a limit, or the one that holds where a case gives none. One below 0
// allows nothing.
func limitOr(v *int, other int) int {
	if v == nil {
		return other
	}
	return max(0, *v)
}

func (x *examination) limitsKept() result {
	l := x.item.Case.Limits
	most := limitOr(l.MaxStepToolCalls, harness.DefaultMaxStepToolCalls)
	replans := limitOr(l.MaxReplans, harness.DefaultMaxReplans)
	tries := limitOr(l.PlanningRetries, harness.DefaultPlanningRetries) + 1
	rounds, used, refused := 0, 0, 0
	for i, e := range x.out.Trace {
		switch e.Event {
		case harness.EventStepStarted:
			rounds = 0
		case harness.EventToolCalled, harness.EventReplyInvalid:
			rounds++
		case harness.EventStepFailed:
			if rounds != most {
				return broke(e.Step, "max_step_tool_calls", fmt.Sprintf("the step %q has failed after %d rounds, and %d are allowed", brief(e.Step), rounds, most))
			}
		case harness.EventPlanRejected:
			refused++
		case harness.EventPlanParseFailed:
			if refused != tries {
				return broke("", "planning_retries", fmt.Sprintf("planning is given up after %d tries, and %d are allowed", refused, tries))
			}
		case harness.EventEntered:
			if e.State == harness.StateRecovering && (i == 0 || x.out.Trace[i-1].State != e.State) {
				used++
			}
		}
		switch {
		case rounds > most || rounds == most && i+1 < len(x.out.Trace) && goesOn(x.out.Trace[i+1:], e.Step):
			return broke(e.Step, "max_step_tool_calls", fmt.Sprintf("the step %q goes on after %d rounds, and %d are allowed", brief(e.Step), rounds, most))
		case used > replans:
			return broke(e.Step, "max_replans", fmt.Sprintf("the run has %d replans, and %d are allowed", used, replans))
		case refused > tries:
			return broke("", "planning_retries", fmt.Sprintf("planning is tried %d times, and %d tries are allowed", refused, tries))
		}
	}
	return x.traced()
}

// goesOn reports whether a step that has used up its rounds does anything but
// fail.
func goesOn(trace []harness.TraceItem, step string) bool {
	for _, e := range trace {
		switch e.Event {
		case harness.EventResumed:
		case harness.EventStepFailed:
			return false
		default:
			return e.Step == step && works(e.Event)
		}
	}
	return false
}

// endNamed: the code says what stopped the run, where it stopped.
func (x *examination) endNamed() result {
	n := len(x.out.Trace)
	if n == 0 || x.out.Verdict != harness.Rejected {
		return skip()
	}
	var codes []harness.Code
	switch state := x.out.Trace[n-1].State; state {
	case harness.StateIntake:
		return held()
	case harness.StatePlanning:
		codes = []harness.Code{harness.RepliesExhausted}
	case harness.StateExecuting:
		codes = []harness.Code{harness.MaxReplansReached, harness.RepliesExhausted}
	case harness.StateBlocked:
		codes = []harness.Code{harness.DependencyDeadlock}
	case harness.StateRecovering:
		codes = []harness.Code{harness.ReplanFailed, harness.RepliesExhausted}
	case harness.StateVerifying:
		codes = []harness.Code{harness.VerificationFailed, harness.RepliesExhausted}
	}
	state := x.out.Trace[n-1].State
	if !slices.Contains(codes, x.out.Code) {
		return broke("", "code", fmt.Sprintf("the run ends in the state %s with the code %s, which does not belong there", state, x.out.Code))
	}
	used := 0
	for _, e := range x.out.Trace {
		if e.Event == harness.EventReplanRequested {
			used++
		}
	}
	left := limitOr(x.item.Case.Limits.MaxReplans, harness.DefaultMaxReplans) - used
	if left > 0 && (x.out.Code == harness.MaxReplansReached || x.out.Code == harness.DependencyDeadlock) {
		return broke("", "code", fmt.Sprintf("the run ends with %s, and %d replans are left", x.out.Code, left))
	}
	return held()
}

// runBound: what is read is limited.
func (x *examination) runBound() result {
	read := x.repliesRead()
	if read < 0 {
		return skip()
	}
	if n := len(x.item.Case.Replies); read > n {
		return broke("", "messages", fmt.Sprintf("the run has read %d replies, and the case holds %d", read, n))
	}
	steps := limitOr(x.item.Case.Limits.MaxPlanSteps, 0)
	for _, p := range []*plan.Plan{x.before, x.after} {
		if p != nil {
			steps = max(steps, len(p.Steps))
		}
	}
	started := map[string]bool{}
	for _, e := range x.out.Trace {
		if e.Event == harness.EventStepStarted {
			started[e.Step] = true
		}
	}
	if most := harness.MaxReplies(x.item.Case.Limits, x.profile, max(steps, len(started))); read > most {
		return broke("", "messages", fmt.Sprintf("the run has read %d replies, and its limits allow %d", read, most))
	}
	return held()
}

// repliesRead counts the replies among the messages; -1 where there are none to
// count.
func (x *examination) repliesRead() int {
	if len(x.out.Messages) == 0 {
		return -1
	}
	n := 0
	for _, role := range roles(x.out.Messages) {
		if role == "assistant" {
			n++
		}
	}
	return n
}

// trueSignals: behind each control in the trace stands a reply that gives one.
// Replies are read in order, and each has one event that says what it was.
func (x *examination) trueSignals() result {
	next := 0
	r := skip()
	for _, e := range x.out.Trace {
		switch e.Event {
		case harness.EventStepDone, harness.EventReplanAsked:
			if next >= len(x.item.Case.Replies) {
				return r // the trace has other events than those of a run
			}
			r = held()
			if text := string(x.item.Case.Replies[next]); !mayControl(text) {
				return broke(e.Step, "trace", fmt.Sprintf("the reply %q is taken for a control (%s), and gives none", brief(text), e.Event))
			}
			next++
		case harness.EventPlanAccepted, harness.EventPlanRejected, harness.EventToolCalled, harness.EventReplyInvalid,
			harness.EventPatchApplied, harness.EventPatchRejected, harness.EventFullPlanUsed, harness.EventFullPlanRejected:
			next++
		}
	}
	return r
}

// mayControl reports whether a reply can be a control: it has something like an
// envelope, or a control word alone on a line.
func mayControl(text string) bool {
	if strings.Contains(text, "{") && strings.Contains(text, "control") {
		return true
	}
	for line := range strings.Lines(text) {
		switch strings.ToUpper(strings.TrimSpace(line)) {
		case "STEP_DONE", "【STEP_DONE】", "REPLAN":
			return true
		}
	}
	return false
}

func (x *examination) rolesAlternate() result {
	if len(x.out.Messages) == 0 {
		return skip()
	}
	list := roles(x.out.Messages)
	if len(list) > 0 && list[0] == "system" {
		list = list[1:]
	}
	turn := [2]string{"user", "assistant"}
	for i, role := range list {
		if role != turn[i%2] {
			return broke("", "messages", fmt.Sprintf("message %d has the role %q, and it is the turn of the %s", i+1, role, turn[i%2]))
		}
	}
	return held()
}

// mostInterruptions bounds how often one run is interrupted.
const mostInterruptions = 64

// resumeAnywhere: whoever takes a run up goes on where it was.
func (x *examination) resumeAnywhere() result {
	n := len(x.out.Trace)
	if n == 0 || x.item.Case.InterruptAfter != nil && *x.item.Case.InterruptAfter < 1 {
		return skip()
	}
	for k := 1; k <= n; k += 1 + n/mostInterruptions {
		c := x.item.Case
		c.InterruptAfter = &k
		out, ok := x.again(c)
		if !ok {
			return broke("", "verdict", fmt.Sprintf("the engine fails when the run is interrupted after event %d", k))
		}
		if Answer(out) != Answer(x.out) {
			return broke("", "verdict", fmt.Sprintf("interrupted after event %d, the run ends with %s and not with %s", k, Answer(out), Answer(x.out)))
		}
		if (x.out.Plan == nil) != (out.Plan == nil) {
			return broke("", "plan", fmt.Sprintf("interrupted after event %d, the run comes to a plan or loses it", k))
		}
		if step, field, words, differ := firstDifference(x.out.Plan, out.Plan); differ {
			return broke(step, field, fmt.Sprintf("interrupted after event %d, the run ends in another plan: %s", k, words))
		}
		second := &examination{ctx: x.ctx, judge: x.judge, item: x.item, profile: x.profile, out: out}
		second.decode()
		if r := second.doneOnce(); r.broken != nil {
			r.broken.Message = fmt.Sprintf("interrupted after event %d: %s", k, r.broken.Message)
			return r
		}
	}
	return held()
}

// The names of the checks of runs.
const (
	LegalTransitions  = "legal-transitions"
	DependenciesFirst = "dependencies-first"
	DoneOnce          = "done-once"
	StepsClosed       = "steps-closed"
	DoneMeansDone     = "done-means-done"
	LimitsKept        = "limits-kept"
	EndNamed          = "end-named"
	RunBound          = "run-bound"
	TrueSignals       = "true-signals"
	RolesAlternate    = "roles-alternate"
	ResumeAnywhere    = "resume-anywhere"
)

// runRulesAll says how outcomes are judged.
func runRulesAll() Rules {
	return Rules{
		Checks: slices.Concat(Answers(), Steps(), runRules(), []Check{Again(), Growth()}, Oracles()),
		Plan:   func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Missing: func(x *examination) string {
			if x.out.Trace == nil {
				return "trace"
			}
			return ""
		},
	}
}
