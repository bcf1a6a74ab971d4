package defect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

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
		editing("keeps-duplicate-deps", "keeps duplicate dependencies", func(e mutant.Edit) {
			find := written(e.Case)
			for _, id := range e.Out.Warned(harness.WarnDuplicateDependency) {
				if item, ok := find(id); ok {
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
