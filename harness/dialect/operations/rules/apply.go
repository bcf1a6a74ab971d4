package rules

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// session is the plan and its results while replies are applied to it.
type session struct {
	profile harness.Profile
	// reorderDone says whether a completed step may be moved.
	reorderDone string
	stored      func(text string) string
	limit       *int // max_plan_steps
	plan        *plan.Plan
	results     []strictjson.Member
	parser      *strictjson.Parser // of the results, to be released
	// given are the ids of the history and of the plan, trimmed: they are never free again.
	given map[string]bool
}

// change is one update under way. It works on a list of its own, and replaces
// steps instead of writing to them; the session takes it over if anything
// applied.
type change struct {
	*session
	steps   []*plan.Step
	stands  map[string]*plan.Step // the plan as it is now, by id
	spaced  []string              // ids of the plan with white space round them
	needed  map[string]int        // how many steps depend on an id
	written map[string]bool       // steps whose dependencies the update wrote
	nextID  int                   // no step_N with a smaller N is free
	log     []entry
	cleared []string // steps whose results go
	kinds
}

// entry is the record of one operation with its warnings whole.
type entry struct {
	harness.OperationResult
	warnings []harness.Warning
}

// kinds is the set of applied kinds of changes.
type kinds struct{ metadata, structure, content bool }

// String names the update type.
func (k kinds) String() string {
	switch k {
	case kinds{}:
		return "none"
	case kinds{metadata: true}:
		return "metadata"
	case kinds{structure: true}:
		return "structure"
	case kinds{content: true}:
		return "content"
	}
	return "mixed"
}

func (s *session) newChange() *change {
	n := len(s.plan.Steps)
	c := &change{
		session: s, steps: make([]*plan.Step, n), nextID: 1,
		stands: make(map[string]*plan.Step, n), needed: map[string]int{},
		written: map[string]bool{},
	}
	for i := range s.plan.Steps {
		step := &s.plan.Steps[i]
		trimmed := strings.TrimSpace(step.ID)
		if trimmed != step.ID {
			c.spaced = append(c.spaced, step.ID)
		}
		c.steps[i], c.stands[step.ID], c.given[trimmed] = step, step, true
		c.count(step.Dependencies, 1)
	}
	return c
}

func (c *change) count(deps []string, by int) {
	for _, d := range deps {
		c.needed[d] += by
	}
}

// verdict is the result of an operation: it failed, changed nothing, or
// applied.
type verdict struct {
	failure   *failure
	unchanged bool
	id        string // of the step
	warnings  []harness.Warning
}

func (v *verdict) warn(code string, ids ...string) {
	v.warnings = append(v.warnings, harness.Warning{Code: code, IDs: ids})
}

// operate applies one operation and logs it. What failed has no warnings, for
// nothing was done.
func (c *change) operate(op *operation, malformed *failure) *failure {
	r := verdict{failure: malformed, id: c.asked(op)}
	if malformed == nil {
		r = c.dispatch(op)
		r.warnings = append(harness.UnknownFields(op.unused), r.warnings...)
	}
	result := spec.Applied
	switch {
	case r.failure != nil:
		result, r.warnings = string(r.failure.Code), nil
	case r.unchanged:
		result = spec.Unchanged
	}
	c.note(op, r.id, result, r.warnings)
	return r.failure
}

// note logs an operation on a step with its result.
func (c *change) note(op *operation, id, result string, warnings []harness.Warning) {
	e := entry{harness.OperationResult{Type: op.kind, StepID: id, Result: result, Reason: op.reason}, warnings}
	for _, w := range warnings {
		if !slices.Contains(e.Warnings, w.Code) {
			e.Warnings = append(e.Warnings, w.Code)
		}
	}
	c.log = append(c.log, e)
}

func (c *change) dispatch(op *operation) verdict {
	if op.kind == kindAdd {
		return c.add(op)
	}
	r := verdict{id: c.spell(op.id)}
	step := c.stands[r.id]
	switch {
	case step == nil:
		r.failure = fail(harness.UnknownStep, "", "there is no step %q", r.id)
	case step.Status == plan.Completed && c.protects(op):
		r.failure = fail(harness.DoneImmutable, "", "the step %q is completed and cannot be changed", r.id)
	case op.kind == kindModify:
		c.modify(op, step, &r)
	case op.kind == kindRemove:
		c.remove(step, &r)
	default:
		c.reorder(op, step, &r)
	}
	return r
}

// protects reports whether the rules reject an operation on a completed step.
func (c *change) protects(op *operation) bool {
	if op.kind == kindReorder {
		return c.reorderDone == harness.Reject
	}
	return !knob.Replaces(&c.profile)
}

