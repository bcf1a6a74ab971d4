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
		Intact.fault("text-and-call", "text before the call").
			changes(func(s *Shot) { s.Answer.Text = "I bring the plan up to date – prüfen 😀." }),
		Intact.fault("reasoning", "reasoning before the call").
			changes(func(s *Shot) { s.Answer.Reasoning = "The plan is no longer right. I rewrite it." }),
		Intact.fault("other-model", "the answer names another model than the request").
			changes(func(s *Shot) { s.Answer.Model = "another-model-2099" }),
		Intact.fault("large-text", "1 MB of text before the call").
			changes(func(s *Shot) { s.Answer.Text = strings.Repeat("All work and no play. ", 1<<20/22) }),
		Intact.fault("near-window", "usage near the limit of the window, so that the agent compacts its history").
			changes(func(s *Shot) { s.Answer.Usage = wire.Usage{In: s.Window * 97 / 100, Out: 900} }),
		Odd.fault("no-usage", "usage is missing").sends(without("usage", "usageMetadata")),
		Odd.fault("absurd-usage", "usage of 9e15 tokens").
			changes(func(s *Shot) { s.Answer.Usage = wire.Usage{In: 9e15, Out: 7} }),
		Odd.fault("negative-usage", "negative usage").
			changes(func(s *Shot) { s.Answer.Usage = wire.Usage{In: -5, Out: -5} }),
		Nothing.fault("refusal", "the model refuses in a text").changes(func(s *Shot) {
			s.Answer.Calls, s.Answer.Refusal, s.Answer.Finish = nil, "I cannot help with that.", wire.Filter
		}),
		Nothing.fault("length-in-text", "the answer ends at its length limit, within text").
			changes(func(s *Shot) { s.Answer.Calls, s.Answer.Text, s.Answer.Finish = nil, "I shall now rewr", wire.Length }),
		Nothing.fault("empty-answer", "an answer without text and calls").changes(func(s *Shot) { s.Answer.Calls = nil }),
		Nothing.fault("no-choices", "the list of choices (candidates, output, content) is empty").
			changes(func(s *Shot) { s.Answer.Calls = nil }).sends(emptied("choices", "candidates", "output", "content")),
		Odd.fault("finish-missing", "no finish reason").
			sends(without("finish_reason", "stop_reason", "finishReason", "status")),
		Odd.fault("finish-unknown", "an unknown finish reason").on(notResponses).
			sends(replaced(`"because"`, "finish_reason", "stop_reason", "finishReason")),
		Odd.fault("role-missing", "the answer has no role").on(notResponses).sends(without("role")),
		Odd.fault("id-missing", "the answer has no id").sends(func(s *Shot) {
			edit(s, func(n *strictjson.Node, at []string) {
				if n.Kind == strictjson.Object && (len(at) == 0 || len(at) == 1 && (at[0] == "response" || at[0] == "message")) {
					n.Drop(func(kid *strictjson.Node) bool { return kid.Key() == "id" || kid.Key() == "responseId" })
				}
			})
		}),
		Intact.fault("same-response-id", "the id of the previous answer").changes(func(s *Shot) {
			if s.Last.ID != "" {
				s.Answer.ID = s.Last.ID
			}
		}),
		Intact.fault("unknown-members", "undocumented members").sends(func(s *Shot) {
			edit(s, func(n *strictjson.Node, at []string) {
				if n.Kind == strictjson.Object && len(at) == 0 {
					n.Set("x_trace", strictjson.Node{Kind: strictjson.String, Raw: `"abc"`})
				}
			})
		}),
		Odd.fault("lone-surrogate", "an escaped lone surrogate in the text").
			changes(func(s *Shot) { s.Answer.Text = "prüfen SURROGATE" }).delivers(func(s *Shot) {
			s.Delivery.Body = []byte(strings.ReplaceAll(string(s.Delivery.Body), "SURROGATE", `\ud83d`))
		}),
		Odd.fault("invalid-utf8", "a byte in the text that is not UTF-8").
			changes(func(s *Shot) { s.Answer.Text = "prüfen BYTE" }).
			delivers(func(s *Shot) { s.Delivery.Body = []byte(strings.ReplaceAll(string(s.Delivery.Body), "BYTE", "\xff")) }),
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
