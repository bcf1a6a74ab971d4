package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// rare is the weight of traits that make large cases: about one case in
// 1,400 has one.
const rare = 2

func justMet(kept, wanted int) int    { return kept + wanted }
func oneTooMany(kept, wanted int) int { return kept + wanted - 1 }

// limitTraits are edits that are too much, or just not.
func limitTraits() []patchTrait {
	row := rows("overflow")
	// limited is a trait of the limit of steps, which changes what becomes of others.
	limited := func(name, text, theme, place string, puts lists) patchTrait {
		return row(name, text, theme, place, puts).claiming(aLimit).varying()
	}
	adding := func(limit func(kept, wanted int) int) func(d *draft) {
		return func(d *draft) {
			d.add(d.fresh())
			d.limiting = limit
		}
	}
	return []patchTrait{
		limited("limit-met", "the new plan has exactly max_plan_steps steps: applied", "limit of steps just met", "add", adds).
			takes(1, 0).just(adding(justMet)),
		limited("limit-met-by-removal", "the plan is full, and the patch removes a step and adds one: applied",
			"limit of steps just met", "remove and add", removes|adds).onLeaf(func(d *draft, i int) {
			d.takeAway(i)
			adding(justMet)(d)
		}),
		limited("over-limit-by-one", "the patch adds one step too many: the last addition is dropped", "one step too many",
			"add", adds).takes(1, 0).just(adding(oneTooMany)),
		limited("over-limit-duplicate", "an addition beyond the limit has the id of an existing step: duplicate_id",
			"id of an existing step beyond the limit", "add", adds).claiming(aTail).refused("", harness.DuplicateID).
			onOpen(func(d *draft, i int) {
				end(&d.adds, d.fresh())
				end(&d.adds, d.named(d.id(i)))
				d.limiting = oneTooMany
			}),
		limited("over-limit-by-thousands", "the patch adds a thousand steps or more: the first that fit are added",
			"thousands of steps too many", "add", adds).weighs(rare).claiming(aTail).just(func(d *draft) {
			n, fit := 1000+d.Below(1000), 1+d.Below(8)
			for range n {
				end(&d.adds, generators.Object(field("id", generators.Text(d.newID())), described("more")))
			}
			d.limiting = func(kept, wanted int) int { return kept + wanted - n + fit }
		}),
		limited("plan-at-limit", "the plan is full and the patch adds steps: every addition is dropped", "plan at its limit",
			"add", adds).takes(0, 1).refused("", "").just(adding(func(kept, _ int) int { return kept })),
		row("plan-above-limit", "the plan exceeds max_plan_steps and the patch adds steps: over_capacity",
			"plan above its limit", "add", adds).claiming(aLimit).takes(0, 2).refused("", harness.OverCapacity).just(func(d *draft) {
			less := 1 + d.Below(2)
			d.spared |= removes
			adding(func(kept, _ int) int { return kept - less })(d)
		}),
		limited("plan-above-limit-kept", "the plan exceeds max_plan_steps and the patch adds nothing: applied",
			"plan above its limit", "plan", updates).claiming(aAddList).takes(0, 2).onOpen(func(d *draft, i int) {
			d.spared |= adds | removes
			d.update(d.reworded(i))
			d.limiting = func(kept, _ int) int { return kept - 1 }
		}).takes(0, 2),
		row("many-additions", "the patch adds ten to thirty steps", "many steps", "add", adds).just(func(d *draft) {
			for range 10 + d.Below(20) {
				d.add(d.fresh())
			}
		}),
		row("limit-below-one", "a limit of the case is below 1: bad_limit", "limit below 1", "limits", 0).
			claiming(aLimit|aSize).needs("max_reply_bytes", "max_depth").just(func(d *draft) {
			bad := -d.Below(2)
			limit := generators.Pick(&d.Choices, []**int{&d.limits.MaxPlanSteps, &d.limits.MaxReplyBytes, &d.limits.MaxDepth})
			*limit, d.unsound = &bad, harness.BadLimit
			if limit == &d.limits.MaxPlanSteps {
				d.limiting = func(int, int) int { return bad }
			}
		}),
		row("huge-string", "a description has 100,000 bytes: applied unchanged", "huge text", "add", adds).weighs(rare).
			just(func(d *draft) {
				word := generators.Pick(&d.Choices, []string{"a", "many words ", "長", `\"`})
				d.add(d.worded(strings.Repeat(word, 100_000/len(word))))
			}),
	}
}

