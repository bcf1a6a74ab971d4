package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

func justMet(kept, wanted int) int    { return kept + wanted }
func oneTooMany(kept, wanted int) int { return kept + wanted - 1 }

// overflows are edits that are too much, or just not.
func overflows() map[string]planting {
	adding := func(limit func(kept, wanted int) int) func(d *draft) {
		return func(d *draft) {
			d.add(d.fresh())
			d.limiting = limit
		}
	}
	return map[string]planting{
		"limit-met":            just(adding(justMet)),
		"limit-met-by-removal": onLeaf((*draft).takeAway, func(d *draft, _ int) { adding(justMet)(d) }),
		"over-limit-by-one":    just(adding(oneTooMany)),
		"over-limit-duplicate": onOpen(func(d *draft, i int) {
			end(&d.adds, d.fresh())
			end(&d.adds, d.named(d.id(i)))
			d.limiting = oneTooMany
		}),
		"over-limit-by-thousands": just(func(d *draft) {
			n, fit := 1000+d.Below(1000), 1+d.Below(8)
			for range n {
				step := append(d.Fields(2), field("id", generators.Text(d.newID())), described("more"))
				end(&d.adds, generators.Object(step...))
			}
			d.limiting = func(kept, wanted int) int { return kept + wanted - n + fit }
		}),
		"plan-at-limit": just(adding(func(kept, _ int) int { return kept })),
		"plan-above-limit": just(func(d *draft) {
			less := 1 + d.Below(2)
			d.spared |= aRemoves
			adding(func(kept, _ int) int { return kept - less })(d)
		}),
		"plan-above-limit-kept": onOpen(func(d *draft, i int) {
			d.spared |= aAdds | aRemoves
			d.reworded(i)
			d.limiting = func(kept, _ int) int { return kept - 1 }
		}),
		"many-additions": just(func(d *draft) {
			for range 10 + d.Below(20) {
				d.add(d.fresh())
			}
		}),
		"limit-below-one": just(func(d *draft) {
			bad := -d.Below(2)
			limit := generators.Pick(&d.Choices, []**int{&d.limits.MaxPlanSteps, &d.limits.MaxReplyBytes, &d.limits.MaxDepth})
			*limit, d.unsound = &bad, harness.BadLimit
			if limit == &d.limits.MaxPlanSteps {
				d.limiting = func(int, int) int { return bad }
			}
		}),
		"huge-string": just(func(d *draft) {
			word := generators.Pick(&d.Choices, []string{"a", "many words ", "長", `\"`})
			d.add(d.worded(strings.Repeat(word, 100_000/len(word))))
		}),
	}
}

// worded is a new step with the description.
func (d *draft) worded(text string) generators.Value { return with(d.fresh(), described(text)) }

// ladders are about more than one reply, and about replies that find no rung.
func ladders() map[string]planting {
	failing := func(n int) planting { return just(func(d *draft) { d.failing(n) }) }
	return map[string]planting{
		"first-reply-fails": failing(1),
		"first-reply-fails-late": onLeaf(func(d *draft, i int) {
			d.needed[i] = true // so that it stays
			d.before = append(d.before, harness.Reply(`{"type":"PlanPatch","remove_steps":[`+generators.Quoted(d.id(i))+
				`],"update_steps":[{"id":"no such step","description":"x"}]}`))
		}),
		"two-replies-fail": failing(2),
		"all-replies-fail": just(func(d *draft) {
			d.silent = true
			d.failing(2 + d.Below(2))
		}),
		"full-plan-on-retry":     failing(1),
		"full-plan-without-rung": just(wholePlan),
		"reply-unused": just(func(d *draft) {
			d.after = []harness.Reply{harness.Reply(`{"title":` + generators.Quoted(d.phrase(d.P.Title)) + `}`)}
		}),
		"no-reply": just(func(d *draft) { d.silent = true }),
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
var badReplies = [...]struct {
	text harness.Reply
	does string
}{
	{"I am sorry, but I cannot do that.", ""},
	{"", ""},
	{`{"type":"PlanPatch","update_steps":[{"id":"no such step","description":"x"}]}`, "update"},
	{`{"type":"PlanPatch","goal":"finish"}`, ""},
	{`{"type":"PlanPatch"}`, ""},
	{`{"type":"Plan","title":"x"}`, "title"},
	{`{"add_steps":[{"id":"new","description":"x","dependencies":[7]}]}`, "add"},
}
