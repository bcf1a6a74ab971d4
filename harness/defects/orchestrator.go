package defects

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// orchestratorDefects lists the defects of engines for the dialect orchestrator.
func orchestratorDefects() []Defect {
	list := ofDialect("orchestrator", slices.Concat(
		runEndRows(), runSignalRows(), runLimitRows(), runPlanRows(), runTraceRows(), runResumeRows(),
	))
	for i := range list {
		list[i].Large = largeRuns()[list[i].Name]
	}
	return list
}

// largeRuns says of the defects that need a large run why.
func largeRuns() map[string]string {
	return map[string]string{
		"remembers-replans":   "it takes two runs, of which the first needs another plan",
		"loses-finished-work": "it takes a step that is done, one that asks for another plan, and a whole plan without the first",
	}
}

// rightRun answers as the reference does.
func rightRun(c harness.Case, p harness.Profile) harness.Outcome { return orchestrator.Eval(c, p) }

// running changes the case and the rules before the run begins.
func running(change func(c *harness.Case, p *harness.Profile)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		change(&c, &p)
		return rightRun(c, p)
	})
}

// changingRun changes the outcome of a run, whose trace is its own.
func changingRun(change func(c harness.Case, out *harness.Outcome)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := rightRun(c, p)
		change(c, &out)
		return out
	})
}

// runEndRows are defects of how a run ends.
func runEndRows() []row {
	return []row{
		{"deadlock-is-complete", "reports a run complete in which steps wait for each other, or for a failed one", completing(harness.DependencyDeadlock)},
		{"failed-is-complete", "reports a run complete although a step failed and no replan was left", completing(harness.MaxReplansReached)},
		{"silence-is-complete", "reports a run complete when the model says nothing more", completing(harness.RepliesExhausted)},
		{"failed-verification-passes", "looks whether there was a verification, and not at what it said", running(func(c *harness.Case, _ *harness.Profile) {
			c.Verify = jsontext.Value(strings.ReplaceAll(strings.ReplaceAll(string(c.Verify), `"ok": false`, `"ok":true`), `"ok":false`, `"ok":true`))
		})},
		{"never-verifies", "is done when the steps are, whatever was written", rewritingTools(func(tool map[string]any) { delete(tool, "writes") })},
		{"failed-tool-writes-nothing", "forgets what a tool wrote that failed afterwards", rewritingTools(func(tool map[string]any) {
			if tool["ok"] == false {
				delete(tool, "writes")
			}
		})},
		{"one-code-for-all", "says replan_failed of whatever stops a run", changingRun(func(_ harness.Case, out *harness.Outcome) {
			if out.Code == harness.MaxReplansReached || out.Code == harness.DependencyDeadlock {
				out.Code = harness.ReplanFailed
			}
		})},
		{"react-has-a-plan", "shows the one implicit step of a run without a plan as its plan", changingRun(func(_ harness.Case, out *harness.Outcome) {
			if out.Verdict == harness.Applied && out.Plan == nil {
				out.Plan = &plan.Plan{Steps: []plan.Step{{ID: "react", Status: plan.Done}}}
			}
		})},
	}
}

// completing reports a run that was stopped with the code as a success, with
// its plan as far as it is known.
func completing(code harness.Code) func() flaw {
	return changingRun(func(c harness.Case, out *harness.Outcome) {
		if out.Code != code {
			return
		}
		last := out.Trace[len(out.Trace)-1]
		if last.State != words.StateExecuting && last.State != words.StateBlocked {
			return
		}
		out.Verdict, out.Code, out.Message = harness.Applied, "", ""
		out.Trace = slices.DeleteFunc(out.Trace, func(e harness.TraceItem) bool { return e.State == words.StateBlocked })
		if e := out.Trace[len(out.Trace)-1]; e.Event == words.EventRunFailed {
			out.Trace = out.Trace[:len(out.Trace)-1]
		}
		out.Trace = append(out.Trace, harness.TraceItem{State: words.StateDone, Event: words.EventEntered})
		p, err := plan.Decode(c.Plan)
		if err != nil {
			return
		}
		for _, e := range out.Trace {
			if s := p.Step(e.Step); s != nil && e.Event == words.EventStepDone {
				s.Status = plan.Done
			}
		}
		out.Plan = p
	})
}