// asked returns the id of the step that an operation is about, as far as it was
// read: of an added one the id that it asks for.
func (c *change) asked(op *operation) string {
	if op.kind == kindAdd && op.data.id != nil {
		return c.spell(*op.data.id)
	}
	return c.spell(op.id)
}

// spell returns the id in the plan's own spelling, or trimmed if the plan has
// no such step.
func (c *change) spell(id string) string {
	t := strings.TrimSpace(id)
	for _, exact := range [...]string{id, t} {
		if c.stands[exact] != nil {
			return exact
		}
	}
	for _, s := range c.spaced {
		if strings.TrimSpace(s) == t && c.stands[s] != nil {
			return s
		}
	}
	return t
}

// add puts a new step into the plan.
func (c *change) add(op *operation) verdict {
	r := verdict{id: c.asked(op)}
	if len(op.data.unknown) > 0 {
		if c.profile.ExtraFields != harness.Drop {
			r.failure = extraField(op.data.unknown[0], "a step has no member %q")
			return r
		}
		r.warn(harness.WarnUnknownField, op.data.unknown...)
	}
	if r.failure = c.outOfRange(op, c.steps); r.failure != nil {
		return r
	}
	id := r.id
	switch {
	case op.data.id == nil:
		id = c.generate()
	case !c.free(id):
		r.failure = fail(harness.DuplicateID, "", "the id %q is or was given to another step", id)
		return r
	}
	if c.limit != nil && len(c.steps) >= *c.limit {
		r.failure = fail(harness.OverCapacity, "", "the plan has %d steps; max_plan_steps is %d", len(c.steps), *c.limit)
		return r
	}
	step := &plan.Step{ID: id, Status: plan.Pending}
	if step.Dependencies, r.failure = c.dependencies(op.data.dependencies, id, &r); r.failure != nil {
		return r
	}
	r.id = id
	op.data.fill(step, c.stored)
	if s := op.data.status; s != nil && plan.Status(*s) != plan.Pending {
		r.warn(harness.WarnStatusForced, id)
	}
	c.steps = slices.Insert(c.steps, c.placeOfNew(op, &r), step)
	c.stands[id], c.written[id] = step, true
	c.count(step.Dependencies, 1)
	c.structure = true
	return r
}

// placeOfNew is where a new step goes: the end, if there is no usable position.
func (c *change) placeOfNew(op *operation, r *verdict) int {
	if op.position == nil {
		return len(c.steps)
	}
	i, ok := op.position.place(c, c.steps)
	if !ok {
		r.warn(harness.WarnPositionIgnored, r.id)
		return len(c.steps)
	}
	return i
}

// outOfRange is the failure of a position that the list does not have, where the rules reject it.
func (c *change) outOfRange(op *operation, steps []*plan.Step) *failure {
	if op.position == nil || knob.Find(spec.Own(), "out_of_range").Get(c.profile) != harness.Reject {
		return nil
	}
	if _, ok := op.position.place(c, steps); ok {
		return nil
	}
	return fail(harness.BadType, "/position", "the plan has no such position")
}

// generate returns the first step_N that is free.
func (c *change) generate() string {
	for ; ; c.nextID++ {
		if id := "step_" + strconv.Itoa(c.nextID); c.free(id) {
			return id
		}
	}
}

// release notes that a generated id may be free again: where this very update
// gave it.
func (c *change) release(id string) {
	if digits, ok := strings.CutPrefix(id, "step_"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			c.nextID = min(c.nextID, n)
		}
	}
}

// free reports whether an id was never given to a step.
func (c *change) free(id string) bool {
	t := strings.TrimSpace(id)
	return c.stands[id] == nil && !c.given[t]
}

// dependencies checks what an operation wants a step to depend on: each once,
// none missing, no way back to the step.
func (c *change) dependencies(said []string, id string, r *verdict) ([]string, *failure) {
	if said == nil {
		return nil, nil
	}
	deps := make([]string, 0, len(said))
	place := map[string]int{} // of each in the list
	for i, d := range said {
		d = c.spell(d)
		if _, twice := place[d]; !twice {
			place[d] = i
			deps = append(deps, d)
		}
	}
	if len(deps) < len(said) {
		r.warn(harness.WarnDuplicateDependency, id)
	}
	at := func(d string) string { return dataAt + "/dependencies/" + strconv.Itoa(place[d]) }
	for _, d := range deps {
		if c.stands[d] == nil && d != id {
			return nil, fail(harness.MissingDependency, at(d), "%q would depend on %q, which is not in the plan", id, d)
		}
	}
	if back, ok := c.wayBack(deps, id); ok {
		return nil, fail(harness.DependencyCycle, at(back), "%q would depend on itself", id)
	}
	return deps, nil
}

