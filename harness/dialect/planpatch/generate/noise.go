package generate

import (
	"unicode/utf8"

	"replanbench/generators"
	"replanbench/harness"
)

// noise is what stands between a document and a reply: the text round it, and
// what the text does to it.
type noise struct {
	style                          generators.Style
	before, fence, fenceEnd, after string // text round the document
	wrap                           generators.Wrap
	mend                           bool // the syntax takes mending
	broken                         bool // the syntax is beyond mending
	badUTF8                        bool
	tooLarge                       bool
	padding                        string // repeated behind everything, up to the default limit of bytes
	size                           size
	instead                        *string // in place of everything
	cut                            cut
	cutItem                        int // the added step behind which the text ends
	edits                          func(d *draft, doc []byte) []byte
}

// cut is where a reply ends too early.
type cut int

const (
	cutNone cut = iota
	cutAnywhere
	cutItems // between two added steps
)

// outside reports whether text stands round the document.
func (n *noise) outside() bool {
	return n.before != "" || n.fence != "" || n.fenceEnd != "" || n.after != "" || n.wrap == generators.WrapTagged
}

// text writes the reply down.
func (d *draft) text() string {
	if d.noise.instead != nil {
		return *d.noise.instead
	}
	w := generators.Writer{Style: d.noise.style, B: append(d.buf[:0], d.noise.before...)}
	w.B = append(w.B, d.noise.fence...)
	start := len(w.B)
	d.write(&w)
	if d.noise.edits != nil {
		w.B = append(w.B[:start], d.noise.edits(d, w.B[start:])...)
	}
	d.measureDepth(w.B[start:])
	w.B = generators.Wrapped(w.B, start, d.noise.wrap)
	d.buf = w.B
	switch d.noise.cut {
	case cutAnywhere:
		w.B = w.B[:start+d.Below(len(w.B)-start)]
		d.noise.badUTF8 = !utf8.Valid(w.B)
		return string(w.B)
	case cutItems:
		return string(w.B[:d.cutAt])
	}
	w.B = append(w.B, d.noise.fenceEnd...)
	w.B = append(w.B, d.noise.after...)
	for d.noise.padding != "" && len(w.B) <= harness.DefaultMaxReplyBytes {
		w.B = append(w.B, d.noise.padding...)
	}
	d.buf = w.B
	return string(w.B)
}

// unreadable returns the code of a reply in which no candidate stands, whatever
// the document says; "" if there is one.
func (d *draft) unreadable() harness.Code {
	n, r := &d.noise, &d.profile.Reading
	switch {
	case n.tooLarge:
		return harness.ReplyTooLarge
	case n.badUTF8:
		return harness.InvalidUTF8
	case n.broken, n.wrap == generators.WrapTagged && !(r.Extract && r.Coerce),
		n.outside() && !r.Extract,
		(n.mend || n.cut != cutNone) && !r.Repair,
		(n.wrap == generators.WrapArray || n.wrap == generators.WrapString) && !r.Coerce:
		return harness.NoDocument
	}
	return ""
}

// unsure reports whether the rules do not say what reading a text that can be
// read comes to: what mending makes of one that was cut off anywhere, and
// whether bending opens a wrapper that stands in prose, where it is no
// candidate by itself.
func (d *draft) unsure() bool {
	return d.noise.cut == cutAnywhere || d.noise.wrap == generators.WrapTagged
}

// wrapper reports whether the document is a member of another object.
func (d *draft) wrapper() bool {
	w := d.noise.wrap
	return w == generators.WrapObject || w == generators.WrapCall || w == generators.WrapCallText
}

// tier returns how far reading has to go for a document that decodes.
func (d *draft) tier(bent bool) harness.Tier {
	switch {
	case bent || d.noise.wrap != generators.WrapNone:
		return harness.TierCoerced
	case d.noise.mend || d.noise.cut != cutNone:
		return harness.TierRepaired
	case d.noise.outside():
		return harness.TierExtracted
	}
	return harness.TierStrict
}

// misread returns the code that reading the candidate ends in, or "", and
// whether it had to be bent. Where bending mends one fault and not another,
// nothing decodes, and the code is that of the document as it stands.
func (d *draft) misread() (code harness.Code, bent bool) {
	doc := &d.doc
	outer := harness.ExtraField // of a wrapper, read as the document
	if d.full {
		outer = harness.MissingField
	}
	var f faultsRead
	f.see(d.noise.wrap == generators.WrapCallText, outer, true) // what stands in the string is not seen
	f.see(doc.surrogate, harness.InvalidUTF8, false)
	f.see(doc.deep, harness.TooDeep, false)
	f.see(doc.dupKey && d.profile.DuplicateKeys == harness.Reject, harness.DuplicateKey, false)
	f.see(d.wrapper(), outer, true)
	f.see(doc.wrong, harness.WrongDocument, false)
	f.see(doc.extraField, harness.ExtraField, true)
	f.see(doc.titleRead != "", doc.titleRead, false)
	f.list(doc.removes, &doc.removeList)
	f.list(doc.updates, &doc.updateList)
	f.list(doc.adds, &doc.addList)
	f.see(doc.reasonRead != "", doc.reasonRead, false)
	switch {
	case f.code == "" || f.firm == "" && d.profile.Reading.Coerce:
		return "", f.code != ""
	case d.noise.wrap == generators.WrapArray || d.noise.wrap == generators.WrapString:
		return f.firm, false // there was no candidate before it was bent
	}
	return f.code, false
}

// faultsRead gathers what is wrong with a document in the order of reading.
type faultsRead struct {
	code harness.Code // of the first
	firm harness.Code // of the first that cannot be bent away
}

func (f *faultsRead) see(is bool, code harness.Code, bends bool) {
	if !is {
		return
	}
	if f.code == "" {
		f.code = code
	}
	if f.firm == "" && !bends {
		f.firm = code
	}
}

func (f *faultsRead) list(items []item, l *listTwist) {
	f.see(l.read != "", l.read, l.bends)
	for i := range items {
		f.see(items[i].read != "", items[i].read, items[i].bends)
	}
}
