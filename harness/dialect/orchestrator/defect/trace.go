package defect

import (
	"bytes"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// planDefects are defects in the choice of steps that run.
func planDefects() []mutant.Defect {
	status := func(from, to plan.Status) mutant.Wrap {
		return stepping(func(s *plan.Step) {
			if s.Status == from {
				s.Status = to
			}
		})
	}
	return []mutant.Defect{
		mutant.New("ignores-dependencies", "runs steps in plan order without regard to dependencies", mutant.By(unordered)),
		mutant.New("failed-counts-as-done", "treats a dependency on a failed step as met", status(plan.Failed, plan.Done)),
		mutant.New("in-progress-for-ever", "does not run a step that an earlier process left in progress",
			status(plan.InProgress, plan.Failed)),
		mutant.New("blocked-for-ever", "does not check again whether a blocked step is still blocked",
			status(plan.Blocked, plan.Failed)),
		mutant.New("runs-done-again", "runs done steps again", status(plan.Done, plan.Pending)),
		mutant.New("retries-failed", "runs failed steps again without a replan", status(plan.Failed, plan.Pending)),
		mutant.New("one-at-a-time", "runs one step at a time, even if the profile allows waves",
			mutant.Under(func(p *harness.Profile) { p.Parallel = 1 })),
		mutant.New("plan-not-cut", "does not cut a first plan that exceeds its limit", mutant.Asking(func(c *harness.Case) {
			if n := c.Limits.MaxPlanSteps; c.Plan == nil && n != nil && *n > 0 {
				c.Limits.MaxPlanSteps = nil
			}
		})),
		mutant.Large("cut-takes-no-chain", "cuts the direct dependents of a cut step, but not their dependents",
			"it takes a first plan of three steps with a chain of dependencies", mutant.By(shortCut)),
		mutant.New("no-fallback", "uses only the first rung of the ladder",
			mutant.Under(func(p *harness.Profile) { p.Ladder = p.Ladder[:1] })),
		mutant.Large("loses-finished-work", "carries finished steps over only by id",
			"it takes a done step, a replan request, and a full plan without the done step",
			mutant.Under(func(p *harness.Profile) { p.CarryOver = harness.ByID })),
	}
}

// shortCut cuts the first plan itself, where that makes a difference: what needs a
// step that needs one cut off stays, and waits for neither.
func shortCut(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	if n := c.Limits.MaxPlanSteps; c.Plan == nil && n != nil && *n > 0 {
		c = mutant.Reread(c, func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) { cutOnce(o, *n) })
		})
	}
	return right(c, p)
}

// cutOnce leaves a plan most steps, without those that need one cut off, if others
// need these.
func cutOnce(o mutant.Object, most int) {
	steps := o.Items("steps")
	if len(steps) <= most {
		return
	}
	cut, direct := map[string]bool{}, map[string]bool{}
	for _, s := range steps[most:] {
		cut[s.Text("id")] = true
	}
	needs := func(s mutant.Object, ids map[string]bool) bool {
		return slices.ContainsFunc(slices.Collect(s.Values("dependencies")),
			func(v *strictjson.Value) bool { return ids[v.Text] })
	}
	for _, s := range steps[:most] {
		if needs(s, cut) {
			direct[s.Text("id")] = true
		}
	}
	gone := func(id string) bool { return cut[id] || direct[id] }
	if !slices.ContainsFunc(steps[:most], func(s mutant.Object) bool { return !gone(s.Text("id")) && needs(s, direct) }) {
		return
	}
	o.Filter("steps", func(v *strictjson.Value) bool { return gone(mutant.ID(v)) })
	for _, s := range o.Items("steps") {
		s.Filter("dependencies", func(v *strictjson.Value) bool { return gone(v.Text) })
	}
}

// stepping changes the steps of the plan of the case.
func stepping(change func(s *plan.Step)) mutant.Wrap {
	return mutant.Asking(func(c *harness.Case) {
		p, err := plan.Decode(c.Plan)
		if err != nil {
			return
		}
		for s := range mutant.Steps(p) {
			change(s)
		}
		*c = mutant.WithPlan(*c, p)
	})
}

