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
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(
		graphDefects(), readingDefects(), positionDefects(), recordDefects(), clearDefects(), finishedDefects(),
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
	for _, name := range spec.IDNames() {
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

// decoded is the outcome of a case with its operations changed.
func decoded(r mutant.Run, change func(op mutant.Reply)) harness.Outcome {
	return r.Of(mutant.Decoded(r.Case, plan.DecodeRecord, func(o mutant.Reply) {
		for _, op := range o.Items("operations") {
			change(mutant.Reply{Object: op, Old: o.Old})
		}
	}))
}

// updating changes operations before they are applied.
func updating(name, text string, change func(op mutant.Reply)) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome { return decoded(r, change) })
}

// editing changes the outcome of what was applied, in place.
func editing(name, text string, change func(e mutant.Edit)) mutant.Defect {
	return mutant.Edits(name, text, plan.DecodeRecord, change)
}

// graphDefects are defects that make the plan impossible to
// execute.
func graphDefects() []mutant.Defect {
	return []mutant.Defect{
		loosened("takes-unknown-for-met", "accepts a dependency on an unknown step",
			func(id, dep string, old *plan.Plan, added []string) bool {
				return dep != id && mutant.Find(old, dep) == nil && !slices.Contains(added, dep)
			}),
		loosened("accepts-update-on-itself", "accepts a step that depends on itself",
			func(id, dep string, _ *plan.Plan, _ []string) bool { return id == dep }),
		loosened("accepts-update-cycle", "accepts a modification that closes a cycle", closesCycle),
		mutant.Does("removes-needed", "removes a needed step and leaves the dependencies on it", removesNeeded(true)),
		mutant.Does("removes-needed-edges", "removes a needed step and drops the dependencies on it", removesNeeded(false)),
		mutant.Does("shadows-completed", "adds a step with the id of a completed one", shadows),
		mutant.Does("reuses-old-ids", "reuses ids from the history for new steps", reusesOld),
		mutant.Unlimited("no-step-limit", "ignores max_plan_steps", func(l *harness.Limits) **int { return &l.MaxPlanSteps }),
	}
}

// loosened accepts dependencies that are not sound.
func loosened(name, text string, bad func(id, dep string, old *plan.Plan, added []string) bool) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		added := collect.Map(asked(r.Case, "add"), target)
		want := map[string][]string{}
		out := decoded(r, func(op mutant.Reply) {
			data, ok := op.Inner("step_data")
			if !ok || !op.Says("type", "add", "modify") {
				return
			}
			deps := data.IDs("dependencies")
			if data.Filter("dependencies", func(v *strictjson.Value) bool {
				return bad(target(op.Object), mutant.ID(v), op.Old, added)
			}) != nil {
				want[target(op.Object)] = deps
			}
		})
		for id, deps := range want {
			if s := mutant.Find(out.Plan, id); s != nil && id != "" {
				s.Dependencies = deps
			}
		}
		return out
	})
}

func closesCycle(id, dep string, old *plan.Plan, _ []string) bool {
	s := mutant.Find(old, dep)
	return id != dep && s != nil && plan.Needing(old.Steps, map[string]bool{id: true})[s.ID]
}

