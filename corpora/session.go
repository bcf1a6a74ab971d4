package corpora

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Calls says how a dialect reads sessions in which a tool is called again and again,
// each time with what the plan is to be: what a call finds is what the calls before
// it left.
type Calls struct {
	Tools []string       // names of such tools
	Start jsontext.Value // the plan before the first call
	// Follow is the plan that a call leaves.
	Follow func(plan jsontext.Value, reply harness.Reply) jsontext.Value
	// Spell writes the arguments of a call as the dialect's replies are written.
	Spell func(arguments string) string
}

// errNoCall is a turn of a session in which none of the tools was called.
var errNoCall = errors.New("no call")

// calls makes the call of a tool the reply, and what the calls before it left the
// plan.
func (f *finisher) calls(d *draft, run string) error {
	c := f.options.Calls
	tools := c.Tools
	if f.options.Tool != "" {
		tools = []string{f.options.Tool}
	}
	i := slices.IndexFunc(d.calls, func(c call) bool { return slices.Contains(tools, c.name) })
	if i < 0 {
		return errNoCall
	}
	d.Reply = harness.Reply(c.Spell(d.calls[i].arguments))
	d.Tags = append(d.Tags, "tool_call:"+d.calls[i].name)
	before := c.Start
	if d.thread != "" {
		t := f.thread(run, d)
		before = t.plan(c)
		t.made = append(t.made, made{d.calls[i].id, d.Reply})
		t.now = c.Follow(before, d.Reply)
		d.Case = cmp.Or(d.Case, session(d.thread, run)) // whose calls hang together
	}
	for _, e := range d.earlier {
		if slices.Contains(tools, e.name) {
			before = c.Follow(before, harness.Reply(c.Spell(e.arguments)))
		}
	}
	d.Plan = before.Clone()
	return nil
}

// followed are the calls of a thread, and the plan that they left; nil before the
// first one.
type followed struct {
	made []made
	now  jsontext.Value
}

type made struct {
	id    string
	reply harness.Reply
}

func (f *finisher) thread(run string, d *draft) *followed {
	name := run + "\x00" + d.thread
	if f.threads[name] == nil {
		f.threads[name] = &followed{}
	}
	return f.threads[name]
}

func (t *followed) plan(c *Calls) jsontext.Value {
	if t.now == nil {
		return c.Start
	}
	return t.now
}

// undo takes a call back that the tool refused: the plan is what the others left.
func (f *finisher) undo(run string, d *draft) {
	t := f.thread(run, d)
	i := slices.IndexFunc(t.made, func(m made) bool { return m.id == d.failed })
	if i < 0 || f.options.Calls == nil {
		return
	}
	t.made, t.now = slices.Delete(t.made, i, i+1), nil
	for _, m := range t.made {
		t.now = f.options.Calls.Follow(t.plan(f.options.Calls), m.reply)
	}
}

// session names the session of a thread: the run that it was recorded in, where the
// recording gives it no name.
func session(thread, run string) string {
	name := strings.TrimRight(thread, "/")
	if name == "" || thread[0] == '/' {
		name = run + name
	}
	return sessionCase + name
}

const sessionCase = "session:"

// IsSession reports whether the key of a case is that of a recorded session, whose
// replies hang together and are no repetitions.
func IsSession(key string) bool { return strings.HasPrefix(key, sessionCase) }

// failures lists the calls whose results in a message say that they failed.
func failures(message jsontext.Value) (ids []string) {
	for _, block := range elements(lookup(message, "content")) {
		if text(lookup(block, "type")) == "tool_result" && text(lookup(block, "is_error")) == "true" {
			ids = append(ids, text(lookup(block, "tool_use_id")))
		}
	}
	return ids
}

