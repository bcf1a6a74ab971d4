package generate

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// rewordTraits are about items that the rewrite says in other words.
func rewordTraits() []trait {
	family := generators.Family("reworded")
	as := func(name, text string, status plan.Status, change func(p *planting, t string) text) trait {
		return trait{Trait: family(name, text).Says("reworded", "rewrite"), slots: slotsOf(status), plant: func(p *planting) {
			e := p.slots[0].entry
			e.text = change(p, e.words)
		}}
	}
	near := func(how func(string) string) func(p *planting, t string) text {
		return func(p *planting, t string) text { return p.similar(p.slots[0].entry.text, how(t)) }
	}
	far := func(how func(string) string) func(p *planting, t string) text {
		return func(p *planting, t string) text { return p.other(how(t)) }
	}
	list := []trait{
		as("reworded-case", "an item is reworded in a different case", open,
			near(func(t string) string { return strings.ToUpper(t[:1]) + t[1:] })),
		as("reworded-punctuation", "an item gets a full stop", open, near(func(t string) string { return t + "." })),
		as("reworded-numbered", "an item gets a number", open, near(func(t string) string { return "3. " + t })),
		as("reworded-emphasis", "an item gets asterisks", open, near(func(t string) string { return "*" + t + "*" })),
		as("reworded-look-alike", "an item gets look-alike letters", open,
			near(func(t string) string { return strings.Replace(t, "e", "\u0435", 1) + "\u0435" })),
		as("reworded-suffix", "an item gets more words", open,
			far(func(t string) string { return t + ", including all the rest of it" })),
		as("reworded-cut", "an item is shortened", open, far(func(t string) string { return t[:3] + "…" })),
		as("reworded-translated", "an item is translated", open,
			far(func(t string) string { return "Aufgabe: " + strings.ToUpper(t) + " bearbeiten" })),
		as("reworded-done", "a done item gets more words", done,
			far(func(t string) string { return t + " (finished, and checked twice)" })),
		as("respaced", "the white space in an item differs", open, func(p *planting, t string) text {
			return p.slots[0].entry.spelled("\u00a0" + strings.Replace(t, " ", "  ", 1) + "\t")
		}),
	}
	return append(list,
		trait{
			Trait: base(family("one-digit-apart",
				"two items differ in one digit, and the rewrite leaves one out")).Says("alike items", "rewrite"),
			slots: slotsOf(open, open), plant: func(p *planting) {
				a, b := p.slots[0], p.slots[1]
				a.text = p.other(a.words + " 1")
				b.text = p.similar(a.text, a.words[:len(a.words)-1]+"2")
				a.entry.text, b.entry.text = a.text, b.text
				p.reply.omit(func(e *entry) bool { return e == b.entry })
			},
		},
		alike("new-begins-like-old", "a new item begins like an old one", func(t string) string { return t + " again" }),
		alike("new-ends-like-old", "a new item ends like an old one", func(t string) string { return "then " + t }),
		alike("new-nearly-like-old", "a new item differs from an old one in one letter",
			func(t string) string { return t[:len(t)-1] + "q" }),
		trait{
			Trait: base(family("normal-form", "an item has the same content in another normal form")).
				Says("normal form", "rewrite"),
			slots: slotsOf(open), in: inJSON, plant: func(p *planting) {
				s := p.slots[0]
				s.text = p.other("cafe\u0301 de\u0301ja\u0300 " + s.words)
				s.entry.text, s.entry.status = s.spelled(norm.NFC.String(s.words)), done
			},
		},
		trait{
			Trait: family("reworded-and-done", "an item is reworded and completed at once").Says("reworded", "rewrite"),
			slots: slotsOf(open), plant: func(p *planting) {
				e := p.slots[0].entry
				e.text, e.status = p.similar(e.text, e.words+"."), done
			},
		},
		trait{
			Trait: family("merged", "two items become one").Says("merged items", "rewrite"), slots: slotsOf(open, open),
			plant: func(p *planting) {
				a, b := p.slots[0].entry, p.slots[1].entry
				a.text = p.other(a.words + " and then also " + b.words)
				a.id = p.anotherID(a.id)
				p.reply.omit(func(e *entry) bool { return e == b })
			},
		},
		trait{
			Trait: family("split", "an item becomes two").Says("split item", "rewrite"), slots: slotsOf(open),
			plant: func(p *planting) {
				e, second := p.slots[0].entry, p.fresh()
				words := e.words
				e.text, second.text = p.other(words+", the first part of the work"), p.other(words+", what comes behind that")
				e.id = p.anotherID(e.id)
				p.reply.insert(p.reply.at(e)+1, second)
			},
		},
	)
}

// alike adds a new item whose content resembles an old one with all members.
func alike(name, text string, change func(string) string) trait {
	t := generators.Family("reworded")(name, text).Says("alike items", "rewrite")
	return trait{Trait: base(t), slots: slotsOf(open), plant: func(p *planting) {
		p.slots[0].priority, p.slots[0].form = "low", "doing it"
		e := p.fresh()
		e.text = p.other(change(p.slots[0].words))
		p.reply.insert(0, e)
	}}
}

