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

// Calls defines how a dialect reads sessions in which an agent calls a tool repeatedly, each
// time with a change of the plan. The plan of a call is the result of the earlier calls.
type Calls struct {
	Tools []string       // names of such tools
	Start jsontext.Value // the plan before the first call
	// Follow returns the plan after a call.
	Follow func(plan jsontext.Value, reply harness.Reply) jsontext.Value
	// List returns the plan that consists of the items of a recorded list.
	List func(items jsontext.Value) jsontext.Value
	// Finished reports whether every item of a plan is done: some tools then empty it.
	Finished func(plan jsontext.Value) bool
	// Spell converts the arguments of a call to the form of the dialect's replies.
	Spell func(arguments string) string
}

// errNoCall reports a turn of a session without a call of the tools.
var errNoCall = errors.New("no call")

// calls makes the call of a tool the reply, and sets the plan that the call found: the
// recorded one, or the one that the earlier calls of the thread left. If the thread may
// have begun with a plan that nothing shows, the record gets none.
func (f *finisher) calls(d *draft, run string) error {
	c := f.options.Calls
	tools := c.Tools
	if f.options.Tool != "" {
		tools = []string{f.options.Tool}
	}
	i := slices.IndexFunc(d.calls, func(c call) bool { return slices.Contains(tools, c.name) })
	if i < 0 {
		f.skip(d.calls)
		return errNoCall
	}
	d.Reply = harness.Reply(c.Spell(d.calls[i].arguments))
	d.Tags = append(d.Tags, "tool_call:"+d.calls[i].name)
	before := c.Start
	if d.thread != "" {
		t := f.thread(run, d)
		before = t.follow(c, d, d.calls[i].id)
		d.Case = cmp.Or(d.Case, session(d.thread, run)) // links the calls of a session
	}
	for _, e := range d.earlier {
		if slices.Contains(tools, e.name) {
			before = c.Follow(before, harness.Reply(c.Spell(e.arguments)))
		}
	}
	d.Plan = before.Clone()
	d.unknown = before == nil
	return nil
}

// follow returns the plan that a call found, nil if nothing shows it, and keeps the plan
// that the call left.
func (t *followed) follow(c *Calls, d *draft, id string) jsontext.Value {
	before := t.now
	switch {
	case d.state.before != nil:
		before = c.List(d.state.before)
	case before == nil && !d.resumable:
		before = c.Start
	}
	t.made = append(t.made, made{id, d.Reply, before})
	switch {
	case d.state.after != nil:
		t.now = c.List(d.state.after)
	case before == nil:
		t.now = c.Follow(c.Start, d.Reply) // these tools write the whole list
	default:
		t.now = c.Follow(before, d.Reply)
	}
	if d.resumable && d.state.after == nil && c.Finished != nil && c.Finished(t.now) {
		t.now = c.Start
	}
	return before
}

// followed contains the calls of a thread, and the plan that they left; nil if it is unknown.
type followed struct {
	made []made
	now  jsontext.Value
}

// made is a call with the plan that it found.
type made struct {
	id     string
	reply  harness.Reply
	before jsontext.Value
}

func (f *finisher) thread(run string, d *draft) *followed {
	name := run + "\x00" + d.thread
	if f.threads[name] == nil {
		f.threads[name] = &followed{}
	}
	return f.threads[name]
}

// undo takes back a call that the tool refused: the plan is what the call found, followed
// by the calls after it.
func (f *finisher) undo(run string, d *draft) {
	t := f.thread(run, d)
	i := slices.IndexFunc(t.made, func(m made) bool { return m.id == d.failed })
	if i < 0 || f.options.Calls == nil {
		return
	}
	t.now = t.made[i].before
	t.made = slices.Delete(t.made, i, i+1)
	for j := i; j < len(t.made); j++ {
		t.made[j].before = t.now
		t.now = f.options.Calls.Follow(known(t.now, f.options.Calls), t.made[j].reply)
	}
}

// known returns the plan, or the one of a new session if it is unknown.
func known(plan jsontext.Value, c *Calls) jsontext.Value {
	if plan == nil {
		return c.Start
	}
	return plan
}

// session returns the name of a thread's session, or of its run if it has no name.
func session(thread, run string) string {
	name := strings.TrimRight(thread, "/")
	if name == "" || thread[0] == '/' {
		name = run + name
	}
	return sessionCase + name
}

const sessionCase = "session:"

// IsSession reports whether the key of a case names a recorded session. Replies of a session
// are consecutive calls, not repetitions.
func IsSession(key string) bool { return strings.HasPrefix(key, sessionCase) }

// failures lists the calls that failed according to the results in a message.
func failures(message jsontext.Value) (ids []string) {
	for _, block := range elements(lookup(message, "content")) {
		if text(lookup(block, "type")) == "tool_result" && text(lookup(block, "is_error")) == "true" {
			ids = append(ids, text(lookup(block, "tool_use_id")))
		}
	}
	return ids
}

// earlier lists the successful tool calls in the messages of a request, in order.
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

// thread returns the session and subagent of a line.
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

// readOpencode reads the output of "opencode export": a session with messages, whose parts
// include tool calls.
func readOpencode(name string, found func(draft) bool) error {
	data, err := readWhole(name)
	if err != nil {
		return err
	}
	doc := jsontext.Value(data)
	if !doc.IsValid() || lookup(doc, "messages").Kind() != '[' {
		return errors.New("not an exported session (a JSON object with messages)")
	}
	for _, m := range elements(lookup(doc, "messages")) {
		info := lookup(m, "info")
		for i, part := range elements(lookup(m, "parts")) {
			c, ok := calling(part, []string{"tool"}, []string{"state", "input"})
			if !ok || text(lookup(part, "type")) != "tool" || text(lookup(part, "state", "status")) == "error" {
				continue
			}
			a := answer{
				Record: Record{ID: text(lookup(part, "callID")), Model: text(lookup(info, "modelID"))},
				thread: text(lookup(info, "sessionID")) + "/", calls: []call{c},
			}
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

// Sessions lists the importers that read only sessions.
func Sessions() []string { return []string{"claude-code", "opencode"} }
