package jinja

import (
	"maps"
	"strings"
	"unicode/utf8"
)

// methods are the methods of text and dicts that prompts use. Parameters without a
// name cannot be given by name in Python, either.
func methods() map[string]builtin {
	chars, one := []param{{"", nil}}, []param{{"", required{}}}
	table := map[string]builtin{
		"lower":      textMethod(letters(lower), nil),
		"upper":      textMethod(letters(upper), nil),
		"strip":      textMethod(stripper(strings.TrimFunc), chars),
		"lstrip":     textMethod(stripper(strings.TrimLeftFunc), chars),
		"rstrip":     textMethod(stripper(strings.TrimRightFunc), chars),
		"startswith": textMethod(affix(strings.HasPrefix), one),
		"endswith":   textMethod(affix(strings.HasSuffix), one),
		"replace":    textMethod(replace, []param{{"", required{}}, {"", required{}}, {"", nil}}),
		"split":      textMethod(split, []param{{"sep", nil}, {"maxsplit", int64(-1)}}),
		"splitlines": textMethod(func(r *run, s string, _ []any) any { return &list{kind: aList, items: splitLines(r, s)} },
			nil),
		"join": textMethod(joinMethod, one),
	}
	maps.Copy(table, dictMethods())
	return table
}

func textMethod(f func(r *run, s string, a []any) any, params []param) builtin {
	return builtin{func(r *run, v any, a []any) any { return f(r, argument[string](v), a) }, params}
}

func affix(has func(s, affix string) bool) func(*run, string, []any) any {
	return func(r *run, s string, a []any) any {
		r.step(len(s) / 64)
		return has(s, argument[string](a[0]))
	}
}

// split is str.split: by runs of white space, or by a separator, at most so many
// times.
func split(r *run, s string, a []any) any {
	most := int(argument[int64](a[1]))
	if a[0] == nil {
		if most >= 0 {
			refuse("a limit for splitting at white space is not supported")
		}
		r.newList(len(s)/2 + 1)
		return &list{kind: aList, items: boxed(strings.FieldsFunc(s, space))}
	}
	sep := argument[string](a[0])
	if sep == "" {
		fail("the separator is empty")
	}
	r.step(len(s) / 64)
	n := strings.Count(s, sep)
	if most >= 0 {
		n = min(n, most)
	}
	r.newList(n + 1)
	return &list{kind: aList, items: boxed(strings.SplitN(s, sep, n+1))}
}

// splitLines is str.splitlines.
func splitLines(r *run, s string) []any {
	r.step(len(s) / 64)
	var lines []any
	for s != "" {
		r.newList(1)
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

func joinMethod(r *run, s string, a []any) any {
	values := items(r, a[0])
	for _, v := range values {
		onlyText(v)
	}
	return join(r, &list{kind: aList, items: values}, []any{s})
}
