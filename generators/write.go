package generators

import (
	"github.com/go-json-experiment/json/jsontext"
)

// style is how a document is written down.
type style struct {
	indent  int    // spaces a level; 0: one line
	gap     string // behind colons and, on one line, commas
	newline string // "\n" or "\r\n"

	// What follows is no JSON: it takes mending.
	quote    [2]string // in place of " where the text allows it
	bare     bool      // names that are identifiers stand without quotes
	trailing bool      // a comma behind the last element
	comment  string    // behind the first brace, ends in a line break if it must
}

// writer writes JSON, or nearly JSON, in a style.
type writer struct {
	style
	b     []byte
	level int
	first bool // the next element is the first of its object or list
}

func (w *writer) open(bracket byte) {
	w.b = append(w.b, bracket)
	if w.level++; w.level == 1 && w.comment != "" {
		w.b = append(w.b, w.comment...)
	}
	w.first = true
}

func (w *writer) close(bracket byte) {
	w.level--
	if !w.first {
		if w.trailing {
			w.b = append(w.b, ',')
		}
		w.line()
	}
	w.b = append(w.b, bracket)
	w.first = false
}

// item begins an element.
func (w *writer) item() {
	if !w.first {
		w.b = append(w.b, ',')
		if w.indent == 0 {
			w.b = append(w.b, w.gap...)
		}
	}
	w.first = false
	w.line()
}

func (w *writer) line() {
	if w.indent == 0 {
		return
	}
	w.b = append(w.b, w.newline...)
	for range w.indent * w.level {
		w.b = append(w.b, ' ')
	}
}

// name begins a member.
func (w *writer) name(n string) {
	w.item()
	switch {
	case w.bare:
		w.b = append(w.b, n...)
	case w.quote[0] != "":
		w.text(n)
	default:
		w.b = append(w.b, '"')
		w.b = append(w.b, n...)
		w.b = append(w.b, '"')
	}
	w.b = append(w.b, ':')
	w.b = append(w.b, w.gap...)
}

func (w *writer) member(name, text string) {
	w.name(name)
	w.text(text)
}

// raw writes a member whose value is written already; "" is no member.
func (w *writer) raw(name, value string) {
	if value != "" && value != none {
		w.name(name)
		w.b = append(w.b, value...)
	}
}

// members writes those of an object that is written already, in braces.
func (w *writer) members(object []byte) {
	if len(object) > 2 {
		w.item()
		w.b = append(w.b, object[1:len(object)-1]...)
	}
}

func (w *writer) list(name string, texts []string) {
	w.name(name)
	w.open('[')
	for _, t := range texts {
		w.item()
		w.text(t)
	}
	w.close(']')
}

func (w *writer) text(s string) {
	if w.quote[0] != "" && quotable(s) {
		w.b = append(w.b, w.quote[0]...)
		w.b = append(w.b, s...)
		w.b = append(w.b, w.quote[1]...)
		return
	}
	w.b = appendText(w.b, s)
}

// quotable reports whether any quotes can stand round the text as it is.
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

// appendText appends a JSON string. The text must be UTF-8.
func appendText(b []byte, s string) []byte {
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

// none in a twist leaves the member out.
const none = "\x00"

// quoted returns a text as JSON.
func quoted(s string) string { return string(appendText(nil, s)) }
