// Package todos assembles the dialect todos from its parts.
package todos

import (
	"embed"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/todos/check"
	"replanbench/harness/dialect/todos/defect"
	"replanbench/harness/dialect/todos/generate"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

//go:embed help.md
var help string

//go:embed prompts/*.j2
var templates embed.FS

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "todos",
		Text:       "lists of todos that the model rewrites as a whole",
		Help:       help,
		Documents:  []document.Document{{Name: "plan", Required: true, List: "items"}},
		Replies:    document.RequiredReplies,
		Edits:      true,
		Layout:     spec.Layout(),
		Vocabulary: spec.Vocabulary(),
		Members:    members(),
		Eval:       rules.Eval,
		Climb:      dialect.Climb(rules.Eval, nil),
		Prompts: dialect.Pair(templates, "todo_list", "requests the whole list of todos, with the rules",
			"requests a retry, with the error"),
		Score:     scored,
		Protocols: protocols(),
		Needs:     needs,
		Calls:     calls(),
		Restate:   spec.Restate,
		Traits:    generate.Traits(),
		Tries: []string{
			"lost-done", "reopened", "null-optional", "unknown-member", "blank-reply", "many-items", "fence-json",
			"prose-both", "lone-surrogate", "wrong-type", "two-rewrites",
		},
		Generate: generate.New,
		Explain:  explanation,
		Schemas: []schema.Schema{{
			Name: "todos", Text: "a rewritten list of todos, as a model should write it",
			Data: spec.Document(spec.SettingsOf(harness.Reference()), false).Schema(),
		}},
		Judging: check.Rules(),
		Defects: defect.Defects(),
	}
}

// needs lists what an engine must have for the case: the feature that takes several
// rewrites, and capabilities.
func needs(c harness.Case) []string {
	list := harness.Needs(c.LimitsAsked())
	list.If(len(c.Replies) > 1, harness.FeatureLadder)
	before, err := spec.Before(c)
	list.If(err != nil, "plan")
	items := written(c.Replies)
	list.If(err == nil && respells(before, items), spec.Respelled)
	list.If(slices.ContainsFunc(items, func(o mutant.Object) bool { return o.Get("status") == nil }), spec.NeedsStatus)
	list.If(slices.ContainsFunc(c.Replies, rules.Indents), spec.NeedsNested)
	for _, of := range []struct{ capability, word string }{
		{"ids", `"id"`},
		{"priority", `"priority"`},
		{"active form", `"active_form"`},
		{"active form", `"activeForm"`},
		{"active_form", `"active_form"`},
		{"cancelled", "ancel"},
		{"cancelled", "[-]"},
		{"cancelled", "[~]"},
		{"null members", ":null"},
		{"null members", ": null"},
	} {
		says := func(r harness.Reply) bool { return strings.Contains(string(r), of.word) }
		list.If(of.capability != "active_form" && says(harness.Reply(c.Plan)) || slices.ContainsFunc(c.Replies, says),
			of.capability)
	}
	return list
}

// written returns the items that replies write.
func written(replies []harness.Reply) (list []mutant.Object) {
	for _, r := range replies {
		for _, o := range mutant.Objects(r) {
			list = append(list, o.Items("todos", "plan")...)
		}
	}
	return list
}

// respells reports whether an item of a reply has the content of an old one in another spelling.
func respells(before *plan.Plan, items []mutant.Object) bool {
	old := map[string]string{}
	for _, item := range spec.Items(before) {
		old[spec.Normal(item.Content)] = item.Content
	}
	return slices.ContainsFunc(items, func(item mutant.Object) bool {
		return slices.ContainsFunc(item.Members, func(m strictjson.Member) bool {
			content, known := old[spec.Normal(m.Value.Text)]
			return known && content != m.Value.Text && m.Name != "id"
		})
	})
}

func members() outcome.Members {
	list, was := outcome.Items(), outcome.More(spec.Was,
		"For each item, its index in the case's list, or null for a new item.")
	list.Required, was.Optional = outcome.Always, true
	return outcome.Members{list, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), outcome.Meta(), was}
}
