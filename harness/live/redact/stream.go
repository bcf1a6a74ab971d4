package redact

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Stream returns what came of an endpoint without secrets: as [Secrets.Text] does,
// and where the answer came as events (data: and JSON, line by line), also those
// that are whole only when the strings in the same place of all events are joined.
// What is joined and cut stands in the first of them then, and the others are
// empty.
func (s Secrets) Stream(body string) string {
	body = s.Text(body)
	if s.needles == nil {
		return body
	}
	lines := strings.SplitAfter(body, "\n")
	pieces := map[string]*strings.Builder{}
	for _, line := range lines {
		eachString(event(line), "", func(place, text string) string {
			if pieces[place] == nil {
				pieces[place] = &strings.Builder{}
			}
			pieces[place].WriteString(text)
			return text
		})
	}
	cut := map[string]string{}
	for place, b := range pieces {
		if text := s.Text(b.String()); text != b.String() {
			cut[place] = text
		}
	}
	if len(cut) == 0 {
		return body
	}
	for i, line := range lines {
		lines[i] = rewrite(line, cut)
	}
	return strings.Join(lines, "")
}

const eventField = "data:"

// event decodes what a line of a stream carries; nil is nothing.
func event(line string) (value any) {
	data, ok := strings.CutPrefix(line, eventField)
	if !ok || json.Unmarshal([]byte(data), &value, jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return value
}

// eachString visits the strings of a value and puts what visit returns in their
// place. Elements of lists are told apart by their index, as they say themselves.
func eachString(value any, place string, visit func(place, text string) string) any {
	switch v := value.(type) {
	case string:
		return visit(place, v)
	case []any:
		for i, element := range v {
			index := any(i)
			if o, ok := element.(map[string]any); ok && o["index"] != nil {
				index = o["index"]
			}
			v[i] = eachString(element, fmt.Sprintf("%s/%v", place, index), visit)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = eachString(member, place+"/"+name, visit)
		}
	}
	return value
}

// rewrite puts the joined texts into the first event that has their place, and
// takes them out of cut's later ones.
func rewrite(line string, cut map[string]string) string {
	value := event(line)
	changed := false
	value = eachString(value, "", func(place, text string) string {
		whole, ok := cut[place]
		if !ok {
			return text
		}
		changed, cut[place] = true, ""
		return whole
	})
	if !changed {
		return line
	}
	data, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return eventField + "\n" // rather nothing than the secret
	}
	return eventField + " " + string(data) + line[len(strings.TrimRight(line, "\r\n")):]
}
