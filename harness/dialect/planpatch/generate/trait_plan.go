package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// invalidPlans break the plan of the case, whatever the replies are.
func invalidPlans() []patchTrait {
	row := rows("plan")
	spoiled := func(name, text, theme string, spoil func(d *draft, p *plan.Plan, s *plan.Step)) patchTrait {
		return row(name, text+": invalid_plan", theme, "plan", 0).inBase().claiming(aPlan).just(func(d *draft) {
			d.written = d.P.Clone()
			if d.unsound == "" {
				d.unsound = harness.InvalidPlan
			}
			spoil(d, d.written, &d.written.Steps[d.Below(d.base)])
		})
	}
	return []patchTrait{
		spoiled("plan-status-spelled", "a status in the plan is misspelled", "unknown word",
			func(d *draft, _ *plan.Plan, s *plan.Step) {
				odd := []plan.Status{"Done", "completed", "DONE", "todo", " done", "in-progress"}
				s.Status = generators.Pick(&d.Choices, odd)
			}),
		spoiled("plan-duplicate-id", "two steps of the plan have the same id", "one id twice",
			func(_ *draft, p *plan.Plan, s *plan.Step) { p.Steps = append(p.Steps, *s) }),
		spoiled("plan-blank-id", "an id in the plan is blank", "blank id", func(d *draft, p *plan.Plan, _ *plan.Step) {
			id := generators.Pick(&d.Choices, []string{"", " ", "\u3000"})
			p.Steps = append(p.Steps, plan.Step{ID: id, Status: plan.Pending})
		}),
		spoiled("plan-dangling", "a step of the plan depends on an unknown step", "unknown dependency",
			func(_ *draft, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, "no such step") }),
		spoiled("plan-cycle", "the plan has a dependency cycle", "cycle",
			func(_ *draft, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, s.ID) }),
		spoiled("plan-malformed", "the plan is not a plan document", "invalid plan",
			func(d *draft, _ *plan.Plan, _ *plan.Step) {
				d.planJSON = generators.Pick(&d.Choices, []string{
					"null", "[]", `"plan"`, "{}", `{"title":"t"}`, `{"title":"t","steps":[]}`, `{"title":"t","steps":{}}`,
					`{"title":7,"steps":[{"id":"a","description":""}]}`, `{"title":"t","steps":[{"id":"a"}]}`,
					`{"type":"PlanPatch","title":"t","steps":[{"id":"a","description":""}]}`,
				})
			}),
	}
}

