package defect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// graphDefects are defects of dependencies.
func graphDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("accepts-self-dependency", "lets a step depend on itself",
			insteadOf(harness.DependencyCycle, unlooked(onlySelf))),
		mutant.New("accepts-cycle", "checks for missing dependencies but not for cycles",
			insteadOf(harness.DependencyCycle, unlooked(noneMissing))),
		mutant.Large("sees-only-short-cycles", "finds cycles of one or two steps but no longer ones",
			"the shortest cycle that is missed has three steps", insteadOf(harness.DependencyCycle, unlooked(onlyLong))),
		mutant.New("looks-for-cycles-of-new-steps", "finds cycles through added steps but not among old ones",
			insteadOf(harness.DependencyCycle, unseenCycle)),
		mutant.New("accepts-missing-dependency", "checks for cycles but not for missing dependencies",
			insteadOf(harness.MissingDependency, unlooked(acyclic))),
		mutant.New("drops-missing-dependencies", "drops dependencies on unknown steps without a warning",
			insteadOf(harness.MissingDependency, dropMissing)),
		mutant.New("misses-spaced-dependencies", "does not trim dependencies before it looks them up", mutant.By(missSpaced)),
		mutant.New("leaves-orphans", "leaves dangling dependencies when it removes a step",
			insteadOf(harness.MissingDependency, leaveOrphans)),
		mutant.New("passes-over-updated-orphans", "leaves dangling dependencies of updated steps and then rejects them",
			mutant.By(danglingUpdate)),
		mutant.New("loses-transitive-order", "drops dependencies on a removed step instead of bridging them",
			mutant.By(loseOrder)),
		mutant.New("keeps-duplicate-deps", "keeps duplicate dependencies", editing(keepDuplicates)),
		mutant.New("checks-before-truncating", "checks dependencies before it drops additions over the limit",
			insteadOf(harness.MissingDependency, checkThenCut)),
	}
}

// unlooked takes the dependencies that a reply writes as they are, if the plan
// that comes out passes a check that looks at less than it should.
func unlooked(sound func(*plan.Plan) bool) mutant.Way {
	const untitled = "\u2063untitled" // keeps what only changes dependencies from being empty
	return func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		old, _ := plan.Decode(c.Plan)
		out := right(redecoded(c, func(o mutant.Object, _ *plan.Plan) {
			if t := o.Get("title"); t == nil || strings.TrimSpace(t.Text) == "" {
				o.Set("title", mutant.Text(untitled))
			}
			for _, item := range steps(o) {
				if v := item.Get("dependencies"); v != nil && v.Kind == strictjson.Array {
					v.Items = nil
				}
			}
		}), p)
		if out.Plan == nil {
			return right(c, p)
		}
		if out.Plan.Title == untitled {
			out.Plan.Title = old.Title
		}
		for s := range mutant.Steps(out.Plan) {
			if item, ok := written(c, s.ID); ok && s.Status != plan.Done && item.Get("dependencies") != nil {
				s.Dependencies = spelled(old, item.IDs("dependencies"))
			}
		}
		if !sound(out.Plan) {
			return right(c, p)
		}
		return out
	}
}

