// Package session plays the model's side of one session with an agent: it makes the
// calls of a script, reads the plan that the agent states, and records the result of
// every turn. It judges what holds in every dialect: the agent does not crash, its
// requests are well-formed, and an incomplete call is not executed. The caller
// judges what an edit should have done to the plan.
package session

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan/toolmap"
)

// Script is what the model says, from beginning to end.
type Script struct {
	Turns []Turn `json:"turns"`
}

// Turn is one answer of the model, with a plan call in it.
type Turn struct {
	// Edit is the arguments of the call.
	Edit string `json:"edit"`
	// Setup: the edit only brings the plan to where the next one begins.
	Setup bool `json:"setup,omitzero"`
	// Traits are the traits of the edit.
	Traits []string `json:"traits,omitzero"`
	// Fault spoils the answer. The answer to the next request of the agent is whole.
	Fault string `json:"fault,omitzero"`
	// Work: the model calls the probe tool, which returns a long text, instead of the plan tool.
	Work bool `json:"work,omitzero"`
	// Child: the model starts a sub-agent, whose model makes the edit as a plan of its own.
	Child bool `json:"child,omitzero"`
	// New: the tasks of earlier turns mean nothing to this one and the following.
	New bool `json:"new,omitzero"`
	// Resume: the agent ends before this turn, and is started again to continue.
	Resume bool `json:"resume,omitzero"`
}

// Names are the traits of the turn, its fault among them.
func (t Turn) Names() []string {
	if t.Fault == "" {
		return t.Traits
	}
	return append(slices.Clone(t.Traits), t.Fault)
}

// Step is what came of a turn.
type Step struct {
	Turn  int
	Asked int   // how often the agent asked for it
	Calls []Did // what it did with the calls that it took up
	Deed  Deed
}

// Did is what an agent did with a call.
type Did struct {
	Edit    string         // that was sent
	Spoilt  fault.Arrival  // "": the answer was whole
	Refused bool           // the tool gave an error
	Note    string         // the reason why the call counts as refused without an error
	Before  jsontext.Value // the plan as stated before; nil if it was not
	After   jsontext.Value // as stated behind it
	Result  string         // what the tool gave back
	// Sent and Answers are the calls of tools that change one task a call, and what was read from their results.
	Sent    []wire.Call
	Answers []toolmap.Report
	Created []string // names of the tasks that the calls created
	// OpenBlockers reports that After names open blockers only.
	OpenBlockers bool
	// Unmoved reports that the plan did not change, and that the result neither shows it nor names an error: the
	// agent may have rejected the call.
	Unmoved bool
	// Unread reports that the plan after the call is unknown, and that this is not for the agent to state.
	Unread bool
}

// Repeats reports whether the result of a call repeats the edit as it is.
func (d *Did) Repeats() bool {
	return !d.Refused && strings.Contains(d.Result, strings.TrimSpace(d.Edit))
}

// shownWhole is the length of an edit whose result agents show in full.
const shownWhole = 10_000

// unclear reports whether a result says nothing, because the tool keeps the text as it is, the agent
// cuts long results, or the plan may belong to another call.
func (d *Did) unclear() bool {
	return d.Unread || d.Repeats() || d.After == nil && len(d.Edit) > shownWhole
}

// Deed sums up what an agent did with a turn.
type Deed string

// The deeds.
const (
	CarriedOut  Deed = "carried out"
	AskedAgain  Deed = "asked again, carried out"
	ToolError   Deed = "tool error"
	GaveUp      Deed = "ended with a message"
	Vanished    Deed = "ended without a message"
	Hung        Deed = "hung"
	TookPart    Deed = "executed a truncated call"
	TookInvalid Deed = "executed an invalid call"
	Dropped     Deed = "continued without the call"
	NotReached  Deed = "not reached"
	Unfit       Deed = "not possible in this API"
	Lost        Deed = "lost sight of it"
	Kept        Deed = "did not compact its history"
)

// Break is something that must hold and did not.
type Break struct {
	Check   string      `json:"check"`
	Kind    string      `json:"kind"`
	Class   judge.Class `json:"class"`
	Turn    int         `json:"turn"`
	Message string      `json:"message"`
	// Compacted reports that the agent had removed calls from its history.
	Compacted bool `json:"compacted,omitzero"`
}

// Carries reports whether what broke is that a compaction or a restart cut the history.
func (b *Break) Carries() bool { return b.Check == Carried || b.Compacted }

// Log is what came of a session.
type Log struct {
	Steps    []Step
	Breaks   []Break
	Learned  Learned
	Requests int // with the plan tool
	Side     int // without it: titles, summaries
	Exit     launch.Exit
	Strange  map[string]int // other hosts that were asked for
	// Watched counts how often the agent could lose the plan, by the kinds of Carried.
	Watched map[string]int
}

// Calls is how many plan calls the agent took up.
func (l *Log) Calls() (n int) {
	for _, s := range l.Steps {
		n += len(s.Calls)
	}
	return n
}

