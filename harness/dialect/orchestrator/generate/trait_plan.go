package generate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// caseParts make the case invalid.
func caseParts() map[string]part {
	invalid := func(code harness.Code, change func(d *director, at *spot, c *harness.Case)) part {
		return does(func(d *director, at *spot) {
			d.badCode, d.bad = code, func(c *harness.Case) { change(d, at, c) }
		})
	}
	limit := func(name string, n int) part {
		return invalid(harness.BadLimit, func(_ *director, _ *spot, c *harness.Case) {
			for _, bound := range c.Bounds() {
				if bound.Name == name {
					*bound.Value = &n
				}
			}
		})
	}
	// result puts a malformed result before the others, with which the run can go on.
	result := func(script string, code harness.Code, first string) part {
		return invalid(code, func(d *director, _ *spot, c *harness.Case) {
			if item := generators.Raw(first); script == "tools" {
				c.Tools = d.list(slices.Insert(d.tools, 0, item))
			} else {
				c.Verify = d.list(slices.Insert(d.verify, 0, item))
			}
		})
	}
	parts := map[string]part{
		"limit-of-no-rounds":     limit("max_step_tool_calls", 0),
		"limit-of-no-steps":      limit("max_plan_steps", 0),
		"limit-of-no-characters": limit("max_tool_result_chars", 0),
		"negative-replans":       limit("max_replans", -1),
		"negative-retries":       limit("planning_retries", -1),
		"interrupt-at-nothing":   limit("interrupt_after", 0),
		"plan-malformed": invalid(harness.InvalidPlan, func(_ *director, at *spot, c *harness.Case) {
			c.Plan = jsontext.Value(generators.NoPlan(&at.Choices))
		}),
		"tools-no-list": invalid(harness.BadType, func(_ *director, _ *spot, c *harness.Case) {
			c.Tools = jsontext.Value(`{"ok":true}`)
		}),
		"tool-result-without-ok":      result("tools", harness.MissingField, `{"output":"fine"}`),
		"tool-result-misspelt":        result("tools", harness.ExtraField, `{"ok":true,"write":{"a":"b"}}`),
		"tool-result-of-another-type": result("tools", harness.BadType, `{"ok":true,"output":7}`),
		"verify-without-ok":           result("verify", harness.MissingField, `{"errors":[]}`),
		"verify-ok-as-text":           result("verify", harness.BadType, `{"ok":"true"}`),
		"verify-says-ok-twice":        result("verify", harness.DuplicateKey, `{"ok":false,"ok":true}`),
	}
	for name, spoil := range generators.Spoils() {
		parts[name] = invalid(harness.InvalidPlan, func(d *director, at *spot, c *harness.Case) {
			p := d.before.Clone()
			spoil(&at.Choices, p, p.Step(d.ids[at.step]))
			c.Plan = d.form.Encode(p, d.style)
		})
	}
	return parts
}

