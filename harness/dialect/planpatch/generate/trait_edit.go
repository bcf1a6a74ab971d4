package generate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// finished touch work that is done, which no edit may change.
func finished() map[string]planting {
	return map[string]planting{
		"done-update": onDone(func(d *draft, i int) {
			v := d.rewording(i)
			switch kind := d.Below(8); {
			case kind < 2: // even if it repeats the current value
				v = with(v, described(d.P.Steps[i].Description))
			case kind < 4 && !d.drawn.Lacks("tools_expected"):
				v = change(d.id(i), field("tools_expected", d.Texts(d.Tools())))
			case kind < 5 && !d.drawn.Lacks("dependencies"):
				v = change(d.id(i), depending())
			}
			d.update(v)
		}),
		"done-remove":  onDone((*draft).removed),
		"done-readd":   onDone((*draft).readded),
		"done-replace": onDone((*draft).removed, (*draft).readded),
	}
}

// carried returns the step of the full plan for a step of the plan.
func (d *draft) carried(i int) *item {
	return &d.adds[slices.IndexFunc(d.adds, func(a item) bool { return a.at == i })]
}

// leaveOut takes steps out of a full plan; it keeps one.
func (d *draft) leaveOut(which func(a item) bool) {
	d.adds = slices.DeleteFunc(d.adds, which)
	if len(d.adds) == 0 {
		d.add(d.fresh())
	}
}

func (d *draft) carriesDone(a item) bool { return a.at >= 0 && d.isDone(a.at) }

// turn reverses the order of the steps of a full plan that carry some steps of the plan.
func (d *draft) turn(which func(i int) bool) bool {
	var list []*item
	for k := range d.adds {
		if a := &d.adds[k]; a.at >= 0 && which(a.at) {
			list = append(list, a)
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i].key, list[j].key = list[j].key, list[i].key
	}
	return len(list) > 1
}

// fullPlans are careless with the steps of the plan.
func fullPlans() map[string]planting {
	// carried changes a done step that a full plan carries.
	carried := func(change func(d *draft, a *item)) planting {
		return onDone(func(d *draft, i int) { change(d, d.carried(i)) })
	}
	drop := func(d *draft, a *item) {
		at := a.at
		d.leaveOut(func(a item) bool { return a.at == at })
	}
	over := func(d *draft) {
		end(&d.adds, d.fresh())
		d.limiting = oneTooMany
	}
	status := func(d *draft, a *item, texts ...string) {
		a.Value = with(a.Value, field("status", generators.Raw(generators.Pick(&d.Choices, texts))))
	}
	return map[string]planting{
		"full-drops-done": carried(func(d *draft, a *item) {
			if d.OneIn(2) && !d.drawn.Lacks("unknown members") {
				withResult(d, a.at)
			}
			drop(d, a)
		}),
		"full-drops-all-done": just(func(d *draft) { d.leaveOut(d.carriesDone) }),
		"full-drops-blocker": func(d *draft) bool {
			i, j := d.useBlocker()
			if i >= 0 {
				*d.carried(j) = item{d.carried(j).key, j, d.told(j).Value}
				drop(d, d.carried(i))
			}
			return i >= 0
		},
		"full-renames-done": carried(func(d *draft, a *item) {
			a.at, a.Value = -1, with(a.Value, field("id", generators.Text(d.newID())))
			status(d, a, `"done"`, `"pending"`)
		}),
		"full-reuses-done": carried(func(d *draft, a *item) {
			a.Value = with(d.step(idOf(a.Value), d.phrase(a.Get("description").Str), nil), field("status", *a.Get("status")))
		}),
		"full-reopens-done": carried(func(d *draft, a *item) { status(d, a, `"pending"`, `"in_progress"`, `"failed"`) }),
		"full-cuts-done": just(func(d *draft) {
			for k := range d.adds {
				if d.carriesDone(d.adds[k]) {
					d.adds[k].key += tail
				}
			}
			over(d)
		}),
		"full-forges-open": onOpen(func(d *draft, i int) {
			status(d, d.carried(i), `"done"`, `"Done"`, `"failed"`)
		}),
		"full-reorders-done": func(d *draft) bool { return d.turn(d.isDone) },
		"full-over-limit":    just(over),
		"full-restored-over-limit": carried(func(d *draft, a *item) {
			drop(d, a)
			over(d)
		}),
		"full-reorders-open": func(d *draft) bool { return d.turn(d.isOpen) },
		"full-begun": onOpen(begun, func(d *draft, i int) {
			if status := d.P.Steps[i].Status; d.OneIn(2) {
				a := d.carried(i)
				a.Value = with(a.Value, field("status", generators.Text(string(status))))
			}
		}),
		"full-leaves-results": onDone(withResult),
	}
}