// wayBack returns the first of the dependencies that is the step or depends on
// it, however indirectly.
func (c *change) wayBack(deps []string, id string) (string, bool) {
	if c.needed[id] == 0 { // nothing depends on it
		return id, slices.Contains(deps, id)
	}
	seen := map[string]bool{}
	for _, d := range deps {
		todo := []string{d}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if at == id {
				return d, true
			}
			if !seen[at] {
				seen[at] = true
				todo = append(todo, c.stands[at].Dependencies...)
			}
		}
	}
	return "", false
}

// modify changes the members that are given, and no other.
func (c *change) modify(op *operation, old *plan.Step, r *verdict) {
	if fixed := op.data.fixed(); fixed != "" {
		r.failure = extraField(fixed, "the member %q of a step cannot be modified")
		return
	}
	step := *old
	if op.data.dependencies != nil {
		if step.Dependencies, r.failure = c.dependencies(op.data.dependencies, old.ID, r); r.failure != nil {
			return
		}
	}
	op.data.fill(&step, c.stored)
	if step.Equal(*old) {
		r.unchanged = true
		return
	}
	c.written[step.ID] = c.written[step.ID] || op.data.dependencies != nil
	c.replace(old, &step)
	c.content = true
	c.reset(step.ID)
}

// reset makes steps pending that need a modified one, by the knob dependents.
func (c *change) reset(id string) {
	if !knob.Resets(&c.profile) {
		return
	}
	steps := collect.Map(c.steps, func(s *plan.Step) plan.Step { return *s })
	for _, i := range knob.ToReset(&c.profile, steps, map[string]bool{id: true}, plan.Completed) {
		now := steps[i]
		now.Status = plan.Pending
		c.replace(c.steps[i], &now)
	}
}

// replace puts a step in place of the one with its id, whose result goes.
func (c *change) replace(old, step *plan.Step) {
	c.count(old.Dependencies, -1)
	c.count(step.Dependencies, 1)
	c.steps[slices.Index(c.steps, old)] = step
	c.stands[step.ID] = step
	c.cleared = append(c.cleared, step.ID)
}

func (c *change) remove(step *plan.Step, r *verdict) {
	if r.failure = c.leave(step, r); r.failure != nil {
		return
	}
	c.count(step.Dependencies, -1)
	i := slices.Index(c.steps, step)
	c.steps = slices.Delete(c.steps, i, i+1)
	delete(c.stands, step.ID)
	c.release(step.ID)
	c.cleared = append(c.cleared, step.ID)
	c.structure = true
}

// leave lets the steps that depend on another do without it, as the policy orphans
// says. One that is completed keeps its dependencies, and so does one whose
// dependencies the same update wrote.
func (c *change) leave(step *plan.Step, r *verdict) *failure {
	if c.needed[step.ID] == 0 {
		return nil
	}
	var orphans []*plan.Step
	for _, s := range c.steps {
		switch {
		case !slices.Contains(s.Dependencies, step.ID):
		case c.profile.Orphans == harness.Reject, s.Status == plan.Completed, c.written[s.ID]:
			return fail(harness.DependentsExist, "", "the step %q depends on %q", s.ID, step.ID)
		default:
			orphans = append(orphans, s)
		}
	}
	code, instead := harness.WarnDetached, []string(nil)
	if c.profile.Orphans == harness.Bridge {
		code, instead = harness.WarnBridged, step.Dependencies
	}
	for _, s := range orphans {
		now := *s
		now.Dependencies = without(s.Dependencies, step.ID, instead)
		c.replace(s, &now)
		r.warn(code, s.ID)
	}
	return nil
}

// without puts others in place of an item, each once; one that the list holds
// already keeps its place.
func without(list []string, gone string, others []string) (rest []string) {
	for _, d := range list {
		if d != gone {
			rest = append(rest, d)
			continue
		}
		for _, o := range others {
			if !slices.Contains(list, o) {
				rest = append(rest, o)
			}
		}
	}
	return rest
}

// reorder moves a step to an index of the resulting list.
func (c *change) reorder(op *operation, step *plan.Step, r *verdict) {
	from := slices.Index(c.steps, step)
	rest := slices.Delete(slices.Clone(c.steps), from, from+1)
	if r.failure = c.outOfRange(op, rest); r.failure != nil {
		return
	}
	to, ok := op.position.place(c, rest)
	if !ok {
		r.unchanged = true
		r.warn(harness.WarnPositionIgnored, step.ID)
		return
	}
	if to == from {
		r.unchanged = true
		return
	}
	c.steps = slices.Insert(rest, to, step)
	c.structure = true
}
