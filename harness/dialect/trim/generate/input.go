package generate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// unreadable lists what makes a case one that cannot be read.
func unreadable() (list []trait) {
	row := family("input")
	for _, r := range []struct {
		document, name, text string
		spoil                func(*harness.Case)
	}{
		{"messages", "role-unknown", "a message has an unknown role", inMessages(`{"role":"robot","content":"x"}`)},
		{"messages", "role-missing", "a message has no role", inMessages(`{"content":"x"}`)},
		{"messages", "role-twice", "a message has two roles", inMessages(`{"role":"user","role":"system","content":"x"}`)},
		{"messages", "message-text", "a message is a string instead of an object", inMessages(`"go on"`)},
		{"messages", "content-number", "a message's content is a number", inMessages(`{"role":"user","content":5}`)},
		{"messages", "result-without-id", "a tool result has no tool_call_id", inMessages(`{"role":"tool","content":"x"}`)},
		{
			"messages", "user-with-calls", "a user's message has tool calls",
			inMessages(`{"role":"user","content":"x","tool_calls":[{"id":"c"}]}`),
		},
		{
			"messages", "lone-surrogate", "a content contains a lone surrogate",
			inMessages(`{"role":"user","content":"\ud83d"}`),
		},
		{
			"messages", "nested-too-deep", "a member nests more than a thousand levels deep",
			inMessages(`{"role":"user","content":"x","x":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}`),
		},
		{"messages", "messages-missing", "the case has no messages", func(c *harness.Case) { c.Messages = nil }},
		{
			"budget", "budget-of-nought", "max_tokens is 0",
			func(c *harness.Case) { c.Budget = jsontext.Value(`{"max_tokens":0}`) },
		},
		{
			"budget", "budget-missing", "the budget has no max_tokens",
			func(c *harness.Case) { c.Budget = jsontext.Value(`{"tokenizer":"chars/4"}`) },
		},
		{"budget", "budget-member-unknown", "the budget has an unknown member", func(c *harness.Case) {
			c.Budget = jsontext.Value(`{"max_tokens":100,"max_words":3}`)
		}},
		{
			"policy", "policy-unknown", "the policy has an unknown step",
			func(c *harness.Case) { c.Policy = jsontext.Value(`["windw"]`) },
		},
		{"policy", "policy-threshold", "a threshold of the policy is out of range", func(c *harness.Case) {
			c.Policy = jsontext.Value(`[{"name":"clamp","percent":101}]`)
		}},
	} {
		t := row(r.name, "malformed input", "in the "+r.document, r.text,
			func(w *draft) { w.spoil = r.spoil }).takes(aReading)
		t.Needs = []string{r.document}
		list = append(list, t)
	}
	return list
}

// inMessages puts an item at the head of the messages.
func inMessages(item string) func(*harness.Case) {
	return func(c *harness.Case) {
		rest, head := bytes.TrimPrefix(c.Messages, []byte("[")), "["+item
		if rest[0] != ']' {
			head += ","
		}
		c.Messages = append(jsontext.Value(head), rest...)
	}
}

// unreadableCodes are the codes that an engine may give for such a case.
func unreadableCodes() []harness.Code {
	return []harness.Code{
		harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField,
		harness.MissingField, harness.BadType, harness.EmptyID, harness.BadLimit, harness.BadArguments,
	}
}
