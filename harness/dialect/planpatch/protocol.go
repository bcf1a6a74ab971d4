package planpatch

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// protocols returns the protocols that write a change as a patch or as a full plan.
func protocols() []dialect.Protocol {
	same := func(p *plan.Plan) *plan.Plan { return p }
	return []dialect.Protocol{
		{
			Term:   harness.Term{Name: "planpatch", Text: "a patch: lists of steps to remove, update and add"},
			Before: asDocument, Write: writePatch, After: same, Guide: patchGuide,
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
		Type  string                `json:"type"`
		Title string                `json:"title"`
		Steps []dialect.WrittenStep `json:"steps"`
	}{"FullPlan", after.Title, nil}
	done := plan.Done
	for _, s := range after.Steps {
		w := dialect.WriteStep(s)
		if s.Status == plan.Done {
			w.Status = &done
		}
		reply.Steps = append(reply.Steps, w)
	}
	return reply
}

func writePatch(before, after *plan.Plan) any {
	reply := struct {
		Type   string                `json:"type"`
		Title  string                `json:"title,omitzero"`
		Remove []string              `json:"remove_steps,omitempty"`
		Update []dialect.WrittenStep `json:"update_steps,omitempty"`
		Add    []dialect.WrittenStep `json:"add_steps,omitempty"`
	}{Type: "PlanPatch"}
	if after.Title != before.Title {
		reply.Title = after.Title
	}
	for _, s := range before.Steps {
		if after.Step(s.ID) == nil {
			reply.Remove = append(reply.Remove, s.ID)
		}
	}
	for _, s := range after.Steps {
		old := before.Step(s.ID)
		if old == nil {
			reply.Add = append(reply.Add, dialect.WriteStep(s))
		} else if w, changed := dialect.WriteChanges(old, s); changed {
			w.ID = s.ID
			reply.Update = append(reply.Update, w)
		}
	}
	return reply
}
