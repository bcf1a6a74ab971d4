package generate

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
)

// aimed writes an operation of a kind on a step, sound in itself.
func (u *updater) aimed(kind, id string) generators.Value {
	switch kind {
	case "modify":
		return u.modifying(id, field("description", generators.Text(u.phrase())))
	case "reorder":
		return u.moving(id, number(0))
	}
	return u.onStep(kind, id)
}

// mine returns the k-th step that a trait has for itself.
func mine(k int) func(u *updater) string { return func(u *updater) string { return u.mine(k) } }

// removedFirst is a step that the update removes first.
func removedFirst(u *updater) string {
	u.do(u.removed(u.mine(0)))
	return u.mine(0)
}

// failing writes operations that fail with the code that the text of the trait ends with.
func failing() map[string]func(u *updater) generators.Value {
	type write = func(u *updater) generators.Value
	aimed := func(kind string, id func(*updater) string) write {
		return func(u *updater) generators.Value { return u.aimed(kind, id(u)) }
	}
	// taken adds a step under an id that is not free.
	taken := func(id func(*updater) string) write {
		return func(u *updater) generators.Value {
			return u.adding(field("id", generators.Text(id(u))), u.named())
		}
	}
	// modified makes the trait's step depend on another.
	modified := func(on func(u *updater) string) write {
		return func(u *updater) generators.Value { on := on(u); return u.modifying(u.mine(0), depending(on)) }
	}
	// placed has a position that is no integer.
	placed := func(texts ...string) write {
		return func(u *updater) generators.Value {
			position := generators.Raw(generators.Pick(&u.Choices, texts))
			if u.Lacks("add") || u.OneIn(2) && !u.Lacks("reorder") {
				return u.moving(u.mine(0), position)
			}
			v := u.adding(u.named())
			v.Add("position", position)
			return v
		}
	}
	unknown := (*updater).newStepID
	return map[string]write{
		"modify-unknown":        aimed("modify", unknown),
		"remove-unknown":        aimed("remove", unknown),
		"reorder-unknown":       aimed("reorder", unknown),
		"modify-completed":      aimed("modify", mine(0)),
		"remove-completed":      aimed("remove", mine(0)),
		"remove-needed-by-done": aimed("remove", mine(0)),
		"remove-needed-anew": aimed("remove", func(u *updater) string {
			u.needAnew(1, 0)
			return u.mine(0)
		}),
		"remove-twice": func(u *updater) generators.Value {
			id := removedFirst(u)
			kind := generators.Pick(&u.Choices, slices.DeleteFunc([]string{"modify", "remove", "reorder"}, u.Lacks))
			return u.aimed(kind, id)
		},
		"add-existing-id":  taken(mine(0)),
		"add-completed-id": taken(mine(0)),
		"add-old-id":       taken(func(u *updater) string { return u.gone[0] }),
		"add-removed-id":   taken(removedFirst),
		"add-spaced-id":    taken(func(u *updater) string { return " \n" + strings.TrimSpace(u.mine(0)) + " " }),

		"position-digits":   placed(`"2abc"`, `"1st"`, `"0 or so"`),
		"position-words":    placed(`" 1"`, `"-1"`, `"first"`, `""`, `"before"`),
		"position-fraction": placed("0.5", "1.25"),

		"add-self-dependency": func(u *updater) generators.Value {
			id := u.newStepID()
			return u.adding(field("id", generators.Text(id)), u.named(), depending(id))
		},
		"modify-unknown-dependency": modified(unknown),
		"modify-self-dependency":    modified(mine(0)),
		"modify-cycle":              modified(mine(1)),
		"modify-long-cycle":         modified(mine(2)),
		"over-capacity":             func(u *updater) generators.Value { return u.adding(u.named()) },

		"modify-id": func(u *updater) generators.Value {
			to := u.newStepID()
			if u.OneIn(2) {
				to = u.mine(0)
			}
			return u.modifying(u.mine(0), field("id", generators.Text(to)), u.named())
		},
		"modify-status": func(u *updater) generators.Value {
			name, status := u.named(), generators.Pick(&u.Choices, []string{"completed", "pending", "done"})
			return u.modifying(u.mine(0), name, field("status", generators.Text(status)))
		},
		"add-unnamed": func(u *updater) generators.Value {
			if u.OneIn(2) {
				return u.adding(field("description", generators.Text(" ")))
			}
			return u.adding(field("id", generators.Text(u.newStepID())), field("name", generators.Text(" ")),
				field("description", null))
		},
	}
}

