package rules

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// runStep begins the step, or takes the next reply for it. A step that ends leaves the wave.
func (m *machine) runStep(s *plan.Step) {
	if s.Status != plan.InProgress {
		s.Status, m.Rounds = plan.InProgress, 0
		m.happened(harness.TraceItem{Event: spec.EventPlanStepStart, Step: s.ID})
		m.tell("The step ", s.ID, " begins: ", s.Description)
		return
	}
	raw, ok := m.ask(s.ID, "Go on with the step ", s.ID, ".")
	if !ok {
		return
	}
	a, r := readAction(raw, m.options, m.profile)
	if a.legacy {
		m.happened(harness.TraceItem{Event: spec.EventControlLegacy, Step: s.ID})
	}
	if r.Refusal == nil {
		m.accept(r.Repairs, r.Warnings)
	}
	switch reason := strictjson.Texts("reason", a.reason); {
	case a.control == stepDone:
		m.endWith(s, plan.Done, harness.TraceItem{Event: spec.EventStepDone, Step: s.ID, Data: reason})
	case a.control == replan:
		m.endWith(s, plan.Pending, harness.TraceItem{Event: spec.EventReplanAsked, Step: s.ID, Data: reason})
	case a.tool != "":
		if m.call(s, a) {
			m.countRound(s)
		}
	default:
		m.happened(harness.TraceItem{
			Event: spec.EventReplyInvalid, Step: s.ID, Code: r.Refusal.Code,
			Data: strictjson.Texts("message", r.Refusal.Message),
		})
		m.tell(refused(r.Refusal.Code, r.Refusal.Message),
			"\nAnswer with a tool call or a control envelope, and nothing else.")
		m.countRound(s)
	}
}

// countRound counts a reply that did not end the step. At the limit, the step fails.
func (m *machine) countRound(s *plan.Step) {
	if m.Rounds++; m.Rounds >= m.rounds {
		m.endWith(s, plan.Failed, harness.TraceItem{Event: spec.EventStepFailed, Step: s.ID})
	}
}

// endWith takes the running step out of the wave, with the status that it gets.
func (m *machine) endWith(s *plan.Step, status plan.Status, e harness.TraceItem) {
	m.happened(e)
	i := m.Wave[0]
	m.Wave = m.Wave[1:]
	s.Status = status
	if status == plan.Done {
		m.schedule.done(i)
	} else {
		m.Trouble = append(m.Trouble, s.ID)
	}
}

// call answers a tool call with the next scripted result. It reports whether the step continues.
func (m *machine) call(s *plan.Step, a action) bool {
	if m.Tools == len(m.tools) {
		m.fail(harness.RepliesExhausted, "the tool "+a.tool+
			" was called and the case holds no further result; add one to tools")
		return false
	}
	t := &m.tools[m.Tools]
	m.Tools++
	for _, w := range t.writes {
		if m.Written == nil {
			m.Written = map[string]string{}
		}
		m.Written[w.Name] = w.Value.Text
	}
	answer, summarised := toolAnswer(a.tool, t, m.limits.MaxToolResultChars)
	m.happened(harness.TraceItem{Event: spec.EventToolCalled, Step: s.ID, Data: called(a.tool, t, summarised)})
	m.tell(answer[:]...)
	var on string
	switch {
	case !t.ok && m.mayReplanOn(spec.OnTool):
		on = spec.OnTool
	case t.environment != "" && m.mayReplanOn(spec.OnEnvironment):
		on = spec.OnEnvironment
	default:
		return true
	}
	m.endWith(s, plan.Pending, triggered(s.ID, on))
	return false
}

// called is the data of the event of a tool call.
func called(tool string, t *toolResult, summarised *bool) jsontext.Value {
	b := strictjson.AppendQuote(append(make([]byte, 0, usualData), `{"tool":`...), tool)
	b = strconv.AppendBool(append(b, `,"ok":`...), t.ok)
	if t.writes != nil {
		writes := strictjson.Value{Kind: strictjson.Object, Members: t.writes}
		b = writes.AppendJSON(append(b, `,"writes":`...))
	}
	if t.environment != "" {
		b = strictjson.AppendQuote(append(b, `,"environment":`...), t.environment)
	}
	if summarised != nil {
		b = strconv.AppendBool(append(b, `,"summarised":`...), *summarised)
	}
	return append(b, '}')
}

