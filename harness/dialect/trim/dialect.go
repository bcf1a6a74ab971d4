// Package trim assembles the dialect trim from its parts.
package trim

import (
	_ "embed" // the help and the words
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/defect"
	"replanbench/harness/dialect/trim/generate"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/dialect/trim/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/style"
	"replanbench/harness/history"
)

//go:embed help.md
var help string

//go:embed words.json
var words []byte

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:     "trim",
		Requests: "histories",
		Text:     "chat histories that a policy trims to a token budget",
		Help:     help,
		Documents: []document.Document{
			{Name: "messages", Required: true, Counted: true},
			{Name: "budget"},
			{Name: "policy"},
		},
		Replies:    document.NoReplies,
		Layout:     spec.Layout(),
		Trim:       rules.Trim,
		Eval:       rules.Eval,
		Needs:      rules.Needs,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Tries:      []string{"tool-loop", "message-with-extras", "many-messages", "policy-unknown", "budget-of-one"},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas:    []schema.Schema{{Name: "trim", Text: "messages, budget and policy of a trim case", Data: spec.Trimming().Schema()}},
	}
}

// members lists the members of outcomes. An engine need not report what it did to the
// messages that it gives.
func members() outcome.Members {
	messages := outcome.Messages()
	messages.Required = outcome.Always
	return outcome.Members{
		outcome.At(), messages, outcome.Optionally(outcome.Tokens()),
		outcome.Optionally(outcome.Dropped()), outcome.Optionally(outcome.Cut()),
	}
}

// vocabulary adds the policies to the capabilities: an engine mostly has one policy, or two.
func vocabulary() harness.Vocabulary {
	v := knob.Words(words)
	v.Capabilities = slices.Concat(history.Policies(), v.Capabilities)
	return v
}

// explanation describes how a history was trimmed: its tokens, and the messages that
// were dropped or cut, by their places before trimming.
func explanation(s explain.Subject) []explain.Section {
	if s.Outcome.Verdict != harness.Applied {
		return s.Rejected(-1)
	}
	dropped, cut, ok := check.Fates(s.Case, s.Outcome)
	if !ok {
		dropped, cut = s.Outcome.Dropped, s.Outcome.Cut
	}
	section := explain.Section{Title: "History"}
	if t := s.Outcome.Tokens; t != nil {
		section.Title = fmt.Sprintf("History: %d → %d tokens", t.Before, t.After)
	}
	for _, i := range dropped {
		section.Add("-", 0, style.Bad, "message %d dropped", i)
	}
	for _, c := range cut {
		section.Add("~", 0, style.Doubtful, "message %d cut: %d → %d tokens", c.Index, c.Before, c.After)
	}
	if section.Lines == nil && ok {
		section.Add("", 0, style.Plain, "every message is unchanged")
	}
	return []explain.Section{section}
}
