// Package defect lists the defects of engines for the dialect operations. It tests
// nothing.
package defect

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(
		graphDefects(), readingDefects(), positionDefects(), recordDefects(), clearDefects(), finishedDefects(),
		policyDefects(),
	)
}

// target is the trimmed id that an operation names: of the step to change, or
// of the one to add.
func target(op mutant.Object) string {
	if op.Says("type", "add") {
		if data := op.Get("step_data"); data != nil {
			return mutant.ID(data)
		}
		return ""
	}
	for _, name := range []string{"step_id", "stepID", "stepId", "id"} {
		if v := op.Get(name); v != nil && v.Kind == strictjson.String {
			return strings.TrimSpace(v.Text)
		}
	}
	return ""
}

// asked returns the operations of a kind in all replies.
func asked(c harness.Case, kind string) (list []mutant.Object) {
	for _, r := range c.Replies {
		for _, o := range mutant.Objects(r) {
			for _, op := range o.Items("operations") {
				if op.Says("type", kind) {
					list = append(list, op)
				}
			}
		}
	}
	return list
}

// oldRecord is the plan of the case; nil if it is unsound.
func oldRecord(c harness.Case) *plan.Plan {
	p, err := plan.DecodeRecord(c.Plan)
	if err != nil {
		return nil
	}
	return p
}

// rewritten is the case with its operations changed. old is the plan of
// the case.
func rewritten(c harness.Case, change func(op mutant.Object, old *plan.Plan)) harness.Case {
	return mutant.Decoded(c, plan.DecodeRecord, func(o mutant.Object, old *plan.Plan) {
		for _, op := range o.Items("operations") {
			change(op, old)
		}
	})
}

// updating changes operations before they are applied.
func updating(change func(op mutant.Object, old *plan.Plan)) mutant.Wrap {
	return mutant.Asking(func(c *harness.Case) { *c = rewritten(*c, change) })
}

// editing changes the outcome of what was applied, in place.
func editing(change func(e mutant.Edit)) mutant.Wrap {
	return mutant.Editing(plan.DecodeRecord, change)
}

// graphDefects are defects that make the plan impossible to
// execute.
func graphDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("takes-unknown-for-met", "accepts a dependency on an unknown step", loosened(unknownDependency)),
		mutant.New("accepts-update-on-itself", "accepts a step that depends on itself",
			loosened(func(id, dep string, _ *plan.Plan, _ []string) bool { return id == dep })),
		mutant.New("accepts-update-cycle", "accepts a modification that closes a cycle", loosened(closesCycle)),
		mutant.New("removes-needed", "removes a needed step and leaves the dependencies on it",
			mutant.By(removesNeeded(true))),
		mutant.New("removes-needed-edges", "removes a needed step and drops the dependencies on it",
			mutant.By(removesNeeded(false))),
		mutant.New("detaches-all-orphans", "drops dependencies on a removed step instead of bridging them",
			mutant.Under(func(p *harness.Profile) {
				if p.Orphans == harness.Bridge {
					p.Orphans = harness.Detach
				}
			})),
		mutant.New("shadows-completed", "adds a step with the id of a completed one", mutant.By(shadows)),
		mutant.New("reuses-old-ids", "reuses ids from the history for new steps", mutant.By(reusesOld)),
		mutant.New("no-step-limit", "ignores max_plan_steps", mutant.Asking(func(c *harness.Case) {
			if l := c.Limits.MaxPlanSteps; l != nil && *l > 0 {
				c.Limits.MaxPlanSteps = nil
			}
		})),
	}
}

