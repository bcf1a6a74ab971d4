package agent

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

// singles returns the turns of a sample for an agent whose tools change one task a call: those that make the plan,
// then one for the calls of the reply if one answer can have them all, or one for each. It reports false if no tool
// takes one of the calls.
func (s *Subject) singles(c harness.Case, setup string, before, edit session.Turn) (turns []session.Turn, ok bool) {
	before.Edit, edit.Edit = setup, string(c.Replies[0])
	for _, t := range []session.Turn{before, edit} {
		calls, ok := s.calls(t.Edit)
		if !ok {
			return nil, false
		}
		whole := !t.Setup && s.commute(c, calls)
		if whole {
			slices.Reverse(calls) // the unusual call is the last one, and the calls after a rejected one show most
		}
		for len(calls) > 0 {
			n := len(calls)
			if !whole {
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

// commute reports whether calls that create nothing have the same results and plan in both orders: an agent may carry
// out the calls of one answer in any order.
func (s *Subject) commute(c harness.Case, calls []toolmap.Call) bool {
	if slices.ContainsFunc(calls, func(c toolmap.Call) bool { return c["call"] == "create" }) {
		return false
	}
	one, first := s.carriedOut(c, calls)
	back := slices.Clone(calls)
	slices.Reverse(back)
	other, last := s.carriedOut(c, back)
	slices.Reverse(last)
	return slices.Equal(first, last) && (one == other || one != nil && other != nil && one.Equal(other))
}

// carriedOut returns the plan after calls by the rules, and for each call whether it is carried out.
func (s *Subject) carriedOut(c harness.Case, calls []toolmap.Call) (after *plan.Plan, done []bool) {
	c.Replies = []harness.Reply{harness.Reply(strictjson.Encode(map[string]any{"calls": calls}))}
	out := s.Dialect.Eval(c, s.Rules)
	var results []struct {
		OK bool `json:"ok"`
	}
	_ = json.Unmarshal(out.Results, &results) // of the reference
	for _, r := range results {
		done = append(done, r.OK)
	}
	return out.Plan, done
}

// independent counts the creations at the beginning of a list that do not refer to one another, so that one answer of
// the model can have them all.
func independent(calls []toolmap.Call) int {
	names := map[any]bool{}
	isNew := func(id any) bool {
		text, _ := id.(string)
		return names[text] || strings.HasPrefix(text, "$")
	}
	for i, c := range calls {
		blockers, _ := c["blocked_by"].([]any)
		if c["call"] != "create" || isNew(c["parent"]) || slices.ContainsFunc(blockers, isNew) {
			return max(i, 1)
		}
		if name, ok := c["id"].(string); ok {
			names[name] = true
		}
	}
	return len(calls)
}