// Doubled reports whether the agent executed a call of a turn twice.
func (l *Log) Doubled(turn int) bool {
	return slices.ContainsFunc(l.Breaks, func(b Break) bool {
		return b.Turn == turn && b.Check == Arrival && b.Kind == "twice"
	})
}

// Learned is what the first requests show about an agent.
type Learned struct {
	API    wire.API    `json:"api"`
	Stream bool        `json:"stream"`
	Model  string      `json:"model,omitzero"`
	Tools  []wire.Tool `json:"-"`
	// Profile is the one that the tools fit.
	Profile *profile.Profile `json:"-"`
	Tool    wire.Tool        `json:"-"` // the plan tool
	// Stated is the first result of a plan call, or the message that shows the plan. Read is the plan
	// that was read from it.
	Stated string `json:"stated,omitzero"`
	// Message is the place of the messages that show the plan; "" is the result.
	Message string `json:"message,omitzero"`
	// Shown lists the members of items that the agent shows; nil is any.
	Shown []string       `json:"shown,omitzero"`
	Read  jsontext.Value `json:"read,omitzero"`
}

// shows keeps where the plan was, and which members it has there. An empty list may be shown otherwise.
func (l *Learned) shows(s *profile.State) {
	if s == nil {
		return
	}
	l.Message = s.Message
	if shown := s.Shown(); shown != nil {
		l.Shown = shown
	}
}

// The names of the checks.
const (
	Alive   = "alive"
	Arrival = "arrival"
	Roles   = "roles"
	Carried = "carried"
	Stated  = "stated"
	IDs     = "ids"
)

// kinds lists the breaks of the checks of sessions, of every dialect: the class, and the words for people.
var kinds = map[string]struct {
	class judge.Class
	words string
}{
	"alive/silent":              {judge.Crashes, "Exits without a readable message"},
	"alive/ended":               {judge.Crashes, "Exits before the session is complete"},
	"alive/hang":                {judge.Crashes, "Hangs"},
	"alive/loop":                {judge.Crashes, "Sends requests without end"},
	"alive/intact":              {judge.Refuses, "Gives up on a valid response"},
	"alive/exit-code":           {judge.Reports, "Exits with a failure code after a successful session"},
	"arrival/part":              {judge.Loss, "Executes a truncated tool call"},
	"arrival/invalid":           {judge.Loss, "Executes an invalid tool call"},
	"arrival/twice":             {judge.Loss, "Executes a discarded tool call and its retry"},
	"arrival/refused":           {judge.Loss, "Changes the plan on a rejected call"},
	"roles/call-without-result": {judge.Unsound, "Sends a tool call without its result"},
	"roles/result-without-call": {judge.Unsound, "Sends a tool result without its call"},
	"roles/order":               {judge.Unsound, "Sends messages in an order that models reject"},
	"carried/gone":              {judge.Loss, "Loses open items when it compacts its history"},
	"carried/resume":            {judge.Loss, "Loses open items when it resumes a session"},
	"carried/child":             {judge.Loss, "Overwrites the plan with the plan of a sub-agent"},
	"stated/nothing":            {judge.Reports, "Omits the plan from the tool result"},
	"stated/unnamed":            {judge.Reports, "Does not name the id of a new task"},
	"ids/again":                 {judge.Unsound, "Gives a new task the id of an earlier one"},
}

// Words puts a break in plain words.
func Words(check, kind string) string { return cmp.Or(kinds[check+"/"+kind].words, check+" "+kind) }

// Lines of an agent's output that are not written for people.
var (
	traceLine = regexp.MustCompile(`^\s+at |^\s+File ".*", line \d+`)
	noiseLine = regexp.MustCompile(`^Node\.js v|^\(node:|^\(Use |^file:|^node:|^\s*\^+\s*$|Warning:|\[object Object\]|` +
		`^Traceback |^(?:TypeError: )?(?:Cannot read propert|[\w.$]+ is not (?:a function|iterable))|` +
		`^(?:\w+Error: )?'NoneType' object|(?i:deprecated|(?:packages?|versions?) (?:is|are) available|` +
		`please (?:upgrade|update) your packages?|\b(?:npm|pnpm|yarn|pip) install\b)`)
	traceHead = regexp.MustCompile(`^\s|^\}|^(Uncaught )?[\w.]*(Error|Exception)\b`)
)

// message returns the part of an output that is a message to people: without stack traces,
// warnings and errors of the runtime, notices of new versions, and results of tools. noise
// reports that something was removed.
func (p *Player) message(output string) (text string, noise bool) {
	trace := false
	for line := range strings.Lines(output) {
		trace = trace || traceLine.MatchString(line)
	}
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
		case noiseLine.MatchString(line), trace && (traceLine.MatchString(line) || traceHead.MatchString(line)),
			p.isResult(line):
			noise = true
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), noise
}

// isResult reports whether a line comes from the result of a tool.
func (p *Player) isResult(line string) bool {
	const least = 8 // shorter lines are in many texts by chance
	line = strings.TrimSpace(line)
	for _, step := range p.log.Steps {
		for _, d := range step.Calls {
			if len(line) >= least && strings.Contains(d.Result, line) {
				return true
			}
		}
	}
	return false
}
