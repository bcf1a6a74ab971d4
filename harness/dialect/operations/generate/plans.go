package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// caseTraits are about the case as a whole.
func caseTraits() []trait {
	row := func(name, text, theme, place string, weight int, spoil func(u *updater) harness.Code) trait {
		t := rows("plan", place)(name, text, theme).weighs(weight).claiming(unsound)
		t.spoil = spoil
		return t
	}
	spoilt := func(name, what, theme string, spoil func(u *updater, v *generators.Value)) trait {
		return row(name, what+": invalid_plan", theme, "plan", 4, func(u *updater) harness.Code {
			choices := u.Choices
			u.rewrite = append(u.rewrite, func(v *generators.Value) {
				u.Choices, choices = choices, u.Choices
				spoil(u, v)
				u.Choices = choices
			})
			return harness.InvalidPlan
		}).needing("plan").based(nil)
	}
	silent := row("no-replies", "there is no reply: replies_exhausted", "no reply", "replies", 6, nil).
		claiming(replies | text | metadatum | plain)
	silent.bars, silent.silent = listed, true
	first := func(v *generators.Value) *generators.Value { return &v.Get("steps").Items[0] }
	put := func(name string, texts ...string) func(u *updater, v *generators.Value) {
		return func(u *updater, v *generators.Value) { v.Put(name, generators.Raw(generators.Pick(&u.Choices, texts))) }
	}
	step := func(change func(u *updater, v *generators.Value)) func(u *updater, v *generators.Value) {
		return func(u *updater, v *generators.Value) { change(u, first(v)) }
	}
	return []trait{
		spoilt("plan-status", "a status in the plan is misspelled or from another dialect", "unknown status",
			step(put("status", `"done"`, `"Completed"`, `"in_progress"`, `"blocked"`))),
		spoilt("plan-blank-id", "an id in the plan is blank", "blank id", step(put("id", `""`, `" "`))),
		spoilt("plan-dangling", "a step of the plan depends on an unknown step", "unknown dependency",
			step(put("dependencies", `["nowhere"]`))),
		spoilt("plan-cycle", "a step of the plan depends on itself", "cycle", step(func(u *updater, v *generators.Value) {
			v.Put("dependencies", generators.Texts([]string{u.p.steps[0].id}))
		})),
		spoilt("plan-duplicate-id", "two steps of the plan have the same id", "duplicate id",
			func(u *updater, v *generators.Value) {
				list := v.Get("steps")
				list.Items = append(list.Items, u.p.steps[0].value(true))
			}),
		spoilt("plan-version", "the version of the plan is not a positive integer", "bad version",
			put("version", "0", "-1", `"2"`, "1.5")),
		spoilt("plan-step-unnamed", "a step of the plan has neither name nor description", "step without a name",
			step(func(_ *updater, v *generators.Value) {
				v.Drop("name")
				v.Drop("description")
			})),
		spoilt("plan-bad-history", "the history of the plan is not a list", "bad history", put("history", `{}`, `"none"`)),
		spoilt("plan-malformed", "the plan is not a plan document", "malformed plan",
			func(_ *updater, v *generators.Value) { *v = generators.Raw(`{"name":"x","steps":{}}`) }),
		row("limit-zero", "max_plan_steps is below 1: bad_limit", "limit below 1", "limits", 8,
			func(u *updater) harness.Code {
				u.limit, u.limits.MaxPlanSteps = 0, new(-u.Below(3))
				return harness.BadLimit
			}).needing("max_plan_steps").claiming(limit),
		silent,
	}
}