// unordered runs the plan of the case without its dependencies, and shows it
// with them.
func unordered(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old, err := plan.Decode(c.Plan)
	if err != nil {
		return right(c, p)
	}
	out := stepping(func(s *plan.Step) { s.Dependencies = nil })(right)(c, p)
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
	without := func(gone func(e harness.TraceItem) bool) mutant.Wrap {
		return mutant.Answering(func(out *harness.Outcome) { out.Trace = slices.DeleteFunc(out.Trace, gone) })
	}
	return []mutant.Defect{
		mutant.New("left-in-progress", "leaves a step that used up its rounds in progress",
			without(func(e harness.TraceItem) bool { return e.Event == spec.EventStepFailed })),
		mutant.New("no-planning-after-replan", "goes from RECOVERING directly to EXECUTING",
			mutant.Answering(func(out *harness.Outcome) {
				recovered := false
				out.Trace = slices.DeleteFunc(out.Trace, func(e harness.TraceItem) bool {
					recovered = recovered || e.State == spec.StateRecovering
					return recovered && e.State == spec.StatePlanning
				})
			})),
		mutant.New("no-intake", "begins in the state PLANNING", without(func(e harness.TraceItem) bool {
			return e.State == spec.StateIntake && e.Event != spec.EventRunFailed
		})),
		mutant.New("fails-into-done", "enters DONE when a run fails", mutant.Answering(func(out *harness.Outcome) {
			if out.Code == harness.ReplanFailed {
				out.Trace = append(out.Trace, harness.TraceItem{State: spec.StateDone, Event: spec.EventState})
			}
		})),
		mutant.New("reopens-in-silence", "reopens steps without an event",
			without(func(e harness.TraceItem) bool { return e.Event == spec.EventStepReopened })),
		mutant.New("retries-in-silence", "retries planning without an event",
			without(func(e harness.TraceItem) bool { return e.Event == spec.EventPlanningRetry })),
		mutant.New("sends-untrimmed", "ignores the token budget of a case", mutant.Asking(func(c *harness.Case) {
			if c.Budget != nil && string(c.Policy) != `"pinned"` {
				c.Budget, c.Policy = nil, nil
			}
		})),
		mutant.New("trims-in-silence", "trims the conversation without an event",
			without(func(e harness.TraceItem) bool { return e.Event == spec.EventHistoryTrimmed })),
		mutant.New("exceeds-in-silence", "sends a call over its budget without an event",
			without(func(e harness.TraceItem) bool { return e.Event == spec.EventBudgetExceeded })),
		mutant.New("other-tokenizer", "counts the budget with another tokenizer than the case names",
			mutant.Asking(func(c *harness.Case) {
				c.Budget = []byte(strings.Replace(string(c.Budget), `"chars/4"`, `"cl100k_base"`, 1))
			})),
		mutant.New("two-user-messages", "sends two user messages in a row",
			messaging(`{"role":"assistant"`, `{"role":"user","content":""},{"role":"assistant"`)),
		mutant.New("system-in-the-middle", "sends the system message again before each reply",
			messaging(`{"role":"assistant"`, `{"role":"system","content":""},{"role":"assistant"`)),
	}
}

// messaging changes the messages as they are written.
func messaging(old, other string) mutant.Wrap {
	return mutant.Answering(func(out *harness.Outcome) {
		out.Messages = bytes.ReplaceAll(out.Messages, []byte(old), []byte(other))
	})
}

// resumeDefects are defects that show where a run is interrupted.
func resumeDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("forgets-replans-at-resume", "restarts the count of replans when it resumes a run",
			mutant.By(freshReplans)),
		mutant.New("skips-a-reply-at-resume", "skips a reply when it resumes a run", mutant.By(lostReply)),
		mutant.New("forgets-writes-at-resume", "forgets written files when it resumes a run", mutant.By(lostWrites)),
		mutant.New("repeats-steps-at-resume", "repeats the last done step when it resumes a run", mutant.By(repeatedStep)),
	}
}

// before is the trace up to the interruption; nil if there is none.
func before(c harness.Case, out harness.Outcome) []harness.TraceItem {
	if k := c.InterruptAfter; k != nil && *k > 0 && *k < len(out.Trace) {
		return out.Trace[:*k]
	}
	return nil
}

func freshReplans(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	used := count(before(c, out), harness.EventReplanRequested)
	if used == 0 || c.Limits.MaxReplans == nil {
		return out
	}
	c.Limits.MaxReplans = new(*c.Limits.MaxReplans + used)
	return right(c, p)
}

func lostReply(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	read := 0
	for _, e := range before(c, out) {
		if spec.Consumes(e.Event) {
			read++
		}
	}
	if read == 0 || read >= len(c.Replies) {
		return out
	}
	c.Replies = slices.Delete(slices.Clone(c.Replies), read, read+1)
	return right(c, p)
}

func lostWrites(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	called := count(before(c, out), spec.EventToolCalled)
	if called == 0 {
		return out
	}
	n := 0
	c.Tools = mutant.Rewrite(c.Tools, func(tool mutant.Object) {
		if n++; n <= called {
			forgetWrites(tool)
		}
	})
	return right(c, p)
}

func repeatedStep(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	trace := before(c, out)
	for _, e := range slices.Backward(trace) {
		if e.Event == spec.EventStepDone {
			begin := harness.TraceItem{State: e.State, Step: e.Step, Event: spec.EventPlanStepStart}
			out.Trace = slices.Insert(out.Trace, len(trace)+1, begin, e)
			break
		}
	}
	return out
}
