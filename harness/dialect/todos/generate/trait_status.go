package generate

import (
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// statusTraits are about statuses that change in unusual ways.
func statusTraits() []trait {
	family := generators.Family("status")
	turn := func(name, text, theme string, from, to plan.Status, in formats, claim claims) trait {
		return trait{
			Trait: family(name, text).Says(theme, "rewrite"), slots: slotsOf(from), in: in, claim: claim,
			plant: func(p *planting) { p.slots[0].entry.status = to },
		}
	}
	return []trait{
		turn("reopened", "a done item becomes pending", "done item reopened", done, open, 0, 0),
		turn("reopened-in-progress", "a done item becomes in progress", "done item reopened", done, active, 0, progress),
		turn("done-cancelled", "a done item is cancelled", "done item cancelled", done, gone, withIDs, 0),
		turn("cancelled", "an open item is cancelled", "item cancelled", open, gone, withIDs, 0),
		turn("stopped", "the item in progress becomes pending", "item stopped", active, open, 0, progress),
		{
			Trait: base(family("revived", "a cancelled item becomes open again")).Says("cancelled item revived", "rewrite"),
			slots: slotsOf(open), plant: func(p *planting) { p.slots[0].status = gone },
		},
		{
			Trait: base(family("cancelled-kept", "a cancelled item stays in the list")).Says("cancelled item", "list"),
			slots: slotsOf(open), in: withIDs, plant: func(p *planting) {
				p.slots[0].status, p.slots[0].entry.status = gone, gone
			},
		},
		{
			Trait: family("two-in-progress", "two items become in progress at once").Says("two in progress", "rewrite"),
			slots: slotsOf(open, open), claim: progress, plant: func(p *planting) {
				p.slots[0].entry.status, p.slots[1].entry.status = active, active
			},
		},
		{Trait: family("begun-beside", "an item becomes in progress together with the current one").Says("two in progress",
			"rewrite"), slots: slotsOf(active, open), claim: progress, plant: func(p *planting) {
			p.slots[1].entry.status = active
		}},
		{Trait: family("new-begun-beside", "a new item is in progress together with the current one").Says("two in progress",
			"rewrite"), slots: slotsOf(active), claim: progress, plant: func(p *planting) { p.begin() }},
		{
			Trait: family("all-done", "all open items are completed at once").Says("all done", "rewrite"),
			slots: slotsOf(open, open), claim: whole | progress, bars: slotted, plant: func(p *planting) {
				for _, e := range p.reply.entries {
					if isOpen(e.status) {
						e.status = done
					}
				}
			},
		},
		{
			Trait: base(family("old-two-in-progress",
				"two items of the list are in progress, and one is completed")).Says("two in progress", "list"),
			slots: slotsOf(active, open), claim: progress, plant: func(p *planting) {
				p.slots[0].entry.status = done
				p.slots[1].status, p.slots[1].entry.status = active, active
			},
		},
		{
			Trait: base(family("old-both-in-progress",
				"two items of the list are in progress, and both stay in progress")).Says("two in progress", "list"),
			slots: slotsOf(active, open), claim: progress, plant: func(p *planting) {
				p.slots[1].status, p.slots[1].entry.status = active, active
			},
		},
	}
}

// idTraits are about ids.
func idTraits() []trait {
	family := generators.Family("ids")
	of := func(name, text, theme string, slots []plan.Status, plant func(p *planting)) trait {
		return trait{Trait: family(name, text).Says(theme, "rewrite"), slots: slots, ids: 1, in: withIDs, plant: plant}
	}
	all := func(name, text, theme string, id func(p *planting, i int, e *entry) string) trait {
		t := of(name, text, theme, slotsOf(open, done), func(p *planting) {
			for i, e := range p.reply.entries {
				e.id = id(p, i, e)
			}
		})
		t.claim, t.bars = naming, merging|identified
		return t
	}
	number := func(i int) string { return strconv.Itoa(i) }
	list := []trait{
		all("ids-renumbered", "ids are renumbered from 1", "ids renumbered",
			func(_ *planting, i int, _ *entry) string { return number(i + 1) }),
		all("ids-shifted", "every item has the id of the next one", "ids renumbered",
			func(p *planting, i int, _ *entry) string {
				p.next = max(p.next, i+2) // which a new item then does not get
				return number(i + 2)
			}),
		all("ids-all-new", "every item has a new id", "ids renumbered",
			func(p *planting, i int, _ *entry) string { return "n" + number(i) }),
		all("ids-all-missing", "the rewrite leaves out every id", "ids left out", func(_ *planting, i int,
			_ *entry,
		) string {
			return ""
		}),
		of("ids-swapped", "two items swap their ids", "ids swapped", slotsOf(open, done), func(p *planting) {
			a, b := p.slots[0].entry, p.slots[1].entry
			a.id, b.id = b.id, a.id
		}),
		of("id-missing", "an item has no id", "ids left out", slotsOf(open), func(p *planting) { p.slots[0].entry.id = "" }),
		of("id-reused", "a new item has the id of an omitted item", "id reused", slotsOf(open), func(p *planting) {
			e := p.slots[0].entry
			e.text = p.say()
		}),
		of("id-taken", "a new item has the id of an item that is named without it", "id reused", slotsOf(open),
			func(p *planting) {
				e := p.slots[0].entry
				next := p.fresh()
				next.id, e.id = e.id, ""
				p.reply.entries = append(p.reply.entries, next)
			}),
		of("id-of-done", "a new item has the id of an omitted done item", "id reused", slotsOf(done), func(p *planting) {
			p.slots[0].entry.text, p.slots[0].entry.status = p.say(), done
		}),
		of("id-of-done-reopened", "a done item is reworded under its id and becomes pending", "done item reopened",
			slotsOf(done), func(p *planting) { p.slots[0].entry.text, p.slots[0].entry.status = p.say(), open }),
	}
	for i := range list {
		if list[i].claim&naming == 0 {
			list[i].claim |= identified
		}
		list[i].bars |= merging
	}
	return list
}

// twiceTraits are about items that are twice in a rewrite.
func twiceTraits() []trait {
	family := generators.Family("duplicates")
	again := func(name, text string, ids int, in formats, change func(p *planting, e *entry)) trait {
		return trait{
			Trait: family(name, text).Says("duplicate", "rewrite"), slots: slotsOf(open), ids: ids, in: in,
			bars: naming, plant: func(p *planting) {
				e := *p.slots[0].entry
				e.slips = nil
				change(p, &e)
				p.reply.entries = append(p.reply.entries, &e)
			},
		}
	}
	list := []trait{
		again("twice", "the rewrite contains an item twice", -1, 0, func(*planting, *entry) {}),
		again("twice-other-status", "the rewrite contains an item twice, pending and completed", -1, 0,
			func(_ *planting, e *entry) { e.status = done }),
		again("twice-same-id", "the rewrite contains an item twice, with its id", 1, withIDs, func(*planting, *entry) {}),
		again("twice-other-id", "the rewrite contains an item twice, with two ids", 1, withIDs,
			func(p *planting, e *entry) { e.id = p.newID() }),
		again("same-id", "two items have the same id", 1, withIDs, func(p *planting, e *entry) { e.text = p.say() }),
		again("same-id-padded", "two items have ids that differ only in white space", 1, withIDs,
			func(p *planting, e *entry) {
				e.text = p.say()
				e.slips = []slip{{member: "id", json: generators.Quoted(" " + e.id + "\u00a0")}}
			}),
		again("twice-respaced", "the rewrite contains an item twice, with different white space", -1, 0,
			func(_ *planting, e *entry) { e.text = e.spelled(e.words + " \u00a0") }),
	}
	for i := range list {
		list[i].twice = strings.Contains(list[i].Name, "same-id")
	}
	return list
}

// listTraits are about the list of the case, its limits, and how many replies
// there are.
func listTraits() []trait {
	family := generators.Family("list")
	spoil := func(name, doc string) trait {
		return trait{
			Trait: base(family(name, "the list is "+doc)).Says("invalid list", "list"), claim: refused,
			plant: func(p *planting) { p.doc, p.unsound = doc, harness.InvalidPlan },
		}
	}
	limits := func(name, text string, claim claims, plant func(p *planting)) trait {
		return trait{
			Trait: family(name, text).Says("limit", "list"), slots: slotsOf(open, done), claim: size | claim,
			bars: whole | merging, plant: plant,
		}
	}
	add := func(p *planting, n int, status plan.Status) {
		for range n {
			e := p.fresh()
			e.status = status
			p.reply.entries = append(p.reply.entries, e)
		}
	}
	return []trait{
		spoil("list-status", `{"items":[{"content":"a","status":"done"}]}`),
		spoil("list-id-twice", `{"items":[{"id":"1","content":"a","status":"pending"},{"id":"1","content":"b","status":"pending"}]}`),
		spoil("list-blank", `{"items":[{"content":" ","status":"pending"}]}`),
		spoil("list-padded-id", `{"items":[{"id":" 1","content":"a","status":"pending"}]}`),
		spoil("list-other-member", `{"items":[{"content":"a","status":"pending","owner":"me"}]}`),
		spoil("list-no-items", `{"todos":[]}`),
		{
			Trait: base(family("bad-limit", "the limit is zero")).Says("limit below 1", "limits"), claim: refused | size,
			plant: func(p *planting) {
				zero := 0
				p.limit, p.limits.MaxPlanSteps, p.unsound = 0, &zero, harness.BadLimit
			},
		},
		limits("limit-cuts", "new items do not fit the limit", 0, func(p *planting) {
			add(p, 3, open)
			p.limit = len(p.old) + 1
		}),
		limits("limit-cuts-all", "no new item fits the limit", 0, func(p *planting) {
			add(p, 2, open)
			p.limit = len(p.old)
		}),
		limits("limit-new-done", "a new done item does not fit the limit", 0, func(p *planting) {
			add(p, 1, done)
			p.limit = len(p.old)
		}),
		limits("limit-cuts-before-done", "an open new item does not fit the limit, and a done one follows it", 0,
			func(p *planting) {
				add(p, 1, open)
				add(p, 1, done)
				p.limit = len(p.old) + 1
			}),
		limits("above-limit", "the list already exceeds its limit", 0, func(p *planting) {
			p.limit = len(p.old) - 1
			p.slots[0].entry.status = done
		}),
		{Trait: base(family("equal-contents", "two items of the list have equal contents and different ids")).Says("equal contents", "list"), slots: slotsOf(open, open), ids: 1, in: withIDs, bars: naming | identified, plant: func(p *planting) {
			a, b := p.slots[0], p.slots[1]
			b.text, b.entry.text = a.text, a.text
			a.entry.status = done
		}},
		{
			Trait: base(family("equal-contents-without-ids",
				"two items of the list have equal contents, and no ids")).Says("equal contents", "list"),
			slots: slotsOf(open, open), ids: -1, bars: naming | identified | order, rules: []string{"ids=optional"},
			plant: func(p *planting) {
				a, b := p.slots[0], p.slots[1]
				b.text, b.entry.text = a.text, a.text
				a.entry.status = done
			},
		},
		{
			Trait: base(family("one-item", "the list has only one item")).Says("one item", "list"), claim: whole,
			bars: slotted | size, plant: func(p *planting) {
				it := &item{text: p.say(), status: open}
				if p.ids {
					it.id = p.newID()
				}
				p.old = []*item{it}
				e := p.entryOf(it)
				e.status = done
				p.reply.entries = []*entry{e}
			},
		},
		{
			Trait: base(family("many-items", "the list has hundreds of items")).Weigh(2).Says("many items", "list"),
			claim: size, bars: whole | naming, plant: func(p *planting) {
				for range 300 {
					it := &item{text: p.say(), status: done}
					if p.ids {
						it.id = p.newID()
					}
					p.old = append(p.old, it)
					p.reply.entries = append(p.reply.entries, p.entryOf(it))
				}
			},
		},
		{
			Trait: family("refused-first", "the first reply has no list").Says("several replies", "replies"), claim: replies,
			plant: func(p *planting) {
				p.rewrites = append([]*rewrite{{change: func(string) string { return "I have thought about it." }}},
					p.rewrites...)
			},
		},
		{
			Trait: family("refused-last", "the last reply has no list").Says("several replies", "replies"), claim: replies,
			plant: func(p *planting) {
				p.rewrites = append(p.rewrites, &rewrite{change: func(string) string { return "" }})
			},
		},
		{
			Trait: family("no-reply", "the case has no reply").Says("no reply", "replies"),
			claim: replies | surrounds | refused | whole, bars: slotted, plant: func(p *planting) {
				p.rewrites, p.unsound = nil, harness.RepliesExhausted
			},
		},
		{
			Trait: family("two-rewrites", "a second rewrite changes the status of another item").Says("several replies",
				"replies"), slots: slotsOf(open), claim: replies, bars: whole | merging | progress | naming | identified,
			plant: func(p *planting) {
				next := &rewrite{bullet: "-"}
				for _, e := range p.reply.entries {
					f := *e
					f.slips, f.above, f.line = nil, "", ""
					if e == p.slots[0].entry {
						f.status = done
					}
					next.entries = append(next.entries, &f)
				}
				p.rewrites = append(p.rewrites, next)
			},
		},
	}
}
