package generators

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Style says how a document is written.
type Style struct {
	Indent  int    // spaces per level; 0: one line
	Gap     string // after colons and, on one line, after commas
	Newline string // "\n" or "\r\n"

	// The following members give invalid JSON that needs repairs.
	Quote    [2]string // replaces " if the text allows it
	Bare     bool      // member names that are identifiers have no quotes
	Trailing bool      // a comma after the last element
	Comment  string    // after the first brace; includes a line break if it needs one
}

// Writer writes JSON, or malformed JSON, in a style.
type Writer struct {
	Style
	B     []byte
	level int
	first bool // the next element is the first of its object or list
}

// Open begins an object or a list with its bracket.
func (w *Writer) Open(bracket byte) {
	w.B = append(w.B, bracket)
	if w.level++; w.level == 1 && w.Comment != "" {
		w.B = append(w.B, w.Comment...)
	}
	w.first = true
}

// Close ends an object or a list with its bracket.
func (w *Writer) Close(bracket byte) {
	w.level--
	if !w.first {
		if w.Trailing {
			w.B = append(w.B, ',')
		}
		w.line()
	}
	w.B = append(w.B, bracket)
	w.first = false
}

// Item begins an element.
func (w *Writer) Item() {
	if !w.first {
		w.B = append(w.B, ',')
		if w.Indent == 0 {
			w.B = append(w.B, w.Gap...)
		}
	}
	w.first = false
	w.line()
}

func (w *Writer) line() {
	if w.Indent == 0 {
		return
	}
	w.B = append(w.B, w.Newline...)
	for range w.Indent * w.level {
		w.B = append(w.B, ' ')
	}
}

// Name begins a member.
func (w *Writer) Name(n string) {
	w.Item()
	switch {
	case w.Bare:
		w.B = append(w.B, n...)
	case w.Quote[0] != "":
		w.Text(n)
	default:
		w.B = append(w.B, '"')
		w.B = append(w.B, n...)
		w.B = append(w.B, '"')
	}
	w.B = append(w.B, ':')
	w.B = append(w.B, w.Gap...)
}

// Member writes a member that is a string.
func (w *Writer) Member(name, text string) {
	w.Name(name)
	w.Text(text)
}

// Raw writes a member with a JSON value; it writes nothing if the value is "".
func (w *Writer) Raw(name, value string) {
	if value != "" && value != None {
		w.Name(name)
		w.B = append(w.B, value...)
	}
}

// Members writes the members of a JSON object given with its braces.
func (w *Writer) Members(object []byte) {
	if len(object) > 2 {
		w.Item()
		w.B = append(w.B, object[1:len(object)-1]...)
	}
}

// List writes a member that is a list of strings.
func (w *Writer) List(name string, texts []string) {
	w.Name(name)
	w.Open('[')
	for _, t := range texts {
		w.Item()
		w.Text(t)
	}
	w.Close(']')
}

// Text writes a string.
func (w *Writer) Text(s string) {
	if w.Quote[0] != "" && quotable(s) {
		w.B = append(w.B, w.Quote[0]...)
		w.B = append(w.B, s...)
		w.B = append(w.B, w.Quote[1]...)
		return
	}
	w.B = AppendText(w.B, s)
}

// quotable reports whether the text needs no escapes in any quotes.
func quotable(s string) bool {
	for _, r := range s {
		switch r {
		case '"', '\'', '\\', '“', '”', '‘', '’':
			return false
		}
		if r < ' ' {
			return false
		}
	}
	return true
}

// AppendText appends a JSON string. The text must be UTF-8.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			b, _ = jsontext.AppendQuote(b, s)
			return b
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// None in a twist leaves out the member.
const None = "\x00"

// Quoted returns a text as JSON.
func Quoted(s string) string { return string(AppendText(nil, s)) }
