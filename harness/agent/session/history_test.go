package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/agent/wire"
	"replanbench/harness/history"
)

// user, calls and result are the messages of the histories below.
func user(text string) wire.Message { return wire.Message{Role: history.User, Text: text} }

func call(id, name string) wire.Message {
	return wire.Message{Role: history.Assistant, Calls: []wire.Call{{ID: id, Name: name, Arguments: two}}}
}

func result(id, text string) wire.Message {
	return wire.Message{Role: history.Tool, Result: &wire.Result{CallID: id, Text: text}}
}

// replay sends histories to the model of a session, as requests that offer a plan tool. A history that begins with an
// empty message offers none.
func replay(t *testing.T, p *profile.Profile, s session.Script, tool string, histories ...[]wire.Message) session.Log {
	t.Helper()
	player := session.NewPlayer([]*profile.Profile{p}, s, 0, "")
	for _, h := range histories {
		r := &wire.Request{API: wire.Chat, Stream: true, Messages: h, Tools: []wire.Tool{{Name: tool}}}
		if h[0].Role == "" {
			r.Tools, r.Messages = nil, h[1:]
		}
		player.Answer(t.Context(), r)
	}
	return player.Log()
}

const shown = `The plan is now {"todos":[]}`

// TestShorterSummary takes a request for a summary for one although it lacks the end of the history.
func TestShorterSummary(t *testing.T) {
	t.Parallel()
	all := []wire.Message{
		user("fix the tests"), call("call_0_0_1", "set_todos"), result("call_0_0_1", shown), call("call_0_1_1", "set_todos"),
		result("call_0_1_1", shown),
	}
	log := replay(t, smallProfile(t), script(session.Turn{Edit: two}, session.Turn{Edit: done},
		session.Turn{Edit: two, Fault: "too-large"}), "set_todos",
		all[:1], all[:3], all, append(all[:3:3], user("Please provide a summary of the conversation.")))
	if log.Side != 1 || log.Steps[2].Asked > 1 {
		t.Errorf("%d requests without the plan tool, %+v", log.Side, log.Steps[2])
	}
}

// TestSummaryHasTheCall takes a call for executed that only the request for a summary shows.
func TestSummaryHasTheCall(t *testing.T) {
	t.Parallel()
	all := []wire.Message{user("fix the tests"), call("call_0_0_1", "set_todos"), result("call_0_0_1", shown)}
	log := replay(t, smallProfile(t), script(session.Turn{Edit: two, Fault: "absurd-usage"}, session.Turn{Edit: done}),
		"set_todos", all[:1], append([]wire.Message{{}}, append(all[:3:3], user("Summarise it."))...),
		[]wire.Message{user("fix the tests"), user("What was done: nothing.")})
	if got := log.Steps[0]; got.Deed != session.Lost || got.Asked != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestDiscardedCallInHistory judges a call of a discarded attempt as one that did not arrive, and its retry by the edit
// of the turn.
func TestDiscardedCallInHistory(t *testing.T) {
	t.Parallel()
	all := []wire.Message{user("fix the tests"), call("call_0_0_1", "set_todos"), result("call_0_0_1", shown)}
	both := append(all[:3:3], call("call_0_1_1", "set_todos"), result("call_0_1_1", "Tool execution aborted"),
		call("call_0_1_2", "set_todos"), result("call_0_1_2", shown))
	log := replay(t, smallProfile(t), script(session.Turn{Edit: two}, session.Turn{Edit: done, Fault: "error-event"}),
		"set_todos", all[:1], all, all, both)
	type got struct {
		Edit   string
		Spoilt fault.Arrival
	}
	var list []got
	for _, d := range log.Steps[1].Calls {
		list = append(list, got{d.Edit, d.Spoilt})
	}
	if diff := cmp.Diff([]got{{done, fault.Partial}, {done, ""}}, list); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestLogWithoutID blames no agent for a plan that its log has under the id of a call that had none.
func TestLogWithoutID(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("late.yaml", []byte(`
name: late
dialect: todos
tools: [{tool: TodoWrite, call: rewrite}]
agent: {state: [{file: log.jsonl, told: '"{call}"', json: "-", list: items}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	log := replay(t, p, script(session.Turn{Edit: two}), "TodoWrite", []wire.Message{user("fix the tests")},
		[]wire.Message{user("fix the tests"), call("", "TodoWrite"), result("", "The list was changed.")})
	if len(log.Breaks) > 0 {
		t.Errorf("got %+v", log.Breaks)
	}
}

// TestDefaultTools leaves an agent the tools that it has by default while its profile is not known.
func TestDefaultTools(t *testing.T) {
	t.Parallel()
	a := small(t, "")
	p := *a.Profiles[0]
	p.Env = []string{"SMALL_AGENT=silent"}
	a.Profiles = []*profile.Profile{&p, &p}
	log, err := a.Play(t.Context(), script(session.Turn{Edit: two, Fault: "server-error"}), session.Name{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{}, kinds(log)); diff != "" {
		t.Errorf("what broke (-want +got):\n%s", diff)
	}
}
