package defects

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// runPlanRows are defects of what may run.
func runPlanRows() []row {
	status := func(from, to plan.Status) func() flaw {
		return stepping(func(s *plan.Step) {
			if s.Status == from {
				s.Status = to
			}
		})
	}
	return []row{
		{"ignores-dependencies", "runs steps in plan order, whatever they depend on", always(unordered)},
		{"failed-counts-as-done", "takes a dependency on a failed step for met", status(plan.Failed, plan.Done)},
		{"in-progress-for-ever", "does not run a step that an earlier process left in progress", status(plan.InProgress, plan.Failed)},
		{"blocked-for-ever", "does not look again whether a blocked step is still blocked", status(plan.Blocked, plan.Failed)},
		{"runs-done-again", "runs done steps again", status(plan.Done, plan.Pending)},
		{"retries-failed", "runs failed steps again without another plan", status(plan.Failed, plan.Pending)},
		{"one-at-a-time", "runs one step at a time, whatever its profile says", running(func(_ *harness.Case, p *harness.Profile) { p.Parallel = 1 })},
		{"plan-not-cut", "does not cut a first plan that is over its limit", running(func(c *harness.Case, _ *harness.Profile) {
			if n := c.Limits.MaxPlanSteps; c.Plan == nil && n != nil && *n > 0 {
				c.Limits.MaxPlanSteps = nil
			}
		})},
		{"no-fallback", "climbs no further than the first rung of its ladder", running(func(_ *harness.Case, p *harness.Profile) { p.Ladder = p.Ladder[:1] })},
		{"loses-finished-work", "carries finished steps over by their ids alone", running(func(_ *harness.Case, p *harness.Profile) { p.CarryOver = harness.ByID })},
	}
}

// stepping changes the steps of the plan of the case.
func stepping(change func(s *plan.Step)) func() flaw {
	return running(func(c *harness.Case, _ *harness.Profile) {
		p, err := plan.Decode(c.Plan)
		if err != nil {
			return
		}
		for i := range p.Steps {
			change(&p.Steps[i])
		}
		if raw, err := json.Marshal(p); err == nil {
			c.Plan = raw
		}
	})
}

// unordered runs the plan of the case without its dependencies, and shows it
// with them.
func unordered(c harness.Case, p harness.Profile) harness.Outcome {
	old, err := plan.Decode(c.Plan)
	if err != nil {
		return rightRun(c, p)
	}
	out := stepping(func(s *plan.Step) { s.Dependencies = nil })()(c, p)
	if out.Plan == nil {
		return out
	}
	for i := range out.Plan.Steps {
		s := &out.Plan.Steps[i]
		if before := old.Step(s.ID); before != nil && len(s.Dependencies) == 0 {
			s.Dependencies = slices.DeleteFunc(slices.Clone(before.Dependencies), func(id string) bool { return out.Plan.Step(id) == nil })
		}
	}
	return out
}

// runTraceRows are defects of the states and of the conversation.
func runTraceRows() []row {
	without := func(gone func(e harness.TraceItem) bool) func() flaw {
		return changingRun(func(_ harness.Case, out *harness.Outcome) { out.Trace = slices.DeleteFunc(out.Trace, gone) })
	}
	return []row{
		{"left-in-progress", "leaves a step that used up its rounds in progress", without(func(e harness.TraceItem) bool { return e.Event == words.EventStepFailed })},
		{"no-planning-after-replan", "goes from RECOVERING straight to EXECUTING", changingRun(func(_ harness.Case, out *harness.Outcome) {
			recovered := false
			out.Trace = slices.DeleteFunc(out.Trace, func(e harness.TraceItem) bool {
				recovered = recovered || e.State == words.StateRecovering
				return recovered && e.State == words.StatePlanning
			})
		})},
		{"no-intake", "begins with planning", without(func(e harness.TraceItem) bool {
			return e.State == words.StateIntake && e.Event != words.EventRunFailed
		})},
		{"fails-into-done", "goes to DONE when a run fails", changingRun(func(_ harness.Case, out *harness.Outcome) {
			if out.Code == harness.ReplanFailed {
				out.Trace = append(out.Trace, harness.TraceItem{State: words.StateDone, Event: words.EventEntered})
			}
		})},
		{"reopens-in-silence", "reopens steps without saying so", without(func(e harness.TraceItem) bool { return e.Event == words.EventStepReopened })},
		{"two-user-messages", "sends what it has to tell and what it asks as two messages", messaging(`{"role":"assistant"`, `{"role":"user","content":""},{"role":"assistant"`)},
		{"system-in-the-middle", "sends its instructions again before each reply", messaging(`{"role":"assistant"`, `{"role":"system","content":""},{"role":"assistant"`)},
	}
}

// messaging changes the messages as they are written.
func messaging(old, other string) func() flaw {
	return changingRun(func(_ harness.Case, out *harness.Outcome) {
		out.Messages = bytes.ReplaceAll(out.Messages, []byte(old), []byte(other))
	})
}

// runResumeRows are defects that show where a run is interrupted.
func runResumeRows() []row {
	return []row{
		{"forgets-replans-at-resume", "begins to count replans anew when it takes up a run", always(freshReplans)},
		{"skips-a-reply-at-resume", "loses the reply that comes first when it takes up a run", always(lostReply)},
		{"forgets-writes-at-resume", "does not know what was written before when it takes up a run", always(lostWrites)},
		{"repeats-steps-at-resume", "runs the last step that was done once more when it takes up a run", always(repeatedStep)},
	}
}

// before is the trace up to the interruption; nil if there is none.
func before(c harness.Case, out harness.Outcome) []harness.TraceItem {
	if k := c.InterruptAfter; k != nil && *k > 0 && *k < len(out.Trace) {
		return out.Trace[:*k]
	}
	return nil
}

func freshReplans(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightRun(c, p)
	used := 0
	for _, e := range before(c, out) {
		if e.Event == harness.EventReplanRequested {
			used++
		}
	}
	if used == 0 || c.Limits.MaxReplans == nil {
		return out
	}
	c.Limits.MaxReplans = new(*c.Limits.MaxReplans + used)
	return rightRun(c, p)
}

func lostReply(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightRun(c, p)
	read := 0
	for _, e := range before(c, out) {
		if consumes(e.Event) {
			read++
		}
	}
	if read == 0 || read >= len(c.Replies) {
		return out
	}
	c.Replies = slices.Delete(slices.Clone(c.Replies), read, read+1)
	return rightRun(c, p)
}

func lostWrites(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightRun(c, p)
	called := 0
	for _, e := range before(c, out) {
		if e.Event == words.EventToolCalled {
			called++
		}
	}
	if called == 0 {
		return out
	}
	n := 0
	c.Tools = changedTools(c.Tools, func(tool map[string]any) {
		if n++; n <= called {
			delete(tool, "writes")
		}
	})
	return rightRun(c, p)
}

func repeatedStep(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightRun(c, p)
	trace := before(c, out)
	for _, e := range slices.Backward(trace) {
		if e.Event == words.EventStepDone {
			begin := harness.TraceItem{State: e.State, Step: e.Step, Event: words.EventStepStarted}
			out.Trace = slices.Insert(out.Trace, len(trace)+1, begin, e)
			break
		}
	}
	return out
}
