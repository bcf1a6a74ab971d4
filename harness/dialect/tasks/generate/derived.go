package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
)

// derivedTraits are the traits that the declaration of a reply implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(spec.Strict(&spec.Settings{})) {
		d := trait{Trait: t.Trait, row: row{Alone: true}, derived: &t}
		if t.Family == "text" {
			d.Trait = d.Needing("text")
		}
		list = append(list, d)
	}
	return list
}

// deform prepares a derived trait: it changes one of the calls that it brings, whichever has a place for it.
func (d *draft) deform(t trait, choices generators.Choices) {
	d.derived, d.choices = t.derived, choices
	names := d.tasks("A:p B:p")
	blocker := generators.Texts([]string{names[3]})
	call := func(name string, members ...generators.Field) generators.Value {
		fields := append(make([]generators.Field, 0, 6), generators.Field{Name: "call", Value: generators.Text(name)})
		return generators.Object(append(fields, members...)...)
	}
	update := func(member string, v generators.Value, capability string) {
		if d.can(capability) {
			d.own = append(d.own, call("update", generators.Field{Name: "id", Value: generators.Text(names[1])},
				generators.Field{Name: member, Value: v}))
		}
	}
	create := call("create")
	add := func(member string, v generators.Value, capability string) {
		if d.can(capability) {
			create.Add(member, v)
		}
	}
	if d.setting("ids") == spec.Given {
		create.Add("id", generators.Text("own"))
	}
	create.Add("subject", generators.Text(d.subject()))
	brief := generators.Object(slices.Clone(create.Fields)...)
	add("description", generators.Text("At some length"), "new_description")
	add("status", generators.Text("pending"), "new_status")
	add("blocked_by", blocker, "new_blockers")
	d.own = append(make([]generators.Value, 0, 7), create, brief)
	if d.can("replace") {
		d.own = append(d.own, call("replace", generators.Field{Name: "tasks", Value: generators.List(
			generators.Object(brief.Fields[1:]...))}))
	}
	update("subject", generators.Text(d.subject()), "subject")
	update("description", generators.Text("At some length"), "description")
	update("status", generators.Text("completed"), "status")
	update("add_blocked_by", blocker, "add_blockers")
}

// body writes the reply, and applies the derived trait.
func (d *draft) body() string {
	if d.derived == nil {
		return `{"calls":[` + strings.Join(d.calls, ",") + `]}`
	}
	d.answers = append(d.answers, answer{})
	settings := spec.SettingsOf(d.profile)
	var root generators.Value
	for first, i := d.choices.Below(len(d.own)), 0; i < len(d.own); i++ {
		list := generators.List(collect.Map(d.calls, generators.Raw)...)
		list.Items = append(list.Items, d.own[(first+i)%len(d.own)])
		root = generators.Object(generators.Field{Name: "calls", Value: list})
		e, ok := d.derived.Apply(&d.choices, deform.Reply{
			Root: root, Document: spec.Strict(&settings), DuplicateKeys: d.profile.DuplicateKeys, Lacks: d.without,
		})
		if ok {
			e.Limit(&d.limits)
			d.effect = e
			return e.Text
		}
	}
	d.misses = d.derived.Name
	return deform.Write(root)
}

// labelled is the label with what the derived trait changes.
func (d *draft) labelled() generators.Want {
	e := &d.effect
	past, lone := e.Past(d.profile.Reading), generators.Extract|generators.Coerce
	switch call, rest, ok := d.place(); {
	case d.derived == nil || d.misses != "":
		return d.label()
	case ok && e.Code == harness.EmptyID && d.setting("blank") == spec.Allow:
		return generators.Want{Loose: true}
	case ok:
		d.answers = append(d.answers[:call], answer{Code: e.Code, at: rest})
	case !past && e.Around && lone.Past(d.profile.Reading): // a call within may be read alone
		return generators.Want{Loose: true}
	case !past:
		return e.Refused()
	case e.Open:
		return generators.Want{Loose: true}
	}
	return d.label()
}

// place returns the call that has the fault, and the place in it. It reports false for a fault of the
// whole reply.
func (d *draft) place() (call int, rest string, ok bool) {
	e := &d.effect
	if e.At == nil || e.Code == "" || e.Code == harness.InvalidUTF8 || e.Code == harness.DuplicateKey {
		return 0, "", false
	}
	path, ok := strings.CutPrefix(*e.At, "/calls/")
	index, _, nested := strings.Cut(path, "/")
	call, err := strconv.Atoi(index)
	if nested {
		rest = path[len(index):]
	}
	return call, rest, ok && err == nil
}
