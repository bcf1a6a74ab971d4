package jinja

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	tokData kind = iota
	tokVariableBegin
	tokVariableEnd
	tokBlockBegin
	tokBlockEnd
	tokName
	tokString
	tokInteger
	tokFloat
	tokOperator
	tokEOF
)

type token struct {
	kind kind
	text string // of a string its value
	line int
}

// lexer cuts a template into tokens. White space control is done here: data
// tokens come out trimmed.
type lexer struct {
	name   string
	rest   string
	line   int
	tokens []token
	trim   bool // the last tag asked to strip what follows
}

// lex follows the rules of the default environment: lines end in one newline
// each, and the newline at the very end goes.
func lex(name, source string) ([]token, error) {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	l := &lexer{name: name, rest: strings.TrimSuffix(source, "\n"), line: 1}
	for l.rest != "" {
		if err := l.next(); err != nil {
			return nil, at(err, name, l.line)
		}
	}
	return append(l.tokens, token{tokEOF, "", l.line}), nil
}

func (l *lexer) emit(k kind, text string) { l.tokens = append(l.tokens, token{k, text, l.line}) }

// take consumes n bytes.
func (l *lexer) take(n int) string {
	s := l.rest[:n]
	l.rest = l.rest[n:]
	l.line += strings.Count(s, "\n")
	return s
}

// next lexes the data before a tag, and the tag.
func (l *lexer) next() error {
	i := opening(l.rest)
	strip := i >= 0 && strings.HasPrefix(l.rest[i+2:], "-")
	if i < 0 {
		i = len(l.rest)
	}
	l.data(i, strip)
	if l.rest == "" {
		return nil
	}
	tag := l.take(2)
	if strip || strings.HasPrefix(l.rest, "+") {
		l.take(1)
	}
	switch tag {
	case "{#":
		return l.comment()
	case "{{":
		l.emit(tokVariableBegin, tag)
		return l.inside("}}", tokVariableEnd)
	}
	if m := rawBegin.FindString(l.rest); m != "" {
		return l.raw(m)
	}
	l.emit(tokBlockBegin, tag)
	return l.inside("%}", tokBlockEnd)
}

// opening finds the first tag, or -1.
func opening(s string) int {
	for i := 0; ; i++ {
		j := strings.IndexByte(s[i:], '{')
		if j < 0 || i+j+1 >= len(s) {
			return -1
		}
		i += j
		if c := s[i+1]; c == '{' || c == '%' || c == '#' {
			return i
		}
	}
}

func (l *lexer) data(n int, strip bool) {
	s := l.rest[:n]
	if l.trim {
		s = strings.TrimLeftFunc(s, space)
	}
	if strip {
		s = strings.TrimRightFunc(s, space)
	}
	l.trim = false
	if s != "" {
		l.emit(tokData, s)
	}
	l.take(n)
}

func (l *lexer) comment() error {
	i := strings.Index(l.rest, "#}")
	if i < 0 {
		return faultf("a comment {# is not closed (write #})")
	}
	l.trim = strings.HasSuffix(l.rest[:i], "-")
	l.take(i + 2)
	return nil
}

var (
	rawBegin = regexp.MustCompile(`^\s*raw\s*-?%\}`)
	rawEnd   = regexp.MustCompile(`\{%[-+]?\s*endraw\s*[-+]?%\}`)
)

func (l *lexer) raw(begin string) error {
	l.take(len(begin))
	end := rawEnd.FindStringIndex(l.rest)
	if end == nil {
		return faultf("{%% raw %%} is not closed (write {%% endraw %%})")
	}
	l.trim = strings.HasSuffix(begin, "-%}")
	tag := l.rest[end[0]:end[1]]
	l.data(end[0], strings.HasPrefix(tag, "{%-"))
	l.take(len(tag))
	l.trim = strings.HasSuffix(tag, "-%}")
	return nil
}

// inside lexes expressions up to the end of the tag.
func (l *lexer) inside(end string, k kind) error {
	var open []byte
	for {
		for {
			r, n := utf8.DecodeRuneInString(l.rest)
			if n == 0 || !space(r) {
				break
			}
			l.take(n)
		}
		if l.rest == "" {
			return faultf("a tag is not closed (write %s)", end)
		}
		if len(open) == 0 {
			for _, sign := range []string{"", "-", "+"} {
				if strings.HasPrefix(l.rest, sign+end) && (sign != "+" || k == tokBlockEnd) {
					l.emit(k, end)
					l.take(len(sign) + 2)
					l.trim = sign == "-"
					return nil
				}
			}
		}
		if err := l.token(&open); err != nil {
			return err
		}
	}
}

var (
	floatToken   = regexp.MustCompile(`^(\d+_)*\d+((\.(\d+_)*\d+)?[eE][+\-]?(\d+_)*\d+|\.(\d+_)*\d+)`)
	integerToken = regexp.MustCompile(`^(0[bB](_?[01])+|0[oO](_?[0-7])+|0[xX](_?[\da-fA-F])+|[1-9](_?\d)*|0(_?0)*)`)
	nameToken    = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]+`)
	stringToken  = regexp.MustCompile(`(?s)^('([^'\\]|\\.)*'|"([^"\\]|\\.)*")`)
	operators    = regexp.MustCompile(`^(//|\*\*|==|!=|>=|<=|[-+*/%~\[\](){}<>=.:|,])`)
)

func (l *lexer) token(open *[]byte) error {
	if m := floatToken.FindString(l.rest); m != "" {
		l.emit(tokFloat, strings.ReplaceAll(l.take(len(m)), "_", ""))
		return nil
	}
	if m := integerToken.FindString(l.rest); m != "" {
		l.emit(tokInteger, strings.ReplaceAll(l.take(len(m)), "_", ""))
		return nil
	}
	if m := nameToken.FindString(l.rest); m != "" {
		if unicode.IsDigit(rune(m[0])) {
			return unsupportedf("%q is no number that is read here", m)
		}
		l.emit(tokName, m)
		l.take(len(m))
		return nil
	}
	if m := stringToken.FindString(l.rest); m != "" {
		s, err := unescape(m[1 : len(m)-1])
		l.emit(tokString, s)
		l.take(len(m))
		return err
	}
	m := operators.FindString(l.rest)
	if m == "" {
		r, _ := utf8.DecodeRuneInString(l.rest)
		return faultf("unexpected character %q", r)
	}
	if err := balance(open, m[0]); err != nil {
		return err
	}
	l.emit(tokOperator, m)
	l.take(len(m))
	return nil
}

// balance keeps the open brackets, since }} within them ends no tag.
func balance(open *[]byte, c byte) error {
	const opening, closing = "([{", ")]}"
	if strings.IndexByte(opening, c) >= 0 {
		*open = append(*open, c)
	}
	i := strings.IndexByte(closing, c)
	if i < 0 {
		return nil
	}
	n := len(*open) - 1
	if n < 0 || (*open)[n] != opening[i] {
		return faultf("unexpected %q: no such bracket is open", c)
	}
	*open = (*open)[:n]
	return nil
}

// space reports what Python takes for white space in text.
func space(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}
