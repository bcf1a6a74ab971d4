package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/plan/toolmap"
)

func builtin(t *testing.T, name string) *profile.Profile {
	t.Helper()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no profile %s", name)
	return nil
}

// TestRead reads what tools of real agents give back, as it came from them.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		profile, result string
		refused         bool
		plan            string
	}{
		{
			"qwen-code", "Todos have been modified successfully. Ensure …\n\n<system-reminder>\nHere are the latest contents " +
				"of your todo list: \n\n[{\"id\":\"1\",\"content\":\"a]\",\"status\":\"completed\"}]. Continue " +
				"on.\n</system-reminder>",
			false, `{"items":[{"id":"1","content":"a]","status":"completed"}]}`,
		},
		{
			"qwen-code", "Todo list has been cleared.\n\n<system-reminder>\nYour todo list is now empty.", false,
			`{"items":[]}`,
		},
		{"qwen-code", `Each todo must have a non-empty "content" string.`, true, ""},
		{
			"opencode", "[\n  {\n    \"content\": \"aa\",\n    \"status\": \"Done\",\n    \"priority\": \"low\"\n  }\n]", false,
			`{"items":[{"content":"aa","status":"Done","priority":"low"}]}`,
		},
		{"opencode", "The todowrite tool was called with invalid arguments: SchemaError(Missing key\n  at " +
			"[\"todos\"][0][\"priority\"]).", true, ""},
		{
			"gemini-cli", "Successfully updated the todo list. The current list is now:\n1. [completed] a\n2. [in_progress] b\nc",
			false, `{"items":[{"content":"a","status":"completed"},{"content":"b\nc","status":"in_progress"}]}`,
		},
		{"gemini-cli", "Successfully cleared the todo list.", false, `{"items":[]}`},
		{"gemini-cli", `Invalid parameters: Only one task can be "in_progress" at a time.`, true, ""},
		{
			"langchain", `Updated todo list to [{"content":"a","status":"completed"}]`, false,
			`{"items":[{"content":"a","status":"completed"}]}`,
		},
		{
			"langchain", `Error invoking tool 'write_todos' with kwargs {"todos":[{"content":"","status":"Done"}]} with error`,
			true, "",
		},
		{"langchain", "something else", false, ""},
	} {
		a := builtin(t, x.profile).Read(profile.Call{Result: x.result}, "")
		if a.Refused != x.refused || !same(a.Plan, x.plan) {
			t.Errorf("%s: %q: refused %v, plan %s", x.profile, x.result, a.Refused, a.Plan)
		}
	}
}

