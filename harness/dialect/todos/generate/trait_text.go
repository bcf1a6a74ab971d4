package generate

import (
	"strings"

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
			return `"` + t +
				`" in C:\new\table, {a: [1]}`
		}),
		of("content-emoji", "an item has emoji and non-Latin letters", func(t string) string {
			return "数据库迁移 🚀 für " + t +
				" und Straße"
		}),
		of("content-long", "an item has a hundred thousand characters",
			func(t string) string { return t + strings.Repeat(" and more of it", 6700) }),
		of("content-composed", "an item has combining accents",
			func(t string) string { return "cafe\u0301 de\u0301ja\u0300 " + t }),
	}
}

// slipTraits are about members of items that are not as they should be.
func slipTraits() []trait {
	family := generators.Family("shape")
	extra := func(d *draft) bool { return d.settings.ExtraFields == harness.Drop }
	mended := func(d *draft) bool { return d.settings.StatusWords == harness.Any }
	of := func(name, text string, in formats, s slip) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "rewrite"), slots: slotsOf(open),
			in: in, bars: merging, plant: func(p *planting) {
				q := s
				if q.member == "content" {
					q.member = p.settings.Text()
				}
				p.slots[0].entry.slips = append(p.slots[0].entry.slips, q)
				switch q.json {
				case `"done"`, `"Completed"`:
					p.slots[0].entry.status = done
				}
			},
		}
	}
	top := func(name, text string, in formats, s slip) trait {
		return trait{
			Trait: family(name, text).Says(strings.ReplaceAll(name, "-", " "), "rewrite"), in: in, claim: topped,
			plant: func(p *planting) {
				q := s
				if q.member == "list" {
					q.member = p.settings.List()
				}
				p.reply.slips = append(p.reply.slips, q)
			},
		}
	}
	fine := always
	coerce := generators.Coerce
	status := func(name, json string, fine func(*draft) bool, code harness.Code) trait {
		return of(name, "an item has the status "+json, inJSON, slip{
			rank: rankStatus, member: "status", json: json,
			code: code, fine: fine,
		})
	}
	list := []trait{
		status("status-unknown", `"blocked"`, nil, harness.BadType),
		status("status-word", `"done"`, mended, harness.BadType),
		status("status-case", `"Completed"`, mended, harness.BadType),
		status("status-padded", `" pending"`, mended, harness.BadType),
		status("status-null", `null`, nil, harness.BadType),
		status("status-number", `2`, nil, harness.BadType),
		of("status-missing", "an item has no status", inJSON,
			slip{rank: rankStatus, member: "status", json: generators.None, code: harness.MissingField}),
		of("content-blank", "an item has a blank content", inJSON, slip{
			rank: rankContent, member: "content", json: `" \t"`,
			code: harness.EmptyID,
		}),
		of("content-null", "the content of an item is null", inJSON, slip{
			rank: rankContent, member: "content",
			json: `null`, code: harness.BadType,
		}),
		of("content-number", "the content of an item is a number", inJSON, slip{
			rank: rankContent, member: "content",
			json: `7`, code: harness.BadType,
		}),
		of("content-missing", "an item has no content", inJSON, slip{
			rank: rankContent, member: "content",
			json: generators.None, code: harness.MissingField,
		}),
		of("item-text", "an item is a string", inJSON, slip{rank: rankItem, json: `"write the tests"`,
			code: harness.BadType}),
		of("item-null", "an item is null", inJSON, slip{rank: rankItem, json: `null`, code: harness.BadType}),
		of("extra-member", "an item has an unknown member", inJSON, slip{
			rank: rankExtra, member: "createdAt",
			json: `1732233600`, code: harness.ExtraField, takes: coerce, fine: extra,
		}),
		of("id-in-plan", "an item has an id, but the format has no ids", steps,
			slip{rank: rankExtra, member: "id", json: `"1"`, code: harness.ExtraField, takes: coerce, fine: extra}),
		of("id-blank", "an item has a blank id", withIDs, slip{
			rank: rankID, member: "id", json: `" "`,
			code: harness.EmptyID,
		}),
		of("id-list", "the id of an item is a list", withIDs, slip{
			rank: rankID, member: "id", json: `["1"]`,
			code: harness.BadType,
		}),
		of("priority-number", "the priority of an item is a number", withIDs, slip{
			rank: rankPriority, member: "priority",
			json: `1`, code: harness.BadType,
		}),
		of("form-list", "the active form of an item is a list", withIDs, slip{
			rank: rankForm, member: "activeForm",
			json: `["doing"]`, code: harness.BadType,
		}),
		of("optional-null", "optional members are null", withIDs, slip{
			rank: rankPriority, member: "priority", json: `null`,
			fine: fine,
		}),
		of("priority-blank", "an item has a blank priority: it counts as absent", withIDs,
			slip{rank: rankPriority, member: "priority", json: `" "`, fine: fine}),
		top("extra-top", "the document has an unknown member", inJSON, slip{
			rank: rankExtra, member: "title", json: `"Plan"`,
			code: harness.ExtraField, takes: coerce, fine: extra,
		}),
		top("merge-in-todos", "the document has the member merge, but the format does not", todos,
			slip{rank: rankExtra, member: "merge", json: `true`, code: harness.ExtraField, takes: coerce, fine: extra}),
		top("list-null", "the list is null", inJSON, slip{
			rank: rankList, member: "list", json: `null`,
			code: harness.BadType,
		}),
		top("list-number", "the list is a number", inJSON, slip{
			rank: rankList, member: "list", json: `3`,
			code: harness.BadType,
		}),
		top("explanation", "the document has an explanation", steps, slip{
			rank: rankExplanation, member: "explanation",
			json: `"one step further"`, fine: fine,
		}),
		top("explanation-number", "the explanation is a number", steps, slip{
			rank: rankExplanation, member: "explanation",
			json: `4`, code: harness.BadType,
		}),
		top("merge-text", "merge is a string", merges, slip{
			rank: rankMerge, member: "merge", json: `"yes"`,
			code: harness.BadType,
		}),
		top("merge-null", "merge is null: it counts as false", merges,
			slip{rank: rankMerge, member: "merge", json: `null`, fine: fine}),
	}
	for i := range list {
		switch list[i].Name {
		case "list-null", "list-number":
			list[i].claim |= whole
			list[i].bars |= slotted
		case "merge-text", "merge-null":
			list[i].claim |= merging
		case "explanation", "explanation-number":
			list[i].claim |= reason
		}
	}
	return append(list,
		trait{Trait: family("members-given", "an item has a priority and an active form").Says("optional members",
			"rewrite"), slots: slotsOf(open), in: withIDs, plant: func(p *planting) {
			p.slots[0].entry.priority, p.slots[0].entry.form = "high", "doing that"
		}},
		trait{
			Trait: base(family("members-left-out",
				"the rewrite leaves out an item's priority and active form")).Says("optional members", "rewrite"),
			slots: slotsOf(open), plant: func(p *planting) {
				p.slots[0].priority, p.slots[0].form = "low", "doing it"
				p.slots[0].entry.status = done
			},
		},
		trait{
			Trait: family("form-by-other-name", "the active form is spelled active_form").Says("active form", "rewrite"),
			slots: slotsOf(open), in: withIDs, plant: func(p *planting) {
				e := p.slots[0].entry
				e.form = "doing this"
				e.slips = append(e.slips, slip{rank: rankForm, member: "activeForm", json: generators.None, fine: fine},
					slip{rank: rankForm, member: "active_form", json: `"doing this"`, fine: fine})
			},
		},
		trait{
			Trait: family("content-by-other-name", "the content is under another name").Says("content by another name",
				"rewrite"), slots: slotsOf(open), in: inJSON, bars: merging, rules: []string{"text_name=any"},
			plant: func(p *planting) {
				e := p.slots[0].entry
				e.slips = append(e.slips, slip{rank: rankContent, member: p.settings.Text(), json: generators.None, fine: fine},
					slip{rank: rankContent, member: "title", json: generators.Quoted(e.words), fine: fine})
			},
		},
		trait{Trait: family("form-by-both-names", "an item has its active form under both names").Says("active form",
			"rewrite"), slots: slotsOf(open), in: withIDs, plant: func(p *planting) {
			e := p.slots[0].entry
			e.form = "doing this"
			e.slips = append(e.slips, slip{rank: rankForm, member: "active_form", json: `"doing that"`, fine: fine})
		}},
	)
}

// always is the fine of a slip that is no fault.
func always(*draft) bool { return true }

func base(t generators.Trait) generators.Trait {
	t.Base = true
	return t
}
