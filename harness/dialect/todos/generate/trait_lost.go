package generate

import (
	"slices"

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

// said is what the rewrite says of the k-th item of the trait.
func (p *planting) said(k int) *entry { return p.slots[k].entry }

// sets gives the k-th item of the trait a status, in the list and in the rewrite.
func (p *planting) sets(k int, status plan.Status) {
	p.slots[k].status, p.said(k).status = status, status
}

// complete gives the k-th item of the trait members that only some items have.
func (p *planting) complete(k int) { p.slots[k].priority, p.slots[k].form = "low", "doing it" }

// omit leaves items of the trait out of the rewrite.
func (p *planting) omit(slots ...int) {
	p.leave(func(e *entry) bool { return slices.ContainsFunc(slots, func(k int) bool { return e == p.said(k) }) })
}

// leave leaves items out of the rewrite.
func (p *planting) leave(out func(*entry) bool) {
	p.reply.entries = slices.DeleteFunc(p.reply.entries, out)
}

// at returns the place of the k-th item of the trait in the rewrite.
func (p *planting) at(k int) int { return slices.Index(p.reply.entries, p.said(k)) }

func (p *planting) insert(at int, e *entry) { p.reply.entries = slices.Insert(p.reply.entries, at, e) }

func (p *planting) add(e *entry) { p.reply.entries = append(p.reply.entries, e) }

// addAs adds new items with the status at the end of the rewrite.
func (p *planting) addAs(status plan.Status, n int) {
	for range n {
		e := p.fresh()
		e.status = status
		p.add(e)
	}
}

// lostTraits are about items that the rewrite leaves out.
func lostTraits() []trait {
	row := rows("lost", "rewrite")
	many := func(name, text, theme string, leave func(p *planting, e *entry, it *item) bool) trait {
		return row(name, text, theme, done, open, done, open).alone().does(func(p *planting) {
			p.leave(func(e *entry) bool {
				i := slices.IndexFunc(p.old, func(it *item) bool { return it.words == e.words })
				return i >= 0 && leave(p, e, p.old[i])
			})
		})
	}
	omit := func(p *planting) { p.omit(0) }
	const isActive, isLost = "item in progress left out", "open item left out"
	return []trait{
		row("lost-done", "the rewrite leaves out a done item", "done item left out", done).does(omit),
		row("lost-open", "the rewrite leaves out an open item", isLost, open).does(omit),
		row("lost-in-progress", "the rewrite leaves out the item in progress", isActive, active).claiming(progress).
			does(omit),
		row("lost-cancelled", "the rewrite leaves out a cancelled item: it is dropped", "cancelled item left out", open).
			based().does(func(p *planting) {
			p.slots[0].status = gone
			p.omit(0)
		}),
		row("lost-in-progress-beside", "the rewrite leaves out the item in progress and begins another", isActive, active,
			open).claiming(progress).does(func(p *planting) {
			p.omit(0)
			p.said(1).status = active
		}),
		row("lost-in-progress-beside-new", "the rewrite leaves out the item in progress and begins a new one", isActive,
			active).claiming(progress).does(func(p *planting) {
			p.omit(0)
			p.addAs(active, 1)
		}),
		row("lost-two-in-progress", "the rewrite leaves out two items in progress", "items in progress left out", active,
			open).based().claiming(progress).does(func(p *planting) {
			p.slots[1].status = active
			p.omit(0, 1)
		}),
		many("lost-all-done", "the rewrite leaves out every done item", "done items left out",
			func(_ *planting, _ *entry, it *item) bool { return it.status == done }),
		many("lost-all-open", "the rewrite leaves out every open item", "open items left out",
			func(_ *planting, _ *entry, it *item) bool { return isOpen(it.status) }),
		many("lost-all-but-one", "the rewrite keeps only one item", "items left out",
			func(p *planting, e *entry, _ *item) bool { return e != p.said(1) }),
		many("partial-list", "the rewrite has only the items that change", "partial list",
			func(_ *planting, e *entry, it *item) bool { return e.status == it.status }),
		row("lost-with-members", "the rewrite leaves out an item with a priority and an active form", isLost, open).based().
			does(func(p *planting) {
				p.complete(0)
				p.omit(0)
			}),
		row("lost-all", "the rewrite has only new items", "list replaced", done, open).alone().does(func(p *planting) {
			p.reply.entries = []*entry{p.fresh(), p.fresh()}
		}),
		row("empty-list", "the rewrite is an empty list", "empty list", open).within(inJSON).alone().
			does(func(p *planting) { p.reply.entries = nil }),
		row("empty-list-all-closed", "the rewrite is an empty list, and every item is done", "empty list", done, done).
			based().within(inJSON).alone().does(func(p *planting) {
			p.slots[1].status = gone
			for _, it := range p.old {
				if isOpen(it.status) {
					it.status = done
				}
			}
			p.reply.entries = nil
		}),
		row("nothing-changed", "the rewrite is equal to the list", "nothing changed", open).alone().does((*planting).repeat),
	}
}

// repeat makes the rewrite equal to the list.
func (p *planting) repeat() {
	p.reply.entries = nil
	for _, it := range p.old {
		p.add(p.entryOf(it))
	}
}

// placeTraits change the places of items.
func placeTraits() []trait {
	row := rows("order", "rewrite")
	return []trait{
		row("swapped", "two items change places", "reordered", open, done).claiming(order).does(func(p *planting) {
			i, j := p.at(0), p.at(1)
			p.reply.entries[i], p.reply.entries[j] = p.said(1), p.said(0)
		}),
		row("reversed", "the rewrite has the items in reversed order", "reordered", open, open).alone().claiming(order).
			does(func(p *planting) { slices.Reverse(p.reply.entries) }),
		row("only-reordered", "the rewrite changes only the order", "reordered", open, done).alone().claiming(order).
			does(func(p *planting) {
				p.repeat()
				slices.Reverse(p.reply.entries)
			}),
		row("new-in-front", "a new item is at the front", "new item in front").claiming(order).
			does(func(p *planting) { p.insert(0, p.fresh()) }),
		row("new-between", "a new item is between others", "new item between", open, open).
			does(func(p *planting) { p.insert(p.at(1), p.fresh()) }),
		row("new-done", "a new item is already completed", "new item done").does(func(p *planting) { p.addAs(done, 1) }),
		row("lost-among-moved", "the rewrite leaves out an item and moves its neighbour to the end", "left out", open, open,
			open).claiming(order).does(func(p *planting) {
			p.omit(0, 1)
			p.add(p.said(0))
		}),
	}
}
