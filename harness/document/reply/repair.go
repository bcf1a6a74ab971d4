package reply

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// The rules of repairing, as repair records name them.
const (
	ruleComment       = "comment"
	ruleTrailingComma = "trailing_comma"
	ruleQuotes        = "quotes"
	ruleUnquotedName  = "unquoted_name"
	rulePythonLiteral = "python_literal"
	ruleUnclosed      = "unclosed"
)

// repairer reads one value of almost-JSON and writes it as JSON. It repairs only
// what it is sure of: comments, trailing commas, quotes of other kinds,
// unquoted names, Python's literals, and a tail that was cut off, whose
// unfinished member or element it drops. Anything else is an error, since a
// repairer that guesses is worse than none. One pass, no look-back.
type repairer struct {
	in      string
	pos     int
	out     []byte
	max     int // depth
	repairs []harness.Repair
	shifts  []shift
	cut     bool // the input ended inside the value
	failed  strictjson.Error
}

// shift says that out[out:] came from in[in:], up to the next shift.
type shift struct{ out, in int }

// reset prepares for another value; buffers are used again, since a text may
// hold many beginnings of values that are none.
func (m *repairer) reset(in string, pos, max int) {
	*m = repairer{in: in, pos: pos, max: max, out: m.out[:0], shifts: m.shifts[:0], repairs: m.repairs[:0]}
}

// origins returns the map from offsets in out to offsets in the input.
func (m *repairer) origins() func(int) int {
	shifts := slices.Clone(m.shifts)
	return func(offset int) int {
		i := sort.Search(len(shifts), func(i int) bool { return shifts[i].out > offset }) - 1
		if i < 0 {
			return offset
		}
		return shifts[i].in + offset - shifts[i].out
	}
}

func (m *repairer) mark() { m.shifts = append(m.shifts, shift{len(m.out), m.pos}) }

func (m *repairer) record(rule string) { m.repairs = append(m.repairs, harness.Repair{Rule: rule}) }

// fail returns an error that is good until the next one.
func (m *repairer) fail(message string) *strictjson.Error {
	m.failed = strictjson.Error{Offset: m.pos, Message: message}
	return &m.failed
}

// atEnd reports whether the input is over. A fence that closes between two
// tokens ends it too: no JSON goes on behind it.
func (m *repairer) atEnd() bool {
	if m.pos >= len(m.in) {
		return true
	}
	c := m.in[m.pos]
	return (c == '`' || c == '~') && m.pos+2 < len(m.in) && m.in[m.pos+1] == c && m.in[m.pos+2] == c
}

// skip passes over white space and comments.
func (m *repairer) skip() {
	for m.pos < len(m.in) {
		rest := m.in[m.pos:]
		var n int
		switch {
		case isSpace(rest[0]):
			m.pos++
			continue
		case rest[0] != '#' && rest[0] != '/':
			return
		case rest[0] == '#', strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest[2:], "*/"); n < 0 {
				n = len(rest)
			} else {
				n += 4
			}
		default:
			return
		}
		m.pos += n
		m.record(ruleComment)
	}
}

// value reads one value. If the input ends in it, cut is set; a container is
// then closed, and of a scalar nothing is written.
func (m *repairer) value(depth int) *strictjson.Error {
	m.mark()
	switch c := m.in[m.pos]; {
	case c == '{' || c == '[':
		if depth++; depth > m.max {
			e := m.fail("nests too deep")
			e.TooDeep = true
			return e
		}
		return m.container(c, depth)
	case m.closers() != "":
		return m.text()
	case c == '-' || c >= '0' && c <= '9':
		return m.number()
	default:
		return m.literal()
	}
}

// container reads an object or an array.
func (m *repairer) container(open byte, depth int) *strictjson.Error {
	end := open + 2 // the codes of '{' and '}', and of '[' and ']', differ by two
	m.out = append(m.out, open)
	m.pos++
	for comma, first := false, true; ; first = false {
		m.skip()
		if m.atEnd() {
			m.cutOff()
			break
		}
		if m.in[m.pos] == end && (comma || first) {
			if comma {
				m.record(ruleTrailingComma)
			}
			m.mark()
			m.pos++
			break
		}
		keep := m.state()
		if comma {
			m.out = append(m.out, ',')
		}
		if err := m.element(open, depth); err != nil {
			return err
		}
		if m.cut {
			if !m.closed() {
				m.restore(keep)
			}
			break
		}
		m.skip()
		if m.atEnd() {
			m.cutOff()
			break
		}
		switch m.in[m.pos] {
		case ',':
			comma = true
			m.pos++
			continue
		case end:
			m.mark()
			m.pos++
		default:
			return m.fail("expected a comma or the end")
		}
		break
	}
	m.out = append(m.out, end)
	return nil
}

// element reads a member of an object or an element of an array.
func (m *repairer) element(open byte, depth int) *strictjson.Error {
	if open == '{' {
		if err := m.name(); err != nil || m.cut {
			return err
		}
	}
	return m.value(depth)
}

// name reads a member's name and its colon, up to where the value begins.
func (m *repairer) name() *strictjson.Error {
	m.mark()
	if m.closers() != "" {
		if err := m.text(); err != nil || m.cut {
			return err
		}
	} else if err := m.identifier(); err != nil || m.cut {
		return err
	}
	m.skip()
	if m.atEnd() {
		m.cutOff()
		return nil
	}
	if m.in[m.pos] != ':' {
		return m.fail("expected a colon after the name")
	}
	m.pos++
	m.out = append(m.out, ':')
	m.skip()
	if m.atEnd() {
		m.cutOff()
	}
	return nil
}

