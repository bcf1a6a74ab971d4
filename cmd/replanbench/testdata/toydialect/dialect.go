// Package toy is a small dialect for a test: a reply is a word, which is appended
// to the title of the plan.
package toy

import (
	_ "embed" // the schema

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/toy/check"
	"replanbench/harness/dialect/toy/defect"
	"replanbench/harness/dialect/toy/generate"
	"replanbench/harness/dialect/toy/rules"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/style"
)

//go:embed schema/toy.json
var toySchema []byte

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "toy",
		Text:      "titles that get another word",
		Documents: []document.Document{{Name: "plan", Required: true}},
		Replies:   document.RequiredReplies,
		Layout:    &document.Layout{},
		Eval:      rules.Eval,
		Traits:    generate.Traits(),
		Generate:  generate.New,
		Judging:   check.Rules(),
		Members:   members(),
		Defects:   defect.Defects(),
		Vocabulary: harness.Vocabulary{Codes: []harness.Term{
			{Name: string(rules.NotAWord), Text: "the reply is not one word"},
			{Name: string(harness.InvalidPlan), Text: "the plan of the case breaks the rules for plans"},
		}},
		Schemas: []schema.Schema{{Name: "toy", Text: "a word, as a model should write it", Data: toySchema}},
		Explain: explanation,
	}
}

// members are those of outcomes: every one that is applied has a plan.
func members() outcome.Members {
	plan := outcome.Plan()
	plan.Required = outcome.Always
	return outcome.Members{plan}
}

func explanation(s explain.Subject) []explain.Section {
	s.Hint = func(harness.Event) string { return "answer with a word and nothing else" }
	section := explain.Section{Title: "Word"}
	for _, r := range s.Case.Replies {
		section.Add("", 0, style.Plain, "%s", explain.Text(string(r)))
	}
	return append(section.NonEmpty(), explain.Edit(s)...)
}
