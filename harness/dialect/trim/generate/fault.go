package generate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// trimFault makes a case of the dialect trim one that cannot be read.
type trimFault struct {
	generators.Trait
	plant func(c *harness.Case)
}

// trimFamily is that of the faults of a case's documents.
const trimFamily = "input"

// unreadable lists the faults of a case's documents.
func unreadable() []trimFault {
	return []trimFault{
		{generators.Trait{Name: "role-unknown", Family: trimFamily, Text: "a message has an unknown role"}, inMessages(`{"role":"robot","content":"x"}`)},
		{generators.Trait{Name: "role-missing", Family: trimFamily, Text: "a message has no role"}, inMessages(`{"content":"x"}`)},
		{generators.Trait{Name: "role-twice", Family: trimFamily, Text: "a message has two roles"}, inMessages(`{"role":"user","role":"system","content":"x"}`)},
		{generators.Trait{Name: "message-text", Family: trimFamily, Text: "a message is a text and no object"}, inMessages(`"go on"`)},
		{generators.Trait{Name: "content-number", Family: trimFamily, Text: "a message's content is a number"}, inMessages(`{"role":"user","content":5}`)},
		{generators.Trait{Name: "result-without-id", Family: trimFamily, Text: "a tool result does not say which call it answers"}, inMessages(`{"role":"tool","content":"x"}`)},
		{generators.Trait{Name: "user-with-calls", Family: trimFamily, Text: "a user's message has tool calls"}, inMessages(`{"role":"user","content":"x","tool_calls":[{"id":"c"}]}`)},
		{generators.Trait{Name: "lone-surrogate", Family: trimFamily, Text: "a content holds half of a surrogate pair"}, inMessages(`{"role":"user","content":"\ud83d"}`)},
		{generators.Trait{Name: "nested-too-deep", Family: trimFamily, Text: "a member nests a thousand deep"}, inMessages(`{"role":"user","content":"x","x":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}`)},
		{generators.Trait{Name: "messages-missing", Family: trimFamily, Text: "there are no messages, not even an empty list"}, func(c *harness.Case) { c.Messages = nil }},
		{generators.Trait{Name: "budget-of-nought", Family: trimFamily, Text: "max_tokens is 0"}, func(c *harness.Case) { c.Budget = jsontext.Value(`{"max_tokens":0}`) }},
		{generators.Trait{Name: "budget-missing", Family: trimFamily, Text: "the budget has no max_tokens"}, func(c *harness.Case) { c.Budget = jsontext.Value(`{"tokenizer":"chars/4"}`) }},
		{generators.Trait{Name: "budget-member-unknown", Family: trimFamily, Text: "the budget has an unknown member"}, func(c *harness.Case) {
			c.Budget = jsontext.Value(`{"max_tokens":100,"max_words":3}`)
		}},
		{generators.Trait{Name: "policy-unknown", Family: trimFamily, Text: "the policy has an unknown step"}, func(c *harness.Case) { c.Policy = jsontext.Value(`["windw"]`) }},
		{generators.Trait{Name: "policy-threshold", Family: trimFamily, Text: "a threshold of the policy is out of its range"}, func(c *harness.Case) {
			c.Policy = jsontext.Value(`[{"name":"clamp","percent":101}]`)
		}},
	}
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

// unreadableCodes are those of which an engine may give any for such a case.
func unreadableCodes() []harness.Code {
	return []harness.Code{
		harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField,
		harness.MissingField, harness.BadType, harness.EmptyID, harness.BadLimit, harness.BadArguments,
	}
}
