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
func (p *record) plan() *plan.Plan {
	out := &plan.Plan{Steps: make([]plan.Step, len(p.steps)), Record: &plan.Record{
		ID: p.id, Name: p.name, Description: p.description, Version: p.number(),
		History: make([]jsontext.Value, len(p.history)),
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
	v := generators.Value{Fields: make([]generators.Field, 0, 5)}
	s := plan.Step{
		ID: t.id, Description: t.description, Status: t.status,
		Dependencies: slices.Clone(t.dependencies), ToolsExpected: slices.Clone(t.tools),
	}
	if t.addExtra(&v); len(v.Fields) > 0 {
		s.Extra = v.Encode(generators.Style{})
	}
	return s
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
func (t *task) value(brief bool) generators.Value {
	v := generators.Value{Fields: make([]generators.Field, 0, 10)}
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
	if len(t.tools) > 0 {
		v.Add("tools_expected", generators.Texts(t.tools))
	}
	t.addExtra(&v)
	return v
}

// value is the record as JSON, without its history.
func (p *record) value(brief bool) generators.Value {
	v := generators.Value{Fields: make([]generators.Field, 0, 9)}
	if p.id != "" {
		v.Add("id", generators.Text(p.id))
	}
	v.Add("name", generators.Text(p.name))
	v.Add("description", generators.Text(p.description))
	if p.version > 0 {
		v.Add("version", generators.Raw(strconv.Itoa(p.version)))
	}
	v.Add("steps", generators.List(collect.Map(p.steps, func(t task) generators.Value { return t.value(brief) })...))
	return v
}

// snapshot is the record as a history keeps it, in the order of members in
// which it is mostly written.
func (p *record) snapshot(reason string) string {
	said := *p
	said.version = p.number()
	v := said.value(false)
	v.Add("update_reason", generators.Text(reason))
	v.Add("operations", generators.List())
	return v.Text(generators.Style{})
}

// writePlan writes the plan of the case.
func (u *updater) writePlan() jsontext.Value {
	v := u.p.value(u.brief)
	if !u.brief || len(u.p.history) > 0 {
		v.Add("history", generators.List(collect.Map(u.p.history, generators.Raw)...))
	}
	for _, change := range u.rewrite {
		change(&v)
	}
	return v.Encode(u.planStyle)
}
