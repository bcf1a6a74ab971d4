// Package check has the properties that every run must have, whatever the profile. It does not import the rules.
package check

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// runRules look at the trace of a run.
func runRules() []judge.Check {
	return []judge.Check{
		ofTrace("legal-transitions", "a run begins at INTAKE and makes only defined transitions", legalTransitions),
		ofTrace("dependencies-first", "no step runs before all of its dependencies are done", dependenciesFirst),
		ofTrace("done-once", "what a run finishes stays in its plan, unchanged, and does not run again", doneOnce),
		ofTrace("steps-closed", "steps run one after the other, and each step that begins also ends", stepsClosed),
		ofTrace("done-means-done", "a run succeeds only in the state DONE with every step done", doneMeansDone),
		ofTrace("writes-verified", "a done run passed a verification after the last write of its tools", writesVerified),
		ofTrace("limits-kept", "rounds, replans and planning attempts stay within their limits", limitsKept),
		ofTrace("end-named", "a failed run stays in its state and has a code of that state", endNamed),
		judge.Holds("run-bound", "a run reads no more replies than its limits allow", runBound),
		judge.Holds("true-signals", "a reply that merely mentions a control word is not a signal", trueSignals),
		judge.Holds("results-bounded", "messages show at most max_tool_result_chars characters of a tool's result",
			resultsBounded),
		judge.Holds("roles-alternate", "after at most one system message, user and assistant take turns",
			rolesAlternate),
		judge.Holds("budget-kept", "before each call over the budget the run trims the conversation or reports the excess",
			budgetKept),
		judge.Relates("resume-anywhere", "a run that is interrupted after any event has the same end", resumeAnywhere),
	}
}

// ofTrace returns a check of runs that have a trace.
func ofTrace(name, text string, look func(*judge.Examination) judge.Result) judge.Check {
	return judge.Holds(name, text, look).Where(func(x *judge.Examination) bool { return len(x.Out.Trace) > 0 })
}

func lastState(x *judge.Examination) string { return x.Out.Trace[len(x.Out.Trace)-1].State }

// legalTransitions checks the order of states.
func legalTransitions(x *judge.Examination) judge.Result {
	state := ""
	for i, e := range x.Out.Trace {
		switch {
		case i == 0 && e.State != spec.StateIntake:
			return judge.Brokef("start", "", "trace", "the run begins in the state %q instead of %s", e.State, spec.StateIntake)
		case i > 0 && e.State != state && !slices.Contains(spec.Transitions(state), e.State):
			return judge.Brokef("step", e.Step, "trace", "the run goes from %s to %q: no such transition exists", state, e.State)
		}
		state = e.State
	}
	return judge.Held()
}

// works reports whether an event is part of the work on its step.
func works(event string) bool {
	return slices.Contains([]string{
		spec.EventPlanStepStart, spec.EventToolCalled, spec.EventReplyInvalid, spec.EventControlLegacy, spec.EventStepDone,
		spec.EventStepFailed,
	}, event)
}

// replanned reports whether an event changed the plan.
func replanned(event string) bool {
	return event == harness.EventPatchApplied || event == harness.EventFullPlanUsed
}

// dependenciesFirst takes the dependencies from the plan of the case, and after the last replan from the new plan.
func dependenciesFirst(x *judge.Examination) judge.Result {
	if x.Before == nil && x.After == nil {
		return judge.Skip()
	}
	last := -1
	for i, e := range x.Out.Trace {
		if replanned(e.Event) {
			last = i
		}
	}
	done := finished(x, nil)
	steps := &x.Old
	if x.Before == nil {
		steps = nil
	}
	for i, e := range x.Out.Trace {
		if i > last && x.After != nil {
			steps = &x.New
		} else if replanned(e.Event) {
			steps = nil // a plan that nobody shows
		}
		if e.Event == spec.EventStepDone {
			done[e.Step] = true
		}
		if e.Event != spec.EventPlanStepStart || steps == nil {
			continue
		}
		at := steps.At(e.Step)
		if at < 0 {
			continue
		}
		for _, d := range steps.Steps[at].Dependencies {
			if !done[d] {
				return judge.Brokef("early", e.Step, "dependencies", "the step %q begins before %q is done",
					judge.Brief(e.Step), judge.Brief(d))
			}
		}
	}
	return judge.Held()
}

