package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// extracted, repaired and coerced are the effects of what reading gets past by one
// of its abilities.
func coerced(code harness.Code) effect { return effect{code, generators.Coerce} }
func repaired() effect                 { return effect{harness.NoDocument, generators.Repair} }
func extracted() effect                { return effect{harness.NoDocument, generators.Extract} }

// refused is the effect of what reading refuses whatever it may do.
func refused(code harness.Code) effect { return effect{code: code} }

// duplicated is the effect of a duplicate member.
func (u *updater) duplicated() effect {
	if u.profile.DuplicateKeys == harness.Last {
		return effect{}
	}
	return refused(harness.DuplicateKey)
}

// replyTraits are about the document of an update.
func replyTraits() []trait {
	return slices.Concat(noUpdateTraits(), listTraits(), coercedTraits(), memberTraits())
}

// noUpdateTraits are replies that hold no update at all.
func noUpdateTraits() []trait {
	row := generators.Family("document")
	instead := func(name, what, theme string, reply func(u *updater) string, code harness.Code) trait {
		return trait{
			Trait: row(name, what).Says(theme, "reply"), claim: text | document | metadatum | plain, bars: listed,
			reply: func(u *updater) effect {
				s := reply(u)
				u.text.instead = &s
				return refused(code)
			},
		}
	}
	one := func(texts ...string) func(u *updater) string {
		return func(u *updater) string { return generators.Pick(&u.Choices, texts) }
	}
	return []trait{
		instead("empty-object", "the reply is {}: missing_field, and no new version", "empty object", one("{}", "{ }\n"),
			harness.MissingField),
		instead("error-object", "the reply is an error message: missing_field, and no new version", "error message",
			one(`{"error":"rate limited"}`, `{"error":{"message":"overloaded","code":529}}`), harness.MissingField),
		instead("null-reply", "the reply is null or another JSON value: no_document", "null", one("null", "[]", "true", "0"),
			harness.NoDocument),
		instead("blank-reply", "the reply is empty: no_document", "empty reply", one("", " \n"), harness.NoDocument),
		instead("refusal", "the reply is only prose: no_document", "prose", one("I am sorry, but I cannot change this plan.",
			"No changes are needed."), harness.NoDocument),
		instead("whole-plan", "the reply is a whole plan: missing_field, and no new version", "full plan", wholePlan,
			harness.MissingField),
		instead("patch-reply", "the reply is a patch of another dialect: missing_field", "patch",
			one(`{"type":"PlanPatch","remove_steps":["step_1"]}`, `{"update_steps":[],"reason":"none"}`), harness.MissingField),
		{Trait: row("operations-missing", "the update has metadata but no operations: missing_field").Says("no operations",
			"reply"), claim: text | document | metadatum | plain, bars: listed, reply: func(u *updater) effect {
			name := u.another(u.p.name)
			u.text.meta, u.text.noList = &metadata{name: &name}, true
			return refused(harness.MissingField)
		}},
		{
			Trait: row("operations-null", "operations is null: bad_type").Says("null", "operations"),
			claim: text | document | plain, bars: listed, reply: func(u *updater) effect {
				null := generators.Raw("null")
				u.text.operations = &null
				return refused(harness.BadType)
			},
		},
	}
}

func wholePlan(u *updater) string {
	v := u.p.value(false)
	if u.OneIn(2) {
		v.Fields = append([]generators.Field{field("title", generators.Text(u.p.name))}, v.Fields...)
	}
	w := generators.Writer{}
	w.Value(v)
	return string(w.B)
}