// worded is a new step with the description.
func (d *draft) worded(text string) generators.Value { return with(d.fresh(), described(text)) }

// ladderTraits are about more than one reply, and about replies that find no rung.
func ladderTraits() []patchTrait {
	row := rows("ladder")
	ladder := func(name, text, theme string, change func(d *draft)) patchTrait {
		return row(name, text, theme, "ladder", 0).claiming(aLadder).just(change)
	}
	failing := func(n int) func(d *draft) { return func(d *draft) { d.failing(n) } }
	late := ladder("first-reply-fails-late", "the first reply removes a step, then fails, and the second is valid: the "+
		"removed step stays", "first reply rejected half-way", nil).needs("remove", "update").onLeaf(func(d *draft, i int) {
		d.needed[i] = true // so that it stays
		d.before = append(d.before, `{"type":"PlanPatch","remove_steps":[`+generators.Quoted(d.id(i))+
			`],"update_steps":[{"id":"no such step","description":"x"}]}`)
	})
	return []patchTrait{
		ladder("first-reply-fails", "the first reply is rejected and the second is valid: the rung retry",
			"first reply rejected", failing(1)),
		late,
		ladder("two-replies-fail", "two replies are rejected and the third is valid: it helps only as a full plan",
			"two replies rejected", failing(2)),
		ladder("all-replies-fail", "every reply is rejected: replan_failed, or the rung react", "every reply rejected",
			func(d *draft) {
				d.silent = true
				d.failing(2 + d.Below(2))
			}).claiming(aReading),
		ladder("full-plan-on-retry", "the first reply is rejected and the second is a full plan: the rung fullplan",
			"full plan on retry", failing(1)).in(inFullPlan),
		ladder("full-plan-without-rung", "the reply is a full plan and the ladder has no rung for it: wrong_document, or the "+
			"rung react", "full plan without a rung", wholePlan).needs("full plan").under(noRung).claiming(aWhole).at(onShape),
		ladder("reply-unused", "another reply follows a valid one: it is read only if the first is rejected",
			"reply too many", func(d *draft) {
				d.after = []string{`{"title":` + generators.Quoted(d.phrase(d.P.Title)) + `}`}
			}).needs("title"),
		ladder("no-reply", "there is no reply: replies_exhausted, or the rung react", "no reply",
			func(d *draft) { d.silent = true }).claiming(aReading),
	}
}

// failing puts n replies that are refused under all rules before the draft's own.
func (d *draft) failing(n int) {
	for range n {
		b := badReplies[d.Below(len(badReplies))]
		if b.does != "" && d.drawn.Lacks(b.does) {
			b = badReplies[0]
		}
		d.before = append(d.before, b.text)
	}
}

// badReplies are refused, with the operation that they ask for.
var badReplies = [...]struct{ text, does string }{
	{"I am sorry, but I cannot do that.", ""},
	{"", ""},
	{`{"type":"PlanPatch","update_steps":[{"id":"no such step","description":"x"}]}`, "update"},
	{`{"type":"PlanPatch","goal":"finish"}`, ""},
	{`{"type":"PlanPatch"}`, ""},
	{`{"type":"Plan","title":"x"}`, "title"},
	{`{"add_steps":[{"id":"new","description":"x","dependencies":[7]}]}`, "add"},
}
