package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
)

// unread is the effect of a reply without a list.
var unread = deform.Effect{Code: harness.NoDocument, Around: true}

// read is the effect of a reply that takes abilities to read.
func read(takes generators.Ability) deform.Effect {
	if takes == 0 {
		return deform.Effect{}
	}
	return deform.Effect{Code: harness.NoDocument, Takes: takes, Around: true}
}

// boxTraits are about Markdown.
func boxTraits() []trait {
	family := generators.Family("markdown")
	of := func(name, text string, takes generators.Ability, plant func(p *planting)) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "text"), in: boxes, claim: surrounds,
			plant: func(p *planting) {
				p.reply.effect = read(takes)
				plant(p)
			},
		}
	}
	change := func(name, text string, takes generators.Ability, how func(doc string) string) trait {
		return of(name, text, takes, func(p *planting) { p.reply.change = how })
	}
	lines := func(doc string, how func(i int, line string) string) string {
		list := strings.Split(doc, "\n")
		for i := range list {
			list[i] = how(i, list[i])
		}
		return strings.Join(list, "\n")
	}
	list := []trait{
		change("boxes", "the list is Markdown", 0, func(doc string) string { return doc }),
		change("boxes-nested", "items are nested", 0, func(doc string) string {
			return lines(doc, func(i int, l string) string { return strings.Repeat("  ", i%3) + l })
		}),
		change("boxes-starred", "bullets are asterisks", 0,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return "*" + l[1:] }) }),
		change("boxes-numbered", "bullets are numbers", 0,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return "12." + l[1:] }) }),
		change("boxes-bare", "items have no bullets", 0,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return l[2:] }) }),
		change("boxes-capital", "marks are capitals", 0,
			func(doc string) string { return strings.ReplaceAll(doc, "[x]", "[X]") }),
		change("boxes-crlf", "lines end in CRLF", 0, func(doc string) string {
			return strings.ReplaceAll(doc, "\n", "\r\n") + "\r\n"
		}),
		change("boxes-tabs", "tabs surround marks and texts", 0, func(doc string) string {
			return lines(doc, func(_ int, l string) string { return "\t" + l[:2] + "[\t" + l[3:4] + "\t]\t" + l[5:] + "\t" })
		}),
		change("boxes-blank-lines", "blank lines are between items", 0,
			func(doc string) string { return "\n" + strings.ReplaceAll(doc, "\n", "\n \n") + "\n\n" }),
		change("boxes-headings", "headings are between items", generators.Extract, func(doc string) string {
			return "# Plan\n\n" + strings.Replace(doc, "\n", "\n## Next\n", 1)
		}),
		change("boxes-quoted", "other lines are between items", generators.Extract, func(doc string) string {
			return strings.Replace(doc, "\n", "\n  and its second line\n> a quote\n- no box\n", 1) +
				"\n- [x](http://ci/7)\n[a] note\n- []"
		}),
		change("boxes-in-a-fence", "the items are in a code fence", generators.Extract,
			func(doc string) string { return "Here:\n```markdown\n" + doc + "\n```\nDone." }),
		change("boxes-beside-a-fence", "a code fence with items follows the items", generators.Extract,
			func(doc string) string { return doc + "\n~~~~\n- [ ] only an example\n~~~\n~~~~\n" }),
		change("boxes-behind-thoughts", "a <think> block with items precedes the items", generators.Extract,
			func(doc string) string { return "<think>\n- [ ] perhaps this\n</think>\n" + doc }),
		of("boxes-in-a-call", "the items are an argument of a tool call", generators.Coerce, func(p *planting) {
			p.reply.change = func(doc string) string { return `{"task_progress":` + generators.Quoted(doc) + `}` }
		}),
		of("boxes-none", "no line is an item", 0, func(p *planting) {
			p.reply.effect = unread
			p.reply.change = strings.NewReplacer("[", "(", "]", ")").Replace
		}),
	}
	mark := func(name, text, line string, code harness.Code, fine func(*draft) bool) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "rewrite"), slots: slotsOf(open),
			in: boxes, claim: shaped, bars: surrounds, plant: func(p *planting) {
				e := p.slots[0].entry
				e.line = strings.ReplaceAll(line, "T", e.words)
				if strings.Contains(line, "✓") {
					e.status = done
				}
				e.slips = append(e.slips, slip{member: "status", json: "0", code: code, fine: fine})
			},
		}
	}
	return append(list,
		mark("box-unknown", "an item has an unknown mark", "- [?] T", harness.BadType, nil),
		mark("box-tick", "an item has a tick", "- [✓] T", harness.BadType,
			func(d *draft) bool { return d.settings.StatusWords == harness.Any }),
		mark("box-empty", "an item has no text", "- [ ]", harness.EmptyID, nil),
	)
}

