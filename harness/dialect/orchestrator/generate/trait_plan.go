package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// caseTraits are invalid cases.
func caseTraits() []trait {
	refuse := func(name, text, theme, place string, code harness.Code,
		change func(d *director, at *spot, c *harness.Case),
	) trait {
		return rows("case", place)(name, text, theme, inputBad, func(d *director, at *spot) {
			d.badCode, d.bad = code, func(c *harness.Case) { change(d, at, c) }
		}).based().weighs(4)
	}
	invalid := func(name, text, theme string, change func(d *director, at *spot, c *harness.Case)) trait {
		t := refuse(name, text, theme, "in the plan", harness.InvalidPlan, change)
		t.claims |= planGiven
		return t.needing("plan")
	}
	unsound := func(name, text, theme string, change func(at *spot, p *plan.Plan, s *plan.Step)) trait {
		return invalid(name, text, theme, func(d *director, at *spot, c *harness.Case) {
			p := d.before.Clone()
			change(at, p, p.Step(d.ids[at.step]))
			c.Plan = d.form.Encode(p, d.style)
		})
	}
	// limit is a trait of an invalid limit. The engine must know and check the limit.
	limit := func(name, of, text string, n int, known ...string) trait {
		return refuse(name, of+text, "an invalid limit", "in the case", harness.BadLimit,
			func(_ *director, _ *spot, c *harness.Case) {
				for _, bound := range c.Bounds() {
					if bound.Name == of {
						*bound.Value = &n
					}
				}
			}).needing(append(known, "limits")...)
	}
	interrupt := limit("interrupt-at-nothing", "interrupt_after", " is 0, and events count from 1", 0)
	interrupt.Theme = "interrupt_after 0"
	// result is a trait of a malformed script of tools or verifications.
	// Its first item is malformed, and the run can go on with the others.
	result := func(name, text, script string, code harness.Code, first string) trait {
		return refuse(name, text, "a malformed result", "in "+script, code, func(d *director, _ *spot, c *harness.Case) {
			if item := generators.Raw(first); script == "tools" {
				c.Tools = d.list(slices.Insert(d.tools, 0, item))
			} else {
				c.Verify = d.list(slices.Insert(d.verify, 0, item))
			}
		}).needing(script)
	}
	return []trait{
		limit("limit-of-no-rounds", "max_step_tool_calls", " is 0", 0),
		limit("limit-of-no-steps", "max_plan_steps", " is 0", 0, "max_plan_steps"),
		limit("limit-of-no-characters", "max_tool_result_chars", " is 0", 0, "max_tool_result_chars"),
		limit("negative-replans", "max_replans", " is negative", -1),
		limit("negative-retries", "planning_retries", " is negative", -1),
		interrupt,
		unsound("unsound-plan", "a step of the plan has an unknown status", "an unknown status",
			func(at *spot, _ *plan.Plan, s *plan.Step) {
				s.Status = plan.Status(generators.Pick(&at.Choices, []string{"Done", "completed", "open", ""}))
			}),
		unsound("circular-plan", "a step of the plan depends on itself", "a cycle",
			func(_ *spot, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, s.ID) }),
		unsound("dangling-plan", "a step of the plan depends on an unknown step", "an unknown step",
			func(_ *spot, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, "no such step") }),
		unsound("repetitive-plan", "two steps of the plan have the same id", "a duplicate id",
			func(_ *spot, p *plan.Plan, s *plan.Step) { p.Steps = append(p.Steps, *s) }),
		unsound("plan-of-blank-ids", "the id of a step of the plan is blank", "a blank id",
			func(at *spot, p *plan.Plan, s *plan.Step) {
				was, blank := s.ID, generators.Pick(&at.Choices, []string{"", " "})
				renameSteps(p, func(id string) string {
					if id == was {
						return blank
					}
					return id
				})
			}),
		invalid("malformed-plan", "the plan is not a plan document", "another document",
			func(_ *director, at *spot, c *harness.Case) {
				c.Plan = jsontext.Value(generators.Pick(&at.Choices, []string{
					`[]`, `"plan"`, `{"title":"t"}`, `{"title":"t","steps":[]}`, `{"title":"t","steps":["a"]}`,
					`{"title":7,"steps":[{"id":"a","description":""}]}`,
					`{"title":"t","steps":[{"id":"a"}]}`,
					`{"title":"t","steps":[{"id":7,"description":""}]}`,
					`{"title":"t","steps":[{"id":"a","description":"","dependencies":"a"}]}`,
					`{"type":"PlanPatch","title":"t","steps":[{"id":"a","description":""}]}`,
				}))
			}),
		refuse("tools-no-list", "tools is not a list", "a malformed result", "in tools", harness.BadType,
			func(_ *director, _ *spot, c *harness.Case) { c.Tools = jsontext.Value(`{"ok":true}`) }).needing("tools"),
		result("tool-result-without-ok", "a tool result does not say whether it succeeded", "tools", harness.MissingField,
			`{"output":"fine"}`),
		result("tool-result-misspelt", "a tool result has an unknown member", "tools", harness.ExtraField,
			`{"ok":true,"write":{"a":"b"}}`),
		result("tool-result-of-another-type", "a member of a tool result is of a wrong type", "tools", harness.BadType,
			`{"ok":true,"output":7}`),
		result("verify-without-ok", "a verification does not say whether it passed", "verify", harness.MissingField,
			`{"errors":[]}`),
		result("verify-ok-as-text", "the member ok of a verification is a string", "verify", harness.BadType,
			`{"ok":"true"}`),
		result("verify-says-ok-twice", "a verification has the member ok twice", "verify", harness.DuplicateKey,
			`{"ok":false,"ok":true}`),
	}
}