// planTraits are about the data of the case, which is sound and unusual.
func planTraits() []trait {
	row := rows("plan", "plan")
	styled := func(name, what, theme string, style generators.IdStyle) trait {
		t := row(name, "the ids of the steps "+what, theme).claiming(ids).based(nil)
		t.style = style
		return t
	}
	// steps changes the steps before anything is done.
	steps := func(change func(u *updater, t *task)) func(u *updater) {
		return func(u *updater) {
			for i := range u.p.steps {
				change(u, &u.p.steps[i])
			}
		}
	}
	minimal := steps(func(_ *updater, t *task) { t.specialist, t.priority, t.parameters, t.tools = "", "", "", nil })
	worded := func(name, text, theme string, change func(u *updater, t *task)) trait {
		return row(name, text, theme).claiming(texts).based(steps(change))
	}
	alike := func(name, text, theme string, change func(id string) string) trait {
		return row(name, text, theme, open, open).claiming(ids).
			based(func(u *updater) { u.rename(u.mine(1), change(u.mine(0))) })
	}
	ordered := row("plan-order", "the steps are in reverse order", "order of steps").claiming(order).
		based(func(u *updater) { slices.Reverse(u.p.steps) })
	ordered.bars = order
	long := row("history-long", "the plan has many older versions", "long history").based(func(u *updater) {
		for len(u.p.history) < 12 {
			u.p.history = append(u.p.history, u.p.history[0])
			u.p.version++
		}
	})
	long.old = true
	odd := []string{
		"der Zähler", "数据库迁移", `"quoted" names`, "a path C:\\tmp", "line one\nline two", "the 🚀 launch",
		"the {braces} and [brackets]", " blanks round it ",
	}
	const absent, oddStatus = "member left out", "odd status"
	return []trait{
		styled("ids-numbers", "are numbers in strings", "numbers for ids", "#"),
		styled("ids-words", "are words such as constructor", "words for ids", generators.Words),
		styled("ids-dotted", "contain dots", "dots in ids", "1.2.#"),
		styled("ids-letters", "contain non-ASCII letters", "non-ASCII ids", "步骤#"),
		styled("ids-emoji", "contain emoji", "non-ASCII ids", "🚀#"),
		styled("ids-long", "are long", "long ids", generators.IdStyle("step_"+strings.Repeat("very_", 16)+"#")),
		styled("ids-quoted", "contain quotation marks and backslashes", "quotation marks in ids", `say "hi" \#`),
		styled("ids-spaced", "have leading or trailing white space: lookups ignore it", "white space around ids",
			" step #\u00a0"),
		styled("ids-slashed", "contain slashes and tildes", "slashes in ids", "a/b~#"),
		styled("ids-colon", "contain colons", "colons in ids", "task:#"),
		styled("ids-tab", "contain tabs", "tabs in ids", "Schritt\t#"),
		worded("texts-odd", "the texts of the steps contain quotation marks, line breaks and non-ASCII letters", "odd texts",
			func(u *updater, t *task) {
				t.name, t.description = generators.Pick(&u.Choices, odd)+" (name)", generators.Pick(&u.Choices, odd)
			}),
		worded("texts-long", "the texts of the steps are long", "long texts", func(u *updater, t *task) {
			t.description = strings.Repeat(t.description+", and ", 100+u.Below(100)) + "so on"
		}),
		worded("texts-absent", "each step has only a name or only a description", absent, func(u *updater, t *task) {
			if u.OneIn(2) {
				t.name = ""
			} else {
				t.description = ""
			}
		}),
		row("plan-brief", "the plan leaves out members with default values", absent).claiming(texts).
			based(func(u *updater) {
				minimal(u)
				u.brief, u.p.id = true, ""
				if len(u.p.history) == 0 {
					u.p.version = 0
				}
			}),
		row("plan-nulls", "optional members of the plan and its steps are null: treated as absent", "null").claiming(texts).
			based(func(u *updater) {
				minimal(u)
				u.rewrite = append(u.rewrite, nullMembers(u))
			}),
		row("priorities-odd", "the priorities of the steps are negative, fractional or have an exponent", "odd number").
			based(steps(func(u *updater, t *task) {
				if t.priority != "" {
					t.priority = generators.Pick(&u.Choices, []string{"0", "-1", "2.5", "1e3"})
				}
			})),
		row("extra-members", "the steps have unknown members: they stay", "unknown member").needing("unknown members").
			based(steps(func(u *updater, t *task) {
				t.more = []generators.Field{field("note",
					generators.Raw(generators.Pick(&u.Choices, []string{`"see logs"`, `{"files":3}`, `[1,2]`})))}
			})),
		row("plan-name-blank", "the name of the plan has leading or trailing white space", "white space").
			claiming(metadatum).based(func(u *updater) { u.p.name = "  " + u.p.name + " " }),
		ordered,
		row("plan-large", "the plan has many steps", "large plan").claiming(limit).based(func(u *updater) {
			for n := range min(20+u.Below(30), u.Max-len(u.p.steps)) {
				t := u.work("more " + strconv.Itoa(n))
				t.dependencies = u.depended(2, len(u.drawn))
				u.p.steps = append(u.p.steps, t)
			}
			u.limit = 0
		}),
		row("plan-status-odd", "some steps failed or were skipped", oddStatus, free).claiming(statuses).
			based(steps(func(u *updater, t *task) {
				if t.role == free || t.role == open {
					t.status = generators.Pick(&u.Choices, []plan.Status{plan.Failed, plan.Skipped})
				}
			})),
		row("plan-done-first", "a completed step depends on an open one", oddStatus, needed, behind).claiming(statuses).
			based(func(u *updater) { u.p.steps[u.index(u.mine(1))].status = plan.Completed }),
		alike("ids-case", "two step ids differ only in case: they are different ids", "ids that differ in case",
			strings.ToUpper),
		alike("ids-alike", "two step ids look alike: they are different ids", "ids that look alike",
			func(id string) string { return strings.Replace(id, "s", "\u0455", 1) }),
		row("over-limit", "the plan exceeds max_plan_steps and the update adds nothing: applied", "plan above its limit").
			needing("max_plan_steps").keeping().
			based(func(u *updater) { u.limit = max(1, len(u.p.steps)-1-u.Below(2)) }),
		row("no-results", "the case has no results", "no results").claiming(results).
			based(func(u *updater) { u.results, u.noResults = nil, true }),
		row("results-odd", "results are null, numbers and lists, and one has no step: they stay unchanged", "odd result").
			needing("results").claiming(results).based(func(u *updater) {
			for i := range u.results {
				u.results[i].Json = generators.Pick(&u.Choices, []string{"null", "0", `[1,2,{"files":["a.go"]}]`, `""`, "{}"})
			}
			u.results = append(u.results, field("of another plan", generators.Raw(`{"ok":true}`)))
		}),
		long,
		row("version-ahead", "the version of the plan exceeds the length of its history", "version").
			based(func(u *updater) { u.p.version = max(u.p.version, 1) + 1 + u.Below(5) }),
		row("plan-indented", "the plan is indented", "layout").
			based(func(u *updater) { u.planStyle = generators.Style{Indent: 2, Gap: " ", Newline: "\n"} }),
		row("extra-plan-member", "the plan has an unknown member", "unknown member").based(func(u *updater) {
			u.rewrite = append(u.rewrite, func(v *generators.Value) { v.Add("owner", generators.Text("team")) })
		}),
	}
}

// nullMembers writes null for optional members that the plan and its steps do not have, and for empty lists.
func nullMembers(u *updater) func(v *generators.Value) {
	nulls := func(v *generators.Value, names ...string) {
		for _, name := range names {
			if given := v.Get(name); (given == nil || given.IsList && len(given.Items) == 0) && !u.Lacks(name) {
				v.Put(name, null)
			}
		}
	}
	return func(v *generators.Value) {
		nulls(v, "history")
		list := v.Get("steps")
		for i := 0; list != nil && i < len(list.Items); i++ {
			nulls(&list.Items[i], "assigned_specialist", "priority", "parameters", "tools_expected", "dependencies")
		}
	}
}

// rename gives a step of the plan another id.
func (u *updater) rename(from, to string) {
	now := func(id string) string {
		if id == from {
			return to
		}
		return id
	}
	for _, list := range [][]task{u.p.steps, u.drawn} {
		for i := range list {
			list[i].id, list[i].dependencies = now(list[i].id), collect.Map(list[i].dependencies, now)
		}
	}
	for i := range u.results {
		u.results[i].Name = now(u.results[i].Name)
	}
}
