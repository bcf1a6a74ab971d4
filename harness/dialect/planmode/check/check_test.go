package check_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/judge"
)

// sessionFunc is an engine by hand for the dialect planmode.
type sessionFunc func(harness.Case) harness.Outcome

func (f sessionFunc) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{Name: "by hand", Dialects: map[string]harness.Declaration{"planmode": {Profile: harness.Reference()}}}, nil
}

func (f sessionFunc) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	return f(c), nil
}
func (f sessionFunc) Close() error { return nil }

// A session and what must come of it, written by hand.
const (
	sessionCalls = `[
 {"tool":"EnterPlanMode","approval":"approve"},
 {"tool":"write","args":{"path":"src/main.go","content":"new"}},
 {"tool":"read","args":{"path":"src/main.go"}},
 {"tool":"write","args":{"path":"{plan}","content":"# Plan"}},
 {"phase":"design"},
 {"tool":"ExitPlanMode","approval":"keep_planning","feedback":"more"},
 {"tool":"ExitPlanMode","approval":"manual"},
 {"tool":"write","args":{"path":"src/main.go","content":"new"},"approval":"deny"}]`
	sessionOutcome = `{"verdict":"rejected","code":"tool_forbidden","mode":"normal","path":"plans/a-b-c.md","content":"# Plan","trace":[
 {"state":"normal","step":"EnterPlanMode","data":{"path":"plans/a-b-c.md","guidance":"write plans/a-b-c.md"}},
 {"state":"explore","event":"plan.enter","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planExists":false}},
 {"state":"explore","step":"write","code":"tool_forbidden"},
 {"state":"explore","step":"read","data":{"content":"old"}},
 {"state":"explore","step":"write","data":{"path":"plans/a-b-c.md"}},
 {"state":"explore","step":"phase","data":{"phase":"design"}},
 {"state":"design","step":"ExitPlanMode"},
 {"state":"exit","event":"plan.exit","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planContent":"# Plan","isAgent":false}},
 {"state":"review","event":"plan.denied","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","feedback":"more"}},
 {"state":"review","step":"ExitPlanMode"},
 {"state":"exit","event":"plan.exit","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planContent":"# Plan","isAgent":false}},
 {"state":"normal","event":"plan.approved","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","edits":"asked"}},
 {"state":"normal","step":"write"}]}`
)

func theSession() harness.Case {
	return harness.Case{
		Dialect: "planmode", Context: []byte(`{"slugs":["a-b-c"]}`),
		Files: []byte(`{"src/main.go":"old","plans/x-y-z.md":"theirs"}`), Calls: []byte(sessionCalls),
	}
}

