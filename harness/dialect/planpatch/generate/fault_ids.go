package generate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// described returns an update of the step's description.
func (d *draft) described(i int) item {
	s := &d.P.Steps[i]
	return item{at: i, has: hasDescription, step: plan.Step{ID: s.ID, Description: d.phrase(s.Description)}}
}

// named returns a new step with that id, and whose id the new steps lack.
func (d *draft) named(id string) item {
	a := d.newItem()
	d.next--
	a.step.ID = id
	return a
}

// stranger returns an update or a removal of no step of the plan.
func stranger(id, description string) item {
	return item{at: -1, ghost: true, has: hasDescription, step: plan.Step{ID: id, Description: description}}
}

// often is the weight of conflicts, because each profile resolves them differently.
const often = 24

func idFaults() []patchTrait {
	return slices.Concat(conflictFaults(), spellingFaults())
}

// conflictFaults are ids in two lists or twice in one. Every one takes a step
// separately, so one patch can have several.
func conflictFaults() []patchTrait {
	fault := generators.Family("ids")
	return []patchTrait{
		{Trait: fault("conflict-remove-update",
			"the patch removes and updates one step: id_conflict under reject, else the update wins").Says("one id in two lists", "remove and update").Weigh(often), open: 1, puts: removes | updates, plant: onOpen(conflictRemoveUpdate)},
		{
			Trait: fault("conflict-remove-add", "the patch removes a step and adds it again: id_conflict under reject, "+
				"duplicate_id under keep, an update under replace").Says("one id in two lists", "remove and add").Weigh(often),
			open: 1, puts: removes | adds, plant: onOpen(conflictRemoveAdd),
		},
		{Trait: fault("conflict-remove-add-new",
			"the patch removes and adds an unknown id: id_conflict under reject, else the step is added").Says("one unknown id in two lists", "remove and add").Weigh(often), puts: removes | adds, plant: conflictRemoveAddNew},
		{
			Trait: fault("conflict-update-add", "the patch updates and adds one step: id_conflict under reject, else the "+
				"update wins").Says("one id in two lists", "update and add").Weigh(often), open: 1, puts: updates | adds,
			plant: onOpen(conflictUpdateAdd),
		},
		{Trait: fault("conflict-update-add-new",
			"the patch updates and adds an unknown id: id_conflict under reject, unknown_step under keep, added under replace").Says("one unknown id in two lists", "update and add").Weigh(often), puts: updates | adds, plant: conflictUpdateAddNew},
		{
			Trait: fault("conflict-all-three", "the patch removes, updates and adds one step: id_conflict under reject, else "+
				"only the update applies").Says("one id in three lists", "patch").Weigh(often), open: 1,
			puts: removes | updates | adds, plant: onOpen(conflictAllThree),
		},
		{
			Trait: fault("duplicate-add", "two added steps have the same id: duplicate_id").Says("one id twice", "add"),
			puts:  adds, plant: duplicateAdd,
		},
		{
			Trait: fault("duplicate-update",
				"the patch updates one step twice: duplicate_id, or the last update wins").Says("one id twice", "update"),
			open: 1, puts: updates, plant: onOpen(duplicateUpdate),
		},
		{
			Trait: fault("duplicate-remove", "the patch removes one step twice: it is removed").Says("one id twice", "remove"),
			open:  1, puts: removes, plant: duplicateRemove,
		},
		{
			Trait: fault("add-existing-id",
				"an added step has the id of an existing step: duplicate_id").Says("id of an existing step", "add"),
			open: 1, puts: adds, plant: onOpen(addExisting),
		},
	}
}

// conflict is the effect of an id in two lists, which some rules refuse.
func (d *draft) conflict() effect {
	if d.profile.Conflicts == harness.Reject {
		return effect{at: idsInConflict, code: harness.IDConflict}
	}
	return planted
}

func conflictRemoveUpdate(d *draft, i int) effect {
	d.put(&d.doc.removes, d.removal(i))
	d.put(&d.doc.updates, d.described(i))
	return d.conflict()
}

