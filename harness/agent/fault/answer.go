package fault

import (
	"slices"
	"strings"

	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
)

// answer returns the faults, and rarities, of the model's text around the call.
func answer() []Fault {
	return []Fault{
		{
			Name: "text-and-call", Text: "text before the call", Arrives: Intact,
			answer: func(s *Shot) { s.Answer.Text = "I bring the plan up to date – prüfen 😀." },
		},
		{
			Name: "reasoning", Text: "reasoning before the call", Arrives: Intact,
			answer: func(s *Shot) { s.Answer.Reasoning = "The plan is no longer right. I rewrite it." },
		},
		{
			Name: "other-model", Text: "the answer names another model than the request", Arrives: Intact,
			answer: func(s *Shot) { s.Answer.Model = "another-model-2099" },
		},
		{
			Name: "large-text", Text: "1 MB of text before the call", Arrives: Intact,
			answer: func(s *Shot) { s.Answer.Text = strings.Repeat("All work and no play. ", 1<<20/22) },
		},
		{
			Name: "near-window", Text: "usage near the limit of the window, so that the agent compacts its history",
			Arrives: Intact,
			answer:  func(s *Shot) { s.Answer.Usage = wire.Usage{In: s.Window * 97 / 100, Out: 900} },
		},
		{
			Name: "no-usage", Text: "usage is missing", Arrives: Odd,
			events: without("usage", "usageMetadata"),
		},
		{
			Name: "absurd-usage", Text: "usage of 9e15 tokens", Arrives: Odd,
			answer: func(s *Shot) { s.Answer.Usage = wire.Usage{In: 9e15, Out: 7} },
		},
		{
			Name: "negative-usage", Text: "negative usage", Arrives: Odd,
			answer: func(s *Shot) { s.Answer.Usage = wire.Usage{In: -5, Out: -5} },
		},
		{
			Name: "refusal", Text: "the model refuses in a text", Arrives: Nothing,
			answer: func(s *Shot) {
				s.Answer.Calls, s.Answer.Refusal, s.Answer.Finish = nil, "I cannot help with that.", wire.Filter
			},
		},
		{
			Name: "length-in-text", Text: "the answer ends at its length limit, within text", Arrives: Nothing,
			answer: func(s *Shot) { s.Answer.Calls, s.Answer.Text, s.Answer.Finish = nil, "I shall now rewr", wire.Length },
		},
		{
			Name: "empty-answer", Text: "an answer without text and calls", Arrives: Nothing,
			answer: func(s *Shot) { s.Answer.Calls = nil },
		},
		{
			Name: "no-choices", Text: "the list of choices (candidates, output, content) is empty", Arrives: Nothing,
			answer: func(s *Shot) { s.Answer.Calls = nil },
			events: emptied("choices", "candidates", "output", "content"),
		},
		{
			Name: "finish-missing", Text: "no finish reason", Arrives: Odd,
			events: without("finish_reason", "stop_reason", "finishReason", "status"),
		},
		{
			Name: "finish-unknown", Text: "an unknown finish reason", Arrives: Odd, only: notResponses,
			events: replaced(`"because"`, "finish_reason", "stop_reason", "finishReason"),
		},
		{
			Name: "role-missing", Text: "the answer has no role", Arrives: Odd, only: notResponses,
			events: without("role"),
		},
		{
			Name: "id-missing", Text: "the answer has no id", Arrives: Odd,
			events: func(s *Shot) {
				edit(s, func(n *strictjson.Node, at []string) {
					if n.Kind == strictjson.Object && (len(at) == 0 || len(at) == 1 && (at[0] == "response" || at[0] == "message")) {
						n.Drop(func(kid *strictjson.Node) bool { return kid.Key() == "id" || kid.Key() == "responseId" })
					}
				})
			},
		},
		{
			Name: "same-response-id", Text: "the id of the previous answer", Arrives: Intact,
			answer: func(s *Shot) {
				if s.Last.ID != "" {
					s.Answer.ID = s.Last.ID
				}
			},
		},
		{
			Name: "unknown-members", Text: "undocumented members", Arrives: Intact,
			events: func(s *Shot) {
				edit(s, func(n *strictjson.Node, at []string) {
					if n.Kind == strictjson.Object && len(at) == 0 {
						n.Set("x_trace", strictjson.Node{Kind: strictjson.String, Raw: `"abc"`})
					}
				})
			},
		},
		{
			Name: "lone-surrogate", Text: "an escaped lone surrogate in the text", Arrives: Odd,
			answer: func(s *Shot) { s.Answer.Text = "prüfen SURROGATE" },
			deliver: func(s *Shot) {
				s.Delivery.Body = []byte(strings.ReplaceAll(string(s.Delivery.Body), "SURROGATE", `\ud83d`))
			},
		},
		{
			Name: "invalid-utf8", Text: "a byte in the text that is not UTF-8", Arrives: Odd,
			answer:  func(s *Shot) { s.Answer.Text = "prüfen BYTE" },
			deliver: func(s *Shot) { s.Delivery.Body = []byte(strings.ReplaceAll(string(s.Delivery.Body), "BYTE", "\xff")) },
		},
	}
}

// emptied empties lists of these names at the head of a document or of what it
// holds.
func emptied(names ...string) func(*Shot) {
	return members(strictjson.Array, names, func(n *strictjson.Node) { n.Kids = nil })
}

// replaced gives members of these names another value, where they have one.
func replaced(raw string, names ...string) func(*Shot) {
	return members(strictjson.String, names, func(n *strictjson.Node) { n.Raw = raw })
}

// members changes the members of a kind that have one of these names.
func members(kind strictjson.Kind, names []string, change func(*strictjson.Node)) func(*Shot) {
	return func(s *Shot) {
		edit(s, func(n *strictjson.Node, _ []string) {
			for i := range n.Kids {
				if kid := &n.Kids[i]; n.Kind == strictjson.Object && kid.Kind == kind && slices.Contains(names, kid.Key()) {
					change(kid)
				}
			}
		})
	}
}
