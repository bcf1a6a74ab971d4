package generate

import (
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
	doc "replanbench/harness/document"
	"replanbench/harness/document/collect"
)

// declarations declare an update whose added steps may have unknown members or not.
var declarations = sync.OnceValue(func() map[bool]doc.Value {
	list := map[bool]doc.Value{}
	for _, drops := range []bool{true, false} {
		v := spec.Update()
		v.Drops = true
		meta := v.Member("plan_metadata")
		meta.Ignored, meta.Drops = true, true
		for i := range meta.Members {
			meta.Members[i].Ignored = true
		}
		kinds := v.Member("operations").Item.Of
		for i := range kinds {
			kinds[i].Drops = true
			kinds[i].Members[0].Code = string(harness.UnknownOperation)
		}
		kinds[0].Member("step_data").Drops = drops
		list[drops] = v
	}
	return list
})

// derivedTraits are the traits that the declaration of an update implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(declarations()[false]) {
		d := trait{Trait: t.Trait, demand: demand{Claims: text}, derived: &t}
		switch t.Name {
		case "draft-then-final", "broken-draft-first", "think-draft", "think-draft-fenced", "document-twice":
			d.Bars = plain
		case "object-for-list":
			d.Claims, d.Bars, d.Steps = d.Claims|plain|alone, listed, roles{open}
			d.Needs = append(d.Needs, "modify")
			d.base = leaveOut
			d.reply = func(u *updater) { u.acts = []act{u.modify(u.mine(0))} }
		case "long-text", "control-text", "padded-text":
			d.Claims |= metadatum
		}
		if t.Family == "shape" {
			d.Claims |= alone | plain
			if d.Steps == nil {
				d.Steps = roles{open}
			}
		}
		list = append(list, d)
	}
	return list
}

// makeRoom gives the update a modification with values that the derived traits can change, and with
// members to add.
func (u *updater) makeRoom() {
	if u.Lacks("modify") {
		return
	}
	t := u.step(u.mine(0))
	t.name = u.another(t.name)
	data := generators.Object(field("name", generators.Text(t.name)))
	if !u.Lacks("tools_expected") {
		t.tools = []string{generators.Pick(&u.Choices, generators.ToolNames[:])}
		data.Add("tools_expected", generators.Texts(t.tools))
	}
	u.do(u.modified(t, data))
}

// document is the update as JSON.
func (u *updater) document(meta metadata) generators.Value {
	v := generators.Object()
	if about, ok := meta.value(); ok {
		v.Add("plan_metadata", about)
	}
	if !u.noList {
		v.Add("operations", generators.List(collect.Map(u.acts, func(a act) generators.Value { return a.doc })...))
	}
	return v
}

// writeReply writes the main reply, with the derived trait.
func (u *updater) writeReply(turns []*turn, meta metadata) string {
	if u.instead != nil {
		return *u.instead
	}
	root := u.document(meta)
	for _, t := range turns {
		if t.derived == nil {
			continue
		}
		choices := u.Stream(t.Name + " text")
		apply := func() (deform.Effect, bool) {
			return t.derived.Apply(&choices, deform.Reply{
				Root: root, Document: declarations()[u.Profile.ExtraFields == harness.Drop], DuplicateKeys: u.Profile.DuplicateKeys,
				Lacks: u.Without,
			})
		}
		e, ok := apply()
		if !ok && t.Family == "shape" {
			u.take(t, u.makeRoom)
			root = u.document(meta)
			e, ok = apply()
		}
		if !ok {
			u.misses = t.Name
			break
		}
		u.effect = e
		e.Limit(&u.limits)
		return e.Text
	}
	return deform.Write(root)
}

