package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// coerced, repaired and extracted are the effects of what reading gets past by
// one of its abilities.
func coerced(code harness.Code) (effect, bool) { return effect{code, generators.Coerce}, true }
func repaired() (effect, bool)                 { return effect{harness.NoDocument, generators.Repair}, true }
func extracted() (effect, bool)                { return effect{harness.NoDocument, generators.Extract}, true }

// refused is the effect of what reading refuses whatever it may do.
func refused(code harness.Code) (effect, bool) { return effect{code: code}, true }

// harmless is the effect of what changes no label.
func harmless() (effect, bool) { return effect{}, true }

// duplicated is the effect of a duplicate member.
func duplicated(u *updater) (effect, bool) {
	if u.profile.DuplicateKeys == harness.Last {
		return harmless()
	}
	return refused(harness.DuplicateKey)
}

// replyFaults are about the document of an update.
func replyFaults() []updateFault {
	return slices.Concat(noUpdateFaults(), listFaults(), coercedFaults(), memberFaults())
}

// noUpdateFaults are replies that hold no update at all.
func noUpdateFaults() []updateFault {
	fault := generators.Family("document")
	instead := func(name, what string, code harness.Code, texts ...string) updateFault {
		return updateFault{Trait: fault(name, what), reply: func(u *updater) (effect, bool) {
			reply := generators.Pick(&u.Choices, texts)
			u.alone()
			u.text.instead = &reply
			return refused(code)
		}}
	}
	return []updateFault{
		instead("empty-object", "the reply is {}: missing_field, and no new version", harness.MissingField, "{}", "{ }\n"),
		instead("error-object", "the reply is an error message: missing_field, and no new version", harness.MissingField,
			`{"error":"rate limited"}`, `{"error":{"message":"overloaded","code":529}}`),
		instead("null-reply", "the reply is null or another value: no_document", harness.NoDocument, "null", "[]", "true", "0"),
		instead("refusal", "the reply is prose: no_document", harness.NoDocument, "I am sorry, but I cannot change this plan.", "No changes are needed.", ""),
		{Trait: fault("whole-plan", "the reply is a whole plan: missing_field, and no new version"), reply: wholePlan},
		instead("patch-reply", "the reply is a patch of another dialect: missing_field", harness.MissingField,
			`{"type":"PlanPatch","remove_steps":["step_1"]}`, `{"update_steps":[],"reason":"none"}`),
		{Trait: fault("operations-missing", "the update has no operations, only metadata: missing_field"), reply: func(u *updater) (effect, bool) {
			name := generators.Pick(&u.Choices, generators.Phrases)
			u.alone()
			u.text.meta, u.text.noList = &metadata{name: &name}, true
			return refused(harness.MissingField)
		}},
		{Trait: fault("operations-null", "operations is null: bad_type"), reply: func(u *updater) (effect, bool) {
			null := generators.Raw("null")
			u.text.operations = &null
			return refused(harness.BadType)
		}},
	}
}

func wholePlan(u *updater) (effect, bool) {
	v := u.p.value(false)
	if u.OneIn(2) {
		v.Fields = append([]generators.Field{{Name: "title", Value: generators.Text(u.p.name)}}, v.Fields...)
	}
	w := generators.Writer{}
	w.Value(v)
	reply := string(w.B)
	u.alone()
	u.text.instead = &reply
	return refused(harness.MissingField)
}

// listFaults are about the list of operations.
func listFaults() []updateFault {
	fault := generators.Family("document")
	return []updateFault{
		{Trait: fault("operations-empty", "the list of operations is empty, and so is the metadata: empty_patch"), reply: func(u *updater) (effect, bool) {
			u.text.meta, u.text.noOperations = &metadata{reason: "nothing to do"}, true
			return harmless()
		}},
		{Trait: fault("metadata-same", "the metadata says what the plan says already, and there are no operations: empty_patch"), reply: func(u *updater) (effect, bool) {
			name := " " + u.p.name
			u.text.meta, u.text.noOperations = &metadata{name: &name, description: &u.p.description}, true
			return harmless()
		}},
		{Trait: fault("metadata-only", "only the metadata changes: applied"), reply: func(u *updater) (effect, bool) {
			name, blank := "the plan called "+u.p.name, " "
			u.text.meta, u.text.noOperations = &metadata{name: &name, description: &blank}, true
			return harmless()
		}},
		{Trait: fault("metadata-kind", "the metadata has members that cannot be used: dropped"), reply: func(u *updater) (effect, bool) {
			u.text.meta = &metadata{extra: []generators.Field{{Name: "name", Value: generators.Raw("7")}, {Name: "version", Value: generators.Raw("9")}, {Name: "update_reason", Value: generators.Raw("[]")}}}
			if u.OneIn(2) {
				whole := generators.Text("a better plan")
				u.text.meta = &metadata{whole: &whole}
			}
			return harmless()
		}},
		{Trait: fault("unknown-member", "the update has a member that it does not know: dropped"), reply: func(u *updater) (effect, bool) {
			u.text.last = []generators.Field{{Name: "explanation", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}, {Name: "version", Value: generators.Raw("99")}}
			return harmless()
		}},
	}
}

