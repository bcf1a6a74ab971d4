package mcp

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness/plan/toolmap"
)

// nowhere is a pipe to a server that reads nothing.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// FuzzWire reads what a server writes: messages, and lines that are none.
func FuzzWire(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nstarted\n"))
	f.Add([]byte("\xff\n[]\nnull\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"x\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWire(nowhere{io.Discard}, io.NopCloser(bytes.NewReader(data)))
		read := 0
		for {
			m, err := w.Read(t.Context())
			if err != nil {
				break
			}
			read++
			if m == nil {
				t.Fatal("a message is nil")
			}
		}
		lines := bytes.Count(data, []byte("\n"))
		if noted := len(w.taken()); read > lines || noted > 2 {
			t.Errorf("%d messages and %d notes in %d lines", read, noted, lines)
		}
	})
}

// FuzzGuess maps tools that servers describe in any way, and finds a task in any list.
func FuzzGuess(f *testing.F) {
	f.Add(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`, "Create a task", `[{"id":1,"title":"Probe","status":"todo"}]`)
	f.Add(`{"properties":{"name":{"anyOf":[{"type":["null","string"]}]},"tags":{"type":"array"}},"required":["tags",3]}`, "", "1. [ ] Probe (#7, pending)")
	f.Fuzz(func(t *testing.T, schema, text, listed string) {
		var document map[string]any
		if json.Unmarshal([]byte(schema), &document) != nil {
			t.Skip("the schema is no object")
		}
		p, err := guessProfile("x", "1", []*tool{
			{Name: "create_task", Text: text, Schema: document}, {Name: "list_tasks", Text: text, Schema: document},
		})
		if err != nil {
			return
		}
		if uses, ok := p.Write(toolmap.Call{"call": "create", "subject": "Probe"}, nil); ok && uses[0].Tool != "create_task" {
			t.Errorf("a creation is a call of %s", uses[0].Tool)
		}
		state := map[string]any{}
		if object, ok := new(guess).find(toolmap.Answer{Text: listed}, "Probe", state); ok && object["id"] == nil {
			t.Errorf("a task without an id: %v", object)
		}
		if _, ok := state["match"]; ok && !strings.Contains(listed, "Probe") {
			t.Error("a pattern for a task that is not listed")
		}
	})
}