// finished are the steps that the case calls done, and those that a trace finishes.
func finished(x *judge.Examination, trace []harness.TraceItem) map[string]bool {
	done := map[string]bool{}
	for i := 0; x.Before != nil && i < len(x.Before.Steps); i++ {
		done[x.Before.Steps[i].ID] = x.Before.Steps[i].Status == plan.Done
	}
	for _, e := range trace {
		done[e.Step] = done[e.Step] || e.Event == spec.EventStepDone
	}
	return done
}

func doneOnce(x *judge.Examination) judge.Result {
	done := finished(x, nil)
	for _, e := range x.Out.Trace {
		if works(e.Event) && done[e.Step] {
			return judge.Brokef("again", e.Step, "trace", "the step %q is done, but has the event %s again",
				judge.Brief(e.Step), e.Event)
		}
		if e.Event == spec.EventStepDone {
			done[e.Step] = true
		}
		if e.Event == harness.EventReactUsed { // the implicit step begins anew
			delete(done, spec.React)
		}
	}
	if r := doneStays(x); r.Broken != nil {
		return r
	}
	return judge.Held()
}

// doneStays checks that the plan of the outcome, of a failed run, too, has the steps that the run finished, with the
// members that they have in the plan of the case, if nothing changed that plan before.
func doneStays(x *judge.Examination) judge.Result {
	if x.Out.Plan == nil {
		return judge.Skip()
	}
	old, steps := x.Before, plan.NewPlaces(x.Out.Plan.Steps)
	for _, e := range x.Out.Trace {
		if replanned(e.Event) {
			old = nil
		}
		if e.Event != spec.EventStepDone || e.Step == spec.React {
			continue
		}
		at := steps.At(e.Step)
		if at < 0 {
			return judge.Brokef("gone", e.Step, "", "the run finished the step %q, which is gone", judge.Brief(e.Step))
		}
		if old == nil || x.Old.At(e.Step) < 0 {
			continue
		}
		was := old.Steps[x.Old.At(e.Step)]
		was.Status = old.Finished()
		if field := outcome.StepDifference(&was, &steps.Steps[at]); field != "" {
			return judge.Brokef("changed:"+field, e.Step, field, "the step %q, which the run finished, was changed: %s",
				judge.Brief(e.Step), outcome.Change(field, &was, &steps.Steps[at]))
		}
	}
	return judge.Held()
}

// stepsClosed checks that events are about the running step, until that ends or leads to another plan.
func stepsClosed(x *judge.Examination) judge.Result {
	running := ""
	for _, e := range x.Out.Trace {
		switch e.Event {
		case spec.EventPlanStepStart:
			if running != "" {
				return judge.Brokef("open", running, "trace", "the step %q has not ended, but %q begins",
					judge.Brief(running), judge.Brief(e.Step))
			}
			running = e.Step
		case spec.EventStepDone, spec.EventStepFailed, spec.EventReplanAsked, spec.EventReplanTriggered,
			spec.EventToolCalled, spec.EventReplyInvalid:
			if e.Event == spec.EventReplanTriggered && e.State == spec.StateVerifying {
				continue // which no step leads to
			}
			if e.Step != running || running == "" {
				return judge.Brokef("other", e.Step, "trace",
					"the step %q has the event %s, but is not the running step", judge.Brief(e.Step), e.Event)
			}
			if e.Event != spec.EventToolCalled && e.Event != spec.EventReplyInvalid {
				running = ""
			}
		case spec.EventState:
			if running != "" {
				return judge.Brokef("left", running, "trace", "the step %q is still in progress, but the run enters %s",
					judge.Brief(running), e.State)
			}
		}
	}
	return judge.Held()
}

// doneMeansDone checks that a run is applied only with every step done.
func doneMeansDone(x *judge.Examination) judge.Result {
	state := lastState(x)
	switch applied := x.Out.Verdict == harness.Applied; {
	case applied && state != spec.StateDone:
		return judge.Broke("state", "", "verdict", "the run is applied, but ends in the state "+state)
	case !applied && state == spec.StateDone:
		return judge.Broke("refused", "", "verdict", "the run is rejected, but ends in the state DONE")
	case !applied:
		return judge.Held()
	}
	if x.After == nil {
		if !gaveUp(x) {
			return judge.Broke("plan", "", "plan", "the run is applied without a plan, but it did not abandon planning")
		}
		return judge.Held()
	}
	done := finished(x, x.Out.Trace)
	for _, s := range x.After.Steps {
		if s.Status != plan.Done {
			return judge.Brokef("status", s.ID, "status", "the run is applied, but the step %q is %s",
				judge.Brief(s.ID), s.Status)
		}
		if !done[s.ID] {
			return judge.Brokef("never-ran", s.ID, "status", "the step %q is done, but never ran", judge.Brief(s.ID))
		}
	}
	return judge.Held()
}

