// Package recorded reads chat histories from recorded traffic: the messages of
// requests, in the form of OpenAI's chat completions, Anthropic's messages, or
// Gemini's generateContent.
//
// It reads what was sent to models, to see how it would be trimmed. What
// models answered is read by package corpora.
package recorded

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
)

// History is the messages of one request.
type History struct {
	Where    string // "line 3", "interaction 2"; "" if the file holds one history
	Messages []history.Message
}

// Problem is a part of a file that holds no history.
type Problem struct {
	Where string
	Err   error
}

func (p Problem) Error() string {
	if p.Where == "" {
		return p.Err.Error()
	}
	return p.Where + ": " + p.Err.Error()
}

// Read reads the histories of a file:
//
//   - a list of messages, or an object that holds them as messages;
//   - JSON Lines of those, or of recorded calls that hold the body of the
//     request as request or body;
//   - by the name .yaml or .yml: a cassette of go-vcr, VCR.py or VCR, with
//     requests in the form of OpenAI, Anthropic or Gemini.
//
// It returns a problem for each part that cannot be read, and all other histories.
func Read(name string, data []byte) ([]History, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, []Problem{{"", errors.New("the file holds bytes that are not UTF-8 (is it compressed?)")}}
	}
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".yaml" || ext == ".yml" {
		return cassette(data)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, []Problem{{"", errors.New("the file is empty (it should hold messages)")}}
	}
	if _, err := strictjson.Parse(data, 1000); err == nil {
		h, err := find(data)
		if err != nil {
			return nil, []Problem{{"", err}}
		}
		return []History{h}, nil
	}
	return lines(data)
}

func lines(data []byte) (list []History, problems []Problem) {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		where := fmt.Sprintf("line %d", number)
		h, err := find(bytes.TrimSpace(line))
		if err != nil {
			problems = append(problems, Problem{where, err})
			continue
		}
		h.Where = where
		list = append(list, h)
	}
	return list, problems
}

// find looks for the messages in a document.
func find(data []byte) (History, error) {
	doc, err := strictjson.Parse(data, 1000)
	if err != nil {
		line, column := strictjson.Position(string(data), err.(*strictjson.Error).Offset)
		if line == 1 {
			return History{}, fmt.Errorf("column %d: %w", column, err)
		}
		return History{}, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	v := &doc.Root
	for _, name := range []string{"request", "body"} {
		if inner := v.Get(name); inner != nil && inner.Kind == strictjson.Object {
			v = inner
			break
		}
	}
	if v.Kind != strictjson.Object {
		messages, err := history.Decode(data[v.Start:v.End])
		return History{Messages: messages}, err
	}
	if contents := v.Get("contents"); contents != nil {
		return History{Messages: gemini(v.Get("systemInstruction"), contents)}, nil
	}
	list := v.Get("messages")
	if list == nil {
		return History{}, errors.New("there are no messages (a list of them, or an object with messages, contents, " +
			"request or body)")
	}
	messages, err := history.Decode(data[list.Start:list.End])
	return History{Messages: append(said(history.System, v.Get("system")), messages...)}, err
}

// gemini reads the body of a generateContent call: contents of parts, where
// the assistant is called model.
func gemini(system, contents *strictjson.Value) []history.Message {
	var messages []history.Message
	if system != nil {
		messages = said(history.System, system.Get("parts"))
	}
	for i := range contents.Items {
		role, c := history.User, &contents.Items[i]
		if r := c.Get("role"); r != nil && r.Text == "model" {
			role = history.Assistant
		}
		messages = append(messages, said(role, c.Get("parts"))...)
	}
	return messages
}

// said is a message of a text or of the texts of its parts; none for nothing.
func said(role history.Role, content *strictjson.Value) []history.Message {
	if content == nil || content.Kind == strictjson.Null {
		return nil
	}
	text := ""
	if content.Kind == strictjson.String {
		text = content.Text
	}
	for i := range content.Items {
		if part := content.Items[i].Get("text"); part != nil && part.Kind == strictjson.String {
			text += part.Text
		}
	}
	return []history.Message{{Role: role, Content: text}}
}

// cassette reads the requests of a YAML cassette.
func cassette(data []byte) (list []History, problems []Problem) {
	requests, err := corpora.Requests(data)
	if err != nil {
		return nil, []Problem{{"", fmt.Errorf("not a cassette: %w", err)}}
	}
	number := 0
	for body, err := range requests {
		number++
		h := History{}
		switch {
		case err != nil:
		case len(body) == 0:
			err = errors.New("the request has no body that is text")
		case !jsontext.Value(body).IsValid():
			err = errors.New("the body of the request is not JSON")
		default:
			h, err = find(body)
		}
		if h.Where = fmt.Sprintf("interaction %d", number); err != nil {
			problems = append(problems, Problem{h.Where, err})
			continue
		}
		list = append(list, h)
	}
	if number == 0 {
		return nil, []Problem{{"", errors.New("the cassette holds no interactions")}}
	}
	return list, problems
}
