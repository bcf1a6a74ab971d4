package generate

import (
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// planFaults break the plan of the case, whatever the replies are.
func planFaults() []patchTrait {
	fault := generators.Family("plan")
	spoiled := func(name, text string, spoil func(d *draft)) patchTrait {
		return patchTrait{
			Trait: fault(name, text+": invalid_plan").Says("invalid plan", "plan").InBase(), claims: aPlan,
			plant: func(d *draft) effect {
				spoil(d)
				return effect{at: inPlan, code: harness.InvalidPlan}
			},
		}
	}
	return []patchTrait{
		spoiled("plan-status-spelled", "a status in the plan is misspelled", planStatus),
		spoiled("plan-duplicate-id", "two steps of the plan have the same id", planDuplicate),
		spoiled("plan-blank-id", "an id in the plan is blank", planBlank),
		spoiled("plan-dangling", "a step of the plan depends on an unknown step", planDangling),
		spoiled("plan-cycle", "the plan has a dependency cycle", planCycle),
		spoiled("plan-malformed", "the plan is not a plan document", planMalformed),
	}
}

// rewrite returns a copy of the plan to write in its place, and a step of it.
func (d *draft) rewrite() (*plan.Plan, *plan.Step) {
	d.written = d.P.Clone()
	return d.written, &d.written.Steps[d.Below(d.base)]
}

func planStatus(d *draft) {
	_, s := d.rewrite()
	s.Status = generators.Pick(&d.Choices, []plan.Status{"Done", "completed", "DONE", "todo", " done", "in-progress"})
}

func planDuplicate(d *draft) {
	p, s := d.rewrite()
	p.Steps = append(p.Steps, *s)
}

func planBlank(d *draft) {
	p, _ := d.rewrite()
	p.Steps = append(p.Steps, plan.Step{
		ID:     generators.Pick(&d.Choices, []string{"", " ", "\u3000"}),
		Status: plan.Pending,
	})
}

func planDangling(d *draft) {
	_, s := d.rewrite()
	s.Dependencies = append(s.Dependencies, "no such step")
}

func planCycle(d *draft) {
	_, s := d.rewrite()
	s.Dependencies = append(s.Dependencies, s.ID)
}

func planMalformed(d *draft) {
	d.planJSON = generators.Pick(&d.Choices, []string{
		"null", "[]", `"plan"`, "{}", `{"title":"t"}`, `{"title":"t","steps":[]}`, `{"title":"t","steps":{}}`,
		`{"title":7,"steps":[{"id":"a","description":""}]}`, `{"title":"t","steps":[{"id":"a"}]}`,
		`{"type":"PlanPatch","title":"t","steps":[{"id":"a","description":""}]}`,
	})
}

// ladderFaults are about more than one reply.
func ladderFaults() []patchTrait {
	fault := generators.Family("ladder")
	return []patchTrait{
		{
			Trait: fault("first-reply-fails",
				"the first reply is rejected and the second is valid: the rung retry").Says("first reply rejected", "ladder"),
			claims: aLadder, plant: func(d *draft) effect {
				return d.failing(1)
			},
		},
		{Trait: fault("first-reply-fails-late",
			"the first reply removes a step, then fails, and the second is valid: the removed step stays").Says("first reply rejected half-way", "ladder").Needing("remove", "update"), open: 1, claims: aLadder, plant: failingLate},
		{
			Trait: fault("two-replies-fail",
				"two replies are rejected and the third is valid: it helps only as a full plan").Says("two replies rejected",
				"ladder"),
			claims: aLadder, plant: func(d *draft) effect {
				return d.failing(2)
			},
		},
		{
			Trait: fault("all-replies-fail",
				"every reply is rejected: replan_failed, or the rung react").Says("every reply rejected", "ladder"),
			claims: aLadder, plant: allFail,
		},
		{
			Trait: fault("full-plan-on-retry",
				"the first reply is rejected and the second is a full plan: the rung fullplan").Says("full plan on retry",
				"ladder"),
			kind: inFullPlan, claims: aLadder, plant: func(d *draft) effect {
				return d.failing(1)
			},
		},
		{Trait: fault("full-plan-without-rung",
			"the reply is a full plan and the ladder has no rung for it: wrong_document, or the rung react").Says("full plan without a rung", "ladder").Needing("full plan"), rules: noRung, claims: aLadder | aWhole, stage: onShape, plant: wholePlan},
		{
			Trait: fault("reply-unused",
				"another reply follows a valid one: it is read only if the first is rejected").Says("reply too many",
				"ladder").Needing("title"),
			claims: aLadder, plant: replyUnused,
		},
		{
			Trait:  fault("no-reply", "there is no reply: replies_exhausted, or the rung react").Says("no reply", "ladder"),
			claims: aLadder, plant: noReply,
		},
	}
}

func (d *draft) failing(n int) effect {
	for range n {
		d.ladder.before = append(d.ladder.before, d.badReply())
	}
	return planted
}

// failingLate lets a first reply fail behind an operation that is sound by itself.
func failingLate(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.needed[i] = true // so that it stays
	d.ladder.before = append(d.ladder.before, reply{
		text: `{"type":"PlanPatch","remove_steps":[` + generators.Quoted(d.P.Steps[i].ID) +
			`],"update_steps":[{"id":"no such step","description":"x"}]}`,
		patch: refused(harness.UnknownStep),
		full:  refused(harness.WrongDocument),
	})
	return planted
}

func allFail(d *draft) effect {
	d.ladder.alone = true
	return d.failing(2 + d.Below(2))
}

func noReply(d *draft) effect {
	d.ladder.alone = true
	return planted
}

// replyUnused puts a patch of the title alone behind the edit.
func replyUnused(d *draft) effect {
	title := d.phrase(d.P.Title)
	after := *d.P
	after.Title = title
	d.ladder.after = []reply{{
		text:  `{"title":` + generators.Quoted(title) + `}`,
		patch: result{plan: &after, tier: harness.TierStrict},
		full:  refused(harness.MissingField, harness.WrongDocument),
	}}
	return planted
}

// badReply returns a reply that is refused under all rules, as either kind of
// document.
func (d *draft) badReply() reply {
	b := badReplies[d.Below(len(badReplies))]
	if b.does != "" && d.lacks(b.does) {
		b = badReplies[0]
	}
	full := refused(harness.WrongDocument, harness.MissingField, harness.NoDocument)
	patch := refused(b.code)
	if b.coerced != "" && d.profile.Reading.Coerce {
		patch = refused(b.coerced)
	}
	return reply{text: b.text, patch: patch, full: full}
}

var badReplies = [...]struct {
	text          string
	code, coerced harness.Code // coerced: under coercion, if another
	does          string       // the operation that it asks for
}{
	{text: "I am sorry, but I cannot do that.", code: harness.NoDocument},
	{text: "", code: harness.NoDocument},
	{
		text: `{"type":"PlanPatch","update_steps":[{"id":"no such step","description":"x"}]}`, code: harness.UnknownStep,
		does: "update",
	},
	{text: `{"type":"PlanPatch","goal":"finish"}`, code: harness.ExtraField, coerced: harness.EmptyPatch},
	{text: `{"type":"PlanPatch"}`, code: harness.EmptyPatch},
	{text: `{"type":"Plan","title":"x"}`, code: harness.WrongDocument, does: "title"},
	{text: `{"add_steps":[{"id":"new","description":"x","dependencies":[7]}]}`, code: harness.BadType, does: "add"},
}
