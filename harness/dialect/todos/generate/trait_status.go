package generate

import (
	"strconv"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// statusTraits are about statuses that change in unusual ways.
func statusTraits() []trait {
	row := rows("status", "rewrite")
	listed := rows("status", "list")
	turn := func(name, text, theme string, from, to plan.Status) trait {
		return row(name, text, theme, from).does(func(p *planting) { p.said(0).status = to })
	}
	const reopened, two = "done item reopened", "two in progress"
	return []trait{
		turn("reopened", "a done item becomes pending", reopened, done, open),
		turn("reopened-in-progress", "a done item becomes in progress", reopened, done, active).claiming(progress),
		turn("done-cancelled", "a done item is cancelled", "done item cancelled", done, gone).within(withIDs),
		turn("cancelled", "an open item is cancelled", "item cancelled", open, gone).within(withIDs),
		turn("stopped", "the item in progress becomes pending", "item stopped", active, open).claiming(progress),
		row("revived", "a cancelled item becomes open again", "cancelled item revived", open).based().
			does(func(p *planting) { p.slots[0].status = gone }),
		listed("cancelled-kept", "a cancelled item stays in the list", "cancelled item", open).based().within(withIDs).
			does(func(p *planting) { p.sets(0, gone) }),
		row("two-in-progress", "two items become in progress at once", two, open, open).claiming(progress).
			does(func(p *planting) { p.said(0).status, p.said(1).status = active, active }),
		row("begun-beside", "an item becomes in progress together with the current one", two, active, open).
			claiming(progress).does(func(p *planting) { p.said(1).status = active }),
		row("new-begun-beside", "a new item is in progress together with the current one", two, active).
			claiming(progress).does(func(p *planting) { p.addAs(active, 1) }),
		row("all-done", "all open items are completed at once", "all done", open, open).alone().claiming(progress).
			does(func(p *planting) {
				for _, e := range p.reply.entries {
					if isOpen(e.status) {
						e.status = done
					}
				}
			}),
		listed("old-two-in-progress", "two items of the list are in progress, and one is completed", two, active, open).
			based().claiming(progress).does(func(p *planting) {
			p.said(0).status = done
			p.sets(1, active)
		}),
		listed("old-both-in-progress", "two items of the list are in progress, and both stay in progress", two, active,
			open).based().claiming(progress).does(func(p *planting) { p.sets(1, active) }),
	}
}

// idTraits are about ids.
func idTraits() []trait {
	family := rows("ids", "rewrite")
	row := func(name, text, theme string, slots ...plan.Status) trait {
		return family(name, text, theme, slots...).numbered(1).within(withIDs).barring(merging)
	}
	one := func(name, text, theme string, slots ...plan.Status) trait {
		return row(name, text, theme, slots...).claiming(identified)
	}
	all := func(name, text, theme string, id func(p *planting, i int) string) trait {
		return row(name, text, theme, open, done).claiming(naming).barring(identified).does(func(p *planting) {
			for i, e := range p.reply.entries {
				e.id = id(p, i)
			}
		})
	}
	const renumbered, absent, reused = "ids renumbered", "ids left out", "id reused"
	return []trait{
		all("ids-renumbered", "ids are renumbered from 1", renumbered,
			func(_ *planting, i int) string { return strconv.Itoa(i + 1) }),
		all("ids-shifted", "every item has the id of the next one", renumbered, func(p *planting, i int) string {
			p.next = max(p.next, i+2) // which a new item then does not get
			return strconv.Itoa(i + 2)
		}),
		all("ids-all-new", "every item has a new id", renumbered,
			func(_ *planting, i int) string { return "n" + strconv.Itoa(i) }),
		all("ids-all-missing", "the rewrite leaves out every id", absent, func(*planting, int) string { return "" }),
		one("ids-swapped", "two items swap their ids", "ids swapped", open, done).
			does(func(p *planting) { p.said(0).id, p.said(1).id = p.said(1).id, p.said(0).id }),
		one("id-missing", "an item has no id", absent, open).does(func(p *planting) { p.said(0).id = "" }),
		one("id-reused", "a new item has the id of an omitted item", reused, open).
			does(func(p *planting) { p.said(0).words = p.say() }),
		one("id-taken", "a new item has the id of an item that is named without it", reused, open).
			does(func(p *planting) {
				next := p.fresh()
				next.id, p.said(0).id = p.said(0).id, ""
				p.add(next)
			}),
		one("id-of-done", "a new item has the id of an omitted done item", reused, done).
			does(func(p *planting) { p.said(0).words, p.said(0).status = p.say(), done }),
		one("id-of-done-reopened", "a done item is reworded under its id and becomes pending", "done item reopened", done).
			does(func(p *planting) { p.said(0).words, p.said(0).status = p.say(), open }),
	}
}

// twiceTraits are about items that are twice in a rewrite.
func twiceTraits() []trait {
	row := rows("duplicates", "rewrite")
	again := func(name, text string, ids int, change func(p *planting, e *entry)) trait {
		t := row(name, text, "duplicate", open).numbered(ids).barring(naming).does(func(p *planting) {
			e := *p.said(0)
			e.slips = nil
			change(p, &e)
			p.add(&e)
		})
		if ids > 0 {
			t.in = withIDs
			return t
		}
		return t.under("ids=optional")
	}
	same := func(*planting, *entry) {}
	return []trait{
		again("twice", "the rewrite contains an item twice", -1, same),
		again("twice-other-status", "the rewrite contains an item twice, pending and completed", -1,
			func(_ *planting, e *entry) { e.status = done }),
		again("twice-same-id", "the rewrite contains an item twice, with its id", 1, same).named(),
		again("twice-other-id", "the rewrite contains an item twice, with two ids", 1,
			func(p *planting, e *entry) { e.id = p.newID() }),
		again("same-id", "two items have the same id", 1, func(p *planting, e *entry) { e.words = p.say() }).named(),
		again("same-id-padded", "two items have ids that differ only in white space", 1, func(p *planting, e *entry) {
			e.words = p.say()
			e.slips = []slip{{member: "id", json: generators.Quoted(" " + e.id + "\u00a0")}}
		}).named(),
		again("twice-respaced", "the rewrite contains an item twice, with different white space", -1,
			func(_ *planting, e *entry) { e.words += " \u00a0" }),
	}
}

// listTraits are about the list of the case, its limits, and how many replies
// there are.
func listTraits() []trait {
	row := rows("list", "list")
	spoil := func(name, doc string) trait {
		return row(name, "the list is "+doc, "invalid list").based().claiming(refused).
			does(func(p *planting) { p.doc, p.unsound = doc, harness.InvalidPlan })
	}
	// limits adds open and done items, more than the limit admits.
	limits := func(name, text string, opened, closed, room int) trait {
		return row(name, text, "limit", open, done).claiming(size).barring(whole | merging).does(func(p *planting) {
			p.addAs(open, opened)
			p.addAs(done, closed)
			p.limit = len(p.old) + room
		})
	}
	above := limits("above-limit", "the list already exceeds its limit", 0, 0, -1)
	equal := func(name, text string) trait {
		return row(name, text, "equal contents", open, open).based().barring(naming | identified).does(func(p *planting) {
			p.slots[1].words, p.said(1).words = p.slots[0].words, p.slots[0].words
			p.said(0).status = done
		})
	}
	return append([]trait{
		spoil("list-status", `{"items":[{"content":"a","status":"done"}]}`),
		spoil("list-id-twice",
			`{"items":[{"id":"1","content":"a","status":"pending"},{"id":"1","content":"b","status":"pending"}]}`),
		spoil("list-blank", `{"items":[{"content":" ","status":"pending"}]}`),
		spoil("list-padded-id", `{"items":[{"id":" 1","content":"a","status":"pending"}]}`),
		spoil("list-other-member", `{"items":[{"content":"a","status":"pending","owner":"me"}]}`),
		spoil("list-no-items", `{"todos":[]}`),
		rows("list", "limits")("bad-limit", "the limit is zero", "limit below 1").based().claiming(refused | size).
			does(func(p *planting) { p.limit, p.limits.MaxPlanSteps, p.unsound = 0, new(0), harness.BadLimit }),
		limits("limit-cuts", "new items do not fit the limit", 3, 0, 1),
		limits("limit-cuts-all", "no new item fits the limit", 2, 0, 0),
		limits("limit-new-done", "a new done item does not fit the limit", 0, 1, 0),
		limits("limit-cuts-before-done", "an open new item does not fit the limit, and a done one follows it", 1, 1, 1),
		above.does(func(p *planting) {
			above.plant(p)
			p.said(0).status = done
		}),
		equal("equal-contents", "two items of the list have equal contents and different ids").numbered(1).within(withIDs),
		equal("equal-contents-without-ids", "two items of the list have equal contents, and no ids").numbered(-1).
			barring(order).under("ids=optional"),
		row("one-item", "the list has only one item", "one item").based().alone().barring(size).does(func(p *planting) {
			p.old, p.reply.entries = nil, nil
			p.addOld(open).status = done
		}),
		row("many-items", "the list has hundreds of items", "many items").based().weighs(2).claiming(size).
			barring(whole | naming).does(func(p *planting) {
			for range 300 {
				p.addOld(done)
			}
		}),
	}, repliesTraits()...)
}

// addOld adds an item to the list and to the rewrite.
func (p *planting) addOld(status plan.Status) *entry {
	it := &item{words: p.say(), status: status}
	if p.ids {
		it.id = p.newID()
	}
	p.old = append(p.old, it)
	p.add(p.entryOf(it))
	return p.reply.entries[len(p.reply.entries)-1]
}

// repliesTraits are about how many replies there are.
func repliesTraits() []trait {
	row := rows("list", "replies")
	says := func(text string) *rewrite { return &rewrite{change: func(string) string { return text }} }
	const several = "several replies"
	return []trait{
		row("refused-first", "the first reply has no list", several).claiming(replies).does(func(p *planting) {
			p.rewrites = append([]*rewrite{says("I have thought about it.")}, p.rewrites...)
		}),
		row("refused-last", "the last reply has no list", several).claiming(replies).
			does(func(p *planting) { p.rewrites = append(p.rewrites, says("")) }),
		row("no-reply", "the case has no reply", "no reply").alone().claiming(replies | surrounds | refused).
			does(func(p *planting) { p.rewrites, p.unsound = nil, harness.RepliesExhausted }),
		row("two-rewrites", "a second rewrite changes the status of another item", several, open).claiming(replies).
			barring(whole | merging | progress | naming | identified).does(func(p *planting) {
			next := &rewrite{}
			for _, e := range p.reply.entries {
				f := *e
				f.slips, f.line = nil, ""
				if e == p.said(0) {
					f.status = done
				}
				next.entries = append(next.entries, &f)
			}
			p.rewrites = append(p.rewrites, next)
		}),
	}
}
