package toolmap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/plan/toolmap"
)

func find(t *testing.T, name string) *toolmap.Map {
	t.Helper()
	list := toolmap.For("tasks")
	i := slices.IndexFunc(list, func(m *toolmap.Map) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("there is no built-in map %s", name)
	}
	return list[i]
}

func calls(r toolmap.Reading) string {
	var list []string
	for _, c := range r.Calls {
		list = append(list, string(c.JSON()))
	}
	return strings.Join(append(list, r.Unknown...), " ")
}

// TestRead turns uses of tools into calls.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, of, tool, args, want string }{
		{
			"create", "claude-code-tasks", "TaskCreate", `{"subject":"A","description":"b","activeForm":"Doing A"}`,
			`{"call":"create","description":"b","subject":"A"}`,
		},
		{
			"status", "claude-code-tasks", "TaskUpdate", `{"taskId":"1","status":"completed","owner":"me"}`,
			`{"call":"update","id":"1","status":"completed"}`,
		},
		{
			"edges, a number as id", "claude-code-tasks", "TaskUpdate", `{"taskId":2,"addBlockedBy":["1",3],"due":"now"}`,
			`{"add_blocked_by":["1","3"],"call":"update","id":"2"} due`,
		},
		{"deleted", "claude-code-tasks", "TaskUpdate", `{"taskId":"1","status":"deleted"}`, `{"call":"delete","id":"1"}`},
		{"list", "claude-code-tasks", "TaskList", `{}`, `{"call":"list"}`},
		{
			"tracker", "gemini-tracker", "tracker_create_task", `{"title":"A","description":"b","type":"bug","dependencies":["a1"]}`,
			`{"blocked_by":["a1"],"call":"create","description":"b","subject":"A"}`,
		},
		{
			"one tool for edges", "gemini-tracker", "tracker_add_dependency", `{"taskId":"a","dependencyId":"b"}`,
			`{"add_blocked_by":["b"],"call":"update","id":"a"}`,
		},
		{
			"other words for statuses", "gemini-tracker", "tracker_update_task", `{"id":"a","status":"blocked"}`,
			`{"call":"update","id":"a","status":"pending"}`,
		},
		{
			"a name with its server", "task-master-ai", "mcp__taskmaster__set_task_status", `{"id":"4, 5","status":"done"}`,
			`{"call":"update","ids":["4","5"],"status":"completed"}`,
		},
		{
			"one of many", "task-master-ai", "set_task_status", `{"id":"4","status":"done"}`,
			`{"call":"update","id":"4","status":"completed"}`,
		},
		{
			"one tool, several calls", "mcp-task-manager", "update_task",
			`{"tasks":[{"taskID":"a","set":{"status":"done"}},{"taskID":"b","set":{"title":"T"}},7]}`,
			`{"call":"update","id":"a","status":"completed"} {"call":"update","id":"b","subject":"T"}`,
		},
		{
			"a list in a text", "shrimp", "split_tasks",
			`{"updateMode":"overwrite","tasksRaw":"[{\"name\":\"A\",\"description\":\"d\"}]","globalAnalysisResult":"x"}`,
			`{"call":"replace","mode":"open","tasks":[{"description":"d","subject":"A"}]}`,
		},
		{"what a tool implies", "shrimp", "execute_task", `{"taskId":"u"}`, `{"call":"update","id":"u","status":"in_progress"}`},
	} {
		got, ok := find(t, x.of).Read(x.tool, []byte(x.args))
		if diff := cmp.Diff(x.want, calls(got)); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", x.name, ok, diff)
		}
	}
	for _, args := range []string{`[]`, `{`, `{"a":1,"a":2}`, `null`} {
		if _, ok := find(t, "claude-code-tasks").Read("TaskCreate", []byte(args)); ok {
			t.Errorf("%s was read", args)
		}
	}
	if _, ok := find(t, "claude-code-tasks").Read("Bash", []byte(`{}`)); ok {
		t.Error("a tool that the map does not name was read")
	}
}

