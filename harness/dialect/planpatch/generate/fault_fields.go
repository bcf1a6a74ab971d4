package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// fieldFaults are unexpected members.
func fieldFaults() []patchTrait {
	fault := generators.Family("fields")
	return []patchTrait{
		{
			Trait: fault("extra-top",
				"the patch has an unknown member: extra_field, stripped by coercion").Says("unknown member", "patch"),
			kind: inPatch, shares: aReading, plant: extraTop,
		},
		{
			Trait: fault("extra-case",
				"a member name of the patch differs in case: extra_field, because names are exact").Says("member in another case",
				"patch"),
			kind: inPatch, shares: aReading, plant: extraCase,
		},
		{
			Trait: fault("extra-update",
				"an update has an unknown member: extra_field, stripped by coercion").Says("unknown member", "update"),
			kind: inPatch, shares: aReading, open: 1, puts: updates, plant: extraUpdate,
		},
		{
			Trait: fault("extra-add",
				"an added step has an unknown member: extra_field, or dropped with a warning").Says("unknown member", "add"),
			kind: inPatch, shares: aReading, puts: adds, plant: extraAdd,
		},
		{Trait: fault("status-in-update", "an update sets a status: extra_field, stripped by coercion").Says("status",
			"update"), kind: inPatch, shares: aReading, open: 1, puts: updates, plant: statusInUpdate},
		{
			Trait: fault("steps-smuggled", "a patch also has steps: wrong_document, never a patch").Says("steps of a full plan",
				"patch").Needing("full plan"), kind: inPatch, claims: aType | aTitle | aWrap | aContent, shares: aReading,
			plant: stepsSmuggled,
		},
		{
			Trait: fault("type-wrong", "the type names another document: wrong_document").Says("wrong type", "patch"),
			kind:  inPatch, claims: aType, shares: aReading, plant: typeWrong,
		},
		{
			Trait: fault("type-null", "the type is null: treated as absent").Says("null", "type"), claims: aType,
			plant: typeNull,
		},
		{
			Trait: fault("type-absent",
				"the document has no type: a patch, or a full plan if it has steps").Says("absent member", "type"),
			claims: aType, plant: func(d *draft) effect {
				d.doc.typ = generators.None
				return planted
			},
		},
	}
}

var strangeMembers = [...]string{
	`{"assumptions":["none"]}`, `{"risks":"low"}`, `{"priority":1}`, `{"notes":null}`,
	`{"expected_output":"a file"}`, `{"confidence":0.9,"thinking":"…"}`,
}

func (d *draft) strange() []byte { return []byte(generators.Pick(&d.Choices, strangeMembers[:])) }

// also appends members to the document.
func (d *draft) also(members string) {
	d.doc.extra = joined(d.doc.extra, members)
}

// joined returns one object with the members of both.
func joined(object []byte, members string) []byte {
	if object == nil {
		return []byte(members)
	}
	return append(append(slices.Clone(object[:len(object)-1]), ','), members[1:]...)
}

func extraTop(d *draft) effect {
	d.also(string(d.strange()))
	return misread(inMembers, harness.ExtraField, true)
}

func extraCase(d *draft) effect {
	d.also(generators.Pick(&d.Choices, []string{
		`{"Title":"x"}`, `{"ADD_STEPS":[]}`, `{"Remove_Steps":["x"]}`,
		`{"add-steps":[]}`,
	}))
	return misread(inMembers, harness.ExtraField, true)
}

func extraUpdate(d *draft) effect {
	return d.misreadUpdate(twist{extra: d.strange()}, harness.ExtraField, true)
}

func extraAdd(d *draft) effect {
	if d.profile.ExtraFields == harness.Drop {
		return d.misreadAdd(twist{extra: d.strange()}, "", false)
	}
	return d.misreadAdd(twist{extra: d.strange()}, harness.ExtraField, true)
}

func statusInUpdate(d *draft) effect {
	status := `{"status":` + generators.Quoted(string(generators.Pick(&d.Choices, plan.Statuses()))) + `}`
	return d.misreadUpdate(twist{extra: []byte(status)}, harness.ExtraField, true)
}

func stepsSmuggled(d *draft) effect {
	d.doc.steps = generators.Pick(&d.Choices, []string{"[]", "null", `[{"id":"x","description":"y"}]`})
	d.doc.typ = `"PlanPatch"`
	return misread(inType, harness.WrongDocument, false)
}

func typeWrong(d *draft) effect {
	d.doc.typ = generators.Pick(&d.Choices, []string{`"FullPlan"`, `"planpatch"`, `"Plan"`, `""`, `"PlanPatch "`})
	return misread(inType, harness.WrongDocument, false)
}

func typeNull(d *draft) effect {
	d.doc.typ = "null"
	return planted
}