// changes are the traits of replies, which change how the update is written.
func changes() map[string]func(u *updater) {
	missing := deform.Effect{Code: harness.MissingField, Around: true}
	// instead is another document, and about metadata of its own.
	instead := func(reply func(u *updater) string) func(u *updater) {
		return func(u *updater) {
			s := reply(u)
			u.instead, u.effect = &s, missing
		}
	}
	one := func(texts ...string) func(u *updater) {
		return instead(func(u *updater) string { return generators.Pick(&u.Choices, texts) })
	}
	about := func(meta func(u *updater) metadata) func(u *updater) {
		return func(u *updater) {
			m := meta(u)
			u.meta = &m
		}
	}
	reasons := func(change func(a *act, reason *generators.Value)) func(u *updater) {
		return func(u *updater) {
			for i := range u.acts {
				if r := u.acts[i].doc.Get("reason"); r != nil && r.IsText {
					change(&u.acts[i], r)
				}
			}
		}
	}
	return map[string]func(u *updater){
		"empty-object": one("{}", "{ }\n"),
		"error-object": one(`{"error":"rate limited"}`, `{"error":{"message":"overloaded","code":529}}`),
		"whole-plan":   instead(wholePlan),
		"patch-reply":  one(`{"type":"PlanPatch","remove_steps":["step_1"]}`, `{"update_steps":[],"reason":"none"}`),
		"operations-missing": func(u *updater) {
			name := u.another(u.p.name)
			u.meta, u.noList, u.effect = &metadata{name: &name}, true, missing
		},
		"operations-empty": about(func(*updater) metadata { return metadata{reason: "nothing to do"} }),
		"metadata-same": about(func(u *updater) metadata {
			return metadata{name: new(" " + u.p.name), description: new(u.p.description)}
		}),
		"metadata-only": about(func(u *updater) metadata {
			return metadata{name: new("the plan called " + u.p.name), description: new(" ")}
		}),
		"metadata-prefix": about(func(u *updater) metadata {
			name := u.p.name[:len(u.p.name)-1]
			if u.OneIn(2) {
				name = u.p.name + " again"
			}
			return metadata{name: &name}
		}),
		"metadata-spaced": about(func(u *updater) metadata {
			name := " " + u.another(u.p.name) + "\n"
			return metadata{name: &name, reason: u.phrase()}
		}),
		"metadata-absent": about(func(*updater) metadata { return metadata{} }),
		"metadata-null":   about(nullMetadata),
		"metadata-kind":   about(oddMetadata),
		"reasons-absent":  reasons(func(a *act, _ *generators.Value) { a.doc.Drop("reason") }),
		"reasons-odd": reasons(func(_ *act, r *generators.Value) {
			*r = generators.Text("\"why\": first\n\tthen </b> 步骤 " + r.Str)
		}),
	}
}

func nullMetadata(u *updater) metadata {
	if u.OneIn(2) {
		return metadata{whole: &null}
	}
	return metadata{extra: []generators.Field{
		field("name", null), field("description", null), field("update_reason", null),
	}}
}

func oddMetadata(u *updater) metadata {
	if u.OneIn(2) {
		return metadata{whole: new(generators.Text("a better plan"))}
	}
	return metadata{extra: []generators.Field{
		field("name", generators.Raw("7")), field("version", generators.Raw("9")),
		field("update_reason", generators.Raw("[]")),
	}}
}

// wholePlan writes the plan without the plain edit and with another first step.
func wholePlan(u *updater) string {
	v := u.p.value(&u.Slab, false)
	v.Get("steps").Items[0].Put("description", generators.Text(u.phrase()))
	if u.OneIn(2) {
		v.Fields = append([]generators.Field{field("title", generators.Text(u.p.name))}, v.Fields...)
	}
	return deform.Write(v)
}

// again writes a second update.
func again(u *updater) string {
	u.again, u.noList = true, false
	u.acts = []act{u.modify(u.mine(0))}
	return deform.Write(u.document(metadata{reason: u.phrase()}))
}

func unreadable(u *updater) string {
	u.refusals++
	return generators.Pick(&u.Choices, []string{"I cannot do that.", ""})
}
