// Package reply turns what a model wrote into a document: it extracts the JSON
// object in the text, repairs its syntax and coerces its shape as far as the
// profile allows, and says which tier that took.
//
// It knows no particular document. A dialect brings the declaration of its document,
// which recognises and coerces candidates, and a decoder. Time and memory are linear in the reply.
//
// # Candidates
//
// A candidate is an object outside of any other value. The specification leaves
// some choices open. This package decides:
//
//   - A brace that opens no object does not end the search: it continues at the
//     character that could not be read. Quotes in prose have no meaning.
//   - An object with none of the document's members counts only if it is the whole
//     reply, or all that a code fence contains. A fence is three back quotes or
//     tildes, at any place of a line and perhaps followed by a word, and ends with
//     the same or with the reply. If shapes are coerced, the coerced object must
//     have a member, so a wrapper (such as <tool_call>) may also be in prose.
//   - If shapes are coerced, a list of one object counts wherever an object does,
//     and a JSON string counts if it is the whole reply, in double quotes. An array
//     that may be the bare list of a document counts only as the whole reply, or as
//     all that a fence contains.
//   - An object that nests too deep ends the reading in the tier that meets it,
//     even if a later tier could read the reply. Lists around an object do not
//     count.
//   - Two candidates are equal if they decode to the same ids and texts, as these
//     would be stored.
//
// # Repairs
//
// A string in other quotes is closed by any closing quote of their kind. A fence
// between two tokens closes what is open, as the end of the reply does. A number
// at the very end counts as unfinished, a complete literal does not. Comments after
// an object that is the whole reply are repaired; before the object they are prose.
//
// # Coercion
//
// All rules are applied to a candidate, even if fewer would be enough. In a
// wrapper, args, arguments and input come before the only member that is an
// object. A string in place of a list is decoded if it is a JSON list; any other string
// becomes the only item of a list. Duplicate names and lone surrogates are faults even
// in a removed or opened part. The place of an error around the document is its root.
//
// The repair records wrapped_list and stripped_member, and json_string for a list,
// have the name of the member as their id. The other records have none.
package reply

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
)

// Options are the limits and policies of reading.
type Options struct {
	MaxBytes      int // of the raw reply
	MaxDepth      int // of an object; {} is 1
	Reading       harness.Reading
	DuplicateKeys string // harness.Reject or harness.Last
}

// NewOptions returns the options of a case, or why its limits cannot be used:
// every limit is at least 1, whether or not the dialect has a use for it; those
// that count attempts may be 0.
func NewOptions(l harness.Limits, p harness.Profile) (Options, *harness.Refusal) {
	opt := Options{
		MaxBytes: harness.DefaultMaxReplyBytes, MaxDepth: harness.DefaultMaxDepth,
		Reading: p.Reading, DuplicateKeys: p.DuplicateKeys,
	}
	for i, limit := range l.All() {
		least := 1
		if v := limit.Value; v == &l.MaxReplans || v == &l.PlanningRetries {
			least = 0
		}
		if v := *limit.Value; v != nil && *v < least {
			return opt, tooSmall(l, i, least)
		}
	}
	if l.MaxReplyBytes != nil {
		opt.MaxBytes = *l.MaxReplyBytes
	}
	if l.MaxDepth != nil {
		opt.MaxDepth = *l.MaxDepth
	}
	return opt, nil
}

// tooSmall refuses the i-th limit.
func tooSmall(l harness.Limits, i, least int) *harness.Refusal {
	limit := l.All()[i]
	return harness.Refuse(harness.BadLimit, "%s is %d, and must be at least %d", limit.Name, **limit.Value, least)
}

// chosen is the one of the choice that an object has first; "" if none.
func chosen(d *document.Value, v *strictjson.Value) string {
	for _, name := range d.Choice {
		if v.Get(name) != nil {
			return name
		}
	}
	return ""
}

// claims reports whether the object has a member by which it may be the
// wanted document, or another one that must be refused by name.
func claims(d *document.Value, v *strictjson.Value) bool {
	return slices.ContainsFunc(v.Members, func(m strictjson.Member) bool { return knows(d, m.Name, "") })
}