// spelled returns ids each once, in the plan's spelling.
func spelled(p *plan.Plan, ids []string) (list []string) {
	for _, id := range ids {
		if s := mutant.Find(p, id); s != nil {
			id = s.ID
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

func noneMissing(p *plan.Plan) bool {
	_, missing := p.Missing()
	return !missing
}

func acyclic(p *plan.Plan) bool { return p.Cycle() == nil }

func onlySelf(p *plan.Plan) bool {
	q := p.Clone()
	for s := range mutant.Steps(q) {
		s.Dependencies = slices.DeleteFunc(s.Dependencies, func(d string) bool { return d == s.ID })
	}
	return noneMissing(q) && acyclic(q)
}

func onlyLong(p *plan.Plan) bool {
	for _, s := range p.Steps {
		for _, d := range s.Dependencies {
			if on := p.Step(d); on == nil || slices.Contains(on.Dependencies, s.ID) {
				return false
			}
		}
	}
	return true
}

// unseenCycle looks at what new steps lead to alone.
func unseenCycle(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	return unlooked(func(after *plan.Plan) bool {
		seen := map[string]bool{}
		var reach func(id string)
		reach = func(id string) {
			if s := after.Step(id); s != nil && !seen[id] {
				seen[id] = true
				for _, d := range s.Dependencies {
					reach(d)
				}
			}
		}
		for _, s := range after.Steps {
			if old.Step(s.ID) == nil {
				reach(s.ID)
			}
		}
		q := after.Clone()
		q.Steps = slices.DeleteFunc(q.Steps, func(s plan.Step) bool { return !seen[s.ID] })
		return noneMissing(after) && acyclic(q)
	})(right, c, p)
}

func dropMissing(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	return right(redecoded(c, func(o mutant.Object, old *plan.Plan) {
		known := slices.Concat(o.IDs("add_steps"), o.IDs("steps"))
		for _, item := range steps(o) {
			item.Filter("dependencies", func(v *strictjson.Value) bool {
				id := mutant.ID(v)
				return id != "" && (mutant.Find(old, id) == nil || o.Has("remove_steps", id)) && !slices.Contains(known, id)
			})
		}
	}), p)
}

// missSpaced refuses dependencies that would be found only when trimmed.
func missSpaced(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if out.Plan == nil {
		return out
	}
	for _, s := range out.Plan.Steps {
		item, ok := written(c, s.ID)
		if !ok || s.Status == plan.Done || item.Get("dependencies") == nil {
			continue
		}
		for _, d := range item.Get("dependencies").Items {
			if out.Plan.Step(d.Text) == nil {
				return refused(harness.MissingDependency)
			}
		}
	}
	return out
}

// leaveOrphans detaches what depends on removed steps, and ties it again.
func leaveOrphans(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	p.Orphans = harness.Detach
	out := right(c, p)
	for _, id := range out.Warned(harness.WarnDetached) {
		if s := old.Step(id); out.Plan != nil {
			out.Plan.Step(id).Dependencies = s.Dependencies
		}
	}
	unwarn(&out, harness.WarnDetached)
	return out
}

// danglingUpdate refuses where an orphan has an update without dependencies.
func danglingUpdate(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if out.Plan == nil || p.Orphans == harness.Reject {
		return out
	}
	for _, id := range slices.Concat(out.Warned(harness.WarnDetached), out.Warned(harness.WarnBridged)) {
		if item, ok := written(c, id); ok && item.Get("dependencies") == nil {
			return refused(harness.MissingDependency)
		}
	}
	return out
}

func loseOrder(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	if p.Orphans == harness.Detach {
		return right(c, p)
	}
	p.Orphans = harness.Detach
	out := right(c, p)
	unwarn(&out, harness.WarnDetached)
	return out
}

func keepDuplicates(e mutant.Edit) {
	for _, id := range e.Out.Warned(harness.WarnDuplicateDependency) {
		if item, ok := written(e.Case, id); ok {
			s := e.New.Step(id)
			s.Dependencies = nil
			for _, d := range item.IDs("dependencies") {
				s.Dependencies = append(s.Dependencies, spelled(e.Old, []string{d})...)
			}
		}
	}
}

// checkThenCut applies a patch without a limit, and cuts the plan afterwards.
func checkThenCut(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	limit := c.Limits.MaxPlanSteps
	c.Limits.MaxPlanSteps = nil
	out := right(c, p)
	if limit == nil || out.Plan == nil || len(out.Plan.Steps) <= *limit {
		return out
	}
	var dropped []string
	for _, s := range out.Plan.Steps[*limit:] {
		dropped = append(dropped, s.ID)
	}
	out.Plan.Steps = out.Plan.Steps[:*limit]
	out.Warnings = append(out.Warnings, harness.Warning{Code: harness.WarnTruncated, IDs: dropped})
	out.Meta = &harness.Meta{TruncatedAdd: true, Dropped: dropped}
	return out
}
