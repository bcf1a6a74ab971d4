package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document/strictjson"
)

// The modes of a session.
const (
	ModeNormal = "normal"
	ModePlan   = "plan"
)

// phases are the phases of plan mode, in order.
var phases = spec.Phases() // never written

const (
	phaseExplore = "explore"
	phaseReview  = "review"
	phaseExit    = "exit"
)

// The user's answers to a call.
const (
	approve      = "approve"
	deny         = "deny"
	autoAccept   = "auto_accept"
	manual       = "manual"
	keepPlanning = "keep_planning"
)

// Eval plays the script of a case on its files. The profile has no knob for it.
func Eval(c harness.Case, _ harness.Profile) harness.Outcome {
	r := reader{parsers: make([]*strictjson.Parser, 0, 2)}
	defer r.release()
	tree := r.files(c.Files)
	if refusal := harness.RefuseDocument(r.Fault); refusal != nil {
		return refusal.Outcome()
	}
	return Run(c, tree)
}

// Run plays the script of a case on other files than its own, which it changes.
func Run(c harness.Case, files planfile.Files) harness.Outcome {
	r := reader{parsers: make([]*strictjson.Parser, 0, 2)}
	defer r.release()
	s := &session{origin: r.context(c.Context), files: files}
	calls := r.calls(c.Calls)
	if refusal := harness.RefuseDocument(r.Fault); refusal != nil {
		return refusal.Outcome()
	}
	if refusal := s.begin(); refusal != nil {
		return refusal.Outcome()
	}
	s.trace = make([]harness.TraceItem, 0, len(calls)+4)
	for i := range calls {
		s.call(i, &calls[i])
	}
	return s.outcome()
}

// session is the state of a script.
type session struct {
	origin
	files planfile.Files
	path  string // of the plan file; "" before there is one
	asks  bool   // each edit is asked for
	trace []harness.TraceItem
	first *harness.Refusal
}

// begin gives a session that begins in plan mode its plan file.
func (s *session) begin() *harness.Refusal {
	if s.slug != "" {
		s.path = planfile.Path(s.slug)
	}
	if s.phase == "" {
		return nil
	}
	refusal := s.name()
	if refusal != nil {
		refusal.At = new("/context")
	}
	return refusal
}

// name draws the name of the plan file if the session has none.
func (s *session) name() *harness.Refusal {
	if s.path != "" {
		return nil
	}
	names, err := s.files.PlanNames()
	if err != nil {
		return harness.Refuse(harness.SlugExhausted, "%s", err)
	}
	used := make(map[string]bool, len(names)+len(s.taken))
	for _, name := range names {
		used[planfile.Fold(name)] = true
	}
	for _, slug := range s.taken {
		used[planfile.Fold(slug+".md")] = true
	}
	slug, err := planfile.NewSlugs(s.seed, s.slugs).Free(func(slug string) bool { return used[slug+".md"] })
	if err != nil {
		return harness.Refuse(harness.SlugExhausted, "%s after %d draws; remove old plan files", err, 1+planfile.Retries)
	}
	s.path = planfile.Path(slug)
	return nil
}

// state is the mode, or in plan mode the phase.
func (s *session) state() string {
	if s.phase == "" {
		return ModeNormal
	}
	return s.phase
}

func (s *session) mode() string {
	if s.phase == "" {
		return ModeNormal
	}
	return ModePlan
}

// call makes the i-th call and records it.
func (s *session) call(i int, c *call) {
	at := len(s.trace)
	s.trace = append(s.trace, harness.TraceItem{State: s.state(), Step: c.name()})
	data, refusal := s.make(c)
	if refusal == nil {
		s.trace[at].Data = data
		return
	}
	s.trace[at].Code = refusal.Code
	if s.first == nil {
		s.first = harness.RefuseAt(refusal.Code, fmt.Sprintf("/calls/%d", i), "%.40q: %s", c.name(), refusal.Message)
	}
}

func (c *call) name() string {
	switch {
	case c.toggle:
		return "toggle"
	case c.tool == "":
		return "phase"
	}
	return c.tool
}

// emit records an event of the session and its plan file, with more members.
func (s *session) emit(event string, more ...any) {
	data := strictjson.AppendQuote(append(make([]byte, 0, 256), `{"sessionId":`...), s.session)
	data = strictjson.AppendQuote(append(data, `,"planFilePath":`...), s.path)
	s.trace = append(s.trace, harness.TraceItem{State: s.state(), Event: event, Data: appendMembers(data, more...)})
}

// encode returns an object with these names and values of members, in turn.
func encode(members ...any) jsontext.Value { return appendMembers(make([]byte, 0, 256), members...) }

// appendMembers completes the object that begins with b with such members.
func appendMembers(b []byte, members ...any) jsontext.Value {
	for i := 0; i < len(members); i += 2 {
		b = append(b, "{,"[min(len(b), 1)])
		b = append(strictjson.AppendQuote(b, members[i].(string)), ':')
		switch v := members[i+1].(type) {
		case bool:
			b = strconv.AppendBool(b, v)
		case uint64:
			b = strconv.AppendUint(b, v, 10)
		case string:
			b = strictjson.AppendQuote(b, v)
		}
	}
	return append(b, '}')
}

