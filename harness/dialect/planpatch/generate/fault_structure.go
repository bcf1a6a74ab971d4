package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// structureFaults are documents of the wrong shape.
func structureFaults() []patchTrait {
	fault := generators.Family("structure")
	return slices.Concat([]patchTrait{
		{
			Trait: fault("null-required", "a required member is null: bad_type").Says("null", "add"), kind: inPatch,
			shares: aReading, puts: adds, plant: nullRequired,
		},
		{Trait: fault("null-optional-add", "optional members of an added step are null: treated as absent").Says("null",
			"add"), kind: inPatch, puts: adds, plant: nullOptionalAdd},
		{Trait: fault("null-optional-update", "optional members of an update are null: treated as absent").Says("null",
			"update"), kind: inPatch, open: 1, puts: updates, plant: nullOptionalUpdate},
		{
			Trait: fault("null-remove-list", "remove_steps is null: treated as absent").Says("null", "remove_steps"),
			kind:  inPatch, claims: aRemoveList, plant: nullList(removes,
				func(doc *document) *string { return &doc.removeList }),
		},
		{
			Trait: fault("null-update-list", "update_steps is null: treated as absent").Says("null", "update_steps"),
			kind:  inPatch, claims: aUpdateList, plant: nullList(updates,
				func(doc *document) *string { return &doc.updateList }),
		},
		{
			Trait: fault("null-add-list", "add_steps is null: treated as absent").Says("null", "add_steps"), kind: inPatch,
			claims: aAddList, plant: nullList(adds, func(doc *document) *string { return &doc.addList }),
		},
		{
			Trait: fault("null-in-list", "a list contains null: bad_type").Says("null in a list", "patch"), kind: inPatch,
			shares: aReading, puts: removes | adds, plant: nullInList,
		},
		{
			Trait: fault("scalar-for-list", "a list is a string: bad_type, wrapped by coercion").Says("text for a list", "add"),
			kind:  inPatch, shares: aReading, puts: adds, plant: scalarForList,
		},
		{
			Trait: fault("text-for-remove-list",
				"remove_steps is a string: bad_type, wrapped by coercion").Says("text for a list", "remove_steps"),
			kind: inPatch, claims: aRemoveList, shares: aReading, open: 1, puts: removes, plant: textForRemoveList,
		},
		{
			Trait: fault("object-for-list",
				"a list of objects is one object: bad_type, wrapped by coercion").Says("object for a list", "update_steps"),
			kind: inPatch, claims: aUpdateList, shares: aReading, open: 1, puts: updates, plant: onOpen(objectForList),
		},
		{
			Trait: fault("list-of-wrong-type",
				"a list of strings contains numbers, booleans or objects: bad_type").Says("wrong type in a list", "patch"),
			kind: inPatch, shares: aReading, open: 1, puts: removes | updates | adds, plant: listOfWrongType,
		},
		{
			Trait: fault("list-in-string",
				"a list is written as a JSON string: bad_type, decoded by coercion").Says("list as a JSON text", "add"),
			kind: inPatch, shares: aReading, puts: adds, plant: listInString,
		},
		{Trait: fault("item-not-object", "a list of steps contains a string: bad_type").Says("item that is no object",
			"patch"), kind: inPatch, shares: aReading, open: 1, puts: updates | adds, plant: itemNotObject},
		{
			Trait: fault("number-for-text",
				"a description is a number, a boolean or a list: bad_type").Says("wrong type of a description", "add"),
			kind: inPatch, shares: aReading, puts: adds, plant: numberForText,
		},
		{
			Trait: fault("number-as-string",
				"an added id is a number written as a string: it stays a string").Says("number as id", "add"),
			kind: inPatch, puts: adds, plant: numberAsString,
		},
		{
			Trait: fault("missing-id", "an added step or an update has no id: missing_field").Says("missing id", "patch"),
			kind:  inPatch, shares: aReading, open: 1, puts: updates | adds, plant: missingID,
		},
		{Trait: fault("missing-description", "an added step has no description: missing_field").Says("missing description",
			"add"), kind: inPatch, shares: aReading, puts: adds, plant: missingDescription},
		{
			Trait: fault("empty-patch", "the patch changes nothing: empty_patch").Says("no change", "patch"), kind: inPatch,
			claims: aContent, stage: onShape, plant: changeNothing,
		},
		{Trait: fault("title-only", "the patch changes only the title: applied").Says("title only",
			"patch").Needing("title"), kind: inPatch, claims: aContent | aTitle, stage: onShape, plant: titleOnly},
		{Trait: fault("title-blank", "the title in the reply is blank: the old title stays").Says("blank title",
			"title").Needing("title"), claims: aTitle, stage: onShape, plant: titleBlank},
		{Trait: fault("title-wrong-type", "the title is not a string: bad_type").Says("wrong type of the title",
			"title").Needing("title"), claims: aTitle, shares: aReading, stage: onShape, plant: titleWrongType},
		{
			Trait: fault("title-space",
				"the title has leading or trailing white space: it is trimmed").Says("white space around the title",
				"title").Needing("title"),
			claims: aTitle, stage: onShape, plant: titleSpace,
		},
		{
			Trait: fault("title-absent", "the patch has no title: the old title stays").Says("absent member", "title"),
			kind:  inPatch, claims: aTitle, stage: onShape,
			plant: func(d *draft) effect { d.doc.title = generators.None; return planted },
		},
		{
			Trait: fault("reason-absent", "the patch has no reason").Says("absent member", "reason"), kind: inPatch,
			claims: aReason, plant: func(d *draft) effect { d.doc.reason = generators.None; return planted },
		},
		{Trait: fault("reason-wrong-type", "the reason is not a string: bad_type").Says("wrong type of the reason",
			"reason"), kind: inPatch, claims: aReason, shares: aReading, plant: reasonWrongType},
		{
			Trait: fault("lists-absent", "the patch leaves out empty lists").Says("absent member", "patch"), kind: inPatch,
			shares: aDepth, plant: func(d *draft) effect { d.doc.noLists = true; return planted },
		},
		{Trait: fault("defaults-absent", "an added step leaves out members with default values").Says("absent member",
			"add"), shares: aForm, plant: func(d *draft) effect { d.doc.brief = true; return planted }},
		{
			Trait: fault("update-one-member",
				"an update gives one member of its step: the others stay").Says("update of one member", "update"),
			kind: inPatch, open: 2, puts: updates, plant: updateOneMember,
		},
		{
			Trait: fault("update-to-the-same",
				"an update repeats the current value: nothing changes").Says("update to the same", "update"),
			kind: inPatch, open: 1, puts: updates, plant: onOpen(updateToSame),
		},
		{
			Trait: fault("remove-everything",
				"the patch removes every step: empty_plan, or done_immutable if one is finished").Says("removal of every step",
				"remove"),
			kind: inPatch, claims: aContent | aOpen | aDone | aRemoveList, puts: removes, stage: onShape,
			plant: removeEverything,
		},
	}, wrapperFaults(), fullFaults())
}

