package corpora

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// opencodeRules find the calls in a message, with their results. The metadata of todowrite
// has the items after the call.
func opencodeRules() []rule {
	return []rule{{
		each: "parts", where: "type=tool", id: "callID", name: "tool", args: "state.input",
		model: "^info.modelID", refused: "state.status=error", after: "state.metadata.todos", text: "state.output",
	}}
}

// readOpencode reads the output of "opencode export", a session with messages, or the
// directory storage, which has a file for each message and each part.
func readOpencode(name string, found func(draft) bool) error {
	messages, err := storedMessages(name, found)
	if err != nil {
		return err
	}
	if messages == nil {
		doc, err := readDocument(name)
		if err != nil || lookup(doc, "messages").Kind() != '[' {
			return errors.Join(err, errors.New("not an exported session (a JSON object with messages), and not the directory storage"))
		}
		messages = elements(lookup(doc, "messages"))
	}
	readObjects(name, found, opencodeRules(), messages, func(doc jsontext.Value, a *answer) {
		a.thread = text(lookup(doc, "info", "sessionID")) + "/"
	})
	return nil
}

// storedMessages returns the messages of a directory, with their parts, in the order of
// their ids, which is the order of time. It returns nil if the name is no directory.
func storedMessages(root string, found func(draft) bool) (messages []jsontext.Value, err error) {
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(root, "message", "*", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.New("the directory has no message/SESSION/MESSAGE.json (name opencode's directory storage)")
	}
	for _, file := range files {
		info, err := readDocument(file)
		if err != nil {
			if !found(draft{err: &Problem{Source: file, Text: err.Error()}}) {
				return nil, nil
			}
			continue
		}
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		parts, err := filepath.Glob(filepath.Join(root, "part", id, "*.json"))
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", id, err)
		}
		var list []jsontext.Value
		for _, part := range parts {
			if doc, err := readDocument(part); err == nil {
				list = append(list, doc)
			} else if !found(draft{err: &Problem{Source: part, Text: err.Error()}}) {
				return nil, nil
			}
		}
		message, err := json.Marshal(map[string]jsontext.Value{"info": info, "parts": array(list)})
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", id, err)
		}
		messages = append(messages, message)
	}
	return messages, nil
}
