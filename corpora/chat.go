package corpora

import (
	"errors"
	"maps"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readChat reads chat logs. Each message of the assistant is a reply, and the messages
// before it are its prompt. A log is a list of messages, an object with messages or
// conversations, lines of these or of single messages, or a text.
func readChat(name string, found func(draft) bool) error {
	data, err := readWhole(name)
	if err != nil {
		return err
	}
	if trimmed := strings.TrimSpace(string(data)); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		log := spoken(trimmed)
		if log == nil {
			return errors.New("not a chat log (no line begins with User: or Assistant:)")
		}
		answers, err := turnReplies(log, nil)
		handOn(Problem{Source: name, Line: 1}, nil, answers, err, found)
		return nil
	}
	return chatDocuments(name, data, found)
}

func chatDocuments(name string, data []byte, found func(draft) bool) error {
	doc, err := document(data)
	if err != nil {
		return chatLines(name, found)
	}
	logs := []jsontext.Value{doc}
	if list := elements(doc); list != nil && first(list[0], "messages", "conversations", "conversation") != nil {
		logs = list
	}
	for i, log := range logs {
		answers, err := chatLog(log)
		if !handOn(Problem{Source: name, Line: i + 1}, log, answers, err, found) {
			break
		}
	}
	return nil
}

// chatLines reads a log in each line, or a message in each line.
func chatLines(name string, found func(draft) bool) error {
	var single []jsontext.Value
	err := eachLine(name, found, func(doc jsontext.Value) ([]answer, error) {
		if first(doc, "role", "from") != nil {
			single = append(single, doc.Clone())
			return nil, nil
		}
		return chatLog(doc)
	})
	if err != nil || single == nil {
		return err
	}
	answers, err := turnReplies(sayAll(single), nil)
	handOn(Problem{Source: name, Line: len(single)}, nil, answers, err, found)
	return nil
}

func chatLog(doc jsontext.Value) ([]answer, error) {
	list := elements(doc)
	if doc.Kind() == '{' {
		list = elements(first(doc, "messages", "conversations", "conversation"))
	}
	if list == nil {
		return nil, errors.New("no list of messages (a log is a list, or an object with messages or conversations)")
	}
	return turnReplies(sayAll(list), doc)
}

// maxPrompt is the number of messages up to which a reply of a log gets its prompt, because
// every prompt repeats the log.
const maxPrompt = 500

// turnReplies returns the replies of a log, each with the messages before it. The calls of a
// log are a session.
func turnReplies(log []said, doc jsontext.Value) (list []answer, err error) {
	answered := map[string]*effect{}
	for _, m := range log {
		maps.Copy(answered, results(encode(m)))
	}
	for i, m := range log {
		if m.Role != "assistant" {
			continue
		}
		x := chatExchange{reply: []said{m}, model: text(lookup(doc, "model"))}
		if i <= maxPrompt {
			x.prompt = log[:i]
		}
		answers, err := x.answers()
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			a.ID = text(lookup(doc, "id"))
			a.thread, a.earlier = "/"+a.ID+"/log", nil
			complete(a.calls, answered)
			list = append(list, a)
		}
	}
	if list == nil {
		return nil, errors.New("no message of the assistant")
	}
	return list, nil
}

// speaker matches the beginning of a turn in a text.
var speaker = regexp.MustCompile(`(?mi)^(?:#+[ \t]*|\*\*)?(user|human|assistant|ai|system|tool)(?:\*\*)?:(?:\*\*)?[ \t]*|^#+[ \t]*(user|human|assistant|ai|system|tool)[ \t]*$`)

// spoken reads the turns of a text.
func spoken(log string) (list []said) {
	marks := speaker.FindAllStringSubmatchIndex(log, -1)
	for i, m := range marks {
		end := len(log)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		name := speaker.FindStringSubmatch(log[m[0]:m[1]])
		list = append(list, named(said{Content: quote(strings.TrimSpace(log[m[1]:end]))}, name[1]+name[2]))
	}
	return list
}

// readAnthropic reads lines of {request, response} of Anthropic's messages: the bodies
// themselves, or objects of HTTP with body or, for a stream of events, body_raw.
func readAnthropic(name string, found func(draft) bool) error {
	return eachLine(name, found, func(doc jsontext.Value) ([]answer, error) {
		request, response := lookup(doc, "request"), lookup(doc, "response")
		if body := lookup(request, "body"); body != nil {
			request = unwrap(body)
		}
		if request == nil || response == nil {
			return nil, errors.New("missing request or response (an orphan of claude-trace has no response)")
		}
		if events := text(first(response, "body_raw", "body")); strings.HasPrefix(events, "event:") || strings.HasPrefix(events, "data:") {
			a := streamed(events)
			a.ask(request)
			return []answer{a}, nil
		}
		if body := lookup(response, "body"); body != nil {
			response = unwrap(body)
		}
		return exchange(request, response)
	})
}