// mergeTraits are about rewrites that name only what changes.
func mergeTraits() []trait {
	family := generators.Family("merge")
	of := func(name, text string, slots int, plant func(p *planting)) trait {
		list := slotsOf(open, done, open)[:slots]
		return trait{
			Trait: family(name, text).Says("merge", "rewrite"), slots: list, ids: 1, in: merges,
			claim: merging | whole, bars: slotted | order | size, plant: func(p *planting) {
				p.reply.merge = true
				p.reply.entries = nil
				plant(p)
			},
		}
	}
	based := func(t trait) trait {
		t.Base = true
		return t
	}
	name := func(p *planting, s slot) *entry {
		p.reply.entries = append(p.reply.entries, s.entry)
		return s.entry
	}
	alone := func(p *planting, s slot) { // in progress
		for _, it := range p.old {
			if it.status == active {
				it.status = open
			}
		}
		s.status = active
	}
	list := []trait{
		of("merge", "the reply names only the changed item", 1, func(p *planting) { name(p, p.slots[0]).status = done }),
		of("merge-new", "the reply names only a new item", 1, func(p *planting) {
			name(p, p.slots[0]).status = done
			p.reply.entries = append(p.reply.entries, p.fresh())
		}),
		of("merge-unknown-id", "the reply changes an unknown item", 1, func(p *planting) {
			e := p.fresh()
			e.quiet = true
			p.reply.entries = []*entry{e}
		}),
		of("merge-without-id", "the reply names an item without its id", 1, func(p *planting) {
			e := name(p, p.slots[0])
			e.slips = append(e.slips, slip{member: "id", json: generators.None, code: harness.MissingField})
		}),
		of("merge-quiet", "the reply gives an item only a priority", 1, func(p *planting) {
			e := name(p, p.slots[0])
			e.quiet, e.priority = true, "high"
		}),
		of("merge-reworded", "the reply rewords an item", 1, func(p *planting) { name(p, p.slots[0]).text = p.say() }),
		of("merge-reopened", "the reply reopens a done item", 2, func(p *planting) { name(p, p.slots[1]).status = open }),
		of("merge-empty", "the reply names no item", 1, func(*planting) {}),
		based(of("merge-status-alone", "the reply gives an item only a status: priority and active form stay", 1,
			func(p *planting) {
				p.slots[0].priority, p.slots[0].form = "low", "doing it"
				e := name(p, p.slots[0])
				e.status = done
				e.slips = append(e.slips, slip{member: "content", json: generators.None})
			})),
		based(of("merge-active-form", "the reply changes the active form of an item", 1, func(p *planting) {
			p.slots[0].priority, p.slots[0].form = "low", "doing it"
			e := name(p, p.slots[0])
			e.status, e.form = done, "doing that"
		})),
		based(of("merge-begun-beside", "the reply puts an item in progress together with the current one", 3,
			func(p *planting) {
				alone(p, p.slots[0])
				name(p, p.slots[2]).status = active
			})),
		based(of("merge-new-begun-beside", "the reply puts a new item in progress together with the current one", 1,
			func(p *planting) {
				alone(p, p.slots[0])
				p.begin()
			})),
		of("merge-same-id", "the reply names an item twice", 1, func(p *planting) {
			name(p, p.slots[0]).status = done
			again := *p.slots[0].entry
			p.reply.entries = append(p.reply.entries, &again)
		}),
	}
	for i := range list {
		list[i].twice = list[i].Name == "merge-same-id"
	}
	return append(list, laterMerges()...)
}

// laterMerges are traits of sessions in which a merge comes behind another reply.
func laterMerges() []trait {
	of := func(name, text string, slots int, plant func(p *planting)) trait {
		return trait{
			Trait: generators.Family("merge")(name, text).Says("merge after another reply", "replies"),
			slots: slotsOf(open, open)[:slots], ids: 1, in: merges,
			claim: merging | replies | order, bars: whole | progress | naming | identified | size, plant: plant,
		}
	}
	// completed is a merge that completes an item.
	completed := func(p *planting, e entry) {
		e.status = done
		p.rewrites = append(p.rewrites, &rewrite{merge: true, entries: []*entry{&e}})
	}
	return []trait{
		of("merge-after-insertion", "a rewrite inserts a new item at the front, and a later merge completes an old one", 1,
			func(p *planting) {
				p.reply.insert(0, p.fresh())
				completed(p, *p.slots[0].entry)
			}),
		of("merge-after-loss", "a rewrite leaves an item out, and a later merge completes a following item", 2,
			func(p *planting) {
				p.reply.omit(func(e *entry) bool { return e == p.slots[0].entry })
				completed(p, *p.slots[1].entry)
			}),
		of("merge-after-move", "a rewrite moves an item to the end, and a later merge completes it", 1, func(p *planting) {
			e := p.slots[0].entry
			p.reply.omit(func(other *entry) bool { return other == e })
			p.reply.entries = append(p.reply.entries, e)
			completed(p, *e)
		}),
		of("merge-of-added", "a rewrite adds an item, and a later merge completes it", 1, func(p *planting) {
			e := p.fresh()
			p.reply.entries = append(p.reply.entries, e)
			completed(p, *e)
		}),
		of("merges-in-turn", "a merge adds an item, and a second one completes it", 1, func(p *planting) {
			e := p.fresh()
			p.reply.merge = true
			p.slots[0].entry.status = done
			p.reply.entries = []*entry{p.slots[0].entry, e}
			completed(p, *e)
		}),
	}
}
