package corpora

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan/toolmap"
)

// Calls defines how a dialect reads sessions in which an agent calls tools repeatedly, each
// time with a change of the plan. The plan of a call is the result of the earlier calls.
type Calls struct {
	Start jsontext.Value // the plan before the first call
	// Whole says that a call writes the whole plan, so that any call shows the plan after it.
	Whole bool
	// Fresh is the first id that a new store creates; "" if ids do not show a new store.
	Fresh string
	// Spell converts the arguments of a call to the form of the dialect's replies. The map is nil
	// for a tool that no map names. ok is false for a call that only reads the plan.
	Spell func(m *toolmap.Map, tool, arguments string) (reply string, ok bool)
	// Follow returns the plan after a call that created items with these ids, or nil if
	// nothing shows it.
	Follow func(plan jsontext.Value, reply harness.Reply, created []string) jsontext.Value
	// List returns the plan with the recorded items. What they lack comes from the known
	// plan, which may be nil.
	List func(items, known jsontext.Value) jsontext.Value
	// Finished reports whether every item of a plan is done: some tools then empty it.
	Finished func(plan jsontext.Value) bool
}

// errNoCall reports a turn of a session without a call of the tools.
var errNoCall = errors.New("no call")

// calls makes the call of a tool the reply, and sets the plan that the call found: the
// recorded one, or the one that the earlier calls of the thread left. If the thread may
// have begun with a plan that nothing shows, the record gets none.
func (f *finisher) calls(d *draft, run string) error {
	c := f.options.Calls
	i := slices.IndexFunc(d.calls, f.isPlanCall)
	if i < 0 {
		f.skip(d.calls)
		return errNoCall
	}
	reply, writes := f.spell(d.calls[i])
	if d.Reply = harness.Reply(reply); !writes {
		if d.thread != "" {
			f.thread(run, d).look(c, d.calls[i].result)
		}
		f.reads(d.calls[i].name)
		return errNoCall
	}
	d.Tags = append(d.Tags, "tool_call:"+d.calls[i].name)
	before := c.Start
	if d.thread != "" {
		before = f.follow(f.thread(run, d), d)
		d.Case = cmp.Or(d.Case, session(d.thread, run)) // links the calls of a session
	} else if d.session != "" {
		d.Case = cmp.Or(d.Case, session(d.session, run))
	}
	for _, e := range d.earlier {
		if before == nil || !f.isPlanCall(e) {
			continue
		}
		created, refused := f.answered(e)
		if reply, writes := f.spell(e); writes && !refused {
			before = c.Follow(before, harness.Reply(reply), created)
		}
	}
	d.Plan = before.Clone()
	d.unknown = before == nil
	return nil
}

// isPlanCall reports whether a call is one of the tools that change or read the plan.
func (f *finisher) isPlanCall(c call) bool {
	if only := f.options.Tool; only != "" {
		return toolmap.Same(only, c.name)
	}
	return f.options.Maps.Naming(c.name) != nil
}

// spell returns the reply that a call makes, and false for a call that only reads.
func (f *finisher) spell(c call) (reply string, writes bool) {
	return f.options.Calls.Spell(f.options.Maps.Naming(c.name), c.name, c.arguments)
}

// answered returns the ids of the items that a call created, and whether the tool refused it, as far
// as the answer of the tool is known.
func (f *finisher) answered(c call) (created []string, refused bool) {
	m := f.options.Maps.Naming(c.name)
	switch {
	case c.result == nil:
		return nil, false
	case m == nil:
		return nil, c.result.refused
	}
	r := m.Answer(c.name, toolmap.Answer{Text: c.result.text, Structured: c.result.structured, Error: c.result.refused})
	return r.IDs, r.Refused
}

// followed is the plan that the calls of a thread left; nil if it is unknown.
type followed struct{ now jsontext.Value }

// look takes the plan that a session shows without a change.
func (t *followed) look(c *Calls, e *effect) {
	if e != nil && e.after != nil && !e.refused {
		t.now = c.List(e.after, t.now)
	}
}

// follow returns the plan that a call found, nil if nothing shows it, and keeps the plan
// that the call left.
func (f *finisher) follow(t *followed, d *draft) jsontext.Value {
	c, before, e := f.options.Calls, t.now, effect{}
	if r := d.calls[0].result; r != nil {
		e = *r
	}
	created, refused := f.answered(d.calls[0])
	switch {
	case e.before != nil:
		before = c.List(e.before, t.now)
	case before == nil && (!d.resumable || len(created) > 0 && created[0] == c.Fresh):
		before = c.Start
	}
	switch {
	case refused:
		t.now = before
	case e.after != nil:
		t.now = c.List(e.after, before)
	case before == nil && !c.Whole:
		t.now = nil
	default:
		t.now = c.Follow(known(before, c), d.Reply, created)
	}
	// The result of the call shows what was written, not that the list was emptied then.
	if d.empties && !refused && c.Finished != nil && c.Finished(t.now) {
		t.now = c.Start
	}
	return before
}

