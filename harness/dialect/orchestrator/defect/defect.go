// Package defect lists the ways in which engines for the dialect orchestrator are wrong.
package defect

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(endDefects(), signalDefects(), limitDefects(), planDefects(), triggerDefects(), traceDefects(),
		resumeDefects())
}

// endDefects are defects of how a run ends.
func endDefects() []mutant.Defect {
	return []mutant.Defect{
		completing("deadlock-is-complete", "reports a deadlocked run as done", harness.DependencyDeadlock),
		completing("failed-is-complete", "reports a run as done after a step failed and no replan was left",
			harness.MaxReplansReached),
		completing("silence-is-complete", "reports a run as done when the replies end", harness.RepliesExhausted),
		mutant.Asks("failed-verification-passes", "treats every verification as passed", func(c *harness.Case) {
			c.Verify = jsontext.Value(strings.ReplaceAll(strings.ReplaceAll(string(c.Verify), `"ok": false`, `"ok":true`),
				`"ok":false`, `"ok":true`))
		}),
		mutant.Asks("never-verifies", "never verifies written files",
			func(c *harness.Case) { c.Tools = mutant.Rewrite(c.Tools, forgetWrites) }),
		mutant.Answers("react-has-a-plan", "reports the implicit step of a run without a plan as its plan",
			func(out *harness.Outcome) {
				if out.Verdict == harness.Applied && out.Plan == nil {
					out.Plan = &plan.Plan{Steps: []plan.Step{{ID: "react", Status: plan.Done}}}
				}
			}),
	}
}

// completing reports a run that stopped with the code as a success, with its plan as far as it is known.
func completing(name, text string, code harness.Code) mutant.Defect {
	return mutant.AnswersTo(name, text, func(c harness.Case, out *harness.Outcome) {
		if out.Code != code {
			return
		}
		last := out.Trace[len(out.Trace)-1]
		if last.State != spec.StateExecuting && last.State != spec.StateBlocked {
			return
		}
		out.Verdict, out.Code, out.Message = harness.Applied, "", ""
		out.Trace = slices.DeleteFunc(out.Trace, func(e harness.TraceItem) bool { return e.State == spec.StateBlocked })
		if e := out.Trace[len(out.Trace)-1]; e.Event == spec.EventRunFailed {
			out.Trace = out.Trace[:len(out.Trace)-1]
		}
		out.Trace = append(out.Trace, harness.TraceItem{State: spec.StateDone, Event: spec.EventState})
		p, err := plan.Decode(c.Plan)
		if err != nil {
			return
		}
		for _, e := range out.Trace {
			if s := p.Step(e.Step); s != nil && e.Event == spec.EventStepDone {
				s.Status = plan.Done
			}
		}
		out.Plan = p
	})
}

func forgetWrites(tool mutant.Object) { tool.Drop("writes") }

// signalDefects confuse controls and prose.
func signalDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("mention-is-done", "treats a reply that contains the word STEP_DONE as the signal",
			func(r mutant.Run) harness.Outcome {
				places := invalidReplies(r.Case, r.Eval().Trace)
				r.Replies = slices.Clone(r.Replies)
				for _, i := range places {
					if strings.Contains(string(r.Replies[i]), "STEP_DONE") {
						r.Replies[i] = `{"control":"step_done"}`
					}
				}
				return r.Eval()
			}),
		mutant.Reads("last-word-counts", "uses the last of several control words", func(r string) string {
			if i := strings.LastIndexByte(r, '\n'); i >= 0 && !strings.Contains(r, "{") && isWord(r[i+1:]) {
				return r[i+1:]
			}
			return r
		}),
		mutant.Reads("word-in-capitals-only", "recognises control words only in upper case", func(r string) string {
			if w := strings.TrimSpace(r); isWord(w) && w != strings.ToUpper(w) {
				return "(not understood)"
			}
			return r
		}),
		mutant.Reads("envelopes-only", "does not recognise bare control words",
			func(r string) string { return bareWords().ReplaceAllString(r, "(not understood)") }),
		undressing("no-brackets", "does not recognise control words in brackets", "【", "["),
		undressing("no-bold", "does not recognise control words in bold or backticks", "**", "__", "`"),
		undressing("no-quotes", "does not recognise control words in quotes", `"`, "'", "“", "「"),
		mutant.Reads("thoughts-are-signals", "treats a control word in a <think> block as a signal", func(r string) string {
			if strings.HasPrefix(r, "<think>\nREPLAN\n") && strings.Contains(r, `"step_done"`) {
				return "REPLAN"
			}
			return r
		}),
		mutant.Reads("any-control-is-done", "treats every unknown control as step_done", func(r string) string {
			if strings.HasPrefix(strings.Replace(r, " ", "", 1), `{"control":"`) && strings.HasSuffix(r, `"}`) && !strings.Contains(r, ",") &&
				!strings.Contains(r, "replan") {
				return `{"control":"step_done"}`
			}
			return r
		}),
	}
}

