package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// record is a plan of the dialect operations as the generator sees it.
type record struct {
	id, name, description string
	version               int // 0: the plan does not say, which is 1
	steps                 []task
	history               []string // JSON
}

// task is a step of a record. Its lists are never written to.
type task struct {
	id, name, description, specialist string
	priority, parameters              string // JSON; "" is none
	dependencies, tools               []string
	status                            plan.Status
}

// stepResult is the result of a step.
type stepResult struct{ id, json string }

func (p *record) clone() record {
	c := *p
	c.steps, c.history = slices.Clone(p.steps), slices.Clone(p.history)
	return c
}

func (p *record) number() int { return max(p.version, 1) }

// plan is the record as the rest of the program sees it.
func (p *record) plan() *plan.Plan {
	out := &plan.Plan{Steps: make([]plan.Step, len(p.steps)), Record: &plan.Record{
		ID: p.id, Name: p.name, Description: p.description, Version: p.number(), History: make([]jsontext.Value, len(p.history)),
	}}
	for i := range p.steps {
		out.Steps[i] = p.steps[i].step()
	}
	for i, h := range p.history {
		out.Record.History[i] = jsontext.Value(h)
	}
	return out
}

func (t *task) step() plan.Step {
	s := plan.Step{
		ID: t.id, Description: t.description, Status: t.status,
		Dependencies: slices.Clone(t.dependencies), ToolsExpected: slices.Clone(t.tools),
	}
	w := generators.Writer{}
	if v := t.extra(); len(v.Fields) > 0 {
		w.Value(v)
		s.Extra = w.B
	}
	return s
}

// extra is what a step has that only this dialect knows, without what says no
// more than its absence.
func (t *task) extra() generators.Value {
	v := generators.Object()
	if t.name != "" {
		v.Add("name", generators.Text(t.name))
	}
	if t.specialist != "" {
		v.Add("assigned_specialist", generators.Text(t.specialist))
	}
	if t.priority != "" {
		v.Add("priority", generators.Raw(t.priority))
	}
	if t.parameters != "" && t.parameters != "{}" {
		v.Add("parameters", generators.Raw(t.parameters))
	}
	return v
}

// value is the task as JSON. A brief one leaves out what is as usual.
func (t *task) value(brief bool) generators.Value {
	v := generators.Object()
	v.Add("id", generators.Text(t.id))
	if !brief || t.description != "" || t.name == "" {
		v.Add("description", generators.Text(t.description))
	}
	if !brief || len(t.dependencies) > 0 {
		v.Add("dependencies", generators.Texts(t.dependencies))
	}
	if !brief || t.status != plan.Pending {
		v.Add("status", generators.Text(string(t.status)))
	}
	if !brief || len(t.tools) > 0 {
		v.Add("tools_expected", generators.Texts(t.tools))
	}
	v.Fields = append(v.Fields, t.extra().Fields...)
	return v
}

// value is the record as JSON, without its history.
func (p *record) value(brief bool) generators.Value {
	v := generators.Object()
	if p.id != "" {
		v.Add("id", generators.Text(p.id))
	}
	v.Add("name", generators.Text(p.name))
	v.Add("description", generators.Text(p.description))
	if p.version > 0 {
		v.Add("version", generators.Raw(strconv.Itoa(p.version)))
	}
	list := generators.Value{IsList: true}
	for i := range p.steps {
		list.Items = append(list.Items, p.steps[i].value(brief))
	}
	v.Add("steps", list)
	return v
}

// snapshot is the record as a history keeps it, in the order of members in
// which it is mostly written: histories that are the same byte for byte are
// compared at once.
func (p *record) snapshot(reason string) string {
	said := *p
	said.version = p.number()
	v := said.value(false)
	v.Add("update_reason", generators.Text(reason))
	w := generators.Writer{}
	w.Value(v)
	return string(w.B)
}

// drawRecord draws a plan with its results and its history.
func (u *updater) drawRecord() {
	u.style = generators.IdStyle(u.Below(generators.IdStyles))
	if u.style == 12 && !u.OneIn(4) {
		u.style = 0 // ids with white space round them are rare
	}
	n := 1 + u.Below(6)
	if u.OneIn(16) {
		n = 1 + u.Below(u.max)
	}
	n = min(n, u.max)
	u.p = record{name: generators.Pick(&u.Choices, generators.Phrases), description: generators.Pick(&u.Choices, generators.Phrases)}
	if u.OneIn(2) {
		u.p.id = "plan-" + strconv.Itoa(u.Below(100))
	}
	if u.OneIn(4) {
		u.p.description = ""
	}
	for i := range n {
		u.p.steps = append(u.p.steps, u.drawTask(u.style.Id(i)))
	}
	u.next = n
	u.shuffleTasks()
	u.drawHistory()
	u.drawResults()
}

// drawTask draws a step of the plan, which depends on steps drawn before it.
func (u *updater) drawTask(id string) task {
	t := u.work(id)
	t.status = generators.Pick(&u.Choices, []plan.Status{plan.Pending, plan.Completed, plan.Running, plan.Pending, plan.Completed, plan.Failed, plan.Skipped})
	for range u.Below(3) {
		if k := len(u.p.steps); k > 0 {
			if d := u.p.steps[u.Below(k)].id; !slices.Contains(t.dependencies, d) {
				t.dependencies = append(t.dependencies, d)
			}
		}
	}
	return t
}

