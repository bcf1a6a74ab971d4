// Package check contains the properties that sessions of the dialect planmode must have,
// whatever the profile. It does not import the rules.
package check

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// sessionRules look at sessions of the dialect planmode.
func sessionRules() []judge.Check {
	// Without one trace item for each call it is not known which item belongs to which call: events-complete says so.
	holds := func(name, text string, look func(*sessionView) *judge.Break) judge.Check {
		return judge.Holds(name, text, func(x *judge.Examination) judge.Result {
			v := session(x)
			if v == nil || !v.whole {
				return judge.Skip()
			}
			b := look(v)
			return judge.Result{Exercised: v.looked || b != nil, Broken: b}
		})
	}
	return []judge.Check{
		holds("plan-file-only", "in plan mode only the plan file is written", (*sessionView).planFileOnly),
		holds("files-kept", "a read returns the last written content; a rejected write changes nothing",
			(*sessionView).filesKept),
		holds("path-in-plans", "every path of a plan file names a file in the plan directory",
			(*sessionView).pathInPlans),
		holds("one-plan-file", "a session has one plan file, which belongs to no other session",
			(*sessionView).onePlanFile),
		holds("agent-stays-out", "an agent does not enter, leave or toggle plan mode or change its phase",
			(*sessionView).agentStaysOut),
		holds("tools-allowed", "no call that the mode or the agent's tools forbid is accepted",
			(*sessionView).toolsAllowed),
		holds("asked-first", "calls that need the user's approval are not made without it", (*sessionView).askedFirst),
		holds("no-empty-plan", "a missing or blank plan is never approved", (*sessionView).noEmptyPlan),
		holds("denied-exit", "a denied exit keeps plan mode, leads to review and reports the feedback",
			(*sessionView).deniedExit),
		judge.Holds("events-complete",
			"each call has one trace item, in order, followed by exactly its events with all members", eventsComplete),
		holds("phases-forward", "phases advance one at a time, and only in plan mode", (*sessionView).phasesForward),
		holds("refused-nothing", "a rejected call changes nothing and emits no event", (*sessionView).refusedNothing),
		holds("first-refusal", "verdict and code match the first rejected call", (*sessionView).firstRefusal),
	}
}

// calls lists what came of each call.
func calls(out *harness.Outcome) (list []judge.Part) {
	for _, t := range out.Trace {
		if t.Event == "" {
			list = append(list, judge.Part{Applied: t.Code == "", Code: t.Code})
		}
	}
	return list
}

// sessionView pairs a script with an engine's outcome.
type sessionView struct {
	out    *harness.Outcome
	parsed func(jsontext.Value) *strictjson.Value
	looked bool // a check had something to look at

	agent       string // in lower case; "" in the main session
	tools       []string
	phase       string // at the beginning; "" in the mode normal
	slug        string
	timestamp   *strictjson.Value // nil is none
	taken       []string          // other sessions' slugs
	names       []string          // of the files before the first call
	files       map[string]string // and what they hold; followed by one check
	links       bool              // there are links, so that the text of a path does not identify its file
	steps       []sessionStep
	whole       bool // the trace has exactly one item for each call
	mode, final string
	own         string // the plan file: its path in the outcome, or else in the last call or event that has it
}

// sessionStep is a call with what came of it. plan, phase and asks are where
// the session stood before, by its events.
type sessionStep struct {
	call   *strictjson.Value
	tool   string // "phase" for a phase, "toggle" for the user's own; no tool has these names here
	item   harness.TraceItem
	events []harness.TraceItem
	plan   bool
	phase  string
	asks   bool
}

// each yields the steps with their places.
func (v *sessionView) each(yield func(i int, s *sessionStep) bool) {
	for i := range v.steps {
		if !yield(i, &v.steps[i]) {
			return
		}
	}
}

func (s *sessionStep) made() bool { return s.item.Code == "" }

func (s *sessionStep) arg(name string) string { return s.call.Get("args").Get(name).Str() }

// said returns what the user says to the call.
func (s *sessionStep) said() string {
	switch v := s.call.Get("approval"); {
	case v == nil:
		return ""
	case v.Kind == strictjson.Bool:
		return map[string]string{"true": "approve", "false": "deny"}[v.Text]
	}
	return spec.Answer(s.call.Get("approval").Text)
}

// session returns the view of the case, made once; nil where the script is none
// or the outcome has no trace.
func session(x *judge.Examination) *sessionView {
	v := judge.Remembered(x, func() *sessionView { return newSessionView(x) })
	if v != nil {
		v.looked = false
	}
	return v
}

