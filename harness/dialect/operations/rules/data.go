package rules

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// data is a decoded step_data. Nil members were not given.
type data struct {
	id           *string
	description  *string
	dependencies []string
	tools        []string
	status       *string
	// extra holds the [extraMembers] that a plan keeps as raw JSON, by name: name,
	// assigned_specialist, priority, parameters.
	extra   []strictjson.Member
	unknown []string
}

// extraMembers is the number of members of a step that a plan keeps as raw JSON.
const extraMembers = 4

// field is a member of a step with its type and where its value goes.
type field struct {
	name string
	kind strictjson.Kind
	text **string  // of a string
	list *[]string // of a list
}

// fields lists the members of a step in the order in which faults are reported.
func (d *data) fields() [9]field {
	return [...]field{
		{name: "id", kind: strictjson.String, text: &d.id},
		{name: "name", kind: strictjson.String},
		{name: "description", kind: strictjson.String, text: &d.description},
		{name: "assigned_specialist", kind: strictjson.String},
		{name: "priority", kind: strictjson.Number},
		{name: "dependencies", kind: strictjson.Array, list: &d.dependencies},
		{name: "parameters", kind: strictjson.Object},
		{name: "status", kind: strictjson.String, text: &d.status},
		{name: "tools_expected", kind: strictjson.Array, list: &d.tools},
	}
}

// dataAt is the path of step_data in an operation.
const dataAt = "/step_data"

func dataPath() path { return strictjson.PathTo(dataAt) }

// step reads step_data.
func (d *decoder) step(v *strictjson.Value) {
	known := d.data.fields()
	for _, f := range known {
		switch {
		case f.name == "id" && v.Given("id") != nil:
			id := d.ID(v, dataPath(), "id")
			if d.Fault == nil {
				d.data.id = &id
			}
		case f.name == "dependencies":
			d.data.dependencies = d.IDs(v, dataPath(), f.name)
		case f.list != nil:
			*f.list = d.Texts(v, dataPath(), f.name)
		default:
			m := d.Member(v, dataPath(), f.name, f.kind, false)
			if m != nil && f.text != nil {
				*f.text = &m.Text
			} else if m != nil {
				d.data.extra = slices.Grow(d.data.extra, extraMembers-len(d.data.extra))
				d.data.extra = append(d.data.extra, strictjson.Member{Name: f.name, Value: *m})
			}
		}
	}
	for _, m := range v.Counted() {
		if !slices.ContainsFunc(known[:], func(f field) bool { return f.name == m.Name }) {
			d.data.unknown = append(d.data.unknown, m.Name)
		}
	}
}

// extraField says that a step or a modification has no such member.
func extraField(name, format string) *failure {
	return fail(harness.ExtraField, dataAt+"/"+strictjson.Escape(name), format, name)
}

// named reports whether a step has a name or a description, which a new one
// needs.
func (d *data) named() bool {
	name := slices.ContainsFunc(d.extra, func(m strictjson.Member) bool {
		return m.Name == "name" && strings.TrimSpace(m.Value.Text) != ""
	})
	return name || d.description != nil && strings.TrimSpace(*d.description) != ""
}

// fixed returns the first member that no operation can modify, or "".
func (d *data) fixed() string {
	switch {
	case d.id != nil:
		return "id"
	case d.status != nil:
		return "status"
	case len(d.unknown) > 0:
		return d.unknown[0]
	}
	return ""
}

// fill puts the members that are given into a step, but for its id, status and
// dependencies.
func (d *data) fill(s *plan.Step, stored func(text string) string) {
	if d.description != nil {
		s.Description = stored(*d.description)
	}
	if d.tools != nil {
		s.ToolsExpected = d.tools
	}
	if len(d.extra) > 0 {
		for i := range d.extra {
			if m := &d.extra[i]; m.Name == "name" {
				m.Value.Text = stored(m.Value.Text)
			}
		}
		s.Extra = merge(s.Extra, d.extra)
	}
}

// merge replaces members of a JSON object and appends those that are new. An
// empty text or object is the default of its member, and left out.
func merge(object jsontext.Value, set []strictjson.Member) jsontext.Value {
	list := make([]strictjson.Member, 0, len(set)+4)
	if len(object) > 0 {
		parser := strictjson.Borrow(string(object))
		defer parser.Release()
		if doc, err := parser.All(maxDepth); err == nil {
			list = append(list, doc.Root.Counted()...)
		}
	}
	for _, m := range set {
		if i := slices.IndexFunc(list, func(o strictjson.Member) bool { return o.Name == m.Name }); i >= 0 {
			list[i] = m
		} else {
			list = append(list, m)
		}
	}
	list = slices.DeleteFunc(list, func(m strictjson.Member) bool { return plan.IsDefault(m.Name, &m.Value) })
	if len(list) == 0 {
		return nil
	}
	root := strictjson.Value{Kind: strictjson.Object, Members: list}
	const usual = 128 // bytes
	return root.AppendJSON(make([]byte, 0, usual))
}