func conflictRemoveAdd(d *draft, i int) effect {
	s := &d.P.Steps[i]
	a := item{at: i, ghost: true, step: plan.Step{
		ID: s.ID, Description: d.phrase(s.Description),
		Dependencies: d.lower(d.Rank[i], d.Below(3)), Status: plan.Pending, ToolsExpected: d.tools(),
	}}
	d.put(&d.doc.removes, item{at: i, step: plan.Step{ID: s.ID}})
	switch d.profile.Conflicts {
	case harness.Keep:
		a.apply = harness.DuplicateID
	case harness.Replace:
		d.doc.silent = append(d.doc.silent, item{at: i, has: hasDescription | hasDependencies | hasTools, step: a.step})
	}
	d.put(&d.doc.adds, a)
	return d.conflict()
}

func conflictRemoveAddNew(d *draft) effect {
	a := d.newItem()
	d.put(&d.doc.removes, stranger(a.step.ID, ""))
	d.put(&d.doc.adds, a)
	return d.conflict()
}

func conflictUpdateAdd(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.ghost = true
	d.put(&d.doc.updates, d.described(i))
	d.put(&d.doc.adds, a)
	return d.conflict()
}

func conflictUpdateAddNew(d *draft) effect {
	a := d.newItem()
	u := stranger(a.step.ID, d.phrase(""))
	if d.profile.Conflicts == harness.Keep {
		u.apply, a.ghost = harness.UnknownStep, true
	}
	d.put(&d.doc.updates, u)
	d.put(&d.doc.adds, a)
	return d.conflict()
}

func conflictAllThree(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.ghost = true
	d.put(&d.doc.removes, d.removal(i))
	d.put(&d.doc.updates, d.described(i))
	d.put(&d.doc.adds, a)
	return d.conflict()
}

func duplicateAdd(d *draft) effect {
	a := d.newItem()
	b := a
	b.step.Description, b.ghost = d.phrase(a.step.Description), true
	d.put(&d.doc.adds, a)
	d.put(&d.doc.adds, b)
	return effect{at: idsTwice, code: harness.DuplicateID}
}

func duplicateUpdate(d *draft, i int) effect {
	d.put(&d.doc.updates, item{at: i, ghost: true, has: hasTools | hasDescription, step: plan.Step{
		ID: d.P.Steps[i].ID, Description: d.phrase(d.P.Steps[i].Description), ToolsExpected: d.tools(),
	}})
	last := d.described(i)
	d.put(&d.doc.updates, last)
	a, b := &d.doc.updates[len(d.doc.updates)-2], &d.doc.updates[len(d.doc.updates)-1]
	a.key, b.key = min(a.key, b.key), max(a.key, b.key)
	if d.profile.DuplicateUpdates == harness.Reject {
		return effect{at: idsTwice, code: harness.DuplicateID}
	}
	return planted
}

func duplicateRemove(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	d.put(&d.doc.removes, d.removal(i))
	return d.put(&d.doc.removes, d.removal(i))
}

func addExisting(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.apply = harness.DuplicateID
	return d.put(&d.doc.adds, a)
}