// writesVerified: what a tool writes is due to be verified, whether the tool succeeds
// or not, until a verification passes. Results and verifications are taken in order.
func writesVerified(x *judge.Examination) judge.Result {
	if x.Out.Verdict != harness.Applied || lastState(x) != spec.StateDone || doneMeansDone(x).Broken != nil {
		return judge.Skip() // doneMeansDone reports unfinished runs: that says more
	}
	tools, checks := items(x, x.Item.Case.Tools), items(x, x.Item.Case.Verify)
	due, step, r := "", "", judge.Skip()
	for _, e := range x.Out.Trace {
		switch e.Event {
		case spec.EventToolCalled:
			if len(tools) == 0 {
				continue // a call that has no result
			}
			if w := tools[0].Get("writes"); w != nil && len(w.Members) > 0 {
				due, step, r = "unverified", e.Step, judge.Held()
			}
			tools = tools[1:]
		case spec.EventFinalVerify:
			passed := e.Code == ""
			if len(checks) > 0 {
				ok := checks[0].Get("ok")
				passed = passed && ok != nil && ok.Text == "true"
				checks = checks[1:]
			}
			switch {
			case passed:
				due = ""
			case due != "":
				due = "not-passed"
			}
		}
	}
	switch due {
	case "unverified":
		return judge.Brokef(due, step, "trace", "the run is done, but the writes of a tool in the step %q are "+
			"not verified", judge.Brief(step))
	case "not-passed":
		return judge.Broke(due, "", "trace", "the run is done, but its last verification failed")
	}
	return r
}

// items returns the items of a script; none if it is not a list.
func items(x *judge.Examination, script jsontext.Value) []strictjson.Value {
	if v := x.Parsed(script); v != nil {
		return v.Items
	}
	return nil
}

// gaveUp reports whether the run went on without a plan.
func gaveUp(x *judge.Examination) bool {
	return !spec.Plans(x.Profile) || slices.ContainsFunc(x.Out.Trace, func(e harness.TraceItem) bool {
		return e.Event == spec.EventPlanParseFailed || e.Event == harness.EventReactUsed
	})
}

func limitsKept(x *judge.Examination) judge.Result {
	l := x.Item.Case.Limits
	most := spec.Limit(l.MaxStepToolCalls, spec.DefaultMaxStepToolCalls)
	replans := spec.Limit(l.MaxReplans, spec.DefaultMaxReplans)
	tries := spec.Limit(l.PlanningRetries, spec.DefaultPlanningRetries) + 1
	rounds, used, refused := 0, 0, 0
	for i, e := range x.Out.Trace {
		switch e.Event {
		case spec.EventPlanStepStart:
			rounds = 0
		case spec.EventToolCalled, spec.EventReplyInvalid:
			rounds++
		case spec.EventStepFailed:
			if rounds != most {
				return judge.Brokef("max_step_tool_calls:less", e.Step, "max_step_tool_calls",
					"the step %q failed after %d rounds; %d are allowed", judge.Brief(e.Step), rounds, most)
			}
		case spec.EventPlanRejected:
			refused++
		case spec.EventPlanParseFailed:
			if refused != tries {
				return judge.Brokef("planning_retries:less", "", "planning_retries",
					"planning is abandoned after %d attempts; %d are allowed", refused, tries)
			}
		case spec.EventState:
			if e.State == spec.StateRecovering && (i == 0 || x.Out.Trace[i-1].State != e.State) {
				used++
			}
		}
		switch {
		case rounds > most || rounds == most && i+1 < len(x.Out.Trace) && goesOn(x.Out.Trace[i+1:], e.Step):
			return judge.Brokef("max_step_tool_calls:more", e.Step, "max_step_tool_calls",
				"the step %q continues after %d rounds; %d are allowed", judge.Brief(e.Step), rounds, most)
		case used > replans:
			return judge.Brokef("max_replans:more", e.Step, "max_replans", "the run has %d replans; %d are allowed",
				used, replans)
		case refused > tries:
			return judge.Brokef("planning_retries:more", "", "planning_retries",
				"planning has %d attempts; %d are allowed", refused, tries)
		}
	}
	return judge.Held()
}

