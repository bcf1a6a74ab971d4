package generate

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness/plan"
)

// badPlan is a reply that is refused as the first plan.
type badPlan struct {
	spot *spot
	text replying
}

// replying writes a reply.
type replying = func(d *director, at *spot) string

// planningTraits are first plans that are refused or coerced, and runs without
// one.
func planningTraits() []trait {
	row := rows("planning", "in a first plan")
	refused := func(name, text, theme string, reply replying) trait {
		return row(name, text, theme, planAsked|needsPlan|refuses,
			func(d *director, at *spot) { d.refused = append(d.refused, badPlan{at, reply}) })
	}
	// changed writes the plan with a change to its document.
	changed := func(change func(at *spot, doc *generators.Value)) replying {
		return func(d *director, at *spot) string {
			doc := d.planDoc(d.p)
			change(at, &doc)
			return deform.Write(doc)
		}
	}
	// put gives the plan a member, and step one of its steps, always the same, whose id replaces ID.
	put := func(member, json string) replying {
		return changed(func(_ *spot, doc *generators.Value) { doc.Put(member, generators.Raw(json)) })
	}
	step := func(member, json string) replying {
		return changed(func(at *spot, doc *generators.Value) {
			s := &doc.Get("steps").Items[at.step]
			s.Put(member, generators.Raw(strings.ReplaceAll(json, "ID", generators.Quoted(s.Get("id").Str))))
		})
	}
	// drop leaves a member of that step out.
	drop := func(member string) replying {
		return changed(func(at *spot, doc *generators.Value) { doc.Get("steps").Items[at.step].Drop(member) })
	}
	nothing := func(*director, *spot) {}
	const off, another = "planning that is off", "a member of another type"
	return append([]trait{
		rows("planning", "in a reply")("plan-asked-for", "the case has no plan, and the model provides one", "a first plan",
			planAsked|needsPlan, nothing),
		refused("plan-in-words", "the plan is prose", "prose",
			said("First I read the code, then I change it. No need to REPLAN.")),
		refused("plan-blank", "the reply that should be a plan is blank", "a blank reply", said("\n")),
		refused("plan-is-a-patch", "the first plan is a patch", "a patch",
			said(`{"type":"PlanPatch","add_steps":[{"id":"a","description":"x"}]}`)),
		refused("plan-without-title", "the first plan has no title", "a missing title",
			changed(func(_ *spot, doc *generators.Value) { doc.Drop("title") })),
		refused("plan-without-steps", "the first plan has no steps", "no step", put("steps", "[]")),
		refused("plan-with-a-number", "the title of the first plan is a number", another, put("title", "7")),
		refused("plan-steps-by-id", "the steps of the first plan are an object", another,
			changed(func(_ *spot, doc *generators.Value) {
				steps := doc.Get("steps")
				doc.Put("steps", generators.Object(field("s1", steps.Items[0])))
			})),
		refused("plan-step-as-text", "a step of the first plan is a string", "a step of another type",
			changed(func(at *spot, doc *generators.Value) {
				doc.Get("steps").Items[at.step] = generators.Text("Read the code")
			})),
		refused("plan-step-without-id", "a step of the first plan has no id", "a missing id", drop("id")),
		refused("plan-step-undescribed", "a step of the first plan has no description", "a missing description",
			drop("description")),
		refused("plan-step-with-a-number", "the description of a step of the first plan is a number", another,
			step("description", "7")),
		refused("plan-policy-with-a-number", "the verification policy of the first plan is a number", another,
			put("verification_policy", "7")).needing("verification_policy"),
		refused("plan-waits-by-object", "the dependencies of a step of the first plan are an object", another,
			step("dependencies", "{}")),
		refused("plan-waits-for-itself", "a step of the first plan depends on itself", "a cycle",
			step("dependencies", "[ID]")),
		refused("plan-waits-for-nothing", "a step of the first plan depends on an unknown step", "an unknown step",
			step("dependencies", `["no such step"]`)),
		refused("plan-with-a-blank-id", "a step of the first plan has a blank id", "a blank id", step("id", `" "`)),
		refused("plan-repeats-an-id", "two steps of the first plan have the same id", "a duplicate id",
			changed(func(_ *spot, doc *generators.Value) {
				steps := doc.Get("steps")
				steps.Items = append(steps.Items, steps.Items[0])
			})),
		rows("planning", "in the replies")("no-plan-at-all", "no reply is a plan, and the run continues without one",
			"no plan", planAsked|noPlan,
			func(d *director, at *spot) { d.hopeless, d.retries = true, d.retries-at.Below(2) }),
		rows("planning", "in the rules")("planning-off", "planning is off, and the run requests no plan", off,
			planAsked|noPlan, nothing).under("planning=off"),
		rows("planning", "in the rules")("plan-not-used", "planning is off, and the run ignores the plan of the case", off,
			noPlan, func(d *director, _ *spot) { d.given = true }).under("planning=off").based(),
	}, coercedPlans()...)
}