// wrapperFaults put the document into another value.
func wrapperFaults() []patchTrait {
	fault := generators.Family("structure")
	wrapping := func(w generators.Wrap) func(*draft) effect {
		return func(d *draft) effect {
			d.noise.wrap = w
			return d.wrapped()
		}
	}
	const claims = aWrap | aSyntax | aOutside
	return []patchTrait{
		{
			Trait: fault("several-objects", "the reply contains two patches: the first counts").Says("two patches",
				"text").Needing("title", "remove"), kind: inPatch, claims: aOthers | aReading | aSyntax | aWrap | aSuffix | aType,
			plant: severalObjects,
		},
		{
			Trait: fault("array-wrapper",
				"the document is inside a list: no_document, unwrapped by coercion").Says("document in a list", "text"),
			claims: claims, plant: wrapping(generators.WrapArray),
		},
		{
			Trait: fault("wrapper-object",
				"the document is inside an object: extra_field, unwrapped by coercion").Says("document in an object", "text"),
			claims: claims, plant: wrapping(generators.WrapObject),
		},
		{
			Trait: fault("json-in-string",
				"the document is written as a JSON string: no_document, decoded by coercion").Says("document as a JSON text",
				"text"),
			claims: claims, plant: wrapping(generators.WrapString),
		},
		{
			Trait: fault("tool-call-wrapper",
				"the document is the arguments of a tool call: extra_field, unwrapped by coercion").Says("tool call", "text"),
			claims: claims, plant: wrapping(generators.WrapCall),
		},
		{Trait: fault("tool-call-string", "the document is a tool call's arguments as a JSON string: extra_field, "+
			"unwrapped by coercion").Says("tool call", "text"), claims: claims, plant: wrapping(generators.WrapCallText)},
		{
			Trait: fault("tool-call-tags",
				"the reply is a tool call in tags: no_document, because it is not a plan edit").Says("tool call in tags", "text"),
			claims: claims, plant: wrapping(generators.WrapTagged),
		},
		{
			Trait: fault("other-json-value",
				"the reply is a JSON value but not an object: no_document").Says("JSON that is no object", "text"),
			claims: claims, plant: otherValue,
		},
	}
}