func (f *finisher) thread(run string, d *draft) *followed {
	name := run + "\x00" + d.thread
	if f.threads[name] == nil {
		f.threads[name] = &followed{}
	}
	return f.threads[name]
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

// results returns what the tools answered, by the id of the call, as far as a message has answers.
func results(message jsontext.Value) map[string]*effect {
	found := map[string]*effect{}
	add := func(id, answer jsontext.Value, refused bool) {
		if id != nil {
			found[text(id)] = &effect{text: answerText(answer), refused: refused}
		}
	}
	content := lookup(message, "content")
	add(lookup(message, "tool_call_id"), content, false)
	if text(lookup(message, "type")) == "function_call_output" {
		add(lookup(message, "call_id"), lookup(message, "output"), false)
	}
	for _, block := range elements(content) {
		if text(lookup(block, "type")) == "tool_result" {
			add(lookup(block, "tool_use_id"), lookup(block, "content"), text(lookup(block, "is_error")) == "true")
		}
	}
	return found
}

// earlier lists the tool calls in the messages of a request, in order, with their results.
func earlier(request jsontext.Value) (list []call) {
	add := func(name, arguments string, of ...jsontext.Value) {
		list = append(list, calling(name, arguments, of...)...)
	}
	for _, member := range []string{"messages", "input"} {
		for _, m := range elements(lookup(request, member)) {
			complete(list, results(m))
			add("function.name", "function.arguments", elements(lookup(m, "tool_calls"))...)
			for _, block := range elements(lookup(m, "content")) {
				if text(lookup(block, "type")) == "tool_use" {
					add("name", "input", block)
				}
			}
			if text(lookup(m, "type")) == "function_call" {
				add("name", "arguments", m)
			}
		}
	}
	return list
}

// complete adds the results to the calls that they answer.
func complete(calls []call, results map[string]*effect) {
	for i := range calls {
		if r := results[calls[i].id]; r != nil && calls[i].id != "" {
			calls[i].result = r
		}
	}
}

// Sessions lists the importers that read only sessions.
func Sessions() []string {
	return []string{"claude-code", "opencode", "codex", "gemini-cli", "openhands"}
}

// codexRules find the calls and results in the lines of a rollout. Lines of older versions
// have no payload. update_plan answers "Plan updated", and any other result is a refusal.
func codexRules() []rule {
	var list []rule
	for _, in := range []string{"payload.", ""} {
		list = append(
			list,
			rule{when: in + "type=function_call", id: in + "call_id", name: in + "name", args: in + "arguments"},
			rule{when: in + "type=function_call_output", id: in + "call_id", refused: in + "output!~Plan updated"},
		)
	}
	return list
}

// readCodex reads a rollout of Codex. The lines session_meta and turn_context name the
// session and the model.
func readCodex(name string, found func(draft) bool) error {
	thread, model := "", ""
	return readLines(name, found, codexRules(), func(doc jsontext.Value, a *answer) {
		switch kind := text(lookup(doc, "type")); {
		case a != nil:
			a.thread, a.Model = thread+"/", model
		case kind == "session_meta":
			thread = text(lookup(doc, "payload", "id"))
		case kind == "turn_context":
			model = text(lookup(doc, "payload", "model"))
		}
	})
}

// claudeRules find the calls in the messages of the assistant, and the results in the
// messages of the user. The structured result belongs to the only result of its line.
func claudeRules() []rule {
	result := func(member string) rule {
		return rule{
			when: "type=user", where: "type=tool_result", each: "message.content", id: "tool_use_id",
			refused: "is_error=true", text: "content", structured: "^" + member,
			before: "^" + member + ".oldTodos", after: "^" + member + ".newTodos;;^" + member + ".tasks",
		}
	}
	files, stream := result("toolUseResult"), result("tool_use_result")
	files.when, stream.when = "toolUseResult!=", "toolUseResult="
	return []rule{
		{
			when: "type=assistant", each: "message.content", where: "type=tool_use", id: "id", name: "name", args: "input",
			model: "^message.model", finish: "^message.stop_reason",
		},
		files, stream,
	}
}

// readClaudeCode reads sessions of Claude Code: its files, or its stream-json output. Each
// line is an object. A subagent has a list of its own.
func readClaudeCode(name string, found func(draft) bool) error {
	return readLines(name, found, claudeRules(), func(doc jsontext.Value, a *answer) {
		if a != nil {
			a.thread = claudeThread(doc)
			a.resumable = strings.HasSuffix(a.thread, "/") // a subagent begins with an empty list
			a.empties = true
		}
	})
}

// claudeThread returns the session and subagent of a line.
func claudeThread(doc jsontext.Value) string {
	session := text(lookup(doc, "sessionId")) + text(lookup(doc, "session_id"))
	if parent := text(lookup(doc, "parent_tool_use_id")); parent != "" {
		return session + "/" + parent
	}
	if text(lookup(doc, "isSidechain")) == "true" {
		return session + "/" + text(lookup(doc, "agentId")) + "/sidechain"
	}
	return session + "/"
}

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
		messages = append(messages, encode(map[string]jsontext.Value{"info": info, "parts": encode(list)}))
	}
	return messages, nil
}

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