// planTraits are unusual properties of the case's plan.
func planTraits() []trait {
	row := rows("plan", "in the plan")
	unusual := func(name, text, theme string, needed claims, plant planting) trait {
		return row(name, text, theme, planGiven|needsPlan|needed, plant).based()
	}
	ids := func(name, text, theme string, rename func(id string) string) trait {
		return unusual(name, text, theme, names, func(d *director, _ *spot) { d.rename(rename) })
	}
	front := func(d *director, s plan.Step) { d.p.Steps = slices.Insert(d.p.Steps, 0, s) }
	behind := func(d *director, s plan.Step) { d.p.Steps = append(d.p.Steps, s) }
	written := func(name, text, theme string, change func(d *director)) trait {
		return unusual(name, text, theme, writing, func(d *director, _ *spot) { change(d) })
	}
	return []trait{
		ids("padded-ids", "ids of the plan have leading and trailing white space", "padded ids",
			func(id string) string { return " " + id + "\u00a0" }).seen(holds("\u00a0\"")),
		ids("ids-in-other-scripts", "ids of the plan are not ASCII", "ids that are not ASCII",
			func(id string) string { return "étape 步骤 🚀" + id }).seen(holds("步骤")),
		ids("ids-with-escapes", "ids of the plan contain characters that JSON and JSON Pointers escape", "ids to be escaped",
			func(id string) string { return "a/b~\"" + id + "\"\t\\" }).seen(holds("a/b~")),
		ids("ids-of-one-letter-case", "ids of the plan differ only in letter case or in look-alike letters",
			"look-alike ids", func(id string) string {
				return strings.NewReplacer("step_1", "ſtep", "step_2", "STEP", "step_3", "step", "s1", "a", "s2", "A", "s3", "а",
					"task-1", "Kelvin", "task-2", "kelvin", "task-3", "KELVIN").Replace(id)
			}),
		ids("long-ids", "ids of the plan are long", "long ids",
			func(id string) string { return strings.Repeat("very_", 40) + id }).seen(holds("very_very_")),
		unusual("long-texts", "a step has a long description, with braces and line breaks", "a long text", 0,
			func(d *director, at *spot) {
				d.step(at).Description = strings.Repeat("Read {all} of \"it\"\nand STEP_DONE, no REPLAN. ", 20)
			}),
		unusual("blank-title", "the title of the plan is blank or has leading and trailing white space", "a padded title", 0,
			func(d *director, at *spot) {
				d.p.Title = generators.Pick(&at.Choices, []string{"", " ", "  Tidy up\n"})
			}),
		unusual("plan-has-a-policy", "the plan has a verification policy", "a verification policy", 0,
			func(d *director, _ *spot) { d.p.VerificationPolicy = "run_pytest" }).needing("verification_policy"),
		unusual("step-has-more", "a step of the plan has unknown members", "unknown members", 0,
			func(d *director, at *spot) {
				d.step(at).Extra = []byte(generators.Pick(&at.Choices, []string{
					`{"result":{"files":3,"passed":true}}`, `{"owner":null}`, `{"attempts":2,"note":"see logs"}`,
				}))
			}).needing("unknown members"),
		unusual("step-done-before", "a step of the plan is already done", "a done step", 0, func(d *director, at *spot) {
			front(d, plan.Step{ID: "before", Description: at.fresh(), Status: plan.Done})
			s := d.step(at)
			s.Dependencies = append(slices.Clip(s.Dependencies), "before")
		}),
		unusual("done-waits-for-open", "a done step depends on one that is not done",
			"a done step that depends on an open one", 0, func(d *director, at *spot) {
				front(d, plan.Step{ID: "early", Description: at.fresh(), Dependencies: []string{d.step(at).ID}, Status: plan.Done})
			}),
		unusual("everything-done", "every step of the plan is done", "nothing left to do", finished,
			func(d *director, _ *spot) {
				for i := range d.p.Steps {
					d.p.Steps[i].Status = plan.Done
				}
			}),
		unusual("step-in-progress", "a step of the plan is in progress", "a step in progress", 0,
			func(d *director, at *spot) { d.step(at).Status = plan.InProgress }),
		unusual("step-blocked", "a step of the plan has the status blocked, although its dependencies are done",
			"a blocked step", 0, func(d *director, at *spot) { d.step(at).Status = plan.Blocked }),
		unusual("step-failed-before", "a step of the plan has failed, and another step depends on it", "a failed step",
			climbs|adds, func(d *director, at *spot) {
				behind(d, plan.Step{ID: "broken", Description: at.fresh(), Status: plan.Failed})
				behind(d, pending("dependent", at.fresh(), "broken"))
			}),
		unusual("waits-for-a-later-step", "the first step depends on a later step", "a dependency on a later step", wide,
			func(d *director, _ *spot) {
				first, last := d.p.Step(d.ids[0]), d.p.Step(d.ids[d.steps-1])
				first.Dependencies = []string{last.ID}
			}),
		unusual("waits-for-many", "a step depends on several others", "several dependencies", adds,
			func(d *director, at *spot) {
				behind(d, pending("end", at.fresh(), collect.Map(d.p.Steps, func(s plan.Step) string { return s.ID })...))
			}),
		unusual("large-plan", "the plan has many steps", "many steps", adds, func(d *director, at *spot) {
			for _, id := range []string{"p", "q", "r", "t", "u", "v", "w"} {
				text, on := at.fresh(), d.p.Steps[at.Below(len(d.p.Steps))].ID
				behind(d, pending(id, text, on))
			}
		}),
		written("plan-is-brief", "the plan leaves out members that have their default value", "members left out",
			func(d *director) { d.form.Brief = true }),
		written("plan-says-its-type", "the plan has the type FullPlan", "a type", func(d *director) { d.form.Typed = true }),
		written("plan-is-indented", "the plan is indented, with CRLF line breaks", "indented JSON",
			func(d *director) { d.style.Indent, d.style.Newline = 2, "\r\n" }),
		written("plan-says-null", "optional members of the plan are null", "null for an optional member",
			func(d *director) { d.form.Nulls = true }),
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

// budgetTraits are budgets that most conversations exceed. The replies are scripted, so a run
// that can make its calls ends as it would without a budget.
func budgetTraits() []trait {
	row := rows("budget", "in the case")
	tight := func(name, text, theme string, more claims, plant planting) trait {
		return row(name, text, theme, budgets|more, plant).needing("budget").
			seen(func(c harness.Case) bool { return c.Budget != nil })
	}
	return []trait{
		tight("budget-tight", "the conversation exceeds its token budget", "a token budget", 0,
			func(d *director, at *spot) { d.budgeted = budget{tokens: 40 + at.Below(200)} }),
		tight("budget-policy", "the conversation exceeds its token budget, and the case names the policy",
			"a token budget", 0, func(d *director, at *spot) {
				d.budgeted = budget{40 + at.Below(200), generators.Pick(&at.Choices, []string{
					"none", "window(2)", "emergency|clamp(25)", "section_caps|dedup", "window(4)",
				})}
			}),
		tight("budget-cannot-fit", "not even the first question fits the token budget", "a token budget that nothing fits",
			ends|planAsked|needsPlan, func(d *director, _ *spot) { d.silent, d.budgeted = true, budget{1, pinned} }),
	}
}