func rewritingTools(change func(tool map[string]any)) func() flaw {
	return running(func(c *harness.Case, _ *harness.Profile) { c.Tools = changedTools(c.Tools, change) })
}

// changedTools changes the results of tools that are written as they should be.
func changedTools(raw jsontext.Value, change func(tool map[string]any)) jsontext.Value {
	var tools []map[string]any
	if json.Unmarshal(raw, &tools) != nil {
		return raw
	}
	for _, tool := range tools {
		change(tool)
	}
	changed, err := json.Marshal(tools, json.Deterministic(true))
	if err != nil {
		return raw
	}
	return changed
}

// runSignalRows are defects of telling a control from prose.
func runSignalRows() []row {
	return []row{
		{"mention-is-replan", "takes a reply that contains the word REPLAN for the signal", mistaking("REPLAN", `{"control":"replan"}`)},
		{"mention-is-done", "takes a reply that contains the word STEP_DONE for the signal", mistaking("STEP_DONE", `{"control":"step_done"}`)},
		{"word-beats-envelope", "looks for the old words before it looks for an envelope", replying(func(r string) string {
			if !strings.Contains(r, `"control"`) || !strings.Contains(r, "\n") || strings.Contains(r, "<think>") {
				return r
			}
			for line := range strings.Lines(r) {
				if w := strings.ToUpper(strings.TrimSpace(line)); w == "REPLAN" || w == "STEP_DONE" {
					return w
				}
			}
			return r
		})},
		{"last-word-counts", "takes the last of several old words", replying(func(r string) string {
			if i := strings.LastIndexByte(r, '\n'); i >= 0 && !strings.Contains(r, "{") && isWord(r[i+1:]) {
				return r[i+1:]
			}
			return r
		})},
		{"word-in-capitals-only", "knows the old words in capital letters alone", replying(func(r string) string {
			if w := strings.TrimSpace(r); isWord(w) && w != strings.ToUpper(w) {
				return "(not understood)"
			}
			return r
		})},
		{"no-brackets", "does not know the old word in its brackets", replying(func(r string) string { return strings.ReplaceAll(r, "【STEP_DONE】", "[STEP-DONE]") })},
		{"thoughts-are-signals", "takes an old word among thoughts for a signal", replying(func(r string) string {
			if strings.HasPrefix(r, "<think>\nREPLAN\n") && strings.Contains(r, `"step_done"`) {
				return "REPLAN"
			}
			return r
		})},
		{"any-control-is-done", "takes every envelope that is not replan for step_done", replying(func(r string) string {
			if strings.HasPrefix(r, `{"control":"`) && strings.HasSuffix(r, `"}`) && !strings.Contains(r, ",") && !strings.Contains(r, "replan") {
				return `{"control":"step_done"}`
			}
			return r
		})},
	}
}

// mistaking takes replies in a step that are invalid and have the word in them
// for an envelope.
func mistaking(word, envelope string) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := rightRun(c, p)
		c.Replies = slices.Clone(c.Replies)
		for _, i := range invalidReplies(c, out.Trace) {
			if strings.Contains(string(c.Replies[i]), word) {
				c.Replies[i] = harness.Reply(envelope)
			}
		}
		return rightRun(c, p)
	})
}

// consumes reports whether an event says what a reply was.
func consumes(event string) bool {
	switch event {
	case words.EventPlanAccepted, words.EventPlanRejected, words.EventToolCalled, words.EventReplyInvalid,
		words.EventStepDone, words.EventReplanAsked, harness.EventPatchApplied, harness.EventPatchRejected,
		harness.EventFullPlanUsed, harness.EventFullPlanRejected:
		return true
	}
	return false
}

