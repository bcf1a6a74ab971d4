package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

func isOpen(s plan.Status) bool { return s == plan.Pending || s == plan.InProgress }

// special returns what traits do that their rows cannot say, by the names of the traits.
func special() map[string]func(p *planting) {
	// lost leaves out of the rewrite items of the list.
	lost := func(leave func(p *planting, e *entry, it *item) bool) func(p *planting) {
		return func(p *planting) {
			p.leave(func(e *entry) bool {
				i := slices.IndexFunc(p.old, func(it *item) bool { return it.words == e.words })
				return i >= 0 && leave(p, e, p.old[i])
			})
		}
	}
	ids := func(id func(p *planting, i int) string) func(p *planting) {
		return func(p *planting) {
			for i, e := range p.reply.entries {
				e.id = id(p, i)
			}
		}
	}
	reverse := func(p *planting) { slices.Reverse(p.reply.entries) }
	return map[string]func(p *planting){
		"lost-all-done":    lost(func(_ *planting, _ *entry, it *item) bool { return it.status == plan.Completed }),
		"lost-all-open":    lost(func(_ *planting, _ *entry, it *item) bool { return isOpen(it.status) }),
		"lost-all-but-one": lost(func(p *planting, e *entry, _ *item) bool { return e != p.said(1) }),
		"partial-list":     lost(func(_ *planting, e *entry, it *item) bool { return e.status == it.status }),
		"empty-list-all-closed": func(p *planting) {
			for _, it := range p.old {
				if isOpen(it.status) {
					it.status = plan.Completed
				}
			}
		},
		"nothing-changed": (*planting).repeat,
		"swapped": func(p *planting) {
			i, j := p.at(0), p.at(1)
			p.reply.entries[i], p.reply.entries[j] = p.said(1), p.said(0)
		},
		"reversed":       reverse,
		"only-reordered": func(p *planting) { p.repeat(); reverse(p) },
		"one-digit-apart": func(p *planting) {
			a, b := p.slots[0], p.slots[1]
			a.words, b.words = a.words+" 1", a.words+" 2"
			a.entry.words = a.words
		},
		"merged": func(p *planting) {
			a := p.said(0)
			a.words, a.id = a.words+" and then also "+p.said(1).words, p.anotherID(a.id)
		},
		"split": func(p *planting) {
			e, second := p.said(0), p.fresh()
			e.words, second.words = e.words+", the first part of the work", e.words+", what comes behind that"
			e.id = p.anotherID(e.id)
			p.insert(p.at(0)+1, second)
		},
		"all-done": func(p *planting) {
			for _, e := range p.reply.entries {
				if isOpen(e.status) {
					e.status = plan.Completed
				}
			}
		},
		"ids-renumbered": ids(func(_ *planting, i int) string { return strconv.Itoa(i + 1) }),
		"ids-shifted": ids(func(p *planting, i int) string {
			p.next = max(p.next, i+2) // which a new item then does not get
			return strconv.Itoa(i + 2)
		}),
		"ids-all-new":     ids(func(_ *planting, i int) string { return "n" + strconv.Itoa(i) }),
		"ids-all-missing": ids(func(*planting, int) string { return "" }),
		"ids-swapped":     func(p *planting) { p.said(0).id, p.said(1).id = p.said(1).id, p.said(0).id },
		"id-missing":      func(p *planting) { p.said(0).id = "" },
		"id-taken": func(p *planting) {
			next := p.fresh()
			next.id, p.said(0).id = p.said(0).id, ""
			p.add(next)
		},
		"twice-other-id": func(p *planting) { p.last().id = p.newID() },
		"same-id-padded": func(p *planting) {
			p.last().slip(slip{Member: "id", Value: jsontext.Value(generators.Quoted(" " + p.last().id + "\u00a0"))})
		},
		"boxes-nested": func(p *planting) {
			p.reply.change = func(doc string) string {
				lines := strings.Split(doc, "\n")
				for i := range lines {
					lines[i] = strings.Repeat("  ", i%3) + lines[i]
				}
				return strings.Join(lines, "\n")
			}
		},
		"boxes-in-a-call": func(p *planting) {
			p.reply.change = func(doc string) string { return `{"task_progress":` + generators.Quoted(doc) + `}` }
		},
		"merge-begun-beside":     (*planting).stopOthers,
		"merge-new-begun-beside": (*planting).stopOthers,
		"bad-limit": func(p *planting) {
			p.limit, p.limits.MaxPlanSteps, p.unsound = 0, new(0), harness.BadLimit
		},
		"equal-contents":             (*planting).equate,
		"equal-contents-without-ids": (*planting).equate,
		"one-item": func(p *planting) {
			p.old, p.reply.entries = nil, nil
			p.addOld(plan.Pending)
			p.last().status = plan.Completed
		},
		"many-items": func(p *planting) {
			for range 300 {
				p.addOld(plan.Completed)
			}
		},
		"refused-first": func(p *planting) {
			p.rewrites = append([]*rewrite{sentence("I have thought about it.")}, p.rewrites...)
		},
		"refused-last": func(p *planting) { p.rewrites = append(p.rewrites, sentence("")) },
		"no-reply":     func(p *planting) { p.rewrites, p.unsound = nil, harness.RepliesExhausted },
		"two-rewrites": func(p *planting) {
			next := &rewrite{}
			for _, e := range p.reply.entries {
				f := *e
				f.slips, f.line = nil, ""
				if e == p.said(0) {
					f.status = plan.Completed
				}
				next.entries = append(next.entries, &f)
			}
			p.rewrites = append(p.rewrites, next)
		},
	}
}

// repeat makes the rewrite equal to the list.
func (p *planting) repeat() {
	p.reply.entries = nil
	for _, it := range p.old {
		p.add(new(p.entryOf(it)))
	}
}

// anotherID is an id that is free, for one that there is.
func (d *draft) anotherID(id string) string {
	if id == "" {
		return ""
	}
	return d.newID()
}

// stopOthers leaves only the first item of the trait in progress.
func (p *planting) stopOthers() {
	for _, it := range p.old {
		if it.status == plan.InProgress && it != p.slots[0].item {
			it.status = plan.Pending
		}
	}
}

// equate gives the second item of the trait the content of the first.
func (p *planting) equate() {
	p.slots[1].words, p.said(1).words = p.slots[0].words, p.slots[0].words
}

// addOld adds an item to the list and to the rewrite.
func (p *planting) addOld(status plan.Status) {
	it := &item{words: p.say(), status: status}
	if p.ids {
		it.id = p.newID()
	}
	p.old = append(p.old, it)
	p.add(new(p.entryOf(it)))
}

// sentence is a reply without a list.
func sentence(text string) *rewrite { return &rewrite{change: func(string) string { return text }} }