// coercedFaults are updates of another shape.
func coercedFaults() []updateFault {
	fault := generators.Family("shape")
	wrap := func(name, what string, how generators.Wrap, code harness.Code) updateFault {
		return updateFault{Trait: fault(name, what), reply: func(u *updater) (effect, bool) {
			u.alone()
			if u.OneIn(2) {
				u.text.last = []generators.Field{{Name: "explanation", Value: generators.Text(generators.Pick(&u.Choices, generators.Phrases))}} // which coercion strips
			}
			u.text.wrap = how
			u.blur()
			return coerced(code)
		}}
	}
	return []updateFault{
		wrap("in-array", "the update stands in a list: no_document, opened by coercion", generators.WrapArray, harness.NoDocument),
		wrap("in-string", "the update stands in a string: no_document, decoded by coercion", generators.WrapString, harness.NoDocument),
		wrap("in-object", "the update stands in an object: missing_field, opened by coercion", generators.WrapObject, harness.MissingField),
		wrap("in-call", "the update is the arguments of a call: missing_field, opened by coercion", generators.WrapCall, harness.MissingField),
		wrap("in-call-text", "the update is the text of a call's arguments: missing_field, decoded by coercion", generators.WrapCallText, harness.MissingField),
		{Trait: fault("operations-object", "operations is one operation, and no list: bad_type, wrapped by coercion").Weigh(48), reply: func(u *updater) (effect, bool) {
			if len(u.acts) != 1 || u.acts[0].doc.Json != "" {
				return effect{}, false
			}
			u.alone()
			u.text.operations = &u.acts[0].doc
			u.blur()
			return coerced(harness.BadType)
		}},
	}
}

// blur forgets the warnings of the operations: coercion takes away what some of
// them are about.
func (u *updater) blur() {
	for i := range u.acts {
		u.acts[i].warnings = nil
	}
}

// memberFaults are members that are duplicate, nest too deep, or hold what is no
// text.
func memberFaults() []updateFault {
	fault := generators.Family("members")
	last := func(name, what string, code harness.Code, json string) updateFault {
		return updateFault{Trait: fault(name, what), reply: func(u *updater) (effect, bool) {
			u.text.last = []generators.Field{{Name: "note", Value: generators.Raw(json)}}
			return refused(code)
		}}
	}
	return []updateFault{
		last("lone-surrogate", "a text holds the escape of half a character: invalid_utf8", harness.InvalidUTF8, `"\ud83d"`),
		last("invalid-utf8", "a text holds bytes that are not UTF-8: invalid_utf8", harness.InvalidUTF8, "\"a\xffb\""),
		last("too-deep", "a member nests deeper than the limit: too_deep", harness.TooDeep, strings.Repeat(`{"a":`, 70)+"1"+strings.Repeat("}", 70)),
		{Trait: fault("too-large", "the reply is larger than the limit: reply_too_large"), prepare: func(u *updater) {
			u.limits.MaxReplyBytes = new(largeReply)
		}, reply: func(u *updater) (effect, bool) {
			u.text.padding = largeReply
			return refused(harness.ReplyTooLarge)
		}},
		{Trait: fault("duplicate-operations", "operations is a duplicate member: duplicate_key, or the last counts"), reply: func(u *updater) (effect, bool) {
			u.text.first = []generators.Field{{Name: "operations", Value: generators.Raw("[]")}}
			return duplicated(u)
		}},
		{Trait: fault("duplicate-member", "an operation has a duplicate member: duplicate_key, or the last counts").Weigh(24), reply: func(u *updater) (effect, bool) {
			for i := range u.acts {
				doc := &u.acts[i].doc
				if doc.Json == "" && len(doc.Fields) > 0 && doc.Fields[0].Name == "type" {
					doc.Fields = append([]generators.Field{{Name: "type", Value: generators.Text("remove")}}, doc.Fields...)
					return duplicated(u)
				}
			}
			return effect{}, false
		}},
	}
}

// largeReply is a limit that no update of the generator comes near.
const largeReply = 48 << 10