// loosened accepts dependencies that are not sound.
func loosened(bad func(id, dep string, old *plan.Plan, added []string) bool) mutant.Wrap {
	return mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		var added []string
		for _, op := range asked(c, "add") {
			added = append(added, target(op))
		}
		want := map[string][]string{}
		out := right(rewritten(c, func(op mutant.Object, old *plan.Plan) {
			data, ok := op.Object("step_data")
			if !ok || !op.Says("type", "add", "modify") {
				return
			}
			deps := data.IDs("dependencies")
			if data.Filter("dependencies", func(v *strictjson.Value) bool {
				return bad(target(op), mutant.ID(v), old, added)
			}) != nil {
				want[target(op)] = deps
			}
		}), p)
		for id, deps := range want {
			if s := mutant.Find(out.Plan, id); s != nil && id != "" {
				s.Dependencies = deps
			}
		}
		return out
	})
}

func unknownDependency(id, dep string, old *plan.Plan, added []string) bool {
	return dep != id && mutant.Find(old, dep) == nil && !slices.Contains(added, dep)
}

func closesCycle(id, dep string, old *plan.Plan, _ []string) bool {
	if id == dep {
		return false
	}
	seen := map[string]bool{}
	var reaches func(from string) bool
	reaches = func(from string) bool {
		s := mutant.Find(old, from)
		if s == nil || seen[s.ID] {
			return false
		}
		seen[s.ID] = true
		return slices.ContainsFunc(s.Dependencies, func(d string) bool { return strings.TrimSpace(d) == id || reaches(d) })
	}
	return reaches(dep)
}

// removesNeeded takes the edges to removed steps out of the plan before the
// removal, and perhaps puts them back.
func removesNeeded(back bool) mutant.Way {
	return func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		old := oldRecord(c)
		if old == nil {
			return right(c, p)
		}
		var gone []string
		for _, op := range asked(c, "remove") {
			if s := mutant.Find(old, target(op)); s != nil && s.Status != plan.Completed {
				gone = append(gone, s.ID)
			}
		}
		loose, had := old.Clone(), map[string][]string{}
		for s := range mutant.Steps(loose) {
			had[s.ID] = slices.Clone(s.Dependencies)
			s.Dependencies = slices.DeleteFunc(s.Dependencies, func(d string) bool { return slices.Contains(gone, d) })
		}
		out := right(mutant.WithPlan(c, loose), p)
		if out.Plan == nil {
			return right(c, p)
		}
		for s := range mutant.Steps(out.Plan) {
			if now := loose.Step(s.ID); back && now != nil && slices.Equal(s.Dependencies, now.Dependencies) {
				s.Dependencies = had[s.ID]
			}
		}
		return out
	}
}

// shadows adds steps with ids of completed ones.
func shadows(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	const mark = "\u2063"
	out := right(rewritten(c, func(op mutant.Object, old *plan.Plan) {
		s := mutant.Find(old, target(op))
		if data, ok := op.Object("step_data"); ok && op.Says("type", "add") && s != nil && s.Status == plan.Completed {
			data.Set("id", mutant.Text(s.ID+mark))
		}
	}), p)
	for s := range mutant.Steps(out.Plan) {
		s.ID = strings.TrimSuffix(s.ID, mark)
	}
	for i := range out.Operations {
		out.Operations[i].StepID = strings.TrimSuffix(out.Operations[i].StepID, mark)
	}
	return out
}

func reusesOld(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old := oldRecord(c)
	if old == nil || len(old.Record.History) == 0 {
		return right(c, p)
	}
	bare := old.Clone()
	bare.Record.History = nil
	out := right(mutant.WithPlan(c, bare), p)
	if out.Plan != nil {
		out.Plan.Record.History = append(slices.Clone(old.Record.History), out.Plan.Record.History...)
	}
	return out
}

// readingDefects are defects in reading a reply.
func readingDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("empty-update-for-anything", "accepts any object as an empty update and raises the version",
			mutant.By(emptyUpdate)),
		mutant.New("counts-unchanged", "raises the version for an update that changes nothing", mutant.By(countsUnchanged)),
		mutant.New("chokes-on-null-operation", "crashes if an operation is null", mutant.Reading(func(reply string) string {
			for _, o := range mutant.Objects(reply) {
				for op := range o.Values("operations") {
					if op.Kind == strictjson.Null {
						panic("an operation is nil")
					}
				}
			}
			return reply
		})),
		mutant.New("ignores-rename", "ignores a new id in a modification and applies the rest",
			updating(func(op mutant.Object, _ *plan.Plan) {
				if data, ok := op.Object("step_data"); ok && op.Says("type", "modify") {
					data.Drop("id")
				}
			})),
		mutant.New("case-blind-types", "ignores case in the types of operations",
			updating(func(op mutant.Object, _ *plan.Plan) {
				if kind := op.Text("type"); kind != "" {
					op.Set("type", mutant.Text(strings.ToLower(kind)))
				}
			})),
	}
}

