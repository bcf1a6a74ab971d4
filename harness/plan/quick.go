package plan

import (
	"bytes"
	"unicode/utf8"
)

// Scan reads a plan of the usual form that stands at the beginning of data, and
// returns how many bytes it takes. It costs a fraction of [Decode]: it gives up
// on everything unusual (escapes, members that it does not know or that stand
// twice, anything malformed), so that others can say what is wrong, and where.
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
	s.object(func(name []byte) {
		switch string(name) {
		case "type":
			s.once(&seen, hasType)
			from, to := s.quoted()
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
	})
	s.need(seen, hasTitle|hasSteps)
	return p
}

func (s *scanner) steps() (steps []Step) {
	const few = 8
	if s.keep {
		steps = make([]Step, 0, few)
	}
	s.array(func() {
		t := Step{Status: Pending}
		if s.step(&t); s.keep {
			steps = append(steps, t)
		}
	})
	return steps
}

func (s *scanner) step(t *Step) {
	seen := 0
	s.object(func(name []byte) {
		switch string(name) {
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
	})
	s.need(seen, hasID|hasDescription)
}

// list reads a list of strings.
func (s *scanner) list() []string {
	from := len(s.lists)
	s.array(func() {
		if item := s.string(); s.keep {
			s.lists = append(s.lists, item)
		}
	})
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

// object reads an object; member reads the value of each member.
func (s *scanner) object(member func(name []byte)) {
	s.sequence('{', '}', func() {
		from, to := s.quoted()
		s.token(':')
		if !s.failed {
			member(s.data[from:to])
		}
	})
}

func (s *scanner) array(item func()) { s.sequence('[', ']', item) }

// sequence reads what stands between brackets with commas between it.
func (s *scanner) sequence(open, close byte, item func()) {
	s.token(open)
	if s.next() == close {
		s.at++
		return
	}
	for !s.failed {
		item()
		if s.next() == close {
			s.at++
			return
		}
		s.token(',')
	}
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

// string reads a string without escapes.
func (s *scanner) string() string {
	from, to := s.quoted()
	if !s.keep {
		return ""
	}
	return s.text[from:to]
}

// quoted reads a string without escapes and returns its place.
func (s *scanner) quoted() (from, to int) {
	s.token('"')
	if s.failed {
		return 0, 0
	}
	for i := s.at; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			from, s.at = s.at, i+1
			return from, i
		case c == '\\' || c < ' ':
			s.failed = true
			return 0, 0
		}
	}
	s.failed = true
	return 0, 0
}
