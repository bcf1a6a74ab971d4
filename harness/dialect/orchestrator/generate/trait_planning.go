package generate

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness/plan"
)

// replying writes a reply.
type replying = func(d *director, at *spot) string

// planningParts are first plans that are refused or coerced, and runs without one.
func planningParts() map[string]part {
	refused := func(reply replying) part {
		return does(func(d *director, at *spot) {
			d.refused = append(d.refused, func() string { return reply(d, at) })
		})
	}
	// changed writes the plan with a change to its document.
	changed := func(change func(at *spot, doc *generators.Value)) part {
		return refused(func(d *director, at *spot) string {
			doc := d.planDoc(d.p)
			change(at, &doc)
			return deform.Write(doc)
		})
	}
	// put gives the plan a member, and step one of its steps, always the same, whose id replaces ID.
	put := func(member, json string) part {
		return changed(func(_ *spot, doc *generators.Value) { doc.Put(member, generators.Raw(json)) })
	}
	step := func(member, json string) part {
		return changed(func(at *spot, doc *generators.Value) {
			s := &doc.Get("steps").Items[at.step]
			s.Put(member, generators.Raw(strings.ReplaceAll(json, "ID", generators.Quoted(s.Get("id").Str))))
		})
	}
	// drop leaves a member of that step out.
	drop := func(member string) part {
		return changed(func(at *spot, doc *generators.Value) { doc.Get("steps").Items[at.step].Drop(member) })
	}
	nothing := does(func(*director, *spot) {})
	return map[string]part{
		"plan-asked-for":     nothing,
		"plan-in-words":      refused(said("First I read the code, then I change it. No need to REPLAN.")),
		"plan-blank":         refused(said("\n")),
		"plan-is-a-patch":    refused(said(`{"type":"PlanPatch","add_steps":[{"id":"a","description":"x"}]}`)),
		"plan-without-title": changed(func(_ *spot, doc *generators.Value) { doc.Drop("title") }),
		"plan-without-steps": put("steps", "[]"),
		"plan-with-a-number": put("title", "7"),
		"plan-steps-by-id": changed(func(_ *spot, doc *generators.Value) {
			steps := doc.Get("steps")
			doc.Put("steps", generators.Object(field("s1", steps.Items[0])))
		}),
		"plan-step-as-text": changed(func(at *spot, doc *generators.Value) {
			doc.Get("steps").Items[at.step] = generators.Text("Read the code")
		}),
		"plan-step-without-id":      drop("id"),
		"plan-step-undescribed":     drop("description"),
		"plan-step-with-a-number":   step("description", "7"),
		"plan-policy-with-a-number": put("verification_policy", "7"),
		"plan-waits-by-object":      step("dependencies", "{}"),
		"plan-waits-for-itself":     step("dependencies", "[ID]"),
		"plan-waits-for-nothing":    step("dependencies", `["no such step"]`),
		"plan-with-a-blank-id":      step("id", `" "`),
		"plan-repeats-an-id": changed(func(_ *spot, doc *generators.Value) {
			steps := doc.Get("steps")
			steps.Items = append(steps.Items, steps.Items[0])
		}),
		"no-plan-at-all": does(func(d *director, at *spot) { d.hopeless, d.retries = true, d.retries-at.Below(2) }),
		"planning-off":   nothing,
		"plan-not-used":  does(func(d *director, _ *spot) { d.given = true }),
	}
}

// coercedParts are first plans that are taken, but not as they stand.
func coercedParts() map[string]part {
	dressed := func(dress func(text string) string) part {
		return does(func(d *director, _ *spot) { d.dress = dress })
	}
	coerced := func(twist func(d *director, at *spot, doc *generators.Value)) part {
		return does(func(d *director, at *spot) { d.planned = func(doc *generators.Value) { twist(d, at, doc) } })
	}
	// eachStep changes the document, and every step of it.
	eachStep := func(change func(doc *generators.Value), each func(at *spot, s *generators.Value)) part {
		return coerced(func(_ *director, at *spot, doc *generators.Value) {
			change(doc)
			for i := range doc.Get("steps").Items {
				each(at, &doc.Get("steps").Items[i])
			}
		})
	}
	same := func(*generators.Value) {}
	extra := func(doc *generators.Value, id string, deps ...string) {
		steps := doc.Get("steps")
		steps.Items = append(steps.Items, stepDoc(&plan.Step{ID: id, Description: "x", Dependencies: deps}))
	}
	return map[string]part{
		"plan-in-a-fence": dressed(fenced),
		"plan-drafted":    dressed(drafted(`{"title":"a draft","steps":[{"id":"draft","description":"x"}]}`)),
		"plan-claims-done": eachStep(same, func(at *spot, s *generators.Value) {
			s.Put("status", generators.Text(generators.Pick(&at.Choices, []string{"done", "in_progress", "completed"})))
		}),
		"plan-with-assumptions": coerced(func(_ *director, _ *spot, doc *generators.Value) {
			doc.Add("assumptions", generators.Texts([]string{"the tests run"}))
		}),
		"plan-leaves-out": eachStep(func(doc *generators.Value) { doc.Drop("type") }, func(_ *spot, s *generators.Value) {
			s.Fields = slices.DeleteFunc(s.Fields, func(f generators.Field) bool { return f.IsList && len(f.Items) == 0 })
		}),
		"plan-pads-ids": eachStep(func(doc *generators.Value) {
			doc.Put("title", generators.Text(" "+doc.Get("title").Str+"\n"))
		}, func(_ *spot, s *generators.Value) { s.Put("id", generators.Text("\t"+s.Get("id").Str+" ")) }),
		"plan-repeats-a-dependency": eachStep(same, func(_ *spot, s *generators.Value) {
			if deps := s.Get("dependencies"); len(deps.Items) > 0 {
				deps.Items = append(deps.Items, deps.Items[0])
			}
		}),
		"plan-over-its-limit": coerced(func(d *director, at *spot, doc *generators.Value) {
			d.limit = len(d.p.Steps)
			for i := range 1 + at.Below(3) {
				extra(doc, fmt.Sprint("over_", i))
			}
		}),
		"plan-cut-takes-more": coerced(func(d *director, _ *spot, doc *generators.Value) {
			d.limit = len(d.p.Steps) + 1
			extra(doc, "needs_over", "over")
			extra(doc, "over")
		}),
		"plan-cut-takes-a-chain": coerced(func(d *director, at *spot, doc *generators.Value) {
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
		"plan-cut-to-nothing": does(func(d *director, _ *spot) {
			d.limit, d.retries = len(d.p.Steps), max(d.retries, 1)
			d.refused = append(d.refused, func() string {
				p := d.p.Clone()
				for i := range p.Steps {
					p.Steps[i].Dependencies = []string{"over"}
				}
				p.Steps = append(p.Steps, plan.Step{ID: "over", Description: "x"})
				return deform.Write(d.planDoc(p))
			})
		}),
	}
}
