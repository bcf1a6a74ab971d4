package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	planmode "replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/spec"
)

const plan = "plans/calm-baking-fox.md"

func script(context, files, calls string) harness.Case {
	return harness.Case{Dialect: "planmode", Context: []byte(context), Files: []byte(files), Calls: []byte(calls)}
}

func eval(c harness.Case) harness.Outcome { return planmode.Eval(c, harness.Reference()) }

// lines writes a trace, an item a line.
func lines(trace []harness.TraceItem) string {
	var b strings.Builder
	for _, item := range trace {
		words := []string{item.State, item.Step, item.Event, string(item.Code), string(item.Data)}
		b.WriteString(strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ") + "\n")
	}
	return b.String()
}

func TestASessionFromBeginToEnd(t *testing.T) {
	out := eval(script(`{"slug":"calm-baking-fox","session":"s1"}`, `{"src/main.go":"package main"}`, `[
		{"tool":"EnterPlanMode","approval":"deny","feedback":"not yet"},
		{"tool":"EnterPlanMode","approval":true},
		{"tool":"write","args":{"path":"src/main.go","content":"x"}},
		{"tool":"read","args":{"path":"src/main.go"}},
		{"tool":"ExitPlanMode","approval":"auto_accept"},
		{"tool":"write","args":{"path":"{plan}","content":"# Plan"}},
		{"phase":"design"},
		{"tool":"ExitPlanMode","approval":"keep_planning","feedback":"too short"},
		{"tool":"edit","args":{"path":"plans/../{plan}","old":"Plan","new":"A longer plan"}},
		{"tool":"ExitPlanMode","approval":"manual"},
		{"tool":"write","args":{"path":"src/main.go","content":"y"}},
		{"tool":"write","args":{"path":"src/main.go","content":"y"},"approval":"deny"},
		{"tool":"write","args":{"path":"src/main.go","content":"y"},"approval":"approve"},
		{"tool":"EnterPlanMode","approval":"approve"}]`))
	guidance := `"guidance":"Plan mode is on: look around, change no other file, and write the plan to ` + plan +
		`. Call ExitPlanMode when the plan is ready for approval."`
	want := strings.ReplaceAll(`normal EnterPlanMode
normal plan.denied {"sessionId":"s1","planFilePath":"PLAN","feedback":"not yet"}
normal EnterPlanMode {"path":"PLAN",GUIDANCE}
explore plan.enter {"sessionId":"s1","planFilePath":"PLAN","planExists":false}
explore write tool_forbidden
explore read {"content":"package main"}
explore ExitPlanMode empty_plan_file
explore write {"path":"PLAN"}
explore phase {"phase":"design"}
design ExitPlanMode
exit plan.exit {"sessionId":"s1","planFilePath":"PLAN","planContent":"# Plan","isAgent":false}
review plan.denied {"sessionId":"s1","planFilePath":"PLAN","feedback":"too short"}
review edit {"path":"PLAN"}
review ExitPlanMode
exit plan.exit {"sessionId":"s1","planFilePath":"PLAN","planContent":"# A longer plan","isAgent":false}
normal plan.approved {"sessionId":"s1","planFilePath":"PLAN","edits":"asked"}
normal write replies_exhausted
normal write
normal write {"path":"src/main.go"}
normal EnterPlanMode {"path":"PLAN",GUIDANCE}
explore plan.enter {"sessionId":"s1","planFilePath":"PLAN","planExists":true}
`, "PLAN", plan)
	want = strings.ReplaceAll(want, "GUIDANCE", guidance)
	if diff := cmp.Diff(want, lines(out.Trace)); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	out.Trace, out.Message = nil, ""
	rest := harness.Outcome{
		Verdict: harness.Rejected, Code: harness.ToolForbidden, At: new("/calls/2"),
		Mode: "plan", Phase: "explore", Path: plan, Content: "# A longer plan",
	}
	if diff := cmp.Diff(rest, out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

// TestMatrix asks for every tool in every mode and context.
func TestMatrix(t *testing.T) {
	calls := []string{
		`{"tool":"read","args":{"path":"a"}}`, `{"tool":"ls"}`, `{"tool":"glob","args":{}}`,
		`{"tool":"grep","args":{"pattern":"x"}}`,
		`{"tool":"fetch","args":{"url":"x"}}`, `{"tool":"AskUserQuestion","args":{"question":"?"}}`,
		`{"tool":"write","args":{"path":"a","content":""}}`, `{"tool":"write","args":{"path":"{plan}","content":"x"}}`,
		`{"tool":"edit","args":{"path":"a","old":"o","new":"p"}}`, `{"tool":"bash","args":{"command":"ls"}}`,
		`{"tool":"Task","args":{"agent":"Explore"}}`, `{"tool":"Task","args":{"agent":"Plan"}}`,
		`{"tool":"Task","args":{"agent":"coder"}}`,
		`{"tool":"EnterPlanMode","approval":"deny"}`, `{"tool":"ExitPlanMode","approval":"keep_planning"}`,
		`{"phase":"design"}`,
		`{"tool":"Write","args":{"path":"a","content":""}}`, `{"tool":"rm","args":{}}`,
	}
	// . is allowed, f tool_forbidden, a agent_context, e already_in_plan_mode,
	// n not_in_plan_mode.
	codes := map[harness.Code]byte{
		"": '.', harness.ToolForbidden: 'f', harness.AgentContext: 'a', harness.AlreadyInPlanMode: 'e',
		harness.NotInPlanMode: 'n',
	}
	for context, want := range map[string]string{
		`{"slug":"calm-baking-fox"}`: ".............." +
			"nnff",
		`{"slug":"calm-baking-fox","agent":""}`: ".............." +
			"nnff",
		`{"slug":"calm-baking-fox","phase":"explore"}`: "......f.ff..fe" +
			"..ff",
		`{"slug":"calm-baking-fox","agent":true}`: "......fffffffa" +
			"aaff",
		`{"slug":"calm-baking-fox","agent":"coder","agent_tools":["write","bash"]}`: "........f.fffa" +
			"aaff",
		`{"slug":"calm-baking-fox","agent":true,"agent_tools":["write","edit","bash","Task"]}`: "..........fffa" +
			"aaff",
		`{"slug":"calm-baking-fox","agent":true,"agent_tools":["write","bash"],"phase":"review"}`: "......f.fffffa" +
			"aaff",
		`{"slug":"calm-baking-fox","agent":"plan","agent_tools":["write","edit","bash"]}`: "......fffffffa" +
			"aaff",
		`{"slug":"calm-baking-fox","agent":"plan","agent_tools":["write","edit"],"phase":"design"}`: "......fffffffa" +
			"aaff",
	} {
		var got []byte
		for _, call := range calls {
			out := eval(script(context, `{"a":"o","`+plan+`":"x"}`, "["+call+"]"))
			letter, ok := codes[out.Code]
			if !ok {
				t.Errorf("%s: %s: %s", context, call, out.Message)
			}
			got = append(got, letter)
		}
		if string(got) != want {
			t.Errorf("%s:\nwant %s\ngot  %s", context, want, got)
		}
	}
}

// Of several reasons to refuse a call the first in the order of the rules
// counts.
func TestPrecedence(t *testing.T) {
	const agentInPlan, agent, inPlan, normal = `{"agent":true,"phase":"design"}`, `{"agent":true}`, `{"phase":"design"}`,
		`{}`
	for _, test := range []struct {
		context, call string
		want          harness.Code
	}{
		{agentInPlan, `{"tool":"EnterPlanMode","args":{"x":1}}`, harness.BadArguments},
		{agentInPlan, `{"tool":"EnterPlanMode"}`, harness.AgentContext},
		{inPlan, `{"tool":"EnterPlanMode"}`, harness.AlreadyInPlanMode},
		{normal, `{"tool":"EnterPlanMode"}`, harness.RepliesExhausted},
		{normal, `{"tool":"EnterPlanMode","args":{},"approval":null}`, harness.RepliesExhausted},
		{normal, `{"tool":"EnterPlanMode","args":null,"approval":"approve"}`, harness.BadArguments},
		{inPlan, `{"tool":"ExitPlanMode","args":null,"approval":"manual"}`, harness.BadArguments},
		{normal, `{"tool":"ls","args":null}`, ""},
		{normal, `{"tool":"EnterPlanMode","args":[],"approval":true}`, harness.BadArguments},
		{normal, `{"tool":"EnterPlanMode","args":"","approval":true}`, harness.BadArguments},
		{agent, `{"tool":"ExitPlanMode","args":[]}`, harness.BadArguments},
		{agent, `{"tool":"ExitPlanMode"}`, harness.AgentContext},
		{normal, `{"tool":"ExitPlanMode"}`, harness.NotInPlanMode},
		{inPlan, `{"tool":"ExitPlanMode"}`, harness.EmptyPlanFile},
		{agent, `{"phase":"desing"}`, harness.BadArguments},
		{agent, `{"phase":7}`, harness.BadArguments},
		{agent, `{"phase":"design"}`, harness.AgentContext},
		{normal, `{"phase":"design"}`, harness.NotInPlanMode},
		{inPlan, `{"phase":"design"}`, harness.BadArguments},
		{inPlan, `{"phase":"finalize"}`, harness.BadArguments},
		{inPlan, `{"phase":"explore"}`, harness.BadArguments},
		{agent, `{"tool":"write","args":{"content":"x"}}`, harness.BadArguments},
		{inPlan, `{"tool":"write","args":{"path":"","content":"x"}}`, harness.BadArguments},
		{inPlan, `{"tool":"write","args":{"path":"a","content":null}}`, harness.BadArguments},
		{inPlan, `{"tool":"edit","args":{"path":"a","old":"","new":""}}`, harness.BadArguments},
		{inPlan, `{"tool":"edit","args":{"path":"a","old":"x"}}`, harness.BadArguments},
		{inPlan, `{"tool":"bash","args":"ls"}`, harness.BadArguments},
		{inPlan, `{"tool":"grep","args":[]}`, harness.BadArguments},
		{inPlan, `{"tool":"Task","args":{}}`, harness.BadArguments},
		{inPlan, `{"tool":"Task","args":{"agent":" "}}`, harness.BadArguments},
		{inPlan, `{"tool":"edit","args":{"path":"a","old":"not there","new":""}}`, harness.ToolForbidden},
		{normal, `{"tool":"edit","args":{"path":"a","old":"not there","new":""}}`, harness.BadArguments},
		{normal, `{"tool":"edit","args":{"path":"b","old":"x","new":""}}`, harness.BadArguments},
		{normal, `{"tool":"edit","args":{"path":"twice","old":"x","new":""}}`, harness.BadArguments},
		{normal, `{"tool":"write","args":{"path":"a/b","content":""}}`, harness.BadArguments},
		{normal, `{"tool":"write","args":{"path":"../b","content":""}}`, ""},
		{inPlan, `{"tool":"write","args":{"path":"../b","content":""}}`, harness.ToolForbidden},
	} {
		out := eval(script(test.context, `{"a":"text","twice":"xx"}`, "["+test.call+"]"))
		if out.Code != test.want {
			t.Errorf("%s: %s: %q, want %q (%s)", test.context, test.call, out.Code, test.want, out.Message)
		}
	}
}

// Cases that are none are refused as a whole, with the place.
func TestMalformedCases(t *testing.T) {
	for _, test := range []struct {
		context, files, calls string
		code                  harness.Code
		at                    string
	}{
		{`{}`, `{}`, ``, harness.MissingField, ""},
		{`[]`, `{}`, `[]`, harness.BadType, "/context"},
		{`{"agents":true}`, `{}`, `[]`, harness.ExtraField, "/context/agents"},
		{`{"agent":1}`, `{}`, `[]`, harness.BadType, "/context/agent"},
		{`{"agent_tools":"write"}`, `{}`, `[]`, harness.BadType, "/context/agent_tools"},
		{`{"agent_tools":[1]}`, `{}`, `[]`, harness.BadType, "/context/agent_tools/0"},
		{`{"phase":"planning"}`, `{}`, `[]`, harness.BadType, "/context/phase"},
		{`{"seed":-1}`, `{}`, `[]`, harness.BadType, "/context/seed"},
		{`{"seed":"1"}`, `{}`, `[]`, harness.BadType, "/context/seed"},
		{`{"slug":"../x"}`, `{}`, `[]`, harness.BadType, "/context/slug"},
		{`{"slug":""}`, `{}`, `[]`, harness.BadType, "/context/slug"},
		{`{"slugs":["a-b-c","A-b-c"]}`, `{}`, `[]`, harness.BadType, "/context/slugs/1"},
		{`{"taken":["x"]}`, `{}`, `[]`, harness.BadType, "/context/taken/0"},
		{`{"a":1,"a":2}`, `{}`, `[]`, harness.DuplicateKey, "/context/a"},
		{`{"session":"\ud800"}`, `{}`, `[]`, harness.InvalidUTF8, "/context/session"},
		{"{\"session\":\"\xff\"}", `{}`, `[]`, harness.InvalidUTF8, "/context"},
		{`{`, `{}`, `[]`, harness.NoDocument, "/context"},
		{`{}`, `[]`, `[]`, harness.BadType, "/files"},
		{`{}`, `{"a/b":1}`, `[]`, harness.BadType, "/files/a~1b"},
		{`{}`, `{"../a":""}`, `[]`, harness.BadType, "/files/..~1a"},
		{`{}`, `{"a":"","a/b":""}`, `[]`, harness.BadType, "/files/a~1b"},
		{`{}`, `{"a":{"link":"b","mode":7}}`, `[]`, harness.ExtraField, "/files/a/mode"},
		{`{}`, `{}`, `{}`, harness.BadType, "/calls"},
		{`{}`, `{}`, `[7]`, harness.BadType, "/calls/0"},
		{`{}`, `{}`, `[{}]`, harness.MissingField, "/calls/0"},
		{`{}`, `{}`, `[{"tool":"ls"},{"tool":7}]`, harness.BadType, "/calls/1/tool"},
		{`{}`, `{}`, `[{"tool":"ls","phase":"design"}]`, harness.ExtraField, "/calls/0/tool"},
		{`{}`, `{}`, `[{"tool":"ls","arguments":{}}]`, harness.ExtraField, "/calls/0/arguments"},
		{`{}`, `{}`, `[{"tool":"EnterPlanMode","approval":"manual"}]`, harness.BadType, "/calls/0/approval"},
		{`{}`, `{}`, `[{"tool":"ExitPlanMode","approval":true}]`, harness.BadType, "/calls/0/approval"},
		{`{}`, `{}`, `[{"tool":"ls","feedback":[]}]`, harness.BadType, "/calls/0/feedback"},
		{
			`{}`, `{}`, `[{"tool":"ls","args":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}]`, harness.TooDeep,
			"/calls",
		},
	} {
		c := script(test.context, test.files, test.calls)
		if test.calls == "" {
			c.Calls = nil
		}
		out := eval(c)
		if out.Verdict != harness.Rejected || out.Code != test.code || out.At == nil || *out.At != test.at {
			t.Errorf("%.60s %.60s %.60s: %s %v (%s), want %s at %q", test.context, test.files, test.calls, out.Code, out.At,
				out.Message, test.code, test.at)
		}
	}
}

func TestNames(t *testing.T) {
	const enter = `[{"tool":"EnterPlanMode","approval":"approve"}]`
	taken := func(n int) (slugs, files []string) {
		for i := range n {
			slugs = append(slugs, fmt.Sprintf(`"a-b-%c"`, 'a'+i))
			files = append(files, fmt.Sprintf(`"plans/a-b-%c.md":""`, 'a'+i))
		}
		return slugs, files
	}
	slugs, files := taken(12)
	all := strings.Join(slugs, ",")
	for _, test := range []struct{ context, files, want string }{
		{`{"slugs":[` + all + `]}`, `{}`, "plans/a-b-a.md"},
		{`{"slugs":[` + all + `]}`, `{` + strings.Join(files[:10], ",") + `}`, "plans/a-b-k.md"},
		{`{"slugs":[` + all + `]}`, `{` + strings.Join(files[:11], ",") + `}`, ""},
		{`{"slugs":[` + all + `],"taken":[` + strings.Join(slugs[:11], ",") + `]}`, `{}`, ""},
		{`{"slugs":[` + all + `],"taken":["a-b-a"]}`, `{"plans/a-b-b.md":""}`, "plans/a-b-c.md"},
		{
			`{"slugs":["a-b-a","a-b-b","a-b-c","a-b-d"]}`, `{"plans/A-b-a.MD":"","plans/a-b-b.md. ":"","plans/a-b-c.md/x":""}`,
			"plans/a-b-d.md",
		},
		{`{"slugs":["a-b-a","a-b-b"]}`, `{"plans/a-b-a.md":{"link":"nothing"}}`, "plans/a-b-b.md"},
		{`{"slug":"a-b-a","taken":["a-b-a"]}`, `{"plans/a-b-a.md":"old"}`, "plans/a-b-a.md"},
	} {
		out := eval(script(test.context, test.files, enter))
		if out.Path != test.want || (out.Code == harness.SlugExhausted) != (test.want == "") {
			t.Errorf("%s %s: %q %s, want %q", test.context, test.files, out.Path, out.Code, test.want)
		}
	}
	out := eval(script(`{"phase":"explore","slugs":[`+all+`]}`, `{`+strings.Join(files, ",")+`}`, `[]`))
	if out.Code != harness.SlugExhausted || *out.At != "/context" {
		t.Errorf("a session that cannot begin: %+v", out)
	}
	one, two := eval(script(`{"seed":18446744073709551615}`, ``, enter)), eval(script(`{"seed":1}`, ``, enter))
	if _, ok := planfile.SlugOf(one.Path); !ok || one.Path == two.Path {
		t.Errorf("names that are drawn: %q and %q", one.Path, two.Path)
	}
}

// What looks like the plan file, or leads elsewhere, is not the plan file.
func TestLookAlikes(t *testing.T) {
	files := `{"` + plan + `":"x","to-plan":{"link":"` + plan + `"},"to-source":{"link":"src/main.go"},"src/main.go":"x",
		"plans/other-baking-fox.md":"x","up":{"link":".."},"near":{"link":"plans"}}`
	allowed := []string{
		plan, "./" + plan, "plans//calm-baking-fox.md", "src/../" + plan, "to-plan",
		"near/calm-baking-fox.md", "{plan}", "near/../{plan}",
	}
	forbidden := []string{
		"../" + plan, "/" + plan, "plans/../../" + plan, "PLANS/calm-baking-fox.md", "plans/Calm-Baking-Fox.md",
		"plans/calm-baking-fox.MD",
		plan + ".", plan + " ", " " + plan, plan + `\u0000`, plan + `\u0000.txt`, plan + "/", plan + "/.",
		`plans\\calm-baking-fox.md`, "plans/calm-baking-fox",
		"up/" + plan, "to-source", "plans/other-baking-fox.md", "plans", "plans/new.md", "none/../" + plan, "~/" + plan,
		"file://" + plan,
		"plans/calm\u2010baking\u2010fox.md", "plans/" + strings.Repeat("x", 300) + "/../calm-baking-fox.md",
		"src/main.go/../../" + plan, "{plan}.", "%70lans/calm-baking-fox.md",
	}
	for path, want := range mapped(allowed, forbidden) {
		c := script(`{"slug":"calm-baking-fox","phase":"explore"}`, files, `[{"tool":"write","args":{"path":"`+path+
			`","content":"new"}}]`)
		if out := eval(c); out.Code != want || (out.Content == "new") != (want == "") {
			t.Errorf("%.60q: %q and the plan is %q, want %q", path, out.Code, out.Content, want)
		}
	}
	for files, name := range map[string]string{
		`{"` + plan + `":{"link":"../src/main.go"},"src/main.go":"secret"}`: "a link in place of the plan file",
		`{"plans":{"link":"src"},"src/calm-baking-fox.md":"secret"}`:        "a link in place of the directory",
		`{"plans":"secret"}`: "a file in place of the directory",
	} {
		out := eval(script(`{"slug":"calm-baking-fox","phase":"explore"}`, files,
			`[{"tool":"write","args":{"path":"{plan}","content":"x"}},{"tool":"ExitPlanMode","approval":"manual"}]`))
		if out.Code != harness.ToolForbidden || out.Trace[1].Code != harness.EmptyPlanFile || out.Content != "" {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func mapped(allowed, forbidden []string) map[string]harness.Code {
	m := map[string]harness.Code{}
	for _, p := range allowed {
		m[p] = ""
	}
	for _, p := range forbidden {
		m[p] = harness.ToolForbidden
	}
	return m
}

// swapping is a directory in which a link leads to the plan file when it is
// looked at first, and to a source file from then on.
type swapping struct {
	*planfile.Tree
	looks int
}

func (s *swapping) Resolve(path string) (string, error) {
	if path != "todo" {
		return s.Tree.Resolve(path)
	}
	s.looks++
	if s.looks == 1 {
		return plan, nil
	}
	return "src/main.go", nil
}

// The checked file is the written one, whatever happens to links in between.
func TestLinksBetweenCheckAndUse(t *testing.T) {
	files := &swapping{Tree: &planfile.Tree{}}
	if err := files.Put("src/main.go", "package main"); err != nil {
		t.Fatal(err)
	}
	out := planmode.Run(script(`{"slug":"calm-baking-fox","phase":"design"}`, `{}`,
		`[{"tool":"write","args":{"path":"todo","content":"x"}}]`), files)
	source, err := files.Read("src/main.go")
	if out.Code != "" || out.Content != "x" || source != "package main" || err != nil {
		t.Errorf("the source file holds %q, %v: %+v", source, err, out)
	}
}

// drawn draws a script that gets into every corner, and its files.
func drawn(t *rapid.T) harness.Case {
	one := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	context := one("context",
		`{}`, `{"seed":7}`, `{"slug":"calm-baking-fox"}`, `{"slug":"calm-baking-fox","phase":"explore"}`,
		`{"phase":"review","slugs":["calm-baking-fox"]}`,
		`{"agent":true,"agent_tools":["write"]}`,
		`{"agent":true,"agent_tools":["write"],"slug":"calm-baking-fox","phase":"design"}`)
	files := one("files",
		`{}`, `{"`+plan+`":"old"}`, `{"a":"x","to-plan":{"link":"`+plan+`"}}`, `{"`+plan+`":{"link":"../a"},"a":"x"}`,
		`{"plans":{"link":"src"},"src/b":"x"}`, `{"plans":"x"}`, `{"a":"x","plans/b":{"link":"../../up"}}`)
	var calls []string
	for range rapid.IntRange(0, 12).Draw(t, "calls") {
		path := one("path", "{plan}", plan, "a", "to-plan", "src/b", "plans/b", "../a", "plans/../a", "a/b", "new/file",
			"{plan}.", "PLANS/calm-baking-fox.md")
		approval := one("approval", "", `,"approval":"approve"`, `,"approval":"deny"`)
		calls = append(calls, one("call",
			`{"tool":"EnterPlanMode","approval":"approve"}`, `{"tool":"EnterPlanMode"`+approval+`}`, `{"tool":"ExitPlanMode"}`,
			`{"tool":"ExitPlanMode","approval":"auto_accept"}`, `{"tool":"ExitPlanMode","approval":"manual"}`,
			`{"tool":"ExitPlanMode","approval":"keep_planning","feedback":"more"}`, `{"phase":"`+
				one("phase", spec.Phases()...)+`"}`,
			`{"tool":"write","args":{"path":"`+path+`","content":"`+one("content", "", " ", "text", "more text")+`"}`+approval+
				`}`,
			`{"tool":"write","args":{"path":"{plan}","content":"a plan"}}`, `{"tool":"edit","args":{"path":"`+path+
				`","old":"x","new":"y"}`+approval+`}`,
			`{"tool":"read","args":{"path":"`+path+`"}}`, `{"tool":"bash","args":{}}`,
			`{"tool":"Task","args":{"agent":"Plan"}}`))
	}
	return script(context, files, "["+strings.Join(calls, ",")+"]")
}

// A script that is cut short gives the beginning of the trace; a call refused
// leaves the session as it was.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		out := eval(c)
		var calls []map[string]any
		if err := json.Unmarshal(c.Calls, &calls); err != nil {
			t.Fatal(err)
		}
		before := prefix(t, c, calls[:0])
		for i := range calls {
			now := prefix(t, c, calls[:i+1])
			if got, want := lines(now.Trace), lines(out.Trace); !strings.HasPrefix(want, got) {
				t.Fatalf("the first %d calls give\n%s, all of them\n%s", i+1, got, want)
			}
			call := now.Trace[len(before.Trace)]
			added := now.Trace[len(before.Trace)+1:]
			if call.Code != "" && (len(added) > 0 || now.Mode != before.Mode || now.Phase != before.Phase ||
				now.Path != before.Path || now.Content != before.Content) {
				t.Fatalf("call %d was refused with %s, and changed\n%+v\nto\n%+v", i, call.Code, before, now)
			}
			if before.Path != "" && now.Path != before.Path {
				t.Fatalf("the plan file became %s and was %s", now.Path, before.Path)
			}
			if before.Code != "" && now.Code != before.Code {
				t.Fatalf("the first refusal was %s and is %s", before.Code, now.Code)
			}
			before = now
		}
	})
}

func prefix(t *rapid.T, c harness.Case, calls []map[string]any) harness.Outcome {
	var err error
	if c.Calls, err = json.Marshal(calls); err != nil {
		t.Fatal(err)
	}
	return eval(c)
}

// FuzzEval feeds foreign bytes to the three documents: there is an answer, and
// the same one again.
func FuzzEval(f *testing.F) {
	f.Add([]byte(`{"slug":"calm-baking-fox","phase":"explore"}`), []byte(`{"a":{"link":"plans"}}`),
		[]byte(`[{"tool":"write","args":{"path":"a/calm-baking-fox.md","content":"x"}}]`))
	f.Add([]byte(`{"agent":"plan","agent_tools":["write"]}`), []byte(`{}`),
		[]byte(`[{"tool":"EnterPlanMode","approval":true},{"phase":"design"}]`))
	f.Add([]byte(`{"seed":18446744073709551615,"taken":["a-b-c"]}`), []byte(`{"plans/A-B-C.md. ":"\ud83d\ude80"}`),
		[]byte(`[{"tool":"EnterPlanMode","args":{},"approval":"deny","feedback":"no"}]`))
	f.Fuzz(func(t *testing.T, context, files, calls []byte) {
		c := harness.Case{Dialect: "planmode", Context: context, Files: files, Calls: calls}
		out := eval(c)
		if (out.Verdict == harness.Rejected) != (out.Code != "") || out.Path != "" && !strings.HasPrefix(out.Path, "plans/") {
			t.Fatalf("%+v", out)
		}
		if diff := cmp.Diff(out, eval(c)); diff != "" {
			t.Fatalf("twice (-first +second):\n%s", diff)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	c := script(`{"seed":7}`, `{"src/main.go":"package main"}`, `[{"tool":"EnterPlanMode","approval":"approve"},{"tool":"read","args":{"path":"src/main.go"}},
		{"tool":"write","args":{"path":"{plan}","content":"# Plan"}},{"phase":"design"},{"tool":"ExitPlanMode","approval":"auto_accept"}]`)
	for b.Loop() {
		eval(c)
	}
}
