// Package tasks assembles the dialect tasks from its parts.
package tasks

import (
	"embed"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/tasks/check"
	"replanbench/harness/dialect/tasks/defect"
	"replanbench/harness/dialect/tasks/generate"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
)

//go:embed help.md
var help string

//go:embed prompts/*.j2
var templates embed.FS

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name: "tasks", Text: "a graph of tasks that single calls change", Help: help, Requests: "calls",
		Documents: []document.Document{{Name: "plan", Required: true, List: "tasks"}, {Name: spec.FaultDocument}}, Replies: document.RequiredReplies, Edits: true,
		Layout: spec.Layout(), Vocabulary: spec.Vocabulary(), Members: members(), Eval: rules.Eval, Needs: needs,
		Climb: dialect.Climb(rules.Eval, nil), Prompts: dialect.Pair(templates, "task_calls", "requests calls that change a graph of tasks, with the rules",
			"requests a retry, with the error"), Score: scored,
		Traits: generate.Traits(), Generate: generate.New, Judging: check.Rules(), Defects: defect.Defects(),
		Reason: reason, Explain: explanation, Calls: sessions(), Restate: restate,
		Tries: []string{"delete-done", "cycle-of-two", "unknown-member", "blank-reply", "many-calls"},
		Schemas: []schema.Schema{{
			Name: "calls", Text: "calls that change a graph of tasks, as a model should write them",
			Data: spec.Document().Schema(),
		}},
	}
}

func members() outcome.Members {
	graph := outcome.Tasks()
	graph.Required = outcome.Always
	graph.Differ = func(want, got *harness.Outcome) *outcome.Difference {
		if want.Plan.Equal(got.Plan) {
			return nil
		}
		w, g := check.Canonical(want), check.Canonical(got)
		check.Arrange(&g, &w)
		return outcome.PlanDifference(&w, &g)
	}
	order := outcome.Member{
		Name: check.Order, Text: "The order of the tasks.", Optional: true, Derived: true, Content: true,
		Given: func(o *harness.Outcome) bool { return o.Plan != nil },
		Copy:  func(_, _ *harness.Outcome) {}, Differ: check.Reordered,
	}
	graph.Free = check.Numbered
	results := outcome.Raw("results", "The result of each call.", func(o *harness.Outcome) *jsontext.Value { return &o.Results })
	results.Same, results.Core = check.SameResults, []string{"ok", "id", "ids"}
	results.Free = check.Unexplained
	created := outcome.More(spec.CreatedMember, "The ids of the created tasks, in order.")
	notes := outcome.More(spec.NotesMember, "What a store did besides its answers.")
	notes.Same = check.SameNotes
	return outcome.Members{
		graph, order, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), results,
		outcome.Optionally(created), outcome.Optionally(notes),
	}
}

// reason returns the code of the last call that was rejected, also where other calls were carried out.
func reason(o harness.Outcome) harness.Code {
	for _, r := range slices.Backward(spec.Results(&o)) {
		if !r.OK && r.Code != spec.NotRun {
			return r.Code
		}
	}
	return ""
}

// needs lists what an engine must have for the case.
func needs(c harness.Case) []string {
	list := harness.Needs(c.LimitsAsked())
	list.If(len(c.Replies) > 1, harness.FeatureLadder)
	list.If(spec.Fault(&c) != "", harness.FeatureStore)
	_, err := spec.Before(c)
	list.If(err != nil, "plan")
	return append(list, generate.Needs(c)...)
}
