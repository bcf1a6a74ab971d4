package generate

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// result is what comes of reading a reply as one kind of document and applying
// it: the codes, or the plan.
type result struct {
	codes []harness.Code
	plan  *plan.Plan // nil where the rules leave it open
	tier  harness.Tier
	loose bool
}

func refused(codes ...harness.Code) result { return result{codes: codes} }

// patchResult is what comes of the draft's patch.
func (d *draft) patchResult() result {
	if code := d.unreadable(); code != "" {
		return refused(code)
	}
	if d.unsure() {
		return result{loose: true}
	}
	code, bent := d.misread()
	if code != "" {
		return refused(code)
	}
	p := d.patched()
	if codes := d.refusal(&p); codes != nil {
		return result{codes: codes}
	}
	after := &plan.Plan{Title: d.P.Title, Steps: p.steps, VerificationPolicy: d.P.VerificationPolicy}
	if d.doc.newTitle != "" {
		after.Title = d.doc.newTitle
	}
	return result{plan: after, tier: d.tier(bent)}
}

// patched is what becomes of the plan by the edit as it is meant.
type patched struct {
	steps   []plan.Step
	changed bool
	kept    int  // old steps that stay
	wanted  int  // new steps asked for
	missing bool // a written dependency leads nowhere
	noRoom  bool // the steps that stay exceed the limit
}

// patched carries the edit out. There is little to decide here: the items
// say which steps they change, and to what.
func (d *draft) patched() patched {
	r := patched{changed: d.doc.newTitle != "" && d.doc.newTitle != d.P.Title}
	r.steps = make([]plan.Step, len(d.P.Steps), len(d.P.Steps)+len(d.doc.adds))
	copy(r.steps, d.P.Steps)
	for _, list := range [2][]item{d.doc.updates, d.doc.silent} {
		for i := range list {
			if u := &list[i]; !u.ghost && u.at >= 0 {
				r.missing = r.missing || u.missing
				r.changed = u.change(&r.steps[u.at]) || r.changed
			}
		}
	}
	if d.doc.orphaned {
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
	return r
}

// grow adds the new steps that fit.
func (d *draft) grow(r *patched) {
	var dropped []string
	for i := range d.doc.adds {
		a := &d.doc.adds[i]
		switch {
		case a.ghost:
			continue
		case d.limit > 0 && len(r.steps) >= d.limit:
			dropped = append(dropped, a.step.ID)
			d.doc.cycle = d.doc.cycle && !a.cyclic
		default:
			r.steps = append(r.steps, a.step)
			r.changed = true
			r.missing = r.missing || a.missing
		}
		r.wanted++
	}
	r.noRoom = r.wanted > 0 && d.limit > 0 && r.kept > d.limit
	for i := range r.steps {
		if len(dropped) == 0 || r.missing {
			break
		}
		for _, dep := range r.steps[i].Dependencies {
			r.missing = r.missing || slices.Contains(dropped, dep)
		}
	}
}

// refusal returns the codes with which applying ends, in the order of the
// rules, or nil.
func (d *draft) refusal(p *patched) []harness.Code {
	doc := &d.doc
	switch {
	case doc.duplicate:
		return []harness.Code{harness.DuplicateID}
	case doc.conflict:
		return []harness.Code{harness.IDConflict}
	}
	if c := firstApply(doc.removes); c != "" {
		return []harness.Code{c}
	}
	if c := firstApply(doc.updates); c != "" || doc.replaceDone {
		return both(c, harness.DoneImmutable, doc.replaceDone)
	}
	if c := firstApply(doc.adds); c != "" || p.noRoom {
		return both(c, harness.OverCapacity, p.noRoom)
	}
	switch {
	case doc.doneOrphan, doc.orphaned && d.profile.Orphans == harness.Reject:
		return []harness.Code{harness.MissingDependency}
	case len(p.steps) == 0:
		return []harness.Code{harness.EmptyPlan}
	case p.missing || doc.cycle:
		c := harness.Code("")
		if p.missing {
			c = harness.MissingDependency
		}
		return both(c, harness.DependencyCycle, doc.cycle)
	case !p.changed:
		return []harness.Code{harness.EmptyPatch}
	}
	return nil
}

// both returns the codes of two faults of which either may be reported first.
func both(a, b harness.Code, hasB bool) (codes []harness.Code) {
	if a != "" {
		codes = append(codes, a)
	}
	if hasB && a != b {
		codes = append(codes, b)
	}
	return codes
}

func firstApply(items []item) harness.Code {
	for i := range items {
		if items[i].apply != "" {
			return items[i].apply
		}
	}
	return ""
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
		if d.removed[i] || d.isDone(i) || !slices.ContainsFunc(steps[i].Dependencies, func(dep string) bool { _, ok := gone[dep]; return ok }) {
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
