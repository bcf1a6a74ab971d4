package deform

import (
	"strings"
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document"
)

// textTrait changes the written document; code is the code of a reader without the abilities.
func textTrait(t generators.Trait, code harness.Code, takes generators.Ability,
	change func(r *reply, doc string) string,
) Trait {
	return Trait{t, func(r *reply) bool {
		r.doc = r.write()
		r.Code, r.Takes, r.Around = code, takes, true
		r.Text = change(r, r.doc)
		return true
	}}
}

var (
	text      = family("text")
	thoughts  = []string{"The user wants less.", "Hmm, one is done already.\nI'll add one.", "plan {a: 1} or [b]?"}
	bracedLot = []string{
		"Use {braces} like {this} or {}.\n", "if (x) { y(); } // see [1]\n", "{{template}} and [links](x):\n", "a } b ] c\n",
	}
	badBytes   = []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe6\xad", "\xf4\x90\x80\x80"}
	surrogates = []string{`\ud800`, `x\udc00y`, `\ud83dx`, `\ude00\ud83d`}
)

// textTraits are about the text around a document, and replies without one.
func textTraits() []Trait {
	extracted := func(name, clause string, before, after []string) Trait {
		return textTrait(text(name, clause+": extracted"), harness.NoDocument, generators.Extract,
			func(r *reply, doc string) string {
				if before != nil {
					doc = generators.Pick(r.Choices, before) + doc
				}
				if after != nil {
					doc += generators.Pick(r.Choices, after)
				}
				return doc
			})
	}
	fence := func(name, clause, open, end string) Trait {
		return extracted(name, "the document is in "+clause, []string{open}, []string{end})
	}
	instead := func(name, clause string, texts ...string) Trait {
		return textTrait(text(name, "the reply is "+clause+": no_document"), harness.NoDocument, 0,
			func(r *reply, _ string) string { return generators.Pick(r.Choices, texts) })
	}
	return []Trait{
		fence("fence-json", "a code fence marked json", "```json\n", "\n```"),
		fence("fence-plain", "a code fence without a language", "```\n", "\n```\n"),
		fence("fence-tilde", "a code fence of tildes", "~~~json\n", "\n~~~"),
		fence("fence-long", "a code fence of four backticks marked JSONC", "````JSONC\r\n", "\r\n````"),
		fence("fence-unclosed", "a code fence that is not closed", "```json\n", ""),
		fence("fence-inline", "backticks on one line", "`", "`"),
		extracted("prose-before", "prose precedes the document", generators.Openings, nil),
		extracted("prose-after", "prose follows the document", nil, generators.Closings),
		extracted("prose-both", "prose precedes and follows the document", generators.Openings, generators.Closings),
		extracted("prose-braces", "prose with braces precedes the document", bracedLot, nil),
		extracted("bom", "a byte order mark precedes the document", []string{"\ufeff"}, nil),
		textTrait(text("think-block", "a <think> block precedes the document: extracted"), harness.NoDocument,
			generators.Extract, func(r *reply, doc string) string {
				return "<think>\n" + generators.Pick(r.Choices, thoughts) + "\n</think>\n" + doc
			}),
		textTrait(text("repeated-characters", "hundreds of repeated characters precede the document: extracted").
			Needing("max_depth"), harness.NoDocument, generators.Extract, func(r *reply, doc string) string {
			unit := generators.Pick(r.Choices, []string{"{", "a", "=", "}", "`", "🙂", ":"})
			return strings.Repeat(unit, 50+r.Below(400)) + "\n" + doc
		}),
		instead("refusal", "only prose", "I am sorry, but I cannot change this plan.", "No changes are needed.",
			"Which step do you mean?"),
		instead("empty-reply", "empty", ""),
		instead("blank-reply", "only white space", "\n", " \t ", "\u3000", "\r\n\r\n"),
		instead("other-json-value", "a JSON value but not an object", "null", "42", "true", `"a plan"`),
		textTrait(text("nul-behind", "a NUL byte follows the document: extracted"), harness.NoDocument, generators.Extract,
			func(_ *reply, doc string) string { return doc + "\x00\n" }),
		textTrait(text("not-utf8", "the reply contains bytes that are not UTF-8: invalid_utf8"), harness.InvalidUTF8, 0,
			func(r *reply, doc string) string { return doc + generators.Pick(r.Choices, badBytes) }),
		sized("too-large", "is larger than max_reply_bytes: reply_too_large", harness.ReplyTooLarge, 1),
		sized("reply-at-limit", "has exactly max_reply_bytes bytes: allowed", "", 0),
		nested("depth-over-limit", "nests one level deeper than max_depth: too_deep", harness.TooDeep, 1),
		nested("depth-at-limit", "nests exactly max_depth levels: allowed", "", 0),
	}
}

// sized is a trait of a reply that has some bytes more than allowed.
func sized(name, clause string, code harness.Code, more int) Trait {
	return limited(text(name, "the reply "+clause).Needing("max_reply_bytes"), code,
		func(r *reply) { r.MaxBytes = len(r.doc) - more })
}

