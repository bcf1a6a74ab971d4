package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// planTraits are unusual, but sound, plans. Steps of their own they put behind the
// others.
func planTraits() []patchTrait {
	fault := generators.Family("plan")
	base := func(name, text, theme string) generators.Trait {
		return fault(name, text).Says(theme, "plan").InBase()
	}
	styled := func(name, text, theme string, styles ...generators.IdStyle) patchTrait {
		return patchTrait{Trait: base(name, text, theme), claims: aVariant, stage: onPlan, plant: func(d *draft) effect {
			return d.restyle(generators.Pick(&d.Choices, styles))
		}}
	}
	inForm := func(name, text, theme string, change func(f *generators.PlanForm)) patchTrait {
		return patchTrait{Trait: base(name, text, theme), claims: aForm, stage: onPlan, plant: func(d *draft) effect {
			change(&d.form)
			return planted
		}}
	}
	return []patchTrait{
		styled("plan-ids-numbers", "the ids in the plan are numbers", "numbers as ids", 2, 4),
		styled("plan-ids-words", "the ids in the plan are words in no order", "words as ids", 3),
		styled("plan-ids-non-ascii", "the ids in the plan contain non-ASCII letters", "non-ASCII ids", 5, 6, 10),
		styled("plan-ids-long", "the ids in the plan are long", "long ids", 7),
		styled("plan-ids-signs", "the ids in the plan contain quotes, slashes, tildes or colons", "signs in ids", 11, 13, 14,
			8),
		styled("plan-ids-blanks", "the ids in the plan contain inner white space", "white space within ids", 15),
		{Trait: base("plan-ids-alike", "two ids in the plan differ only in case and the patch updates one of them",
			"ids that look alike"), kind: inPatch, open: 2, claims: aVariant, puts: updates, stage: onPlan, plant: idsAlike},
		{
			Trait: base("plan-id-padded", "an id in the plan has leading or trailing white space: it stays unchanged",
				"white space around an id"), open: 1, stage: onPlan,
			plant: onOpen(func(d *draft, i int) effect { d.pad(i); return planted }),
		},
		{
			Trait: base("plan-id-padded-removed", "the patch removes a step whose id in the plan has leading or trailing "+
				"white space", "white space around an id").Says("white space around an id of the plan", "remove"), kind: inPatch,
			open: 1, puts: removes, stage: onPlan, plant: paddedRemoved,
		},
		{
			Trait: base("plan-id-padded-updated", "the patch updates a step whose id in the plan has leading or trailing "+
				"white space", "white space around an id").Says("white space around an id of the plan", "update"), kind: inPatch,
			open: 1, puts: updates, stage: onPlan, plant: onOpen(paddedUpdated),
		},
		{
			Trait: base("plan-id-padded-needed", "an added step depends on a step whose id in the plan has leading or "+
				"trailing white space", "white space around an id").Says("white space around an id of the plan", "add"),
			kind: inPatch, open: 1, puts: adds, stage: onPlan, plant: onOpen(paddedNeeded),
		},
		{Trait: base("plan-title-space", "the title of the plan has leading or trailing white space: it stays unchanged",
			"white space around the title"), kind: inPatch, claims: aTitle, stage: onPlan, plant: titlePadded},
		{
			Trait: base("plan-policy", "the plan has a verification policy: it stays",
				"verification policy").Needing("verification_policy"), claims: aPolicy, stage: onPlan,
			plant: func(d *draft) effect { d.P.VerificationPolicy = "run_pytest"; return planted },
		},
		{Trait: base("plan-results", "a finished step has unknown members: they stay",
			"unknown members").Needing("unknown members"), kind: inPatch, done: 1, stage: onPlan, plant: onDone(withResult)},
		{
			Trait: base("plan-members-updated", "the patch updates a step that has unknown members: they stay",
				"unknown members").Needing("unknown members").Says("unknown members", "update"), kind: inPatch, open: 1,
			puts: updates, plant: onOpen(membersUpdated),
		},
		inForm("plan-brief", "the plan leaves out members with default values", "absent members",
			func(f *generators.PlanForm) { f.Brief = true }),
		inForm("plan-nulls", "optional members of the plan's steps are null: treated as absent", "null",
			func(f *generators.PlanForm) { f.Nulls = true }),
		inForm("plan-typed", "the plan has a type", "type", func(f *generators.PlanForm) { f.Typed = true }),
		{
			Trait: base("plan-large", "the plan has 60 to 200 steps", "large plan").Weigh(rare), stage: onPlan,
			plant: largePlan,
		},
		{
			Trait: base("plan-backwards", "a step of the plan depends on a later step", "dependency on a later step"),
			stage: onPlan, plant: backwards,
		},
		{
			Trait: base("plan-done-after-open", "a finished step depends on an open one", "finished step after an open one"),
			stage: onPlan, plant: doneAfterOpen,
		},
		{
			Trait: base("plan-all-done", "every step of the plan is finished", "every step finished"), claims: aOpen,
			stage: onPlan, plant: allDone,
		},
		{Trait: base("plan-begun", "a step of the plan is in progress, blocked or failed: its status stays",
			"step in progress"), kind: inPatch, open: 1, stage: onPlan, plant: onOpen(begun)},
		{
			Trait: base("plan-begun-updated",
				"the patch updates a step that is in progress, blocked or failed: its status stays",
				"step in progress").Says("step in progress", "update"),
			kind: inPatch, open: 1, puts: updates, plant: onOpen(begunUpdated),
		},
		{
			Trait: base("plan-text-long", "an untouched step has a long description: it stays unchanged", "long text"), open: 1,
			stage: onPlan, plant: onOpen(worded(strings.Repeat("word ", 70) + "end")),
		},
		{Trait: base("plan-text-spaces", "an untouched step has repeated white space: it stays unchanged",
			"white space in a text"), open: 1, stage: onPlan, plant: onOpen(worded("line one\n  line two "))},
	}
}