// spellingFaults are ids that are nearly another id, or hardly one.
func spellingFaults() []patchTrait {
	fault := generators.Family("ids")
	return []patchTrait{
		{
			Trait: fault("id-space-update",
				"the id in an update has leading or trailing white space: it is trimmed").Says("white space around an id",
				"update"),
			open: 1, puts: updates, plant: onOpen(idSpaceUpdate),
		},
		{
			Trait: fault("id-space-remove",
				"the id in a removal has leading or trailing white space: it is trimmed").Says("white space around an id",
				"remove"),
			open: 1, puts: removes, plant: idSpaceRemove,
		},
		{
			Trait: fault("id-space-add",
				"an added id differs from an existing one only in white space: duplicate_id").Says("white space around an "+
				"existing id", "add"),
			open: 1, puts: adds, plant: onOpen(idSpaceAdd),
		},
		{
			Trait: fault("id-space-new",
				"an added id has leading or trailing white space: it is trimmed").Says("white space around an id", "add"),
			puts: adds, plant: idSpaceNew,
		},
		{Trait: fault("id-case-update", "the id in an update differs in case: unknown_step").Says("id in another case",
			"update"), claims: aVariant, open: 1, puts: updates, plant: onOpen(idCaseUpdate)},
		{
			Trait: fault("id-case-add",
				"an added id differs from an existing one only in case: applied, with a warning").Says("id in another case", "add"),
			claims: aVariant, puts: adds, plant: idCaseAdd,
		},
		{
			Trait: fault("id-normal-form-update",
				"the id in an update has another Unicode normal form: unknown_step").Says("id in another normal form", "update"),
			claims: aVariant, puts: updates, plant: idNormalFormUpdate,
		},
		{
			Trait: fault("id-normal-form-add", "an added id differs from an existing one only in its Unicode normal form: "+
				"applied, with a warning").Says("id in another normal form", "add"), claims: aVariant, puts: adds,
			plant: idNormalFormAdd,
		},
		{
			Trait: fault("id-not-normal",
				"an added id is not in Unicode compatibility form (NFKC): it stays unchanged").Says("id in another normal form",
				"add"),
			puts: adds, plant: idNotNormal,
		},
		{
			Trait:  fault("id-empty-add", "the id of an added step is blank: empty_id").Says("blank id", "add"),
			shares: aReading, puts: adds, plant: idEmptyAdd,
		},
		{
			Trait:  fault("id-empty-update", "the id in an update is blank: empty_id").Says("blank id", "update"),
			shares: aReading, open: 1, puts: updates, plant: idEmptyUpdate,
		},
		{
			Trait:  fault("id-empty-remove", "the id in a removal is blank: empty_id").Says("blank id", "remove"),
			shares: aReading, puts: removes, plant: idEmptyRemove,
		},
		{
			Trait:  fault("id-number-add", "the id of an added step is a number: bad_type").Says("number for an id", "add"),
			shares: aReading, puts: adds, plant: idNumberAdd,
		},
		{
			Trait:  fault("id-number-update", "the id in an update is a number: bad_type").Says("number for an id", "update"),
			shares: aReading, open: 1, puts: updates, plant: idNumberUpdate,
		},
		{
			Trait:  fault("id-number-remove", "the id in a removal is a number: bad_type").Says("number for an id", "remove"),
			shares: aReading, puts: removes, plant: idNumberRemove,
		},
		{
			Trait: fault("id-inherited",
				"an added id is __proto__ or hasOwnProperty: an id like any other").Says("inherited JavaScript name as id", "add"),
			puts: adds, plant: idInherited,
		},
	}
}

func (d *draft) padded(id string) string {
	return generators.Pick(&d.Choices, spaces[:]) + strings.TrimSpace(id) + generators.Pick(&d.Choices, spaces[:])
}

func idSpaceUpdate(d *draft, i int) effect {
	u := d.described(i)
	u.twist = &twist{id: generators.Quoted(d.padded(u.step.ID))}
	return d.put(&d.doc.updates, u)
}

func idSpaceAdd(d *draft, i int) effect {
	a := d.named(d.P.Steps[i].ID)
	a.twist, a.apply = &twist{id: generators.Quoted(d.padded(a.step.ID))}, harness.DuplicateID
	return d.put(&d.doc.adds, a)
}

func idSpaceNew(d *draft) effect {
	a := d.newItem()
	a.twist = &twist{id: generators.Quoted(d.padded(a.step.ID))}
	return d.put(&d.doc.adds, a)
}

// otherCase returns the id in the other case, and false if it has none.
func otherCase(id string) (string, bool) {
	id = strings.TrimSpace(id)
	if up := strings.ToUpper(id); up != id {
		return up, true
	}
	low := strings.ToLower(id)
	return low, low != id
}