// coercedPlans are first plans that are taken, but not as they stand.
func coercedPlans() []trait {
	row := rows("planning", "in a first plan")
	dressed := func(name, text, theme string, dress func(text string) string) trait {
		return rows("planning", "in the reply with a first plan")(name, text, theme, planAsked|needsPlan|twists,
			func(d *director, _ *spot) { d.dress = dress }).under("reading.extract=true")
	}
	coerced := func(name, text, theme string, needed claims,
		twist func(d *director, at *spot, doc *generators.Value),
	) trait {
		return row(name, text, theme, planAsked|twists|needed,
			func(d *director, at *spot) { d.planned = func(doc *generators.Value) { twist(d, at, doc) } })
	}
	eachStep := func(doc *generators.Value, change func(s *generators.Value)) {
		for i := range doc.Get("steps").Items {
			change(&doc.Get("steps").Items[i])
		}
	}
	extra := func(doc *generators.Value, id string, deps ...string) {
		steps := doc.Get("steps")
		steps.Items = append(steps.Items, stepDoc(&plan.Step{ID: id, Description: "x", Dependencies: deps}))
	}
	return []trait{
		dressed("plan-in-a-fence", "the first plan is in a code fence between prose", "a fence", fenced),
		dressed("plan-drafted", "a <think> block with a draft in a code fence precedes the first plan", "thoughts",
			drafted(`{"title":"a draft","steps":[{"id":"draft","description":"x"}]}`)),
		coerced("plan-claims-done", "the first plan marks steps as done, and they still run", "a step marked as done", 0,
			func(_ *director, at *spot, doc *generators.Value) {
				eachStep(doc, func(s *generators.Value) {
					s.Put("status", generators.Text(generators.Pick(&at.Choices, []string{"done", "in_progress", "completed"})))
				})
			}),
		coerced("plan-with-assumptions", "the first plan has unknown members", "unknown members", 0,
			func(_ *director, _ *spot, doc *generators.Value) {
				doc.Add("assumptions", generators.Texts([]string{"the tests run"}))
			}),
		coerced("plan-leaves-out", "the first plan leaves out optional members", "members left out", 0,
			func(_ *director, _ *spot, doc *generators.Value) {
				doc.Drop("type")
				eachStep(doc, func(s *generators.Value) {
					s.Fields = slices.DeleteFunc(s.Fields, func(f generators.Field) bool { return f.IsList && len(f.Items) == 0 })
				})
			}),
		coerced("plan-pads-ids", "ids and title of the first plan have leading and trailing white space, which is trimmed",
			"padded ids", 0, func(_ *director, _ *spot, doc *generators.Value) {
				doc.Put("title", generators.Text(" "+doc.Get("title").Str+"\n"))
				eachStep(doc, func(s *generators.Value) { s.Put("id", generators.Text("\t"+s.Get("id").Str+" ")) })
			}),
		coerced("plan-repeats-a-dependency", "a step of the first plan has a duplicate dependency", "a duplicate dependency",
			0, func(_ *director, _ *spot, doc *generators.Value) {
				eachStep(doc, func(s *generators.Value) {
					if deps := s.Get("dependencies"); len(deps.Items) > 0 {
						deps.Items = append(deps.Items, deps.Items[0])
					}
				})
			}),
		coerced("plan-over-its-limit", "the first plan has more steps than max_plan_steps and is cut", "more steps than fit",
			caps, func(d *director, at *spot, doc *generators.Value) {
				d.limit = len(d.p.Steps)
				for i := range 1 + at.Below(3) {
					extra(doc, fmt.Sprint("over_", i))
				}
			}),
		coerced("plan-cut-takes-more", "the first plan is cut, together with a step that depends on a cut step",
			"a step that depends on a cut step", caps, func(d *director, _ *spot, doc *generators.Value) {
				d.limit = len(d.p.Steps) + 1
				extra(doc, "needs_over", "over")
				extra(doc, "over")
			}),
		coerced("plan-cut-takes-a-chain", "the first plan is cut, together with a chain of steps that depend on a cut step",
			"a chain of steps that depend on a cut step", caps, func(d *director, at *spot, doc *generators.Value) {
				d.limit = len(d.p.Steps) + 2
				if at.OneIn(2) {
					extra(doc, "needs_over", "over")
					extra(doc, "needs_more", "needs_over")
				} else {
					extra(doc, "needs_more", "needs_over")
					extra(doc, "needs_over", "over")
				}
				extra(doc, "over")
			}),
		row("plan-cut-to-nothing", "the first plan exceeds its limit, and every step depends on a cut step",
			"a plan cut to nothing", planAsked|twists|caps, func(d *director, at *spot) {
				d.limit, d.retries = len(d.p.Steps), max(d.retries, 1)
				d.refused = append(d.refused, badPlan{at, func(d *director, _ *spot) string {
					p := d.p.Clone()
					for i := range p.Steps {
						p.Steps[i].Dependencies = []string{"over"}
					}
					p.Steps = append(p.Steps, plan.Step{ID: "over", Description: "x"})
					return deform.Write(d.planDoc(p))
				}})
			}),
	}
}