// knows reports whether the name is one of a declared member or a marker, and of a choice the chosen one.
func knows(d *document.Value, name, chosen string) bool {
	if slices.Contains(d.Choice, name) {
		return name == chosen
	}
	return d.Member(name) != nil || slices.Contains(d.Markers, name)
}

// Decoder decodes a candidate. It returns the warnings of decoding, or why the
// candidate is not the wanted document.
type Decoder[T any] func(root *strictjson.Value) (T, []harness.Warning, *harness.Refusal)

// Reading is what came of a reply.
type Reading[T any] struct {
	Doc      T
	Tier     harness.Tier // none if nothing decoded
	Repairs  []harness.Repair
	Warnings []harness.Warning
	Refusal  *harness.Refusal // nil if Doc holds a document
	// Objects are the roots of the refused candidates. They show which other document the
	// reply may be.
	Objects []*strictjson.Value

	source *candidate
}

// Where names line and column of a place in the document that was read, as in
// "line 3, column 14", or "" where the reply has no such place.
func (r *Reading[T]) Where(pointer *string) string {
	if pointer == nil || r.source == nil {
		return ""
	}
	return r.source.where(*pointer)
}

// candidate is an object that may be the wanted document.
type candidate struct {
	doc     *strictjson.Document
	root    *strictjson.Value
	prefix  string // pointer of root in doc, where a wrapper was opened
	within  string // pointer in root of what is there in doc, where a list was put in root
	whole   bool   // it is the whole trimmed reply, or the whole content of a fence
	repairs []harness.Repair
	reply   string
	start   int                  // the offset of the value in the reply
	end     int                  // and where it ends
	origin  func(offset int) int // from offsets in doc to the reply; may be nil
}