// work draws what a step says of its work.
func (u *updater) work(id string) task {
	t := task{id: id, status: plan.Pending}
	switch u.Below(4) {
	case 0:
		t.name = generators.Pick(&u.Choices, generators.Phrases)
	case 1:
		t.description = generators.Pick(&u.Choices, generators.Phrases)
	default:
		t.name, t.description = generators.Pick(&u.Choices, generators.Phrases), generators.Pick(&u.Choices, generators.Phrases)
	}
	if u.OneIn(3) {
		t.specialist = generators.Pick(&u.Choices, specialists[:])
	}
	if u.OneIn(3) {
		t.priority = generators.Pick(&u.Choices, priorities[:])
	}
	if u.OneIn(3) {
		t.parameters = generators.Pick(&u.Choices, parameters[:])
	}
	if u.OneIn(8) {
		t.tools = []string{generators.Pick(&u.Choices, generators.ToolNames[:])}
	}
	return t
}

var (
	specialists = [...]string{"coder", "reviewer", "researcher", "Анна", "data engineer"}
	priorities  = [...]string{"1", "2", "10", "0", "-1", "2.5", "1e3"}
	parameters  = [...]string{
		`{"k":"v"}`, `{"path":"docs/index.md","retry":{"times":3,"wait":[1,2]}}`, `{"deep":{"list":[{"a":1},{"b":null}]}}`,
		`{"dry_run":true}`, `{"query":"a < b && c","n":0.5}`, `{"empty":{}}`,
	}
)

// shuffleTasks puts the steps in another order now and then: the order of the
// list says nothing of what depends on what.
func (u *updater) shuffleTasks() {
	if u.OneIn(2) {
		return
	}
	for i := len(u.p.steps) - 1; i > 0; i-- {
		k := u.Below(i + 1)
		u.p.steps[i], u.p.steps[k] = u.p.steps[k], u.p.steps[i]
	}
}

// drawHistory draws older versions of the plan, with steps that are gone.
func (u *updater) drawHistory() {
	n := u.Below(3)
	if n == 0 && u.OneIn(3) {
		return // and no version either
	}
	for i := range n {
		old := record{id: u.p.id, name: generators.Pick(&u.Choices, generators.Phrases), version: i + 1}
		old.steps = append(old.steps, u.work(u.newStepID()))
		for k := range u.p.steps {
			if u.OneIn(2) {
				t := u.work(u.p.steps[k].id)
				old.steps = append(old.steps, t)
			}
		}
		for _, t := range old.steps {
			u.given = append(u.given, trimmed(t.id))
		}
		u.p.history = append(u.p.history, old.snapshot("because "+strconv.Itoa(i+1)))
	}
	u.p.version = n + 1 + u.Below(2)*u.Below(5)
}

// drawResults draws results, mostly of steps that ran, sometimes of one that
// the plan no longer has.
func (u *updater) drawResults() {
	for _, t := range u.p.steps {
		if t.status != plan.Pending && u.Below(4) > 0 || u.OneIn(4) {
			u.results = append(u.results, stepResult{t.id, generators.Pick(&u.Choices, resultTexts[:])})
		}
	}
	if u.OneIn(6) {
		u.results = append(u.results, stepResult{"of another plan", generators.Pick(&u.Choices, resultTexts[:])})
	}
}

var resultTexts = [...]string{`{"ok":true}`, `"half"`, `null`, `[1,2,{"files":["a.go"]}]`, `0`, `{"summary":"done in \"3\" steps"}`}

func (u *updater) chooseRecordLimit() {
	if u.OneIn(2) {
		return
	}
	u.limit = max(1, len(u.p.steps)+u.Below(5)-1)
}

// full reports whether no step can be added.
func (u *updater) full() bool { return u.limit > 0 && len(u.p.steps) >= u.limit }

// newStepID returns an id that was never given to a step.
func (u *updater) newStepID() string {
	for {
		u.next++
		if id := trimmed(u.style.Id(u.next - 1)); u.isFree(id) {
			return id
		}
	}
}

// isFree reports whether an id may be given to a new step.
func (u *updater) isFree(id string) bool {
	t := trimmed(id)
	return !slices.ContainsFunc(u.p.steps, func(s task) bool { return trimmed(s.id) == t }) &&
		!slices.Contains(u.found, t) && !slices.Contains(u.given, t)
}

func trimmed(id string) string { return strings.TrimSpace(id) }

// writePlan writes the plan of the case.
func (u *updater) writePlan() string {
	if u.planText != "" {
		return u.planText
	}
	v := u.p.value(u.OneIn(2))
	if len(u.p.history) > 0 || u.OneIn(2) {
		list := generators.Value{IsList: true}
		for _, h := range u.p.history {
			list.Items = append(list.Items, generators.Raw(h))
		}
		v.Add("history", list)
	}
	w := generators.Writer{}
	w.Value(v)
	return string(w.B)
}

func writeResults(list []stepResult) string {
	w := generators.Writer{}
	w.Open('{')
	for _, r := range list {
		w.Item()
		w.B = generators.AppendText(w.B, r.id)
		w.B = append(w.B, ':')
		w.B = append(w.B, r.json...)
	}
	w.Close('}')
	return string(w.B)
}