// invalidReplies are the places of replies in steps that were no answer.
func invalidReplies(c harness.Case, trace []harness.TraceItem) (places []int) {
	read := 0
	for _, e := range trace {
		if e.Event == words.EventReplyInvalid && read < len(c.Replies) {
			places = append(places, read)
		}
		if consumes(e.Event) {
			read++
		}
	}
	return places
}

func isWord(s string) bool {
	w := strings.ToUpper(strings.TrimSpace(s))
	return w == "REPLAN" || w == "STEP_DONE"
}

// replying changes the replies before they are read.
func replying(change func(reply string) string) func() flaw {
	return running(func(c *harness.Case, _ *harness.Profile) {
		c.Replies = slices.Clone(c.Replies)
		for i, r := range c.Replies {
			c.Replies[i] = harness.Reply(change(string(r)))
		}
	})
}

// runLimitRows are defects of counting.
func runLimitRows() []row {
	more := func(limit func(*harness.Limits) **int, by int) func() flaw {
		return running(func(c *harness.Case, _ *harness.Profile) {
			if n := limit(&c.Limits); *n != nil && **n >= 0 && **n+by >= 0 {
				*n = new(**n + by)
			}
		})
	}
	rounds := func(l *harness.Limits) **int { return &l.MaxStepToolCalls }
	replans := func(l *harness.Limits) **int { return &l.MaxReplans }
	retries := func(l *harness.Limits) **int { return &l.PlanningRetries }
	return []row{
		{"one-round-more", "lets a step have one round more than it may", more(rounds, 1)},
		{"one-replan-more", "lets a run have one replan more than it may", more(replans, 1)},
		{"one-replan-less", "counts a replan when the run begins", more(replans, -1)},
		{"one-try-more", "asks for a plan once more than it may", more(retries, 1)},
		{"no-second-try", "gives up planning after the first reply that is no plan", running(func(c *harness.Case, _ *harness.Profile) {
			if n := c.Limits.PlanningRetries; n != nil && *n > 0 {
				c.Limits.PlanningRetries = new(0)
			}
		})},
		{"no-replans-is-any", "takes max_replans 0 for no limit", running(func(c *harness.Case, _ *harness.Profile) {
			if n := c.Limits.MaxReplans; n != nil && *n == 0 {
				c.Limits.MaxReplans = new(1 << 20)
			}
		})},
		{"failure-is-no-replan", "counts the replans that are asked for, and not those after a failure", always(uncountedFailures)},
		{"invalid-is-no-round", "answers invalid replies without counting them", always(uncountedReplies)},
		{"remembers-replans", "goes on counting replans from the run before", sharedReplans},
	}
}

// uncountedFailures gives a run one replan more for each that follows a failure.
func uncountedFailures(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightRun(c, p)
	if c.Limits.MaxReplans == nil || *c.Limits.MaxReplans < 0 {
		return out
	}
	limit := *c.Limits.MaxReplans
	for range 8 { // more failures than a campaign has
		failures := 0
		for _, e := range out.Trace {
			if e.Event == words.EventStepFailed {
				failures++
			}
		}
		if *c.Limits.MaxReplans == limit+failures {
			break
		}
		c.Limits.MaxReplans = new(limit + failures)
		out = rightRun(c, p)
	}
	return out
}

// uncountedReplies leaves invalid replies out of the run.
func uncountedReplies(c harness.Case, p harness.Profile) harness.Outcome {
	places := invalidReplies(c, rightRun(c, p).Trace)
	c.Replies = slices.Clone(c.Replies)
	for _, i := range slices.Backward(places) {
		c.Replies = slices.Delete(c.Replies, i, i+1)
	}
	return rightRun(c, p)
}

// sharedReplans takes the replans of the run before off the next one's.
func sharedReplans() flaw {
	used := 0
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		if n := c.Limits.MaxReplans; n != nil && *n > 0 {
			c.Limits.MaxReplans = new(max(0, *n-used))
		}
		out := rightRun(c, p)
		used = 0
		for _, e := range out.Trace {
			if e.Event == harness.EventReplanRequested {
				used++
			}
		}
		return out
	}
}
