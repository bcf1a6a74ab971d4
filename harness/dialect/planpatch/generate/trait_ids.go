package generate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// often is the weight of conflicts, because each profile resolves them differently.
const often = 24

// conflictTraits are ids in two lists or twice in one. Every one takes a step
// separately, so one patch can have several.
func conflictTraits() []patchTrait {
	row := rows("ids")
	conflict := func(name, text, theme, place string, puts lists) patchTrait {
		return row(name, text, theme, place, puts).weighs(often).refused("conflicts=reject", harness.IDConflict)
	}
	const ids = "one id in two lists"
	return []patchTrait{
		conflict("conflict-remove-update", "the patch removes and updates one step: id_conflict under reject, else the "+
			"update wins", ids, "remove and update", removes|updates).onOpen(func(d *draft, i int) {
			d.remove(d.id(i))
			d.update(d.reworded(i))
		}),
		conflict("conflict-remove-add", "the patch removes a step and adds it again: id_conflict under reject, duplicate_id "+
			"under keep, an update under replace", ids, "remove and add", removes|adds).
			refused("conflicts=keep", harness.DuplicateID).onOpen(func(d *draft, i int) {
			d.remove(d.id(i))
			d.add(d.step(d.id(i), d.phrase(d.P.Steps[i].Description), d.lower(i, d.Below(3))))
		}),
		conflict("conflict-remove-add-new", "the patch removes and adds an unknown id: id_conflict under reject, else the "+
			"step is added", "one unknown id in two lists", "remove and add", removes|adds).just(func(d *draft) {
			v := d.fresh()
			d.remove(idOf(v))
			d.add(v)
		}),
		conflict("conflict-update-add", "the patch updates and adds one step: id_conflict under reject, else the update wins",
			ids, "update and add", updates|adds).onOpen(func(d *draft, i int) {
			d.update(d.reworded(i))
			d.add(d.named(d.id(i)))
		}),
		conflict("conflict-update-add-new", "the patch updates and adds an unknown id: id_conflict under reject, unknown_step "+
			"under keep, added under replace", "one unknown id in two lists", "update and add", updates|adds).
			refused("conflicts=keep", harness.UnknownStep).just(func(d *draft) {
			v := d.fresh()
			d.update(change(idOf(v), described(d.phrase(""))))
			d.add(v)
		}),
		conflict("conflict-all-three", "the patch removes, updates and adds one step: id_conflict under reject, else only "+
			"the update applies", "one id in three lists", "patch", removes|updates|adds).onOpen(func(d *draft, i int) {
			d.remove(d.id(i))
			d.update(d.reworded(i))
			d.add(d.named(d.id(i)))
		}),
		row("duplicate-add", "two added steps have the same id: duplicate_id", "one id twice", "add", adds).
			refused("", harness.DuplicateID).just(func(d *draft) { d.twice(func(id string) string { return id }) }),
		row("duplicate-add-padded", "two added ids differ only in white space: duplicate_id", "padded id", "add", adds).
			refused("", harness.DuplicateID).just(func(d *draft) { d.twice(d.padded) }),
		row("duplicate-update", "the patch updates one step twice: duplicate_id, or the last update wins", "one id twice",
			"update", updates).refused("duplicate_updates=reject", harness.DuplicateID).onOpen(func(d *draft, i int) {
			v := d.step(d.id(i), d.phrase(d.P.Steps[i].Description), nil)
			v.Drop("status")
			v.Drop("dependencies")
			d.update(v)
			d.update(d.reworded(i))
			inOrder(d.updates)
		}),
		row("duplicate-remove", "the patch removes one step twice: it is removed", "one id twice", "remove", removes).
			onLeaf(func(d *draft, i int) {
				d.takeAway(i)
				d.remove(d.id(i))
			}),
		row("add-existing-id", "an added step has the id of an existing step: duplicate_id", "id of an existing step", "add",
			adds).refused("", harness.DuplicateID).onOpen(func(d *draft, i int) { d.add(d.named(d.id(i))) }),
	}
}

// twice adds a new step, and another one with the same id in another spelling.
func (d *draft) twice(spell func(id string) string) {
	v := d.fresh()
	d.add(v)
	d.add(with(v, field("id", generators.Text(spell(idOf(v)))), described(d.phrase(v.Get("description").Str))))
}

// spellingTraits are ids that are nearly another id, or hardly one.
func spellingTraits() []patchTrait {
	row := rows("ids")
	added := func(name, text, theme string, ids ...string) patchTrait {
		return row(name, text, theme, "add", adds).
			just(func(d *draft) { d.add(d.named(generators.Pick(&d.Choices, ids))) })
	}
	variant := func(t patchTrait, spell func(id string) string, put func(d *draft, id string)) patchTrait {
		return t.claiming(aVariant).does(func(d *draft) bool {
			id := d.anyID()
			other := spell(id)
			differs := other != "" && !slices.ContainsFunc(d.P.Steps, func(s plan.Step) bool { return s.ID == other })
			if differs {
				put(d, other)
			}
			return differs
		})
	}
	strange := func(d *draft, id string) { d.update(change(id, described(d.phrase("")))) }
	add := func(d *draft, id string) { d.add(d.named(id)) }
	return []patchTrait{
		row("id-space-add", "an added id differs from an existing one only in white space: duplicate_id",
			"padded id", "add", adds).refused("", harness.DuplicateID).
			onOpen(func(d *draft, i int) { d.add(d.named(d.padded(d.id(i)))) }),
		variant(row("id-case-update", "the id in an update differs in case: unknown_step", "id in another case", "update",
			updates).refused("", harness.UnknownStep), otherCase, strange),
		variant(row("id-case-add", "an added id differs from an existing one only in case: applied, with a warning",
			"id in another case", "add", adds), otherCase, add),
		variant(row("id-normal-form-update", "the id in an update has another Unicode normal form: unknown_step",
			"id in another normal form", "update", updates).refused("", harness.UnknownStep), otherForm, strange),
		variant(row("id-normal-form-add", "an added id differs from an existing one only in its Unicode normal form: applied, "+
			"with a warning", "id in another normal form", "add", adds), otherForm, add),
		variant(row("id-prefix-add", "an existing id begins with an added one: both stay", "id within another id", "add",
			adds), func(id string) string { return lastCut(strings.TrimSpace(id)) }, add),
		variant(row("id-longer-add", "an added id begins with an existing one: both stay", "id within another id", "add",
			adds), func(id string) string { return strings.TrimSpace(id) + "~0" }, add),
		added("id-not-normal", "an added id is not in Unicode compatibility form (NFKC): it stays unchanged",
			"id in another normal form", "\ufb01x", "step\u2461", "\uff41\uff42", "e\u0301tape"),
		added("id-inherited", "an added id is __proto__ or hasOwnProperty: an id like any other",
			"inherited JavaScript name as id", "__proto__", "hasOwnProperty", "valueOf"),
		added("number-as-string", "an added id is a number written as a string: it stays a string", "number as id",
			"7", "12", "42", "1000", "007", "1e3", "-1", "9007199254740993").claiming(aVariant),
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
