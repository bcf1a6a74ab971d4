package corpora

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// geminiRules find the calls in a message, with their results. The display of a todo list
// has the items after the call.
func geminiRules() []rule {
	return []rule{{
		when: "type=gemini", each: "toolCalls", id: "id", name: "name", args: "args", model: "^model",
		refused: "status=error|cancelled", after: "resultDisplay.todos",
		text: "result.0.functionResponse.response.output",
	}}
}

// readGeminiCLI reads a session of Gemini CLI: a document, or lines in which a message
// replaces an earlier one with its id, and $rewindTo drops messages.
func readGeminiCLI(name string, found func(draft) bool) error {
	thread, messages := "", []jsontext.Value(nil)
	problems := func(d draft) bool { return d.err == nil || found(d) }
	if doc, err := readDocument(name); err == nil && lookup(doc, "messages").Kind() == '[' {
		thread, messages = text(lookup(doc, "sessionId")), elements(lookup(doc, "messages"))
	} else if err := eachLine(name, problems, func(doc jsontext.Value) ([]answer, error) {
		id := text(lookup(doc, "id"))
		at := slices.IndexFunc(messages, func(m jsontext.Value) bool { return text(lookup(m, "id")) == id })
		switch to := lookup(doc, "$rewindTo"); {
		case to != nil:
			from := slices.IndexFunc(messages, func(m jsontext.Value) bool { return text(lookup(m, "id")) == text(to) })
			messages = messages[:max(0, from)]
		case lookup(doc, "$set", "messages").Kind() == '[':
			messages = elements(lookup(doc, "$set", "messages"))
		case lookup(doc, "sessionId") != nil && id == "":
			thread = text(lookup(doc, "sessionId"))
		case id != "" && at >= 0:
			messages[at] = doc.Clone()
		case id != "":
			messages = append(messages, doc.Clone())
		}
		return nil, nil
	}); err != nil {
		return err
	}
	if messages == nil && thread == "" {
		return errors.New("not a session of Gemini CLI (a JSON object with messages, or lines with a sessionId)")
	}
	readObjects(name, found, geminiRules(), messages, func(_ jsontext.Value, a *answer) { a.thread = thread + "/" })
	return nil
}
