package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// application applies a reply to a plan. It builds a new plan, so a rejection leaves no partial changes.
type application struct {
	*Ground
	limit *int   // max_plan_steps
	patch *patch // nil for a full plan
	steps []plan.Step

	written []*entry        // that give dependencies
	removed map[string]path // the places of removals, by id
	// mentioned are the ids of the reply: of a patch those of its lists, one after the other.
	mentioned []string
	warnings  harness.Notes
	repairs   []harness.Repair
	dropped   []string

	next *plan.Plan // of an accepted reply
	meta harness.Meta
}

// source returns the entry that wrote the dependencies of a step last, or nil.
func (a *application) source(id string) *entry {
	for _, e := range slices.Backward(a.written) {
		if e.id == id {
			return e
		}
	}
	return nil
}

func (e *entry) dependency(id string) path {
	return e.at.Member("dependencies").Item(max(0, slices.Index(e.dependencies, id)))
}

// applyPatch applies the patch. The title counts as a change like any other.
func (a *application) applyPatch(p *patch) *harness.Refusal {
	a.names.spellPatch(p)
	a.patch = p
	a.mentioned, a.written = ids(p.remove, p.update, p.add), make([]*entry, 0, len(p.update)+len(p.add))
	for _, step := range []func() *harness.Refusal{a.settle, a.remove, a.update, a.add, a.orphans} {
		if r := step(); r != nil {
			return r
		}
	}
	a.reset()
	next := &plan.Plan{Title: a.title(p.title), Steps: a.steps, VerificationPolicy: a.old.VerificationPolicy}
	return a.finish(next, "/remove_steps")
}

// stored returns a text as the profile stores it.
func (a *application) stored(text string) string { return spec.Stored(&a.profile)(text) }

// title is the reply's title, or the old one if that is blank.
func (a *application) title(said string) string {
	if said != "" {
		return a.stored(said)
	}
	return a.old.Title
}

// finish checks the new plan and counts what changed. empty is the place to blame if no step is left.
func (a *application) finish(next *plan.Plan, empty string) *harness.Refusal {
	if r := a.check(next, empty); r != nil {
		return r
	}
	a.warnConfusable(next)
	if knob.Sorts(&a.profile) {
		next.Steps = plan.Sorted(next.Steps)
	}
	if next.Equal(a.old) {
		return harness.RefuseAt(harness.EmptyPatch, "", "the reply changes nothing")
	}
	a.next, a.meta = next, a.count(next)
	return nil
}

// named returns the old ids that a patch updates or replaces, or that a full plan repeats.
func (a *application) named() []string {
	if a.patch != nil {
		return ids(a.patch.update)
	}
	return slices.DeleteFunc(slices.Clone(a.mentioned), func(id string) bool { return !a.names.has(id) })
}

func (a *application) count(next *plan.Plan) harness.Meta {
	m := harness.Meta{TruncatedAdd: len(a.dropped) > 0, Dropped: a.dropped}
	if m.Dropped == nil {
		m.Dropped = []string{}
	}
	for k := range next.Steps {
		s := &next.Steps[k]
		i := a.names.At(s.ID)
		switch {
		case i < 0:
			m.Added++
		case !s.Equal(a.old.Steps[i]):
			m.Updated++
		}
	}
	m.Removed = len(a.old.Steps) - (len(next.Steps) - m.Added)
	return m
}

func (a *application) remove() *harness.Refusal {
	for _, r := range a.patch.remove {
		i := a.names.At(r.id)
		switch {
		case i < 0 && knob.Find(spec.Knobs(), "unknown_removal").Get(a.profile) == harness.Reject:
			return refuse(harness.UnknownStep, r.at, "there is no step %q to remove", r.id)
		case i < 0:
			a.warnings.Add(harness.WarnUnknownRemove, r.id)
			continue
		case a.old.Steps[i].Status == plan.Done && !knob.Replaces(&a.profile):
			return refuse(harness.DoneImmutable, r.at, "the step %q is done and cannot be removed", r.id)
		}
		if a.removed == nil {
			a.removed = map[string]path{}
		}
		a.removed[r.id] = r.at
	}
	return nil
}

// update changes steps. a.steps has the indexes of the plan without the removed steps.
func (a *application) update() *harness.Refusal {
	steps := append(make([]plan.Step, 0, len(a.old.Steps)+len(a.patch.add)), a.old.Steps...)
	for k := range a.patch.update {
		u := &a.patch.update[k]
		i := a.names.At(u.id)
		if i < 0 {
			return refuse(harness.UnknownStep, u.at, "there is no step %q to update", u.id)
		}
		s := &steps[i]
		if s.Status == plan.Done && !knob.Replaces(&a.profile) {
			return refuse(harness.DoneImmutable, u.at, "the step %q is done and cannot be changed", u.id)
		}
		if u.description != nil {
			s.Description = a.stored(*u.description)
		}
		if u.dependencies != nil {
			s.Dependencies = a.write(u)
		}
		if u.tools != nil {
			s.ToolsExpected = u.tools
		}
	}
	a.steps = slices.DeleteFunc(steps, func(s plan.Step) bool { return a.isRemoved(s.ID) })
	return nil
}

// reset makes steps pending that need an updated one, by the knob dependents.
func (a *application) reset() {
	if !knob.Resets(&a.profile) {
		return
	}
	named, updated := collect.Set(ids(a.patch.update)), map[string]bool{}
	for i := range a.steps {
		s := &a.steps[i]
		if named[s.ID] && !s.Equal(a.old.Steps[a.names.At(s.ID)]) {
			updated[s.ID] = true
		}
	}
	for _, i := range knob.ToReset(&a.profile, a.steps, updated, plan.Done) {
		a.steps[i].Status = plan.Pending
	}
}

