package operations

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// protocols returns the protocol that writes a change as a list of operations.
func protocols() []dialect.Protocol {
	return []dialect.Protocol{{
		Term:   harness.Term{Name: "operations", Text: "a list of operations that apply in order"},
		Before: asDocument, Write: write, After: dialect.Common, Guide: guide,
	}}
}

// guide instructs a model how to write a change.
const guide = `You edit a plan by a list of operations that apply in their order: one JSON object with the member "operations". An operation has a
"type": "add" with "step_data", a new step with id, description, dependencies and tools_expected, which comes at the end;
"modify" with "step_id" and "step_data", the members that change (a list is given whole); "remove" with "step_id"; "reorder" with
"step_id" and "position", counted from 0. A new name of the plan stands beside them: "plan_metadata":{"name":"…"}. A step on which
others depend is removed after these, and steps that are completed stay as they are.
Example: {"operations":[{"type":"modify","step_id":"s2","step_data":{"description":"Read the file"}},{"type":"remove","step_id":"s3"}]}`

func asDocument(p *plan.Plan) jsontext.Value {
	doc := struct {
		Name    string         `json:"name"`
		Version int            `json:"version"`
		Steps   []plan.Written `json:"steps"`
	}{p.Title, 1, nil}
	completed, pending := plan.Completed, plan.Pending
	for _, s := range p.Steps {
		w := plan.Write(s)
		w.Status = &pending
		if s.Status == plan.Done {
			w.Status = &completed
		}
		doc.Steps = append(doc.Steps, w)
	}
	return strictjson.Encode(doc)
}

// operation is one operation of a reply.
type operation struct {
	Type     string        `json:"type"`
	StepID   string        `json:"step_id,omitzero"`
	Position *int          `json:"position,omitzero"`
	Data     *plan.Written `json:"step_data,omitzero"`
}

// write writes additions first, without dependencies on later additions, then
// modifications, then removals with dependents first, then moves.
func write(before, after *plan.Plan) any {
	reply := struct {
		Metadata   map[string]string `json:"plan_metadata,omitzero"`
		Operations []operation       `json:"operations"`
	}{Operations: []operation{}}
	if after.Title != before.Title {
		reply.Metadata = map[string]string{"name": after.Title}
	}
	order := collect.Map(before.Steps, func(s plan.Step) string { return s.ID })
	var late []operation
	for _, s := range after.Steps {
		if before.Step(s.ID) != nil {
			continue
		}
		w := plan.Write(s)
		if slices.ContainsFunc(s.Dependencies, func(d string) bool { return !slices.Contains(order, d) }) {
			w.Dependencies = nil
			late = append(late, operation{Type: "modify", StepID: s.ID, Data: &plan.Written{Dependencies: &s.Dependencies}})
		}
		reply.Operations = append(reply.Operations, operation{Type: "add", Data: &w})
		order = append(order, s.ID)
	}
	reply.Operations = append(reply.Operations, late...)
	for _, s := range after.Steps {
		if old := before.Step(s.ID); old != nil {
			if w, changed := plan.WriteChanges(old, s); changed {
				reply.Operations = append(reply.Operations, operation{Type: "modify", StepID: s.ID, Data: &w})
			}
		}
	}
	for _, id := range removable(before, after) {
		reply.Operations = append(reply.Operations, operation{Type: "remove", StepID: id})
		order = slices.DeleteFunc(order, func(o string) bool { return o == id })
	}
	reply.Operations = append(reply.Operations, moves(order, after)...)
	return reply
}

// removable lists the steps to remove, each after the steps that depend on it.
func removable(before, after *plan.Plan) (list []string) {
	left := slices.DeleteFunc(slices.Clone(before.Steps), func(s plan.Step) bool { return after.Step(s.ID) != nil })
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(s plan.Step) bool {
			return !slices.ContainsFunc(left, func(o plan.Step) bool { return slices.Contains(o.Dependencies, s.ID) })
		})
		i = max(0, i) // a valid plan has no cycle
		list = append(list, left[i].ID)
		left = slices.Delete(left, i, i+1)
	}
	return list
}

// moves returns the moves that give the order of the new plan, from the front.
func moves(order []string, after *plan.Plan) (list []operation) {
	for i, s := range after.Steps {
		at := slices.Index(order, s.ID)
		if at == i || at < 0 || i >= len(order) {
			continue
		}
		order = slices.Insert(slices.Delete(order, at, at+1), i, s.ID)
		list = append(list, operation{Type: "reorder", StepID: s.ID, Position: &i})
	}
	return list
}
