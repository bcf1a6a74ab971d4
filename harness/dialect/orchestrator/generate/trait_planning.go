package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness/plan"
)

// replying writes a reply.
type replying = func(d *director, at *spot) string

// refused is a reply that is refused as the first plan.
func refused(reply replying) part {
	return does(func(d *director, at *spot) {
		d.refused = append(d.refused, func() string { return reply(d, at) })
	})
}

// changed is a first plan that is refused for a change to its document.
func changed(change func(at *spot, doc *generators.Value)) part {
	return refused(func(d *director, at *spot) string {
		doc := d.planDoc(d.p)
		change(at, &doc)
		return deform.Write(doc)
	})
}

// change changes the members of a first plan, and of one of its steps, that the row names.
func (r *row) change(at *spot, doc *generators.Value) {
	step := &doc.Get("steps").Items[at.step]
	own := generators.Quoted(step.Get("id").Str)
	put(step, r.Step, own)
	put(doc, r.Document, own)
}

func put(v *generators.Value, members map[string]jsontext.Value, own string) {
	for name, json := range members {
		if v.Drop(name); json.Kind() != 'n' {
			v.Add(name, generators.Raw(strings.ReplaceAll(string(json), ownID, own)))
		}
	}
}

// planningParts are first plans that are refused or coerced, and runs without one.
func planningParts() map[string]part {
	nothing := does(func(*director, *spot) {})
	return map[string]part{
		"plan-asked-for": nothing,
		"plan-steps-by-id": changed(func(_ *spot, doc *generators.Value) {
			steps := doc.Get("steps")
			doc.Put("steps", generators.Object(field("s1", steps.Items[0])))
		}),
		"plan-step-as-text": changed(func(at *spot, doc *generators.Value) {
			doc.Get("steps").Items[at.step] = generators.Text("Read the code")
		}),
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