func told(t *testing.T, text string) harness.Outcome {
	t.Helper()
	var out harness.Outcome
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// judged makes one check of a session and returns what it says; "" if it holds.
func judged(t *testing.T, e sessionFunc, check string, c harness.Case) (message string, exercised bool) {
	t.Helper()
	h, _ := e.Hello(t.Context())
	jm, err := judge.New(e, h, all.Rules("planmode"), judge.Options{}).Only(t.Context(), judge.Item{Case: c}, check)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range all.Rules("planmode").Checks {
		exercised = exercised || k.Name == check && jm.Exercised.Has(i)
	}
	for _, b := range jm.Breaks {
		if b.Check == check {
			message = b.Message
		}
	}
	return message, exercised
}

// TestSessionChecks changes one thing in what an engine tells of the session, or
// in the session that it tells this of.
func TestSessionChecks(t *testing.T) {
	const agent = `{"slugs":["a-b-c"],"agent":true,"agent_tools":["write"]}`
	for _, test := range []struct {
		check    string
		old, new string // in the outcome
		context  string // "": the code of the session
		says     string
	}{
		{"events-complete", `{"state":"exit","event":"plan.exit","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planContent":"# Plan","isAgent":false}},`, "", "", "emits the events"},
		{"events-complete", `,"planExists":false`, "", "", "lacks planExists"},
		{"events-complete", ` {"state":"explore","step":"write","code":"tool_forbidden"},`, "", "", "item"},
		{"events-complete", `"step":"read"`, `"step":"ls"`, "", `its trace item has the step "ls"`},
		{"events-complete", `"guidance":"write plans/a-b-c.md"`, `"guidance":"go on"`, "", "does not name the plan file"},
		{"plan-file-only", `"step":"write","code":"tool_forbidden"`, `"step":"write"`, "", "not the plan file"},
		{
			"plan-file-only", `"step":"write","data":{"path":"plans/a-b-c.md"}`, `"step":"write","data":{"path":"src/main.go"}`,
			"", "which is not the plan file",
		},
		{"files-kept", `"content":"old"`, `"content":"new"`, "", "instead of"},
		{
			"files-kept", `"path":"plans/a-b-c.md","content":"# Plan","trace"`,
			`"path":"plans/a-b-c.md","content":"# Plans","trace"`, "", "the last written content",
		},
		{"path-in-plans", `"path":"plans/a-b-c.md"`, `"path":"plans/a-b-c.txt"`, "", "is not plans/"},
		{"path-in-plans", `"path":"plans/a-b-c.md"`, `"path":"../plans/a-b-c.md"`, "", "is not plans/"},
		{"path-in-plans", `plans/a-b-c.md`, `plans/a-b-1.md`, "", "is not plans/"},
		{
			"one-plan-file", `"event":"plan.approved","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md"`,
			`"event":"plan.approved","data":{"sessionId":"session","planFilePath":"plans/a-b-d.md"`, "", "has \"plans/",
		},
		{"one-plan-file", `plans/a-b-c.md`, `plans/x-y-z.md`, "", "belongs to another session"},
		{"one-plan-file", "", "", `{"slug":"d-e-f"}`, "already"},
		{"one-plan-file", "", "", `{"slugs":["a-b-c"],"taken":["a-b-c"]}`, "belongs to another session"},
		{"agent-stays-out", "", "", agent, "an agent's call is accepted"},
		{"tools-allowed", "", "", `{"slugs":["a-b-c"],"agent":true}`, "does not list the tool"},
		{
			"tools-allowed", "", "", `{"slugs":["a-b-c"],"agent":"plan","agent_tools":["write"]}`,
			"the plan agent must not change anything",
		},
		{
			"asked-first", `"state":"normal","step":"write"`, `"state":"normal","step":"write","data":{"path":"src/main.go"}`,
			"", "although the user denied it",
		},
		{"no-empty-plan", `"planContent":"# Plan"`, `"planContent":" \n"`, "", "blank"},
		{"denied-exit", `"feedback":"more"`, `"feedback":""`, "", "the feedback is"},
		{"denied-exit", `"state":"review","step"`, `"state":"explore","step"`, "", "instead of review"},
		{"phases-forward", `"state":"design","step"`, `"state":"finalize","step"`, "", "led to \"design\""},
		{"phases-forward", `"mode":"normal"`, `"mode":"plan"`, "", "reports the end in"},
		{"refused-nothing", `"code":"tool_forbidden"},`, `"code":"tool_forbidden","data":{"path":"x"}},`, "", "returns data"},
		{
			"first-refusal", `"verdict":"rejected","code":"tool_forbidden"`, `"verdict":"applied"`, "",
			"the first rejected call",
		},
		{"first-refusal", `"code":"tool_forbidden","mode"`, `"code":"bad_arguments","mode"`, "", "the first rejected call"},
	} {
		right := told(t, sessionOutcome)
		if message, exercised := judged(t, func(harness.Case) harness.Outcome { return right }, test.check,
			theSession()); message != "" || !exercised && test.context == "" {
			t.Errorf("%s of the right answer: %q, exercised: %t", test.check, message, exercised)
		}
		c := theSession()
		if test.context != "" {
			c.Context = []byte(test.context)
		}
		wrong := told(t, strings.ReplaceAll(sessionOutcome, test.old, test.new))
		message, _ := judged(t, func(harness.Case) harness.Outcome { return wrong }, test.check, c)
		if !strings.Contains(message, test.says) {
			t.Errorf("%s with %s for %s: %q, want %q", test.check, test.new, test.old, message, test.says)
		}
	}
}

// TestOtherChecksHold: an engine that reports less breaks the one check that says so, and nothing follows from it.
func TestOtherChecksHold(t *testing.T) {
	const path = `"path":"plans/a-b-c.md"`
	for _, test := range []struct{ name, old, new, broken string }{
		{"no item of a rejected call", ` {"state":"explore","step":"write","code":"tool_forbidden"},`, "", "events-complete"},
		{
			"no event that plan mode begins", ` {"state":"explore","event":"plan.enter","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planExists":false}},`,
			"", "events-complete",
		},
		{
			"no event that plan mode ends", `,
 {"state":"exit","event":"plan.exit","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","planContent":"# Plan","isAgent":false}},
 {"state":"normal","event":"plan.approved","data":{"sessionId":"session","planFilePath":"plans/a-b-c.md","edits":"asked"}}`,
			"", "events-complete",
		},
		{"no plan file at the end", `"mode":"normal",` + path + `,"content":"# Plan",`, `"mode":"normal",`, ""},
	} {
		text := strings.ReplaceAll(sessionOutcome, test.old, test.new)
		if text == sessionOutcome {
			t.Fatalf("%s: the outcome is the same", test.name)
		}
		wrong := told(t, text)
		for _, check := range all.Rules("planmode").Checks {
			if slices.Contains([]string{judge.Reference, judge.Expected, "shorter-script", "extra-reads"}, check.Name) {
				continue // they need another outcome, or the outcome of another script
			}
			message, _ := judged(t, func(harness.Case) harness.Outcome { return wrong }, check.Name, theSession())
			if (message != "") != (check.Name == test.broken) {
				t.Errorf("%s: %s says %q", test.name, check.Name, message)
			}
		}
	}
}

// The same calls among fewer or more come to the same.
func TestRelatedSessions(t *testing.T) {
	for check, answer := range map[string]func(calls int) string{
		"shorter-script": func(calls int) string { return trace(calls, calls == 3) },
		"extra-reads":    func(calls int) string { return trace(calls, calls == 3) },
	} {
		c := harness.Case{Dialect: "planmode", Calls: []byte(`[{"tool":"ls","args":{}},{"tool":"ls","args":{}},{"tool":"ls","args":{}}]`)}
		steady := func(c harness.Case) harness.Outcome { return told(t, trace(count(t, c), false)) }
		if message, exercised := judged(t, steady, check, c); message != "" || !exercised {
			t.Errorf("%s of the right answer: %q, exercised: %t", check, message, exercised)
		}
		moody := func(c harness.Case) harness.Outcome { return told(t, answer(count(t, c))) }
		if message, _ := judged(t, moody, check, c); message == "" {
			t.Errorf("%s does not notice an engine that minds how many calls there are", check)
		}
	}
}

// Who writes into the case is noticed, in whichever document.
func TestSessionsLeaveTheCaseAsItWas(t *testing.T) {
	for name, spoil := range map[string]func(harness.Case){
		"context": func(c harness.Case) { c.Context[2] = 'X' },
		"files":   func(c harness.Case) { c.Files[2] = 'X' },
		"calls":   func(c harness.Case) { c.Calls[2] = 'X' },
	} {
		e := func(c harness.Case) harness.Outcome {
			spoil(c)
			return told(t, sessionOutcome)
		}
		if message, _ := judged(t, e, "input-unchanged", theSession()); !strings.Contains(message, name) {
			t.Errorf("the engine changes %s, and the check says %q", name, message)
		}
	}
}

func count(t *testing.T, c harness.Case) int {
	t.Helper()
	var calls []any
	if err := json.Unmarshal(c.Calls, &calls); err != nil {
		t.Fatal(err)
	}
	return len(calls)
}

// trace is the outcome of some calls of ls. The first one may be refused.
func trace(calls int, refused bool) string {
	items := strings.Split(strings.Repeat(`{"state":"normal","step":"ls"} `, calls), " ")[:calls]
	verdict := `"verdict":"applied"`
	if refused {
		verdict = `"verdict":"rejected","code":"tool_forbidden"`
		items[0] = `{"state":"normal","step":"ls","code":"tool_forbidden"}`
	}
	return `{` + verdict + `,"mode":"normal","trace":[` + strings.Join(items, ",") + `]}`
}

// Engines name their plan files as they like, and word their guidance.
func TestSessionsAreComparedUpToTheSlug(t *testing.T) {
	other := strings.ReplaceAll(strings.ReplaceAll(sessionOutcome, "plans/a-b-c.md", "plans/q-r-s.md"),
		`"guidance":"write`, `"guidance":"your file is`)
	for text, words := range map[string]string{
		other: "",
		strings.Replace(other, `"planExists":false`, `"planExists":true`,
			1): "/trace/1/data/planExists is true and not false",
		strings.Replace(other, `"state":"design"`, `"state":"review"`, 1):               `and not "design`,
		strings.Replace(other, `"content":"# Plan","trace"`, `"content":"","trace"`, 1): "",
		strings.Replace(other, `"content":"old"`, `"content":"new"`,
			1): `/trace/3/data/content is "new" and not "old"`,
		strings.Replace(other, `"step":"read","data":{"content":"old"}`, `"step":"read"`, 1): "",
	} {
		engine := sessionFunc(func(harness.Case) harness.Outcome { return told(t, text) })
		reference := sessionFunc(func(harness.Case) harness.Outcome { return told(t, sessionOutcome) })
		h, _ := engine.Hello(t.Context())
		jm, err := judge.New(engine, h, all.Rules("planmode"), judge.Options{Reference: reference}).Only(t.Context(),
			judge.Item{Case: theSession()}, judge.Reference)
		if err != nil || (len(jm.Breaks) > 0) != (words != "") || words != "" &&
			!strings.Contains(jm.Breaks[0].Message, words) {
			t.Errorf("%v %+v, want %q, of %s", err, jm.Breaks, words, text)
		}
	}
}

// TestItemMissing: without the item of a rejected call the next one is not compared with it.
func TestItemMissing(t *testing.T) {
	engine := func(old string) sessionFunc {
		return func(harness.Case) harness.Outcome { return told(t, strings.ReplaceAll(sessionOutcome, old, "")) }
	}
	e := engine(` {"state":"explore","step":"write","code":"tool_forbidden"},`)
	h, _ := e.Hello(t.Context())
	j, err := judge.New(e, h, all.Rules("planmode"), judge.Options{Reference: engine("no such text")}).Only(t.Context(),
		judge.Item{Case: theSession()}, judge.Reference)
	if err != nil || len(j.Breaks) != 1 || j.Breaks[0].Kind != "reports:trace" {
		t.Errorf("%v %+v, want one break of the kind reports:trace", err, j.Breaks)
	}
}

// TestToolNamedToggle: a tool of the model that is called as the user's own calls is unknown, and
// changes no phase.
func TestToolNamedToggle(t *testing.T) {
	for _, name := range []string{"toggle", "phase"} {
		c := harness.Case{Dialect: "planmode", Context: []byte(`{}`), Calls: []byte(`[{"tool":"` + name + `"}]`)}
		out := told(t, `{"verdict":"applied","mode":"normal","trace":[{"state":"normal","step":"`+name+`"}]}`)
		for check, want := range map[string]string{"tools-allowed": "unknown tool", "phases-forward": "", "events-complete": ""} {
			message, _ := judged(t, func(harness.Case) harness.Outcome { return out }, check, c)
			if !strings.Contains(message, want) || want == "" && message != "" {
				t.Errorf("%s of a tool %q: %q, want %q", check, name, message, want)
			}
		}
	}
}
