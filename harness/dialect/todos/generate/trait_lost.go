package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// Statuses of slots, in short.
const (
	open   = plan.Pending
	active = plan.InProgress
	done   = plan.Completed
	gone   = plan.Cancelled
)

func isOpen(s plan.Status) bool { return s == open || s == active }

func slotsOf(list ...plan.Status) []plan.Status { return list }

// omit leaves items out of the rewrite.
func (r *rewrite) omit(is func(*entry) bool) { r.entries = slices.DeleteFunc(r.entries, is) }

func (r *rewrite) at(e *entry) int { return slices.Index(r.entries, e) }

func (r *rewrite) insert(at int, e *entry) { r.entries = slices.Insert(r.entries, at, e) }

// begin puts a new item in progress at the end of the rewrite.
func (p *planting) begin() {
	e := p.fresh()
	e.status = active
	p.reply.entries = append(p.reply.entries, e)
}

// lostTraits are about items that the rewrite leaves out.
func lostTraits() []trait {
	lost := generators.Family("lost")
	one := func(name, text, theme string, status plan.Status, claim claims) trait {
		return trait{
			Trait: lost(name, text).Says(theme, "rewrite"), slots: slotsOf(status), claim: claim,
			plant: func(p *planting) { p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry }) },
		}
	}
	many := func(name, text, theme string, leave func(p *planting, e *entry, it *item) bool) trait {
		return trait{
			Trait: lost(name, text).Says(theme, "rewrite"), slots: slotsOf(done, open, done, open), claim: whole,
			bars: slotted, plant: func(p *planting) {
				p.reply.omit(func(e *entry) bool {
					for _, it := range p.old {
						if it.key == e.key {
							return leave(p, e, it)
						}
					}
					return false
				})
			},
		}
	}
	return []trait{
		one("lost-done", "the rewrite leaves out a done item", "done item left out", done, 0),
		one("lost-open", "the rewrite leaves out an open item", "open item left out", open, 0),
		one("lost-in-progress", "the rewrite leaves out the item in progress", "item in progress left out", active, progress),
		{Trait: base(lost("lost-cancelled", "the rewrite leaves out a cancelled item: it is dropped")).Says("cancelled item left out", "rewrite"), slots: slotsOf(open), plant: func(p *planting) {
			p.slots[0].status = gone
			p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
		}},
		{
			Trait: lost("lost-in-progress-beside",
				"the rewrite leaves out the item in progress and begins another").Says("item in progress left out", "rewrite"),
			slots: slotsOf(active, open), claim: progress, plant: func(p *planting) {
				p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
				p.slots[1].entry.status = active
			},
		},
		{
			Trait: lost("lost-in-progress-beside-new",
				"the rewrite leaves out the item in progress and begins a new one").Says("item in progress left out", "rewrite"),
			slots: slotsOf(active), claim: progress, plant: func(p *planting) {
				p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
				p.begin()
			},
		},
		{
			Trait: base(lost("lost-two-in-progress",
				"the rewrite leaves out two items in progress")).Says("items in progress left out", "rewrite"),
			slots: slotsOf(active, open), claim: progress, plant: func(p *planting) {
				p.slots[1].status = active
				p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry || e == p.slots[1].entry })
			},
		},
		many("lost-all-done", "the rewrite leaves out every done item", "done items left out",
			func(_ *planting, _ *entry, it *item) bool { return it.status == done }),
		many("lost-all-open", "the rewrite leaves out every open item", "open items left out",
			func(_ *planting, _ *entry, it *item) bool { return isOpen(it.status) }),
		many("lost-all-but-one", "the rewrite keeps only one item", "items left out",
			func(p *planting, e *entry, _ *item) bool { return e != p.slots[1].entry }),
		many("partial-list", "the rewrite has only the items that change", "partial list",
			func(_ *planting, e *entry, it *item) bool { return e.status == it.status }),
		{Trait: base(lost("lost-with-members", "the rewrite leaves out an item with a priority and an active form")).Says("open item left out", "rewrite"), slots: slotsOf(open), plant: func(p *planting) {
			p.slots[0].priority, p.slots[0].form = "low", "doing it"
			p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
		}},
		{
			Trait: lost("lost-all", "the rewrite has only new items").Says("list replaced", "rewrite"),
			slots: slotsOf(done, open), claim: whole, bars: slotted, plant: func(p *planting) {
				p.reply.entries = []*entry{p.fresh(), p.fresh()}
			},
		},
		{
			Trait: lost("empty-list", "the rewrite is an empty list").Says("empty list", "rewrite"), slots: slotsOf(open),
			in: inJSON, claim: whole, bars: slotted, plant: func(p *planting) { p.reply.entries = nil },
		},
		{
			Trait: base(lost("empty-list-all-closed",
				"the rewrite is an empty list, and every item is done")).Says("empty list", "rewrite"), slots: slotsOf(done, done),
			in: inJSON, claim: whole, bars: slotted, plant: func(p *planting) {
				p.slots[1].status = gone
				for _, it := range p.old {
					if isOpen(it.status) {
						it.status = done
					}
				}
				p.reply.entries = nil
			},
		},
		{
			Trait: lost("nothing-changed", "the rewrite is equal to the list").Says("nothing changed", "rewrite"),
			slots: slotsOf(open), claim: whole, bars: slotted, plant: func(p *planting) {
				p.reply.entries = nil
				for _, it := range p.old {
					p.reply.entries = append(p.reply.entries, p.entryOf(it))
				}
			},
		},
	}
}