// listTraits are about the plain edit and the metadata.
func listTraits() []trait {
	row := generators.Family("document")
	about := func(name, what, theme string, meta func(u *updater) metadata) trait {
		return trait{Trait: row(name, what).Says(theme, "plan_metadata"), claim: metadatum, reply: func(u *updater) effect {
			m := meta(u)
			u.text.meta = &m
			return effect{}
		}}
	}
	// bare leaves the plain edit out.
	bare := func(t trait) trait {
		t.claim |= plain
		t.base = func(u *updater) { u.bare = true }
		return t
	}
	return []trait{
		bare(trait{Trait: row("no-plain-edit", "the update has no ordinary operation").Says("nothing else", "edit")}),
		bare(about("operations-empty", "the list of operations and the metadata are empty: empty_patch", "no operations",
			func(*updater) metadata { return metadata{reason: "nothing to do"} })),
		bare(about("metadata-same", "the metadata repeats the current values and there are no operations: empty_patch",
			"nothing new", func(u *updater) metadata {
				name, description := " "+u.p.name, u.p.description
				return metadata{name: &name, description: &description}
			})),
		bare(about("metadata-only", "only the metadata changes: applied", "metadata alone", func(u *updater) metadata {
			name, blank := "the plan called "+u.p.name, " "
			return metadata{name: &name, description: &blank}
		})),
		about("metadata-spaced", "the new name of the plan has leading or trailing white space: it is trimmed",
			"white space", func(u *updater) metadata {
				name := " " + u.another(u.p.name) + "\n"
				return metadata{name: &name, reason: u.phrase()}
			}),
		about("metadata-absent", "the update has no metadata", "no metadata", func(*updater) metadata { return metadata{} }),
		about("metadata-null", "the metadata or its members are null: treated as absent", "null", func(u *updater) metadata {
			null := generators.Raw("null")
			if u.OneIn(2) {
				return metadata{whole: &null}
			}
			return metadata{extra: []generators.Field{
				field("name", null), field("description", null),
				field("update_reason", null),
			}}
		}),
		about("metadata-kind", "the metadata has members of the wrong type: dropped", "wrong type",
			func(u *updater) metadata {
				if u.OneIn(2) {
					whole := generators.Text("a better plan")
					return metadata{whole: &whole}
				}
				return metadata{extra: []generators.Field{
					field("name", generators.Raw("7")), field("version", generators.Raw("9")),
					field("update_reason", generators.Raw("[]")),
				}}
			}),
		{
			Trait: row("unknown-member", "the update has an unknown member: dropped").Says("unknown member", "reply"),
			claim: document, reply: func(u *updater) effect {
				u.text.last = []generators.Field{
					field("explanation", generators.Text(u.phrase())),
					field("version", generators.Raw("99")),
				}
				return effect{}
			},
		},
	}
}

// coercedTraits are updates of another shape.
func coercedTraits() []trait {
	row := generators.Family("shape")
	wrap := func(name, what, theme string, how generators.Wrap, code harness.Code) trait {
		return trait{Trait: row(name, what).Says(theme, "text"), claim: text | document, reply: func(u *updater) effect {
			if u.OneIn(2) {
				u.text.last = []generators.Field{field("explanation", generators.Text(u.phrase()))} // which coercion strips
			}
			u.text.wrap = how
			u.blur()
			return coerced(code)
		}}
	}
	return []trait{
		wrap("in-array", "the update is inside a list: no_document, unwrapped by coercion", "list around it",
			generators.WrapArray, harness.NoDocument),
		wrap("in-string", "the update is a JSON string: no_document, decoded by coercion", "string around it",
			generators.WrapString, harness.NoDocument),
		wrap("in-object", "the update is inside an object: missing_field, unwrapped by coercion", "object around it",
			generators.WrapObject, harness.MissingField),
		wrap("in-call", "the update is the arguments of a tool call: missing_field, unwrapped by coercion", "tool call",
			generators.WrapCall, harness.MissingField),
		wrap("in-call-text", "the update is a tool call's arguments as a JSON string: missing_field, decoded by coercion",
			"tool call", generators.WrapCallText, harness.MissingField),
		{
			Trait: needs(row("operations-object", "operations is one operation instead of a list: bad_type, wrapped by coercion").Says("object for a list", "operations"), "modify"), claim: text | document | plain, bars: listed,
			steps: []role{open}, base: func(u *updater) { u.bare = true }, reply: func(u *updater) effect {
				u.acts = []act{u.modify(u.mine(0))}
				u.text.operations = &u.acts[0].doc
				u.blur()
				return coerced(harness.BadType)
			},
		},
	}
}

// blur forgets the warnings of the operations: coercion takes away what some of
// them are about.
func (u *updater) blur() {
	for i := range u.acts {
		u.acts[i].warnings = nil
	}
}

