package plan

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Scan reads a plan of the usual form that stands at the beginning of data, and
// returns how many bytes it takes. It costs a fraction of [Decode]: it gives up
// on everything unusual (members that it does not know or that are duplicate,
// anything malformed), so that others can say what is wrong, and where.
// Like a decoded answer, the plan need not have a sound graph.
func Scan(data []byte) (p *Plan, n int, ok bool) {
	s := scanner{data: data, text: string(data), keep: true}
	p = s.plan()
	return p, s.at, s.done()
}

// Usual reports whether data is a plan of the usual form, as [Scan] reads it,
// and nothing else.
func Usual(data []byte) bool {
	s := scanner{data: data}
	s.plan()
	return s.done() && s.at == len(data)
}

// quick reads a plan that is the whole of data.
func quick(data []byte) (*Plan, bool) {
	p, n, ok := Scan(data)
	return p, ok && len(bytes.Trim(data[n:], " \t\r\n")) == 0
}

// scanner reads from left to right. Once it has failed, what it returns means
// nothing. It keeps what it reads only if it is asked to; the strings are then
// parts of one text.
type scanner struct {
	data   []byte
	text   string // the same; only if it is to be kept
	keep   bool
	at     int
	failed bool
	lists  []string // room for the items of lists
}

// done reports whether all was well, to the last byte read.
func (s *scanner) done() bool { return !s.failed && utf8.Valid(s.data[:s.at]) }

// members of the documents.
const (
	hasType = 1 << iota
	hasTitle
	hasPolicy
	hasSteps
	hasID
	hasDescription
	hasDependencies
	hasStatus
	hasTools
)

func (s *scanner) plan() *Plan {
	p := &Plan{}
	seen := 0
	for i := 0; s.item(i, '{', '}'); i++ {
		switch string(s.name()) {
		case "type":
			s.once(&seen, hasType)
			from, to, _ := s.quoted()
			s.failed = s.failed || string(s.data[from:to]) != "FullPlan"
		case "title":
			s.once(&seen, hasTitle)
			p.Title = s.string()
		case "verification_policy":
			s.once(&seen, hasPolicy)
			p.VerificationPolicy = s.string()
		case "steps":
			s.once(&seen, hasSteps)
			p.Steps = s.steps()
		default:
			s.failed = true
		}
	}
	s.need(seen, hasTitle|hasSteps)
	return p
}

func (s *scanner) steps() (steps []Step) {
	const few = 8
	if s.keep {
		steps = make([]Step, 0, few)
	}
	for i := 0; s.item(i, '[', ']'); i++ {
		t := Step{Status: Pending}
		if s.step(&t); s.keep {
			steps = append(steps, t)
		}
	}
	return steps
}

func (s *scanner) step(t *Step) {
	seen := 0
	for i := 0; s.item(i, '{', '}'); i++ {
		switch string(s.name()) {
		case "id":
			s.once(&seen, hasID)
			t.ID = s.string()
		case "description":
			s.once(&seen, hasDescription)
			t.Description = s.string()
		case "dependencies":
			s.once(&seen, hasDependencies)
			t.Dependencies = s.list()
		case "status":
			s.once(&seen, hasStatus)
			t.Status = Status(s.string())
		case "tools_expected":
			s.once(&seen, hasTools)
			t.ToolsExpected = s.list()
		default:
			s.failed = true
		}
	}
	s.need(seen, hasID|hasDescription)
}

// list reads a list of strings.
func (s *scanner) list() []string {
	from := len(s.lists)
	for i := 0; s.item(i, '[', ']'); i++ {
		if item := s.string(); s.keep {
			s.lists = append(s.lists, item)
		}
	}
	return s.lists[from:len(s.lists):len(s.lists)]
}

// once notes that a member was met; it must be the first time.
func (s *scanner) once(seen *int, member int) {
	s.failed = s.failed || *seen&member != 0
	*seen |= member
}

func (s *scanner) need(seen, members int) {
	s.failed = s.failed || seen&members != members
}

// item goes to item i of what stands between two brackets, and reports whether
// there is one: it takes the bracket or the comma before it, or the bracket
// behind the last.
func (s *scanner) item(i int, open, close byte) bool {
	if i == 0 {
		s.token(open)
	}
	switch {
	case s.failed:
		return false
	case s.next() == close:
		s.at++
		return false
	case i > 0:
		s.token(',')
	}
	return !s.failed
}

// name reads the name of a member and its colon. One with an escape is none of
// those that are known.
func (s *scanner) name() []byte {
	from, to, _ := s.quoted()
	s.token(':')
	return s.data[from:to]
}

// next passes over blanks and returns the byte that follows, or 0.
func (s *scanner) next() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) token(c byte) {
	if s.next() != c {
		s.failed = true
		return
	}
	s.at++
}

func (s *scanner) string() string {
	from, to, escaped := s.quoted()
	if s.failed || !escaped && !s.keep {
		return ""
	}
	if !escaped {
		return s.text[from:to]
	}
	text, err := jsontext.AppendUnquote(nil, s.data[from-1:to+1])
	s.failed = err != nil
	return string(text)
}

// quoted finds a string: the place between its marks, and whether there is a
// backslash in it.
func (s *scanner) quoted() (from, to int, escaped bool) {
	s.token('"')
	if s.failed {
		return 0, 0, false
	}
	for i := s.at; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			from, s.at = s.at, i+1
			return from, i, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.failed = true
			return 0, 0, false
		}
	}
	s.failed = true
	return 0, 0, false
}
