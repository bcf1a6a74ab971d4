package generators

import (
	"bytes"
	"sync"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
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

// writer writes JSON, or malformed JSON, in a style.
type writer struct {
	Style
	b     []byte
	level int
	first bool // the next element is the first of its object or list
}

// writers holds writers for the memory that they have.
var writers = sync.Pool{New: func() any { return &writer{} }}

// newWriter returns an empty writer. Copy its text, then release it.
func newWriter(s Style) *writer {
	w := writers.Get().(*writer)
	w.Style = s
	return w
}

func (w *writer) release() {
	const most = 64 << 10 // bytes that are kept
	if *w = (writer{b: w.b[:0]}); cap(w.b) <= most {
		writers.Put(w)
	}
}

// open begins an object or a list with its bracket.
func (w *writer) open(bracket byte) {
	w.b = append(w.b, bracket)
	if w.level++; w.level == 1 && w.Comment != "" {
		w.b = append(w.b, w.Comment...)
	}
	w.first = true
}

// close ends an object or a list with its bracket.
func (w *writer) close(bracket byte) {
	w.level--
	if !w.first {
		if w.Trailing {
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
		if w.Indent == 0 {
			w.b = append(w.b, w.Gap...)
		}
	}
	w.first = false
	w.line()
}

func (w *writer) line() {
	if w.Indent == 0 {
		return
	}
	w.b = append(w.b, w.Newline...)
	for range w.Indent * w.level {
		w.b = append(w.b, ' ')
	}
}

// name begins a member.
func (w *writer) name(n string) {
	w.item()
	if w.Bare {
		w.b = append(w.b, n...)
	} else {
		w.text(n)
	}
	w.b = append(w.b, ':')
	w.b = append(w.b, w.Gap...)
}

// text writes a string.
func (w *writer) text(s string) {
	if w.Quote[0] != "" && quotable(s) {
		w.b = append(w.b, w.Quote[0]...)
		w.b = append(w.b, s...)
		w.b = append(w.b, w.Quote[1]...)
		return
	}
	w.b = strictjson.AppendQuote(w.b, s)
}

// member writes a member that is a string, and texts one that is a list of strings.
func (w *writer) member(name, text string) {
	w.name(name)
	w.text(text)
}

func (w *writer) texts(name string, list []string) {
	w.name(name)
	w.open('[')
	for _, text := range list {
		w.item()
		w.text(text)
	}
	w.close(']')
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

// None in a twist leaves out the member.
const None = "\x00"

// Quoted returns a text as JSON.
func Quoted(s string) string { return strictjson.Quote(s) }

// PlanForm selects among equivalent documents of a plan.
type PlanForm struct {
	Brief bool // leaves out members with default values
	Nulls bool // writes them as null
	Typed bool // writes the type
	// Toolless leaves out tools_expected.
	Toolless bool
}

// Encode returns a plan as JSON in a style.
func (f PlanForm) Encode(p *plan.Plan, s Style) []byte {
	w := newWriter(s)
	defer w.release()
	w.open('{')
	if f.Typed {
		w.member("type", "FullPlan")
	}
	w.member("title", p.Title)
	w.name("steps")
	w.open('[')
	for i := range p.Steps {
		w.item()
		f.step(w, &p.Steps[i])
	}
	w.close(']')
	if p.VerificationPolicy != "" {
		w.member("verification_policy", p.VerificationPolicy)
	}
	w.close('}')
	return bytes.Clone(w.b)
}

func (f PlanForm) step(w *writer, s *plan.Step) {
	given := func(name string, standard bool) bool {
		if standard && f.Nulls {
			w.name(name)
			w.b = append(w.b, "null"...)
		}
		return !standard || !f.Brief && !f.Nulls
	}
	w.open('{')
	w.member("id", s.ID)
	w.member("description", s.Description)
	if given("dependencies", len(s.Dependencies) == 0) {
		w.texts("dependencies", s.Dependencies)
	}
	if given("status", s.Status == plan.Pending) {
		w.member("status", string(s.Status))
	}
	if !f.Toolless && given("tools_expected", len(s.ToolsExpected) == 0) {
		w.texts("tools_expected", s.ToolsExpected)
	}
	if len(s.Extra) > 2 {
		w.item()
		w.b = append(w.b, s.Extra[1:len(s.Extra)-1]...)
	}
	w.close('}')
}
