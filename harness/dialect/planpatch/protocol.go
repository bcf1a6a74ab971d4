package planpatch

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

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
