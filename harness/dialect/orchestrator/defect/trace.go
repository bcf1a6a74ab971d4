package defect

import (
	"bytes"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// planDefects are defects in the choice of steps that run.
func planDefects() []mutant.Defect {
	status := func(name, text string, from, to plan.Status) mutant.Defect {
		return mutant.Asks(name, text, func(c *harness.Case) {
			*c = stepped(*c, func(s *plan.Step) {
				if s.Status == from {
					s.Status = to
				}
			})
		})
	}
	return []mutant.Defect{
		mutant.Does("ignores-dependencies", "runs steps in plan order without regard to dependencies", unordered),
		status("failed-counts-as-done", "treats a dependency on a failed step as met", plan.Failed, plan.Done),
		status("in-progress-for-ever", "does not run a step that an earlier process left in progress",
			plan.InProgress, plan.Failed),
		status("blocked-for-ever", "does not check again whether a blocked step is still blocked", plan.Blocked, plan.Failed),
		status("runs-done-again", "runs done steps again", plan.Done, plan.Pending),
		status("retries-failed", "runs failed steps again without a replan", plan.Failed, plan.Pending),
		mutant.Follows("one-at-a-time", "runs one step at a time, even if the profile allows waves", spec.Knobs(),
			"parallel=1"),
		mutant.Asks("plan-not-cut", "does not cut a first plan that exceeds its limit", func(c *harness.Case) {
			if n := c.Limits.MaxPlanSteps; c.Plan == nil && n != nil && *n > 0 {
				c.Limits.MaxPlanSteps = nil
			}
		}),
		mutant.New("no-fallback", "uses only the first rung of the ladder",
			mutant.Under(func(p *harness.Profile) { p.Ladder = p.Ladder[:1] })),
		mutant.Follows("loses-finished-work", "carries finished steps over only by id", spec.Knobs(), "carry_over=by_id").
			AtSize("it takes a done step, a replan request, and a full plan without the done step"),
	}
}

// stepped returns the case with the steps of its plan changed.
func stepped(c harness.Case, change func(s *plan.Step)) harness.Case {
	p, err := plan.Decode(c.Plan)
	if err != nil {
		return c
	}
	for s := range mutant.Steps(p) {
		change(s)
	}
	return mutant.WithPlan(c, p)
}

// unordered runs the plan of the case without its dependencies, and shows it
// with them.
func unordered(r mutant.Run) harness.Outcome {
	old, err := plan.Decode(r.Plan)
	if err != nil {
		return r.Eval()
	}
	out := r.Of(stepped(r.Case, func(s *plan.Step) { s.Dependencies = nil }))
	for s := range mutant.Steps(out.Plan) {
		if before := old.Step(s.ID); before != nil && len(s.Dependencies) == 0 {
			s.Dependencies = slices.DeleteFunc(slices.Clone(before.Dependencies),
				func(id string) bool { return out.Plan.Step(id) == nil })
		}
	}
	return out
}

// traceDefects are defects of the states and of the conversation.
func traceDefects() []mutant.Defect {
	without := func(name, text string, gone func(e harness.TraceItem) bool) mutant.Defect {
		return mutant.Answers(name, text, func(out *harness.Outcome) { out.Trace = slices.DeleteFunc(out.Trace, gone) })
	}
	return []mutant.Defect{
		mutant.Answers("no-planning-after-replan", "goes from RECOVERING directly to EXECUTING", func(out *harness.Outcome) {
			recovered := false
			out.Trace = slices.DeleteFunc(out.Trace, func(e harness.TraceItem) bool {
				recovered = recovered || e.State == spec.StateRecovering
				return recovered && e.State == spec.StatePlanning
			})
		}),
		without("no-intake", "begins in the state PLANNING", func(e harness.TraceItem) bool {
			return e.State == spec.StateIntake && e.Event != spec.EventRunFailed
		}),
		mutant.Answers("fails-into-done", "enters DONE when a run fails", func(out *harness.Outcome) {
			if out.Code == harness.ReplanFailed {
				out.Trace = append(out.Trace, harness.TraceItem{State: spec.StateDone, Event: spec.EventState})
			}
		}),
		without("reopens-in-silence", "reopens steps without an event",
			func(e harness.TraceItem) bool { return e.Event == spec.EventStepReopened }),
		without("retries-in-silence", "retries planning without an event",
			func(e harness.TraceItem) bool { return e.Event == spec.EventPlanningRetry }),
		without("trims-in-silence", "trims the conversation without an event",
			func(e harness.TraceItem) bool { return e.Event == spec.EventHistoryTrimmed }),
		without("exceeds-in-silence", "sends a call over its budget without an event",
			func(e harness.TraceItem) bool { return e.Event == spec.EventBudgetExceeded }),
		mutant.Asks("other-tokenizer", "counts the budget with another tokenizer than the case names", func(c *harness.Case) {
			c.Budget = []byte(strings.Replace(string(c.Budget), `"chars/4"`, `"cl100k_base"`, 1))
		}),
		messaging("two-user-messages", "sends two user messages in a row",
			`{"role":"user","content":""},`),
		messaging("system-in-the-middle", "sends the system message again before each reply",
			`{"role":"system","content":""},`),
	}
}

// messaging writes a message before each reply.
func messaging(name, text, message string) mutant.Defect {
	return mutant.Answers(name, text, func(out *harness.Outcome) {
		const reply = `{"role":"assistant"`
		out.Messages = bytes.ReplaceAll(out.Messages, []byte(reply), []byte(message+reply))
	})
}

// resumeDefects are defects that show where a run is interrupted.
func resumeDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("skips-a-reply-at-resume", "skips a reply when it resumes a run", lostReply),
		mutant.Does("forgets-writes-at-resume", "forgets written files when it resumes a run", lostWrites),
		mutant.Does("repeats-steps-at-resume", "repeats the last done step when it resumes a run", repeatedStep),
	}
}

// before is the trace up to the interruption; nil if there is none.
func before(c harness.Case, out harness.Outcome) []harness.TraceItem {
	if k := c.InterruptAfter; k != nil && *k > 0 && *k < len(out.Trace) {
		return out.Trace[:*k]
	}
	return nil
}

func lostReply(r mutant.Run) harness.Outcome {
	out := r.Eval()
	read := collect.Count(before(r.Case, out), func(e harness.TraceItem) bool { return spec.Consumes(e.Event) })
	if read == 0 || read >= len(r.Replies) {
		return out
	}
	r.Replies = slices.Delete(slices.Clone(r.Replies), read, read+1)
	return r.Eval()
}

func lostWrites(r mutant.Run) harness.Outcome {
	out := r.Eval()
	called := spec.Count(before(r.Case, out), spec.EventToolCalled)
	if called == 0 {
		return out
	}
	n := 0
	r.Tools = mutant.Rewrite(r.Tools, func(tool mutant.Object) {
		if n++; n <= called {
			forgetWrites(tool)
		}
	})
	return r.Eval()
}

func repeatedStep(r mutant.Run) harness.Outcome {
	out := r.Eval()
	trace := before(r.Case, out)
	for _, e := range slices.Backward(trace) {
		if e.Event == spec.EventStepDone {
			begin := harness.TraceItem{State: e.State, Step: e.Step, Event: spec.EventPlanStepStart}
			out.Trace = slices.Insert(out.Trace, len(trace)+1, begin, e)
			break
		}
	}
	return out
}
