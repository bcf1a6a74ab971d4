package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// boxTraits are about Markdown.
func boxTraits() []trait {
	change := func(name, text string, effect deform.Effect, how func(doc string) string) trait {
		return rows("markdown", "text")(name, text, spaced(name)).within(boxes).claiming(surrounds).
			does(func(p *planting) { p.reply.effect, p.reply.change = effect, how })
	}
	plain, unread := deform.Effect{}, deform.Effect{Code: harness.NoDocument, Around: true}
	extracted, coerced := unread, unread
	extracted.Takes, coerced.Takes = generators.Extract, generators.Coerce
	lines := func(doc string, how func(i int, line string) string) string {
		list := strings.Split(doc, "\n")
		for i := range list {
			list[i] = how(i, list[i])
		}
		return strings.Join(list, "\n")
	}
	list := []trait{
		change("boxes", "the list is Markdown", plain, func(doc string) string { return doc }),
		change("boxes-nested", "items are nested", plain, func(doc string) string {
			return lines(doc, func(i int, l string) string { return strings.Repeat("  ", i%3) + l })
		}),
		change("boxes-starred", "bullets are asterisks", plain,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return "*" + l[1:] }) }),
		change("boxes-numbered", "bullets are numbers", plain,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return "12." + l[1:] }) }),
		change("boxes-bare", "items have no bullets", plain,
			func(doc string) string { return lines(doc, func(_ int, l string) string { return l[2:] }) }),
		change("boxes-capital", "marks are capitals", plain,
			func(doc string) string { return strings.ReplaceAll(doc, "[x]", "[X]") }),
		change("boxes-crlf", "lines end in CRLF", plain, func(doc string) string {
			return strings.ReplaceAll(doc, "\n", "\r\n") + "\r\n"
		}),
		change("boxes-tabs", "tabs surround marks and texts", plain, func(doc string) string {
			return lines(doc, func(_ int, l string) string { return "\t" + l[:2] + "[\t" + l[3:4] + "\t]\t" + l[5:] + "\t" })
		}),
		change("boxes-blank-lines", "blank lines are between items", plain,
			func(doc string) string { return "\n" + strings.ReplaceAll(doc, "\n", "\n \n") + "\n\n" }),
		change("boxes-headings", "headings are between items", extracted, func(doc string) string {
			return "# Plan\n\n" + strings.Replace(doc, "\n", "\n## Next\n", 1)
		}),
		change("boxes-quoted", "other lines are between items", extracted, func(doc string) string {
			return strings.Replace(doc, "\n", "\n  and its second line\n> a quote\n- no box\n", 1) +
				"\n- [x](http://ci/7)\n[a] note\n- []"
		}),
		change("boxes-in-a-fence", "the items are in a code fence", extracted,
			func(doc string) string { return "Here:\n```markdown\n" + doc + "\n```\nDone." }),
		change("boxes-beside-a-fence", "a code fence with items follows the items", extracted,
			func(doc string) string { return doc + "\n~~~~\n- [ ] only an example\n~~~\n~~~~\n" }),
		change("boxes-behind-thoughts", "a <think> block with items precedes the items", extracted,
			func(doc string) string { return "<think>\n- [ ] perhaps this\n</think>\n" + doc }),
		change("boxes-in-a-call", "the items are an argument of a tool call", coerced,
			func(doc string) string { return `{"task_progress":` + generators.Quoted(doc) + `}` }),
		change("boxes-none", "no line is an item", unread, strings.NewReplacer("[", "(", "]", ")").Replace),
	}
	mark := func(name, text, line string, code harness.Code, fine func(*draft) bool) trait {
		return rows("markdown", "rewrite")(name, text, spaced(name), open).within(boxes).claiming(shaped).barring(surrounds).
			does(func(p *planting) {
				e := p.said(0)
				e.line = strings.ReplaceAll(line, "T", e.words)
				if strings.Contains(line, "✓") {
					e.status = done
				}
				e.slip(slip{member: "status", json: "0", code: code, fine: fine})
			})
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
	row := rows("merge", "rewrite")
	of := func(name, text string, slots int, plant func(p *planting)) trait {
		return row(name, text, "merge", []plan.Status{open, done, open}[:slots]...).numbered(1).within(merges).alone().
			claiming(merging).barring(order | size).does(func(p *planting) {
			p.reply.merge, p.reply.entries = true, nil
			plant(p)
		})
	}
	name := func(p *planting, k int) *entry {
		p.add(p.said(k))
		return p.said(k)
	}
	// lone makes an item the only one in progress.
	lone := func(p *planting) {
		for _, it := range p.old {
			if it.status == active {
				it.status = open
			}
		}
		p.slots[0].status = active
	}
	return append([]trait{
		of("merge", "the reply names only the changed item", 1, func(p *planting) { name(p, 0).status = done }),
		of("merge-new", "the reply names only a new item", 1, func(p *planting) {
			name(p, 0).status = done
			p.add(p.fresh())
		}),
		of("merge-unknown-id", "the reply changes an unknown item", 1, func(p *planting) {
			p.add(p.fresh())
			p.reply.entries[0].quiet = true
		}),
		of("merge-without-id", "the reply names an item without its id", 1, func(p *planting) {
			name(p, 0).slip(slip{member: "id", json: generators.None, code: harness.MissingField})
		}),
		of("merge-quiet", "the reply gives an item only a priority", 1, func(p *planting) {
			e := name(p, 0)
			e.quiet, e.priority = true, "high"
		}),
		of("merge-reworded", "the reply rewords an item", 1, func(p *planting) { name(p, 0).words = p.say() }),
		of("merge-reopened", "the reply reopens a done item", 2, func(p *planting) { name(p, 1).status = open }),
		of("merge-empty", "the reply names no item", 1, func(*planting) {}),
		of("merge-status-alone", "the reply gives an item only a status: priority and active form stay", 1,
			func(p *planting) {
				p.complete(0)
				e := name(p, 0)
				e.status = done
				e.slip(slip{member: "content", json: generators.None})
			}).based(),
		of("merge-active-form", "the reply changes the active form of an item", 1, func(p *planting) {
			p.complete(0)
			e := name(p, 0)
			e.status, e.form = done, "doing that"
		}).based(),
		of("merge-begun-beside", "the reply puts an item in progress together with the current one", 3,
			func(p *planting) {
				lone(p)
				name(p, 2).status = active
			}).based(),
		of("merge-new-begun-beside", "the reply puts a new item in progress together with the current one", 1,
			func(p *planting) {
				lone(p)
				p.addAs(active, 1)
			}).based(),
		of("merge-same-id", "the reply names an item twice", 1, func(p *planting) {
			name(p, 0).status = done
			again := *p.said(0)
			p.add(&again)
		}).named(),
	}, laterMerges()...)
}

