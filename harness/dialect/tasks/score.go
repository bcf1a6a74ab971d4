package tasks

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// The shares of tasks and edges that the calls of a reply affect.
const (
	lost     = "tasks_lost"
	again    = "tasks_done_again"
	reopened = "tasks_reopened"
	early    = "tasks_early"
	dangling = "edges_dangling"
)

// scored evaluates one turn after the other until a call is carried out.
func scored(c harness.Case, before *plan.Plan, p harness.Profile) dialect.Scored {
	if before == nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	old := spec.GraphOf(before)
	s := dialect.Tries(c, p, rules.Eval, func(raw harness.Reply) []harness.Danger {
		return demands(old, asWritten(c, p, raw))
	})
	if now := spec.GraphOf(s.First.Plan); now != nil {
		for i := range old.Tasks {
			if t := now.Find(old.Tasks[i].ID); t == nil || !t.Equal(&old.Tasks[i]) {
				s.Named = append(s.Named, old.Tasks[i].ID)
			}
		}
	}
	if s.First.Tier != harness.TierNone && len(c.Replies) > 0 {
		s.Items = counted(old, asWritten(c, p, c.Replies[0]))
	}
	return s
}

// asWritten is the outcome of a reply if every rule that protects tasks allowed it.
func asWritten(c harness.Case, p harness.Profile, raw harness.Reply) harness.Outcome {
	c.Replies, c.Limits.MaxPlanSteps = []harness.Reply{raw}, nil
	return rules.Eval(c, p.With(spec.Knobs(), "extra_fields=drop", "done_edit=allow", "reopen=allow", "delete_done=allow",
		"unknown_dependency=drop", "early=warn", "in_progress=any", "create_status=allow", "same_subject=allow",
		"delete_needed=unlink", "unchanged=allow", "batch=each"))
}

// demands lists what a reply does to completed tasks.
func demands(old *spec.Graph, o harness.Outcome) (list []harness.Danger) {
	now := spec.GraphOf(o.Plan)
	if now == nil {
		return nil
	}
	for i := range old.Tasks {
		t := &old.Tasks[i]
		switch n := now.Find(t.ID); {
		case !t.Done():
		case n == nil:
			list = append(list, harness.Danger{Kind: harness.DangerRemoval, Step: t.ID})
		case !n.Done():
			list = append(list, harness.Danger{Kind: harness.DangerEdit, Step: t.ID})
		case n.Subject != t.Subject || n.Description != t.Description:
			list = append(list, harness.Danger{Kind: harness.DangerRewrite, Step: t.ID})
		}
	}
	return list
}

// counted counts what a reply does to tasks and edges; nil if no call could be carried out.
func counted(old *spec.Graph, o harness.Outcome) dialect.Shares {
	now := spec.GraphOf(o.Plan)
	if now == nil {
		return nil
	}
	share := dialect.Shares{}
	finished := map[string]bool{}
	for i := range old.Tasks {
		t, n := &old.Tasks[i], now.Find(old.Tasks[i].ID)
		switch {
		case t.Done():
			finished[todos.Normal(t.Subject)] = true
			share.Count(reopened, n != nil && !n.Done())
		case t.Open():
			share.Count(lost, n == nil)
		}
	}
	for i := range now.Tasks {
		n := &now.Tasks[i]
		before := old.Find(n.ID)
		if before == nil {
			before = &spec.Task{Status: plan.Pending}
			share.Count(again, finished[todos.Normal(n.Subject)])
		}
		if n.Status != before.Status && (n.Done() || n.Status == plan.InProgress) {
			share.Count(early, slices.Contains(o.Warned(spec.WarnEarly), n.ID))
		}
		for _, id := range n.BlockedBy {
			if !slices.Contains(before.BlockedBy, id) {
				share.Count(dangling, false)
			}
		}
		if n.Parent != "" && n.Parent != before.Parent {
			share.Count(dangling, false)
		}
	}
	for range o.Warned(spec.WarnDropped) {
		share.Count(dangling, true)
	}
	return share
}
