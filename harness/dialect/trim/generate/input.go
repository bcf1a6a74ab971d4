package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// unreadable lists what makes a case one that cannot be read.
func unreadable() []trait {
	const user, agent = `{"role":"user","content":`, `{"role":"assistant","tool_calls":`
	messages, budget, policy := spoiling("messages"), spoiling("budget"), spoiling("policy")
	return []trait{
		messages("role-unknown", "a message has an unknown role", harness.BadType, `{"role":"robot","content":"x"}`),
		messages("role-missing", "a message has no role", harness.MissingField, `{"content":"x"}`),
		messages("role-twice", "a message has two roles", harness.DuplicateKey, user+`"x","role":"system"}`),
		messages("message-text", "a message is a string instead of an object", harness.BadType, `"go on"`),
		messages("content-number", "a message's content is a number", harness.BadType, user+`5}`),
		messages("content-image", "a part of a content is an image", harness.BadType,
			user+`[{"type":"image_url","image_url":{"url":"x"},"text":"x"}]}`),
		messages("content-part-malformed", "a part of a content is a string, or its text is a number", harness.BadType,
			user+`["x"]}`, user+`[{"type":"text","text":7}]}`),
		messages("content-part-incomplete", "a part of a content has no type or no text", harness.MissingField,
			user+`[{"type":"text"}]}`, user+`[{"text":"x"}]}`),
		messages("result-without-id", "a tool result has no tool_call_id", harness.MissingField,
			`{"role":"tool","content":"x"}`),
		messages("result-id-number", "a tool_call_id is a number", harness.BadType,
			`{"role":"tool","content":"x","tool_call_id":7}`),
		messages("user-with-call-id", "a user's message has a tool_call_id", harness.ExtraField,
			user+`"x","tool_call_id":"c"}`),
		messages("user-with-calls", "a user's message has tool calls", harness.ExtraField,
			user+`"x","tool_calls":[{"id":"c"}]}`),
		messages("calls-no-list", "tool_calls is not a list", harness.BadType, agent+`{"id":"c"}}`, agent+`7}`),
		messages("call-malformed", "a tool call is a string, or its id is a number", harness.BadType,
			agent+`["c"]}`, agent+`[{"id":7}]}`),
		messages("call-without-id", "a tool call has no id", harness.MissingField, agent+`[{"type":"function"}]}`),
		messages("tag-number", "a tag is a number", harness.BadType, user+`"x","tag":7}`),
		messages("lone-surrogate", "a content contains a lone surrogate", harness.InvalidUTF8, user+`"\ud83d"}`),
		messages("nested-too-deep", "a member nests more than a thousand levels deep", harness.TooDeep,
			user+`"x","x":`+strings.Repeat("[", 1100)+strings.Repeat("]", 1100)+`}`),
		messages("messages-missing", "the case has no messages", harness.NoDocument, ""),
		messages("messages-no-list", "messages is not a list", harness.BadType, `{"role":"user"}`),
		budget("budget-of-nought", "max_tokens is 0", harness.BadLimit, `{"max_tokens":0,"tokenizer":"chars/4"}`),
		budget("budget-of-another-type", "max_tokens is not a whole number", harness.BadType,
			`{"max_tokens":"400","tokenizer":"chars/4"}`, `{"max_tokens":400.5,"tokenizer":"chars/4"}`),
		budget("budget-missing", "the budget has no max_tokens", harness.MissingField, `{"tokenizer":"chars/4"}`),
		budget("budget-no-object", "the budget is not an object", harness.BadType, `400`, `[]`),
		budget("budget-member-unknown", "the budget has an unknown member", harness.ExtraField,
			`{"max_tokens":100,"max_words":3,"tokenizer":"chars/4"}`),
		policy("policy-missing", "the case has no policy", harness.NoDocument, ""),
		policy("policy-of-another-type", "the policy is not a text or a list", harness.BadType, `7`, `[7]`),
		policy("policy-unknown", "the policy has an unknown step", harness.BadType, `["windw"]`, `[{"name":"windw"}]`),
		policy("policy-without-name", "a step of the policy has no name", harness.MissingField, `[{"percent":25}]`),
		policy("policy-too-long", "the policy has more than 64 steps", harness.BadType,
			`[`+strings.Repeat(`"none",`, 64)+`"none"]`),
		policy("policy-threshold", "a threshold of the policy is out of range", harness.BadLimit,
			`[{"name":"clamp","percent":101}]`, `[{"name":"emergency","over":0}]`),
		policy("policy-threshold-unknown", "a step of the policy has a threshold of another one", harness.ExtraField,
			`[{"name":"clamp","keep":3}]`),
		policy("policy-text-malformed", "the text of a policy is malformed", harness.BadType,
			`"clamp(25"`, `"clamp(25, 30)"`, `"clamp(keep=3)"`, `"window(n=2, n=3)"`, `"window(two)"`, `["clamp(101)"]`),
	}
}

// spoiling returns a constructor of traits that put one of their forms in place of a document, or before its first
// message.
func spoiling(document string) func(name, text string, code harness.Code, forms ...string) trait {
	return func(name, text string, code harness.Code, forms ...string) trait {
		t := family("input")(name, "malformed input", "in the "+document, text, func(w *draft) {
			form := jsontext.Value(generators.Pick(&w.Choices, forms))
			if len(form) == 0 {
				form = nil
			}
			w.code, w.spoil = code, func(c *harness.Case) {
				switch {
				case document == "budget":
					c.Budget = form
				case document == "policy":
					c.Policy = form
				case strings.HasPrefix(name, "messages-"):
					c.Messages = form
				default:
					c.Messages = headed(c.Messages, form)
				}
			}
		}).takes(aReading)
		t.Needs = []string{document}
		return t
	}
}

// headed puts an item at the head of the messages.
func headed(messages, item jsontext.Value) jsontext.Value {
	head := slices.Concat(jsontext.Value("["), item)
	if messages[1] != ']' {
		head = append(head, ',')
	}
	return append(head, messages[1:]...)
}

// unreadableCodes are the codes that an engine may give for a case that cannot be read, the expected one first.
func unreadableCodes(expected harness.Code) []harness.Code {
	return []harness.Code{
		expected, harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField,
		harness.MissingField, harness.BadType, harness.EmptyID, harness.BadLimit, harness.BadArguments,
	}
}