// goesOn reports whether a step that has used up its rounds does anything but fail.
func goesOn(trace []harness.TraceItem, step string) bool {
	for _, e := range trace {
		switch e.Event {
		case spec.EventResumed:
		case spec.EventStepFailed:
			return false
		default:
			return e.Step == step && works(e.Event)
		}
	}
	return false
}

// endNamed checks that the code of a failed run fits its last state.
func endNamed(x *judge.Examination) judge.Result {
	state := lastState(x)
	switch {
	case x.Out.Verdict != harness.Rejected:
		return judge.Skip()
	case x.Out.Code == harness.Refused:
		return judge.Unseen()
	case state == spec.StateIntake:
		return judge.Held()
	}
	codes := map[string][]harness.Code{
		spec.StatePlanning:   {harness.RepliesExhausted},
		spec.StateExecuting:  {harness.MaxReplansReached, harness.RepliesExhausted},
		spec.StateBlocked:    {harness.DependencyDeadlock},
		spec.StateRecovering: {harness.ReplanFailed, harness.RepliesExhausted},
		spec.StateVerifying:  {harness.VerificationFailed, harness.RepliesExhausted},
	}[state]
	asks := state == spec.StatePlanning || state == spec.StateExecuting || state == spec.StateRecovering
	if asks && len(x.Item.Case.Budget) > 0 {
		codes = append(codes, harness.CannotFit)
	}
	if !slices.Contains(codes, x.Out.Code) {
		return judge.Brokef("code", "", "code", "the run ends in the state %s with the code %s, which is not a "+
			"code of this state", state, x.Out.Code)
	}
	left := spec.Limit(x.Item.Case.Limits.MaxReplans, spec.DefaultMaxReplans) -
		spec.Count(x.Out.Trace, harness.EventReplanRequested)
	early := x.Out.Code == harness.MaxReplansReached || x.Out.Code == harness.DependencyDeadlock ||
		x.Out.Code == harness.VerificationFailed && spec.ReplansOn(x.Profile, spec.OnVerification) && !gaveUp(x)
	if left > 0 && early {
		return judge.Brokef("left", "", "code", "the run ends with %s, but %d replans are left", x.Out.Code, left)
	}
	return judge.Held()
}

// runBound checks the number of replies that a run reads.
func runBound(x *judge.Examination) judge.Result {
	read := repliesRead(x)
	if read < 0 {
		return untold(x)
	}
	if n := len(x.Item.Case.Replies); read > n {
		return judge.Brokef("case", "", "messages", "the run read %d replies; the case has %d", read, n)
	}
	steps := spec.Limit(x.Item.Case.Limits.MaxPlanSteps, 0)
	for _, p := range []*plan.Plan{x.Before, x.After} {
		if p != nil {
			steps = max(steps, len(p.Steps))
		}
	}
	started := map[string]bool{}
	for _, e := range x.Out.Trace {
		if e.Event == spec.EventPlanStepStart {
			started[e.Step] = true
		}
	}
	if most := spec.MaxReplies(x.Item.Case.Limits, x.Profile, max(steps, len(started))); read > most {
		return judge.Brokef("limits", "", "messages", "the run read %d replies; its limits allow %d", read, most)
	}
	return judge.Held()
}

// repliesRead counts the replies among the messages; -1 without messages.
func repliesRead(x *judge.Examination) int {
	if len(x.Out.Messages) == 0 {
		return -1
	}
	return collect.Count(roles(x), func(role string) bool { return role == "assistant" })
}

// roles returns the roles of the messages.
func roles(x *judge.Examination) []string {
	return judge.Remembered(x, func() []string { return judge.Roles(x.Out.Messages) })
}

// trueSignals checks that each control in the trace has a reply with that control.
// Replies are read in order, and each has one event that says what it was.
func trueSignals(x *judge.Examination) judge.Result {
	next, controls := 0, 0
	r := judge.Skip()
	for _, e := range x.Out.Trace {
		if isControl(e) {
			if next >= len(x.Item.Case.Replies) {
				return r // the trace has events that no run has
			}
			r = judge.Held()
			controls++
			if text := string(x.Item.Case.Replies[next]); !mayControl(text) {
				if skipped(x, next, controls) {
					return judge.Brokef("no-event", e.Step, "trace", "the trace has no event for the reply %q, which precedes a %s",
						judge.Brief(text), e.Event)
				}
				return judge.Brokef(e.Event, e.Step, "trace", "the reply %q is read as a control (%s), but is not one",
					judge.Brief(text), e.Event)
			}
		}
		if spec.Consumes(e.Event) {
			next++
		}
	}
	return r
}