// TestWrite turns calls into uses of tools, and refuses what no tool can do in one step.
func TestWrite(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"dir": "/d", "request": "req-1"}
	for _, x := range []struct {
		name, of string
		call     toolmap.Call
		want     string
	}{
		{"delete", "claude-code-tasks", toolmap.Call{"call": "delete", "id": "1"}, `TaskUpdate {"status":"deleted","taskId":"1"}`},
		{
			"commas", "task-master-ai",
			toolmap.Call{"call": "update", "ids": []any{"1", "2"}, "status": "completed"},
			`set_task_status {"id":"1,2","projectRoot":"/d","status":"done"}`,
		},
		{
			"one edge", "task-master-ai",
			toolmap.Call{"call": "update", "id": "1", "add_blocked_by": []any{"2"}},
			`add_dependency {"dependsOn":"2","id":"1","projectRoot":"/d"}`,
		},
		{"two edges", "task-master-ai", toolmap.Call{"call": "update", "id": "1", "add_blocked_by": []any{"2", "3"}}, ""},
		{"no such member", "task-master-ai", toolmap.Call{"call": "update", "id": "1", "subject": "x"}, ""},
		{"no such status", "shrimp", toolmap.Call{"call": "update", "id": "1", "status": "cancelled"}, ""},
		{"implied", "shrimp", toolmap.Call{"call": "update", "id": "1", "status": "in_progress"}, `execute_task {"taskId":"1"}`},
		{"wrong type", "claude-code-tasks", toolmap.Call{"call": "create", "subject": 7.0}, `TaskCreate {"description":"","subject":7}`},
		{
			"nested", "mcp-task-manager",
			toolmap.Call{"call": "update", "id": "a", "status": "in_progress"},
			`update_task {"tasks":[{"set":{"status":"in-progress"},"taskID":"a"}]}`,
		},
		{
			"a list of many", "mcp-task-manager",
			toolmap.Call{"call": "update", "ids": []any{"a", "b"}, "status": "completed"},
			`update_task {"tasks":[{"set":{"status":"done"},"taskID":"a"},{"set":{"status":"done"},"taskID":"b"}]}`,
		},
		{
			"only for setup", "mcp-taskmanager",
			toolmap.Call{"call": "replace", "tasks": []any{map[string]any{"subject": "A"}}},
			`add_tasks_to_request {"requestId":"req-1","tasks":[{"description":"","title":"A"}]}`,
		},
	} {
		uses, ok := find(t, x.of).Write(x.call, vars)
		var got []string
		for _, u := range uses {
			got = append(got, u.Tool+" "+string(u.JSON()))
		}
		if diff := cmp.Diff(x.want, strings.Join(got, ", ")); diff != "" || ok != (x.want != "") {
			t.Errorf("%s: %v (-want +got):\n%s", x.name, ok, diff)
		}
	}
}

// TestRoundTrip reads back what every built-in map writes.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	list := toolmap.For("tasks")
	if len(list) != 7 {
		t.Fatal(len(list))
	}
	vars := map[string]string{"dir": "/d", "request": "req-1"}
	for _, m := range list {
		written := 0
		for _, c := range []toolmap.Call{
			{"call": "create", "subject": "A", "description": "At some length"},
			{"call": "create", "subject": "A", "description": "At some length", "blocked_by": []any{"1", "2"}},
			{"call": "update", "id": "1", "status": "completed"},
			{"call": "update", "id": "1", "status": "in_progress"},
			{"call": "update", "ids": []any{"1", "2"}, "status": "completed"},
			{"call": "update", "id": "1", "subject": "B"},
			{"call": "update", "id": "1", "add_blocked_by": []any{"2"}},
			{"call": "update", "id": "1", "blocked_by": []any{"2", "3"}},
			{"call": "update", "id": "1", "remove_blocked_by": []any{"2"}},
			{"call": "delete", "id": "1"},
			{"call": "next"},
		} {
			uses, ok := m.Write(c, vars)
			if !ok {
				continue
			}
			written++
			r, ok := m.Read(uses[0].Tool, uses[0].JSON())
			if len(uses) > 1 {
				continue // the first use of two does half of the call
			}
			if ids, many := c["ids"].([]any); many && len(r.Calls) == len(ids) {
				continue // a tool with a list makes several calls of it
			}
			if diff := cmp.Diff(string(c.JSON()), calls(r)); diff != "" || !ok {
				t.Errorf("%s: %s %s: %v (-want +got):\n%s", m.Name, uses[0].Tool, uses[0].JSON(), ok, diff)
			}
		}
		if written < 4 {
			t.Errorf("%s writes %d calls", m.Name, written)
		}
	}
}

