package generators

import (
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

// Writer writes JSON, or malformed JSON, in a style.
type Writer struct {
	Style
	B     []byte
	level int
	first bool // the next element is the first of its object or list
}

// usualSize is the size of most documents that are not plans, in bytes.
const usualSize = 256

// Open begins an object or a list with its bracket.
func (w *Writer) Open(bracket byte) {
	if w.B == nil {
		w.B = make([]byte, 0, usualSize)
	}
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
	w.B = strictjson.AppendQuote(w.B, s)
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

// WritePlan writes a plan in a form.
func WritePlan(w *Writer, p *plan.Plan, form PlanForm) {
	w.Open('{')
	if form.Typed {
		w.Member("type", "FullPlan")
	}
	w.Member("title", p.Title)
	w.Name("steps")
	w.Open('[')
	for i := range p.Steps {
		w.Item()
		writeStep(w, &p.Steps[i], form)
	}
	w.Close(']')
	if p.VerificationPolicy != "" {
		w.Member("verification_policy", p.VerificationPolicy)
	}
	w.Close('}')
}

func writeStep(w *Writer, s *plan.Step, form PlanForm) {
	given := func(name string, standard bool) bool {
		if standard && form.Nulls {
			w.Raw(name, "null")
		}
		return !standard || !form.Brief && !form.Nulls
	}
	w.Open('{')
	w.Member("id", s.ID)
	w.Member("description", s.Description)
	if given("dependencies", len(s.Dependencies) == 0) {
		w.List("dependencies", s.Dependencies)
	}
	if given("status", s.Status == plan.Pending) {
		w.Member("status", string(s.Status))
	}
	if !form.Toolless && given("tools_expected", len(s.ToolsExpected) == 0) {
		w.List("tools_expected", s.ToolsExpected)
	}
	w.Members(s.Extra)
	w.Close('}')
}
