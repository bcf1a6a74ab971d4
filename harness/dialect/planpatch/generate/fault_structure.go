package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// structureFaults are documents of the wrong shape.
func structureFaults() []patchFault {
	fault := generators.Family("structure")
	return slices.Concat([]patchFault{
		{Trait: fault("null-required", "a required member is null: bad_type"), shares: aReading, plant: nullRequired},
		{Trait: fault("null-optional", "an optional member is null: as if it were absent"), plant: nullOptional},
		{Trait: fault("null-in-list", "a list holds a null: bad_type"), shares: aReading, plant: nullInList},
		{Trait: fault("scalar-for-list", "a text stands where a list should: bad_type, wrapped by coercion"), shares: aReading, plant: scalarForList},
		{Trait: fault("object-for-list", "an object stands where a list of objects should: bad_type, wrapped by coercion"), claims: aUpdateList, shares: aReading, stage: onTail, plant: objectForList},
		{Trait: fault("list-of-wrong-type", "a list of texts holds numbers, booleans or objects: bad_type"), shares: aReading, plant: listOfWrongType},
		{Trait: fault("list-in-string", "a list is written as a JSON string: bad_type, decoded by coercion"), shares: aReading, plant: listInString},
		{Trait: fault("item-not-object", "a list of steps holds a text: bad_type"), shares: aReading, plant: itemNotObject},
		{Trait: fault("number-for-text", "a description is a number, a boolean or a list: bad_type"), shares: aReading, plant: numberForText},
		{Trait: fault("number-as-string", "an added id is a number written as a string: it stays that string"), plant: numberAsString},
		{Trait: fault("missing-id", "an added step or an update has no id: missing_field"), shares: aReading, plant: missingID},
		{Trait: fault("missing-description", "an added step has no description: missing_field"), shares: aReading, plant: missingDescription},
		{Trait: fault("empty-patch", "a patch that changes nothing: empty_patch"), claims: aContent, stage: onShape, plant: changeNothing},
		{Trait: fault("title-only", "a patch that changes the title alone: applied"), claims: aContent | aTitle, stage: onShape, plant: titleOnly},
		{Trait: fault("title-blank", "the title is blank: the old one stays"), kind: inAny, claims: aTitle, plant: titleBlank},
		{Trait: fault("title-wrong-type", "the title is no text: bad_type"), kind: inAny, claims: aTitle, shares: aReading, plant: titleWrongType},
		{Trait: fault("reason-wrong-type", "the reason is no text: bad_type"), claims: aReason, shares: aReading, plant: reasonWrongType},
		{Trait: fault("update-to-the-same", "an update says what stands there already: it changes nothing"), needs: generators.WantOpen, plant: onOpen(updateToSame)},
		{Trait: fault("remove-everything", "every step is removed: empty_plan, or done_immutable if one is done"), claims: aContent, stage: onShape, plant: removeEverything},
	}, wrapperFaults(), fullFaults())
}

// wrapperFaults put the document into another value.
func wrapperFaults() []patchFault {
	fault := generators.Family("structure")
	wrapping := func(w generators.Wrap) func(*draft) effect {
		return func(d *draft) effect {
			d.noise.wrap = w
			return d.wrapped()
		}
	}
	const claims = aWrap | aSyntax | aOutside
	return []patchFault{
		{Trait: fault("several-objects", "two patches in one reply: the first counts"), claims: aOthers | aReading | aSyntax | aWrap | aSuffix | aType, plant: severalObjects},
		{Trait: fault("array-wrapper", "the document is the one element of a list: no_document, opened by coercion"), kind: inAny, claims: claims, plant: wrapping(generators.WrapArray)},
		{Trait: fault("wrapper-object", "the document is the one member of an object: extra_field, opened by coercion"), kind: inAny, claims: claims, plant: wrapping(generators.WrapObject)},
		{Trait: fault("json-in-string", "the document is written as a JSON string: no_document, decoded by coercion"), kind: inAny, claims: claims, plant: wrapping(generators.WrapString)},
		{Trait: fault("tool-call-wrapper", "the document is the arguments of a tool call: extra_field, opened by coercion"), kind: inAny, claims: claims, plant: wrapping(generators.WrapCall)},
		{Trait: fault("tool-call-string", "the document is the arguments of a tool call, as a JSON string: extra_field, opened by coercion"), kind: inAny, claims: claims, plant: wrapping(generators.WrapCallText)},
		{Trait: fault("tool-call-tags", "a tool call stands in tags: no_document, for it is no plan edit"), kind: inAny, claims: claims, plant: wrapping(generators.WrapTagged)},
		{Trait: fault("other-json-value", "the reply is a JSON value, but no object: no_document"), kind: inAny, claims: claims, plant: otherValue},
	}
}

