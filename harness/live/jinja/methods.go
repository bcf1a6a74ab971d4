package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// split is str.split: by runs of white space, or by a separator, at most n
// times.
func split(v any, r *run, a args) (any, error) {
	given, err := need(a, 0, 2)
	if err != nil {
		return nil, err
	}
	s, n := v.(string), -1
	if given[1] != nil {
		most, ok := given[1].(int64)
		if !ok {
			return nil, faultf("needs an int, not %s", describe(given[1]))
		}
		n = int(max(-1, min(most, maxOutput)))
	}
	if given[0] == nil {
		return &list{texts(splitSpace(s, n))}, r.grow(len(s))
	}
	sep, err := textOf(given[0])
	if err != nil {
		return nil, err
	}
	if sep == "" {
		return nil, faultf("the separator is empty")
	}
	if n >= 0 {
		n++
	}
	return &list{texts(strings.SplitN(s, sep, n))}, r.grow(len(s))
}

func splitSpace(s string, n int) []string {
	if n < 0 {
		return strings.FieldsFunc(s, space)
	}
	var parts []string
	for s = strings.TrimLeftFunc(s, space); s != ""; s = strings.TrimLeftFunc(s, space) {
		end := strings.IndexFunc(s, space)
		if end < 0 || len(parts) == n {
			end = len(s)
		}
		parts = append(parts, s[:end])
		s = s[end:]
	}
	return parts
}

// splitLines is str.splitlines.
func splitLines(s string) []string {
	var lines []string
	for s != "" {
		i := strings.IndexFunc(s, lineEnd)
		if i < 0 {
			return append(lines, s)
		}
		lines = append(lines, s[:i])
		if strings.HasPrefix(s[i:], "\r\n") {
			i++
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		s = s[i+n:]
	}
	return lines
}

func lineEnd(r rune) bool {
	return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

func replaceMethod(v any, r *run, a args) (any, error) {
	given, err := need(a, 2, 3)
	if err != nil {
		return nil, err
	}
	return replaced(r, v.(string), given)
}

// replaced replaces in a text; given are old, new and how often, or nil.
func replaced(r *run, s string, given []any) (any, error) {
	old, err := textOf(given[0])
	if err != nil {
		return nil, err
	}
	now, err := textOf(given[1])
	if err != nil {
		return nil, err
	}
	n := int64(-1)
	if given[2] != nil {
		var ok bool
		if n, ok = given[2].(int64); !ok {
			return nil, faultf("needs an int, not %s", describe(given[2]))
		}
	}
	if err := r.grow(len(s) + max(0, len(now)-len(old))*strings.Count(s, old)); err != nil {
		return nil, err
	}
	return strings.Replace(s, old, now, int(max(-1, min(n, maxOutput)))), nil
}

func joinMethod(v any, r *run, a args) (any, error) {
	given, err := need(a, 1, 1)
	if err != nil {
		return nil, err
	}
	list, err := items(r, given[0])
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, item := range list {
		s, err := textOf(item)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	out := strings.Join(parts, v.(string))
	return out, r.grow(len(out))
}

func padded(kind string) func(any, *run, args) (any, error) {
	return func(v any, r *run, a args) (any, error) {
		given, err := need(a, 1, 2)
		if err != nil {
			return nil, err
		}
		width, ok := given[0].(int64)
		if !ok || width > maxOutput {
			return nil, faultf("needs a width of at most %d", maxOutput)
		}
		fill := " "
		if given[1] != nil {
			if fill, err = textOf(given[1]); err != nil {
				return nil, err
			}
			if utf8.RuneCountInString(fill) != 1 || kind == "zfill" {
				return nil, faultf("takes one character to fill with")
			}
		}
		s := pad(v.(string), kind, int(width), fill)
		return s, r.grow(len(s))
	}
}

// pad fills a text up to a width in characters.
func pad(s, kind string, width int, fill string) string {
	missing := width - utf8.RuneCountInString(s)
	if missing <= 0 {
		return s
	}
	switch kind {
	case "ljust":
		return s + strings.Repeat(fill, missing)
	case "rjust":
		return strings.Repeat(fill, missing) + s
	case "zfill":
		sign := ""
		if s != "" && (s[0] == '-' || s[0] == '+') {
			sign, s = s[:1], s[1:]
		}
		return sign + strings.Repeat("0", missing) + s
	}
	left := missing/2 + missing&width&1
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, missing-left)
}

// formatMethod is str.format without format specifications.
func formatMethod(v any, r *run, a args) (any, error) {
	s, next := v.(string), 0
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if s = s[i:]; len(s) > 1 && s[1] == s[0] {
			b.WriteByte(s[0])
			s = s[2:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if s[0] == '}' || end < 0 {
			return nil, faultf("a single %q in the text", s[0])
		}
		field := s[1:end]
		s = s[end+1:]
		if strings.IndexFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) >= 0 || field != "" {
			return nil, unsupportedf("the field {%s} is not supported, only {}", field)
		}
		if next >= len(a.list) {
			return nil, faultf("there are more fields than values")
		}
		text, err := str(a.list[next])
		if err != nil {
			return nil, err
		}
		next++
		b.WriteString(text)
	}
	return b.String(), r.grow(b.Len())
}

// format is the operator % on text, with %s, %r, %d and %%.
func format(s string, values []any) (any, error) {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if i+1 == len(s) {
			return nil, faultf("the text ends in a single %%")
		}
		verb := s[i+1]
		s = s[i+2:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if len(values) == 0 {
			return nil, faultf("there are more fields than values")
		}
		text, err := formatted(verb, values[0])
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		values = values[1:]
	}
	if len(values) > 0 {
		return nil, faultf("there are more values than fields")
	}
	return b.String(), nil
}

func formatted(verb byte, v any) (string, error) {
	switch verb {
	case 's':
		return str(v)
	case 'r':
		return repr(v)
	case 'd':
		f, i, whole, ok := number(v)
		switch {
		case ok && whole:
			return strconv.FormatInt(i, 10), nil
		case ok && f > -1e15 && f < 1e15:
			return strconv.FormatInt(int64(f), 10), nil
		}
		return "", faultf("%%d needs a number, not %s", describe(v))
	}
	return "", unsupportedf("the field %s is not supported, only %%s, %%r and %%d", fmt.Sprintf("%%%c", verb))
}