// The controls of an envelope.
const (
	stepDone = "step_done"
	replan   = "replan"
)

// action is what a reply in a step asks for: a control or a tool call.
type action struct {
	control string
	reason  string
	legacy  bool // the control was a word, and no envelope
	tool    string
	args    *strictjson.Value
}

// declared is the declaration of both documents; nothing writes to it.
var declared = spec.Reply()

// readAction reads a reply in a step. An envelope beats a control word, which beats a tool call.
func readAction(raw harness.Reply, opt reply.Options, p harness.Profile) (action, reply.Reading[action]) {
	text := reply.NewText(raw, opt)
	defer text.Release()
	r := reply.ReadText(text, &declared, decodeAction(p.ExtraFields), sameAction)
	r.Doc.args = nil // they are good until the release
	if r.Doc.control != "" || len(raw) > opt.MaxBytes || !utf8.ValidString(string(raw)) {
		return r.Doc, r
	}
	if control := legacyControl(string(raw)); control != "" {
		return action{control: control, legacy: true}, reply.Reading[action]{}
	}
	return r.Doc, r
}

func sameAction(a, b action) bool {
	return a.control == b.control && a.tool == b.tool && (a.args == b.args || a.args != nil && b.args != nil &&
		strictjson.Same(a.args, b.args))
}

// decodeAction decodes an envelope or a tool call; extra is the policy for unknown members.
func decodeAction(extra string) reply.Decoder[action] {
	return func(root *strictjson.Value) (a action, warnings []harness.Warning, refusal *harness.Refusal) {
		first, second := "control", "reason"
		if root.Get(first) == nil {
			first, second = "tool", "args"
		}
		if root.Get(first) == nil {
			return a, nil, harness.RefuseAt(harness.MissingField, "", `there is neither "control" nor "tool"`)
		}
		var unknown []string
		for _, m := range root.Counted() {
			switch name := m.Name; {
			case name == first || name == second:
			case extra == harness.Drop && name != "tool":
				unknown = append(unknown, name)
			default:
				return a, nil, harness.RefuseAt(harness.ExtraField, "/"+strictjson.Escape(name), "there is no member %s next to %s",
					name, first)
			}
		}
		warnings = harness.UnknownFields(unknown)
		var r strictjson.Reader
		if first == "tool" {
			a.tool, _ = r.Text(root, strictjson.Path{}, "tool", true)
			if strings.TrimSpace(a.tool) == "" {
				r.Fail(harness.EmptyID, strictjson.PathTo("/tool"), "the tool has no name")
			}
			a.args = root.Get("args")
			r.Member(root, strictjson.Path{}, "args", strictjson.Object, false)
		} else {
			a.control, _ = r.Text(root, strictjson.Path{}, "control", true)
			if a.control != stepDone && a.control != replan {
				r.Fail(harness.BadType, strictjson.PathTo("/control"), "control must be step_done or replan")
			}
			a.reason, _ = r.Text(root, strictjson.Path{}, "reason", false)
		}
		if r.Fault != nil {
			return action{}, nil, harness.RefuseFault(r.Fault)
		}
		return a, warnings, nil
	}
}

// legacyControl finds the first line outside of thoughts that is nothing but a control word.
func legacyControl(text string) string {
	for line := range strings.Lines(text[reply.Thoughts(text):]) {
		line = bare(strings.TrimSpace(line))
		for _, control := range [...]string{stepDone, replan} {
			if len(line) == len(control) && strings.EqualFold(line, control) { // the length leaves only ASCII letters
				return control
			}
		}
	}
	return ""
}

// dressings are the marks that may surround a control word. They are never written to.
var dressings = [...][2]string{
	{"【", "】"},
	{"[", "]"},
	{"**", "**"},
	{"__", "__"},
	{"`", "`"},
	{`"`, `"`},
	{"'", "'"},
	{"“", "”"},
	{"‘", "’"},
	{"「", "」"},
	{"『", "』"},
}

// bare takes punctuation off the end of a line, and then one dressing.
func bare(line string) string {
	line = strings.TrimRight(line, ".,;:!?…。，、；：！？")
	for _, d := range dressings {
		if inner, ok := strings.CutPrefix(line, d[0]); ok {
			if inner, ok = strings.CutSuffix(inner, d[1]); ok {
				return inner
			}
		}
	}
	return line
}