// acts writes operations with their results.
func acts() map[string]func(u *updater) act {
	type write = func(u *updater) act
	// beyond adds a step at a position that is not there, and nowhere moves one there.
	beyond := func(at func(n int) int) write {
		return func(u *updater) act {
			id, data := u.newStep()
			v := u.operation("add")
			v.Add("position", number(at(len(u.p.steps))))
			v.Add("step_data", data)
			return u.insert(v, id, len(u.p.steps))
		}
	}
	nowhere := func(to func(n int) int) write {
		return func(u *updater) act { return u.stays(u.mine(0), number(to(len(u.p.steps)))) }
	}
	negative := func(int) int { return -1 }
	// idle is a modification that changes nothing. A derived trait may change its members, so each case has its own.
	idle := func(data ...generators.Field) write {
		return func(u *updater) act { return u.idle(u.mine(0), slices.Clone(data)...) }
	}
	return map[string]write{
		"reorder-completed": moveCompleted,
		"remove-needed":     removeNeeded,
		"remove-running":    func(u *updater) act { return u.removed(u.mine(0)) },
		"modify-running":    func(u *updater) act { return u.modify(u.mine(0)) },

		"add-beyond":       beyond(func(n int) int { return n + 1 }),
		"add-negative":     beyond(negative),
		"reorder-beyond":   nowhere(func(n int) int { return n }),
		"reorder-negative": nowhere(negative),
		"reorder-same":     func(u *updater) act { return u.stays(u.mine(0), number(u.index(u.mine(0)))) },
		"reorder-to-end":   func(u *updater) act { return u.movedOr(u.mine(0), len(u.p.steps)-1) },
		"reorder-down": func(u *updater) act {
			return u.movedOr(u.mine(0), min(u.index(u.mine(0))+2, len(u.p.steps)-1))
		},
		"reorder-before-dependency": func(u *updater) act { return u.moved(u.mine(1), u.index(u.mine(0))) },
		"position-decimal": func(u *updater) act {
			to := u.index(u.mine(1))
			a := u.moved(u.mine(0), to)
			a.doc.Put("position", generators.Raw(strconv.Itoa(to)+".0"))
			return a
		},
		"position-text":           positionText,
		"position-anchor":         positionAnchor,
		"position-anchor-unknown": positionAnchorUnknown,

		"add-unknown-dependency": func(u *updater) act { return u.addDepending(u.newStepID()) },
		"add-removed-dependency": func(u *updater) act { return u.addDepending(removedFirst(u)) },
		"add-forward-dependency": addForward,
		"modify-cycle-of-two": func(u *updater) act {
			u.needAnew(1, 0)
			return fails(u.modifying(u.mine(0), depending(u.mine(1))), harness.DependencyCycle)
		},
		"modify-frees":         modifyFrees,
		"duplicate-dependency": dependTwice,
		"limit-met":            (*updater).add,

		"modify-same":       modifySame,
		"modify-same-order": idle(field("parameters", generators.Raw(`{"k":{"deep":[2],"n":1},"line":3,"file":"doc.md"}`))),
		"modify-empty":      idle(),
		"modify-null":       idle(field("name", null), field("dependencies", null)),
		"modify-clears":     modifyClears,
		"modify-parameters": func(u *updater) act {
			t := u.step(u.mine(0))
			t.parameters = `{"only":"this"}`
			return u.modified(t, generators.Object(field("parameters", generators.Raw(t.parameters))))
		},
		"add-finished":       addStatus,
		"step-id-other-name": idOtherName,
		"modify-twice": func(u *updater) act {
			u.do(u.modify(u.mine(0)))
			return u.modify(u.mine(0))
		},
		"modify-added": func(u *updater) act {
			id := u.newStepID()
			v := u.adding(field("id", generators.Text(id)), u.named())
			u.do(u.insert(v, id, len(u.p.steps)))
			return act{u.modifying(id, field("description", generators.Text(u.phrase()))), spec.Applied}
		},
	}
}

// modifySame repeats the values of a step.
func modifySame(u *updater) act {
	t := u.step(u.mine(0))
	data := []generators.Field{field("description", generators.Text(t.description)), depending(t.dependencies...)}
	if t.parameters != "" {
		data = append(data, field("parameters", generators.Raw(t.parameters)))
	}
	return u.idle(t.id, data...)
}

// moveCompleted moves a completed step to the front, or back from there.
func moveCompleted(u *updater) act {
	to := 0
	if u.index(u.mine(0)) == 0 {
		to = len(u.p.steps) - 1
	}
	if spec.ReorderDone().Get(u.Profile) == harness.Reject {
		return fails(u.moving(u.mine(0), number(to)), harness.DoneImmutable)
	}
	return u.movedOr(u.mine(0), to)
}