// documents are about the document as a whole.
func documents() map[string]planting {
	bare := func(change func(d *draft)) planting {
		return just(func(d *draft) {
			d.bare = true
			change(d)
		})
	}
	nothing := bare(func(*draft) {})
	return map[string]planting{
		"empty-patch": nothing,
		"title-only":  bare(func(d *draft) { d.newTitle = d.phrase(d.P.Title) }),
		"title-blank": just(func(d *draft) { d.title = generators.Quoted(generators.Pick(&d.Choices, spaces[:])) }),
		"title-space": just(func(d *draft) {
			d.newTitle = d.phrase(d.P.Title)
			d.title = generators.Quoted(d.padded(d.newTitle))
		}),
		"title-prefix": just(func(d *draft) {
			if d.newTitle = d.P.Title + " again"; d.OneIn(2) {
				d.newTitle = lastCut(d.P.Title)
			}
		}),
		"title-absent":    just(func(d *draft) { d.title = generators.None }),
		"reason-absent":   just(func(d *draft) { d.reason = generators.None }),
		"lists-absent":    just(func(d *draft) { d.noLists = true }),
		"type-absent":     just(func(d *draft) { d.kind = generators.None }),
		"defaults-absent": just(func(d *draft) { d.brief = true }),
		"status-in-update": onOpen(func(d *draft, i int) {
			status := generators.Text(string(generators.Pick(&d.Choices, plan.Statuses())))
			d.update(with(d.rewording(i), field("status", status)))
		}),
		"steps-smuggled": just(func(d *draft) {
			d.steps = generators.Pick(&d.Choices, []string{"[]", "null", `[{"id":"x","description":"y"}]`})
		}),
		"update-one-member": on((*draft).useDependent, (*draft).reworded),
		"update-nulls": on((*draft).useDependent, func(d *draft, i int) {
			v := with(d.rewording(i), field("dependencies", generators.Raw("null")))
			if !d.drawn.Lacks("tools_expected") {
				v.Add("tools_expected", generators.Raw("null"))
			}
			d.update(v)
		}),
		"update-to-the-same": onOpen(func(d *draft, i int) {
			s := &d.P.Steps[i]
			v := change(s.ID, described(s.Description))
			if !d.drawn.Lacks("tools_expected") {
				v.Add("tools_expected", generators.Texts(s.ToolsExpected))
			}
			d.update(v)
		}),
		"remove-everything": bare(func(d *draft) {
			for i := range d.P.Steps {
				d.takeAway(i)
			}
		}),
		"full-plan":               just(wholePlan),
		"full-duplicate-id":       onOpen((*draft).readded),
		"full-duplicate-padded":   onOpen(func(d *draft, i int) { d.add(d.named(d.padded(d.id(i)))) }),
		"full-without-title":      just(func(d *draft) { d.title = generators.None }),
		"full-empty":              just(func(d *draft) { d.steps = "[]" }),
		"full-same":               nothing,
		"full-cycle":              just(func(d *draft) { d.ring(1 + d.Below(4)) }),
		"full-missing-dependency": just(func(d *draft) { d.addOn(d.newID()) }),
		"full-brings-policy":      just(func(d *draft) { d.policy = `"manual_review"` }),
		"full-leaves-policy": just(func(d *draft) {
			if d.P.VerificationPolicy = "run_pytest"; d.OneIn(3) {
				d.policy = "null"
			}
		}),
	}
}

func wholePlan(d *draft) { d.full = true }

