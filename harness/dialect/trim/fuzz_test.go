package trim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// FuzzDecode holds what every history that decodes must hold: it is written
// and read again as the same, and every policy keeps its promises on it.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`[]`,
		`[{"role":"user","content":"go on"}]`,
		`[{"role":"system","content":null},{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"id":"c"}],"x":{"y":1}},{"role":"tool","tool_call_id":"c","content":"r","tag":"tool_result"}]`,
		`[{"role":"user","content":"👩‍👩‍👧‍👦🇩🇪e\u0301\r\n \n","tag":"replan_constraints"},{"role":"developer","content":"計画"}]`,
		`[{"role":"robot"}]`, `{"messages":[]}`, `[{"role":"user","role":"user"}]`, `[{"role":"user","content":"\ud800"}]`,
		`[[[[`, `[{"role":"tool"}]`,
	} {
		f.Add([]byte(seed), uint16(20), uint8(3))
	}
	tok := tokenizer(f, tokens.Chars4)
	policies := builtins(f)
	f.Fuzz(func(t *testing.T, data []byte, limit uint16, which uint8) {
		messages, err := history.Decode(data)
		if err != nil {
			return
		}
		text := history.Encode(messages)
		again, err := history.Decode(text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
		if diff := cmp.Diff(string(text), string(history.Encode(again))); diff != "" {
			t.Fatalf("written twice, a history differs:\n%s", diff)
		}
		c := histories.History{Messages: messages, MaxTokens: 1 + int(limit)}.Case("trim", tok.Name(),
			policies[int(which)%len(policies)])
		o := rules.Eval(c, harness.Reference())
		for name, b := range broken(c, o) {
			t.Errorf("%s: %s\n%s\n%s", name, b.Message, c.Messages, o.Messages)
		}
	})
}

// FuzzParsePolicy holds that what parses is written and read again as the same.
func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{
		"none", "section_caps|emergency|clamp(25)", "pinned(over=90, 4,keep=2)", "window(",
		"clamp()|", "window(0x10)", "clamp(９)", "|",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := history.ParsePolicy(text)
		if err != nil {
			return
		}
		again, err := history.ParsePolicy(p.String())
		if err != nil || !cmp.Equal(p, again) {
			t.Fatalf("%q is written as %q, which reads as %v (%v)", text, p, again, err)
		}
	})
}