// TestAnswer finds ids and refusals in answers.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		of, tool string
		answer   toolmap.Answer
		want     toolmap.Report
	}{
		{"claude-code-tasks", "TaskCreate", toolmap.Answer{Text: "Task #3 created successfully: A"}, toolmap.Report{IDs: []string{"3"}}},
		{"claude-code-tasks", "TaskCreate", toolmap.Answer{Structured: []byte(`{"task":{"id":"3"}}`)}, toolmap.Report{IDs: []string{"3"}}},
		{"claude-code-tasks", "TaskUpdate", toolmap.Answer{Text: "Task not found"}, toolmap.Report{Refused: true, Unmarked: true}},
		{
			"claude-code-tasks", "TaskUpdate",
			toolmap.Answer{Structured: []byte(`{"success":false,"taskId":"9"}`)},
			toolmap.Report{Refused: true, Unmarked: true},
		},
		{"gemini-tracker", "tracker_create_task", toolmap.Answer{Text: "Created task a1b2c3: A"}, toolmap.Report{IDs: []string{"a1b2c3"}}},
		{
			"gemini-tracker", "tracker_add_dependency",
			toolmap.Answer{Text: "Dependency task x not found."},
			toolmap.Report{Refused: true, Unmarked: true},
		},
		{"task-master-ai", "add_task", toolmap.Answer{Text: `{"data":{"taskId":4}}`}, toolmap.Report{IDs: []string{"4"}}},
		{"task-master-ai", "next_task", toolmap.Answer{Text: `{"data":{"nextTask":{"id":4}}}`}, toolmap.Report{Ready: []string{"4"}}},
		{
			"mcp-task-manager", "create_task",
			toolmap.Answer{Structured: []byte(`{"taskCreated":{"taskID":"abc"}}`)},
			toolmap.Report{IDs: []string{"abc"}},
		},
		{"backlog", "task_archive", toolmap.Answer{Text: "no", Error: true}, toolmap.Report{Refused: true}},
	} {
		if diff := cmp.Diff(x.want, find(t, x.of).Answer(x.tool, x.answer)); diff != "" {
			t.Errorf("%s %s %+v (-want +got):\n%s", x.of, x.tool, x.answer, diff)
		}
	}
}

// TestParse names the mistake in a map.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "mine.yaml: the map is empty",
		"name: x":            "dialect is missing",
		"name: x\ncolour: 1": `line 2: unknown member "colour"`,
		"name: x\ntools: 1":  "line 2: expected a list, got a number",
		"name: x\ndialect: tasks\ntools: [{tool: a, call: upd}]":                                                   `unknown call "upd"`,
		"name: x\ndialect: tasks\ntools: [{call: update}]":                                                         "line 3: tool is missing",
		"name: x\ndialect: tasks\ntools: [{tool: a, call: next, members: {b: {as: z}}}]":                           "line 3: a member needs the key to",
		"name: x\ndialect: tasks\ntools:\n- {tool: a, call: next}\n- {tool: b, call: create, members: {b: titel}}": `line 5: tool b: b: unknown member "titel"`,
		"name: x\ndialect: tasks\nstatuses: {complete: [done]}":                                                    `unknown status "complete"; did you mean "completed"?`,
		"name: x\ndialect: tasks\nresult: {id: [{match: '('}]}":                                                    "error parsing regexp",
	} {
		if _, err := toolmap.Parse("mine.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if data, err := toolmap.Source(toolmap.Server, "backlog"); err != nil || !slices.Contains(strings.Split(string(data), "\n"), "name: backlog") {
		t.Errorf("the source: %v", err)
	}
}

// FuzzRead reads foreign arguments and answers without a crash.
func FuzzRead(f *testing.F) {
	f.Add("TaskUpdate", `{"taskId":"1","status":"deleted"}`)
	f.Add("split_tasks", `{"updateMode":"append","tasksRaw":"[{}]"}`)
	f.Add("update_task", `{"tasks":[{"taskID":"a","set":{"status":"done"}}]}`)
	list, err := toolmap.Builtin()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool, text string) {
		for _, m := range list {
			if r, ok := m.Read(tool, []byte(text)); ok {
				for _, c := range r.Calls {
					m.Write(c, nil)
				}
			}
			if r := m.Answer(tool, toolmap.Answer{Text: text, Structured: []byte(text)}); r.Refused && r.IDs != nil {
				t.Errorf("a refusal has ids: %+v", r)
			}
		}
	})
}