// memberTraits are members that are duplicate, nest too deep, or hold what is no
// text.
func memberTraits() []trait {
	row := generators.Family("members")
	last := func(name, what, theme string, code harness.Code, json string) trait {
		return trait{Trait: row(name, what).Says(theme, "reply"), claim: text | document, reply: func(u *updater) effect {
			u.text.last = []generators.Field{field("note", generators.Raw(json))}
			return refused(code)
		}}
	}
	deep, large := last("too-deep", "a member nests deeper than max_depth: too_deep", "deep nesting", harness.TooDeep,
		strings.Repeat(`{"a":`, 70)+"1"+strings.Repeat("}", 70)),
		trait{
			Trait: row("too-large", "the reply exceeds max_reply_bytes: reply_too_large").Says("size", "reply"),
			claim: text | document, reply: func(u *updater) effect {
				u.limits.MaxReplyBytes = new(largeReply)
				u.text.padding = largeReply
				return refused(harness.ReplyTooLarge)
			},
		}
	deep.Needs, large.Needs = []string{"max_depth"}, []string{"max_reply_bytes"}
	return []trait{
		last("lone-surrogate", "a string contains a lone surrogate: invalid_utf8", "lone surrogate", harness.InvalidUTF8,
			`"\ud83d"`),
		last("invalid-utf8", "a string contains bytes that are not UTF-8: invalid_utf8", "broken UTF-8", harness.InvalidUTF8,
			"\"a\xffb\""),
		deep, large,
		{
			Trait: row("duplicate-operations",
				"the update has two members named operations: duplicate_key, or the last counts").Says("duplicate member", "reply"),
			claim: text | document, reply: func(u *updater) effect {
				u.text.first = []generators.Field{field("operations", generators.Raw("[]"))}
				return u.duplicated()
			},
		},
		{
			Trait: needs(row("duplicate-member",
				"an operation has a duplicate member: duplicate_key, or the last counts").Says("duplicate member", "edit"),
				"remove"),
			claim: text | document | plain, reply: func(u *updater) effect {
				for i := range u.acts {
					if doc := &u.acts[i].doc; doc.Json == "" && doc.Fields[0].Name == "type" {
						doc.Fields = append([]generators.Field{field("type", generators.Text("remove"))}, doc.Fields...)
						break
					}
				}
				return u.duplicated()
			},
		},
	}
}

// largeReply is a limit that no update of the generator comes near.
const largeReply = 48 << 10

// surroundTraits are about the text of a reply.
func surroundTraits() []trait {
	row := generators.Family("text")
	around := func(name, what, theme string, before, after []string, needed ...string) trait {
		return trait{
			Trait: needs(row(name, what).Says(theme, "text"), needed...), claim: text,
			reply: func(u *updater) effect {
				u.text.before, u.text.after = generators.Pick(&u.Choices, before), generators.Pick(&u.Choices, after)
				return extracted()
			},
		}
	}
	none := []string{""}
	spelled := func(name, what, theme string, change func(*replyText)) trait {
		return trait{
			Trait: row(name, what+": no_document, or repaired").Says(theme, "text"), claim: text,
			reply: func(u *updater) effect {
				change(&u.text)
				return repaired()
			},
		}
	}
	laid := func(name, what string, style generators.Style) trait {
		return trait{Trait: row(name, what).Says("layout", "text"), claim: text, reply: func(u *updater) effect {
			u.text.style = style
			return effect{}
		}}
	}
	cut, literal := spelled("cut-off", "the reply is cut off after its last operation", "cut off",
		func(t *replyText) { t.unclosed = true }),
		spelled("python-literal", "the update contains None for null", "Python",
			func(t *replyText) { t.last = []generators.Field{field("reason", generators.Raw("None"))} })
	cut.claim, literal.claim, cut.bars = text|document, text|document, raw
	draft := `{"operations":[{"type":"remove","step_id":"step_1"}]}`
	return []trait{
		laid("indented", "the update is indented", generators.Style{Indent: 2, Gap: " ", Newline: "\n"}),
		laid("indented-crlf", "the update is indented with lines that end with CR LF",
			generators.Style{Indent: 4, Gap: " ", Newline: "\r\n"}),
		{Trait: row("rotated", "plan_metadata follows the operations, and type is the last member").Says("order of members",
			"text"), claim: document, reply: func(u *updater) effect {
			u.text.rotated = true
			return effect{}
		}},
		around("prose", "prose surrounds the update: extracted", "prose", generators.Openings, generators.Closings),
		around("fence", "the update is in a code fence: extracted", "fence", []string{"```json\n"}, []string{"\n```"}),
		around("fence-in-prose", "the update is in a code fence after prose: extracted", "fence",
			[]string{"Here:\n~~~\n", "Here you are:\n\n```\n"}, []string{"\n~~~\n", "\n```\n"}),
		around("think-draft", "a <think> block contains another update: only the update after it counts", "draft in <think>",
			[]string{"<think>Perhaps " + draft + "?</think>\n"}, none, "remove"),
		around("think-fence", "a <think> block contains another update in a code fence: only the update after it counts",
			"draft in <think>", []string{"<think>\nPerhaps:\n```json\n" + draft + "\n```\n</think>\n"}, none, "remove"),
		around("byte-order-mark", "a byte order mark precedes the update: extracted", "byte order mark", []string{"\ufeff"},
			none),
		around("second-update", "a second update follows the first: the first counts", "second document", none,
			[]string{"\n\nOr rather:\n" + `{"operations":[{"type":"add","step_data":{"name":"second"}}]}`}, "add"),
		around("broken-first", "an object that is not an update precedes the update: the second counts", "other object first",
			[]string{`{"operations":7}` + "\nI mean:\n", `{"plan_metadata":{"name":"draft"}}` + "\n"}, none),
		spelled("trailing-comma", "lists and objects end with a trailing comma", "trailing comma",
			func(t *replyText) { t.style.Trailing = true }),
		spelled("comment", "the update contains a comment", "comment",
			func(t *replyText) { t.style.Comment = "// the update\n" }),
		spelled("single-quotes", "names and strings are in single quotes", "single quotes",
			func(t *replyText) { t.style.Quote = [2]string{"'", "'"} }),
		spelled("unquoted-names", "member names are not quoted", "unquoted names",
			func(t *replyText) { t.style.Bare = true }),
		literal, cut,
	}
}