// outcome returns the end of the session.
func (s *session) outcome() harness.Outcome {
	content, _ := s.plan()
	out := harness.Outcome{Verdict: harness.Applied}
	if s.first != nil {
		out = s.first.Outcome()
	}
	out.Trace, out.Mode, out.Phase, out.Path, out.Content = s.trace, s.mode(), s.phase, s.path, content
	return out
}

// plan reads the plan file. A link in its place is none.
func (s *session) plan() (content string, exists bool) {
	if !s.isPlan(s.path) {
		return "", false
	}
	content, err := s.files.Read(s.path)
	return content, err == nil
}

// isPlan reports whether a path leads to the plan file.
func (s *session) isPlan(path string) bool {
	if s.path == "" {
		return false
	}
	name, err := s.files.Resolve(path)
	return err == nil && name == s.path
}

// noArguments reports whether a call has no arguments: none, or an empty object.
func (c *call) noArguments() bool {
	return c.args == nil || c.args.Kind == strictjson.Object && len(c.args.Members) == 0
}

// enter is EnterPlanMode.
func (s *session) enter(c *call) (jsontext.Value, *harness.Refusal) {
	switch {
	case !c.noArguments():
		return nil, harness.Refuse(harness.BadArguments, "this tool takes no arguments (leave args out, or send {})")
	case s.agent:
		return nil, harness.Refuse(harness.AgentContext, "only the main session can enter plan mode")
	case s.phase != "":
		return nil, harness.Refuse(harness.AlreadyInPlanMode, "plan mode is already on")
	case c.approval == "":
		return nil, harness.Refuse(harness.RepliesExhausted, "the script has no approval for this call; add one")
	case c.approval == deny:
		s.emit(spec.EventPlanDenied, "feedback", c.feedback)
		return nil, nil
	}
	if refusal := s.name(); refusal != nil {
		return nil, refusal
	}
	s.phase = phaseExplore
	_, exists := s.plan()
	more := []any{"planExists", exists}
	if s.timestamp != nil {
		more = append(more, "timestamp", *s.timestamp)
	}
	s.emit(spec.EventPlanEnter, more...)
	return encode("path", s.path, "guidance", "Plan mode is on: look around, change no other file, and write the plan to "+
		s.path+". Call ExitPlanMode when the plan is ready for approval."), nil
}

// exit is ExitPlanMode.
func (s *session) exit(c *call) (jsontext.Value, *harness.Refusal) {
	content, _ := s.plan()
	switch {
	case !c.noArguments():
		return nil, harness.Refuse(harness.BadArguments, "this tool takes no arguments (leave args out, or send {})")
	case s.agent:
		return nil, harness.Refuse(harness.AgentContext, "only the main session can leave plan mode")
	case s.phase == "":
		return nil, harness.Refuse(harness.NotInPlanMode, "plan mode is not on")
	case strings.TrimSpace(content) == "":
		return nil, harness.Refuse(harness.EmptyPlanFile, "write the plan to %s first", s.path)
	case c.approval == "":
		return nil, harness.Refuse(harness.RepliesExhausted, "the script has no approval for this call; add one")
	}
	s.phase = phaseExit
	s.emit(spec.EventPlanExit, "planContent", content, "isAgent", s.agent)
	if c.approval == keepPlanning {
		s.phase = phaseReview
		s.emit(spec.EventPlanDenied, "feedback", c.feedback)
		return nil, nil
	}
	s.phase, s.asks = "", c.approval == manual
	edits := "accepted"
	if s.asks {
		edits = "asked"
	}
	s.emit(spec.EventPlanApproved, "edits", edits)
	return nil, nil
}

// advance goes on to the next phase.
func (s *session) advance(c *call) (jsontext.Value, *harness.Refusal) {
	next := slices.Index(phases, c.phase.Text)
	switch {
	case c.phase.Kind != strictjson.String || next < 0:
		return nil, harness.Refuse(harness.BadArguments, "unknown phase (valid are %q)", phases)
	case s.agent:
		return nil, harness.Refuse(harness.AgentContext, "only the main session can change the phase")
	case s.phase == "":
		return nil, harness.Refuse(harness.NotInPlanMode, "plan mode is not on")
	case next != slices.Index(phases, s.phase)+1:
		return nil, harness.Refuse(harness.BadArguments, "the phase %s does not follow %s", c.phase.Text, s.phase)
	}
	s.phase = c.phase.Text
	return encode("phase", s.phase), nil
}

// toggle is the user's own key for plan mode.
func (s *session) toggle() (jsontext.Value, *harness.Refusal) {
	if s.agent {
		return nil, harness.Refuse(harness.AgentContext, "only the user of the main session can turn plan mode on and off")
	}
	if s.phase != "" {
		s.phase = ""
		return encode("mode", ModeNormal, "path", s.path), nil
	}
	if refusal := s.name(); refusal != nil {
		return nil, refusal
	}
	s.phase = phaseExplore
	return encode("mode", ModePlan, "path", s.path), nil
}

// resolve follows the path of an accepted write. The name is "" where it leads
// out of the directory: nothing that a case holds is there.
func (s *session) resolve(path string) (string, *harness.Refusal) {
	name, err := s.files.Resolve(path)
	switch {
	case errors.Is(err, planfile.ErrEscapes):
		return "", nil
	case err != nil:
		return "", harness.Refuse(harness.BadArguments, "%s", err)
	}
	return name, nil
}