func (c *candidate) where(pointer string) string {
	v := c.root.At(pointer)
	if v == nil || c.origin == nil {
		return ""
	}
	at := c.origin(v.Start)
	line, column := strictjson.Position(c.reply, at)
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Text is a reply in which several documents may be looked for, one after the other.
type Text struct {
	raw     harness.Reply
	refusal *harness.Refusal // it must not be looked into
	extractor
}

// texts holds texts for the memory that they have.
var texts = sync.Pool{New: func() any { return &Text{} }}

// NewText prepares a reply for [ReadText] and [Text.Objects]. The caller releases it.
func NewText(raw harness.Reply, opt Options) *Text {
	t := texts.Get().(*Text)
	if *t = (Text{raw: raw, refusal: precheck(raw, opt)}); t.refusal == nil {
		t.extractor = newExtractor(string(raw), opt, nil, strictjson.Borrow)
	}
	return t
}

// Release gives back the memory of the text: nothing that was read in it may be used
// any more, but its strings.
func (t *Text) Release() {
	if t != nil && t.parser != nil {
		t.parser.Release()
		*t = Text{}
		texts.Put(t)
	}
}

// Of reports whether it is the text of that reply; there may be no text.
func (t *Text) Of(raw harness.Reply) bool { return t != nil && t.raw == raw }

// ReadText reads one reply. same reports whether two documents are equal; a later
// candidate that says something else makes the reply ambiguous.
func ReadText[T any](t *Text, shape *document.Value, decode Decoder[T], same func(a, b T) bool) Reading[T] {
	r := Reading[T]{Tier: harness.TierNone}
	if r.Refusal = t.refusal; r.Refusal != nil {
		return r
	}
	f, opt := &t.extractor, t.opt
	f.shape = shape
	var first *harness.Refusal
	var firstSource *candidate
	for _, tier := range tiers {
		if !f.tries(tier) {
			continue
		}
		candidates, tooDeep := f.extract(tier)
		for i := range candidates {
			c := &candidates[i]
			doc, warnings, refusal := decodeCandidate(c, opt, decode)
			if refusal != nil {
				r.Objects = append(r.Objects, c.root)
				if first == nil {
					first, firstSource = refusal, c
				}
				continue
			}
			r.Doc, r.Tier, r.Repairs, r.Warnings, r.source = doc, tier, c.repairs, warnings, c
			if ambiguous(candidates[i+1:], doc, opt, decode, same) {
				r.Warnings = append(r.Warnings, harness.Warning{Code: harness.WarnAmbiguousReply})
			}
			return r
		}
		if tooDeep != nil {
			r.Refusal = f.refuseDepth(tooDeep)
			return r
		}
	}
	r.Refusal, r.source = first, firstSource
	if first == nil {
		r.Refusal = harness.Refuse(harness.NoDocument, "%s", f.nothing())
	}
	return r
}

// Objects lists the roots of all candidates in a reply, in every tier that the options allow and
// that may find others: whatever may be meant as the document, decoded or not.
func (t *Text) Objects(shape *document.Value) (list []*strictjson.Value) {
	if t.refusal != nil {
		return nil
	}
	f := &t.extractor
	f.shape = shape
	for _, tier := range tiers {
		if !f.tries(tier) {
			continue
		}
		candidates, tooDeep := f.extract(tier)
		for i := range candidates {
			list = append(list, candidates[i].root)
		}
		if tooDeep != nil {
			break
		}
	}
	return list
}

// precheck refuses what must not be looked into.
func precheck(raw harness.Reply, opt Options) *harness.Refusal {
	if len(raw) > opt.MaxBytes {
		return harness.Refuse(harness.ReplyTooLarge, "the reply has %d bytes; max_reply_bytes is %d", len(raw), opt.MaxBytes)
	}
	if utf8.ValidString(string(raw)) {
		return nil
	}
	at := strictjson.InvalidUTF8([]byte(raw))
	line, column := strictjson.Position(string(raw), at)
	return harness.Refuse(harness.InvalidUTF8, "line %d, column %d: the byte 0x%02x is not UTF-8", line, column, raw[at])
}

func decodeCandidate[T any](c *candidate, opt Options, decode Decoder[T]) (doc T, warnings []harness.Warning,
	refusal *harness.Refusal,
) {
	if refusal = c.check(opt); refusal == nil {
		doc, warnings, refusal = decode(c.root)
	}
	if refusal != nil {
		return doc, nil, refusal
	}
	if names := c.duplicateNames(); names != nil {
		warnings = append([]harness.Warning{{Code: harness.WarnDuplicateKey, IDs: names}}, warnings...)
	}
	return doc, warnings, nil
}

// check refuses lone surrogates and, by policy, duplicate names.
func (c *candidate) check(opt Options) *harness.Refusal {
	if s := c.doc.Surrogates; len(s) > 0 {
		return harness.RefuseAt(harness.InvalidUTF8, c.pointer(s[0]),
			"a \\u escape is half a character (a lone surrogate)")
	}
	if d := c.doc.Duplicates; len(d) > 0 && opt.DuplicateKeys != harness.Last {
		return harness.RefuseAt(harness.DuplicateKey, c.pointer(d[0]), "duplicate member %q", d[0].Name)
	}
	return nil
}

// pointer turns a place of the parsed text into one of the document: the
// document as a whole for errors in the wrapper around it.
func (c *candidate) pointer(p strictjson.Place) string {
	at, inside := strings.CutPrefix(p.Pointer, c.prefix)
	if !inside || at != "" && at[0] != '/' {
		return ""
	}
	return c.within + at
}

func (c *candidate) duplicateNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, d := range c.doc.Duplicates {
		if !seen[d.Name] {
			seen[d.Name] = true
			names = append(names, d.Name)
		}
	}
	return names
}

func ambiguous[T any](later []candidate, doc T, opt Options, decode Decoder[T], same func(a, b T) bool) bool {
	for i := range later {
		other, _, refusal := decodeCandidate(&later[i], opt, decode)
		if refusal == nil && !same(doc, other) {
			return true
		}
	}
	return false
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// trimmed returns the bounds of the text without surrounding white space.
func trimmed(text string) (start, end int) {
	left := strings.TrimLeftFunc(text, unicode.IsSpace)
	start = len(text) - len(left)
	return start, start + len(strings.TrimRightFunc(left, unicode.IsSpace))
}