// otherForm returns the id in another Unicode form: a letter taken apart, or
// in its wide form.
func otherForm(id string) string {
	id = strings.TrimSpace(id)
	if rest, ok := strings.CutPrefix(id, "é"); ok {
		return "e\u0301" + rest
	}
	for i, r := range id {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return id[:i] + string(r+'！'-'!') + id[i+utf8.RuneLen(r):]
		}
	}
	return id
}

func idSpaceRemove(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	r := d.removal(i)
	r.twist = &twist{whole: generators.Quoted(d.padded(r.step.ID))}
	return d.put(&d.doc.removes, r)
}

func idCaseUpdate(d *draft, i int) effect {
	id, ok := otherCase(d.P.Steps[i].ID)
	if !ok {
		return notPlanted
	}
	return d.strangeUpdate(id)
}

// strangeUpdate plants an update of an id that the plan does not have.
func (d *draft) strangeUpdate(id string) effect {
	u := stranger(id, d.phrase(""))
	u.apply = harness.UnknownStep
	return d.put(&d.doc.updates, u)
}

func idCaseAdd(d *draft) effect {
	id, ok := otherCase(d.anyStep().ID)
	if !ok {
		return notPlanted
	}
	return d.put(&d.doc.adds, d.named(id))
}

func idNormalFormUpdate(d *draft) effect {
	return d.strangeUpdate(otherForm(d.anyStep().ID))
}

func idNormalFormAdd(d *draft) effect {
	return d.put(&d.doc.adds, d.named(otherForm(d.anyStep().ID)))
}

// misreadAdd plants an added step that cannot be read, or only coerced;
// misreadUpdate and misreadRemove do so in their lists.
func (d *draft) misreadAdd(t twist, code harness.Code, coerced bool) effect {
	a := d.newItem()
	a.twist, a.read, a.coerced = &t, code, coerced
	return d.put(&d.doc.adds, a)
}

func (d *draft) misreadUpdate(t twist, code harness.Code, coerced bool) effect {
	u := stranger(d.newID(), d.phrase(""))
	if i := d.useOpen(); i >= 0 {
		u = d.described(i)
	} else {
		u.apply = harness.UnknownStep
	}
	u.twist, u.read, u.coerced = &t, code, coerced
	return d.put(&d.doc.updates, u)
}

func (d *draft) misreadRemove(t twist, code harness.Code) effect {
	r := stranger("", "")
	r.twist, r.read = &t, code
	return d.put(&d.doc.removes, r)
}

func (d *draft) blank() string {
	if d.OneIn(2) {
		return generators.Quoted(generators.Pick(&d.Choices, spaces[:]))
	}
	return `""`
}

func idEmptyAdd(d *draft) effect { return d.misreadAdd(twist{id: d.blank()}, harness.EmptyID, false) }

func idEmptyUpdate(d *draft) effect {
	return d.misreadUpdate(twist{id: d.blank()}, harness.EmptyID, false)
}

func idEmptyRemove(d *draft) effect { return d.misreadRemove(twist{whole: d.blank()}, harness.EmptyID) }

func idNumberAdd(d *draft) effect { return d.misreadAdd(twist{id: "7"}, harness.BadType, false) }

func idNumberUpdate(d *draft) effect {
	return d.misreadUpdate(twist{id: "1.5"}, harness.BadType, false)
}

func idNumberRemove(d *draft) effect { return d.misreadRemove(twist{whole: "3"}, harness.BadType) }

func idInherited(d *draft) effect {
	return d.put(&d.doc.adds, d.named(generators.Pick(&d.Choices, []string{"__proto__", "hasOwnProperty", "valueOf"})))
}

func idNotNormal(d *draft) effect {
	return d.put(&d.doc.adds, d.named(generators.Pick(&d.Choices, []string{
		"\ufb01x", "step\u2461", "\uff41\uff42",
		"e\u0301tape",
	})))
}
