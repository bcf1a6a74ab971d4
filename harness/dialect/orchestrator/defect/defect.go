// Package defect lists the ways in which engines for the dialect orchestrator are
// wrong.
package defect

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/strictjson"
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
		mutant.New("deadlock-is-complete", "reports a deadlocked run as done", completing(harness.DependencyDeadlock)),
		mutant.New("failed-is-complete", "reports a run as done after a step failed and no replan was left",
			completing(harness.MaxReplansReached)),
		mutant.New("silence-is-complete", "reports a run as done when the replies end", completing(harness.RepliesExhausted)),
		mutant.New("failed-verification-passes", "treats every verification as passed", mutant.Asking(func(c *harness.Case) {
			c.Verify = jsontext.Value(strings.ReplaceAll(strings.ReplaceAll(string(c.Verify), `"ok": false`, `"ok":true`),
				`"ok":false`, `"ok":true`))
		})),
		mutant.New("never-verifies", "never verifies written files", rewritingTools(forgetWrites)),
		mutant.New("failed-tool-writes-nothing", "ignores the writes of failed tools",
			rewritingTools(func(tool mutant.Object) {
				if tool.Says("ok", "false") {
					forgetWrites(tool)
				}
			})),
		mutant.New("second-verification-passes", "treats the verification after a failed one as passed",
			mutant.Asking(func(c *harness.Case) {
				n := 0
				c.Verify = mutant.Rewrite(c.Verify, func(v mutant.Object) {
					if n++; n > 1 {
						v.Set("ok", strictjson.Value{Kind: strictjson.Bool, Text: "true"})
					}
				})
			})),
		mutant.New("one-code-for-all", "reports replan_failed for every failed run",
			mutant.Answering(func(out *harness.Outcome) {
				if out.Code == harness.MaxReplansReached || out.Code == harness.DependencyDeadlock {
					out.Code = harness.ReplanFailed
				}
			})),
		mutant.New("react-has-a-plan", "reports the implicit step of a run without a plan as its plan",
			mutant.Answering(func(out *harness.Outcome) {
				if out.Verdict == harness.Applied && out.Plan == nil {
					out.Plan = &plan.Plan{Steps: []plan.Step{{ID: "react", Status: plan.Done}}}
				}
			})),
	}
}

