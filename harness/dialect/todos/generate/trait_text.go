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
	row := rows("reworded", "rewrite")
	as := func(name, text string, status plan.Status, change func(t string) string) trait {
		return row(name, text, "reworded", status).does(func(p *planting) { p.said(0).words = change(p.said(0).words) })
	}
	// alike adds a new item whose content resembles an old one with all members.
	alike := func(name, text string, change func(string) string) trait {
		return row(name, text, "alike items", open).based().does(func(p *planting) {
			p.complete(0)
			e := p.fresh()
			e.words = change(p.slots[0].words)
			p.insert(0, e)
		})
	}
	return []trait{
		as("reworded-case", "an item is reworded in a different case", open,
			func(t string) string { return strings.ToUpper(t[:1]) + t[1:] }),
		as("reworded-punctuation", "an item gets a full stop", open, func(t string) string { return t + "." }),
		as("reworded-numbered", "an item gets a number", open, func(t string) string { return "3. " + t }),
		as("reworded-emphasis", "an item gets asterisks", open, func(t string) string { return "*" + t + "*" }),
		as("reworded-look-alike", "an item gets look-alike letters", open,
			func(t string) string { return strings.Replace(t, "e", "\u0435", 1) + "\u0435" }),
		as("reworded-suffix", "an item gets more words", open,
			func(t string) string { return t + ", including all the rest of it" }),
		as("reworded-cut", "an item is shortened", open, func(t string) string { return t[:3] + "…" }),
		as("reworded-translated", "an item is translated", open,
			func(t string) string { return "Aufgabe: " + strings.ToUpper(t) + " bearbeiten" }),
		as("reworded-done", "a done item gets more words", done,
			func(t string) string { return t + " (finished, and checked twice)" }),
		as("respaced", "the white space in an item differs", open,
			func(t string) string { return "\u00a0" + strings.Replace(t, " ", "  ", 1) + "\t" }),
		row("one-digit-apart", "two items differ in one digit, and the rewrite leaves one out", "alike items", open, open).
			based().does(func(p *planting) {
			a, b := p.slots[0], p.slots[1]
			a.words, b.words = a.words+" 1", a.words+" 2"
			a.entry.words = a.words
			p.omit(1)
		}),
		alike("new-begins-like-old", "a new item begins like an old one", func(t string) string { return t + " again" }),
		alike("new-ends-like-old", "a new item ends like an old one", func(t string) string { return "then " + t }),
		alike("new-nearly-like-old", "a new item differs from an old one in one letter",
			func(t string) string { return t[:len(t)-1] + "q" }),
		row("normal-form", "an item has the same content in another normal form", "normal form", open).based().
			within(inJSON).does(func(p *planting) {
			s := p.slots[0]
			s.words = "cafe\u0301 de\u0301ja\u0300 " + s.words
			s.entry.words, s.entry.status = norm.NFC.String(s.words), done
		}),
		row("reworded-and-done", "an item is reworded and completed at once", "reworded", open).
			does(func(p *planting) { p.said(0).words, p.said(0).status = p.said(0).words+".", done }),
		row("merged", "two items become one", "merged items", open, open).does(func(p *planting) {
			a := p.said(0)
			a.words, a.id = a.words+" and then also "+p.said(1).words, p.anotherID(a.id)
			p.omit(1)
		}),
		row("split", "an item becomes two", "split item", open).does(func(p *planting) {
			e, second := p.said(0), p.fresh()
			e.words, second.words = e.words+", the first part of the work", e.words+", what comes behind that"
			e.id = p.anotherID(e.id)
			p.insert(p.at(0)+1, second)
		}),
	}
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
	row := rows("content", "list")
	of := func(name, text string, words func(t string) string) trait {
		return row(name, text, spaced(name), open).based().within(inJSON).does(func(p *planting) {
			words := words(p.slots[0].words)
			p.slots[0].words, p.said(0).words, p.said(0).status = words, words, done
		})
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
	row := rows("shape", "rewrite")
	extra := func(d *draft) bool { return d.settings.ExtraFields == harness.Drop }
	mended := func(d *draft) bool { return d.settings.StatusWords == harness.Any }
	of := func(name, text string, in formats, slips ...slip) trait {
		return row(name, text, spaced(name), open).within(in).claiming(shaped).barring(merging).does(func(p *planting) {
			e := p.said(0)
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
				e.slip(s)
			}
		})
	}
	top := func(name, text string, in formats, s slip) trait {
		return row(name, text, spaced(name)).within(in).claiming(shaped).
			does(func(p *planting) { p.reply.slips = append(p.reply.slips, s) })
	}
	extraField := func(member, json string) slip {
		return slip{member: member, json: json, code: harness.ExtraField, takes: generators.Coerce, fine: extra}
	}
	given := func(t trait) trait { return t.after(func(p *planting) { p.slots[0].entry.form = "doing this" }) }
	// withMembers gives the old item of a trait a priority and an active form.
	withMembers := func(t trait) trait {
		return t.based().after(func(p *planting) {
			p.complete(0)
			p.said(0).status = done
		})
	}
	return []trait{
		of("status-word", "an item has another word for a status", inJSON,
			slip{member: "status", json: `"done"`, code: harness.BadType, fine: mended}),
		of("id-in-plan", "an item has an id, but the format has no ids", steps, extraField("id", `"1"`)),
		of("priority-blank", "an item has a blank priority, which counts as absent", withIDs,
			slip{member: "priority", json: `" "`}),
		top("merge-in-todos", "the document has the member merge, but the format does not", todos,
			extraField("merge", `true`)),
		top("explanation", "the document has an explanation", steps,
			slip{member: "explanation", json: `"one step further"`}),
		of("members-given", "an item has a priority and an active form", withIDs,
			slip{member: "priority", json: `"high"`}, slip{member: "activeForm", json: `"doing that"`}),
		withMembers(of("members-left-out", "the rewrite leaves out an item's priority and active form", 0)),
		withMembers(of("members-null", "the rewrite gives null for an item's priority and active form", withIDs,
			slip{member: "priority", json: "null"}, slip{member: "activeForm", json: "null"})),
		given(of("form-by-other-name", "the active form is spelled active_form", withIDs,
			slip{member: "activeForm", json: generators.None}, slip{member: "active_form", json: `"doing this"`})),
		of("content-by-other-name", "the content is under another name", inJSON,
			slip{member: textMember, json: generators.None}, slip{member: "title", json: textMember}).under("text_name=any"),
		given(of("form-by-both-names", "the active form is there under both names", withIDs,
			slip{member: "active_form", json: `"doing that"`})),
	}
}

// textMember stands for the member that contains the content, and for the content.
const textMember = "text"
