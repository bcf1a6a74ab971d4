package todos

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// protocols are lists written anew.
func protocols() []dialect.Protocol {
	return []dialect.Protocol{{
		Term:   harness.Term{Name: "todos", Text: "the whole list of todos, rewritten"},
		Before: asDocument, Write: write, Guide: guide,
		After: dialect.Common, Carried: carried, Lacks: "title, dependencies and tools",
	}}
}

// guide tells a model how to write a change.
const guide = `You edit a todo list by writing it anew as a whole: one JSON object with the member "todos", a list of all items in their order, each with
id, content and status ("pending", "in_progress", "completed" or "cancelled"). An item that is dropped stays in the list with the
status "cancelled". Items that are completed stay as they are.
Example: {"todos":[{"id":"1","content":"Find the file","status":"completed"},{"id":"2","content":"Read the file","status":"pending"}]}`

func items(p *plan.Plan) []spec.Item {
	out := []spec.Item{}
	for _, s := range p.Steps {
		status := plan.Pending
		if s.Status == plan.Done {
			status = plan.Completed
		}
		out = append(out, spec.Item{ID: s.ID, Content: s.Description, Status: status})
	}
	return out
}

func asDocument(p *plan.Plan) jsontext.Value { return spec.Plan(items(p)).Encode() }

// write writes the whole list. What goes is cancelled, since an open item that is left
// out would be put back.
func write(before, after *plan.Plan) any {
	todos := items(after)
	for _, s := range before.Steps {
		if after.Step(s.ID) == nil {
			todos = append(todos, spec.Item{ID: s.ID, Content: s.Description, Status: plan.Cancelled})
		}
	}
	return map[string]any{"todos": todos}
}

// carried is what a list has a place for.
func carried(p *plan.Plan) *plan.Plan {
	out := &plan.Plan{}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, plan.Step{ID: s.ID, Description: s.Description, Status: s.Status})
	}
	return out
}
