package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// role is what a step of the plan is there for.
type role int

const (
	free       role = iota // not used by any operation
	open                   // pending
	running                // under way, and nothing depends on it
	leaf                   // pending, and nothing depends on it
	done                   // completed
	needed                 // pending, and the next one depends on it
	held                   // the same, and no other does; it depends on the one before
	behind                 // the next one
	doneBehind             // the next one, completed
)

// roles are the roles of the steps of one owner.
type roles []role

// isLeaf reports whether nothing may depend on a step: it may be removed.
func (r role) isLeaf() bool { return r == leaf || r == running || r == held }

// owner is who has steps of the plan for himself: a trait of the index, or an
// operation of the plain edit.
type owner struct {
	kind  string // of the operation
	roles roles
	ids   []string
}

// drawBase draws a plan with all that the traits of the index and the plain edit
// need, its results and its history. It says everything that a plan can say, and
// nothing odd.
func (u *updater) drawBase() {
	need := 0
	for _, t := range u.Traits {
		u.owners = append(u.owners, owner{roles: t.Steps})
		need += len(t.Steps)
	}
	n := u.Steps
	if n == 0 {
		n = min(3+u.Below(6), u.Max)
	}
	room := n - need
	edits := u.drawEdits(&room)
	for range room {
		u.owners = append(u.owners, owner{roles: roles{free}})
	}
	u.p = record{
		id: "plan-" + strconv.Itoa(u.Below(100)), name: u.phrase(), description: u.phrase(), steps: u.p.steps,
	}
	u.drawSteps()
	u.edits = u.owners[len(u.Traits) : len(u.Traits)+edits]
	old := 0
	if slices.ContainsFunc(u.Traits, func(t trait) bool { return t.Old }) {
		old = 1
	}
	if n := u.Below(3); !u.Lacks("history") {
		old = max(old, n)
	}
	u.drawHistory(old)
	u.drawResults()
}

// drawEdits draws the operations of the plain edit, which are owners: one for a small case, and none that adds or
// removes steps if the traits keep their number. It takes their steps out of the room, and leaves one.
func (u *updater) drawEdits(room *int) (n int) {
	keeps := slices.ContainsFunc(u.Traits, func(t trait) bool { return t.Keeps })
	kinds := slices.DeleteFunc(append(make([]owner, 0, 8), editKinds...), func(e owner) bool {
		return u.Lacks(e.kind) || keeps && (e.kind == "add" || e.kind == "remove")
	})
	if len(kinds) == 0 {
		kinds = editKinds
	}
	if n = 1; u.Steps == 0 {
		n += u.Below(3)
	}
	for range n {
		fits := slices.DeleteFunc(append(make([]owner, 0, 8), kinds...),
			func(e owner) bool { return len(e.roles) >= max(1, *room) })
		if len(fits) == 0 {
			fits = kinds
		}
		e := generators.Pick(&u.Choices, fits)
		*room -= len(e.roles)
		u.owners = append(u.owners, e)
	}
	return n
}

// editKinds are the eight operations by how often they are drawn, with the steps that they need.
var editKinds = slices.Concat(
	slices.Repeat([]owner{{kind: "add"}}, 3), []owner{{kind: "remove", roles: roles{leaf}}},
	slices.Repeat([]owner{{kind: "modify", roles: roles{open}}}, 3),
	[]owner{{kind: "reorder", roles: roles{open, open}}},
)

// drawSteps draws the steps of all owners, in an order of theirs.
func (u *updater) drawSteps() {
	turn := make([]int, len(u.owners))
	for i := range turn {
		turn[i] = i
	}
	generators.Shuffle(&u.Choices, turn)
	for _, i := range turn {
		from := len(u.ids)
		for k, r := range u.owners[i].roles {
			t := u.drawTask(r, k)
			u.p.steps = append(u.p.steps, t)
			u.ids = append(u.ids, t.id)
		}
		u.owners[i].ids = u.ids[from:]
	}
	u.next = len(u.p.steps) + 12 // those between are made up by engines
}