// TestOneNumber writes a list with one id as a number, and reads it as a list again.
func TestOneNumber(t *testing.T) {
	t.Parallel()
	m, err := toolmap.Parse("own.yaml", []byte(`name: own
dialect: tasks
statuses: {pending: [open], completed: [closed]}
tools:
  - {tool: wait, call: update, members: {number: {to: id, as: number}, after: {to: add_blocked_by, as: one_number}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	call := toolmap.Call{"call": "update", "id": "1", "add_blocked_by": []any{"2"}}
	uses, ok := m.Write(call, nil)
	if !ok || len(uses) != 1 {
		t.Fatalf("the call is %d uses", len(uses))
	}
	const want = `{"after":2,"number":1}`
	if got := string(uses[0].JSON()); got != want {
		t.Errorf("written %s, and not %s", got, want)
	}
	if got, _ := m.Read("wait", []byte(want)); !cmp.Equal([]toolmap.Call{call}, got.Calls) {
		t.Errorf("read %v", got.Calls)
	}
	call["add_blocked_by"] = []any{"2", "3"}
	if _, ok := m.Write(call, nil); ok {
		t.Error("two ids were written as one")
	}
}

// TestRewrite gives the members, the items and the statuses of a whole list their other names, and
// exchanges names that mean something else on the other side.
func TestRewrite(t *testing.T) {
	t.Parallel()
	m, err := toolmap.Parse("own.yaml", []byte(`name: own
dialect: todos
statuses: {pending: [open], completed: [closed, shut]}
tools:
  - {tool: set, call: rewrite, members: {entries: todos, entries.title: content, entries.state: status, entries.no: {to: id, as: number}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ name, reply, arguments string }{
		{
			"known", `{"todos":[{"content":"a","status":"pending"},{"status":"completed"}]}`,
			`{"entries":[{"title":"a","state":"open"},{"state":"closed"}]}`,
		},
		{"unknown words", `{"todos":[{"status":"Done"},{"status":7},"x"],"n":1}`, `{"entries":[{"state":"Done"},{"state":7},"x"],"n":1}`},
		{"exchanged", `{"entries":[],"todos":[{"title":"a","status":"open"}]}`, `{"todos":[],"entries":[{"content":"a","state":"pending"}]}`},
		{"numbers", `{"todos":[{"id":"3","content":"4"},{"id":"x"},{"id":5}]}`, `{"entries":[{"no":3,"title":"4"},{"no":"x"},{"no":"5"}]}`},
		{"no object", `[1]`, `[1]`},
		{"no JSON", `{"todos":`, `{"todos":`},
	} {
		if got := m.Written(&m.Tools[0], x.reply); got != x.arguments {
			t.Errorf("%s: written %s", x.name, got)
		}
		if got, ok := m.Reply("set", x.arguments); got != x.reply || !ok {
			t.Errorf("%s: read %s", x.name, got)
		}
	}
	if got, _ := m.Reply("set", `{"entries":[{"state":"shut"}]}`); got != `{"todos":[{"status":"completed"}]}` {
		t.Errorf("the second word of a status: %s", got)
	}
	const schema = `{"properties":{"entries":{"items":{"properties":{"no":{"type":"integer"},"title":{},"state":{"enum":["open","closed","other"]}},"required":["title"]}}},"required":["entries"]}`
	const want = `{"properties":{"todos":{"items":{"properties":{"id":{"type":"string"},"content":{},"status":{"enum":["pending","completed","other"]}},"required":["content"]}}},"required":["todos"]}`
	if diff := cmp.Diff(want, m.Schema(&m.Tools[0], schema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

// TestHalfACharacter: a text of one task hides no other task.
func TestHalfACharacter(t *testing.T) {
	t.Parallel()
	got := toolmap.Answer{Text: `[{"title":"a\ud83d"},{"title":"b"}]`}.Values()
	want := []any{[]any{map[string]any{"title": "a\ufffd"}, map[string]any{"title": "b"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
