package generate

import (
	"replanbench/generators"
)

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
		if b.does != "" && d.lacks(b.does) {
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