// removeNeeded removes a step on which exactly one other depends.
func removeNeeded(u *updater) act {
	id := u.mine(1)
	if u.Profile.Orphans == harness.Reject {
		return fails(u.aimed("remove", id), harness.DependentsExist)
	}
	return u.removed(id)
}

func depending(on ...string) generators.Field { return field("dependencies", generators.Texts(on)) }

// addDepending adds a step that depends on one that is not there.
func (u *updater) addDepending(on string) act {
	id := u.newStepID() // one that is made up could be what it depends on
	return fails(u.adding(field("id", generators.Text(id)), u.named(), depending(on)), harness.MissingDependency)
}

func addForward(u *updater) act {
	later := u.newStepID()
	u.do(u.addDepending(later))
	return u.insert(u.adding(field("id", generators.Text(later)), field("name", generators.Text("later"))),
		later, len(u.p.steps))
}

// needAnew makes one of the trait's steps depend on another of them.
func (u *updater) needAnew(one, other int) {
	t := u.step(u.mine(one))
	t.dependencies = append(slices.Clone(t.dependencies), u.mine(other))
	u.do(u.modified(t, generators.Object(depending(t.dependencies...))))
}

// modifyFrees takes the only dependency on a step away, and then the step.
func modifyFrees(u *updater) act {
	t := u.step(u.mine(1))
	t.dependencies = slices.DeleteFunc(slices.Clone(t.dependencies), func(d string) bool { return d == u.mine(0) })
	u.do(u.modified(t, generators.Object(depending(t.dependencies...))))
	return u.removed(u.mine(0))
}

func dependTwice(u *updater) act {
	id, data := u.newStep()
	on := u.drawn[0].id
	for i := range u.drawn {
		if !u.drawn[i].role.isLeaf() {
			on = u.drawn[i].id
		}
	}
	data.Fields = append(data.Fields, depending(on, on))
	return u.insert(u.adding(data.Fields...), id, len(u.p.steps))
}

// idle writes a modification that changes nothing.
func (u *updater) idle(id string, data ...generators.Field) act {
	return act{u.modifying(id, data...), spec.Unchanged}
}

func modifyClears(u *updater) act {
	t, data := u.step(u.mine(0)), []generators.Field{field("description", generators.Text("")), depending()}
	if t.description == "" && len(t.dependencies) == 0 {
		return u.idle(t.id, data...) // another trait left nothing to empty
	}
	t.description, t.dependencies = "", nil
	return u.modified(t, generators.Object(data...))
}

func addStatus(u *updater) act {
	id, data := u.newStep()
	data.Add("status", generators.Text(generators.Pick(&u.Choices, []string{"completed", "running", "Pending", "done"})))
	return u.insert(u.adding(data.Fields...), id, len(u.p.steps))
}

func idOtherName(u *updater) act {
	v := u.operation("remove")
	v.Add(generators.Pick(&u.Choices, spec.IDNames()[1:]), generators.Text(u.mine(0)))
	if u.Profile.StepIDNames != harness.Any {
		return fails(v, harness.MissingField)
	}
	a := u.removed(u.mine(0))
	a.doc = v
	return a
}

func number(n int) generators.Value { return generators.Raw(strconv.Itoa(n)) }

// movedOr carries a move out that perhaps changes nothing.
func (u *updater) movedOr(id string, to int) act {
	if u.index(id) == to {
		return u.stays(id, number(to))
	}
	return u.moved(id, to)
}

// positionText puts the number of a sound position into quotes.
func positionText(u *updater) act {
	if u.Profile.Positions != harness.Any {
		position := generators.Raw(generators.Pick(&u.Choices, []string{`"0"`, `"2"`, `"007"`}))
		return fails(u.moving(u.mine(0), position), harness.BadType)
	}
	a := u.movedOr(u.mine(0), 0)
	a.doc.Put("position", generators.Text("00"))
	return a
}

func positionAnchor(u *updater) act {
	if u.Profile.Positions != harness.Any {
		v := u.adding(u.named())
		v.Add("position", generators.Text("after:"+u.mine(0)))
		return fails(v, harness.BadType)
	}
	id, data := u.newStep()
	at := u.index(u.mine(0))
	side := generators.Pick(&u.Choices, []string{"before", "after"})
	v := u.operation("add")
	v.Add("position", generators.Text(side+":"+u.mine(0)))
	v.Add("step_data", data)
	if side == "after" {
		at++
	}
	return u.insert(v, id, at)
}

func positionAnchorUnknown(u *updater) act {
	position := generators.Text("before:" + u.newStepID())
	if u.Profile.Positions != harness.Any {
		return fails(u.moving(u.mine(0), position), harness.BadType)
	}
	return u.stays(u.mine(0), position)
}