// wrapped is the effect of a value around the document.
func (d *draft) wrapped() effect {
	outer := harness.ExtraField // of a wrapper, read as the document
	if d.full {
		outer = harness.MissingField
	}
	switch d.noise.wrap {
	case generators.WrapArray, generators.WrapString:
		return misread(replyShape, harness.NoDocument, true)
	// in prose a wrapper is no document by itself, and the rules do not say whether coercion opens it
	case generators.WrapTagged:
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

func nullOptionalAdd(d *draft) effect {
	a := d.newItem()
	a.step.Dependencies = nil
	a.twist = &twist{dependencies: "null", status: "null"}
	return d.put(&d.doc.adds, a)
}

// nullOptionalUpdate leaves the dependencies of a step that has some as they are.
func nullOptionalUpdate(d *draft) effect {
	i := d.useDependent()
	if i < 0 {
		return notPlanted
	}
	u := d.described(i)
	if u.twist = (&twist{dependencies: "null", tools: "null"}); d.lacks("tools_expected") {
		u.twist.tools = ""
	}
	return d.put(&d.doc.updates, u)
}

// useDependent takes an open step, if there is one with a dependency that stays.
func (d *draft) useDependent() int {
	i := d.pickStep(func(i int) bool { return d.isOpen(i) && len(d.P.Steps[i].Dependencies) > 0 && d.keepsAll(i) })
	if i < 0 {
		i = d.pickStep(d.isOpen)
	}
	return d.use(i)
}

// nullList plants null in place of a list to which nobody adds an item.
func nullList(list lists, json func(*document) *string) func(*draft) effect {
	return func(d *draft) effect {
		d.spared |= list
		*json(&d.doc) = "null"
		return planted
	}
}

func nullInList(d *draft) effect {
	switch d.Below(3) {
	case 0:
		return d.misreadRemove(twist{whole: "null"}, harness.BadType)
	case 1:
		if !d.lacks("tools_expected") {
			return d.misreadAdd(twist{tools: `["grep",null]`}, harness.BadType, false)
		}
	}
	return d.misreadAdd(twist{dependencies: "[null]"}, harness.BadType, false)
}

func scalarForList(d *draft) effect {
	a, ok := d.onOne()
	if !ok {
		return notPlanted
	}
	a.twist = &twist{dependencies: generators.Quoted(a.step.Dependencies[0])}
	if d.OneIn(2) && !d.lacks("tools_expected") {
		a.step.ToolsExpected = []string{"grep"}
		a.twist = &twist{tools: `"grep"`}
	}
	a.read, a.coerced = harness.BadType, true
	return d.put(&d.doc.adds, a)
}

func textForRemoveList(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	d.spared |= removes
	d.put(&d.doc.removes, d.removal(i))
	d.doc.removeList = generators.Quoted(d.P.Steps[i].ID)
	return misread(inRemoves, harness.BadType, true)
}

func objectForList(d *draft, i int) effect {
	d.spared |= updates
	u := d.described(i)
	var w generators.Writer
	d.writeUpdate(&w, &u)
	d.doc.updateList = string(w.B)
	d.put(&d.doc.updates, u)
	return misread(inUpdates, harness.BadType, true)
}

func listOfWrongType(d *draft) effect {
	switch d.Below(5) {
	case 0:
		return d.misreadRemove(twist{whole: `{"id":"x"}`}, harness.BadType)
	case 3:
		return d.misreadAdd(twist{dependencies: "0"}, harness.BadType, false) // and coerced, [0]
	case 1:
		return d.misreadUpdate(twist{dependencies: "[true]"}, harness.BadType, false)
	case 2:
		return d.misreadAdd(twist{dependencies: "[1, 2]"}, harness.BadType, false)
	}
	return d.misreadAdd(twist{dependencies: `[["x"]]`}, harness.BadType, false)
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
	return d.misreadAdd(twist{description: generators.Pick(&d.Choices, []string{"42", "false", `["x"]`, "{}"})},
		harness.BadType, false)
}

func numberAsString(d *draft) effect {
	return d.put(&d.doc.adds, d.named(generators.Pick(&d.Choices,
		[]string{"7", "12", "007", "1e3", "-1", "9007199254740993"})))
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
	d.doc.title = generators.Quoted(generators.Pick(&d.Choices, spaces[:]))
	return planted
}

func titleSpace(d *draft) effect {
	d.doc.newTitle = d.phrase(d.P.Title)
	d.doc.title = generators.Quoted(generators.Pick(&d.Choices, spaces[:]) + d.doc.newTitle + generators.Pick(&d.Choices,
		spaces[:]))
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

func updateOneMember(d *draft) effect {
	i := d.useDependent()
	if i < 0 {
		return notPlanted
	}
	return d.put(&d.doc.updates, d.described(i))
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
		d.takeAway(i)
		d.put(&d.doc.removes, r)
	}
	return planted
}

func severalObjects(d *draft) effect {
	d.noise.after = generators.Pick(&d.Choices, []string{"\n\nor else:\n", "\n", "\n\nFinal answer: "}) +
		generators.Pick(&d.Choices, []string{`{"title":"another patch"}`, `{"type":"PlanPatch","remove_steps":["x"]}`})
	return surrounded
}

func otherValue(d *draft) effect {
	d.noise.instead = new(generators.Pick(&d.Choices, []string{
		"42", "null", "true", "[]", `"done"`,
		`["step_1", "step_2"]`,
	}))
	return broken
}

// fullFaults are full plans of the wrong shape.
func fullFaults() []patchTrait {
	fault := generators.Family("structure")
	return []patchTrait{
		{
			Trait: fault("full-plan",
				"the reply is a plain full plan: the rung fullplan, or as the ladder says").Says("full plan",
				"full plan").Needing("full plan"),
			claims: aWhole, stage: onShape, plant: wholePlan,
		},
		{Trait: fault("full-duplicate-id", "two steps of a full plan have the same id: duplicate_id").Says("one id twice",
			"full plan"), kind: inFullPlan, open: 1, plant: onOpen(fullDuplicateID)},
		{
			Trait: fault("full-empty", "a full plan has no steps: empty_plan").Says("no steps", "full plan"), kind: inFullPlan,
			claims: aSteps | aReading, plant: fullEmpty,
		},
		{
			Trait: fault("full-without-title", "a full plan has no title: missing_field").Says("missing title", "full plan"),
			kind:  inFullPlan, claims: aTitle, shares: aReading, stage: onShape, plant: fullWithoutTitle,
		},
		{
			Trait: fault("full-extra-fields",
				"a full plan has unknown members: they are dropped with a warning").Says("unknown member", "full plan"),
			kind: inFullPlan, plant: fullExtraFields,
		},
		{
			Trait: fault("full-same",
				"a full plan equals the old plan: empty_patch, unless an open step has begun").Says("no change", "full plan"),
			kind: inFullPlan, claims: aContent | aTitle, stage: onShape, plant: changeNothing,
		},
		{Trait: fault("full-cycle", "new steps of a full plan depend on each other: dependency_cycle").Says("cycle",
			"full plan"), kind: inFullPlan, claims: aCycle, plant: fullCycle},
		{
			Trait: fault("full-missing-dependency",
				"a step of a full plan depends on an unknown step: missing_dependency").Says("unknown dependency", "full plan"),
			kind: inFullPlan, plant: fullMissing,
		},
		{
			Trait: fault("full-blank-id", "the id of a step in a full plan is blank: empty_id").Says("blank id", "full plan"),
			kind:  inFullPlan, shares: aReading, plant: func(d *draft) effect {
				return d.misreadStep(twist{id: d.blank()},
					harness.EmptyID)
			},
		},
		{
			Trait: fault("full-missing-description",
				"a step of a full plan has no description: missing_field").Says("missing description", "full plan"),
			kind: inFullPlan, shares: aReading, plant: func(d *draft) effect {
				return d.misreadStep(twist{description: generators.None}, harness.MissingField)
			},
		},
		{
			Trait: fault("full-reorders-open",
				"a full plan reorders open steps: the new order applies").Says("open steps in another order", "full plan"),
			kind: inFullPlan, open: 2, claims: aOpen, plant: fullReordersOpen,
		},
		{
			Trait: fault("full-brings-policy",
				"a full plan sets a verification policy: it replaces the old one").Says("verification policy",
				"full plan").Needing("verification_policy"),
			kind: inFullPlan, claims: aPolicy, plant: func(d *draft) effect {
				d.doc.policy = `"manual_review"`
				return planted
			},
		},
		{
			Trait: fault("full-leaves-policy", "a full plan leaves out the verification policy or sets it to null: the old "+
				"one stays").Says("verification policy", "full plan").Needing("verification_policy").InBase(), kind: inFullPlan,
			claims: aPolicy, stage: onPlan, plant: fullLeavesPolicy,
		},
		{
			Trait: fault("full-leaves-results",
				"a full plan leaves out the unknown members of a finished step: they stay").Says("unknown members of a done step",
				"full plan").Needing("unknown members").InBase(),
			kind: inFullPlan, done: 1, stage: onPlan, plant: onDone(withResult),
		},
		{
			Trait: fault("full-begun", "a full plan contains an open step that was in progress, blocked or failed: it "+
				"becomes pending").Says("step in progress", "full plan").InBase(), kind: inFullPlan, open: 1, stage: onPlan,
			plant: onOpen(begun),
		},
	}
}

// wholePlan makes the reply a full plan.
func wholePlan(d *draft) effect {
	d.full = true
	d.doc.typ, d.doc.reason = `"FullPlan"`, ""
	return planted
}

func fullLeavesPolicy(d *draft) effect {
	d.P.VerificationPolicy = "run_pytest"
	if d.OneIn(3) {
		d.doc.policy = "null"
	}
	return planted
}

func fullReordersOpen(d *draft) effect {
	var open []*item
	for k := range d.doc.adds {
		if a := &d.doc.adds[k]; a.at >= 0 && d.isOpen(a.at) {
			open = append(open, a)
		}
	}
	for i, j := 0, len(open)-1; i < j; i, j = i+1, j-1 {
		open[i].key, open[j].key = open[j].key, open[i].key
	}
	return planted
}

// misreadStep plants a step of a full plan that cannot be read.
func (d *draft) misreadStep(t twist, code harness.Code) effect {
	return d.misreadAdd(t, code, false)
}

func fullDuplicateID(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.ghost = true
	d.put(&d.doc.adds, a)
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