// conflicts are ids in two lists or twice in one. Each has its own step, so a patch can have several.
func conflicts() map[string]planting {
	return map[string]planting{
		"conflict-remove-update": onOpen((*draft).removed, (*draft).reworded),
		"conflict-remove-add": onOpen(func(d *draft, i int) {
			if d.OneIn(2) {
				begun(d, i)
			}
			d.remove(d.id(i))
			d.add(d.step(d.id(i), d.phrase(d.P.Steps[i].Description), d.lower(i, d.Below(3))))
		}),
		"conflict-remove-add-new": just(func(d *draft) {
			v := d.fresh()
			d.remove(idOf(v))
			d.add(v)
		}),
		"conflict-update-add": onOpen((*draft).reworded, (*draft).readded),
		"conflict-update-add-new": just(func(d *draft) {
			v := d.fresh()
			d.update(change(idOf(v), described(d.phrase(""))))
			d.add(v)
		}),
		"conflict-all-three":   onOpen((*draft).removed, (*draft).reworded, (*draft).readded),
		"duplicate-add":        just(func(d *draft) { d.twice(func(id string) string { return id }) }),
		"duplicate-add-padded": just(func(d *draft) { d.twice(d.padded) }),
		"duplicate-update": onOpen(func(d *draft, i int) {
			v := d.step(d.id(i), d.phrase(d.P.Steps[i].Description), nil)
			v.Drop("status")
			v.Drop("dependencies")
			d.update(v)
			d.reworded(i)
			inOrder(d.updates)
		}),
		"duplicate-remove": onLeaf((*draft).takeAway, (*draft).removed),
		"add-existing-id":  onOpen((*draft).readded),
	}
}

// twice adds a new step, and another one with the same id in another spelling.
func (d *draft) twice(spell func(id string) string) {
	v := d.fresh()
	d.add(v)
	d.add(with(v, field("id", generators.Text(spell(idOf(v)))), described(d.phrase(v.Get("description").Str))))
}

// spellings are ids that are nearly another id, or hardly one.
func spellings() map[string]planting {
	variant := func(spell func(id string) string, put func(d *draft, id string)) planting {
		return func(d *draft) bool {
			id := d.anyID()
			other := spell(id)
			differs := other != "" && !slices.ContainsFunc(d.P.Steps, func(s plan.Step) bool { return s.ID == other })
			if differs {
				put(d, other)
			}
			return differs
		}
	}
	strange := func(d *draft, id string) { d.update(change(id, described(d.phrase("")))) }
	add := func(d *draft, id string) { d.add(d.named(id)) }
	return map[string]planting{
		"id-space-add":          onOpen(func(d *draft, i int) { d.add(d.named(d.padded(d.id(i)))) }),
		"id-case-update":        variant(otherCase, strange),
		"id-case-add":           variant(otherCase, add),
		"id-normal-form-update": variant(otherForm, strange),
		"id-normal-form-add":    variant(otherForm, add),
		"id-prefix-add":         variant(func(id string) string { return lastCut(strings.TrimSpace(id)) }, add),
		"id-longer-add":         variant(func(id string) string { return strings.TrimSpace(id) + "~0" }, add),
	}
}

// spaces are white space by Unicode.
var spaces = [...]string{" ", "\t", "\n", "\u00a0", "\u3000", "\u2028"}

func (d *draft) padded(id string) string {
	return generators.Pick(&d.Choices, spaces[:]) + strings.TrimSpace(id) + generators.Pick(&d.Choices, spaces[:])
}

// otherCase returns the id in the other case, if it has one.
func otherCase(id string) string {
	trimmed := strings.TrimSpace(id)
	if up := strings.ToUpper(trimmed); up != trimmed {
		return up
	}
	if low := strings.ToLower(trimmed); low != trimmed {
		return low
	}
	return id
}

// otherForm returns the id in another Unicode form: with a letter decomposed, or in its wide form.
func otherForm(id string) string {
	id = strings.TrimSpace(id)
	if rest, ok := strings.CutPrefix(id, "é"); ok {
		return "e\u0301" + rest
	}
	i := slices.IndexFunc([]rune(id), func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
	if i < 0 {
		return id
	}
	runes := []rune(id)
	runes[i] += '！' - '!'
	return string(runes)
}

// lastCut returns a text without its last character.
func lastCut(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-n]
}
