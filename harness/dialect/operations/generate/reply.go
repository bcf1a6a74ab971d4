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
		d := trait{Trait: t.Trait, claim: text, derived: &t}
		switch t.Name {
		case "draft-then-final", "broken-draft-first", "think-draft", "think-draft-fenced", "document-twice":
			d.bars = plain
		case "object-for-list":
			d.claim, d.bars, d.steps = d.claim|plain|alone, listed, []role{open}
			d.Needs = append(d.Needs, "modify")
			d.base = leaveOut
			d.reply = func(u *updater) { u.acts = []act{u.modify(u.mine(0))} }
		case "long-text", "control-text", "padded-text":
			d.claim |= metadatum
		}
		if t.Family == "shape" {
			d.claim |= alone | plain
			if d.steps == nil {
				d.steps = []role{open}
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

// noUpdateTraits are replies that are other documents.
func noUpdateTraits() []trait {
	row := func(name, what, theme string) trait {
		t := rows("document", "reply")(name, what, theme).claiming(text | metadatum | plain)
		t.bars = listed
		return t
	}
	missing := deform.Effect{Code: harness.MissingField, Around: true}
	instead := func(name, text, theme string, reply func(u *updater) string) trait {
		return row(name, text, theme).replying(func(u *updater) {
			s := reply(u)
			u.instead, u.effect = &s, missing
		})
	}
	one := func(texts ...string) func(u *updater) string {
		return func(u *updater) string { return generators.Pick(&u.Choices, texts) }
	}
	return []trait{
		instead("empty-object", "the reply is {}: missing_field, and no new version", "empty object", one("{}", "{ }\n")),
		instead("error-object", "the reply is an error message: missing_field, and no new version", "error message",
			one(`{"error":"rate limited"}`, `{"error":{"message":"overloaded","code":529}}`)),
		instead("whole-plan", "the reply is a whole plan: missing_field, and no new version", "full plan", wholePlan).
			first(leaveOut),
		instead("patch-reply", "the reply is a patch of another dialect: missing_field", "patch",
			one(`{"type":"PlanPatch","remove_steps":["step_1"]}`, `{"update_steps":[],"reason":"none"}`)),
		row("operations-missing", "the update has metadata but no operations: missing_field", "no operations").
			replying(func(u *updater) {
				name := u.another(u.p.name)
				u.meta, u.noList, u.effect = &metadata{name: &name}, true, missing
			}),
	}
}

// wholePlan writes the plan without the plain edit and with another first step.
func wholePlan(u *updater) string {
	v := u.p.value(false)
	v.Get("steps").Items[0].Put("description", generators.Text(u.phrase()))
	if u.OneIn(2) {
		v.Fields = append([]generators.Field{field("title", generators.Text(u.p.name))}, v.Fields...)
	}
	return deform.Write(v)
}

// listTraits are about the plain edit and the metadata.
func listTraits() []trait {
	about := func(name, text, theme string, meta func(u *updater) metadata) trait {
		return rows("document", "plan_metadata")(name, text, theme).claiming(metadatum).replying(func(u *updater) {
			m := meta(u)
			u.meta = &m
		})
	}
	bare := func(t trait) trait { return t.claiming(plain).first(leaveOut) }
	const alone, padded = "metadata alone", "padded metadata"
	return []trait{
		bare(rows("document", "edit")("no-plain-edit", "the update has no ordinary operation", "nothing else")),
		bare(about("operations-empty", "the list of operations and the metadata are empty: empty_patch", "no operations",
			func(*updater) metadata { return metadata{reason: "nothing to do"} })),
		bare(about("metadata-same", "the metadata repeats the current values and there are no operations: empty_patch",
			"nothing new", func(u *updater) metadata {
				return metadata{name: new(" " + u.p.name), description: new(u.p.description)}
			})).needing(padded),
		bare(about("metadata-only", "only the metadata changes: applied", alone, func(u *updater) metadata {
			return metadata{name: new("the plan called " + u.p.name), description: new(" ")}
		})),
		bare(about("metadata-prefix", "only the name changes, and one name begins like the other: applied", alone,
			func(u *updater) metadata {
				name := u.p.name[:len(u.p.name)-1]
				if u.OneIn(2) {
					name = u.p.name + " again"
				}
				return metadata{name: &name}
			})),
		about("metadata-spaced", "the new name of the plan has leading or trailing white space: it is trimmed",
			"white space", func(u *updater) metadata {
				name := " " + u.another(u.p.name) + "\n"
				return metadata{name: &name, reason: u.phrase()}
			}).needing(padded),
		about("metadata-absent", "the update has no metadata", "no metadata", func(*updater) metadata { return metadata{} }),
		about("metadata-null", "the metadata or its members are null: treated as absent", "null", func(u *updater) metadata {
			if u.OneIn(2) {
				return metadata{whole: &null}
			}
			return metadata{extra: []generators.Field{
				field("name", null), field("description", null), field("update_reason", null),
			}}
		}),
		about("metadata-kind", "the metadata has members of the wrong type: dropped", "wrong type",
			func(u *updater) metadata {
				if u.OneIn(2) {
					return metadata{whole: new(generators.Text("a better plan"))}
				}
				return metadata{extra: []generators.Field{
					field("name", generators.Raw("7")), field("version", generators.Raw("9")),
					field("update_reason", generators.Raw("[]")),
				}}
			}),
	}
}

// editTraits change how all operations are written, and how many replies there are.
func editTraits() []trait {
	row, replied := rows("edit", "edit"), rows("edit", "replies")
	reasons := func(change func(a *act, reason *generators.Value)) func(u *updater) {
		return func(u *updater) {
			for i := range u.acts {
				if r := u.acts[i].doc.Get("reason"); r != nil && r.IsText {
					change(&u.acts[i], r)
				}
			}
		}
	}
	second := replied("second-reply", "a second update follows: it applies to the result of the first", "two updates",
		open).needing("modify").claiming(replies)
	second.behind = func(u *updater) string {
		u.again, u.noList = true, false
		u.acts = []act{u.modify(u.mine(0))}
		return deform.Write(u.document(metadata{reason: u.phrase()}))
	}
	after := replied("refused-second", "a rejected update follows: it changes nothing", "rejected update").
		claiming(replies)
	before := replied("refused-first", "a rejected update comes first: it changes nothing", "rejected update").
		claiming(replies)
	after.behind, before.before = unreadable, unreadable
	return []trait{
		row("reasons-absent", "the operations have no reasons", "no reason").
			replying(reasons(func(a *act, _ *generators.Value) { a.doc.Drop("reason") })),
		row("reasons-odd", "the reasons of the operations contain line breaks and quotation marks", "odd text").
			replying(reasons(func(_ *act, r *generators.Value) {
				*r = generators.Text("\"why\": first\n\tthen </b> 步骤 " + r.Str)
			})),
		second, after, before,
	}
}

func unreadable(u *updater) string {
	u.refusals++
	return generators.Pick(&u.Choices, []string{"I cannot do that.", ""})
}
