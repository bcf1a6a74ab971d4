// Package toy is a small dialect for a test: a reply is a word, which is appended
// to a page. Cases have no plan, and the name of the dialect is a part of other words.
package toy

import (
	_ "embed" // the schema and the help

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

//go:embed schema/note.json
var noteSchema []byte

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "note",
		Text:      "pages that get another word",
		Help:      help,
		Documents: []document.Document{{Name: "page", Required: true}},
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
			{Name: string(harness.InvalidPlan), Text: "the page of the case has unknown members"},
		}, Hints: map[string]string{"": "answer with a word and nothing else"}},
		Schemas: []schema.Schema{{Name: "note", Text: "a word, as a model should write it", Data: noteSchema}},
		Explain: explanation,
	}
}

// members are those of outcomes: every one that is applied has a page.
func members() outcome.Members {
	page := outcome.More("page", "The page after the edit.")
	page.Required, page.Content = outcome.Always, true
	return outcome.Members{page}
}

func explanation(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "Word"}
	for _, r := range s.Case.Replies {
		section.Add("", 0, style.Plain, "%s", explain.Text(string(r)))
	}
	return append(section.NonEmpty(), explain.Edit(s)...)
}
