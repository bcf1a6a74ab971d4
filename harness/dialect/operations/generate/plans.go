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

// spoils are the traits of a case that is refused as a whole.
func spoils() map[string]func(u *updater) harness.Code {
	type spoil = func(u *updater) harness.Code
	// whole changes how the plan is written, and step its first step. put replaces a member.
	whole := func(change func(u *updater, v *generators.Value)) spoil {
		return func(u *updater) harness.Code {
			choices := u.Choices
			u.rewrite = append(u.rewrite, func(v *generators.Value) {
				u.Choices, choices = choices, u.Choices
				change(u, v)
				u.Choices = choices
			})
			return harness.InvalidPlan
		}
	}
	step := func(change func(u *updater, v *generators.Value)) spoil {
		return whole(func(u *updater, v *generators.Value) { change(u, &v.Get("steps").Items[0]) })
	}
	put := func(name string, texts ...string) func(u *updater, v *generators.Value) {
		return func(u *updater, v *generators.Value) { v.Put(name, generators.Raw(generators.Pick(&u.Choices, texts))) }
	}
	return map[string]spoil{
		"plan-status-spelled": step(put("status", `"done"`, `"Completed"`, `"in_progress"`, `"blocked"`)),
		"plan-blank-id":       step(put("id", `""`, `" "`)),
		"plan-dangling":       step(put("dependencies", `["nowhere"]`)),
		"plan-cycle": step(func(u *updater, v *generators.Value) {
			v.Put("dependencies", generators.Texts([]string{u.p.steps[0].id}))
		}),
		"plan-duplicate-id": whole(func(u *updater, v *generators.Value) {
			list := v.Get("steps")
			list.Items = append(list.Items, u.p.steps[0].value(&u.Slab, true))
		}),
		"plan-version": whole(put("version", "0", "-1", `"2"`, "1.5")),
		"plan-step-unnamed": step(func(_ *updater, v *generators.Value) {
			v.Drop("name")
			v.Drop("description")
		}),
		"plan-bad-history": whole(put("history", `{}`, `"none"`)),
		"plan-malformed":   whole(func(_ *updater, v *generators.Value) { *v = generators.Raw(`{"name":"x","steps":{}}`) }),
		"limit-below-one": func(u *updater) harness.Code {
			u.limit, u.limits.MaxPlanSteps = 0, new(-u.Below(3))
			return harness.BadLimit
		},
	}
}

// bases are the traits that change the data of the case, or leave out the plain edit, before anything is done.
func bases() map[string]func(u *updater) {
	steps := func(change func(u *updater, t *task)) func(u *updater) {
		return func(u *updater) {
			for i := range u.p.steps {
				change(u, &u.p.steps[i])
			}
		}
	}
	minimal := steps(func(_ *updater, t *task) { t.specialist, t.priority, t.parameters, t.tools = "", "", "", nil })
	alike := func(change func(id string) string) func(u *updater) {
		return func(u *updater) { u.rename(u.mine(1), change(u.mine(0))) }
	}
	odd := []string{
		"der Zähler", "数据库迁移", `"quoted" names`, "a path C:\\tmp", "line one\nline two", "the 🚀 launch",
		"the {braces} and [brackets]", " blanks round it ",
	}
	return map[string]func(u *updater){
		"over-capacity": func(u *updater) { u.limit = max(1, len(u.p.steps)-u.Below(2)) },
		"limit-met":     func(u *updater) { u.limit = len(u.p.steps) + 1 },
		"modify-same-order": func(u *updater) {
			u.p.steps[u.index(u.mine(0))].parameters = `{"file":"doc.md","line":3,"k":{"n":1,"deep":[2]}}`
		},
		"whole-plan":       leaveOut,
		"no-plain-edit":    leaveOut,
		"operations-empty": leaveOut,
		"metadata-same":    leaveOut,
		"metadata-only":    leaveOut,
		"metadata-prefix":  leaveOut,

		"texts-odd": steps(func(u *updater, t *task) {
			t.name, t.description = generators.Pick(&u.Choices, odd)+" (name)", generators.Pick(&u.Choices, odd)
		}),
		"texts-long": steps(func(u *updater, t *task) {
			t.description = strings.Repeat(t.description+", and ", 100+u.Below(100)) + "so on"
		}),
		"texts-absent": steps(func(u *updater, t *task) {
			if u.OneIn(2) {
				t.name = ""
			} else {
				t.description = ""
			}
		}),
		"plan-brief": func(u *updater) {
			minimal(u)
			u.brief, u.p.id = true, ""
			if len(u.p.history) == 0 {
				u.p.version = 0
			}
		},
		"plan-nulls": func(u *updater) {
			minimal(u)
			u.rewrite = append(u.rewrite, nullMembers(u))
		},
		"priorities-odd": steps(func(u *updater, t *task) {
			if t.priority != "" {
				t.priority = generators.Pick(&u.Choices, []string{"0", "-1", "2.5", "1e3"})
			}
		}),
		"extra-members": steps(func(u *updater, t *task) {
			t.more = []generators.Field{field("note",
				generators.Raw(generators.Pick(&u.Choices, []string{`"see logs"`, `{"files":3}`, `[1,2]`})))}
		}),
		"plan-name-blank": func(u *updater) { u.p.name = "  " + u.p.name + " " },
		"plan-order":      func(u *updater) { slices.Reverse(u.p.steps) },
		"plan-large":      enlarge,
		"plan-status-odd": steps(func(u *updater, t *task) {
			if t.role == free || t.role == open {
				t.status = generators.Pick(&u.Choices, []plan.Status{plan.Failed, plan.Skipped})
			}
		}),
		"plan-done-after-open": func(u *updater) { u.p.steps[u.index(u.mine(1))].status = plan.Completed },
		"ids-case":             alike(strings.ToUpper),
		"ids-alike":            alike(func(id string) string { return strings.Replace(id, "s", "\u0455", 1) }),
		"over-limit":           func(u *updater) { u.limit = max(1, len(u.p.steps)-1-u.Below(2)) },
		"no-results":           func(u *updater) { u.results, u.noResults = nil, true },
		"results-odd": func(u *updater) {
			for i := range u.results {
				u.results[i].Json = generators.Pick(&u.Choices, []string{"null", "0", `[1,2,{"files":["a.go"]}]`, `""`, "{}"})
			}
			u.results = append(u.results, field("of another plan", generators.Raw(`{"ok":true}`)))
		},
		"history-long": func(u *updater) {
			for len(u.p.history) < 12 {
				u.p.history = append(u.p.history, u.p.history[0])
				u.p.version++
			}
		},
		"version-ahead": func(u *updater) { u.p.version = max(u.p.version, 1) + 1 + u.Below(5) },
		"plan-indented": func(u *updater) { u.planStyle = generators.Style{Indent: 2, Gap: " ", Newline: "\n"} },
		"extra-plan-member": func(u *updater) {
			u.rewrite = append(u.rewrite, func(v *generators.Value) { v.Add("owner", generators.Text("team")) })
		},
	}
}

// enlarge adds many steps to the plan.
func enlarge(u *updater) {
	for n := range min(20+u.Below(30), u.Max-len(u.p.steps)) {
		t := u.work("more " + strconv.Itoa(n))
		t.dependencies = u.depended(2, len(u.drawn))
		u.p.steps = append(u.p.steps, t)
	}
	u.limit = 0
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
