package generate

import (
	"strconv"

	"replanbench/generators"
	"replanbench/harness"
)

func number(n int) generators.Value { return generators.Raw(strconv.Itoa(n)) }

// positionTraits are about where a step goes.
func positionTraits() []trait {
	adds, moves := kinds("positions", "add"), kinds("positions", "reorder")
	// beyond adds a step at a position that is not there, and nowhere moves one there.
	beyond := func(name, text, theme string, at func(n int) int) trait {
		return adds(name, text, theme).sizing().does(func(u *updater) act {
			id, data := u.newStep()
			v := u.operation("add")
			v.Add("position", number(at(len(u.p.steps))))
			v.Add("step_data", data)
			return u.insert(v, id, len(u.p.steps))
		})
	}
	nowhere := func(name, text, theme string, to func(n int) int) trait {
		return moves(name, text, theme, open).
			does(func(u *updater) act { return u.stays(u.mine(0), number(to(len(u.p.steps)))) })
	}
	// bad is a position that is no integer.
	bad := func(name, text string, texts ...string) trait {
		return rows("positions", "edit")(name, text, "bad position", open).refused(func(u *updater) generators.Value {
			position := generators.Raw(generators.Pick(&u.Choices, texts))
			if u.Lacks("add") || u.OneIn(2) && !u.Lacks("reorder") {
				return u.moving(u.mine(0), position)
			}
			v := u.adding(u.named())
			v.Add("position", position)
			return v
		})
	}
	negative := func(int) int { return -1 }
	ordered := moves("reorder-before-dependency",
		"a step is moved before one that it depends on: applied, because list order is not execution order", "dependency",
		needed, behind).does(func(u *updater) act { return u.moved(u.mine(1), u.index(u.mine(0))) })
	ordered.has |= order
	return []trait{
		beyond("add-beyond", "a step is added beyond the end: it goes to the end, position_ignored",
			"position beyond the end", func(n int) int { return n + 1 }),
		beyond("add-negative", "a step is added at a negative position: it goes to the end, position_ignored",
			"negative position", negative),
		nowhere("reorder-beyond", "a step is moved beyond the last index: unchanged", "position beyond the end",
			func(n int) int { return n }),
		nowhere("reorder-negative", "a step is moved to a negative position: unchanged", "negative position", negative),
		moves("reorder-same", "a step is moved to its own position: unchanged", "own position", open).
			does(func(u *updater) act { return u.stays(u.mine(0), number(u.index(u.mine(0)))) }),
		moves("reorder-to-end", "a step is moved to the last index: it becomes the last step", "last position", open).
			does(func(u *updater) act { return u.movedOr(u.mine(0), len(u.p.steps)-1) }),
		moves("reorder-down", "a step is moved down by two: the position is its index in the new list", "later position",
			open).does(func(u *updater) act {
			return u.movedOr(u.mine(0), min(u.index(u.mine(0))+2, len(u.p.steps)-1))
		}),
		ordered,
		moves("position-decimal", "a position is written as 1.0: it is an integer", "decimal position", open, open).
			does(func(u *updater) act {
				to := u.index(u.mine(1))
				a := u.moved(u.mine(0), to)
				a.doc.Put("position", generators.Raw(strconv.Itoa(to)+".0"))
				return a
			}),
		moves("position-text", "a position is a string of digits: bad_type, or accepted", "position as text", open).
			does(positionText),
		bad("position-digits", "a position is a string that only starts with digits: bad_type", `"2abc"`, `"1st"`,
			`"0 or so"`),
		bad("position-words", "a position is a string other than digits: bad_type", `" 1"`, `"-1"`, `"first"`, `""`,
			`"before"`),
		bad("position-fraction", "a position has a fraction: bad_type", "0.5", "1.25"),
		adds("position-anchor", "a position names another step: bad_type, or accepted", "position next to a step", open).
			sizing().does(positionAnchor),
		moves("position-anchor-unknown", "a position names an unknown step: bad_type, or position_ignored",
			"position next to a step", open).does(positionAnchorUnknown),
	}
}

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
