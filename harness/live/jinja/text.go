package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// builder makes text, and charges all that is added to it.
type builder struct {
	strings.Builder
	run  *run
	json bool // values are written as JSON, not as Python prints them

	lines  bool   // each item has a line of its own
	indent string // before it, for each level
}

func (b *builder) add(text string) {
	b.run.charge(len(text))
	b.WriteString(text)
}

// text is Python's str().
func (r *run) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		refuse("joining or filtering text marked as safe is not supported")
	case undefined:
		if v.lenient {
			return ""
		}
	}
	b := &builder{run: r}
	b.write(v, 1)
	return b.String()
}

// print adds what {{ }} prints.
func (b *builder) print(v any) {
	if safe, ok := v.(markup); ok {
		v = string(safe)
	}
	b.add(b.run.text(v))
}

// tojson is json.dumps, without what HTML takes amiss.
func tojson(r *run, v any, a []any) any {
	b := &builder{run: r, json: true}
	if a[0] != nil {
		b.lines, b.indent = true, strings.Repeat(" ", int(max(0, min(argument[int64](a[0]), maxNested))))
	}
	b.write(v, 1)
	return markup(b.String())
}

// write adds a value as Python's repr() gives it, or as JSON.
func (b *builder) write(v any, depth int) {
	b.run.step(1)
	if depth > maxNested {
		fail("a value is nested deeper than %d levels", maxNested)
	}
	defined(v)
	switch v := v.(type) {
	case nil:
		b.word("None", "null")
	case bool:
		text := strconv.FormatBool(v)
		b.word(strings.ToUpper(text[:1])+text[1:], text)
	case int64:
		b.add(strconv.FormatInt(v, 10))
	case float64:
		b.add(floatText(v))
	case string:
		b.quote(v)
	case *object:
		b.object(v, depth)
	case *list:
		b.list(v, depth)
	default:
		refuse("printing %s is not supported", describe(v))
	}
}

func (b *builder) word(python, json string) {
	if b.json {
		python = json
	}
	b.add(python)
}

func (b *builder) list(l *list, depth int) {
	if !isKind(l, aList, aTuple) {
		refuse("printing %s is not supported (add |list after it)", l.kind)
	}
	begin, end := "[", "]"
	if l.kind == aTuple && !b.json {
		begin, end = "(", ")"
		if len(l.items) == 1 {
			end = ",)"
		}
	}
	b.add(begin)
	for i, x := range l.items {
		b.separate(i, depth)
		b.write(x, depth+1)
	}
	b.close(len(l.items), depth)
	b.add(end)
}

// separate goes before item i of a list or dict.
func (b *builder) separate(i, depth int) {
	switch {
	case b.lines && i > 0:
		b.add(",")
	case i > 0:
		b.add(", ")
	}
	b.line(depth)
}

// close goes behind the last of n items.
func (b *builder) close(n, depth int) {
	if n > 0 {
		b.line(depth - 1)
	}
}

func (b *builder) line(depth int) {
	if b.lines {
		b.run.charge(depth * len(b.indent))
		b.add("\n" + strings.Repeat(b.indent, depth))
	}
}

// quote adds a string literal. Python's repr has single quotes, unless there are
// such within and no double ones.
func (b *builder) quote(s string) {
	q := `"`
	if !b.json && (!strings.Contains(s, "'") || strings.Contains(s, `"`)) {
		q = "'"
	}
	b.add(q)
	for _, c := range s {
		b.add(b.escaped(c, q))
	}
	b.add(q)
}

func (b *builder) escaped(c rune, quote string) string {
	const special, letters = "\n\r\t\b\f", "nrtbf"
	i := strings.IndexRune(special, c)
	switch {
	case c == '\\' || string(c) == quote:
		return `\` + string(c)
	case i >= 0 && (b.json || c != '\b' && c != '\f'):
		return `\` + letters[i:i+1]
	case b.json && c >= 0x10000:
		high, low := utf16.EncodeRune(c)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	case b.json && (c < ' ' || c > '~' || strings.ContainsRune("<>&'", c)):
		return fmt.Sprintf(`\u%04x`, c)
	case unicode.IsPrint(c):
		return string(c)
	case c < 0x100:
		return fmt.Sprintf(`\x%02x`, c)
	case c < 0x10000:
		return fmt.Sprintf(`\u%04x`, c)
	}
	return fmt.Sprintf(`\U%08x`, c)
}
