package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	trim "replanbench/harness/dialect/trim/rules"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/plan"
	"replanbench/harness/score/tokens"
)

// log is the trace and the conversation of a run. Every process only appends to it.
type log struct {
	trace    []harness.TraceItem
	messages []history.Message // with tags for trimming
	texts    strings.Builder   // of messages
	begin    int               // of the next message in the texts
}

// write adds parts to the text of the next message, and returns them as one text.
func (l *log) write(parts ...string) string {
	begin := l.texts.Len()
	for _, p := range parts {
		l.texts.WriteString(p)
	}
	return l.texts.String()[begin:]
}

// say adds a message whose text ends with these parts. The roles alternate after one system message.
func (l *log) say(role history.Role, parts ...string) {
	if l.messages == nil {
		l.messages = append(make([]history.Message, 0, usualTrace/2),
			history.Message{Role: history.System, Content: instructions, Tag: history.TagSystemPrompt})
	}
	l.write(parts...)
	l.messages = append(l.messages, history.Message{Role: role, Content: l.texts.String()[l.begin:]})
	l.begin = l.texts.Len()
}

// askPatch says that the last message asks for a patch, and so contains the plan.
func (l *log) askPatch() { l.messages[len(l.messages)-1].Tag = history.TagPlan }

// encode writes the conversation at its end, without the tags.
func (l *log) encode() jsontext.Value {
	for i := range l.messages {
		l.messages[i].Tag = ""
	}
	return history.Encode(l.messages)
}

// The messages to the model.
const (
	instructions = `You reach a goal by a plan, one step at a time. In a step, answer with one JSON object: ` +
		`{"tool":"…","args":{…}} to call a tool, {"control":"step_done","reason":"…"} when the step is done, ` +
		`{"control":"replan","reason":"…"} when the plan has to change.`
	askAgain = "Answer again, with one JSON object that holds the PlanPatch, or a whole FullPlan."
)

func askPlan(attempts int) string {
	if attempts > 0 {
		return "Answer again, with one JSON object that holds the whole FullPlan."
	}
	return "Make a plan. Answer with one JSON object: a FullPlan."
}

func askPatch(p *plan.Plan) string {
	return "The plan has to change. Answer with one JSON object: a PlanPatch. The plan is:\n" + string(p.Encode())
}

func refused(code harness.Code, message string) string {
	return "That was refused with " + string(code) + ": " + message
}

// toolAnswer is the message about a tool's result, in parts, and whether it shortened a text; nil without a limit.
func toolAnswer(tool string, t *toolResult, most *int) (said [6]string, summarised *bool) {
	output, environment := summary(t.output, most), summary(t.environment, most)
	said = [6]string{"The tool ", tool, " answered:\n", output}
	if !t.ok {
		said[2] = " failed:\n"
	}
	if environment != "" {
		said[4], said[5] = "\nThe environment has changed: ", environment
	}
	if most != nil {
		summarised = new(output != t.output || environment != t.environment)
	}
	return said, summarised
}

// summary is the head and the tail of a text with a note between them, or the head alone if the note does not fit.
func summary(text string, most *int) string {
	if most == nil || len(text) <= *most {
		return text
	}
	all := []rune(text)
	n := len(all)
	if n <= *most {
		return text
	}
	note := func(left int) string { return fmt.Sprintf("\n[%d of %d characters left out]\n", left, n) }
	room := *most - len(note(n))
	if room < 2 {
		return string(all[:*most])
	}
	return string(all[:room-room/2]) + note(n-room) + string(all[n-room/2:])
}

// trimming says how the conversation is trimmed before each call of the model.
type trimming struct {
	policy history.Policy
	max    int // tokens
	tok    tokens.Tokenizer
}

// newTrimming reads budget and policy of a case; nil for a case without a budget.
func newTrimming(c harness.Case) (*trimming, *harness.Refusal) {
	given := func(document []byte) bool { return len(document) > 0 && string(document) != "null" }
	switch {
	case !given(c.Budget) && !given(c.Policy):
		return nil, nil
	case !given(c.Budget):
		return nil, harness.RefuseAt(harness.MissingField, "/budget", "a policy needs a budget")
	}
	policy := []byte(c.Policy)
	if !given(policy) {
		policy = []byte(`"` + spec.DefaultTrimming + `"`)
	}
	budget, steps, err := history.DecodeTrimming(c.Budget, policy)
	if fault := (*strictjson.Fault)(nil); errors.As(err, &fault) {
		return nil, harness.RefuseAt(fault.Code, "/"+fault.Document+fault.Pointer, "%s", fault)
	}
	tok, err := tokens.New(budget.Tokenizer)
	if err != nil { // DecodeTrimming checked the name
		return nil, harness.RefuseAt(harness.BadType, "/budget/tokenizer", "%s", err)
	}
	return &trimming{steps, budget.MaxTokens, tok}, nil
}

// fits trims the conversation for a call and queues the events about it. It ends the run and reports false if no
// call can be made. The log keeps the whole conversation.
func (m *machine) fits(step string) bool {
	t := m.trimming
	if t == nil {
		return true
	}
	left, err := trim.Trim(t.policy, history.Count(m.log.messages, t.tok), t.max)
	if err != nil {
		m.fail(harness.CannotFit, err.Error())
		return false
	}
	event := func(name string) {
		m.happened(harness.TraceItem{Event: name, Step: step, Data: strictjson.Encode(&spec.Trimmed{
			Policy: t.policy.String(), Max: t.max, Before: left.Before, After: left.After, Dropped: left.Dropped, Cut: left.Cut,
		})})
	}
	if len(left.Dropped)+len(left.Cut) > 0 {
		event(spec.EventHistoryTrimmed)
	}
	if left.After > t.max {
		event(spec.EventBudgetExceeded)
	}
	return true
}
