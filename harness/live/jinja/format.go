package jinja

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// directive is one conversion of the filter format, as in Python's % operator.
type directive struct {
	name      string // of a member of the named arguments
	flags     string
	width     int
	precision int // -1 is none
	verb      byte
}

var directiveText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^%(?:\(([^()]*)\))?([-+ 0]*)(\d{0,6})(?:\.(\d{0,6}))?([diufFeEsrxXoc%])`)
})

// formatted reads the arguments of the filter format.
func (p *parser) formatted(t token, x expr) expr {
	given := noArguments
	if p.is("(") {
		given = p.arguments()
	}
	return node(t, func(s *scope) any {
		text, a := s.run.text(x(s)), given(s)
		s.run.label = "the filter 'format'"
		if len(a.list) > 0 && len(a.named) > 0 {
			fail("takes positional or named arguments, not both")
		}
		out := format(s.run, text, a)
		s.run.label = ""
		return out
	})
}

// format is Python's text % arguments.
func format(r *run, text string, a arguments) string {
	b, next := &builder{run: r}, 0
	for {
		before, _, found := strings.Cut(text, "%")
		b.add(before)
		if !found {
			break
		}
		text = text[len(before):]
		d, size := readDirective(text)
		text = text[size:]
		if d.verb == '%' {
			b.add("%")
			continue
		}
		b.add(d.convert(r, d.argument(a, &next)))
	}
	if next < len(a.list) {
		fail("not all arguments converted during string formatting")
	}
	return b.String()
}

func readDirective(text string) (d directive, size int) {
	m := directiveText().FindStringSubmatch(text)
	if m == nil || m[5] == "c" || m[5] == "%" && m[0] != "%%" {
		refuse("the directive %.10q is not supported", text)
	}
	d = directive{name: m[1], flags: m[2], precision: -1, verb: m[5][0]}
	if strings.HasPrefix(m[0], "%()") {
		refuse("a directive with an empty name is not supported")
	}
	d.width, _ = strconv.Atoi(m[3]) // digits only
	if strings.Contains(m[0], ".") && !strings.Contains(m[1], ".") || strings.Count(m[0], ".") > strings.Count(m[1], ".") {
		d.precision, _ = strconv.Atoi(m[4])
	}
	return d, len(m[0])
}

// argument is the value that a directive converts.
func (d directive) argument(a arguments, next *int) any {
	switch {
	case d.name != "" && len(a.named) == 0:
		fail("format requires a mapping")
	case d.name != "":
		v, ok := a.named[d.name]
		if !ok {
			fail("the argument '%.100s' is missing", d.name)
		}
		return v
	case len(a.named) > 0:
		refuse("a directive without a name is not supported with named arguments")
	case *next >= len(a.list):
		fail("not enough arguments for format string")
	}
	*next++
	return a.list[*next-1]
}

func (d directive) convert(r *run, v any) string {
	defined(v)
	r.charge(d.width + max(0, d.precision))
	switch d.verb {
	case 's', 'r':
		text := r.text(v)
		if d.verb == 'r' {
			b := &builder{run: r}
			b.write(v, 1)
			text = b.String()
		}
		if d.precision >= 0 && utf8.RuneCountInString(text) > d.precision {
			text = string([]rune(text)[:d.precision])
		}
		return d.pad("", text, false)
	case 'f', 'F', 'e', 'E':
		return d.float(v)
	}
	return d.integer(v)
}

func (d directive) float(v any) string {
	f, ok := fraction(v)
	if !ok {
		fail("must be real number, not %s", describe(v))
	}
	const usual = 6 // digits behind the point
	digits := d.precision
	if digits < 0 {
		digits = usual
	}
	verb := d.verb
	if verb == 'F' {
		verb = 'f'
	}
	text := strconv.FormatFloat(math.Abs(f), verb, digits, 64)
	return d.pad(d.sign(math.Signbit(f)), text, true)
}

func (d directive) integer(v any) string {
	n, ok := number(v)
	if f, isFloat := v.(float64); isFloat && strings.IndexByte("diu", d.verb) >= 0 && math.Abs(f) < largest {
		n, ok = int64(f), true
	}
	if isA[float64](v) && !ok {
		refuse("the directive %%%c of this float is not supported", d.verb)
	}
	if !ok {
		fail("a number is required, not %s", describe(v))
	}
	verb := map[byte]string{'x': "%x", 'X': "%X", 'o': "%o"}[d.verb]
	if verb == "" {
		verb = "%d"
	}
	text := fmt.Sprintf(verb, max(n, -n))
	if missing := d.precision - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	return d.pad(d.sign(n < 0), text, true)
}

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.Contains(d.flags, "+"):
		return "+"
	case strings.Contains(d.flags, " "):
		return " "
	}
	return ""
}

// pad fills a converted value to the width, in characters.
func (d directive) pad(sign, text string, number bool) string {
	missing := max(0, d.width-utf8.RuneCountInString(sign+text))
	switch {
	case strings.Contains(d.flags, "-"):
		return sign + text + strings.Repeat(" ", missing)
	case number && strings.Contains(d.flags, "0"):
		return sign + strings.Repeat("0", missing) + text
	}
	return strings.Repeat(" ", missing) + sign + text
}

// title is Jinja2's filter title: the first letter of each word is a capital.
func title(r *run, s string, _ []any) any {
	const growth = 3
	r.charge(growth * len(s))
	var b strings.Builder
	word := ""
	flush := func() {
		if word != "" {
			_, size := utf8.DecodeRuneInString(word)
			b.WriteString(upper(word[:size]) + lower(word[size:]))
		}
		word = ""
	}
	for i, c := range s {
		if space(c) || strings.ContainsRune("-({[<", c) {
			flush()
			b.WriteRune(c)
			continue
		}
		word = s[i-len(word) : i+utf8.RuneLen(c)]
	}
	flush()
	return b.String()
}