// removesNeeded takes the edges to removed steps out of the plan before the
// removal, and perhaps puts them back.
func removesNeeded(back bool) mutant.Way {
	return func(r mutant.Run) harness.Outcome {
		old := oldRecord(r.Case)
		if old == nil {
			return r.Eval()
		}
		var gone []string
		for _, op := range asked(r.Case, "remove") {
			if s := mutant.Find(old, target(op)); s != nil && s.Status != plan.Completed {
				gone = append(gone, s.ID)
			}
		}
		loose, had := old.Clone(), map[string][]string{}
		for s := range mutant.Steps(loose) {
			had[s.ID] = slices.Clone(s.Dependencies)
			s.Dependencies = slices.DeleteFunc(s.Dependencies, func(d string) bool { return slices.Contains(gone, d) })
		}
		out := r.Of(mutant.WithPlan(r.Case, loose))
		if out.Plan == nil {
			return r.Eval()
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
func shadows(r mutant.Run) harness.Outcome {
	const mark = "\u2063"
	out := decoded(r, func(op mutant.Reply) {
		s := op.Step(target(op.Object))
		if data, ok := op.Inner("step_data"); ok && op.Says("type", "add") && s != nil && s.Status == plan.Completed {
			data.Set("id", mutant.Text(s.ID+mark))
		}
	})
	for s := range mutant.Steps(out.Plan) {
		s.ID = strings.TrimSuffix(s.ID, mark)
	}
	for i := range out.Operations {
		out.Operations[i].StepID = strings.TrimSuffix(out.Operations[i].StepID, mark)
	}
	return out
}

func reusesOld(r mutant.Run) harness.Outcome {
	old := oldRecord(r.Case)
	if old == nil || len(old.Record.History) == 0 {
		return r.Eval()
	}
	bare := old.Clone()
	bare.Record.History = nil
	out := r.Of(mutant.WithPlan(r.Case, bare))
	if out.Plan != nil {
		out.Plan.Record.History = append(slices.Clone(old.Record.History), out.Plan.Record.History...)
	}
	return out
}

// readingDefects are defects in reading a reply.
func readingDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("empty-update-for-anything", "accepts any object as an empty update and raises the version",
			func(r mutant.Run) harness.Outcome {
				out := r.Eval()
				noList := out.Code == harness.MissingField && out.At != nil && *out.At == ""
				if len(r.Replies) == 1 && (noList || strings.TrimSpace(string(r.Replies[0])) == "null") {
					return bumped(r)
				}
				return out
			}),
		mutant.Accepts("keeps-record-instead", plan.DecodeRecord),
		mutant.Does("applies-empty-update", "applies an update in which nothing is applied",
			func(r mutant.Run) harness.Outcome {
				was := r.Eval()
				if was.Code != harness.EmptyPatch || len(r.Replies) != 1 {
					return was
				}
				out := bumped(r)
				out.Plan, out.Operations, out.UpdateType = oldRecord(r.Case), was.Operations, was.UpdateType
				out.Repairs, out.Warnings = was.Repairs, was.Warnings
				return out
			}),
		mutant.Reads("chokes-on-null-operation", "crashes if an operation is null", func(reply string) string {
			for _, o := range mutant.Objects(reply) {
				for op := range o.Values("operations") {
					if op.Kind == strictjson.Null {
						panic("an operation is nil")
					}
				}
			}
			return reply
		}),
		updating("ignores-rename", "ignores a new id in a modification and applies the rest", func(op mutant.Reply) {
			if data, ok := op.Inner("step_data"); ok && op.Says("type", "modify") {
				data.Drop("id")
			}
		}),
		updating("case-blind-types", "ignores case in the types of operations", func(op mutant.Reply) {
			if kind := op.Text("type"); kind != "" {
				op.Set("type", mutant.Text(strings.ToLower(kind)))
			}
		}),
	}
}

// bumped is an update that does nothing but count.
func bumped(r mutant.Run) harness.Outcome {
	old := oldRecord(r.Case)
	if old == nil {
		return r.Eval()
	}
	r.Replies = []harness.Reply{`{"plan_metadata":{"name":"another ` + "\u2063" + `"},"operations":[]}`}
	out := r.Eval()
	if out.Plan != nil {
		out.Plan.Record.Name = old.Record.Name
	}
	return out
}

func positionDefects() []mutant.Defect {
	return []mutant.Defect{
		updating("reads-leading-digits", `reads the position "2abc" as 2`, func(op mutant.Reply) {
			text := op.Text("position")
			rest := strings.TrimLeft(text, "0123456789")
			if n, err := strconv.Atoi(strings.TrimSuffix(text, rest)); err == nil && rest != "" {
				op.Set("position", mutant.Number(n))
			}
		}),
		updating("reorders-to-end", "moves a step to the end for every position", func(op mutant.Reply) {
			if v := op.Get("position"); v != nil && v.Kind == strictjson.Number && op.Says("type", "reorder") {
				*v = mutant.Number(len(op.Old.Steps) - 1)
			}
		}),
		updating("counts-from-one", "counts positions from 1", func(op mutant.Reply) { lower(op.Object) }),
		updating("counts-before-taking-out", "counts positions before it takes the moved step out", func(op mutant.Reply) {
			named := func(s plan.Step) bool { return strings.TrimSpace(s.ID) == target(op.Object) }
			from := slices.IndexFunc(op.Old.Steps, named)
			if op.Says("type", "reorder") && from >= 0 && position(op.Object) > from {
				lower(op.Object)
			}
		}),
		updating("clamps-positions", "moves a step to the end when the position is out of range", func(op mutant.Reply) {
			if op.Says("type", "reorder") && position(op.Object) >= len(op.Old.Steps) {
				op.Set("position", mutant.Number(len(op.Old.Steps)-1))
			}
		}),
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

// recordDefects are defects of versions and history.
func recordDefects() []mutant.Defect {
	return []mutant.Defect{
		editing("version-per-operation", "raises the version once per operation", func(e mutant.Edit) {
			for _, o := range e.Out.Operations {
				if o.Result == spec.Applied {
					e.New.Record.Version++
				}
			}
			e.New.Record.Version = max(e.New.Record.Version-1, e.Old.Record.Version+1)
		}),
		editing("no-version-for-metadata", "changes name and description without raising the version", func(e mutant.Edit) {
			if e.Out.UpdateType == "metadata" {
				e.New.Record.Version, e.New.Record.History = e.Old.Record.Version, e.Old.Record.History
			}
		}),
		editing("shares-steps", "shares steps between the plan and its history", func(e mutant.Edit) {
			past(e, newest(e), func(o mutant.Object) {
				for _, item := range o.Items("steps") {
					if s := e.New.Step(item.Text("id")); s != nil && s.Description != "" {
						item.Set("description", mutant.Text(s.Description))
					}
				}
			})
		}),
		editing("rewrites-history", "renames the plan in history entries", func(e mutant.Edit) {
			for i := range e.New.Record.History {
				past(e, i, func(o mutant.Object) { o.Set("name", mutant.Text(e.New.Record.Name)) })
			}
		}),
		editing("nests-history", "keeps the history in each history entry", func(e mutant.Edit) {
			past(e, newest(e), func(o mutant.Object) {
				o.Set("history", strictjson.Value{
					Kind:  strictjson.Array,
					Items: []strictjson.Value{{Kind: strictjson.Object, Members: slices.Clone(o.Members)}},
				})
			})
		}),
		mutant.Answers("forgets-reasons", "omits the reasons of operations from the outcome", func(out *harness.Outcome) {
			for i := range out.Operations {
				out.Operations[i].Reason = ""
			}
		}),
		editing("files-no-reasons", "omits the reasons of operations from the history", func(e mutant.Edit) {
			past(e, newest(e), func(o mutant.Object) {
				for _, op := range o.Items("operations") {
					op.Drop("reason")
				}
			})
		}),
		editing("forgets-history", "keeps only the newest history entry", func(e mutant.Edit) {
			h := e.New.Record.History
			e.New.Record.History = h[len(h)-1:]
		}),
	}
}

// newest is the place of the newest entry of the history.
func newest(e mutant.Edit) int { return len(e.New.Record.History) - 1 }

// past changes an entry of the history.
func past(e mutant.Edit, i int, change func(o mutant.Object)) {
	h := e.New.Record.History
	h[i] = mutant.Rewrite(h[i], change)
}
