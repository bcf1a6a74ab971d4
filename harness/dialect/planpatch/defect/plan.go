package defect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// resultDefects are defects of the new plan and of the report about it.
func resultDefects() []mutant.Defect {
	return []mutant.Defect{
		insteadOf("applies-empty-patch", "applies a patch that changes nothing",
			harness.EmptyPatch, func(r mutant.Run) harness.Outcome {
				old, _ := plan.Decode(r.Plan)
				return harness.Outcome{Verdict: harness.Applied, Plan: old}
			}),
		insteadOf("accepts-empty-plan", "lets a patch remove every step",
			harness.EmptyPlan, func(r mutant.Run) harness.Outcome {
				old, _ := plan.Decode(r.Plan)
				old.Steps = []plan.Step{}
				return harness.Outcome{Verdict: harness.Applied, Plan: old}
			}),
		mutant.Does("blank-title-erases", "clears the title when the reply's title is blank", func(r mutant.Run) harness.Outcome {
			const blank = "\u2063blank"
			out := decoded(r, func(o mutant.Reply) {
				if v := o.Get("title"); v != nil && v.Kind == strictjson.String && strings.TrimSpace(v.Text) == "" {
					*v = mutant.Text(blank)
				}
			})
			if out.Plan != nil && out.Plan.Title == blank {
				out.Plan.Title = ""
			}
			return out
		}),
		editing("ignores-title-only", "treats a patch that changes only the title as empty", func(e edit) {
			title := e.Old.Title
			e.Old.Title = e.New.Title
			if title != e.New.Title && e.Old.Equal(e.New) {
				*e.Out = refused(harness.EmptyPatch)
			}
		}),
		decoding("resets-dependencies", "clears the dependencies of an updated step when the update has none",
			func(o mutant.Reply) {
				for _, item := range o.Items("update_steps") {
					if item.Get("dependencies") == nil {
						item.Set("dependencies", mutant.Texts())
					}
				}
			}),
		stepwise("resets-status", "resets an updated step to pending", func(e edit, s *plan.Step) {
			if old := e.Old.Step(s.ID); old != nil && s.Status != plan.Done && !s.Equal(*old) {
				s.Status = plan.Pending
			}
		}),
		editing("loses-verification-policy", "drops the verification policy of the plan",
			func(e edit) { e.New.VerificationPolicy = "" }),
		stepwise("loses-unknown-members", "drops unknown members of steps",
			func(_ edit, s *plan.Step) { s.Extra = nil }),
		editing("sorts-steps", "sorts the steps by id", func(e edit) {
			slices.SortStableFunc(e.New.Steps, func(a, b plan.Step) int { return strings.Compare(a.ID, b.ID) })
		}),
		editing("adds-to-front", "inserts new steps before the others", func(e edit) {
			if e.Out.Rung == harness.RungFullPlan {
				return
			}
			order(e.New, func(s plan.Step) int { return collect.One(e.Old.Step(s.ID) != nil) })
		}),
		editing("integers-first", "moves integer ids to the front, like the keys of a JavaScript object",
			func(e edit) {
				order(e.New, func(s plan.Step) int {
					if n, err := strconv.Atoi(s.ID); err == nil && n >= 0 && strconv.Itoa(n) == s.ID {
						return n
					}
					return 1 << 40
				})
			}),
		stepwise("cuts-long-descriptions", "cuts descriptions at 255 characters", func(_ edit, s *plan.Step) {
			const most = 255
			if utf8.RuneCountInString(s.Description) > most {
				s.Description = string([]rune(s.Description)[:most])
			}
		}),
		stepwise("squeezes-white-space", "replaces repeated white space in descriptions with one space",
			func(_ edit, s *plan.Step) {
				s.Description = strings.Join(strings.Fields(s.Description), " ")
			}),
		mutant.Answers("forgets-warnings", "gives no warnings",
			func(out *harness.Outcome) { out.Warnings = []harness.Warning{} }),
		editing("miscounts-updates", "reports every step that the reply names as updated", func(e edit) {
			if e.Out.Rung == harness.RungFullPlan || e.Out.Meta == nil {
				return
			}
			meta := *e.Out.Meta
			meta.Updated = 0
			for _, s := range e.New.Steps {
				if _, ok := e.written(s.ID); ok && e.Old.Step(s.ID) != nil {
					meta.Updated++
				}
			}
			e.Out.Meta, e.Out.Events = &meta, nil
		}),
		mutant.Answers("wrong-code", "rejects an update of an unknown step with missing_dependency",
			func(out *harness.Outcome) {
				if out.Code == harness.UnknownStep {
					out.Code = harness.MissingDependency
				}
				for i := range out.Events {
					if out.Events[i].Code == harness.UnknownStep {
						out.Events[i].Code = harness.MissingDependency
					}
				}
			}),
		mutant.Answers("blames-from-one", "counts list items from 1 in paths of errors", func(out *harness.Outcome) {
			if out.At == nil {
				return
			}
			at := pointerIndex.ReplaceAllStringFunc(*out.At, func(token string) string {
				n, _ := strconv.Atoi(token[1:])
				return "/" + strconv.Itoa(n+1)
			})
			out.At = &at
		}),
	}
}

// order puts the steps of a plan in the order of their ranks.
func order(p *plan.Plan, rank func(s plan.Step) int) {
	slices.SortStableFunc(p.Steps, func(a, b plan.Step) int { return rank(a) - rank(b) })
}

var pointerIndex = regexp.MustCompile(`/\d+`)

