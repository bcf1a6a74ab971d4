// Package operations assembles the dialect operations from its parts.
package operations

import (
	"embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/check"
	"replanbench/harness/dialect/operations/defect"
	"replanbench/harness/dialect/operations/generate"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/plan"
)

//go:embed help.md
var help string

//go:embed prompts/*.j2
var templates embed.FS

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "operations",
		Text:      "lists of operations on a plan with versions: add, modify, remove and reorder steps",
		Help:      help,
		Documents: []document.Document{{Name: "plan", Required: true, List: "steps"}, {Name: "results", ByID: true}},
		Replies:   document.RequiredReplies,
		Layout:    spec.Layout(),
		Eval:      rules.Eval,
		Climb:     dialect.Climb(rules.Eval, results),
		Prompts: dialect.Pair(templates, "plan_update", "requests operations on the plan and states the rules",
			"retries with the reason of the rejection"),
		Score:     scored,
		Needs:     rules.Needs,
		Protocols: protocols(),
		Explain:   explanation,
		Reason:    reason,
		Traits:    generate.Traits(),
		Tries: []string{
			"modify-completed", "modify-clears", "extra-members", "blank-reply", "plan-large", "fence-json",
			"prose-both", "lone-surrogate", "wrong-type", "plan-malformed", "second-reply",
		},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: spec.Vocabulary(),
		Schemas: []schema.Schema{{
			Name: "operations", Text: "an update by operations, as a model should write it",
			Data: spec.Update().Schema(),
		}},
	}
}

// members lists the members of outcomes. Results are required if the case has some;
// an absent member equals an empty object.
func members() outcome.Members {
	plan, operations := outcome.Record(), outcome.Optionally(outcome.Operations())
	results := outcome.Optionally(outcome.Raw("results", "The results that are left, by the ids of their steps.",
		func(o *harness.Outcome) *jsontext.Value { return &o.Results }))
	plan.Required, operations.Required = outcome.Always, outcome.Always
	results.Required = func(a outcome.Asked) bool { return a.Case != nil && len(a.Case.Results) > 0 }
	return outcome.Members{
		plan, outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(), results, operations,
		outcome.Optionally(outcome.UpdateType()),
	}
}

// results returns the result of each operation that was not applied.
func results(o harness.Outcome) (text string) {
	for i, op := range o.Operations {
		if op.Result != spec.Applied && op.Result != spec.NotRun && op.Result != spec.Undone {
			text += fmt.Sprintf("; operation %d (%s %s): %s", i+1, op.Type, op.StepID, op.Result)
		}
	}
	return text
}

// scored applies one update after the other: a retry replaces an update that was
// rejected.
func scored(c harness.Case, old *plan.Plan, p harness.Profile) dialect.Scored {
	if old == nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	s := dialect.Tries(c, p, rules.Eval, func(raw harness.Reply) []harness.Danger {
		return rules.Dangers(old, c.Limits, p, raw)
	})
	for _, o := range s.First.Operations {
		if o.Result == spec.Applied {
			s.Named = append(s.Named, o.StepID)
		}
	}
	return s
}
