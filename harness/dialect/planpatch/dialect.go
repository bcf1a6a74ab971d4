// Package planpatch assembles the dialect planpatch from its parts.
package planpatch

import (
	"embed"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planpatch/check"
	"replanbench/harness/dialect/planpatch/defect"
	"replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "planpatch",
		Text:      "patches over a plan: remove, update and add steps by id, with a ladder of fallbacks",
		Help:      help,
		Needs:     needs,
		Documents: []document.Document{{Name: "plan", Required: true, List: "steps"}},
		Replies:   document.RequiredReplies,
		Edits:     true,
		Layout:    spec.Layout(),
		Eval:      rules.Eval,
		Score:     scored,
		Protocols: protocols(),
		Prompts:   prompts(),
		Climb:     rules.Climb,
		Explain:   explanation,
		Traits:    generate.Traits(),
		Tries: []string{
			"done-remove", "title-only", "update-one-member", "plan-members-updated", "null-optional", "empty-reply",
			"plan-large", "fence-json", "prose-both", "lone-surrogate", "wrong-type", "plan-malformed",
			"first-reply-fails",
		},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: spec.Vocabulary(),
		Schemas: []schema.Schema{
			{Name: "planpatch", Text: "a patch, as a model should write it", Data: spec.Patch().Schema()},
			{Name: "fullplan", Text: "a whole plan, as input or as a model's reply", Data: spec.FullPlan().Schema()},
		},
	}
}

// members lists the members of outcomes. Every applied outcome has a plan except one that ends in react.
func members() outcome.Members {
	plan := outcome.Plan()
	plan.Required = func(a outcome.Asked) bool {
		if a.Outcome.Rung == "" && a.Profile != nil {
			return !slices.Contains(a.Profile.Ladder, harness.RungReact)
		}
		return a.Outcome.Rung != harness.RungReact
	}
	return outcome.Members{
		plan, outcome.Rung(), outcome.GaveUp(), outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(),
		outcome.Meta(), outcome.Events(),
	}
}

//go:embed prompts/*.j2
var templates embed.FS

// prompts ask for patches. Two pairs differ in one block on changing against removing
// a step, with wrong and right examples: replan and replan.hardened, and replan.before
// and replan.after, which quote the design documents of a published incident.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: slices.Concat(dialect.Bilingual(
			"replan", "requests a patch and states the rules",
			"replan.hardened", "adds wrong and right examples of updating and removing steps",
		), []harness.Term{
			{Name: "replan.before", Text: "the Chinese prompt of the documents before the fix: states the constraint in one line"},
			{Name: "replan.after", Text: "the Chinese prompt of the documents after the fix: adds the ⚠️ block with ❌ and ✅ " +
				"examples"},
		}, dialect.Bilingual(
			"plan_patch_retry", "retries with the reason of the rejection",
			"full_plan", "requests a full plan after patches failed",
		)),
		Chinese: []string{"replan.before", "replan.after"},
		First:   "replan", Retry: "plan_patch_retry", FullPlan: "full_plan",
	}
}

// protocols returns the protocols that write a change as a patch or as a full plan.
func protocols() []dialect.Protocol {
	same := func(p *plan.Plan) *plan.Plan { return p }
	return []dialect.Protocol{
		{
			Term:   harness.Term{Name: "planpatch", Text: "a patch: lists of steps to remove, update and add"},
			Before: asDocument, After: same, Guide: patchGuide,
			Write: func(before, after *plan.Plan) any { return spec.Change(before, after) },
		},
		{
			Term: harness.Term{Name: "fullplan", Text: "a full new plan"}, Before: asDocument, Write: writeWhole, After: same,
			Guide: wholeGuide,
		},
	}
}

// patchGuide and wholeGuide instruct a model how to write a change.
const (
	patchGuide = `You edit a plan by a patch, one JSON object with the type "PlanPatch". Its members, all optional: "title", the new title;
"remove_steps", the ids of steps to take out; "update_steps", a list of objects with the id of a step and the members of it that
change (a list is given whole); "add_steps", a list of new steps with id, description, dependencies and tools_expected, which
come at the end. Steps that are done stay as they are.
Example: {"type":"PlanPatch","remove_steps":["s3"],"update_steps":[{"id":"s2","description":"Read the file"}],"add_steps":[{"id":"s5","description":"Run the tests","dependencies":["s2"]}]}`
	wholeGuide = `You edit a plan by writing it anew as a whole: one JSON object with the type "FullPlan", the title, and all steps, each with id,
description, dependencies, tools_expected, and the status "done" if it is done. Steps that are done stay as they are.
Example: {"type":"FullPlan","title":"Fix the tests","steps":[{"id":"s1","description":"Find the file","status":"done"},{"id":"s2","description":"Read the file","dependencies":["s1"]}]}`
)

func asDocument(p *plan.Plan) jsontext.Value { return strictjson.Encode(p) }

func writeWhole(_, after *plan.Plan) any {
	reply := struct {
		Type  string         `json:"type"`
		Title string         `json:"title"`
		Steps []plan.Written `json:"steps"`
	}{"FullPlan", after.Title, nil}
	done := plan.Done
	for _, s := range after.Steps {
		w := plan.Write(s)
		if s.Status == plan.Done {
			w.Status = &done
		}
		reply.Steps = append(reply.Steps, w)
	}
	return reply
}