func isControl(e harness.TraceItem) bool {
	return e.Event == spec.EventStepDone || e.Event == spec.EventReplanAsked
}

// skipped reports whether the engine ignores a reply: if the script ends with it, the trace has fewer controls.
func skipped(x *judge.Examination, reply, controls int) bool {
	c := x.Item.Case
	if !slices.ContainsFunc(c.Replies[reply+1:], func(r harness.Reply) bool { return mayControl(string(r)) }) {
		return false
	}
	c.Replies = c.Replies[:reply+1]
	out, ok := x.Again(c)
	if !ok {
		text := strings.ToLower(string(c.Replies[reply]))
		return !strings.Contains(text, "step_done") && !strings.Contains(text, "replan")
	}
	return collect.Count(out.Trace, isControl) < controls
}

// parts say what became of each reply.
func parts(o *harness.Outcome) (list []judge.Part) {
	for _, e := range o.Trace {
		if spec.Consumes(e.Event) {
			list = append(list, judge.Part{Applied: e.Code == "", Code: e.Code})
		}
	}
	return list
}

// mayControl reports whether a reply has something like an envelope, or a control word alone on a line.
func mayControl(text string) bool {
	if strings.Contains(text, "{") && strings.Contains(text, "control") {
		return true
	}
	for line := range strings.Lines(text) {
		if signal().MatchString(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// signal is a line that is a control word, in one of its forms and with punctuation.
var signal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(
		`^(?:W|【W】|\[W\]|\*\*W\*\*|__W__|`+"`W`"+`|"W"|'W'|“W”|‘W’|「W」|『W』)[.,;:!?…。，、；：！？]*$`,
		"W", "(?:[Ss][Tt][Ee][Pp]_[Dd][Oo][Nn][Ee]|[Rr][Ee][Pp][Ll][Aa][Nn])"))
})

func rolesAlternate(x *judge.Examination) judge.Result {
	if len(x.Out.Messages) == 0 {
		return untold(x)
	}
	list := roles(x)
	if len(list) > 0 && list[0] == "system" {
		list = list[1:]
	}
	turn := [2]string{"user", "assistant"}
	for i, role := range list {
		if role != turn[i%2] {
			kind := "turn"
			if role == "system" {
				kind = role
			}
			return judge.Brokef(kind, "", "messages", "message %d has the role %q instead of %s", i+1, role, turn[i%2])
		}
	}
	return judge.Held()
}

// mostInterruptions bounds how often one run is interrupted.
const mostInterruptions = 64

// resumeAnywhere checks that a resumed run continues where it was interrupted.
func resumeAnywhere(x *judge.Examination) judge.Result {
	n := len(x.Out.Trace)
	if n == 0 || x.Item.Case.InterruptAfter != nil && *x.Item.Case.InterruptAfter < 1 {
		return judge.Skip()
	}
	for k := 1; k <= n; k += 1 + n/mostInterruptions {
		c := x.Item.Case
		c.InterruptAfter = &k
		out, ok := x.Again(c)
		if !ok {
			return judge.Brokef("fails", "", "verdict", "the engine fails when the run is interrupted after event %d", k)
		}
		if judge.Answer(out) != judge.Answer(x.Out) {
			kind := "code"
			if out.Verdict != x.Out.Verdict {
				kind = "end"
			}
			return judge.Brokef(kind, "", "verdict", "interrupted after event %d, the run ends with %s instead of %s", k,
				judge.Answer(out), judge.Answer(x.Out))
		}
		if (x.Out.Plan == nil) != (out.Plan == nil) {
			return judge.Brokef("plan", "", "plan", "interrupted after event %d, the run gains or loses a plan", k)
		}
		if d := outcome.Plans(x.Out.Plan, out.Plan); d != nil {
			return judge.Brokef("plan", d.Step, d.Field,
				"interrupted after event %d, the run ends with a different plan: %s", k, d.Words)
		}
		second := &judge.Examination{Ctx: x.Ctx, Judge: x.Judge, Item: x.Item, Profile: x.Profile, Out: out}
		second.Decode()
		if r := doneOnce(second); r.Broken != nil {
			r.Broken.Kind = "end"
			r.Broken.Message = fmt.Sprintf("interrupted after event %d: %s", k, r.Broken.Message)
			return r
		}
	}
	return judge.Held()
}

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: check.WithKinds(kinds, judge.Answers(), check.Steps(), runRules(),
			[]judge.Check{judge.Again(), check.Growth()}, judge.Oracles()),
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Parts: parts, Runs: true,
	}
}