// planParts change the plan of the case.
func planParts() map[string]part {
	ids := func(rename func(id string) string) part {
		return does(func(d *director, _ *spot) { d.rename(rename) })
	}
	// step changes the step of the trait.
	step := func(change func(at *spot, s *plan.Step)) part {
		return does(func(d *director, at *spot) { change(at, d.step(at)) })
	}
	front := func(d *director, s plan.Step) { d.p.Steps = slices.Insert(d.p.Steps, 0, s) }
	behind := func(d *director, s plan.Step) { d.p.Steps = append(d.p.Steps, s) }
	written := func(change func(d *director)) part { return does(func(d *director, _ *spot) { change(d) }) }
	return map[string]part{
		"padded-ids":         ids(func(id string) string { return " " + id + "\u00a0" }).seen(holds("\u00a0\"")),
		"plan-ids-non-ascii": ids(func(id string) string { return "étape 步骤 🚀" + id }).seen(holds("步骤")),
		"plan-ids-signs":     ids(func(id string) string { return "a/b~\"" + id + "\"\t\\" }).seen(holds("a/b~")),
		"ids-of-one-letter-case": ids(func(id string) string {
			return strings.NewReplacer("step_1", "ſtep", "step_2", "STEP", "step_3", "step", "s1", "a", "s2", "A", "s3", "а",
				"task-1", "Kelvin", "task-2", "kelvin", "task-3", "KELVIN").Replace(id)
		}),
		"plan-ids-long": ids(func(id string) string { return strings.Repeat("very_", 40) + id }).seen(holds("very_very_")),
		"plan-text-long": step(func(_ *spot, s *plan.Step) {
			s.Description = strings.Repeat("Read {all} of \"it\"\nand STEP_DONE, no REPLAN. ", 20)
		}),
		"plan-title-space": does(func(d *director, at *spot) {
			d.p.Title = generators.Pick(&at.Choices, []string{"", " ", "  Tidy up\n"})
		}),
		"plan-policy": does(func(d *director, _ *spot) { d.p.VerificationPolicy = "run_pytest" }),
		"step-has-more": step(func(at *spot, s *plan.Step) {
			s.Extra = []byte(generators.Pick(&at.Choices, []string{
				`{"result":{"files":3,"passed":true}}`, `{"owner":""}`, `{"attempts":2,"note":"see logs"}`,
			}))
		}),
		"step-done-before": does(func(d *director, at *spot) {
			front(d, plan.Step{ID: "before", Description: at.fresh(), Status: plan.Done})
			s := d.step(at)
			s.Dependencies = append(slices.Clip(s.Dependencies), "before")
		}),
		"plan-done-after-open": does(func(d *director, at *spot) {
			front(d, plan.Step{ID: "early", Description: at.fresh(), Dependencies: []string{d.step(at).ID}, Status: plan.Done})
		}),
		"plan-all-done": does(func(d *director, _ *spot) {
			for i := range d.p.Steps {
				d.p.Steps[i].Status = plan.Done
			}
		}),
		"step-in-progress": step(func(_ *spot, s *plan.Step) { s.Status = plan.InProgress }),
		"step-blocked":     step(func(_ *spot, s *plan.Step) { s.Status = plan.Blocked }),
		"step-failed-before": does(func(d *director, at *spot) {
			behind(d, plan.Step{ID: "broken", Description: at.fresh(), Status: plan.Failed})
			behind(d, pending("dependent", at.fresh(), "broken"))
		}),
		"plan-backwards": does(func(d *director, _ *spot) {
			first, last := d.p.Step(d.ids[0]), d.p.Step(d.ids[d.steps-1])
			first.Dependencies = []string{last.ID}
		}),
		"waits-for-many": does(func(d *director, at *spot) {
			behind(d, pending("end", at.fresh(), collect.Map(d.p.Steps, func(s plan.Step) string { return s.ID })...))
		}),
		"plan-large": does(func(d *director, at *spot) {
			for _, id := range []string{"p", "q", "r", "t", "u", "v", "w"} {
				text, on := at.fresh(), d.p.Steps[at.Below(len(d.p.Steps))].ID
				behind(d, pending(id, text, on))
			}
		}),
		"plan-brief":    written(func(d *director) { d.form.Brief = true }),
		"plan-typed":    written(func(d *director) { d.form.Typed = true }),
		"plan-indented": written(func(d *director) { d.style.Indent, d.style.Newline = 2, "\r\n" }),
		"plan-nulls":    written(func(d *director) { d.form.Nulls = true }),
	}
}

// budget is the token budget of a case, and the policy that trims the conversation to it.
type budget struct {
	tokens int    // 0: the case has no budget
	policy string // "": the case has no policy
}

// pinned is a policy that makes no call whose protected messages exceed the budget.
const pinned = "pinned"

// write adds the budget to the case.
func (b budget) write(c *harness.Case) {
	if b.tokens == 0 {
		return
	}
	c.Budget = jsontext.Value(`{"max_tokens":` + strconv.Itoa(b.tokens) + `,"tokenizer":"chars/4"}`)
	if b.policy != "" {
		c.Policy = jsontext.Value(strconv.Quote(b.policy))
	}
}

// budgetParts set budgets that most conversations exceed. The replies are scripted, so a run
// that can make its calls ends as it would without a budget.
func budgetParts() map[string]part {
	tight := func(set func(d *director, at *spot)) part {
		return does(set).seen(func(c harness.Case) bool { return c.Budget != nil })
	}
	return map[string]part{
		"budget-tight": tight(func(d *director, at *spot) { d.budgeted = budget{tokens: 40 + at.Below(200)} }),
		"budget-policy": tight(func(d *director, at *spot) {
			d.budgeted = budget{40 + at.Below(200), generators.Pick(&at.Choices, []string{
				"none", "window(2)", "emergency|clamp(25)", "section_caps|dedup", "window(4)",
			})}
		}),
		"budget-cannot-fit": tight(func(d *director, _ *spot) { d.silent, d.budgeted = true, budget{1, pinned} }),
	}
}

// replying writes a reply.
type replying = func(d *director, at *spot) string

// refusedPlan is a reply that is refused as the first plan.
func refusedPlan(reply replying) part {
	return does(func(d *director, at *spot) {
		d.refused = append(d.refused, func() string { return reply(d, at) })
	})
}

// changed is a first plan that is refused for a change to its document.
func changed(change func(at *spot, doc *generators.Value)) part {
	return refusedPlan(func(d *director, at *spot) string {
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

// put gives an object members, in which own replaces the id. null leaves one out.
func put(v *generators.Value, members map[string]jsontext.Value, own string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if v.Drop(name); members[name].Kind() != 'n' {
			v.Add(name, generators.Raw(strings.ReplaceAll(string(members[name]), ownID, own)))
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