// placeTraits change the places of items.
func placeTraits() []trait {
	place := generators.Family("order")
	return []trait{
		{
			Trait: place("swapped", "two items change places").Says("reordered", "rewrite"), slots: slotsOf(open, done),
			claim: order, plant: func(p *planting) {
				i, j := p.reply.at(p.slots[0].entry), p.reply.at(p.slots[1].entry)
				p.reply.entries[i], p.reply.entries[j] = p.reply.entries[j], p.reply.entries[i]
			},
		},
		{
			Trait: place("reversed", "the rewrite has the items in reversed order").Says("reordered", "rewrite"),
			slots: slotsOf(open, open), claim: order | whole, bars: slotted,
			plant: func(p *planting) { slices.Reverse(p.reply.entries) },
		},
		{
			Trait: place("only-reordered", "the rewrite changes only the order").Says("reordered", "rewrite"),
			slots: slotsOf(open, done), claim: order | whole, bars: slotted, plant: func(p *planting) {
				p.reply.entries = nil
				for _, it := range p.old {
					p.reply.insert(0, p.entryOf(it))
				}
			},
		},
		{
			Trait: place("new-in-front", "a new item is at the front").Says("new item in front", "rewrite"), claim: order,
			plant: func(p *planting) { p.reply.insert(0, p.fresh()) },
		},
		{
			Trait: place("new-between", "a new item is between others").Says("new item between", "rewrite"),
			slots: slotsOf(open, open), plant: func(p *planting) { p.reply.insert(p.reply.at(p.slots[1].entry), p.fresh()) },
		},
		{
			Trait: place("new-done", "a new item is already completed").Says("new item done", "rewrite"),
			plant: func(p *planting) {
				e := p.fresh()
				e.status = done
				p.reply.entries = append(p.reply.entries, e)
			},
		},
		{Trait: place("lost-among-moved", "the rewrite leaves out an item and moves its neighbour to the end").Says("left out", "rewrite"), slots: slotsOf(open, open, open), claim: order, plant: func(p *planting) {
			first := p.slots[0].entry
			p.reply.omit(func(e *entry) bool { return e == first || e == p.slots[1].entry })
			p.reply.entries = append(p.reply.entries, first)
		}},
	}
}