// cutOff notes that the input ended inside the value. It is one act of
// repairing, however many brackets are open.
func (m *repairer) cutOff() {
	if !m.cut {
		m.cut = true
		m.record(ruleUnclosed)
	}
}

// closed reports whether what was written last is a whole container: the one
// in which the input ended, and which was closed.
func (m *repairer) closed() bool {
	last := m.out[len(m.out)-1]
	return last == '}' || last == ']'
}

type saved struct{ out, shifts int }

func (m *repairer) state() saved { return saved{len(m.out), len(m.shifts)} }

func (m *repairer) restore(s saved) { m.out, m.shifts = m.out[:s.out], m.shifts[:s.shifts] }

// closers returns the characters that close a string which opens here, or "".
func (m *repairer) closers() string {
	switch c := m.in[m.pos]; {
	case c == '"':
		return `"`
	case c == '\'':
		return `'`
	case c < utf8.RuneSelf:
		return ""
	}
	switch r, _ := utf8.DecodeRuneInString(m.in[m.pos:]); r {
	case '“', '”', '„', '‟':
		return "”“‟"
	case '‘', '’', '‚', '‛':
		return "’‘‛"
	}
	return ""
}

// text reads a string in any quotes.
func (m *repairer) text() *strictjson.Error {
	closers := m.closers()
	keep := m.state()
	_, n := utf8.DecodeRuneInString(m.in[m.pos:])
	m.pos += n
	m.out = append(m.out, '"')
	for {
		if m.pos >= len(m.in) {
			m.restore(keep)
			m.cutOff()
			return nil
		}
		r, n := utf8.DecodeRuneInString(m.in[m.pos:])
		switch {
		case strings.ContainsRune(closers, r):
			m.pos += n
			m.out = append(m.out, '"')
			if closers != `"` {
				m.record(ruleQuotes)
				m.mark()
			}
			return nil
		case r == '\\':
			if err := m.escape(closers); err != nil {
				return err
			}
			continue
		case r == '"':
			m.out = append(m.out, '\\', '"')
			m.pos++
			m.mark()
			continue
		case r < ' ':
			return m.fail("a string contains a control character")
		}
		m.out = append(m.out, m.in[m.pos:m.pos+n]...)
		m.pos += n
	}
}

// escape copies one escape; in a single-quoted string the quote's escape becomes
// the quote itself. One that the input's end cuts short is left to text.
func (m *repairer) escape(closers string) *strictjson.Error {
	if m.pos+1 >= len(m.in) {
		m.pos = len(m.in)
		return nil
	}
	n := 2
	switch c := m.in[m.pos+1]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
	case c == '\'' && closers == `'`:
		m.pos++
		m.out = append(m.out, '\'')
		m.pos++
		m.mark()
		return nil
	case c == 'u':
		for n < 6 {
			if m.pos+n >= len(m.in) {
				m.pos = len(m.in)
				return nil
			}
			if !isHex(m.in[m.pos+n]) {
				return m.fail("a \\u escape needs four hexadecimal digits")
			}
			n++
		}
	default:
		return m.fail("a string contains an unknown escape")
	}
	m.out = append(m.out, m.in[m.pos:m.pos+n]...)
	m.pos += n
	return nil
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// number copies a number. One that touches the end may be unfinished.
func (m *repairer) number() *strictjson.Error {
	n := 0
	for m.pos+n < len(m.in) && strings.IndexByte("0123456789+-.eE", m.in[m.pos+n]) >= 0 {
		n++
	}
	raw := m.in[m.pos : m.pos+n]
	if m.pos+n == len(m.in) {
		m.pos = len(m.in)
		m.cutOff()
		return nil
	}
	if !jsontext.Value(raw).IsValid() {
		return m.fail("not a number")
	}
	m.out = append(m.out, raw...)
	m.pos += n
	return nil
}

// word returns the identifier that begins here.
func (m *repairer) word() string {
	n := 0
	for m.pos+n < len(m.in) {
		r, size := utf8.DecodeRuneInString(m.in[m.pos+n:])
		if r != '_' && r != '$' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return m.in[m.pos : m.pos+n]
}

// identifier reads an unquoted name.
func (m *repairer) identifier() *strictjson.Error {
	w := m.word()
	if len(w) == 0 {
		return m.fail("expected a name")
	}
	if m.pos += len(w); m.pos >= len(m.in) {
		m.cutOff()
		return nil
	}
	m.out, _ = jsontext.AppendQuote(m.out, w)
	m.mark()
	m.record(ruleUnquotedName)
	return nil
}

// literal reads true, false, null or one of Python's three.
func (m *repairer) literal() *strictjson.Error {
	w := m.word()
	json, python := w, false
	switch w {
	case "true", "false", "null":
	case "True":
		json, python = "true", true
	case "False":
		json, python = "false", true
	case "None":
		json, python = "null", true
	default:
		if w != "" && m.pos+len(w) == len(m.in) && unfinished(w) {
			m.pos = len(m.in)
			m.cutOff()
			return nil
		}
		return m.fail("expected a value")
	}
	m.out = append(m.out, json...)
	m.pos += len(w)
	if python {
		m.record(rulePythonLiteral)
		m.mark()
	}
	return nil
}

func unfinished(w string) bool {
	for _, l := range []string{"true", "false", "null", "True", "False", "None"} {
		if len(w) < len(l) && l[:len(w)] == w {
			return true
		}
	}
	return false
}