// surroundUpdateFaults are about the text of a reply.
func surroundUpdateFaults() []updateFault {
	fault := generators.Family("text")
	around := func(name, what string, before, after []string) updateFault {
		return updateFault{Trait: fault(name, what), reply: func(u *updater) (effect, bool) {
			u.alone()
			u.text.before, u.text.after = generators.Pick(&u.Choices, before), generators.Pick(&u.Choices, after)
			return extracted()
		}}
	}
	none := []string{""}
	spelled := func(name, what string, change func(*replyText)) updateFault {
		return updateFault{Trait: fault(name, what+": no_document, or repaired"), reply: func(u *updater) (effect, bool) {
			u.alone()
			change(&u.text)
			return repaired()
		}}
	}
	return []updateFault{
		around("prose", "prose stands round the update: extracted", generators.Openings, generators.Closings),
		around("fence", "the update stands in a fence: extracted", []string{"```json\n", "Here:\n~~~\n"}, []string{"\n```", "\n~~~\n"}),
		around("think-draft", "another update stands in a <think> block: the one behind counts",
			[]string{`<think>Perhaps {"operations":[{"type":"remove","step_id":"step_1"}]}?</think>` + "\n"}, none),
		around("byte-order-mark", "a byte order mark stands before the update: extracted", []string{"\ufeff"}, none),
		around("second-update", "another update stands behind it: the first counts", none,
			[]string{"\n\nOr rather:\n" + `{"operations":[{"type":"add","step_data":{"name":"second"}}]}`}),
		around("broken-first", "an object before it is no update: the one behind counts",
			[]string{`{"operations":7}` + "\nI mean:\n", `{"plan_metadata":{"name":"draft"}}` + "\n"}, none),
		spelled("trailing-comma", "a comma stands behind every last element", func(t *replyText) { t.style.Trailing = true }),
		spelled("comment", "a comment stands in the update", func(t *replyText) { t.style.Comment = "// the update\n" }),
		spelled("single-quotes", "single quotes round names and texts", func(t *replyText) { t.style.Quote = [2]string{"'", "'"} }),
		spelled("unquoted-names", "names without quotes", func(t *replyText) { t.style.Bare = true }),
		spelled("python-literal", "None stands for null", func(t *replyText) { t.last = []generators.Field{{Name: "reason", Value: generators.Raw("None")}} }),
		{Trait: fault("cut-off", "the reply ends behind its last operation: no_document, closed by repair"), reply: func(u *updater) (effect, bool) {
			if n := len(u.acts); n > 0 && u.acts[n-1].doc.Json != "" && !strings.HasSuffix(u.acts[n-1].doc.Json, "}") {
				return effect{}, false // a number or a word could go on
			}
			u.alone()
			u.text.unclosed = true
			return repaired()
		}},
	}
}

// recordFaults are about the case as a whole.
func recordFaults() []updateFault {
	fault := generators.Family("plan")
	unsound := func(name, what string, spoil func(u *updater, v *generators.Value)) updateFault {
		return updateFault{Trait: fault(name, what+": invalid_plan").Weigh(4), spoil: func(u *updater) harness.Code {
			v := u.p.value(true)
			spoil(u, &v)
			w := generators.Writer{}
			w.Value(v)
			u.planText = string(w.B)
			return harness.InvalidPlan
		}}
	}
	// step changes the first step of a plan.
	step := func(change func(u *updater, v *generators.Value)) func(u *updater, v *generators.Value) {
		return func(u *updater, v *generators.Value) {
			for i := range v.Fields {
				if v.Fields[i].Name == "steps" {
					change(u, &v.Fields[i].Items[0])
				}
			}
		}
	}
	put := func(name string, texts ...string) func(u *updater, v *generators.Value) {
		return func(u *updater, v *generators.Value) {
			v.Fields = slices.DeleteFunc(v.Fields, func(f generators.Field) bool { return f.Name == name })
			v.Add(name, generators.Raw(generators.Pick(&u.Choices, texts)))
		}
	}
	return []updateFault{
		unsound("plan-status", "a status of the plan is spelled otherwise, or of another dialect", step(put("status", `"done"`, `"Completed"`, `"in_progress"`, `"blocked"`))),
		unsound("plan-blank-id", "an id of the plan is blank", step(put("id", `""`, `" "`))),
		unsound("plan-dangling", "a step of the plan depends on none that exists", step(put("dependencies", `["nowhere"]`))),
		unsound("plan-cycle", "a step of the plan depends on itself", step(func(u *updater, v *generators.Value) {
			put("dependencies", string(generators.AppendText([]byte("["), u.p.steps[0].id))+"]")(u, v)
		})),
		unsound("plan-duplicate-id", "the plan has a duplicate id", func(u *updater, v *generators.Value) {
			for i := range v.Fields {
				if v.Fields[i].Name == "steps" {
					v.Fields[i].Items = append(v.Fields[i].Items, u.p.steps[0].value(true))
				}
			}
		}),
		unsound("plan-version", "the version of the plan is none", put("version", "0", "-1", `"2"`, "1.5")),
		unsound("plan-step-unnamed", "a step of the plan has neither name nor description", step(func(_ *updater, v *generators.Value) {
			v.Fields = slices.DeleteFunc(v.Fields, func(f generators.Field) bool { return f.Name == "name" || f.Name == "description" })
		})),
		unsound("plan-history", "the history of the plan is no list", put("history", `{}`, `"none"`)),
		unsound("plan-malformed", "the plan is no plan", func(_ *updater, v *generators.Value) { *v = generators.Raw(`{"name":"x","steps":{}}`) }),
		{Trait: fault("limit-zero", "the limit of steps is below 1: bad_limit").Weigh(8), spoil: func(u *updater) harness.Code {
			u.limit = 0
			u.limits.MaxPlanSteps = new(-u.Below(3))
			return harness.BadLimit
		}},
		{Trait: fault("no-replies", "there is no reply: replies_exhausted").Weigh(6), silent: true},
	}
}