// write records the dependencies that the reply wrote for a step, and removes duplicates.
func (a *application) write(e *entry) []string {
	a.written = append(a.written, e)
	if repeated(e.dependencies) < 0 {
		return e.dependencies
	}
	a.warnings.Add(harness.WarnDuplicateDependency, e.id)
	return collect.Unique(e.dependencies)
}

// newStep is the step that an entry adds.
func (a *application) newStep(e *entry) plan.Step {
	return plan.Step{
		ID: e.id, Description: a.stored(*e.description), Dependencies: a.write(e), Status: plan.Pending,
		ToolsExpected: e.tools,
	}
}

// drop records a step that the limit leaves out.
func (a *application) drop(id string) {
	a.dropped = append(a.dropped, id)
	a.warnings.Add(harness.WarnTruncated, id)
}

// add appends new steps as far as the limit allows.
func (a *application) add() *harness.Refusal {
	adds := a.patch.add
	for _, n := range adds {
		if a.names.has(n.id) {
			return refuse(harness.DuplicateID, n.at, "the plan has a step %q already", n.id)
		}
	}
	room := len(adds)
	if a.limit != nil && room > 0 {
		if len(a.steps) > *a.limit {
			return harness.RefuseAt(harness.OverCapacity, "/add_steps",
				"the plan has %d steps before anything is added; max_plan_steps is %d", len(a.steps), *a.limit)
		}
		room = min(room, *a.limit-len(a.steps))
	}
	for i := range adds[:room] {
		a.steps = append(a.steps, a.newStep(&adds[i]))
	}
	for _, n := range adds[room:] {
		a.drop(n.id)
	}
	return nil
}

// orphans settles dependencies of open steps on removed steps, unless the reply wrote them.
func (a *application) orphans() *harness.Refusal {
	if len(a.removed) == 0 {
		return nil
	}
	closures := map[string][]string{}
	written := collect.Set(collect.Map(a.written, func(e *entry) string { return e.id }))
	for i := range a.steps {
		s := &a.steps[i]
		if written[s.ID] || s.Status == plan.Done {
			continue
		}
		k := slices.IndexFunc(s.Dependencies, a.isRemoved)
		if k < 0 {
			continue
		}
		switch a.profile.Orphans {
		case harness.Detach:
			s.Dependencies = slices.DeleteFunc(slices.Clone(s.Dependencies), a.isRemoved)
			a.warnings.Add(harness.WarnDetached, s.ID)
		case harness.Bridge:
			s.Dependencies = a.bridge(s.Dependencies, closures)
			a.warnings.Add(harness.WarnBridged, s.ID)
		default:
			d := s.Dependencies[k]
			return refuse(harness.MissingDependency, a.removed[d],
				"%q would be removed, but the step %q depends on it", d, s.ID)
		}
	}
	return nil
}

func (a *application) isRemoved(id string) bool {
	_, ok := a.removed[id]
	return ok
}

// bridge replaces each removed dependency by its own, transitively. Existing ones keep their places.
func (a *application) bridge(deps []string, closures map[string][]string) []string {
	have := make(map[string]bool, len(deps))
	for _, d := range deps {
		have[d] = !a.isRemoved(d)
	}
	var out []string
	for _, d := range deps {
		if !a.isRemoved(d) {
			out = append(out, d)
			continue
		}
		for _, e := range a.closure(d, closures) {
			if !have[e] {
				have[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// closure returns the remaining steps that a removed step needed, directly or through removed steps. Results are cached
// because chains of removed steps share them. It ends because the old plan has no cycle.
func (a *application) closure(id string, closures map[string][]string) []string {
	if list, ok := closures[id]; ok {
		return list
	}
	var list []string
	for _, d := range a.old.Steps[a.names.At(id)].Dependencies {
		if a.isRemoved(d) {
			list = append(list, a.closure(d, closures)...)
		} else {
			list = append(list, d)
		}
	}
	closures[id] = collect.Unique(list)
	return closures[id]
}

// check checks that a step is left, that dependencies exist, and that there is no cycle.
func (a *application) check(next *plan.Plan, empty string) *harness.Refusal {
	if len(next.Steps) == 0 {
		return harness.RefuseAt(harness.EmptyPlan, empty, "no step would be left")
	}
	if a.patch != nil && len(a.written) == 0 && len(a.removed) == 0 {
		return nil // the graph did not change
	}
	e, cycle := next.Graph()
	if e != nil {
		at := strictjson.PathTo(empty)
		if s := a.source(e.Step); s != nil {
			at = s.dependency(e.To)
		} else if removal, ok := a.removed[e.To]; ok {
			at = removal
		}
		if slices.Contains(a.dropped, e.To) {
			return refuse(harness.MissingDependency, at,
				"the step %q would depend on %q, which the reply gives, but which max_plan_steps (%d) leaves out", e.Step, e.To,
				*a.limit)
		}
		return refuse(harness.MissingDependency, at, "the step %q would depend on %q, which is not in the plan", e.Step, e.To)
	}
	if cycle != nil {
		return refuse(harness.DependencyCycle, a.blameCycle(cycle), "the steps would depend on each other: %s",
			strings.Join(append(cycle, cycle[0]), " → "))
	}
	return nil
}

// blameCycle points at the first edge of the cycle that the reply wrote.
func (a *application) blameCycle(cycle []string) path {
	for i, id := range cycle {
		if s := a.source(id); s != nil {
			return s.dependency(cycle[(i+1)%len(cycle)])
		}
	}
	return path{}
}