// finishedDefects are defects by which finished work is lost, changed or forged.
func finishedDefects() []mutant.Defect {
	return []mutant.Defect{
		insteadOf("spelled-done", `removes and changes finished steps with a misspelled status ("Done", "completed")`,
			harness.InvalidPlan, spelledDone),
		insteadOf("updates-done-steps", "updates finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string { return o.IDs("update_steps") })),
		insteadOf("removes-done-steps", "removes finished steps",
			harness.DoneImmutable, unprotected(func(o mutant.Object) []string {
				return slices.DeleteFunc(o.IDs("remove_steps"), func(id string) bool { return o.Has("add_steps", id) })
			})),
		stepwise("accepts-forged-done", "accepts the status done of an added step", func(e edit, s *plan.Step) {
			if e.Out.Rung == harness.RungFullPlan || e.Old.Step(s.ID) != nil {
				return
			}
			if item, ok := e.written(s.ID); ok && strings.EqualFold(item.Text("status"), string(plan.Done)) {
				s.Status = plan.Done
			}
		}),
		mutant.Follows("done-by-id-only", "keeps only the finished steps that a full plan names", spec.Knobs(),
			"carry_over=by_id"),
	}
}

// spelledDone takes a misspelled done status for an open one.
func spelledDone(r mutant.Run) harness.Outcome {
	said := map[string]plan.Status{}
	r.Plan = mutant.Rewrite(r.Plan, func(o mutant.Object) {
		for _, item := range o.Items("steps") {
			v := item.Get("status")
			if v == nil || v.Text == string(plan.Done) || !meansDone(v.Text) {
				continue
			}
			if i := item.Get("id"); i != nil {
				said[i.Text] = plan.Status(v.Text)
			}
			*v = mutant.Text(string(plan.Pending))
		}
	})
	out := r.Eval()
	for s := range mutant.Steps(out.Plan) {
		if status, ok := said[s.ID]; ok {
			s.Status = status
		}
	}
	return out
}

// meansDone reports whether a person would read the status as done.
func meansDone(status string) bool {
	s := strings.ToLower(strings.TrimSpace(status))
	return s == "done" || s == "completed"
}

// unprotected applies the first reply as if the done steps that it names were not.
func unprotected(named func(o mutant.Object) []string) mutant.Way {
	return mutant.Reopened(plan.Decode, func(c harness.Case) []string { return named(first(c)) }, plan.Done,
		plan.InProgress, plan.Done)
}

// graphDefects are defects of dependencies.
func graphDefects() []mutant.Defect {
	return []mutant.Defect{
		insteadOf("accepts-self-dependency", "lets a step depend on itself",
			harness.DependencyCycle, unlooked(func(p *plan.Plan) bool {
				q := p.Clone()
				for s := range mutant.Steps(q) {
					s.Dependencies = slices.DeleteFunc(s.Dependencies, func(d string) bool { return d == s.ID })
				}
				return noneMissing(q) && acyclic(q)
			})),
		insteadOf("accepts-cycle", "checks for missing dependencies but not for cycles",
			harness.DependencyCycle, unlooked(noneMissing)),
		insteadOf("accepts-missing-dependency", "checks for cycles but not for missing dependencies",
			harness.MissingDependency, unlooked(acyclic)),
		insteadOf("leaves-orphans", "leaves dangling dependencies when it removes a step",
			harness.MissingDependency, func(r mutant.Run) harness.Outcome {
				old, _ := plan.Decode(r.Plan)
				r.Profile.Orphans = harness.Detach
				out := r.Eval()
				if out.Plan != nil {
					for _, id := range out.Warned(harness.WarnDetached) {
						out.Plan.Step(id).Dependencies = old.Step(id).Dependencies
					}
				}
				unwarn(&out, harness.WarnDetached)
				return out
			}),
		editing("keeps-duplicate-deps", "keeps duplicate dependencies", func(e edit) {
			for _, id := range e.Out.Warned(harness.WarnDuplicateDependency) {
				if item, ok := e.written(id); ok {
					s := e.New.Step(id)
					s.Dependencies = nil
					for _, d := range item.IDs("dependencies") {
						s.Dependencies = append(s.Dependencies, spelled(e.Old, []string{d})...)
					}
				}
			}
		}),
	}
}

// unlooked takes the dependencies that a reply writes as they are, if the plan
// that comes out passes a check that looks at less than it should.
func unlooked(sound func(*plan.Plan) bool) mutant.Way {
	const untitled = "\u2063untitled" // keeps what only changes dependencies from being empty
	return func(r mutant.Run) harness.Outcome {
		old, _ := plan.Decode(r.Plan)
		out := decoded(r, func(o mutant.Reply) {
			if t := o.Get("title"); t == nil || strings.TrimSpace(t.Text) == "" {
				o.Set("title", mutant.Text(untitled))
			}
			for _, item := range steps(o.Object) {
				if v := item.Get("dependencies"); v != nil && v.Kind == strictjson.Array {
					v.Items = nil
				}
			}
		})
		if out.Plan == nil {
			return r.Eval()
		}
		if out.Plan.Title == untitled {
			out.Plan.Title = old.Title
		}
		find := written(r.Case)
		for s := range mutant.Steps(out.Plan) {
			if item, ok := find(s.ID); ok && s.Status != plan.Done && item.Get("dependencies") != nil {
				s.Dependencies = spelled(old, item.IDs("dependencies"))
			}
		}
		if !sound(out.Plan) {
			return r.Eval()
		}
		return out
	}
}

// spelled returns ids each once, in the plan's spelling.
func spelled(p *plan.Plan, ids []string) []string {
	return collect.Unique(collect.Map(ids, func(id string) string {
		if s := mutant.Find(p, id); s != nil {
			return s.ID
		}
		return id
	}))
}

func noneMissing(p *plan.Plan) bool {
	_, missing := p.Missing()
	return !missing
}

func acyclic(p *plan.Plan) bool { return p.Cycle() == nil }
