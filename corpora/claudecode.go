package corpora

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// recorded is what a session itself says about the list around a call: the items before
// and after it, as JSON lists; nil if it does not say.
type recorded struct{ before, after jsontext.Value }

// maxPending is the number of calls that may wait for the result of an earlier one.
const maxPending = 1000

// readClaudeCode reads sessions of Claude Code: its files, or its stream-json output. Each
// line is an object, and the calls are in the messages of the assistant. The result of a
// call, in a later line, contains the list before and after it (toolUseResult). A subagent
// has a list of its own, and a refused call leaves the list as it was.
func readClaudeCode(name string, found func(draft) bool) error {
	r := &claudeReader{seen: map[string]bool{}, found: found}
	err := eachLine(name, r.take, claudeLine)
	r.flush(0)
	return err
}

// claudeReader hands calls on, in their order, as soon as their results are known.
type claudeReader struct {
	seen    map[string]bool // ids of calls: a message may come again with more in it
	pending []draft
	found   func(draft) bool
	stopped bool
}

// take takes in what a line contains.
func (r *claudeReader) take(d draft) bool {
	switch {
	case d.err != nil:
		return r.flush(0) && r.found(d)
	case d.failed != "", d.result != "":
		return r.settle(d)
	}
	for i, c := range d.calls {
		one := d
		one.calls, one.choice = []call{c}, 0
		if one.ID = c.id; one.ID == "" {
			one.ID = fmt.Sprintf("%s#%d", d.ID, i)
		}
		if !r.seen[one.ID] {
			r.seen[one.ID] = true
			r.pending = append(r.pending, one)
		}
	}
	return r.flush(maxPending)
}

// settle adds a result to its call. A refused call is handed on before its refusal.
func (r *claudeReader) settle(d draft) bool {
	i := slices.IndexFunc(r.pending, func(p draft) bool { return p.ID == d.failed+d.result })
	if i < 0 {
		return d.failed == "" || r.flush(0) && r.found(d)
	}
	r.pending[i].settled, r.pending[i].state = true, d.state
	if d.failed != "" {
		return r.flush(0) && r.found(d)
	}
	return r.flush(maxPending)
}

// flush hands on the first calls whose results are known, and others while more than most
// of them wait.
func (r *claudeReader) flush(most int) bool {
	for len(r.pending) > 0 && !r.stopped && (r.pending[0].settled || len(r.pending) > most) {
		r.stopped = !r.found(r.pending[0])
		r.pending = r.pending[1:]
	}
	return !r.stopped
}

// claudeLine reads one line: the calls of a message, or the results of calls.
func claudeLine(doc jsontext.Value) (list []answer, err error) {
	message := lookup(doc, "message")
	if text(lookup(doc, "type")) == "user" {
		return claudeResults(doc, message), nil
	}
	if text(lookup(doc, "type")) != "assistant" || message == nil {
		return nil, nil
	}
	a := answer{
		Record: Record{Model: text(lookup(message, "model")), FinishReason: finish(text(lookup(message, "stop_reason")))},
		thread: thread(doc),
	}
	a.resumable = strings.HasSuffix(a.thread, "/") // a subagent begins with an empty list
	for _, block := range elements(lookup(message, "content")) {
		if text(lookup(block, "type")) != "tool_use" {
			continue
		}
		if c, ok := calling(block, []string{"name"}, []string{"input"}); ok {
			c.id = text(lookup(block, "id"))
			a.calls = append(a.calls, c)
		}
	}
	return []answer{a}, nil
}

// claudeResults reads the results of calls. toolUseResult belongs to the only result of
// its line.
func claudeResults(doc, message jsontext.Value) (list []answer) {
	failed := failures(message)
	for _, block := range elements(lookup(message, "content")) {
		id := text(lookup(block, "tool_use_id"))
		switch {
		case text(lookup(block, "type")) != "tool_result" || id == "":
		case slices.Contains(failed, id):
			list = append(list, answer{thread: thread(doc), failed: id})
		default:
			list = append(list, answer{thread: thread(doc), result: id, state: recorded{
				before: listAt(doc, "oldTodos"), after: listAt(doc, "newTodos"),
			}})
		}
	}
	return list
}

// listAt returns a list of the structured result of a call, or nil.
func listAt(doc jsontext.Value, member string) jsontext.Value {
	for _, result := range []string{"toolUseResult", "tool_use_result"} {
		if v := lookup(doc, result, member); v.Kind() == '[' {
			return v
		}
	}
	return nil
}