// bumped is an update that does nothing but count.
func bumped(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old := oldRecord(c)
	if old == nil {
		return right(c, p)
	}
	c.Replies = []harness.Reply{`{"plan_metadata":{"name":"another ` + "\u2063" + `"},"operations":[]}`}
	out := right(c, p)
	if out.Plan != nil {
		out.Plan.Record.Name = old.Record.Name
	}
	return out
}

func emptyUpdate(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if len(c.Replies) != 1 || oldRecord(c) == nil {
		return out
	}
	noList := out.Code == harness.MissingField && out.At != nil && *out.At == ""
	if noList || strings.TrimSpace(string(c.Replies[0])) == "null" {
		return bumped(right, c, p)
	}
	return out
}

func countsUnchanged(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	unchanged := func(o harness.OperationResult) bool { return o.Result == spec.Unchanged }
	if out.Code != harness.EmptyPatch || !slices.ContainsFunc(out.Operations, unchanged) || len(c.Replies) != 1 {
		return out
	}
	log := out.Operations
	out = bumped(right, c, p)
	out.Operations = log
	return out
}

func positionDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("reads-leading-digits", `reads the position "2abc" as 2`, updating(func(op mutant.Object, _ *plan.Plan) {
			text := op.Text("position")
			rest := strings.TrimLeft(text, "0123456789")
			if n, err := strconv.Atoi(strings.TrimSuffix(text, rest)); err == nil && rest != "" {
				op.Set("position", mutant.Number(n))
			}
		})),
		mutant.New("reorders-to-end", "moves a step to the end for every position",
			updating(func(op mutant.Object, old *plan.Plan) {
				if v := op.Get("position"); v != nil && v.Kind == strictjson.Number && op.Says("type", "reorder") {
					*v = mutant.Number(len(old.Steps) - 1)
				}
			})),
		mutant.New("counts-from-one", "counts positions from 1",
			updating(func(op mutant.Object, _ *plan.Plan) { lower(op) })),
		mutant.New("counts-before-taking-out", "counts positions before it takes the moved step out",
			updating(func(op mutant.Object, old *plan.Plan) {
				from := slices.IndexFunc(old.Steps, func(s plan.Step) bool { return strings.TrimSpace(s.ID) == target(op) })
				if op.Says("type", "reorder") && from >= 0 && position(op) > from {
					lower(op)
				}
			})),
		mutant.New("keeps-behind-dependencies", "rejects a move before a step that the moved step depends on",
			updating(refuseBefore)),
		mutant.New("clamps-positions", "moves a step to the end when the position is out of range",
			updating(func(op mutant.Object, old *plan.Plan) {
				if op.Says("type", "reorder") && position(op) >= len(old.Steps) {
					op.Set("position", mutant.Number(len(old.Steps)-1))
				}
			})),
	}
}

// position is where an operation puts a step, -1 where it says no integer.
func position(op mutant.Object) int {
	if v := op.Get("position"); v != nil && v.Kind == strictjson.Number {
		if n, err := strconv.Atoi(v.Text); err == nil {
			return n
		}
	}
	return -1
}

// lower lowers a positive position by one.
func lower(op mutant.Object) {
	if n := position(op); n > 0 {
		op.Set("position", mutant.Number(n-1))
	}
}

