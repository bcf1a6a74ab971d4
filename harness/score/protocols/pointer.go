package protocols

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// pointers is RFC 6902, JSON Patch, on the plan as a document. It is no dialect, and
// has no rules except the RFC's: the result must be a sound plan.
func pointers() protocol {
	return protocol{
		Protocol: dialect.Protocol{
			Term:   harness.Term{Name: "rfc6902", Text: "JSON Patch: operations on document paths, with list indexes"},
			Before: documentOf, Write: writePointers,
			Guide: pointerGuide,
		},
		apply: applyPointers,
	}
}

// pointerGuide instructs a model how to write it.
const pointerGuide = `You edit a plan by a JSON Patch (RFC 6902): an array of operations that apply in their order.
{"op":"replace","path":"/title","value":"…"} sets a member, {"op":"add","path":"/steps/2","value":{…}} puts a step before
the one that stands there ("/steps/-": at the end), {"op":"remove","path":"/steps/2"} takes one out. Steps are counted from 0,
and each operation sees what those before it left. A step has id, description, dependencies, status ("pending" or "done")
and tools_expected.
Example: [{"op":"replace","path":"/steps/1/description","value":"Read the file"},{"op":"remove","path":"/steps/3"}]`

type stepDocument struct {
	ID           string      `json:"id"`
	Description  string      `json:"description"`
	Dependencies []string    `json:"dependencies"`
	Status       plan.Status `json:"status"`
	Tools        []string    `json:"tools_expected"`
}

func stepOf(s plan.Step) stepDocument {
	return stepDocument{
		s.ID, s.Description, append([]string{}, s.Dependencies...), s.Status,
		append([]string{}, s.ToolsExpected...),
	}
}

func documentOf(p *plan.Plan) jsontext.Value {
	doc := struct {
		Title string         `json:"title"`
		Steps []stepDocument `json:"steps"`
	}{p.Title, []stepDocument{}}
	for _, s := range p.Steps {
		doc.Steps = append(doc.Steps, stepOf(s))
	}
	return strictjson.Encode(doc)
}

// pointer is an operation of RFC 6902.
type pointer struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitzero"`
}

// writePointers removes steps from the end on, changes members in place, then adds new and
// moved steps: a step that moves is removed and added.
func writePointers(before, after *plan.Plan) any {
	list := []pointer{}
	if after.Title != before.Title {
		list = append(list, pointer{"replace", "/title", after.Title})
	}
	stays := kept(before, after)
	for i, v := range slices.Backward(before.Steps) {
		if !stays[v.ID] {
			list = append(list, pointer{Op: "remove", Path: at(i, "")})
		}
	}
	at0 := 0
	for _, s := range before.Steps {
		if !stays[s.ID] {
			continue
		}
		old, now := stepOf(s), stepOf(*after.Step(s.ID))
		for _, m := range []struct {
			name     string
			old, now any
		}{
			{"description", old.Description, now.Description},
			{"dependencies", old.Dependencies, now.Dependencies},
			{"status", old.Status, now.Status},
			{"tools_expected", old.Tools, now.Tools},
		} {
			if !same(m.old, m.now) {
				list = append(list, pointer{"replace", at(at0, m.name), m.now})
			}
		}
		at0++
	}
	for i, s := range after.Steps {
		if !stays[s.ID] {
			list = append(list, pointer{"add", at(i, ""), stepOf(s)})
		}
	}
	return list
}

// kept are the steps that keep their order among each other: the longest run of the
// old plan that is one of the new plan as well.
func kept(before, after *plan.Plan) map[string]bool {
	d := plan.Diff(before, after)
	stays := map[string]bool{}
	for _, s := range before.Steps {
		stays[s.ID] = after.Step(s.ID) != nil
	}
	for _, id := range d.Moved {
		stays[id] = false
	}
	return stays
}

func at(i int, member string) string {
	path := "/steps/" + number(i)
	if member != "" {
		path += "/" + member
	}
	return path
}

func same(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// applyPointers applies a reply strictly by the RFC and refuses an unsound result. It
// does not protect finished work.
func applyPointers(before *plan.Plan, reply []byte) *plan.Plan {
	if from, to := bytes.IndexByte(reply, '['), bytes.LastIndexByte(reply, ']'); from >= 0 && to > from { // as in a fence
		reply = reply[from : to+1]
	}
	data, err := applyPatch(documentOf(before), reply)
	if err != nil {
		return nil
	}
	after, err := plan.Decode(data)
	if err != nil {
		return nil
	}
	for i := range after.Steps {
		if after.Steps[i].Status != plan.Done {
			after.Steps[i].Status = plan.Pending
		}
		after.Steps[i].Extra = nil
	}
	return after
}