// nested is a trait of a reply that nests some levels deeper than allowed.
func nested(name, clause string, code harness.Code, more int) Trait {
	return limited(text(name, "the reply "+clause).Needing("max_depth"), code,
		func(r *reply) { r.MaxDepth = depth(&r.root) - more })
}

// limited is a trait of a limit that is set by the written document.
func limited(t generators.Trait, code harness.Code, limit func(r *reply)) Trait {
	return Trait{t, func(r *reply) bool {
		r.doc = r.write()
		r.Text, r.Code = r.doc, code
		limit(r)
		return r.MaxBytes+r.MaxDepth > 0
	}}
}

// depth returns how deep a value nests; {} is 1.
func depth(v *generators.Value) (deepest int) {
	for i := range v.Items {
		deepest = max(deepest, depth(&v.Items[i]))
	}
	for i := range v.Fields {
		deepest = max(deepest, depth(&v.Fields[i].Value))
	}
	switch {
	case v.IsText:
		return 0
	case v.Json == "":
		return deepest + 1
	}
	level := 0
	for _, t := range v.Json { // raw values have no brackets in texts
		switch t {
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		}
	}
	return deepest
}

// syntaxTraits are about texts that are nearly JSON, and about layout.
func syntaxTraits() []Trait {
	styled := func(name, clause string, code harness.Code, change func(s *generators.Style)) Trait {
		return Trait{text(name, clause), func(r *reply) bool {
			change(&r.style)
			if code != "" {
				r.Code, r.Takes, r.Around = code, generators.Repair, true
			}
			return true
		}}
	}
	repaired := func(name, clause string, change func(s *generators.Style)) Trait {
		return styled(name, clause+": no_document, or repaired", harness.NoDocument, change)
	}
	comment := func(name, clause, comment string) Trait {
		return repaired(name, "the document contains "+clause, func(s *generators.Style) { s.Comment = comment })
	}
	hidden := func(name, clause string, takes generators.Ability, change func(r *reply, doc string) string) Trait {
		return textTrait(text(name, "the document is "+clause), harness.NoDocument, takes, change)
	}
	member := func(name, clause, first string, around func(doc string) string) Trait {
		return Trait{text(name, clause+": unwrapped by coercion"), func(r *reply) bool {
			r.doc = r.write()
			r.Text = around(r.doc)
			r.Effect.Root = generators.Object(generators.Field{Name: first})
			if r.Document.Drops {
				r.fault(harness.MissingField, "", generators.Coerce)
			} else {
				r.fault(harness.ExtraField, "/"+first, generators.Coerce)
			}
			return true
		}}
	}
	const call = `{"name": "update_plan", "arguments": `
	return []Trait{
		repaired("trailing-comma", "lists and objects end with a trailing comma",
			func(s *generators.Style) { s.Trailing = true }),
		comment("comment-line", "a // comment", " // the \"new\" one\n"),
		comment("comment-block", "a /* */ comment", "/* {\"a\": 1} */"),
		comment("comment-hash", "a # comment", " # it's a comment\n"),
		repaired("single-quotes", "names and strings are in single quotes",
			func(s *generators.Style) { s.Quote = [2]string{"'", "'"} }),
		repaired("smart-quotes", "names and strings are in typographic quotes",
			func(s *generators.Style) { s.Quote = [2]string{"“", "”"} }),
		repaired("unquoted-names", "member names are not quoted", func(s *generators.Style) { s.Bare = true }),
		styled("indented", "the document is indented: valid JSON", "",
			func(s *generators.Style) { s.Indent, s.Newline = 2, "\n" }),
		styled("crlf", "lines end with CR LF: valid JSON", "", func(s *generators.Style) { s.Indent, s.Newline = 2, "\r\n" }),
		textTrait(text("html-entities", "the quotes are HTML entities: no_document"), harness.NoDocument, 0,
			func(_ *reply, doc string) string { return strings.ReplaceAll(doc, `"`, "&quot;") }),
		spoiled("raw-newline", "a text contains a line break that is not escaped: no_document", 0, "\"", "\n\""),
		spoiled("missing-comma", "no comma is between two members or items: no_document", generators.Extract, ",", " "),
		{text("cut-off", "the document is cut off: no_document, perhaps repaired"), func(r *reply) bool {
			r.doc = r.write()
			n := 1 + r.Below(len(r.doc)-1)
			if i := strings.LastIndexAny(r.doc[:n], "]}"); r.OneIn(3) && i > 0 { // behind a list or an item
				n = i + 1
			}
			for !utf8.ValidString(r.doc[:n]) {
				n--
			}
			r.Code, r.Takes, r.Around, r.Open = harness.NoDocument, generators.Repair, true, true
			r.Text = r.doc[:n]
			return true
		}},
		hidden("array-wrapper", "inside a list: no_document, unwrapped by coercion", generators.Coerce,
			func(_ *reply, doc string) string { return "[" + doc + "]" }),
		hidden("json-in-string", "written as a JSON string: no_document, decoded by coercion", generators.Coerce,
			func(_ *reply, doc string) string { return generators.Quoted(doc) }),
		member("wrapper-object", "the document is inside an object", "patch",
			func(doc string) string { return `{"patch": ` + doc + "}" }),
		member("tool-call-wrapper", "the document is the arguments of a tool call", "name",
			func(doc string) string { return call + doc + "}" }),
		member("tool-call-string", "the document is a tool call's arguments as a JSON string", "name",
			func(doc string) string { return call + generators.Quoted(doc) + "}" }),
		hidden("tool-call-tags", "a tool call in tags: no_document", generators.Extract|generators.Coerce,
			func(r *reply, doc string) string {
				r.Open = true
				return "<tool_call>\n" + call + doc + "}\n</tool_call>"
			}),
	}
}

