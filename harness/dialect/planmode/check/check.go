package check

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/words"
	"replanbench/harness/judge"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// The names of the checks of sessions.
const (
	PlanFileOnly    = "plan-file-only"
	PathInPlans     = "path-in-plans"
	OnePlanFile     = "one-plan-file"
	AgentStaysOut   = "agent-stays-out"
	ToolsAllowed    = "tools-allowed"
	AskedFirst      = "asked-first"
	NoEmptyPlan     = "no-empty-plan"
	DeniedExit      = "denied-exit"
	PhasesForward   = "phases-forward"
	EventsComplete  = "events-complete"
	RefusedNothing  = "refused-nothing"
	FilesKept       = "files-kept"
	FirstRefusal    = "first-refusal"
	ShorterScript   = "shorter-script"
	LookingIsNaught = "looking-is-naught"
)

// sessionRules look at sessions of the dialect planmode.
func sessionRules() []judge.Check {
	walk := func(look func(*sessionView) *judge.Break) func(*judge.Examination) judge.Result {
		return func(x *judge.Examination) judge.Result {
			v := session(x)
			if v == nil {
				return judge.Skip()
			}
			if b := look(v); b != nil {
				return judge.Result{Exercised: true, Broken: b}
			}
			return judge.Result{Exercised: v.looked}
		}
	}
	return []judge.Check{
		judge.Holds(PlanFileOnly, "in plan mode only the plan file is written", walk((*sessionView).planFileOnly)),
		judge.Holds(FilesKept, "a read gives what was written last; a refused write leaves nothing", walk((*sessionView).filesKept)),
		judge.Holds(PathInPlans, "every path of a plan file names a file in the plan directory", walk((*sessionView).pathInPlans)),
		judge.Holds(OnePlanFile, "a session has one plan file, which is no other session's", walk((*sessionView).onePlanFile)),
		judge.Holds(AgentStaysOut, "an agent neither enters nor leaves plan mode, nor changes its phase", walk((*sessionView).agentStaysOut)),
		judge.Holds(ToolsAllowed, "no call is made that the mode or the agent forbids", walk((*sessionView).toolsAllowed)),
		judge.Holds(AskedFirst, "what needs the user's approval does not happen without one", walk((*sessionView).askedFirst)),
		judge.Holds(NoEmptyPlan, "a missing or blank plan is never approved", walk((*sessionView).noEmptyPlan)),
		judge.Holds(DeniedExit, "a denied exit keeps plan mode, leads to review and hands the feedback on", walk((*sessionView).deniedExit)),
		judge.Holds(EventsComplete, "each call has one item in the trace, in order, followed by exactly the events of that call, complete", eventsComplete),
		judge.Holds(PhasesForward, "phases advance one at a time, and only in plan mode", walk((*sessionView).phasesForward)),
		judge.Holds(RefusedNothing, "a call that is refused changes nothing and emits nothing", walk((*sessionView).refusedNothing)),
		judge.Holds(FirstRefusal, "verdict and code are those of the first call refused", walk((*sessionView).firstRefusal)),
	}
}

// relatedSessionRules compare a session with others derived from it.
func relatedSessionRules() []judge.Check {
	return []judge.Check{
		judge.Relates(ShorterScript, "a script that is cut short gives the beginning of the trace", shorterScript),
		judge.Relates(LookingIsNaught, "another call that only reads changes nothing else", lookingIsNaught),
	}
}

// sessionView is a script beside what an engine made of it.
type sessionView struct {
	out    *harness.Outcome
	looked bool // a check had something to look at

	agent       string // "" in the main session
	tools       []string
	phase       string // at the beginning; "" in the mode normal
	slug        string
	taken       []string          // other sessions' slugs
	names       []string          // of the files before the first call
	files       map[string]string // and what they hold; followed by one check
	links       bool              // there are links, so that paths cannot be told by their text
	steps       []sessionStep
	whole       bool // the trace has exactly one item for each call
	mode, final string
}