// editTraits change how the operations are written.
func editTraits() []trait {
	row := generators.Family("edit")
	each := func(change func(u *updater, a *act)) func(u *updater) effect {
		return func(u *updater) effect {
			for i := range u.acts {
				if u.acts[i].doc.Json == "" {
					change(u, &u.acts[i])
				}
			}
			return effect{}
		}
	}
	return []trait{
		{
			Trait: row("reasons-absent", "the operations have no reasons").Says("no reason", "edit"),
			reply: each(func(_ *updater, a *act) {
				if r := a.doc.Get("reason"); r != nil && r.Str != nil {
					a.doc.Drop("reason")
				}
			}),
		},
		{Trait: row("reasons-odd", "the reasons of the operations contain line breaks and quotation marks").Says("odd text",
			"edit"), reply: each(func(_ *updater, a *act) {
			if r := a.doc.Get("reason"); r != nil && r.Str != nil {
				*r = generators.Text("\"why\": first\n\tthen </b> 步骤 " + *r.Str)
			}
		})},
		{
			Trait: row("spelt-ids",
				"ids in the reply have leading or trailing white space: they are trimmed").Says("white space around ids", "edit"),
			reply: each(func(_ *updater, a *act) {
				spell(a.doc.Get("step_id"))
				if data := a.doc.Get("step_data"); data != nil {
					spell(data.Get("id"))
					if list := data.Get("dependencies"); list != nil {
						for i := range list.Items {
							spell(&list.Items[i])
						}
					}
				}
			}),
		},
		{
			Trait: needs(row("second-reply",
				"a second update follows: it applies to the result of the first").Says("two updates", "replies"), "modify"),
			claim: replies, steps: []role{open}, behind: func(u *updater) metadata {
				u.acts = []act{u.modify(u.mine(0))}
				return metadata{reason: u.phrase()}
			},
		},
		{
			Trait: row("refused-second", "a rejected update follows: it changes nothing").Says("rejected update", "replies"),
			claim: replies, behind: refusedUpdate,
		},
		{
			Trait: row("refused-first", "a rejected update comes first: it changes nothing").Says("rejected update", "replies"),
			claim: replies, before: refusedUpdate,
		},
	}
}

// refusedUpdate is an unreadable update.
func refusedUpdate(u *updater) metadata {
	reply := generators.Pick(&u.Choices, []string{"I cannot do that.", ""})
	u.text.instead, u.effect = &reply, refused(harness.NoDocument)
	return metadata{}
}

// spell puts white space around an id.
func spell(id *generators.Value) {
	if id != nil && id.Str != nil && trimmed(*id.Str) != "" {
		*id = generators.Text(" " + trimmed(*id.Str) + "\t")
	}
}
