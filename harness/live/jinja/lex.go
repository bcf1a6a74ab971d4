package jinja

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokData tokenKind = iota
	tokVariableBegin
	tokVariableEnd
	tokBlockBegin
	tokBlockEnd
	tokName
	tokString
	tokNumber
	tokOperator
	tokEOF
)

type token struct {
	kind tokenKind
	text string // of a string its value
	at   int
}

// lexer cuts a template into tokens. White space control is done here: data
// tokens come out trimmed.
type lexer struct {
	rest   string
	place  *place // where rest begins
	tokens []token
	trim   bool // the last tag asked to strip what follows
}

// lex follows the rules of the default environment.
func lex(source string, here *place) []token {
	l := &lexer{rest: source, place: here}
	for l.rest != "" {
		l.next()
	}
	l.emit(tokEOF, "the end of the template")
	return l.tokens
}

func (l *lexer) emit(k tokenKind, text string) {
	l.tokens = append(l.tokens, token{k, text, l.place.at})
}

// take consumes n bytes.
func (l *lexer) take(n int) {
	l.rest = l.rest[n:]
	l.place.at += n
}

// next lexes the data before a tag, and the tag.
func (l *lexer) next() {
	begin := len(l.rest)
	if m := opening().FindStringIndex(l.rest); m != nil {
		begin = m[0]
	}
	strip := strings.HasPrefix(l.rest[min(begin+2, len(l.rest)):], "-")
	l.data(begin, strip)
	if l.rest == "" {
		return
	}
	tag := l.rest[:2]
	raw := rawBegin().FindString(l.rest)
	if raw != "" {
		l.raw(raw)
		return
	}
	switch tag {
	case "{{":
		l.emit(tokVariableBegin, tag)
	case "{%":
		l.emit(tokBlockBegin, tag)
	}
	l.take(2)
	if strip || strings.HasPrefix(l.rest, "+") {
		l.take(1)
	}
	switch tag {
	case "{#":
		l.comment()
	case "{{":
		l.inside("}}", tokVariableEnd)
	default:
		l.inside("%}", tokBlockEnd)
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

func (l *lexer) comment() {
	i := strings.Index(l.rest, "#}")
	if i < 0 {
		fail("a comment {# is not closed (write #})")
	}
	l.trim = strings.HasSuffix(l.rest[:i], "-")
	l.take(i + 2)
}

var (
	opening  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[{%#]`) })
	rawBegin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{%[-+]?\s*raw\s*-?%\}`) })
	rawEnd   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{%[-+]?\s*endraw\s*[-+]?%\}`) })
)

func (l *lexer) raw(begin string) {
	l.take(len(begin))
	end := rawEnd().FindStringIndex(l.rest)
	if end == nil {
		fail("{%% raw %%} is not closed (write {%% endraw %%})")
	}
	l.trim = strings.HasSuffix(begin, "-%}")
	tag := l.rest[end[0]:end[1]]
	l.data(end[0], strings.HasPrefix(tag, "{%-"))
	l.take(len(tag))
	l.trim = strings.HasSuffix(tag, "-%}")
}

// inside lexes expressions up to the end of the tag.
func (l *lexer) inside(end string, k tokenKind) {
	var open []byte
	for {
		l.take(len(l.rest) - len(strings.TrimLeftFunc(l.rest, space)))
		if l.rest == "" {
			fail("a tag is not closed (write %s)", end)
		}
		for _, sign := range []string{"", "-", "+"} {
			if len(open) == 0 && strings.HasPrefix(l.rest, sign+end) && (sign != "+" || k == tokBlockEnd) {
				l.emit(k, end)
				l.take(len(sign) + 2)
				l.trim = sign == "-"
				return
			}
		}
		open = l.token(open)
	}
}

// insideToken has a group for every kind of token, in the order of tokenKinds.
var (
	insideToken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^(?:(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|([\p{L}_][\p{L}\p{M}\p{N}_]*)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(//|\*\*|==|!=|>=|<=|[-+*/%~\[\](){}<>=.:|,]))`)
	})
	startsName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]+`) })
	tokenKinds = []tokenKind{tokNumber, tokName, tokString, tokOperator}
)

// token lexes one token. It keeps the open brackets, since }} within them ends
// no tag.
func (l *lexer) token(open []byte) []byte {
	groups := insideToken().FindStringSubmatch(l.rest)
	if groups == nil {
		r, _ := utf8.DecodeRuneInString(l.rest)
		fail("unexpected character %q", r)
	}
	i := slices.IndexFunc(groups[1:], func(g string) bool { return g != "" })
	m, k := groups[0], tokenKinds[i]
	if k == tokString {
		l.emit(k, unescape(m[1:len(m)-1]))
	} else {
		l.emit(k, m)
	}
	if rest := startsName().FindString(l.rest[len(m):]); k == tokNumber && rest != "" {
		refuse("the number %.100s is not supported", m+rest)
	}
	const opens, closes = "([{", ")]}"
	if strings.Contains(opens, m) {
		open = append(open, m[0])
	} else if i := strings.Index(closes, m); i >= 0 {
		if len(open) == 0 || open[len(open)-1] != opens[i] {
			fail("unexpected %q: no such bracket is open", m)
		}
		open = open[:len(open)-1]
	}
	l.take(len(m))
	return open
}

// space reports what Python takes for white space in text.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// unescape reads the escapes of a string literal that are common in Python.
func unescape(s string) string {
	const escapes, meaning = "\\'\"nrt", "\\'\"\n\r\t"
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		c := after[0] // the end of the string is not escaped
		s = after[1:]
		n := map[byte]int{'x': 2, 'u': 4}[c] // digits
		r, err := strconv.ParseUint(s[:min(n, len(s))], 16, 32)
		switch i := strings.IndexByte(escapes, c); {
		case i >= 0:
			b.WriteByte(meaning[i])
		case n > 0 && len(s) >= n && err == nil && utf8.ValidRune(rune(r)):
			b.WriteRune(rune(r))
			s = s[n:]
		default:
			refuse(`the escape \%c in a string is not supported`, c)
		}
	}
}