// same reports whether two plans have the same items, in whatever order their
// members stand.
func same(got jsontext.Value, want string) bool {
	if got == nil || want == "" {
		return got == nil && want == ""
	}
	a, b := got.Clone(), jsontext.Value(want)
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// TestFile reads the state from the newest file after a refusal.
func TestFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".qwen", "todos")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.json"),
		[]byte(`{"todos":[{"id":"1","content":"a","status":"pending"}],"sessionId":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := builtin(t, "qwen-code").Read(profile.Call{Result: "Each todo must have an id"}, home)
	if !a.Refused || !same(a.Plan, `{"items":[{"id":"1","content":"a","status":"pending"}]}`) {
		t.Errorf("got %+v", a)
	}
}

// TestLog reads the state behind the last call of a log, which may come after the
// result did.
func TestLog(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "-tmp-work")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	line := func(call, item string) string {
		return fmt.Sprintf(`{"content":[{"tool_use_id":%q}],"toolUseResult":{"oldTodos":[],"newTodos":[{"content":%q,"status":"pending","activeForm":"x"}]}}`+"\n", call, item)
	}
	write := func(text string) {
		if _, err := log.WriteString(text); err != nil {
			t.Error(err)
		}
	}
	write(line("call_1", "a"))
	late := make(chan struct{})
	go func() {
		defer close(late)
		write(line("call_2", "b"))
	}()
	a := builtin(t, "claude-code").Read(profile.Call{ID: "call_2", Result: "Todos have been modified successfully."}, home)
	<-late
	if a.Refused || !same(a.Plan, `{"items":[{"content":"b","status":"pending","active_form":"x"}]}`) {
		t.Errorf("got %+v", a)
	}
	write(`{"content":[{"tool_use_id":"call_3","is_error":true}]}` + "\n")
	a = builtin(t, "claude-code").Read(profile.Call{ID: "call_3", Result: "<tool_use_error>InputValidationError"}, home)
	if !a.Refused || !same(a.Plan, `{"items":[{"content":"b","status":"pending","active_form":"x"}]}`) {
		t.Errorf("after a refusal: %+v", a)
	}
}

// TestChoose tells tools of one name apart by their schema.
func TestChoose(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	schema := func(member string) jsontext.Value {
		return jsontext.Value(`{"properties":{"todos":{"items":{"properties":{"` + member + `":{}}}}}}`)
	}
	for _, x := range []struct {
		tool wire.Tool
		want string
	}{
		{wire.Tool{Name: "write_todos", Schema: schema("description")}, "gemini-cli"},
		{wire.Tool{Name: "write_todos", Schema: schema("content")}, "langchain"},
		{wire.Tool{Name: "todo_write", Schema: schema("content")}, "qwen-code"},
		{wire.Tool{Name: "todowrite"}, "opencode"},
		{wire.Tool{Name: "bash"}, ""},
	} {
		name := ""
		if p, ok := profile.Choose(list, []wire.Tool{{Name: "other"}, x.tool}); ok {
			name = p.Name
		}
		if name != x.want {
			t.Errorf("%s: %q and not %q", x.tool.Name, name, x.want)
		}
	}
}

// TestComplete adds what the tool requires, and leaves what is there.
func TestComplete(t *testing.T) {
	t.Parallel()
	p := builtin(t, "opencode")
	got := p.Complete(`{"todos":[{"content":"a"},{"content":"b","priority":"high"},5]}`)
	if want := `{"todos":[{"content":"a","priority":"medium"},{"content":"b","priority":"high"},5]}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := p.Complete("not json"); got != "not json" {
		t.Errorf("no JSON became %s", got)
	}
}

