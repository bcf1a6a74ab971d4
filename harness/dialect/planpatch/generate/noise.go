package generate

import (
	"slices"
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
	padding                        string // repeated behind everything, up to the default limit of bytes
	size                           size
	instead                        *string // in place of everything
	cut                            cut
	cutPart                        int // how much of the text is left, of 1<<20
	edits                          func(d *draft, doc []byte) []byte
}

// cut is where a reply ends too early.
type cut int

const (
	cutNone cut = iota
	cutAnywhere
	cutItems // between two added steps
)

// outside reports whether there is text around the document.
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
		w.B = w.B[:start+d.noise.cutPart*(len(w.B)-start)>>20]
		if !utf8.Valid(w.B) {
			d.effects = append(d.effects, effect{at: replyBytes, code: harness.InvalidUTF8})
		}
		return string(w.B)
	case cutItems:
		return string(w.B[:d.cutAt])
	}
	w.B = append(w.B, d.noise.fenceEnd...)
	w.B = append(w.B, d.noise.after...)
	d.buf = w.B
	if room := harness.DefaultMaxReplyBytes - len(w.B); d.noise.padding != "" && room >= 0 {
		w.B = padded(w.B, d.noise.padding, room/len(d.noise.padding)+1)
		d.buf = w.B
	}
	return string(w.B)
}

// padded appends a text n times.
func padded(b []byte, text string, n int) []byte {
	b = slices.Grow(b, n*len(text))
	from := len(b)
	b = append(b, text...)
	for more := (n - 1) * len(text); more > 0; more = n*len(text) - (len(b) - from) {
		b = append(b, b[from:from+min(more, len(b)-from)]...)
	}
	return b
}

// wrapper reports whether the document is a member of another object.
func (d *draft) wrapper() bool {
	w := d.noise.wrap
	return w == generators.WrapObject || w == generators.WrapCall || w == generators.WrapCallText
}