// spoiled is a trait of a document in which the last mark, a comma or the end of a text, is replaced. For a reader that
// takes something, such as an object behind it, the result is unknown.
func spoiled(name, clause string, takes generators.Ability, mark, by string) Trait {
	return Trait{text(name, clause), func(r *reply) bool {
		r.doc = r.write()
		at := lastMark(r.doc, mark)
		if at < 0 {
			return false
		}
		r.Code, r.Takes, r.Around, r.Open = harness.NoDocument, takes, true, takes != 0
		r.Text = r.doc[:at] + by + r.doc[at+1:]
		return true
	}}
}

// lastMark returns the place of the last comma outside of texts, or the last quotation mark that ends a value; -1 if
// there is none.
func lastMark(doc, mark string) int {
	last, inside := -1, false
	for i := 0; i < len(doc); i++ {
		ends := inside && doc[i] == '"' && !strings.HasPrefix(strings.TrimLeft(doc[i+1:], " \r\n"), ":")
		switch {
		case inside && doc[i] == '\\':
			i++
		case doc[i] == '"':
			if inside = !inside; ends && mark == `"` {
				last = i
			}
		case !inside && doc[i:i+1] == mark:
			last = i
		}
	}
	return last
}

// draftTraits put a second document into the reply; the declaration says what one looks like.
func draftTraits(v *document.Value) []Trait {
	extracted := func(name, clause string, change func(r *reply, doc string) string) Trait {
		return textTrait(text(name, clause), harness.NoDocument, generators.Extract, change)
	}
	other, invalid := drafts(v)
	list := []Trait{
		extracted("example-first", "an example that is no document precedes the document: skipped",
			func(_ *reply, doc string) string {
				return "An item looks like {\"ref\": \"x\", \"note\": {\"a\": [1]}}.\n\n" + doc
			}),
		extracted("document-twice", "the document is in the reply twice: the first counts",
			func(_ *reply, doc string) string { return doc + "\n\n" + doc }),
		extracted("draft-then-final", "a draft precedes another document: the draft counts because it is the first",
			func(_ *reply, doc string) string { return doc + "\n\nOn reflection, the final version:\n" + other }),
		extracted("broken-draft-first", "an invalid document precedes a valid one: the second counts",
			func(_ *reply, doc string) string { return invalid + "\nI mean:\n" + doc }),
		extracted("think-draft", "a <think> block contains a draft: only the document after it counts",
			func(_ *reply, doc string) string { return "<think>Perhaps " + other + "?</think>\n" + doc }),
		extracted("think-draft-fenced", "a <think> block contains a draft in a code fence: only the document after it counts",
			func(_ *reply, doc string) string {
				return "<think>\nFirst:\n```json\n" + other + "\n```\n</think>\n" + doc
			}),
	}
	if v.Bare == "" {
		return list
	}
	bare := func(name, clause, before, after string) Trait {
		return textTrait(text(name, clause+": no_document, or coerced"), harness.NoDocument, generators.Coerce,
			func(r *reply, _ string) string {
				return before + string(r.root.Get(r.Document.Bare).Encode(r.style)) + after
			})
	}
	return append(list, bare("bare-list", "the reply is the list without its document", "", ""),
		bare("bare-list-fenced", "the list without its document is in a code fence", "Sure:\n```json\n", "\n```"))
}

// drafts returns another valid document, and one that is invalid.
func drafts(v *document.Value) (valid, invalid string) {
	if v.Of != nil {
		v = &v.Of[0]
	}
	var list []generators.Field
	for i := range v.Members {
		m := &v.Members[i]
		plain := m.Kind == document.TextKind || m.Kind == document.ListKind || m.Kind == document.IDKind
		if invalid == "" && plain {
			invalid = `{"` + m.Name + `":7}`
		}
		if m.Required || len(list) == 0 && m.Kind == document.TextKind {
			list = append(list, generators.Field{Name: m.Name, Value: sample(&m.Value)})
		}
	}
	return generators.Object(list...).Text(generators.Style{}), invalid
}

// sample is a small value of the declaration.
func sample(v *document.Value) generators.Value {
	switch v.Kind {
	case document.ListKind:
		return generators.Value{IsList: true}
	case document.EnumKind:
		return generators.Text(v.Values[0])
	case document.TextKind, document.IDKind:
		return generators.Text("a thought")
	}
	return generators.Raw("{}")
}