// TestParse names what is wrong with a profile.
func TestParse(t *testing.T) {
	t.Parallel()
	const older = "dialect: d\ntool: {names: [x]}\n"
	const head = "name: x\ndialect: d\ntools: [{tool: x, call: rewrite}]\nagent:\n  "
	for text, want := range map[string]string{
		"":                    "the map is empty",
		"nam: x":              "nam",
		"name: x":             "dialect is missing",
		"name: x\ndialect: d": "tools is missing",
		"name: x\ndialect: d\ntools: [{tool: x, call: list}]": "tools is missing",
		head + "window: 7":                                       "agent.state is missing",
		head + "windw: 7":                                        `agent: line 5: unknown member "windw"`,
		head + "state: [{list: items}]":                          "give either json",
		head + "state: [{json: x}]":                              "list is missing",
		head + "state: [{json: x, list: items, message: above}]": `agent.state[0].message is "above", and must be behind`,
		older: "agent.state is missing",
		older + "state: [{match: '(', list: items}]":                    "missing closing",
		older + "state: [{json: x, list: i}]\nsettings: [{content: x}]": "give either home or work",
	} {
		_, err := profile.Parse("mine.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mine.yaml: ") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestOlder reads a file of the time when profiles of agents were no maps: it means the same as its
// map, and the names that changed are listed.
func TestOlder(t *testing.T) {
	t.Parallel()
	const older = `
name: mine
dialect: todos
rules: [documented]
without: [id]
tool: {names: [write, rewrite], where: /properties/todos, with: [task], add: {priority: medium}}
state: [{json: todos, list: items, names: {activeForm: active_form}}]
probe: {names: [bash], arguments: '{}'}
refused: '^Error'
resume: [--continue]
`
	const today = `
name: mine
dialect: todos
rules: [documented]
without: [id]
tools:
  - {tool: write, call: rewrite, where: /properties/todos, fill: {"*.priority": medium}}
  - {tool: rewrite, call: rewrite, where: /properties/todos, fill: {"*.priority": medium}}
result: {refused: [{match: '^Error'}]}
agent:
  with: [task]
  state: [{json: todos, list: items, names: {activeForm: active_form}}]
  probe: {names: [bash], arguments: '{}'}
  resume: [--continue]
`
	was, err := profile.Parse("mine.yaml", []byte(older))
	if err != nil {
		t.Fatal(err)
	}
	is, err := profile.Parse("mine.yaml", []byte(today))
	if err != nil {
		t.Fatal(err)
	}
	pattern := cmp.Comparer(func(a, b toolmap.Pattern) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
	if diff := cmp.Diff([]any{is.Tools, is.Result, is.Agent, is.Rules, is.Without},
		[]any{was.Tools, was.Result, was.Agent, was.Rules, was.Without}, pattern); diff != "" {
		t.Errorf("(-today +older):\n%s", diff)
	}
	want := []string{
		"probe is agent.probe now", "resume is agent.resume now", "state is agent.state now", "refused is result.refused now",
		"tool is tools now",
	}
	if diff := cmp.Diff(want, was.Former()); diff != "" || is.Former() != nil {
		t.Errorf("%v (-want +got):\n%s", is.Former(), diff)
	}
}

// FuzzRead reads what tools may give back.
func FuzzRead(f *testing.F) {
	f.Add("1. [pending] a\n2. [x", true)
	f.Add(`[{"content":"a"},[1,{"todos":[}]`, false)
	f.Fuzz(func(t *testing.T, result string, failed bool) {
		list, err := profile.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if plan := p.Read(profile.Call{Result: result, Failed: failed}, "").Plan; plan != nil &&
				!plan.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
				t.Errorf("%s: %q became %s, which is no JSON", p.Name, result, plan)
			}
		}
	})
}

// TestGuess makes a profile of tools that no built-in one names, and reads what such tools give back.
func TestGuess(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const own = `{"properties":{"entries":{"type":"array","items":{"properties":{"title":{"type":"string"},"state":{"enum":["open","doing","closed"]}}}}}}`
	const pydantic = `{"$defs":{"Step":{"properties":{"id":{"type":"string"},"task":{"type":"string"},"status":{"type":"string"}}}},"properties":{"steps":{"type":"array","items":{"$ref":"#/$defs/Step"}}}}`
	for _, x := range []struct{ schema, edit, arguments, result, plan, reminder string }{
		{
			own, `{"todos":[{"content":"a","status":"pending"}]}`, `{"entries":[{"title":"a","state":"open"}]}`,
			"Now:\n1. [closed] a: b\n2. [doing] c", `{"items":[{"content":"a: b","status":"completed"},{"content":"c","status":"in_progress"}]}`, "",
		},
		{
			own, `{"todos":[]}`, `{"entries":[]}`,
			"- [ ] a\n- [x] [1] b", `{"items":[{"content":"a","status":"pending"},{"content":"[1] b","status":"completed"}]}`, "",
		},
		{own, `{}`, `{}`, "doing: a", `{"items":[{"content":"a","status":"in_progress"}]}`, ""},
		{own, `{}`, `{}`, "* a b (open)", `{"items":[{"content":"a b","status":"pending"}]}`, ""},
		{own, `{}`, `{}`, "There are no entries.", `{"items":[]}`, ""},
		{own, `{}`, `{}`, "ok", ``, "- [note] a"},
		{
			own, `{}`, `{}`, "ok", `{"items":[{"content":"a","status":"pending"},{"content":"b\nc","status":"completed"}]}`,
			"Your list:\n<list>\n- [ ] a\n- [x] b\nc\n</list>",
		},
		{own, `{}`, `{}`, "ok", `{"items":[{"content":"a","status":"in_progress"}]}`, `{"entries":[{"title":"a","state":"doing"}]}`},
		{
			pydantic, `{"todos":[{"id":"1","content":"a","status":"completed"}]}`, `{"steps":[{"id":"1","task":"a","status":"completed"}]}`,
			`Saved {"steps": [{"id": "1", "task": "a", "status": "completed"}]}`, `{"items":[{"id":"1","content":"a","status":"completed"}]}`, "",
		},
	} {
		tools := []wire.Tool{{Name: "ask", Schema: jsontext.Value(`{"properties":{"options":{"type":"array","items":{"type":"string"}}}}`)}, {Name: "save", Schema: jsontext.Value(x.schema)}}
		p, ok := profile.Choose(list, tools)
		if !ok || p.Name != "save" || p.Guess == "" {
			t.Fatalf("%s: no profile", x.schema)
		}
		if got := p.Fill(x.edit); got != x.arguments {
			t.Errorf("arguments %s", got)
		}
		said := func(where string) string {
			if where != wire.Behind {
				t.Errorf("the guess reads %s", where)
			}
			return x.reminder
		}
		if a := p.Read(profile.Call{Result: x.result, Said: said}, ""); a.Refused || !same(a.Plan, x.plan) {
			t.Errorf("%q, %q: refused %v, plan %s", x.result, x.reminder, a.Refused, a.Plan)
		}
	}
	if _, ok := profile.Choose(list[:1], []wire.Tool{{Name: "save", Schema: jsontext.Value(own)}}); ok {
		t.Error("a profile is guessed though one was given")
	}
}

// TestChooseStranger takes a built-in profile only if its shell is offered, too, and the schema fits.
func TestChooseStranger(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	item := func(list, properties, required string) jsontext.Value {
		return jsontext.Value(`{"properties":{"` + list + `":{"type":"array","items":{"properties":{` + properties +
			`,"status":{"enum":["pending","in_progress","completed"]}},"required":[` + required + `]}}},"required":["` + list + `"]}`)
	}
	const content, id = `"content":{"type":"string"}`, `"id":{"type":"string"},"content":{"type":"string"}`
	for _, x := range []struct {
		name, tool, shell string
		schema            jsontext.Value
		want              string
	}{
		{"Qwen Code", "todo_write", "run_shell_command", item("todos", id, `"id","content","status"`), "qwen-code"},
		{"another shell", "todo_write", "bash", item("todos", id, `"id","content","status"`), "todo_write"},
		{"no ids", "todo_write", "run_shell_command", item("todos", content, `"content","status"`), "todo_write"},
		{
			"an unknown member is required", "todo_write", "run_shell_command",
			item("todos", id+`,"category":{"type":"string"}`, `"id","content","status","category"`), "todo_write",
		},
		{"ids are numbers", "todo_write", "run_shell_command", item("todos", `"id":{"type":"integer"},`+content, `"id"`), "todo_write"},
		{"Codex", "update_plan", "shell", item("plan", `"step":{"type":"string"}`, `"step","status"`), "codex"},
		{"no shell", "update_plan", "", item("plan", `"step":{"type":"string"}`, `"step","status"`), "update_plan"},
	} {
		p, ok := profile.Choose(list, []wire.Tool{{Name: x.shell}, {Name: x.tool, Schema: x.schema}})
		if !ok || p.Name != x.want {
			t.Errorf("%s: %+v and not %s", x.name, p, x.want)
		}
	}
}

// TestGuessFills gives a tool what it requires, and knows what lines of text do not show.
func TestGuessFills(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const schema = `{"properties":{"merge":{"type":"boolean"},"todos":{"type":"array","items":{"properties":{"id":{"type":"string"},
		"content":{"type":"string"},"status":{"type":"string"},"activeForm":{"type":"string"},"estimate":{"type":"integer"},
		"priority":{"enum":["high","low"]},"tags":{"type":"array"}},
		"required":["id","content","status","activeForm","estimate","priority","tags"]}}},"required":["todos","merge"]}`
	p, ok := profile.Choose(list, []wire.Tool{{Name: "todo_write", Schema: jsontext.Value(schema)}})
	if !ok || p.Guess == "" {
		t.Fatalf("no profile is guessed: %+v", p)
	}
	const full = `{"todos":[{"id":"1","content":"a","status":"pending","activeForm":"text","estimate":1,"priority":"high","tags":[]}],"merge":false}`
	if got := p.Complete(`{"todos":[{"id":"1","content":"a","status":"pending"}]}`); !same(jsontext.Value(got), full) {
		t.Errorf("the edit became %s", got)
	}
	if !slices.Contains(p.Rules, "ids=required") {
		t.Errorf("the rules are %q", p.Rules)
	}
	for _, x := range []struct {
		result, plan string
		shown        []string
	}{
		{
			`{"todos":[{"id":"1","content":"a","status":"pending","activeForm":"b","priority":"low"}]}`,
			`{"items":[{"id":"1","content":"a","status":"pending","active_form":"b","priority":"low"}]}`, nil,
		},
		{
			"- [ ] a\n- [x] b", `{"items":[{"content":"a","status":"pending"},{"content":"b","status":"completed"}]}`,
			[]string{"status", "content"},
		},
	} {
		a := p.Read(profile.Call{Result: x.result}, "")
		if !same(a.Plan, x.plan) {
			t.Fatalf("%q: plan %s", x.result, a.Plan)
		}
		if diff := cmp.Diff(x.shown, a.State.Shown()); diff != "" {
			t.Errorf("%q shows (-want +got):\n%s", x.result, diff)
		}
	}
}

// TestGuessNumbers gives ids as numbers to a tool that wants them so, and reads them as texts.
func TestGuessNumbers(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const schema = `{"properties":{"todos":{"type":"array","items":{"properties":{"id":{"type":"integer"},
		"content":{"type":"string"},"status":{"type":"string"}},"required":["id","content","status"]}}}}`
	p, ok := profile.Choose(list, []wire.Tool{{Name: "save", Schema: jsontext.Value(schema)}})
	if !ok {
		t.Fatal("no profile is guessed")
	}
	const edit = `{"todos":[{"id":"7","content":"7","status":"pending"},{"id":"b","content":"c","status":"pending"},{"id":"07"}]}`
	const arguments = `{"todos":[{"id":7,"content":"7","status":"pending"},{"id":"b","content":"c","status":"pending"},{"id":"07"}]}`
	if got := p.Fill(edit); got != arguments {
		t.Errorf("arguments %s", got)
	}
	const plan = `{"items":[{"id":"7","content":"a","status":"pending"}]}`
	if a := p.Read(profile.Call{Result: `{"todos":[{"id":7,"content":"a","status":"pending"}]}`}, ""); !same(a.Plan, plan) {
		t.Errorf("plan %s", a.Plan)
	}
}

// TestReadSingles reads the tasks of agents whose tools change one task a call: from files, and from lists.
func TestReadSingles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude/tasks/s")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const task = `{"id":"1","subject":"A","description":"b","status":"completed","blocks":[],"blockedBy":["2"],"owner":"x"}`
	if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(task), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ profile, home, tool, result, plan string }{
		{
			"claude-code-tasks", home, "TaskUpdate", "Updated task #1 status",
			`{"tasks":[{"blocked_by":["2"],"description":"b","id":"1","status":"completed","subject":"A"}]}`,
		},
		{"claude-code-tasks", "", "TaskUpdate", `Updated [{"id":"1"}]`, ""},
		{"claude-code-tasks", "", "TaskList", "No tasks found", `{"tasks":[]}`},
		{
			"claude-code-tasks", "", "TaskList", "#1 [pending] A [b] (me)\n#2 [in_progress] B [blocked by #1, #7]",
			`{"tasks":[{"id":"1","status":"pending","subject":"A [b] (me)"},` +
				`{"blocked_by":["1","7"],"id":"2","status":"in_progress","subject":"B"}]}`,
		},
		{
			"claude-code-tasks", "", "TaskList", "#1 [pending] \n#2 [pending] B",
			`{"tasks":[{"id":"1","status":"pending","subject":""},{"id":"2","status":"pending","subject":"B"}]}`,
		},
		{
			"claude-code-tasks", "", "TaskList", `{"tasks":[{"id":1,"subject":"A","status":"pending","blockedBy":[]}]}`,
			`{"tasks":[{"blocked_by":[],"id":"1","status":"pending","subject":"A"}]}`,
		},
		{
			"gemini-tracker", "", "tracker_list_tasks", "- [a1b2c3] A (x) (closed)",
			`{"tasks":[{"id":"a1b2c3","status":"completed","subject":"A (x)"}]}`,
		},
	} {
		got := builtin(t, x.profile).Read(profile.Call{Tool: x.tool, Result: x.result}, x.home)
		if diff := cmp.Diff(x.plan, string(got.Plan)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", x.profile, x.result, diff)
		}
	}
}