// laterMerges are traits of sessions in which a merge comes behind another reply.
func laterMerges() []trait {
	row := rows("merge", "replies")
	// of is a trait of a reply, after which a merge completes the item that change returns.
	of := func(name, text string, slots int, change func(p *planting) *entry) trait {
		return row(name, text, "merge after another reply", []plan.Status{open, open}[:slots]...).numbered(1).within(merges).
			claiming(merging | replies | order).barring(whole | progress | naming | identified | size).does(func(p *planting) {
			e := *change(p)
			e.status = done
			p.rewrites = append(p.rewrites, &rewrite{merge: true, entries: []*entry{&e}})
		})
	}
	added := func(p *planting) *entry {
		p.add(p.fresh())
		return p.reply.entries[len(p.reply.entries)-1]
	}
	return []trait{
		of("merge-after-insertion", "a rewrite inserts a new item at the front, and a later merge completes an old one", 1,
			func(p *planting) *entry {
				p.insert(0, p.fresh())
				return p.said(0)
			}),
		of("merge-after-loss", "a rewrite leaves an item out, and a later merge completes a following item", 2,
			func(p *planting) *entry {
				p.omit(0)
				return p.said(1)
			}),
		of("merge-after-move", "a rewrite moves an item to the end, and a later merge completes it", 1,
			func(p *planting) *entry {
				p.omit(0)
				p.add(p.said(0))
				return p.said(0)
			}),
		of("merge-of-added", "a rewrite adds an item, and a later merge completes it", 1, added),
		of("merges-in-turn", "a merge adds an item, and a second one completes it", 1, func(p *planting) *entry {
			p.said(0).status = done
			p.reply.merge, p.reply.entries = true, []*entry{p.said(0)}
			return added(p)
		}),
	}
}
