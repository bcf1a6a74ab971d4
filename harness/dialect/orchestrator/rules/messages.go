package rules

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/plan"
)

// log is what a run leaves behind: its trace, and the conversation with the
// model. It is only ever added to, by whichever process is at work.
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

// say adds a message whose text ends with these parts. One system message opens the
// conversation; behind it the roles alternate, since a question and all that comes with it is one message.
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

// toolAnswer is what the model is told of a tool's result, in parts, of which each text is
// at most so many characters long. It says whether one was longer; nil is no limit.
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

// summary is a text, or its head and its tail with what was left out between
// them, in at most so many characters. Where not even that note fits, it is the
// head alone.
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
