package agent

import (
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness/agent/session"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan/toolmap"
)

// singles returns the turns of a sample for an agent whose tools change one task a call: those that make the plan,
// then one for each call of the reply. It reports false if no tool takes one of the calls.
func (s *Subject) singles(setup, reply string, before, edit session.Turn) (turns []session.Turn, ok bool) {
	before.Edit, edit.Edit = setup, reply
	for _, t := range []session.Turn{before, edit} {
		calls, ok := s.calls(t.Edit)
		if !ok {
			return nil, false
		}
		for len(calls) > 0 {
			n := 1
			if t.Setup {
				n = independent(calls)
			}
			t.Edit = string(strictjson.Encode(map[string]any{"calls": calls[:n]}))
			turns, calls = append(turns, t), calls[n:]
		}
	}
	if len(turns) == 0 || turns[len(turns)-1].Setup {
		return nil, false
	}
	turns[0].New = true
	return turns, true
}

// calls reads the calls of a reply. Edges that the tool for new tasks does not take become calls of their own.
func (s *Subject) calls(reply string) (list []toolmap.Call, ok bool) {
	var doc struct {
		Calls []toolmap.Call `json:"calls"`
	}
	if json.Unmarshal([]byte(reply), &doc, json.RejectUnknownMembers(true)) != nil {
		return nil, false
	}
	var edges []toolmap.Call
	for _, c := range doc.Calls {
		blockers, _ := c["blocked_by"].([]any)
		if c["call"] == "create" && c["id"] != nil && !s.takes(c) {
			for _, b := range blockers {
				edges = append(edges, toolmap.Call{"call": "update", "id": c["id"], "add_blocked_by": []any{b}})
			}
			delete(c, "blocked_by")
		}
		if c["call"] != "create" { // statuses, which edges may forbid later
			list, edges = append(list, edges...), nil
		}
		list = append(list, c)
	}
	list = append(list, edges...)
	return list, !slices.ContainsFunc(list, func(c toolmap.Call) bool { return !s.takes(c) })
}

// takes reports whether the tools can carry out a call, without the name that a plan gives to a new task.
func (s *Subject) takes(c toolmap.Call) bool {
	bare := toolmap.Call{}
	for name, v := range c {
		if name != "id" || c["call"] != "create" {
			bare[name] = v
		}
	}
	_, ok := s.Profile.Write(bare, nil)
	return ok
}

// independent counts the creations at the beginning of a list that do not refer to one another, so that one answer of
// the model can have them all.
func independent(calls []toolmap.Call) int {
	names := map[any]bool{}
	for i, c := range calls {
		blockers, _ := c["blocked_by"].([]any)
		if c["call"] != "create" || names[c["parent"]] || slices.ContainsFunc(blockers, func(b any) bool { return names[b] }) {
			return max(i, 1)
		}
		names[c["id"]] = true
	}
	return len(calls)
}