// earlier lists the calls of tools in the messages of a request, in their order,
// without those that failed.
func earlier(request jsontext.Value) (list []call) {
	add := func(v jsontext.Value, name, arguments []string) {
		if c, ok := calling(v, name, arguments); ok {
			c.id = text(lookup(v, "id"))
			list = append(list, c)
		}
	}
	for _, member := range []string{"messages", "input"} {
		for _, m := range elements(lookup(request, member)) {
			if failed := failures(m); failed != nil {
				list = slices.DeleteFunc(list, func(c call) bool { return c.id != "" && slices.Contains(failed, c.id) })
			}
			for _, c := range elements(lookup(m, "tool_calls")) {
				add(c, []string{"function", "name"}, []string{"function", "arguments"})
			}
			for _, block := range elements(lookup(m, "content")) {
				if text(lookup(block, "type")) == "tool_use" {
					add(block, []string{"name"}, []string{"input"})
				}
			}
			if text(lookup(m, "type")) == "function_call" {
				add(m, []string{"name"}, []string{"arguments"})
			}
		}
	}
	return list
}

// readClaudeCode reads sessions of Claude Code: its files, or what it prints as
// stream-json. Each line is an object; the calls are in the messages of the
// assistant. A subagent keeps a list of its own, and a call that the tool refused
// leaves the list as it was.
func readClaudeCode(name string, found func(draft) bool) error {
	seen := map[string]bool{} // calls: a message may come again with more in it
	return eachLine(name, func(d draft) bool {
		id := d.ID
		for i, c := range d.calls {
			one := d
			one.calls, one.choice = []call{c}, 0
			if one.ID = c.id; one.ID == "" {
				one.ID = fmt.Sprintf("%s#%d", id, i)
			}
			if seen[one.ID] {
				continue
			}
			seen[one.ID] = true
			if !found(one) {
				return false
			}
		}
		return d.err == nil && d.failed == "" || found(d)
	}, func(doc jsontext.Value) (list []answer, err error) {
		message := lookup(doc, "message")
		for _, id := range failures(message) {
			list = append(list, answer{thread: thread(doc), failed: id})
		}
		if text(lookup(doc, "type")) != "assistant" || message == nil {
			return list, nil
		}
		a := answer{Record: Record{Model: text(lookup(message, "model")), FinishReason: finish(text(lookup(message, "stop_reason")))}, thread: thread(doc)}
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
	})
}

// thread tells the sessions of a file apart, and their subagents.
func thread(doc jsontext.Value) string {
	session := text(lookup(doc, "sessionId")) + text(lookup(doc, "session_id"))
	if parent := text(lookup(doc, "parent_tool_use_id")); parent != "" {
		return session + "/" + parent
	}
	if text(lookup(doc, "isSidechain")) == "true" {
		return session + "/" + text(lookup(doc, "agentId")) + "/sidechain"
	}
	return session + "/"
}

// readOpencode reads what "opencode export" writes: a session with its messages,
// whose parts are, among others, calls of tools.
func readOpencode(name string, found func(draft) bool) error {
	data, err := readWhole(name)
	if err != nil {
		return err
	}
	doc := jsontext.Value(data)
	if !doc.IsValid() || lookup(doc, "messages").Kind() != '[' {
		return errors.New("no export of a session: a JSON object with messages")
	}
	for _, m := range elements(lookup(doc, "messages")) {
		info := lookup(m, "info")
		for i, part := range elements(lookup(m, "parts")) {
			c, ok := calling(part, []string{"tool"}, []string{"state", "input"})
			if !ok || text(lookup(part, "type")) != "tool" || text(lookup(part, "state", "status")) == "error" {
				continue
			}
			a := answer{Record: Record{ID: text(lookup(part, "callID")), Model: text(lookup(info, "modelID"))}, thread: text(lookup(info, "sessionID")) + "/", calls: []call{c}}
			if a.ID == "" {
				a.ID = fmt.Sprintf("%s:%s:%d", name, text(lookup(info, "id")), i)
			}
			if !found(draft{answer: a, doc: part}) {
				return nil
			}
		}
	}
	return nil
}

// Sessions lists the importers that read sessions alone.
func Sessions() []string { return []string{"claude-code", "opencode"} }
