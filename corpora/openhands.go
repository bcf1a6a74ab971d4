package corpora

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
)

// openHandsRules find the calls and results in the events of the current SDK (with kind),
// and of versions before 1 (with action and observation).
func openHandsRules() []rule {
	return []rule{
		{when: "kind=ActionEvent", id: "tool_call_id", name: "tool_name", args: "tool_call.arguments"},
		{when: "kind=ObservationEvent", id: "tool_call_id", refused: "observation.is_error=true", after: "observation.task_list"},
		{when: "kind=AgentErrorEvent;;kind=UserRejectObservation", id: "tool_call_id", refused: "kind!="},
		{
			when: "action=task_tracking", id: "tool_call_metadata.tool_call_id", name: "tool_call_metadata.function_name",
			args: "args", model: "tool_call_metadata.model_response.model",
		},
		{when: "observation=task_tracking", id: "tool_call_metadata.tool_call_id", after: "extras.task_list"},
		{when: "observation=error", id: "tool_call_metadata.tool_call_id", refused: "observation!="},
	}
}

// readOpenHands reads a conversation of OpenHands: its directory with base_state.json and
// events, a list of events, an object with the list in history or events, or JSON Lines.
func readOpenHands(name string, found func(draft) bool) error {
	events, model, err := openHandsEvents(name, found)
	if err != nil {
		return err
	}
	readObjects(name, found, openHandsRules(), events, func(_ jsontext.Value, a *answer) {
		a.thread = name + "/"
		if a.Model == "" {
			a.Model = model
		}
	})
	return nil
}

// openHandsEvents returns the events and the model of the conversation.
func openHandsEvents(name string, found func(draft) bool) (events []jsontext.Value, model string, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		state, _ := readDocument(filepath.Join(name, "base_state.json"))
		files, err := filepath.Glob(filepath.Join(name, "events", "*.json"))
		if err != nil || len(files) == 0 {
			return nil, "", errors.New("the directory has no events/*.json (name the directory of a conversation)")
		}
		for _, file := range files {
			doc, err := readDocument(file)
			if err != nil && !found(draft{err: &Problem{Source: file, Text: err.Error()}}) {
				break
			}
			events = append(events, doc)
		}
		return events, text(lookup(state, "agent", "llm", "model")), nil
	}
	doc, err := readDocument(name)
	if err != nil {
		kept := func(d draft) bool { return d.err == nil || found(d) }
		err := eachLine(name, kept, func(doc jsontext.Value) ([]answer, error) {
			events = append(events, doc.Clone())
			return nil, nil
		})
		return events, "", err
	}
	for _, member := range []string{"history", "events", "trajectory"} {
		if list := lookup(doc, member); list.Kind() == '[' {
			return elements(list), text(lookup(doc, "metadata", "llm_config", "model")), nil
		}
	}
	if doc.Kind() != '[' {
		return nil, "", errors.New("not a conversation of OpenHands (a list of events)")
	}
	return elements(doc), "", nil
}
