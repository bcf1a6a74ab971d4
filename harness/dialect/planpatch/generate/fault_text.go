package generate

import (
	"bytes"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// textFaults are in the text of a reply and not in the document.
func textFaults() []patchTrait {
	return slices.Concat(surroundFaults(), draftFaults(), syntaxFaults(), byteFaults())
}

// around plants text round the document.
func around(before, after []string) func(*draft) effect {
	return func(d *draft) effect {
		if len(before) > 0 {
			d.noise.before = generators.Pick(&d.Choices, before)
		}
		if len(after) > 0 {
			d.noise.after = generators.Pick(&d.Choices, after)
		}
		return surrounded
	}
}

func fenced(fence, end string) func(*draft) effect {
	return func(d *draft) effect {
		d.noise.fence, d.noise.fenceEnd = fence, end
		return surrounded
	}
}

var thoughts = []string{
	"The user wants less.", "Hmm, step 2 is done, so I can't touch it.\nI'll add one.",
	"plan {a: 1} or [b]?",
}

func surroundFaults() []patchTrait {
	fault := generators.Family("text")
	fence := func(name, text, open, end string) patchTrait {
		return patchTrait{
			Trait: fault(name, text+": extracted").Says("fence", "text"), claims: aFence,
			plant: fenced(open, end),
		}
	}
	return []patchTrait{
		fence("fence-json", "the document is in a code fence marked json", "```json\n", "\n```"),
		fence("fence-plain", "the document is in a code fence without a language", "```\n", "\n```\n"),
		fence("fence-tilde", "the document is in a code fence of tildes", "~~~json\n", "\n~~~"),
		fence("fence-long", "the document is in a code fence of four backticks marked JSONC", "````JSONC\r\n", "\r\n````"),
		fence("fence-unclosed", "the code fence around the document is not closed", "```json\n", ""),
		fence("fence-inline", "the document is in backticks on one line", "`", "`"),
		{
			Trait: fault("prose-before", "prose precedes the document: extracted").Says("prose", "text"), claims: aPrefix,
			plant: around(generators.Openings, nil),
		},
		{
			Trait: fault("prose-after", "prose follows the document: extracted").Says("prose", "text"), claims: aSuffix,
			plant: around(nil, generators.Closings),
		},
		{
			Trait:  fault("prose-both", "prose precedes and follows the document: extracted").Says("prose", "text"),
			claims: aPrefix | aSuffix, plant: around(generators.Openings, generators.Closings),
		},
		{Trait: fault("prose-braces", "prose with braces precedes the document: extracted").Says("prose with braces",
			"text"), claims: aPrefix, shares: aSyntax, plant: around([]string{
			"Use {braces} like {this} or {}.\n", "if (x) { y(); } // see [1]\n", "{{template}} and [links](x):\n", "a } b ] c\n",
		}, nil)},
		{
			Trait:  fault("think-block", "a <think> block precedes the document: extracted").Says("think block", "text"),
			claims: aPrefix, shares: aSyntax, plant: thinkBlock,
		},
		{
			Trait:  fault("bom", "a byte order mark precedes the document: extracted").Says("byte order mark", "text"),
			claims: aPrefix, plant: around([]string{"\ufeff"}, nil),
		},
		{
			Trait: fault("repeated-characters",
				"hundreds of repeated characters precede the document: extracted").Says("a run of one character",
				"text").Needing("max_depth"),
			claims: aPrefix, shares: aSyntax, plant: repeatedCharacters,
		},
		{
			Trait:  fault("refusal", "the reply is only prose: no_document").Says("no document", "text"),
			claims: aSyntax | aWrap, plant: instead(
				"I am sorry, but I cannot change this plan.", "No changes are needed.", "Which step do you mean?"),
		},
		{
			Trait:  fault("empty-reply", "the reply is empty: no_document").Says("empty reply", "text"),
			claims: aSyntax | aWrap | aSize, plant: instead(""),
		},
		{
			Trait:  fault("blank-reply", "the reply is only white space: no_document").Says("blank reply", "text"),
			claims: aSyntax | aWrap | aSize, plant: instead("\n", " \t ", "\u3000", "\r\n\r\n"),
		},
	}
}

func instead(texts ...string) func(*draft) effect {
	return func(d *draft) effect {
		d.noise.instead = new(generators.Pick(&d.Choices, texts))
		return broken
	}
}

func thinkBlock(d *draft) effect {
	d.noise.before = "<think>\n" + generators.Pick(&d.Choices, thoughts) + "\n</think>\n" + d.noise.before
	return surrounded
}

func repeatedCharacters(d *draft) effect {
	d.noise.before = strings.Repeat(generators.Pick(&d.Choices, []string{"{", "a", "=", "}", "`", "🙂", ":"}),
		50+d.Below(400)) + "\n"
	return surrounded
}

// draftFaults put more than one document into a reply.
func draftFaults() []patchTrait {
	fault := generators.Family("text")
	const alone = aOthers | aReading | aSyntax | aWrap | aType
	return []patchTrait{
		{
			Trait: fault("example-first",
				"an example that is not a patch precedes the document: skipped").Says("another object first", "text"),
			claims: alone | aPrefix, plant: around([]string{
				`A step looks like {"id": "step_9", "description": "…"}.` + "\n", "> {\"id\": \"x\", \"note\": {\"a\": [1]}}\n\n",
				"Format: `{\"op\": \"add\", \"path\": \"/steps/0\"}`\n",
			}, nil),
		},
		{
			Trait: fault("draft-then-final",
				"a draft patch precedes the final patch: the draft counts because it is the first").Says(
				"a draft and a final patch", "text").Needing("title"),
			kind: inPatch, claims: alone | aSuffix, plant: around(nil, []string{
				"\n\nOn reflection, the final version:\n" + `{"type":"PlanPatch","title":"the final version"}`,
				"\n```\nFinal:\n```json\n" + `{"title":"the final version"}` + "\n```",
			}),
		},
		{
			Trait: fault("broken-draft-first",
				"an invalid patch precedes a valid one: the second counts").Says("a broken draft first", "text").Needing("title",
				"add"),
			kind: inPatch, claims: alone | aPrefix, plant: around([]string{
				`{"type":"PlanPatch","goal":"a draft"}` + "\nNo, rather:\n", `{"title":7}` + "\nI mean:\n",
				`{"type":"Plan","title":"x"}` + "\n", `{"add_steps":[{"id":"x"}]}` + "\n",
			}, nil),
		},
		{
			Trait: fault("think-draft",
				"a <think> block contains a draft patch: only the patch after it counts").Says("draft in a think block",
				"text").Needing("title", "remove"),
			kind: inPatch, claims: alone | aPrefix, plant: around([]string{
				"<think>Perhaps {\"title\":\"a thought\"}?</think>\n",
				"<think>{\"type\":\"PlanPatch\",\"remove_steps\":[\"x\"]}</think>",
			}, nil),
		},
		{
			Trait: fault("think-draft-fenced", "a <think> block contains a draft patch in a code fence: only the patch after "+
				"it counts").Says("fenced draft in a think block", "text").Needing("title", "remove"), kind: inPatch,
			claims: alone | aPrefix, plant: around([]string{
				"<think>\n```json\n{\"remove_steps\":[\"x\"]}\n```\n</think>\n",
				"<think>\nFirst:\n```\n{\"title\":\"a thought\"}\n```\n</think>\n",
			}, nil),
		},
	}
}

// syntaxFaults are texts that are nearly JSON.
func syntaxFaults() []patchTrait {
	fault := generators.Family("text")
	repaired := func(name, text string, change func(s *generators.Style)) patchTrait {
		return patchTrait{
			Trait: fault(name, text+": no_document, or repaired").Says("broken JSON", "text"), claims: aSyntax,
			plant: func(d *draft) effect {
				change(&d.noise.style)
				return misspelled
			},
		}
	}
	comment := func(name, text, c string) patchTrait {
		return repaired(name, text, func(s *generators.Style) { s.Comment = c })
	}
	return []patchTrait{
		repaired("trailing-comma", "lists and objects end with a trailing comma",
			func(s *generators.Style) { s.Trailing = true }),
		comment("comment-line", "the document contains a // comment", " // the \"patch\"\n"),
		comment("comment-block", "the document contains a /* */ comment", "/* {\"a\": 1} */"),
		comment("comment-hash", "the document contains a # comment", " # it's a patch\n"),
		repaired("single-quotes", "names and strings are in single quotes",
			func(s *generators.Style) { s.Quote = [2]string{"'", "'"} }),
		repaired("smart-quotes", "names and strings are in typographic quotes",
			func(s *generators.Style) { s.Quote = [2]string{"“", "”"} }),
		repaired("unquoted-names", "member names are not quoted", func(s *generators.Style) { s.Bare = true }),
		{
			Trait: fault("python-literals",
				"the document contains None for null: no_document, or repaired").Says("Python literals", "text"),
			kind: inPatch, claims: aSyntax | aReason, plant: pythonNone,
		},
		{
			Trait: fault("python-literals-add",
				"an added step contains True and False: no_document, or repaired").Says("Python literals", "add"),
			claims: aSyntax, shares: aReading, puts: adds, plant: pythonLiterals,
		},
		{
			Trait:  fault("cut-off", "the document is cut off: no_document, perhaps repaired").Says("cut-off reply", "text"),
			claims: aSyntax | aWrap | aSuffix | aNames | aOthers, shares: aDepth, plant: cutOff,
		},
		{
			Trait: fault("cut-between-steps", "the document is cut off between two added steps: no_document, or repair keeps "+
				"the complete ones").Says("cut-off reply", "text"), kind: inPatch,
			claims: aSyntax | aWrap | aSuffix | aTail | aNames | aOthers | aReason, shares: aDepth, puts: adds,
			plant: cutBetween,
		},
		{
			Trait: fault("crlf", "lines end with CR LF: valid JSON").Says("line breaks", "layout"), claims: aLayout,
			plant: crlf,
		},
		{
			Trait: fault("indented", "the document is indented: valid JSON").Says("line breaks", "layout"), claims: aLayout,
			plant: indented,
		},
		{Trait: fault("members-rotated", "the members of the document are in another order").Says("order of members",
			"layout"), shares: aTail, plant: func(d *draft) effect { d.doc.rotate = 1 + d.Below(6); return planted }},
		{
			Trait: fault("unicode-escapes", "an added step contains \\u escapes: decoded").Says("escapes in a text", "add"),
			kind:  inPatch, puts: adds, plant: unicodeEscapes,
		},
		{
			Trait:  fault("html-entities", "the quotes are HTML entities: no_document").Says("HTML entities", "text"),
			claims: aSyntax | aWrap, plant: htmlEntities,
		},
		{
			Trait: fault("html-entities-in-text",
				"a description contains HTML entities: it stays unchanged").Says("HTML entities in a text", "add"),
			kind: inPatch, puts: adds, plant: htmlInText,
		},
		{
			Trait: fault("duplicate-keys",
				"the patch has a duplicate member: duplicate_key, or the last counts").Says("duplicate member",
				"patch").Needing("title"),
			kind: inPatch, claims: aNames | aTitle, shares: aReading, stage: onShape, plant: duplicateKeys,
		},
		{
			Trait: fault("duplicate-keys-in-step",
				"an added step has a duplicate member: duplicate_key, or the last counts").Says("duplicate member", "add"),
			kind: inPatch, puts: adds, claims: aNames, shares: aReading, plant: duplicateKeysInStep,
		},
	}
}

func pythonNone(d *draft) effect {
	d.doc.reason = "None"
	return misspelled
}

func pythonLiterals(d *draft) effect {
	t := twist{extra: []byte(`{"optional":True,"reviewed":False}`)}
	if d.profile.ExtraFields == harness.Drop {
		d.misreadAdd(t, "", false)
	} else {
		d.misreadAdd(t, harness.ExtraField, true)
	}
	return misspelled
}

// cutOff lets the text end anywhere; what repair makes of it is left open.
func cutOff(d *draft) effect {
	d.noise.cut, d.noise.cutPart = cutAnywhere, d.Below(1<<20)
	return effect{at: replyShape, code: harness.NoDocument, takes: generators.Repair, open: true}
}

// cutBetween lets the text end behind an added step; those that follow it,
// which it adds itself, are lost.
func cutBetween(d *draft) effect {
	last := d.newItem()
	last.ends = true
	end(&d.doc.adds, last)
	d.noise.cut, d.doc.reason, d.doc.rotate = cutItems, generators.None, 6 // nothing follows the list
	for range 1 + d.Below(2) {
		lost := d.newItem()
		lost.ghost = true
		end(&d.doc.adds, lost)
	}
	return effect{at: replyShape, code: harness.NoDocument, takes: generators.Repair}
}

func indented(d *draft) effect {
	d.noise.style.Indent, d.noise.style.Newline = 2+2*d.Below(2), "\n"
	return planted
}

func crlf(d *draft) effect {
	d.noise.style.Indent, d.noise.style.Newline = 2, "\r\n"
	return planted
}

// addDescribed plants an added step whose description is written in its way.
func (d *draft) addDescribed(text, json string) effect {
	a := d.newItem()
	a.step.Description = text
	a.twist = &twist{description: json}
	return d.put(&d.doc.adds, a)
}

func unicodeEscapes(d *draft) effect {
	return d.addDescribed("é/😀\x00\t<", `"\u00e9\/\ud83d\ude00\u0000\t\u003c"`)
}

func htmlEntities(d *draft) effect {
	d.noise.edits = func(_ *draft, doc []byte) []byte {
		return bytes.ReplaceAll(doc, []byte(`"`), []byte("&quot;"))
	}
	return broken
}

func htmlInText(d *draft) effect {
	return d.addDescribed("a &lt;b&gt; &amp; &quot;c&quot;", `"a &lt;b&gt; &amp; &quot;c&quot;"`)
}

func duplicateKeys(d *draft) effect {
	d.doc.newTitle = d.phrase(d.P.Title)
	d.doc.first = []byte(`{"title":"an earlier title"}`)
	return d.duplicateMember()
}

// duplicateMember is the effect of a duplicate member.
func (d *draft) duplicateMember() effect {
	if d.profile.DuplicateKeys == harness.Reject {
		return effect{at: inNames, code: harness.DuplicateKey}
	}
	return planted
}

func duplicateKeysInStep(d *draft) effect {
	a := d.newItem()
	a.twist = &twist{
		description: `"first thoughts"`,
		extra:       []byte(`{"description":` + generators.Quoted(a.step.Description) + `}`),
	}
	d.put(&d.doc.adds, a)
	return d.duplicateMember()
}

// byteFaults are bytes that no JSON text has.
func byteFaults() []patchTrait {
	fault := generators.Family("text")
	return []patchTrait{
		{
			Trait: fault("nul-byte", "a string contains a NUL byte: no_document").Says("NUL byte", "text"), kind: inPatch,
			puts: adds, claims: aSyntax, plant: nulByte,
		},
		{
			Trait: fault("nul-behind", "a NUL byte follows the document: extracted").Says("NUL byte", "text"), claims: aSuffix,
			plant: around(nil, []string{"\x00", "\x00\x00\n"}),
		},
		{
			Trait: fault("invalid-utf8",
				"the reply contains bytes that are not UTF-8: invalid_utf8").Says("bytes that are not UTF-8", "text"),
			claims: aSyntax | aWrap, puts: adds, plant: invalidUTF8,
		},
		{
			Trait: fault("lone-surrogate", "a string contains a lone surrogate: invalid_utf8").Says("lone surrogate", "text"),
			kind:  inPatch, puts: adds, claims: aSyntax, shares: aReading, plant: loneSurrogate,
		},
	}
}

func nulByte(d *draft) effect {
	d.addDescribed("", "\"a\x00b\"")
	return broken
}

func invalidUTF8(d *draft) effect {
	bad := generators.Pick(&d.Choices, []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe6\xad", "\xf4\x90\x80\x80"})
	d.addDescribed("", `"a`+bad+`b"`)
	return effect{at: replyBytes, code: harness.InvalidUTF8}
}

func loneSurrogate(d *draft) effect {
	d.addDescribed("", generators.Pick(&d.Choices, []string{`"\ud800"`, `"x\udc00y"`, `"\ud83dx"`, `"\ude00\ud83d"`}))
	return effect{at: inEscapes, code: harness.InvalidUTF8}
}
