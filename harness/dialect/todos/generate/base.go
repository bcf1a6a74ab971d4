package generate

import (
	"slices"
	"strconv"

	"replanbench/generators"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// slot is an item of the list that is a trait's alone, and what the rewrite says
// of it.
type slot struct {
	*item
	entry *entry
}

// drawBase draws the list with all that the traits of the index need, and the
// plain rewrite of it. It returns the slots of the traits.
func (d *draft) drawBase() [][]slot {
	d.first = d.Below(phrases)
	d.ids = d.drawIDs()
	needs := append(collect.Map(d.drawn.Traits, func(t trait) []plan.Status { return t.slots }), d.drawStatuses())
	d.reply = &rewrite{}
	d.rewrites = []*rewrite{d.reply}
	slots := d.drawItems(needs)
	d.move(slots[len(slots)-1])
	for range d.additions() {
		d.reply.entries = append(d.reply.entries, d.fresh())
	}
	if d.OneIn(3) && !d.drawn.Lacks("max_plan_steps") {
		d.limit = len(d.old) + ample + d.Below(8)
	}
	return slots
}

// ample is how many more items than a list has a limit allows that is in nobody's
// way.
const ample = 600

// drawIDs decides whether items have ids: as the traits of the index and the rules
// need, or by chance.
func (d *draft) drawIDs() bool {
	for _, t := range d.drawn.Traits {
		if t.row.Numbered != 0 {
			return t.row.Numbered > 0
		}
	}
	switch {
	case !d.settings.HasIDs():
		// Ids that a reply cannot repeat find nothing again where ids alone count.
		return d.settings.Identity != spec.ID && d.OneIn(2) && !d.drawn.Lacks("ids")
	case d.settings.IDs != spec.Optional:
		return true
	}
	return d.OneIn(2) && !d.drawn.Lacks("ids")
}

// drawStatuses draws the statuses of the items that are nobody's. One of them can
// be moved on; at most one is in progress, and none if a trait looks after that.
func (d *draft) drawStatuses() []plan.Status {
	n := d.drawn.Steps
	if n == 0 {
		n = 1 + d.Below(6)
	}
	if n = max(1, min(n, d.drawn.Max)); d.claimed(lone) {
		n = 1
	}
	if len(d.drawn.Traits) == 0 && d.drawn.Steps == 0 && d.OneIn(12) {
		return nil // the first list
	}
	list := make([]plan.Status, n)
	mover, active := d.Below(n), d.Below(n)
	taken := d.claimed(progress) || d.OneIn(2)
	for i := range list {
		switch {
		case i == active && !taken:
			list[i] = plan.InProgress
		case i == mover || d.OneIn(2):
			list[i] = plan.Pending
		default:
			list[i] = plan.Completed
		}
	}
	return list
}

// claimed reports whether a trait of the index looks after something.
func (d *draft) claimed(c claims) bool {
	return slices.ContainsFunc(d.drawn.Traits, func(t trait) bool { return t.row.Claims&c != 0 })
}

// drawItems draws the items of all owners, in an order of theirs, and what the rewrite says of them.
func (d *draft) drawItems(needs [][]plan.Status) [][]slot {
	slots := make([][]slot, len(needs))
	var owners []int
	for i, list := range needs {
		slots[i] = make([]slot, 0, len(list))
		for range list {
			owners = append(owners, i)
		}
	}
	generators.Shuffle(&d.Choices, owners)
	items, entries := make([]item, len(owners)), make([]entry, len(owners))
	d.reply.entries = make([]*entry, 0, len(owners)+4)
	for k, i := range owners { // whose items keep their order
		it, e := &items[k], &entries[k]
		*it = item{words: d.say(), status: needs[i][len(slots[i])]}
		if d.next++; d.ids {
			it.id = strconv.Itoa(d.next)
		}
		*e = d.entryOf(it)
		d.old, d.reply.entries = append(d.old, it), append(d.reply.entries, e)
		slots[i] = append(slots[i], slot{it, e})
	}
	return slots
}

func (d *draft) entryOf(it *item) entry {
	e := entry{item: item{words: it.words, status: it.status}}
	if d.settings.HasIDs() {
		e.id = it.id
	}
	return e
}

// fresh is an item that the list does not have.
func (d *draft) fresh() *entry {
	e := &entry{item: item{words: d.say(), status: plan.Pending}}
	if d.settings.HasIDs() && d.ids {
		e.id = d.newID()
	}
	return e
}

// newID is an id that no item has.
func (d *draft) newID() string {
	d.next++
	return strconv.Itoa(d.next)
}

// move moves at least one item on: from pending by way of in progress to
// completed.
func (d *draft) move(own []slot) {
	moved := false
	for _, s := range own {
		if s.status == plan.InProgress {
			s.entry.status, moved = plan.Completed, true
		}
	}
	begun := d.claimed(progress)
	for _, s := range own {
		if s.status != plan.Pending || moved && !d.OneIn(3) {
			continue
		}
		moved = true
		if s.entry.status = plan.Completed; !begun && d.OneIn(2) {
			s.entry.status, begun = plan.InProgress, true
		}
	}
}

// additions is how many new items the plain rewrite has: some, where there is
// nothing to move.
func (d *draft) additions() int {
	if len(d.old) == 0 {
		return 1 + d.Below(3)
	}
	if d.claimed(size) {
		return 0
	}
	return generators.Pick(&d.Choices, []int{0, 0, 1, 2})
}
