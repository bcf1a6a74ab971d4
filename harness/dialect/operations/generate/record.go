package generate

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness/document/collect"
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
	more                              []generators.Field // unknown members
	role                              role
}

func (p *record) number() int { return max(p.version, 1) }

// plan is the record as the rest of the program sees it.
func (p *record) plan(slab *generators.Slab) *plan.Plan {
	out := &plan.Plan{Steps: make([]plan.Step, len(p.steps)), Record: &plan.Record{
		ID: p.id, Name: p.name, Description: p.description, Version: p.number(),
		History: make([]jsontext.Value, len(p.history)),
	}}
	const usual = 128 // bytes
	extra := make(jsontext.Value, 0, usual*len(p.steps))
	for i := range p.steps {
		t := &p.steps[i]
		out.Steps[i] = plan.Step{
			ID: t.id, Description: t.description, Status: t.status, Dependencies: t.dependencies,
			ToolsExpected: slices.Clone(t.tools),
		}
		v := generators.Value{Fields: slab.Fields(5)}
		if t.addExtra(&v); len(v.Fields) > 0 {
			from := len(extra)
			extra = v.Append(extra, generators.Style{})
			out.Steps[i].Extra = extra[from:len(extra):len(extra)]
		}
	}
	for i, h := range p.history {
		out.Record.History[i] = jsontext.Value(h)
	}
	return out
}

// addExtra adds what a step has that only this dialect knows, without what says no
// more than its absence.
func (t *task) addExtra(v *generators.Value) {
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
	v.Fields = append(v.Fields, t.more...)
}

// value returns the task as JSON. A brief one leaves out default values.
func (t *task) value(slab *generators.Slab, brief bool) generators.Value {
	v := generators.Value{Fields: slab.Fields(10)}
	v.Add("id", generators.Text(t.id))
	if !brief || t.description != "" || t.name == "" {
		v.Add("description", generators.Text(t.description))
	}
	if !brief || len(t.dependencies) > 0 {
		v.Add("dependencies", slab.Texts(t.dependencies))
	}
	if !brief || t.status != plan.Pending {
		v.Add("status", generators.Text(string(t.status)))
	}
	if len(t.tools) > 0 {
		v.Add("tools_expected", slab.Texts(t.tools))
	}
	t.addExtra(&v)
	return v
}

// value is the record as JSON, without its history.
func (p *record) value(slab *generators.Slab, brief bool) generators.Value {
	v := generators.Value{Fields: slab.Fields(9)}
	if p.id != "" {
		v.Add("id", generators.Text(p.id))
	}
	v.Add("name", generators.Text(p.name))
	v.Add("description", generators.Text(p.description))
	if p.version > 0 {
		v.Add("version", generators.Raw(strconv.Itoa(p.version)))
	}
	v.Add("steps", generators.List(collect.Map(p.steps, func(t task) generators.Value { return t.value(slab, brief) })...))
	return v
}

// snapshot is the record as a history keeps it, in the order of members in
// which it is mostly written.
func (p *record) snapshot(slab *generators.Slab, reason string) string {
	said := *p
	said.version = p.number()
	v := said.value(slab, false)
	v.Add("update_reason", generators.Text(reason))
	v.Add("operations", generators.List())
	return v.Text(generators.Style{})
}

// writePlan writes the plan of the case.
func (u *updater) writePlan() jsontext.Value {
	v := u.p.value(&u.Slab, u.brief)
	if !u.brief || len(u.p.history) > 0 {
		v.Add("history", generators.List(collect.Map(u.p.history, generators.Raw)...))
	}
	for _, change := range u.rewrite {
		change(&v)
	}
	return v.Encode(u.planStyle)
}
