// Package spec holds what rules, samples and checks of the dialect share: the
// places of members in its documents. It decides nothing.
package spec

import doc "replanbench/harness/document"

// Trimming declares the members of a case.
func Trimming() doc.Value {
	pipeline := doc.Text().As("pipeline").Says("Steps as text, such as section_caps|emergency|clamp(25).").
		With(`"pattern": "^[^|]*(none|window|section_caps|emergency|clamp|dedup|priority|pinned)[^|]*(\\|[^|]*)*$"`)
	budget := doc.Object(
		doc.Needs("max_tokens", doc.Integer("1", "1099511627776")),
		doc.May("tokenizer", doc.Enum("o200k_base", "cl100k_base", "chars/4", "")).Says("Who counts; absent: o200k_base."),
	).Says("What the history must fit.")
	steps := doc.List(doc.OneOf(pipeline, step())).With(`"maxItems": 64`)
	return doc.Object(
		doc.Needs("messages", doc.List(message())).Says("The history, oldest first."),
		doc.Needs("budget", budget),
		doc.Needs("policy", doc.OneOf(pipeline, steps)).
			Says("How to trim: steps, each of which trims what the one before it left."),
	).As("Trimming").Says("A case of the dialect trim: its members messages, budget and policy. The outcome's " +
		"messages have the same form.")
}

func message() doc.Value {
	part := doc.Object(doc.Needs("type", doc.Enum("text")), doc.Needs("text", doc.Text()))
	call := doc.Object(doc.Needs("id", doc.Text()))
	m := doc.Object(
		doc.Needs("role", doc.Enum("system", "developer", "user", "assistant", "tool")).
			Says("developer is read as system."),
		doc.Plain("content", doc.OneOf(doc.Text().OrNull(), doc.List(part.Opened()))).
			Says("A text, or its parts, which are joined."),
		doc.May("tool_calls", doc.List(call.Opened())).Says("Of an assistant: the calls that it makes. Their JSON counts."),
		doc.May("tool_call_id", doc.Text()).Says("Of a tool: the call that it answers."),
		doc.May("tag", doc.Text()).Says("What the message carries, such as system_prompt, repo_map, replan_constraints, "+
			"plan, tool_result or error."),
	).As("message").Says("Members beyond those listed travel along and are not counted.").With(`"allOf": [
		{
			"if": {"properties": {"role": {"const": "tool"}}},
			"then": {"properties": {"tool_call_id": {"type": "string"}}, "required": ["tool_call_id"]},
			"else": {"properties": {"tool_call_id": {"enum": ["", null]}}}
		},
		{"if": {"properties": {"role": {"const": "assistant"}}}, "else": {"properties": {"tool_calls": {"maxItems": 0}}}}
	]`)
	return m.Opened()
}

// step declares a step of a policy: its name, and the members that steps of the name have.
func step() doc.Value {
	count := doc.Integer("0", "1048576").As("count")
	percent := doc.Integer("0", "100").As("percent").Says("Of the budget.")
	share := doc.Integer("1", "100").As("share").Says("A percentage of the budget.")
	of := func(names []string, members ...doc.Member) doc.Value {
		return doc.Value{Members: append([]doc.Member{doc.Plain("name", doc.Enum(names...))}, members...)}
	}
	s := doc.Object(doc.Needs("name", doc.Text())).As("step").Opened()
	s.Of = []doc.Value{
		of([]string{"none", "dedup"}),
		of([]string{"window"}, doc.Plain("n", count)),
		of([]string{"section_caps"}, doc.Plain("repo_map", percent), doc.Plain("system_prompt", percent)),
		of([]string{"emergency", "pinned"}, doc.Plain("over", share), doc.Plain("messages", count), doc.Plain("keep", count)),
		of([]string{"clamp"}, doc.Plain("percent", percent)),
		of([]string{"priority"}, doc.Plain("over", share)),
	}
	return s
}

// Layout returns the places of ids in a history.
func Layout() *doc.Layout {
	return &doc.Layout{
		IDs:   []string{"tool_calls/id", "tool_call_id"},
		Words: []string{"role", "content", "tool_calls", "tool_call_id", "tag", "system", "user", "assistant", "tool"},
	}
}
