package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// caseTraits are about the case as a whole.
func caseTraits() []trait {
	row := generators.Family("plan")
	spoilt := func(name, what, theme string, spoil func(u *updater, v *generators.Value)) trait {
		return trait{
			Trait: based(needs(row(name, what+": invalid_plan").Weigh(4).Says(theme, "plan"), "plan")),
			claim: unsound, spoil: func(u *updater) harness.Code {
				choices := u.Choices
				u.rewrite = append(u.rewrite, func(v *generators.Value) {
					u.Choices, choices = choices, u.Choices
					spoil(u, v)
					u.Choices = choices
				})
				return harness.InvalidPlan
			},
		}
	}
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
		{Trait: needs(row("limit-zero", "max_plan_steps is below 1: bad_limit").Weigh(8).Says("limit below 1", "limits"),
			"max_plan_steps"), claim: unsound | limit, spoil: func(u *updater) harness.Code {
			u.limit, u.limits.MaxPlanSteps = 0, new(-u.Below(3))
			return harness.BadLimit
		}},
		{
			Trait: row("no-replies", "there is no reply: replies_exhausted").Weigh(6).Says("no reply", "replies"),
			claim: replies | text | document | metadatum | plain | unsound, bars: listed, silent: true,
		},
	}
}

// planTraits are about the data of the case, which is sound and unusual.
func planTraits() []trait {
	row := generators.Family("plan")
	var list []trait
	add := func(name, what, theme string, t trait) {
		t.Trait = based(row(name, what).Says(theme, "plan"))
		list = append(list, t)
	}
	for _, s := range []struct {
		name, what, theme string
		style             generators.IdStyle
	}{
		{"ids-numbers", "the ids of the steps are numbers in strings", "numbers for ids", 2},
		{"ids-words", "the ids of the steps are words such as constructor", "words for ids", 3},
		{"ids-dotted", "the ids of the steps contain dots", "dots in ids", 4},
		{"ids-letters", "the ids of the steps contain non-ASCII letters", "non-ASCII ids", 5},
		{"ids-emoji", "the ids of the steps contain emoji", "non-ASCII ids", 6},
		{"ids-long", "the ids of the steps are long", "long ids", 7},
		{"ids-quoted", "the ids of the steps contain quotation marks and backslashes", "quotation marks in ids", 11},
		{
			"ids-spaced", "the ids of the steps have leading or trailing white space: lookups ignore it",
			"white space around ids", 12,
		},
		{"ids-slashed", "the ids of the steps contain slashes and tildes", "slashes in ids", 13},
		{"ids-colon", "the ids of the steps contain colons", "colons in ids", 14},
		{"ids-tab", "the ids of the steps contain tabs", "tabs in ids", 15},
	} {
		add(s.name, s.what, s.theme, trait{claim: ids, style: s.style})
	}
	// steps changes the steps before anything is done.
	steps := func(change func(u *updater, t *task)) func(u *updater) {
		return func(u *updater) {
			for i := range u.p.steps {
				change(u, &u.p.steps[i])
			}
		}
	}
	// each changes how the steps are written.
	each := func(change func(u *updater, v *generators.Value)) func(u *updater) {
		return func(u *updater) {
			u.rewrite = append(u.rewrite, func(v *generators.Value) {
				if list := v.Get("steps"); list != nil {
					for i := range list.Items {
						change(u, &list.Items[i])
					}
				}
			})
		}
	}
	odd := []string{
		"der Zähler", "数据库迁移", `"quoted" names`, "a path C:\\tmp", "line one\nline two", "the 🚀 launch",
		"the {braces} and [brackets]", " blanks round it ",
	}
	add("texts-odd", "the texts of the steps contain quotation marks, line breaks and non-ASCII letters", "odd texts",
		trait{claim: texts, base: steps(func(u *updater, t *task) {
			t.name, t.description = generators.Pick(&u.Choices, odd)+" (name)", generators.Pick(&u.Choices, odd)
		})})
	add("texts-long", "the texts of the steps are long", "long texts",
		trait{claim: texts, base: steps(func(u *updater, t *task) {
			t.description = strings.Repeat(t.description+", and ", 100+u.Below(100)) + "so on"
		})})
	add("texts-absent", "each step has only a name or only a description", "member left out",
		trait{claim: texts, base: steps(func(u *updater, t *task) {
			if u.OneIn(2) {
				t.name = ""
			} else {
				t.description = ""
			}
		})})
	add("plan-brief", "the plan leaves out members with default values", "member left out",
		trait{claim: texts, base: func(u *updater) {
			u.brief = true
			steps(func(_ *updater, t *task) { t.specialist, t.priority, t.parameters, t.tools = "", "", "", nil })(u)
			u.p.id = ""
			if len(u.p.history) == 0 {
				u.p.version = 0
			}
		}})
	add("plan-nulls", "optional members of the steps are null: treated as absent", "null",
		trait{claim: texts, base: func(u *updater) {
			steps(func(_ *updater, t *task) { t.specialist, t.priority, t.parameters, t.tools = "", "", "", nil })(u)
			each(func(u *updater, v *generators.Value) {
				for _, name := range []string{"assigned_specialist", "priority", "parameters", "tools_expected"} {
					if u.lacks(name) {
						continue
					}
					if m := v.Get(name); m == nil || m.IsList && len(m.Items) == 0 {
						v.Put(name, generators.Raw("null"))
					}
				}
			})(u)
		}})
	add("priorities-odd", "the priorities of the steps are negative, fractional or have an exponent", "odd number",
		trait{base: steps(func(u *updater, t *task) {
			if t.priority != "" {
				t.priority = generators.Pick(&u.Choices, []string{"0", "-1", "2.5", "1e3"})
			}
		})})
	add("extra-members", "the steps have unknown members: they stay", "unknown member",
		trait{base: steps(func(u *updater, t *task) {
			t.more = []generators.Field{field("note",
				generators.Raw(generators.Pick(&u.Choices, []string{`"see logs"`, `{"files":3}`, `[1,2]`})))}
		})})
	list[len(list)-1].Needs = []string{"unknown members"}
	add("plan-name-blank", "the name of the plan has leading or trailing white space", "white space",
		trait{claim: metadatum, base: func(u *updater) { u.p.name = "  " + u.p.name + " " }})
	add("plan-order", "the steps are in reverse order", "order of steps",
		trait{claim: order, bars: order, base: func(u *updater) { slices.Reverse(u.p.steps) }})
	add("plan-large", "the plan has many steps", "large plan", trait{claim: limit, base: func(u *updater) {
		for n := range min(20+u.Below(30), u.max-len(u.p.steps)) {
			t := u.work("more " + strconv.Itoa(n))
			t.dependencies = u.depended(2, len(u.drawn))
			u.p.steps = append(u.p.steps, t)
		}
		u.limit = 0
	}})
	add("plan-status-odd", "some steps failed or were skipped", "odd status", trait{
		claim: statuses, steps: []role{free},
		base: steps(func(u *updater, t *task) {
			if t.role == free || t.role == open {
				t.status = generators.Pick(&u.Choices, []plan.Status{plan.Failed, plan.Skipped})
			}
		}),
	})
	add("plan-done-first", "a completed step depends on an open one", "odd status",
		trait{claim: statuses, steps: []role{needed, behind}, base: func(u *updater) {
			u.p.steps[u.index(u.mine(1))].status = plan.Completed
		}})
	alike := func(change func(id string) string) trait {
		return trait{claim: ids, steps: []role{open, open}, base: func(u *updater) { u.rename(u.mine(1), change(u.mine(0))) }}
	}
	add("ids-case", "two step ids differ only in case: they are different ids", "ids that differ in case",
		alike(strings.ToUpper))
	add("ids-alike", "two step ids look alike: they are different ids", "ids that look alike",
		alike(func(id string) string { return strings.Replace(id, "s", "\u0455", 1) }))
	add("over-limit", "the plan exceeds max_plan_steps and the update adds nothing: applied", "plan above its limit",
		trait{keeps: true, claim: limit, bars: sized, base: func(u *updater) {
			u.limit = max(1, len(u.p.steps)-1-u.Below(2))
		}})
	list[len(list)-1].Needs = []string{"max_plan_steps"}
	add("no-results", "the case has no results", "no results",
		trait{claim: results, base: func(u *updater) { u.results, u.noResults = nil, true }})
	add("results-odd", "results are null, numbers and lists, and one has no step: they stay unchanged", "odd result",
		trait{claim: results, base: func(u *updater) {
			for i := range u.results {
				u.results[i].json = generators.Pick(&u.Choices, []string{"null", "0", `[1,2,{"files":["a.go"]}]`, `""`, "{}"})
			}
			u.results = append(u.results, stepResult{"of another plan", `{"ok":true}`})
		}})
	list[len(list)-1].Needs = []string{"results"}
	add("history-long", "the plan has many older versions", "long history", trait{old: true, base: func(u *updater) {
		for len(u.p.history) < 12 {
			u.p.history = append(u.p.history, u.p.history[0])
			u.p.version++
		}
	}})
	add("version-ahead", "the version of the plan exceeds the length of its history", "version",
		trait{base: func(u *updater) { u.p.version = max(u.p.version, 1) + 1 + u.Below(5) }})
	add("plan-indented", "the plan is indented", "layout", trait{base: func(u *updater) {
		u.planStyle = generators.Style{Indent: 2, Gap: " ", Newline: "\n"}
	}})
	add("extra-plan-member", "the plan has an unknown member", "unknown member", trait{base: func(u *updater) {
		u.rewrite = append(u.rewrite, func(v *generators.Value) { v.Add("owner", generators.Text("team")) })
	}})
	return list
}

// rename gives a step of the plan another id.
func (u *updater) rename(from, to string) {
	for _, list := range [][]task{u.p.steps, u.drawn} {
		for i := range list {
			t := &list[i]
			if t.id == from {
				t.id = to
			}
			t.dependencies = slices.Clone(t.dependencies)
			for k, d := range t.dependencies {
				if d == from {
					t.dependencies[k] = to
				}
			}
		}
	}
	for i := range u.results {
		if u.results[i].id == from {
			u.results[i].id = to
		}
	}
}