// completing reports a run that was stopped with the code as a success, with
// its plan as far as it is known.
func completing(code harness.Code) mutant.Wrap {
	return mutant.AnsweringTo(func(c harness.Case, out *harness.Outcome) {
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

// rewritingTools changes the results of tools.
func rewritingTools(change func(tool mutant.Object)) mutant.Wrap {
	return mutant.Asking(func(c *harness.Case) { c.Tools = mutant.Rewrite(c.Tools, change) })
}

func forgetWrites(tool mutant.Object) { tool.Drop("writes") }

// signalDefects confuse controls and prose.
func signalDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("mention-is-replan", "treats a reply that contains the word REPLAN as the signal",
			mistaking("REPLAN", `{"control":"replan"}`)),
		mutant.New("mention-is-done", "treats a reply that contains the word STEP_DONE as the signal",
			mistaking("STEP_DONE", `{"control":"step_done"}`)),
		mutant.New("word-beats-envelope", "looks for control words before envelopes", mutant.Reading(func(r string) string {
			if !strings.Contains(r, `"control"`) || !strings.Contains(r, "\n") || strings.Contains(r, "<think>") {
				return r
			}
			for line := range strings.Lines(r) {
				if w := strings.ToUpper(strings.TrimSpace(line)); w == "REPLAN" || w == "STEP_DONE" {
					return w
				}
			}
			return r
		})),
		mutant.New("last-word-counts", "uses the last of several control words", mutant.Reading(func(r string) string {
			if i := strings.LastIndexByte(r, '\n'); i >= 0 && !strings.Contains(r, "{") && isWord(r[i+1:]) {
				return r[i+1:]
			}
			return r
		})),
		mutant.New("word-in-capitals-only", "recognises control words only in upper case",
			mutant.Reading(func(r string) string {
				if w := strings.TrimSpace(r); isWord(w) && w != strings.ToUpper(w) {
					return "(not understood)"
				}
				return r
			})),
		mutant.New("no-brackets", "does not recognise control words in brackets", undressing("【", "[")),
		mutant.New("no-bold", "does not recognise control words in bold or backticks", undressing("**", "__", "`")),
		mutant.New("no-quotes", "does not recognise control words in quotes", undressing(`"`, "'", "“", "「")),
		mutant.New("no-marks", "does not recognise control words followed by punctuation",
			mutant.Reading(func(r string) string { return endMarks().ReplaceAllString(r, "$1 it is") })),
		mutant.New("brackets-of-one-word", "recognises STEP_DONE in brackets, but not REPLAN",
			mutant.Reading(func(r string) string {
				return strings.NewReplacer("【REPLAN】", "(not understood)", "[REPLAN]", "(not understood)").Replace(r)
			})),
		mutant.New("any-dress-is-a-word", "recognises control words in any markup", mutant.Reading(func(r string) string {
			if w := strings.Trim(r, "()<>*#-[]【】` "); isWord(w) {
				return w
			}
			return r
		})),
		mutant.New("thoughts-are-signals", "treats a control word in a <think> block as a signal",
			mutant.Reading(func(r string) string {
				if strings.HasPrefix(r, "<think>\nREPLAN\n") && strings.Contains(r, `"step_done"`) {
					return "REPLAN"
				}
				return r
			})),
		mutant.New("any-control-is-done", "treats every unknown control as step_done", mutant.Reading(func(r string) string {
			if strings.HasPrefix(strings.Replace(r, " ", "", 1), `{"control":"`) && strings.HasSuffix(r, `"}`) && !strings.Contains(r, ",") &&
				!strings.Contains(r, "replan") {
				return `{"control":"step_done"}`
			}
			return r
		})),
	}
}

// endMarks is an old word with punctuation behind it.
var endMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(step_done|replan)[*】]*[.!。！]+(\n|$)`)
})

// undressing does not know replies of old words that begin so.
func undressing(openings ...string) mutant.Wrap {
	return mutant.Reading(func(r string) string {
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

// mistaking takes replies in a step that are invalid and have the word in them
// for an envelope.
func mistaking(word, envelope string) mutant.Wrap {
	return mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		c.Replies = slices.Clone(c.Replies)
		for _, i := range invalidReplies(c, out.Trace) {
			if strings.Contains(string(c.Replies[i]), word) {
				c.Replies[i] = harness.Reply(envelope)
			}
		}
		return right(c, p)
	})
}

// triggerDefects are defects in the triggers of replans, and in the tool results
// that a model gets.
func triggerDefects() []mutant.Defect {
	// replacing changes the knob replan_on as it is written.
	replacing := func(old, value string) mutant.Wrap {
		return mutant.Under(func(p *harness.Profile) {
			if spec.ReplansOn(*p, old) == (value == "none") {
				_ = p.Set("replan_on", value, spec.Knobs()...)
			}
		})
	}
	return []mutant.Defect{
		mutant.New("ends-on-verification", "ends a run after a failed verification, even if the profile replans",
			replacing(spec.OnVerification, "none")),
		mutant.New("ignores-failed-tools", "does not replan after a failed tool, even if the profile does",
			replacing(spec.OnTool, "none")),
		mutant.New("ignores-the-environment", "does not replan after a changed environment, even if the profile does",
			replacing(spec.OnEnvironment, "none")),
		mutant.New("replans-on-every-failed-tool", "replans after a failed tool, even if the profile does not",
			replacing(spec.OnTool, "verification,tool")),
		mutant.New("tells-whole-results", "sends tool results to the model without truncation",
			mutant.Asking(func(c *harness.Case) {
				if n := c.Limits.MaxToolResultChars; n != nil && *n > 0 {
					c.Limits.MaxToolResultChars = nil
				}
			})),
		mutant.New("counts-bytes-of-results", "counts max_tool_result_chars in bytes", mutant.Asking(func(c *harness.Case) {
			n := c.Limits.MaxToolResultChars
			if n == nil || *n < 2 {
				return
			}
			if chars := utf8.RuneCount(c.Tools); chars < len(c.Tools) {
				c.Limits.MaxToolResultChars = new(*n / 2)
			}
		})),
	}
}

// count counts the events of a kind.
func count(trace []harness.TraceItem, event string) (n int) {
	for _, e := range trace {
		if e.Event == event {
			n++
		}
	}
	return n
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
	more := func(by int) func(int) int {
		return func(n int) int {
			if n >= 0 && n+by >= 0 {
				return n + by
			}
			return n
		}
	}
	rounds := func(l *harness.Limits) **int { return &l.MaxStepToolCalls }
	replans := func(l *harness.Limits) **int { return &l.MaxReplans }
	retries := func(l *harness.Limits) **int { return &l.PlanningRetries }
	return []mutant.Defect{
		mutant.New("one-round-more", "allows one round more than the limit", mutant.Limit(rounds, more(1))),
		mutant.New("one-replan-more", "allows one replan more than the limit", mutant.Limit(replans, more(1))),
		mutant.New("one-replan-less", "allows one replan less than the limit", mutant.Limit(replans, more(-1))),
		mutant.New("one-try-more", "requests a plan once more than the limit allows", mutant.Limit(retries, more(1))),
		mutant.New("no-second-try", "abandons planning after the first reply that is not a plan",
			mutant.Limit(retries, func(n int) int { return min(n, 0) })),
		mutant.New("no-replans-is-any", "treats max_replans 0 as no limit", mutant.Limit(replans, func(n int) int {
			if n == 0 {
				return 1 << 20
			}
			return n
		})),
		mutant.New("failure-is-no-replan", "counts only requested replans, not replans after a failure",
			mutant.By(uncounted(spec.EventStepFailed))),
		mutant.New("react-is-no-replan", "does not count replans that end in react",
			mutant.By(uncounted(harness.EventReactUsed))),
		mutant.New("invalid-is-no-round", "does not count invalid replies as rounds", mutant.By(uncountedReplies)),
		mutant.Large("remembers-replans", "keeps the replan count of the previous run",
			"it takes two runs, and the first must replan", sharedReplans).Beyond(mutant.TwoRequests),
	}
}

// uncounted gives a run one replan more for each of the events.
func uncounted(event string) mutant.Way {
	return func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		out, limit := right(c, p), spec.DefaultMaxReplans
		if given := c.Limits.MaxReplans; given != nil {
			limit = *given
		}
		more := 0
		for range 8 { // more than a campaign has
			n := count(out.Trace, event)
			if n == more || limit < 0 {
				break
			}
			more, c.Limits.MaxReplans = n, new(limit+n)
			out = right(c, p)
		}
		return out
	}
}

// uncountedReplies leaves invalid replies out of the run.
func uncountedReplies(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	places := invalidReplies(c, right(c, p).Trace)
	c.Replies = slices.Clone(c.Replies)
	for _, i := range slices.Backward(places) {
		c.Replies = slices.Delete(c.Replies, i, i+1)
	}
	return right(c, p)
}

// sharedReplans takes the replans of the run before off the next one's.
func sharedReplans(right mutant.Eval) mutant.Eval {
	used := 0
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		if n := c.Limits.MaxReplans; n != nil && *n > 0 {
			c.Limits.MaxReplans = new(max(0, *n-used))
		}
		out := right(c, p)
		used = count(out.Trace, harness.EventReplanRequested)
		return out
	}
}
