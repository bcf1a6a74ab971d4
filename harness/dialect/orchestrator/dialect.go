// Package orchestrator assembles the dialect orchestrator from its parts.
package orchestrator

import (
	_ "embed" // the help

	"replanbench/harness/dialect"
	"replanbench/harness/dialect/orchestrator/check"
	"replanbench/harness/dialect/orchestrator/defect"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:     "orchestrator",
		Requests: "runs",
		Text:     "whole runs of a plan: planning, steps with tools, replans, verification, interruptions",
		Help:     help,
		Documents: []document.Document{
			{Name: "plan"},
			{Name: "tools", Counted: true},
			{Name: "verify", Counted: true},
			{Name: "budget"},
			{Name: "policy"},
		},
		Replies:    document.OptionalReplies,
		Layout:     spec.Layout(),
		Scripted:   true,
		Eval:       rules.Eval,
		Session:    rules.Session,
		MaxReplies: spec.MaxReplies,
		Prompts:    prompts(),
		Needs:      needs,
		Score:      scored,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Subjects:   generate.Subjects(),
		Formerly:   generate.Formerly(),
		Tries:      []string{"blank-reply", "plan-claims-done", "unknown-word", "large-plan"},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: vocabulary(),
		Schemas: []schema.Schema{{
			Name: "orchestrator",
			Text: "a tool call or a control, as a model should write it within a step", Data: spec.Reply().Schema(),
		}},
	}
}
