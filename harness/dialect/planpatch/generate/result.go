package generate

import (
	"cmp"
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// carried is a plan while the edit is carried out.
type carried struct {
	steps          []plan.Step
	changed        bool
	kept           int // old steps that stay
	wanted         int // new steps asked for
	dropped        []string
	missing, cycle bool // among the dependencies of remaining steps
}

// patched carries the patch out as it is meant, and says what the rules refuse
// in the plan that comes out. There is little to decide here: the items say
// which steps they change, and to what.
func (d *draft) patched() (*plan.Plan, []effect) {
	r := carried{changed: d.doc.newTitle != "" && d.doc.newTitle != d.P.Title}
	r.steps = make([]plan.Step, len(d.P.Steps), len(d.P.Steps)+len(d.doc.adds))
	copy(r.steps, d.P.Steps)
	for _, list := range [2][]item{d.doc.updates, d.doc.silent} {
		for i := range list {
			if u := &list[i]; !u.ghost && u.at >= 0 {
				r.look(u)
				r.changed = u.change(&r.steps[u.at]) || r.changed
			}
		}
	}
	if len(d.lost) > 0 {
		d.adopt(r.steps)
	}
	for i := range r.steps {
		if d.removed[i] {
			r.changed = true
			continue
		}
		r.steps[r.kept] = r.steps[i]
		r.kept++
	}
	r.steps = r.steps[:r.kept]
	d.grow(&r)
	after := &plan.Plan{
		Title: cmp.Or(d.doc.newTitle, d.P.Title), Steps: r.steps,
		VerificationPolicy: d.P.VerificationPolicy,
	}
	return after, d.troubles(&r)
}

// look records errors in the dependencies of a remaining item.
func (r *carried) look(x *item) {
	r.missing = r.missing || x.edges == harness.MissingDependency
	r.cycle = r.cycle || x.edges == harness.DependencyCycle
}

// grow adds the new steps that fit.
func (d *draft) grow(r *carried) {
	cut := false
	for i := range d.doc.adds {
		a := &d.doc.adds[i]
		switch {
		case a.ghost:
			continue
		case d.limit > 0 && len(r.steps) >= d.limit:
			r.dropped = append(r.dropped, a.step.ID)
			cut = cut || a.edges == harness.DependencyCycle
		default:
			r.steps = append(r.steps, a.step)
			r.changed = true
			r.look(a)
		}
		r.wanted++
	}
	r.cycle = r.cycle && !cut
	for i := range r.steps {
		if len(r.dropped) == 0 || r.missing {
			break
		}
		for _, dep := range r.steps[i].Dependencies {
			r.missing = r.missing || slices.Contains(r.dropped, dep)
		}
	}
}

// troubles lists what the rules refuse in a patched plan.
func (d *draft) troubles(r *carried) (list []effect) {
	if r.wanted > 0 && d.limit > 0 && r.kept > d.limit {
		list = append(list, effect{at: onAdds, code: harness.OverCapacity})
	}
	if len(r.steps) == 0 {
		list = append(list, effect{at: onNothingLeft, code: harness.EmptyPlan})
	}
	return append(list, atTheEnd(r.missing, r.cycle, !r.changed)...)
}

// atTheEnd lists what the rules refuse in a plan that else is sound.
func atTheEnd(missing, cycle, same bool) (list []effect) {
	if missing {
		list = append(list, effect{at: onGraph, code: harness.MissingDependency})
	}
	if cycle {
		list = append(list, effect{at: onGraph, code: harness.DependencyCycle})
	}
	if same {
		list = append(list, effect{at: onNoChange, code: harness.EmptyPatch})
	}
	return list
}

// change gives a step the members that the update has.
func (u *item) change(s *plan.Step) bool {
	before := *s
	if u.has&hasDescription != 0 {
		s.Description = u.step.Description
	}
	if u.has&hasDependencies != 0 {
		s.Dependencies = u.step.Dependencies
	}
	if u.has&hasTools != 0 {
		s.ToolsExpected = u.step.ToolsExpected
	}
	return s.Description != before.Description || !slices.Equal(s.Dependencies, before.Dependencies) ||
		!slices.Equal(s.ToolsExpected, before.ToolsExpected)
}

// adopt settles the edges of the plan to steps that the edit takes away, in
// the steps whose dependencies it did not write: they go, or what stood behind
// the removed step takes their place. A dependency that a step has of its own
// stays where it stood.
func (d *draft) adopt(steps []plan.Step) {
	gone := map[string]int{}
	for i, r := range d.removed {
		if r {
			gone[d.P.Steps[i].ID] = i
		}
	}
	for i := range steps {
		if d.removed[i] || d.isDone(i) || !slices.ContainsFunc(steps[i].Dependencies,
			func(dep string) bool { _, ok := gone[dep]; return ok }) {
			continue
		}
		own := steps[i].Dependencies
		var deps []string
		var bridge func(dep string)
		bridge = func(dep string) {
			at, removed := gone[dep]
			switch {
			case !removed && !slices.Contains(own, dep) && !slices.Contains(deps, dep):
				deps = append(deps, dep)
			case removed && d.profile.Orphans == harness.Bridge:
				for _, behind := range d.P.Steps[at].Dependencies {
					bridge(behind)
				}
			}
		}
		for _, dep := range own {
			if _, removed := gone[dep]; removed {
				bridge(dep)
			} else {
				deps = append(deps, dep)
			}
		}
		steps[i].Dependencies = deps
	}
}
