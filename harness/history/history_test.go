package history_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]string{
		"none":                          "none",
		" window \t":                    "window",
		"window(4)":                     "window",
		"section_caps(20,50)|clamp(25)": "section_caps|clamp",
		"emergency(95,4,3)|pinned(95,4,3)|priority(100)": "emergency|pinned|priority",
		"window( 7 )":                         "window(7)",
		"window(n = 7)":                       "window(7)",
		"window()":                            "window",
		"window(0)":                           "window(0)",
		"window(1048576)":                     "window(1048576)",
		"emergency(1)":                        "emergency(1)",
		"emergency(100, 4, 0)":                "emergency(100, 4, 0)",
		"emergency(keep=5)":                   "emergency(95, 4, 5)",
		"emergency(95, messages=6)|none":      "emergency(95, 6)|none",
		"section_caps|pinned|clamp(0)":        "section_caps|pinned|clamp(0)",
		"section_caps(0, 100)":                "section_caps(0, 100)",
		strings.Repeat("|none", 64)[1:]:       strings.Repeat("|none", 64)[1:],
		strings.Repeat("|none", 65)[1:]:       "policy, column 321: a policy has at most 64 steps",
		"":                                    "policy, column 1: a policy's name is missing (for example emergency|clamp(25))",
		"none| |none":                         "policy, column 7: a policy's name is missing (for example emergency|clamp(25))",
		"none|é":                              "policy, column 6: a policy's name is missing (for example emergency|clamp(25))",
		"none|windo":                          `policy, column 6: unknown policy "windo"; did you mean "window"?`,
		"none|window|clamp(4":                 "policy, column 18: the parenthesis after clamp is not closed",
		"none (1)":                            "policy, column 7: none takes no parameters",
		"none(n=1)":                           "policy, column 6: none takes no parameters",
		"window(1,  2)":                       "policy, column 12: window takes at most 1 parameters",
		"window(1, n=x)":                      `policy, column 11: "x" is no whole number`,
		"window(1, n=2)":                      "policy, column 11: window has two values for n",
		"window(m=1)":                         `policy, column 8: window has no parameter "m" (it is window(n=4))`,
		"window(-1)":                          "policy, column 8: n of window is -1, and must be 0 to 1048576",
		"window(1048577)":                     "policy, column 8: n of window is 1048577, and must be 0 to 1048576",
		"emergency(0)":                        "policy, column 11: over of emergency is 0, and must be 1 to 100",
		"emergency(1,\t101, 1)|priority(101)": "policy, column 31: over of priority is 101, and must be 1 to 100",
		"clamp(101)":                          "policy, column 7: percent of clamp is 101, and must be 0 to 100",
		"section_caps(101)":                   "policy, column 14: repo_map of section_caps is 101, and must be 0 to 100",
		"section_caps(1, 101)":                "policy, column 17: system_prompt of section_caps is 101, and must be 0 to 100",
		"pinned(1, 1048577)":                  "policy, column 11: messages of pinned is 1048577, and must be 0 to 1048576",
		"pinned(1, 1, 1048577)":               "policy, column 14: keep of pinned is 1048577, and must be 0 to 1048576",
		"window (1) ]":                        `policy, column 12: unexpected "]" after window (steps are separated by |)`,
		"Window":                              `policy, column 1: unknown policy "Window"; did you mean "window"?`,
		"aZ_":                                 "policy, column 1: unknown policy \"aZ_\" (the policies are none, window, section_caps, emergency, clamp, dedup, priority, pinned)",
		"zA{":                                 "policy, column 1: unknown policy \"zA\" (the policies are none, window, section_caps, emergency, clamp, dedup, priority, pinned)",
	} {
		p, err := history.ParsePolicy(text)
		got := p.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestClaims(t *testing.T) {
	careful := history.Claims{Pairs: true, Alternates: true, Fits: true, Protects: true}
	for text, want := range map[string]history.Claims{
		"none":            {},
		"window":          {},
		"section_caps":    {},
		"emergency":       {},
		"clamp":           {Pairs: true},
		"dedup":           {Pairs: true, Alternates: true, Protects: true, Once: true},
		"priority":        careful,
		"pinned":          careful,
		"priority|window": {Fits: true},
		"clamp|dedup":     {Pairs: true, Once: true},
	} {
		p, err := history.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Claims()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if exact := text == "none" || text == "window" || text == "emergency"; p.Exact() != exact {
			t.Errorf("%s: exact is %v", text, p.Exact())
		}
	}
}

// TestDecodeCase reads cases with one document that is not the plainest.
func TestDecodeCase(t *testing.T) {
	for _, test := range []struct{ document, text, want string }{
		{"messages", `[]`, ""},
		{"messages", `{}`, "bad_type "},
		{"messages", `[1]`, "bad_type /0"},
		{"messages", `[{"content":"x"}]`, "missing_field /0"},
		{"messages", `[{"role":"boss"}]`, "bad_type /0/role"},
		{"messages", `[{"role":"user","tag":1}]`, "bad_type /0/tag"},
		{"messages", `[{"role":"user","content":{}}]`, "bad_type /0/content"},
		{"messages", `[{"role":"user","content":[1]}]`, "bad_type /0/content/0"},
		{"messages", `[{"role":"user","content":[{"text":"x"}]}]`, "missing_field /0/content/0"},
		{"messages", `[{"role":"user","content":[{"type":"text"}]}]`, "missing_field /0/content/0"},
		{"messages", `[{"role":"user","content":[{"type":"image","text":"x"}]}]`, "bad_type /0/content/0/type"},
		{"messages", `[{"role":"tool","content":"x"}]`, "missing_field /0"},
		{"messages", `[{"role":"user","tool_call_id":"c"}]`, "extra_field /0/tool_call_id"},
		{"messages", `[{"role":"user","tool_calls":[{"id":"c"}]}]`, "extra_field /0/tool_calls"},
		{"messages", `[{"role":"user","tool_calls":[]}]`, ""},
		{"messages", `[{"role":"assistant","tool_calls":[1]}]`, "bad_type /0/tool_calls/0"},
		{"messages", `[{"role":"assistant","tool_calls":[{}]}]`, "missing_field /0/tool_calls/0"},
		{"messages", `[{"role":"assistant","tool_calls":{}}]`, "bad_type /0/tool_calls"},
		{"messages", `[{"role":"user","x":1,"x":2}]`, "duplicate_key /0/x"},
		{"budget", `{"max_tokens":1}`, ""},
		{"budget", `{"max_tokens":1099511627776}`, ""},
		{"budget", `{"max_tokens":1,"tokenizer":"cl100k_base"}`, ""},
		{"budget", `[]`, "bad_type "},
		{"budget", `{`, "no_document "},
		{"budget", `{"max_tokens":1,"max_bytes":1}`, "extra_field /max_bytes"},
		{"budget", `{}`, "missing_field "},
		{"budget", `{"max_tokens":"1"}`, "bad_type /max_tokens"},
		{"budget", `{"max_tokens":1.5}`, "bad_type /max_tokens"},
		{"budget", `{"max_tokens":0}`, "bad_limit /max_tokens"},
		{"budget", `{"max_tokens":1099511627777}`, "bad_limit /max_tokens"},
		{"budget", `{"max_tokens":1,"tokenizer":"gpt"}`, "bad_type /tokenizer"},
		{"budget", `{"max_tokens":1,"tokenizer":1}`, "bad_type /tokenizer"},
		{"policy", `"none|clamp"`, ""},
		{"policy", `["none|clamp",{"name":"emergency","keep":2,"over":90}]`, ""},
		{"policy", `"what"`, "bad_type "},
		{"policy", `7`, "bad_type "},
		{"policy", `[` + strings.Repeat(`,"none"`, 64)[1:] + `]`, ""},
		{"policy", `[` + strings.Repeat(`,"none"`, 65)[1:] + `]`, "bad_type "},
		{"policy", `["none","what"]`, "bad_type /1"},
		{"policy", `[7]`, "bad_type /0"},
		{"policy", `[{"percent":7}]`, "missing_field /0"},
		{"policy", `[{"name":"what","what":1}]`, "bad_type /0/name"},
		{"policy", `[{"name":"none","n":1}]`, "extra_field /0/n"},
		{"policy", `[{"name":"window","m":1}]`, "extra_field /0/m"},
		{"policy", `[{"name":"window","n":"1"}]`, "bad_type /0/n"},
		{"policy", `[{"name":"window","n":-1}]`, "bad_limit /0/n"},
	} {
		c := harness.Case{Messages: []byte(`[]`), Budget: []byte(`{"max_tokens":1}`), Policy: []byte(`"none"`)}
		switch test.document {
		case "messages":
			c.Messages = []byte(test.text)
		case "budget":
			c.Budget = []byte(test.text)
		default:
			c.Policy = []byte(test.text)
		}
		got := ""
		req, err := history.DecodeCase(c)
		if err == nil && !strings.Contains(test.text+`"o200k_base"`, `"`+req.Budget.Tokenizer+`"`) {
			t.Errorf("%s: the tokenizer is %q", test.text, req.Budget.Tokenizer)
		}
		if fault, ok := errors.AsType[*strictjson.Fault](err); ok {
			got = string(fault.Code) + " " + fault.Pointer
			if fault.Document != test.document {
				t.Errorf("%s %s: blamed on %s", test.document, test.text, fault.Document)
			}
		}
		if got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.document, test.text, got, test.want)
		}
	}
}

