package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// str is Python's str().
func str(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case markup:
		return string(v), nil
	case undefined:
		if v.lenient {
			return "", nil
		}
	}
	return repr(v)
}

// repr is Python's repr().
func repr(v any) (string, error) {
	var b strings.Builder
	err := appendRepr(&b, v, 0)
	return b.String(), err
}

func appendRepr(b *strings.Builder, v any, depth int) error {
	if depth > maxNested {
		return faultf("a value is nested more than %d deep (does it hold itself?)", maxNested)
	}
	if b.Len() > maxOutput {
		return faultf("a value has more than %d MiB of text", maxOutput>>20)
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(floatText(v))
	case string:
		quote(b, v)
	case *list:
		return appendAll(b, "[", v.items, "]", depth)
	case tuple:
		if len(v) == 1 {
			return appendAll(b, "(", v, ",)", depth)
		}
		return appendAll(b, "(", v, ")", depth)
	case group:
		return appendAll(b, "(", []any{v.key, v.list}, ")", depth)
	case view:
		return appendAll(b, "dict_"+v.kind+"([", v.items, "])", depth)
	case *dict:
		return appendDict(b, v, depth)
	case span:
		if v.step == 1 {
			fmt.Fprintf(b, "range(%d, %d)", v.start, v.stop)
		} else {
			fmt.Fprintf(b, "range(%d, %d, %d)", v.start, v.stop, v.step)
		}
	case undefined:
		return faultf("%s", v.message)
	default:
		return unsupportedf("%s cannot be printed", describe(v))
	}
	return nil
}

func appendAll(b *strings.Builder, open string, items []any, end string, depth int) error {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := appendRepr(b, item, depth+1); err != nil {
			return err
		}
	}
	b.WriteString(end)
	return nil
}

func appendDict(b *strings.Builder, d *dict, depth int) error {
	b.WriteByte('{')
	for i, k := range d.keys {
		if i > 0 {
			b.WriteString(", ")
		}
		quote(b, k)
		b.WriteString(": ")
		if err := appendRepr(b, d.values[k], depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// quote writes text as Python's repr does: in single quotes, unless it holds
// such and no double ones.
func quote(b *strings.Builder, s string) {
	q := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		q = '"'
	}
	b.WriteRune(q)
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				fmt.Fprintf(b, `\udc%02x`, s[i])
				continue
			}
		}
		switch {
		case r == q || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
	b.WriteRune(q)
}

// floatText is Python's repr of a float: the shortest text that reads back, with
// an exponent below 1e-4 and from 1e16 on.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return map[bool]string{true: "inf", false: "-inf"}[f > 0]
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.ContainsRune(s, '.') {
		s += ".0"
	}
	return s
}
