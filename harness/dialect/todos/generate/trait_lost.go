package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// omit leaves items out of the rewrite.
func (r *rewrite) omit(is func(*entry) bool) { r.entries = slices.DeleteFunc(r.entries, is) }

// lostTraits are about items that the rewrite leaves out.
func lostTraits() []trait {
	lost := generators.Family("lost")
	one := func(name, text, theme string, status plan.Status) trait {
		t := trait{Trait: lost(name, text).Says(theme, "rewrite"), slots: []plan.Status{status}, plant: func(p *planting) {
			p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
		}}
		if status == plan.InProgress {
			t.claim = progress
		}
		return t
	}
	return []trait{
		one("lost-done", "the rewrite leaves out a done item", "done item left out", plan.Completed),
		one("lost-open", "the rewrite leaves out an open item", "open item left out", plan.Pending),
		one("lost-in-progress", "the rewrite leaves out the item in progress", "item in progress left out", plan.InProgress),
	}
}