// planTraits are unusual, but sound, plans. Steps of their own they put behind the
// others.
func planTraits() []patchTrait {
	row := rows("plan")
	base := func(name, text, theme string) patchTrait {
		return row(name, text, theme, "plan", 0).inBase().at(onPlan)
	}
	styled := func(name, text, theme string, styles ...generators.IdStyle) patchTrait {
		return base(name, text, theme).claiming(aVariant).
			just(func(d *draft) { d.restyle(generators.Pick(&d.Choices, styles)) })
	}
	inForm := func(name, text, theme string, change func(f *generators.PlanForm)) patchTrait {
		return base(name, text, theme).claiming(aForm).just(func(d *draft) { change(&d.form) })
	}
	worded := func(name, text, theme, words string) patchTrait {
		return base(name, text, theme).in(inPatch).onOpen(func(d *draft, i int) { d.P.Steps[i].Description = words })
	}
	// padded is about a step whose id in the plan has white space around it.
	padded := func(name, text, place string, puts lists, use func(*draft) int, edit func(d *draft, i int)) patchTrait {
		return row(name, text+" whose id in the plan has leading or trailing white space",
			"padded id", place, puts).inBase().at(onPlan).takes(0, 1).
			on(use, func(d *draft, i int) {
				d.pad(i)
				edit(d, i)
			})
	}
	return []patchTrait{
		styled("plan-ids-numbers", "the ids in the plan are numbers", "numbers as ids", "#", "1.2.#"),
		styled("plan-ids-words", "the ids in the plan are words in no order", "words as ids", generators.Words),
		styled("plan-ids-non-ascii", "the ids in the plan contain non-ASCII letters", "non-ASCII ids",
			"步骤#", "🚀#", "étape_#"),
		styled("plan-ids-long", "the ids in the plan are long", "long ids",
			generators.IdStyle("step_"+strings.Repeat("very_", 16)+"#")),
		styled("plan-ids-signs", "the ids in the plan contain quotes, slashes, tildes or colons", "signs in ids",
			`say "hi" \#`, "a/b~#", "task:#", "write-tests-#"),
		styled("plan-ids-blanks", "the ids in the plan contain inner white space", "white space within ids", "Schritt\t#"),
		row("plan-ids-alike", "two ids in the plan differ only in case and the patch updates one of them",
			"ids that look alike", "plan", updates).inBase().at(onPlan).takes(0, 2).claiming(aVariant).
			does(func(d *draft) bool { return d.alike(otherCase) }),
		row("plan-ids-prefix", "one id in the plan begins with another and the patch updates one of them",
			"id within another id", "plan", updates).inBase().at(onPlan).takes(0, 2).claiming(aVariant).
			does(func(d *draft) bool { return d.alike(func(id string) string { return strings.TrimSpace(id) + "~0" }) }),
		base("plan-id-padded", "an id in the plan has leading or trailing white space: it stays unchanged",
			"padded id").onOpen(func(d *draft, i int) { d.pad(i) }),
		padded("plan-id-padded-removed", "the patch removes a step", "remove", removes, (*draft).useLeaf,
			func(d *draft, i int) {
				d.used[i], d.gone[i] = true, true
				d.remove(d.spelled(i))
			}),
		padded("plan-id-padded-updated", "the patch updates a step", "update", updates, (*draft).useOpen,
			func(d *draft, i int) { d.update(with(d.reworded(i), field("id", generators.Text(d.spelled(i))))) }),
		padded("plan-id-padded-needed", "an added step depends on a step", "add", adds, (*draft).useOpen,
			func(d *draft, i int) {
				d.needed[i] = true
				d.add(d.freshOn(d.spelled(i)))
			}),
		base("plan-title-space", "the title of the plan has leading or trailing white space: it stays unchanged",
			"white space around the title").in(inPatch).claiming(aTitle).just(func(d *draft) {
			d.P.Title, d.title = d.padded(d.P.Title), generators.None
		}),
		base("plan-policy", "the plan has a verification policy: it stays", "verification policy").
			needs("verification_policy").claiming(aPolicy).just(func(d *draft) { d.P.VerificationPolicy = "run_pytest" }),
		base("plan-results", "a finished step has unknown members: they stay", "unknown members").needs("unknown members").
			in(inPatch).onDone(withResult),
		row("plan-members-updated", "the patch updates a step that has unknown members: they stay", "unknown members",
			"update", updates).inBase().needs("unknown members").onOpen(func(d *draft, i int) {
			d.P.Steps[i].Extra = jsontext.Value(`{"owner":"me","attempts":2}`)
			d.update(d.reworded(i))
		}),
		inForm("plan-brief", "the plan leaves out members with default values", "absent members",
			func(f *generators.PlanForm) { f.Brief = true }),
		inForm("plan-nulls", "optional members of the plan's steps are null: treated as absent", "null",
			func(f *generators.PlanForm) { f.Nulls = true }),
		inForm("plan-typed", "the plan has a type", "type", func(f *generators.PlanForm) { f.Typed = true }),
		base("plan-large", "the plan has 60 to 200 steps", "large plan").weighs(rare).just(func(d *draft) {
			last := ""
			for i := range 60 + d.Below(141) - d.base {
				if i%4 == 0 {
					last = d.behind(plan.Pending)
				} else {
					last = d.behind(plan.Pending, last)
				}
			}
		}),
		base("plan-backwards", "a step of the plan depends on a later step", "dependency on a later step").
			just(func(d *draft) {
				id := d.newID()
				d.behind(plan.Pending, id)
				d.P.Steps = append(d.P.Steps, plan.Step{ID: id, Description: d.phrase(""), Status: plan.Pending})
			}),
		base("plan-done-after-open", "a finished step depends on an open one", "finished step after an open one").
			just(func(d *draft) { d.behind(plan.Done, d.behind(plan.Pending)) }),
		base("plan-all-done", "every step of the plan is finished", "every step finished").claiming(aOpen).
			just(func(d *draft) {
				for i := range d.base { // no one takes a step that was open
					d.used[i] = d.used[i] || d.isOpen(i)
				}
				for i := range d.P.Steps {
					d.P.Steps[i].Status = plan.Done
				}
			}),
		base("plan-begun", "a step of the plan is in progress, blocked or failed: its status stays", "step in progress").
			in(inPatch).onOpen(begun),
		row("plan-begun-updated", "the patch updates a step that is in progress, blocked or failed: its status stays",
			"step in progress", "update", updates).inBase().onOpen(func(d *draft, i int) {
			begun(d, i)
			d.update(d.reworded(i))
		}),
		worded("plan-text-long", "an untouched step has a long description: it stays unchanged", "long text",
			strings.Repeat("word ", 70)+"end"),
		worded("plan-text-spaces", "an untouched step has repeated white space: it stays unchanged", "white space in a text",
			"line one\n  line two "),
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
func (d *draft) restyle(style generators.IdStyle) {
	d.Style = style
	for i := range d.base {
		d.rename(i, "\x00"+strconv.Itoa(i))
	}
	for i := range d.base {
		d.rename(i, style.Id(i))
	}
}

func (d *draft) pad(i int) { d.rename(i, d.padded(d.id(i))) }

// alike gives an open step an id that resembles another id, and updates one of the two.
func (d *draft) alike(spell func(id string) string) bool {
	first, second := d.useOpen(), d.useOpen()
	if second < 0 || spell(d.id(first)) == d.id(first) {
		return false
	}
	d.rename(second, spell(d.id(first)))
	d.update(d.reworded(generators.Pick(&d.Choices, []int{second, first})))
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