// anotherID is an id that is free, for one that there is.
func (d *draft) anotherID(id string) string {
	if id == "" {
		return ""
	}
	return d.newID()
}

// contentTraits are about what is in contents, of the list or of the rewrite.
func contentTraits() []trait {
	family := generators.Family("content")
	of := func(name, text string, words func(t string) string) trait {
		t := family(name, text).Says(strings.ReplaceAll(name, "-", " "), "list")
		t.Base = true
		return trait{Trait: t, slots: slotsOf(open), in: inJSON, plant: func(p *planting) {
			s := p.slots[0]
			s.text = p.other(words(s.words))
			s.entry.text = s.text
			s.entry.status = done
		}}
	}
	return []trait{
		of("content-lines", "an item has several lines",
			func(t string) string { return t + "\nand then the rest of it\n- [ ] not this" }),
		of("content-box", "an item begins with a box", func(t string) string { return "[x] " + t + " - [ ] of many" }),
		of("content-controls", "an item has control characters",
			func(t string) string { return t + "\x01\x1b[31m of red\x7f" }),
		of("content-quotes", "an item has quotes and backslashes", func(t string) string {
			return `"` + t + `" in C:\new\table, {a: [1]}`
		}),
		of("content-emoji", "an item has emoji and non-Latin letters", func(t string) string {
			return "数据库迁移 🚀 für " + t + " und Straße"
		}),
		of("content-long", "an item has a hundred thousand characters",
			func(t string) string { return t + strings.Repeat(" and more of it", 6700) }),
		of("content-composed", "an item has combining accents",
			func(t string) string { return "cafe\u0301 de\u0301ja\u0300 " + t }),
	}
}

// slipTraits are about members of items that only some rules take, or that count as absent.
func slipTraits() []trait {
	family := generators.Family("shape")
	extra := func(d *draft) bool { return d.settings.ExtraFields == harness.Drop }
	mended := func(d *draft) bool { return d.settings.StatusWords == harness.Any }
	of := func(name, text string, in formats, slips ...slip) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "rewrite"), slots: slotsOf(open),
			in: in, claim: shaped, bars: merging, plant: func(p *planting) {
				e := p.slots[0].entry
				for _, s := range slips {
					switch s.json {
					case `"done"`:
						e.status = done
					case textMember:
						s.json = generators.Quoted(e.words)
					}
					if s.member == textMember {
						s.member = p.settings.Text()
					}
					e.slips = append(e.slips, s)
				}
			},
		}
	}
	top := func(name, text string, in formats, claim claims, s slip) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "rewrite"), in: in,
			claim: topped | shaped | claim,
			plant: func(p *planting) { p.reply.slips = append(p.reply.slips, s) },
		}
	}
	extraField := func(member, json string) slip {
		return slip{member: member, json: json, code: harness.ExtraField, takes: generators.Coerce, fine: extra}
	}
	given := func(t trait) trait {
		plant := t.plant
		t.plant = func(p *planting) {
			p.slots[0].entry.form = "doing this"
			plant(p)
		}
		return t
	}
	other := of("content-by-other-name", "the content is under another name", inJSON,
		slip{member: textMember, json: generators.None}, slip{member: "title", json: textMember})
	other.rules = []string{"text_name=any"}
	return []trait{
		of("status-word", "an item has another word for a status", inJSON,
			slip{member: "status", json: `"done"`, code: harness.BadType, fine: mended}),
		of("id-in-plan", "an item has an id, but the format has no ids", steps, extraField("id", `"1"`)),
		of("priority-blank", "an item has a blank priority, which counts as absent", withIDs,
			slip{member: "priority", json: `" "`}),
		top("merge-in-todos", "the document has the member merge, but the format does not", todos, 0,
			extraField("merge", `true`)),
		top("explanation", "the document has an explanation", steps, reason,
			slip{member: "explanation", json: `"one step further"`}),
		of("members-given", "an item has a priority and an active form", withIDs,
			slip{member: "priority", json: `"high"`}, slip{member: "activeForm", json: `"doing that"`}),
		withMembers(of("members-left-out", "the rewrite leaves out an item's priority and active form", 0)),
		withMembers(of("members-null", "the rewrite gives null for an item's priority and active form", withIDs,
			slip{member: "priority", json: "null"}, slip{member: "activeForm", json: "null"})),
		given(of("form-by-other-name", "the active form is spelled active_form", withIDs,
			slip{member: "activeForm", json: generators.None}, slip{member: "active_form", json: `"doing this"`})),
		other,
		given(of("form-by-both-names", "the active form is there under both names", withIDs,
			slip{member: "active_form", json: `"doing that"`})),
	}
}

// withMembers gives the old item of a trait a priority and an active form.
func withMembers(t trait) trait {
	plant := t.plant
	t.Base = true
	t.plant = func(p *planting) {
		p.slots[0].priority, p.slots[0].form = "low", "doing it"
		p.slots[0].entry.status = done
		plant(p)
	}
	return t
}

// textMember stands for the member that contains the content, and for the content.
const textMember = "text"

func base(t generators.Trait) generators.Trait {
	t.Base = true
	return t
}
