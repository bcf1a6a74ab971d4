package scenarios

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	width    = 140 // characters that a line may have before it is broken up
	deepest  = 8   // levels that are broken up
	oneLevel = "  "
)

// Layout writes JSON for people: a value takes one line if that line is
// short, else each member or item takes one. It ends in a
// newline. Malformed text stays as it is.
func Layout(raw []byte) []byte {
	var b bytes.Buffer
	if !breakUp(&b, raw, 0) {
		b.Reset()
		b.Write(raw)
	}
	if b.Len() == 0 || b.Bytes()[b.Len()-1] != '\n' {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// breakUp writes a value at a level of indentation; false if it is not
// well-formed.
func breakUp(b *bytes.Buffer, raw jsontext.Value, level int) bool {
	line := spaced(raw)
	if line == nil {
		return false
	}
	kind := line.Kind()
	if len(line) <= width-2*level || level == deepest || kind != '{' && kind != '[' {
		b.Write(line)
		return true
	}
	dec := jsontext.NewDecoder(bytes.NewReader(line), lenient()...)
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	b.WriteByte(byte(kind))
	for first := true; dec.PeekKind() != '}' && dec.PeekKind() != ']'; first = false {
		if !first {
			b.WriteByte(',')
		}
		newline(b, level+1)
		if !breakUpItem(b, dec, kind == '{', level+1) {
			return false
		}
	}
	newline(b, level)
	b.WriteByte(byte(kind) + 2) // the closing bracket of either kind
	return true
}

// breakUpItem writes an item, or a member with its name.
func breakUpItem(b *bytes.Buffer, dec *jsontext.Decoder, named bool, level int) bool {
	if named {
		name, err := dec.ReadValue()
		if err != nil {
			return false
		}
		b.Write(name)
		b.WriteString(": ")
	}
	item, err := dec.ReadValue()
	return err == nil && breakUp(b, item.Clone(), level)
}

func newline(b *bytes.Buffer, level int) {
	b.WriteByte('\n')
	for range level {
		b.WriteString(oneLevel)
	}
}

// spaced puts a value on one line, with spaces behind commas and colons; nil
// if it is not well-formed.
func spaced(raw []byte) jsontext.Value {
	opts := append(lenient(), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true),
		jsontext.PreserveRawStrings(true))
	line, err := jsontext.AppendFormat(nil, raw, opts...)
	if err != nil {
		return nil
	}
	return line
}

// lenient lets pass whatever is well-formed.
func lenient() []jsontext.Options {
	return []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
}