// wrapped is the effect of the value that the document stands in.
func (d *draft) wrapped() effect {
	outer := harness.ExtraField // of a wrapper, read as the document
	if d.full {
		outer = harness.MissingField
	}
	switch d.noise.wrap {
	case generators.WrapArray, generators.WrapString:
		return misread(replyShape, harness.NoDocument, true)
	case generators.WrapTagged: // in prose a wrapper is no document by itself, and the rules do not say whether coercion opens it
		return effect{at: replyText, code: harness.NoDocument, takes: generators.Extract | generators.Coerce, open: true}
	case generators.WrapCallText:
		return misread(inCallText, outer, true)
	}
	return misread(inWrapper, outer, true)
}

func nullRequired(d *draft) effect {
	t := twist{id: "null"}
	if d.OneIn(2) {
		t = twist{description: "null"}
	}
	return d.misreadAdd(t, harness.BadType, false)
}

func nullOptional(d *draft) effect {
	a := d.newItem()
	a.step.Dependencies = nil
	a.twist = &twist{dependencies: "null", status: "null"}
	if i := d.useOpen(); i >= 0 && d.OneIn(2) {
		u := d.described(i)
		u.twist = &twist{dependencies: "null", tools: "null"}
		return d.put(&d.doc.updates, u)
	}
	return d.put(&d.doc.adds, a)
}

func nullInList(d *draft) effect {
	switch d.Below(3) {
	case 0:
		return d.misreadRemove(twist{whole: "null"}, harness.BadType)
	case 1:
		return d.misreadAdd(twist{dependencies: "[null]"}, harness.BadType, false)
	}
	return d.misreadAdd(twist{tools: `["grep",null]`}, harness.BadType, false)
}

func scalarForList(d *draft) effect {
	a, ok := d.onOne()
	if !ok {
		return notPlanted
	}
	a.twist = &twist{dependencies: generators.Quoted(a.step.Dependencies[0])}
	if d.OneIn(2) {
		a.step.ToolsExpected = []string{"grep"}
		a.twist = &twist{tools: `"grep"`}
	}
	a.read, a.coerced = harness.BadType, true
	return d.put(&d.doc.adds, a)
}

func objectForList(d *draft) effect {
	if len(d.doc.updates) == 0 {
		if i := d.useOpen(); i >= 0 {
			d.doc.updates = append(d.doc.updates, d.described(i))
		}
	}
	if len(d.doc.updates) != 1 || d.doc.updates[0].twist != nil {
		return notPlanted
	}
	var w generators.Writer
	d.writeUpdate(&w, &d.doc.updates[0])
	d.doc.updateList = string(w.B)
	return misread(inUpdates, harness.BadType, true)
}

func listOfWrongType(d *draft) effect {
	switch d.Below(5) {
	case 0:
		return d.misreadRemove(twist{whole: `{"id":"x"}`}, harness.BadType)
	case 3:
		return d.misreadAdd(twist{dependencies: "0"}, harness.BadType, false) // and coerced, [0]
	case 1:
		return d.misreadUpdate(twist{tools: "[true]"}, harness.BadType, false)
	case 2:
		return d.misreadAdd(twist{dependencies: "[1, 2]"}, harness.BadType, false)
	}
	return d.misreadAdd(twist{tools: `[["grep"]]`}, harness.BadType, false)
}

func listInString(d *draft) effect {
	a, ok := d.onOne()
	if !ok {
		return notPlanted
	}
	a.twist = &twist{dependencies: generators.Quoted("[" + generators.Quoted(a.step.Dependencies[0]) + "]")}
	a.read, a.coerced = harness.BadType, true
	return d.put(&d.doc.adds, a)
}

func itemNotObject(d *draft) effect {
	t := twist{whole: generators.Pick(&d.Choices, []string{`"step_1"`, "1", "[]", "null"})}
	if d.OneIn(2) {
		return d.misreadAdd(t, harness.BadType, false)
	}
	return d.misreadUpdate(t, harness.BadType, false)
}

func numberForText(d *draft) effect {
	return d.misreadAdd(twist{description: generators.Pick(&d.Choices, []string{"42", "false", `["x"]`, "{}"})}, harness.BadType, false)
}

func numberAsString(d *draft) effect {
	return d.put(&d.doc.adds, d.named(generators.Pick(&d.Choices, []string{"007", "1e3", "-1", "9007199254740993"})))
}

func missingID(d *draft) effect {
	if d.OneIn(2) {
		return d.misreadAdd(twist{id: generators.None}, harness.MissingField, false)
	}
	return d.misreadUpdate(twist{id: generators.None}, harness.MissingField, false)
}