// bareWords is a line with an old word that is no part of JSON.
var bareWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^[^{}:\n]*(step_done|replan)[^{}:\n]*$`)
})

// undressing does not know replies of old words that begin so.
func undressing(name, text string, openings ...string) mutant.Defect {
	return mutant.Reads(name, text, func(r string) string {
		for line := range strings.Lines(r) {
			for _, o := range openings {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), o); ok && len(rest) < 20 {
					return "(not understood)"
				}
			}
		}
		return r
	})
}

// triggerDefects are defects in the triggers of replans, and in the tool results that a model gets.
func triggerDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("replans-on-every-failed-tool", "replans after a failed tool, even if the profile does not",
			mutant.Under(func(p *harness.Profile) {
				if !spec.ReplansOn(*p, spec.OnTool) {
					_ = p.Set("replan_on", "verification,tool", spec.Knobs()...)
				}
			})),
		mutant.Unlimited("tells-whole-results", "sends tool results to the model without truncation",
			func(l *harness.Limits) **int { return &l.MaxToolResultChars }),
		mutant.Asks("counts-bytes-of-results", "counts max_tool_result_chars in bytes", func(c *harness.Case) {
			n := c.Limits.MaxToolResultChars
			if n == nil || *n < 2 {
				return
			}
			if chars := utf8.RuneCount(c.Tools); chars < len(c.Tools) {
				c.Limits.MaxToolResultChars = new(*n / 2)
			}
		}),
	}
}

// invalidReplies are the places of replies in steps that were no answer.
func invalidReplies(c harness.Case, trace []harness.TraceItem) (places []int) {
	read := 0
	for _, e := range trace {
		if e.Event == spec.EventReplyInvalid && read < len(c.Replies) {
			places = append(places, read)
		}
		if spec.Consumes(e.Event) {
			read++
		}
	}
	return places
}

func isWord(s string) bool {
	w := strings.ToUpper(strings.TrimSpace(s))
	return w == "REPLAN" || w == "STEP_DONE"
}

// limitDefects are defects of counting.
func limitDefects() []mutant.Defect {
	more := func(n int) int {
		if n >= 0 {
			return n + 1
		}
		return n
	}
	return []mutant.Defect{
		mutant.Limit("one-round-more", "allows one round more than the limit",
			func(l *harness.Limits) **int { return &l.MaxStepToolCalls }, more),
		mutant.Limit("one-replan-more", "allows one replan more than the limit",
			func(l *harness.Limits) **int { return &l.MaxReplans }, more),
		mutant.Limit("one-try-more", "requests a plan once more than the limit allows",
			func(l *harness.Limits) **int { return &l.PlanningRetries }, more),
		mutant.Does("invalid-is-no-round", "does not count invalid replies as rounds", func(r mutant.Run) harness.Outcome {
			places := invalidReplies(r.Case, r.Eval().Trace)
			r.Replies = slices.Clone(r.Replies)
			for _, i := range slices.Backward(places) {
				r.Replies = slices.Delete(r.Replies, i, i+1)
			}
			return r.Eval()
		}),
		mutant.New("remembers-replans", "keeps the replan count of the previous run", func(right mutant.Eval) mutant.Eval {
			used := 0
			return func(c harness.Case, p harness.Profile) harness.Outcome {
				if n := c.Limits.MaxReplans; n != nil && *n > 0 {
					c.Limits.MaxReplans = new(max(0, *n-used))
				}
				out := right(c, p)
				used = spec.Count(out.Trace, harness.EventReplanRequested)
				return out
			}
		}).AtSize("it takes two runs, and the first must replan").Beyond(mutant.TwoRequests),
	}
}

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

// unordered runs the plan of the case without its dependencies, and shows it with them.
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