func refuseBefore(op mutant.Object, old *plan.Plan) {
	s, to := mutant.Find(old, target(op)), position(op)
	if s == nil || to < 0 || !op.Says("type", "reorder") {
		return
	}
	index := old.Index()
	if slices.ContainsFunc(s.Dependencies, func(d string) bool { return to <= index[d] && index[d] < index[s.ID] }) {
		op.Set("position", mutant.Number(index[s.ID]))
	}
}

// recordDefects are defects of versions and history.
func recordDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("version-per-operation", "raises the version once per operation", editing(func(e mutant.Edit) {
			for _, o := range e.Out.Operations {
				if o.Result == spec.Applied {
					e.New.Record.Version++
				}
			}
			e.New.Record.Version = max(e.New.Record.Version-1, e.Old.Record.Version+1)
		})),
		mutant.New("no-version-for-metadata", "changes name and description without raising the version",
			editing(func(e mutant.Edit) {
				if e.Out.UpdateType == "metadata" {
					e.New.Record.Version, e.New.Record.History = e.Old.Record.Version, e.Old.Record.History
				}
			})),
		mutant.New("shares-parameters", "shares nested parameters between the plan and its history",
			editing(func(e mutant.Edit) { past(e, newest(e), func(o mutant.Object) { shareParameters(e, o) }) })),
		mutant.New("shares-steps", "shares steps between the plan and its history",
			editing(func(e mutant.Edit) { past(e, newest(e), func(o mutant.Object) { shareTexts(e, o) }) })),
		mutant.New("rewrites-history", "renames the plan in history entries", editing(func(e mutant.Edit) {
			for i := range e.New.Record.History {
				past(e, i, func(o mutant.Object) { o.Set("name", mutant.Text(e.New.Record.Name)) })
			}
		})),
		mutant.New("nests-history", "keeps the history in each history entry", editing(func(e mutant.Edit) {
			past(e, newest(e), func(o mutant.Object) {
				o.Set("history", strictjson.Value{
					Kind:  strictjson.Array,
					Items: []strictjson.Value{{Kind: strictjson.Object, Members: slices.Clone(o.Members)}},
				})
			})
		})),
		mutant.New("forgets-reasons", "omits the reasons of operations from the outcome",
			mutant.Answering(func(out *harness.Outcome) {
				for i := range out.Operations {
					out.Operations[i].Reason = ""
				}
			})),
		mutant.New("files-no-reasons", "omits the reasons of operations from the history",
			editing(func(e mutant.Edit) { past(e, newest(e), forgetReasons) })),
		mutant.New("forgets-history", "keeps only the newest history entry", editing(func(e mutant.Edit) {
			h := e.New.Record.History
			e.New.Record.History = h[len(h)-1:]
		})),
	}
}

// forgetReasons drops the reasons of operations from the newest entry of the history.
func forgetReasons(o mutant.Object) {
	for _, op := range o.Items("operations") {
		op.Drop("reason")
	}
}

// newest is the place of the newest entry of the history.
func newest(e mutant.Edit) int { return len(e.New.Record.History) - 1 }

// past changes an entry of the history.
func past(e mutant.Edit, i int, change func(o mutant.Object)) {
	h := e.New.Record.History
	h[i] = mutant.Rewrite(h[i], change)
}

func shareParameters(e mutant.Edit, o mutant.Object) {
	for _, item := range o.Items("steps") {
		if s := e.New.Step(item.Text("id")); s != nil {
			if p := extraMember(s, "parameters"); p != nil && item.Get("parameters") != nil {
				item.Set("parameters", *p)
			}
		}
	}
}

func shareTexts(e mutant.Edit, o mutant.Object) {
	for _, item := range o.Items("steps") {
		if s := e.New.Step(item.Text("id")); s != nil && s.Description != "" {
			item.Set("description", mutant.Text(s.Description))
		}
	}
}

// extraMember returns a member of a step that only this dialect has, or nil.
func extraMember(s *plan.Step, name string) *strictjson.Value {
	doc, err := strictjson.Parse(s.Extra, harness.DefaultMaxDepth)
	if err != nil {
		return nil
	}
	return doc.Root.Get(name)
}