func missingDescription(d *draft) effect {
	return d.misreadAdd(twist{description: generators.None}, harness.MissingField, false)
}

func changeNothing(d *draft) effect {
	d.bare = true
	return planted
}

func titleOnly(d *draft) effect {
	d.bare = true
	d.doc.newTitle = d.phrase(d.P.Title)
	return planted
}

func titleBlank(d *draft) effect {
	d.doc.newTitle, d.doc.title = "", generators.Quoted(generators.Pick(&d.Choices, spaces[:]))
	return planted
}

func titleWrongType(d *draft) effect {
	d.doc.title = generators.Pick(&d.Choices, []string{"7", "[]", "{}", "true"})
	return misread(inTitle, harness.BadType, false)
}

func reasonWrongType(d *draft) effect {
	d.doc.reason = generators.Pick(&d.Choices, []string{"7", `["because"]`, "{}", "false"})
	return misread(inReason, harness.BadType, false)
}

func updateToSame(d *draft, i int) effect {
	s := &d.P.Steps[i]
	return d.put(&d.doc.updates, item{
		at: i, has: hasDescription | hasTools,
		step: plan.Step{ID: s.ID, Description: s.Description, ToolsExpected: s.ToolsExpected},
	})
}

func removeEverything(d *draft) effect {
	d.bare = true
	for i := range d.P.Steps {
		r := d.removal(i)
		if d.isDone(i) {
			r.apply = harness.DoneImmutable
		}
		d.used[i], d.removed[i] = true, true
		d.doc.removes = append(d.doc.removes, r)
	}
	return planted
}

func severalObjects(d *draft) effect {
	d.noise.after = generators.Pick(&d.Choices, []string{"\n\nor else:\n", "\n", "\n\nFinal answer: "}) +
		generators.Pick(&d.Choices, []string{`{"title":"another patch"}`, `{"type":"PlanPatch","remove_steps":["x"]}`})
	return surrounded
}

func otherValue(d *draft) effect {
	d.noise.instead = new(generators.Pick(&d.Choices, []string{"42", "null", "true", "[]", `"done"`, `["step_1", "step_2"]`}))
	return broken
}

// fullFaults are full plans of the wrong shape.
func fullFaults() []patchFault {
	fault := generators.Family("structure")
	return []patchFault{
		{Trait: fault("full-duplicate-id", "a full plan has two steps of one id: duplicate_id"), kind: inFullPlan, shares: aSteps, plant: fullDuplicateID},
		{Trait: fault("full-empty", "a full plan without steps: empty_plan"), kind: inFullPlan, plant: fullEmpty},
		{Trait: fault("full-without-title", "a full plan without a title: missing_field"), kind: inFullPlan, claims: aTitle, shares: aReading, plant: fullWithoutTitle},
		{Trait: fault("full-extra-fields", "a full plan with members of its own making: they are dropped with a warning"), kind: inFullPlan, plant: fullExtraFields},
		{Trait: fault("full-same", "a full plan that is the old plan: empty_patch, unless an open step has begun"), kind: inFullPlan, claims: aContent | aTitle, stage: onShape, plant: changeNothing},
		{Trait: fault("full-cycle", "a full plan whose new steps depend on each other: dependency_cycle"), kind: inFullPlan, claims: aCycle, plant: fullCycle},
		{Trait: fault("full-missing-dependency", "a full plan with a dependency that leads nowhere: missing_dependency"), kind: inFullPlan, plant: fullMissing},
	}
}

func fullDuplicateID(d *draft) effect {
	a := d.newItem()
	a.ghost = true
	a.step.ID = d.doc.adds[d.Below(len(d.doc.adds))].step.ID
	d.doc.adds = append(d.doc.adds, a)
	return effect{at: idsTwice, code: harness.DuplicateID}
}

func fullEmpty(d *draft) effect {
	d.doc.steps = "[]"
	return effect{at: noSteps, code: harness.EmptyPlan}
}

func fullWithoutTitle(d *draft) effect {
	d.doc.title = generators.None
	return misread(inTitle, harness.MissingField, false)
}

func fullExtraFields(d *draft) effect {
	d.also(string(d.strange()))
	return d.put(&d.doc.adds, item{
		at: -1, step: plan.Step{ID: d.newID(), Description: d.phrase(""), Status: plan.Pending},
		twist: &twist{extra: d.strange()},
	})
}

func fullCycle(d *draft) effect { return d.ring(1 + d.Below(4)) }

func fullMissing(d *draft) effect { return d.missingAdd(d.newID()) }