// withResult gives a step members that the plan format does not know: what came of it.
func withResult(d *draft, i int) effect {
	d.P.Steps[i].Extra = jsontext.Value(`{"result":{"files":3,"passed":true}}`)
	return planted
}

// rename changes the id of a step everywhere in the plan.
func (d *draft) rename(i int, id string) {
	old := d.P.Steps[i].ID
	d.P.Steps[i].ID = id
	for j := range d.P.Steps {
		s := &d.P.Steps[j]
		if k := slices.Index(s.Dependencies, old); k >= 0 {
			s.Dependencies = slices.Clone(s.Dependencies)
			s.Dependencies[k] = id
		}
	}
}

// restyle gives the steps of the plan, and all that come, ids of a style.
func (d *draft) restyle(style generators.IdStyle) effect {
	d.Style = style
	for i := range d.base {
		d.rename(i, "\x00"+strconv.Itoa(i))
	}
	for i := range d.base {
		d.rename(i, style.Id(i))
	}
	return planted
}

func (d *draft) pad(i int) { d.rename(i, d.padded(d.P.Steps[i].ID)) }

// idsAlike gives a step the id of another, in another case, and updates it.
func idsAlike(d *draft) effect {
	first, second := d.useOpen(), d.useOpen()
	if second < 0 {
		return notPlanted
	}
	id, ok := otherCase(d.P.Steps[first].ID)
	if !ok {
		return notPlanted
	}
	d.rename(second, id)
	return d.put(&d.doc.updates, d.described(second))
}

// named writes the id of a step with white space round it as the plan has it, or
// without.
func (d *draft) spelled(i int) string {
	if d.OneIn(2) {
		return d.P.Steps[i].ID
	}
	return strings.TrimSpace(d.P.Steps[i].ID)
}

func paddedRemoved(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	d.pad(i)
	r := d.removal(i)
	r.twist = &twist{whole: generators.Quoted(d.spelled(i))}
	return d.put(&d.doc.removes, r)
}

func paddedUpdated(d *draft, i int) effect {
	d.pad(i)
	u := d.described(i)
	u.twist = &twist{id: generators.Quoted(d.spelled(i))}
	return d.put(&d.doc.updates, u)
}

func paddedNeeded(d *draft, i int) effect {
	d.pad(i)
	d.needed[i] = true
	a := d.newItem()
	a.step.Dependencies = []string{d.P.Steps[i].ID}
	a.twist = &twist{dependencies: "[" + generators.Quoted(d.spelled(i)) + "]"}
	return d.put(&d.doc.adds, a)
}

func titlePadded(d *draft) effect {
	d.P.Title = d.padded(d.P.Title)
	d.doc.title = generators.None
	return planted
}

func membersUpdated(d *draft, i int) effect {
	d.P.Steps[i].Extra = jsontext.Value(`{"owner":"me","attempts":2}`)
	return d.put(&d.doc.updates, d.described(i))
}

// behindAll puts a step of the trait's own behind the plan, where nobody names it.
func (d *draft) behindAll(status plan.Status, on ...string) string {
	id := d.newID()
	d.P.Steps = append(d.P.Steps, plan.Step{ID: id, Description: d.phrase(""), Status: status, Dependencies: on})
	return id
}

func largePlan(d *draft) effect {
	last := ""
	for i := range 60 + d.Below(141) - d.base {
		if i%4 == 0 {
			last = d.behindAll(plan.Pending)
		} else {
			last = d.behindAll(plan.Pending, last)
		}
	}
	return planted
}

func backwards(d *draft) effect {
	id, behind := d.newID(), d.newID()
	d.P.Steps = append(d.P.Steps,
		plan.Step{ID: id, Description: d.phrase(""), Status: plan.Pending, Dependencies: []string{behind}},
		plan.Step{ID: behind, Description: d.phrase(""), Status: plan.Pending},
	)
	return planted
}

func doneAfterOpen(d *draft) effect {
	d.behindAll(plan.Done, d.behindAll(plan.Pending))
	return planted
}

// allDone finishes every step; nobody else takes one that was open.
func allDone(d *draft) effect {
	for i := range d.base {
		d.used[i] = d.used[i] || d.isOpen(i)
	}
	for i := range d.P.Steps {
		d.P.Steps[i].Status = plan.Done
	}
	return planted
}

var underWay = [...]plan.Status{plan.InProgress, plan.Blocked, plan.Failed}

func begun(d *draft, i int) effect {
	d.P.Steps[i].Status = generators.Pick(&d.Choices, underWay[:])
	return planted
}

func begunUpdated(d *draft, i int) effect {
	begun(d, i)
	return d.put(&d.doc.updates, d.described(i))
}

func worded(text string) func(*draft, int) effect {
	return func(d *draft, i int) effect {
		d.P.Steps[i].Description = text
		return planted
	}
}
