package generate

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// invalidPlans break the plan of the case, whatever the replies are.
func invalidPlans() map[string]planting {
	invalid := func(change func(d *draft)) planting {
		return just(func(d *draft) {
			d.unsound = cmp.Or(d.unsound, harness.InvalidPlan)
			change(d)
		})
	}
	list := map[string]planting{
		"plan-malformed": invalid(func(d *draft) { d.planJSON = generators.NoPlan(&d.Choices, "null") }),
	}
	for name, spoil := range generators.Spoils() {
		list[name] = invalid(func(d *draft) {
			d.written = d.P.Clone()
			spoil(&d.Choices, d.written, &d.written.Steps[d.Below(d.base)])
		})
	}
	return list
}

// plans are unusual, but sound. Steps of their own they put behind the others.
func plans() map[string]planting {
	worded := func(words string) planting {
		return onOpen(func(d *draft, i int) { d.P.Steps[i].Description = words })
	}
	// padded is about a step whose id in the plan has white space around it.
	padded := func(use func(*draft) int, edit func(d *draft, i int)) planting { return on(use, (*draft).pad, edit) }
	return map[string]planting{
		"plan-ids-alike": func(d *draft) bool { return d.alike(otherCase) },
		"plan-ids-prefix": func(d *draft) bool {
			return d.alike(func(id string) string { return strings.TrimSpace(id) + "~0" })
		},
		"plan-id-padded": onOpen((*draft).pad),
		"plan-id-padded-removed": padded((*draft).useLeaf, func(d *draft, i int) {
			d.used[i], d.gone[i] = true, true
			d.remove(d.spelled(i))
		}),
		"plan-id-padded-updated": padded((*draft).useOpen, func(d *draft, i int) {
			d.update(with(d.rewording(i), field("id", generators.Text(d.spelled(i)))))
		}),
		"plan-id-padded-needed": padded((*draft).useOpen, func(d *draft, i int) {
			d.needed[i] = true
			d.add(d.freshOn(d.spelled(i)))
		}),
		"plan-title-space": just(func(d *draft) { d.P.Title, d.title = d.padded(d.P.Title), generators.None }),
		"plan-policy":      just(func(d *draft) { d.P.VerificationPolicy = "run_pytest" }),
		"plan-results":     onDone(withResult),
		"plan-members-updated": onOpen(func(d *draft, i int) {
			d.P.Steps[i].Extra = jsontext.Value(`{"owner":"me","attempts":2}`)
			d.reworded(i)
		}),
		"plan-brief": just(func(d *draft) { d.form.Brief = true }),
		"plan-nulls": just(func(d *draft) { d.form.Nulls = true }),
		"plan-typed": just(func(d *draft) { d.form.Typed = true }),
		"plan-large": just(func(d *draft) {
			last := ""
			for i := range 60 + d.Below(141) - d.base {
				if i%4 == 0 {
					last = d.behind(plan.Pending)
				} else {
					last = d.behind(plan.Pending, last)
				}
			}
		}),
		"plan-backwards": just(func(d *draft) {
			id := d.newID()
			d.behind(plan.Pending, id)
			d.P.Steps = append(d.P.Steps, plan.Step{ID: id, Description: d.phrase(""), Status: plan.Pending})
		}),
		"plan-done-after-open": just(func(d *draft) { d.behind(plan.Done, d.behind(plan.Pending)) }),
		"plan-all-done": just(func(d *draft) {
			for i := range d.base { // no one takes a step that was open
				d.used[i] = d.used[i] || d.isOpen(i)
			}
			for i := range d.P.Steps {
				d.P.Steps[i].Status = plan.Done
			}
		}),
		"plan-begun":         onOpen(begun),
		"plan-begun-updated": onOpen(begun, (*draft).reworded),
		"plan-text-long":     worded(strings.Repeat("word ", 70) + "end"),
		"plan-text-spaces":   worded("line one\n  line two "),
	}
}

// begun gives a step a status of work that has begun.
func begun(d *draft, i int) {
	d.P.Steps[i].Status = generators.Pick(&d.Choices, []plan.Status{plan.InProgress, plan.Blocked, plan.Failed})
}

// withResult gives a step members that the plan format does not know: what came of it.
func withResult(d *draft, i int) {
	d.P.Steps[i].Extra = jsontext.Value(`{"result":{"files":3,"passed":true}}`)
}

// rename changes the id of a step everywhere in the plan.
func (d *draft) rename(i int, id string) {
	old := d.id(i)
	d.P.Rename(func(name string) string {
		if name == old {
			return id
		}
		return name
	})
}

// restyle gives the steps of the plan, and all that come, ids of a style.
func (d *draft) restyle(style generators.IdStyle) {
	d.Style = style
	places := d.P.Index()
	d.P.Rename(func(id string) string {
		if i := places[id]; i < d.base {
			return style.Id(i)
		}
		return id
	})
}

func (d *draft) pad(i int) { d.rename(i, d.padded(d.id(i))) }

// alike gives an open step an id that resembles another id, and updates one of the two.
func (d *draft) alike(spell func(id string) string) bool {
	first, second := d.useOpen(), d.useOpen()
	if second < 0 || spell(d.id(first)) == d.id(first) {
		return false
	}
	d.rename(second, spell(d.id(first)))
	d.reworded(generators.Pick(&d.Choices, []int{second, first}))
	return true
}

// spelled is the id of a step with white space around it, as the plan has it or without.
func (d *draft) spelled(i int) string {
	if d.OneIn(2) {
		return d.id(i)
	}
	return strings.TrimSpace(d.id(i))
}

// behind puts a step of the trait's own behind the plan, where nobody names it.
func (d *draft) behind(status plan.Status, on ...string) string {
	id := d.newID()
	d.P.Steps = append(d.P.Steps, plan.Step{ID: id, Description: d.phrase(""), Status: status, Dependencies: on})
	return id
}

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
			d.before = append(d.before, harness.Reply(`{"type":"PlanPatch","remove_steps":["gone",`+generators.Quoted(d.id(i))+
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