func newSessionView(x *judge.Examination) *sessionView {
	c, out := &x.Item.Case, &x.Out
	calls := x.Parsed(c.Calls)
	if out.Trace == nil || calls == nil || calls.Kind != strictjson.Array {
		return nil
	}
	v := &sessionView{out: out, files: map[string]string{}, parsed: x.Parsed}
	v.context(x.Parsed(c.Context))
	files, _ := x.Object(c.Files)
	for _, m := range files.Members {
		v.links = v.links || m.Value.Kind != strictjson.String
		v.names, v.files[m.Name] = append(v.names, m.Name), m.Value.Text
	}
	v.follow(calls.Items)
	return v
}

func (v *sessionView) context(c *strictjson.Value) {
	if c == nil {
		return
	}
	switch agent := c.Get("agent"); {
	case agent == nil:
	case agent.Kind == strictjson.String:
		v.agent = strings.ToLower(agent.Text)
	case agent.Text == "true":
		v.agent = "true"
	}
	v.phase, v.slug = c.Get("phase").Str(), c.Get("slug").Str()
	v.tools, _ = c.Get("agent_tools").Strings()
	v.taken, _ = c.Get("taken").Strings()
	v.timestamp = c.Given("timestamp")
}

// follow puts calls and trace together.
func (v *sessionView) follow(calls []strictjson.Value) {
	trace := v.out.Trace
	plan, phase, asks := v.phase != "", v.phase, false
	v.steps = make([]sessionStep, 0, len(calls))
	for i := range calls {
		if len(trace) == 0 || trace[0].Event != "" {
			return
		}
		s := sessionStep{call: &calls[i], tool: nameOf(&calls[i]), item: trace[0], plan: plan, phase: phase, asks: asks}
		if calls[i].Get(s.tool) == nil && (s.tool == "phase" || s.tool == "toggle") {
			s.tool = "the tool " + s.tool
		}
		n := slices.IndexFunc(trace[1:], func(t harness.TraceItem) bool { return t.Event == "" })
		if n < 0 {
			n = len(trace) - 1
		}
		s.events, trace = trace[1:n+1], trace[n+1:]
		v.steps = append(v.steps, s)
		events := eventNames(s.events)
		if len(events) == 0 && s.made() { // they are missing: what the call means counts
			events = s.wants()
		}
		for _, e := range events {
			switch e {
			case spec.EventPlanEnter:
				plan, phase = true, "explore"
			case spec.EventPlanExit:
				phase = "exit"
			case spec.EventPlanApproved:
				plan, phase, asks = false, "", s.said() == "manual"
			case spec.EventPlanDenied:
				if plan {
					phase = "review"
				}
			}
		}
		switch {
		case !s.made():
		case s.tool == "phase" && plan:
			phase = calls[i].Get("phase").Str()
		case s.tool == "toggle" && plan:
			plan, phase = false, ""
		case s.tool == "toggle":
			plan, phase = true, "explore"
		}
	}
	v.whole = len(trace) == 0
	for _, p := range v.paths {
		v.own = p
	}
	v.mode, v.final = "normal", phase
	if plan {
		v.mode = "plan"
	}
}

// nameOf names a call as the trace does.
func nameOf(call *strictjson.Value) string {
	for _, name := range []string{"phase", "toggle"} {
		if call.Get(name) != nil {
			return name
		}
	}
	return call.Get("tool").Str()
}

// broken is a break of a session at a call, or at its end. The answer that it
// shows is the answer to the call alone, so that shrinking need not keep the others.
func (v *sessionView) broken(i int, kind, field, format string, args ...any) *judge.Break {
	b := &judge.Break{Kind: kind, Field: field, Message: fmt.Sprintf(format, args...), Got: "the end"}
	if i < len(v.steps) {
		s := &v.steps[i]
		b.Step, b.Got = s.tool, cmp.Or(string(s.item.Code), "made")
		b.Message = fmt.Sprintf("call %d (%.40q): %s", i+1, s.tool, b.Message)
	}
	return b
}

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: check.WithKinds(kinds, judge.Answers(), sessionRules(), []judge.Check{
			judge.Again(),
			judge.Relates("shorter-script", "a truncated script has the beginning of the same trace", shorterScript),
			judge.Relates("extra-reads", "an additional read-only call changes nothing else", extraReads),
		},
			judge.Oracles()),
		Parts: calls,
		Plan:  func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
	}
}
