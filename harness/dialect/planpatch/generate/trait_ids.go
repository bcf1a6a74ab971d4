package generate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// conflicts are ids in two lists or twice in one. Every one takes a step
// separately, so one patch can have several.
func conflicts() map[string]planting {
	return map[string]planting{
		"conflict-remove-update": onOpen((*draft).removed, (*draft).reworded),
		"conflict-remove-add": onOpen(func(d *draft, i int) {
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

// otherForm returns the id in another Unicode form: a letter taken apart, or
// in its wide form.
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