// drawTask draws the next step of the plan. It depends on steps before it, a
// completed one only on completed ones.
func (u *updater) drawTask(r role, k int) task {
	t := u.work(u.style.Id(len(u.p.steps)))
	t.role = r
	switch r {
	case free:
		t.status = generators.Pick(&u.Choices, []plan.Status{plan.Pending, plan.Completed, plan.Running, plan.Completed})
	case running:
		t.status = plan.Running
	case done, doneBehind:
		t.status = plan.Completed
	}
	if r == behind || r == doneBehind || r == held && k > 0 {
		t.dependencies = append(t.dependencies, u.p.steps[len(u.p.steps)-1].id)
	}
	for range u.Below(3) {
		if k := len(u.p.steps); k > 0 && !u.Lacks("dependencies") {
			d := &u.p.steps[u.Below(k)]
			if !d.role.isLeaf() && (t.status != plan.Completed || d.status == plan.Completed) &&
				!slices.Contains(t.dependencies, d.id) {
				t.dependencies = append(t.dependencies, d.id)
			}
		}
	}
	return t
}

// work draws what a step says of its work.
func (u *updater) work(id string) task {
	t := task{
		id: id, name: u.phrase(), description: u.phrase(), specialist: generators.Pick(&u.Choices, specialists[:]),
		priority: strconv.Itoa(1 + u.Below(9)), parameters: generators.Pick(&u.Choices, parameters[:]),
		status: plan.Pending,
	}
	if i := u.Below(len(generators.ToolNames)); !u.Lacks("tools_expected") {
		t.tools = generators.ToolNames[i : i+1 : i+1]
	}
	for i, text := range []*string{&t.specialist, &t.priority, &t.parameters} {
		if u.Lacks([...]string{"assigned_specialist", "priority", "parameters"}[i]) {
			*text = ""
		}
	}
	return t
}

var (
	specialists = [...]string{"coder", "reviewer", "researcher", "writer"}
	parameters  = [...]string{
		`{"file":"main.go"}`, `{"k":{"deep":[1,2]}}`, `{"file":"doc.md","line":3}`,
		`{"k":{"deep":[]},"n":1}`,
	}
	resultTexts = [...]string{`{"ok":true}`, `{"files":["a.go"]}`, `"half"`, `{"ok":true,"n":3}`}
)

// phrase draws a short text.
func (u *updater) phrase() string { return generators.Pick(&u.Choices, generators.Phrases) }

// another draws a text that is not this one.
func (u *updater) another(than string) string {
	if s := u.phrase(); s != than {
		return s
	}
	return "finish: " + than
}

// drawHistory draws older versions of the plan, with steps that are gone.
func (u *updater) drawHistory(n int) {
	for i := range n {
		old := record{id: u.p.id, name: u.another(u.p.name), description: u.phrase(), version: i + 1}
		old.steps = make([]task, 0, 1+len(u.p.steps))
		old.steps = append(old.steps, u.work(u.newStepID()))
		u.gone = append(u.gone, old.steps[0].id)
		for k := range u.p.steps {
			if u.OneIn(3) {
				old.steps = append(old.steps, task{id: u.p.steps[k].id, name: u.phrase(), status: plan.Pending})
			}
		}
		u.p.history = append(u.p.history, old.snapshot(&u.Slab, "because "+strconv.Itoa(i+1)))
	}
	u.p.version = n + 1
}

// drawResults draws results of the steps that ran.
func (u *updater) drawResults() {
	if u.noResults = u.noResults || u.Lacks("results"); u.noResults {
		return
	}
	u.results = u.Fields(len(u.p.steps))
	for _, t := range u.p.steps {
		if t.status != plan.Pending || u.OneIn(2) {
			u.results = append(u.results, field(t.id, generators.Raw(generators.Pick(&u.Choices, resultTexts[:]))))
		}
	}
}

// newStepID returns an id that was never given to a step.
func (u *updater) newStepID() string {
	u.next++
	return strings.TrimSpace(u.style.Id(u.next - 1))
}