// sessionStep is a call with what came of it. plan, phase and asks are where
// the session stood before, by its events.
type sessionStep struct {
	call   *strictjson.Value
	tool   string // "phase" for a phase
	item   harness.TraceItem
	events []harness.TraceItem
	plan   bool
	phase  string
	asks   bool
}

func (s *sessionStep) made() bool { return s.item.Code == "" }

func (s *sessionStep) arg(name string) string {
	return s.call.Get("args").Get(name).Str()
}

// said returns what the user says to the call.
func (s *sessionStep) said() string {
	switch v := s.call.Get("approval"); {
	case v == nil:
		return ""
	case v.Kind == strictjson.Bool:
		return map[string]string{"true": "approve", "false": "deny"}[v.Text]
	default:
		return v.Text
	}
}

// session returns the view of the case, made once; nil where the script is none
// or the outcome has no trace.
func session(x *judge.Examination) *sessionView {
	v := judge.Remembered(x, func() *sessionView { return newSessionView(&x.Item.Case, &x.Out) })
	if v != nil {
		v.looked = false
	}
	return v
}

func newSessionView(c *harness.Case, out *harness.Outcome) *sessionView {
	calls := judge.Parsed(c.Calls)
	if out.Trace == nil || calls == nil || calls.Kind != strictjson.Array {
		return nil
	}
	v := &sessionView{out: out, files: map[string]string{}}
	v.context(judge.Parsed(c.Context))
	files, _ := judge.Object(c.Files)
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
		v.agent = agent.Text
	case agent.Text == "true":
		v.agent = "true"
	}
	v.phase, v.slug = c.Get("phase").Str(), c.Get("slug").Str()
	v.tools, _ = c.Get("agent_tools").Strings()
	v.taken, _ = c.Get("taken").Strings()
}

// follow puts calls and trace together.
func (v *sessionView) follow(calls []strictjson.Value) {
	trace := v.out.Trace
	plan, phase, asks := v.phase != "", v.phase, false
	for i := range calls {
		if len(trace) == 0 || trace[0].Event != "" {
			return
		}
		s := sessionStep{call: &calls[i], tool: "phase", item: trace[0], plan: plan, phase: phase, asks: asks}
		if calls[i].Get("phase") == nil {
			s.tool = calls[i].Get("tool").Str()
		}
		n := slices.IndexFunc(trace[1:], func(t harness.TraceItem) bool { return t.Event == "" })
		if n < 0 {
			n = len(trace) - 1
		}
		s.events, trace = trace[1:n+1], trace[n+1:]
		v.steps = append(v.steps, s)
		for _, e := range s.events {
			switch e.Event {
			case words.EventPlanEnter:
				plan, phase = true, "explore"
			case words.EventPlanExit:
				phase = "exit"
			case words.EventPlanApproved:
				plan, phase, asks = false, "", s.said() == "manual"
			case words.EventPlanDenied:
				if plan {
					phase = "review"
				}
			}
		}
		if s.tool == "phase" && s.made() && plan {
			phase = calls[i].Get("phase").Str()
		}
	}
	v.whole = len(trace) == 0
	v.mode, v.final = "normal", phase
	if plan {
		v.mode = "plan"
	}
}

// broken is a break of a session at a call, or at its end. The answer that it
// shows is that of the call alone, so that shrinking need not keep the others.
func (v *sessionView) broken(i int, field, format string, args ...any) *judge.Break {
	b := &judge.Break{Field: field, Message: fmt.Sprintf(format, args...), Got: "the end"}
	if i < len(v.steps) {
		s := &v.steps[i]
		b.Step, b.Got = s.tool, cmp.Or(string(s.item.Code), "made")
		b.Message = fmt.Sprintf("call %d (%.40q): %s", i+1, s.tool, b.Message)
	}
	return b
}

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks: slices.Concat(judge.Answers(), sessionRules(), []judge.Check{judge.Again()}, relatedSessionRules(), judge.Oracles()),
		Plan:   func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
	}
}