// TestEncode: what is read is written in the same form.
func TestEncode(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: `[]`,
		`[{"role":"developer","content":null},{"role":"user"}]`: `[{"role":"system","content":""},` +
			`{"role":"user","content":""}]`,
		`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"tag":"plan","name":"n"}]`: `[` +
			`{"role":"user","content":"ab","tag":"plan","name":"n"}]`,
		`[{"tool_calls":[{"id":"c","f":1},{"id":"d"}],"role":"assistant","content":""},
		  {"tool_call_id":"c","role":"tool","content":"r"}]`: `[{"role":"assistant","content":"",` +
			`"tool_calls":[{"id":"c","f":1},{"id":"d"}]},{"role":"tool","content":"r","tool_call_id":"c"}]`,
	} {
		messages, err := history.Decode([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(history.Encode(messages))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestCount(t *testing.T) {
	messages, err := history.Decode([]byte(`[{"role":"system","content":"a b","tag":"plan"},
		{"role":"assistant","content":"c","tool_calls":[{"id":"c"}]}, {"role":"tool","content":"d","tool_call_id":"c"}]`))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokens.New(tokens.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	c := history.Count(messages, tok)
	content, calls := c.Parts(1)
	if want := tok.Count(`[{"id":"c"}]`); content != 1 || calls != want || c.Tokens(1) != 1+want || c.Total != 4+want {
		t.Errorf("message 1 has %d and %d tokens, all have %d", content, calls, c.Total)
	}
	if got := c.Utilisation(2 * c.Total); got != 0.5 {
		t.Errorf("half of the budget is %v of it", got)
	}
}

func TestProtected(t *testing.T) {
	messages := []history.Message{
		{Role: history.User},
		{Role: history.System},
		{Role: history.User, Tag: history.TagConstraints},
		{Role: history.Assistant, Tag: history.TagPlan},
		{Role: history.Assistant, Tag: "own"},
		{Role: history.Tool, Tag: history.TagToolResult},
		{Role: history.User, Tag: history.TagError},
		{Role: history.Assistant},
	}
	var repeatable, known []bool
	for _, m := range messages {
		repeatable, known = append(repeatable, m.Repeatable()), append(known, history.KnownTag(m.Tag))
	}
	got := [][]bool{history.Protected(messages), repeatable, known, history.Protected(messages[:1]), history.Protected(nil)}
	if diff := cmp.Diff([][]bool{
		{false, true, true, true, false, false, true, false},
		{true, false, false, false, false, true, true, false},
		{false, false, true, true, false, true, true, false},
		{true},
		{},
	}, got); diff != "" {
		t.Errorf("protected, repeatable, known (-want +got):\n%s", diff)
	}
}

func TestCannotFit(t *testing.T) {
	large := []history.Fate{
		{Index: 4, Role: history.Tool, Tag: "plan", Before: 9},
		{Index: 1, Role: history.User, Before: 8},
		{Index: 0, Role: history.System, Before: 7},
		{Index: 2, Role: history.User, Before: 1},
	}
	for n, want := range map[int]string{
		1: "message 4 (tool, plan) with 9",
		3: "message 4 (tool, plan) with 9, message 1 (user) with 8, message 0 (system) with 7",
		4: "message 4 (tool, plan) with 9, message 1 (user) with 8, message 0 (system) with 7, 1 more",
	} {
		e := &history.CannotFit{Max: 10, Needed: 30, Large: large[:n]}
		want = "what must stay takes 30 tokens and max_tokens is 10: " + want +
			" (raise max_tokens, or put clamp or section_caps before this step)"
		if e.Error() != want {
			t.Errorf("got %q, want %q", e, want)
		}
	}
}
