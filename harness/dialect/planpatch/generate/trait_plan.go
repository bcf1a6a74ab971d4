package generate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// invalidPlans break the plan of the case, whatever the replies are.
func invalidPlans() map[string]planting {
	spoiled := func(spoil func(d *draft, p *plan.Plan, s *plan.Step)) planting {
		return just(func(d *draft) {
			d.written = d.P.Clone()
			if d.unsound == "" {
				d.unsound = harness.InvalidPlan
			}
			spoil(d, d.written, &d.written.Steps[d.Below(d.base)])
		})
	}
	return map[string]planting{
		"plan-status-spelled": spoiled(func(d *draft, _ *plan.Plan, s *plan.Step) {
			odd := []plan.Status{"Done", "completed", "DONE", "todo", " done", "in-progress"}
			s.Status = generators.Pick(&d.Choices, odd)
		}),
		"plan-duplicate-id": spoiled(func(_ *draft, p *plan.Plan, s *plan.Step) { p.Steps = append(p.Steps, *s) }),
		"plan-blank-id": spoiled(func(d *draft, p *plan.Plan, _ *plan.Step) {
			id := generators.Pick(&d.Choices, []string{"", " ", "\u3000"})
			p.Steps = append(p.Steps, plan.Step{ID: id, Status: plan.Pending})
		}),
		"plan-dangling": spoiled(func(_ *draft, _ *plan.Plan, s *plan.Step) {
			s.Dependencies = append(s.Dependencies, "no such step")
		}),
		"plan-cycle": spoiled(func(_ *draft, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, s.ID) }),
		"plan-malformed": spoiled(func(d *draft, _ *plan.Plan, _ *plan.Step) {
			d.planJSON = generators.Pick(&d.Choices, []string{
				"null", "[]", `"plan"`, "{}", `{"title":"t"}`, `{"title":"t","steps":[]}`, `{"title":"t","steps":{}}`,
				`{"title":7,"steps":[{"id":"a","description":""}]}`, `{"title":"t","steps":[{"id":"a"}]}`,
				`{"type":"PlanPatch","title":"t","steps":[{"id":"a","description":""}]}`,
			})
		}),
	}
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
