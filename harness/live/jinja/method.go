package jinja

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// method returns a method of a text, list or dict.
func method(v any, name string) (function, bool) {
	var f func(any, *run, args) (any, error)
	switch v.(type) {
	case string:
		f = textMethods[name]
	case *list:
		f = listMethods[name]
	case *dict:
		f = dictMethods[name]
	}
	if f == nil {
		return nil, false
	}
	return func(r *run, a args) (any, error) {
		if len(a.named) > 0 {
			return nil, unsupportedf("the method %s takes no arguments by name here", name)
		}
		x, err := f(v, r, a)
		return x, within("method", name, err)
	}, true
}

// pythonAttribute reports whether Python has such an attribute and this package
// has not: a template that uses it must not take it for undefined.
func pythonAttribute(v any, name string) bool {
	if strings.HasPrefix(name, "__") {
		return true
	}
	known := ""
	switch v.(type) {
	case string, markup:
		known = " casefold encode expandtabs format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper maketrans partition removeprefix removesuffix rfind rindex rpartition rsplit swapcase translate "
		if _, ok := v.(markup); ok {
			return true
		}
	case *list:
		known = " clear copy remove reverse sort pop insert "
	case tuple, group:
		known = " count index "
	case *dict:
		known = " clear copy fromkeys pop popitem setdefault update "
	case span:
		known = " count index start stop step "
	case int64, bool:
		known = " as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes "
	case float64:
		known = " as_integer_ratio conjugate fromhex hex imag is_integer real "
	case *loop:
		known = " depth depth0 "
	case nil, *namespace, undefined:
	default:
		return true
	}
	return strings.Contains(known, " "+name+" ")
}

// need returns the arguments by place: at least low and at most high of them;
// what was left out is nil.
func need(a args, low, high int) ([]any, error) {
	if len(a.list) < low || len(a.list) > high {
		return nil, faultf("takes %d to %d arguments, and %d are given", low, high, len(a.list))
	}
	for _, v := range a.list {
		if u, ok := v.(undefined); ok {
			return nil, faultf("%s", u.message)
		}
	}
	return append(slices.Clone(a.list), make([]any, high-len(a.list))...), nil
}

func textOf(v any) (string, error) {
	switch s := v.(type) {
	case string:
		return s, nil
	case undefined:
		return "", faultf("%s", s.message)
	}
	return "", faultf("needs text, not %s", describe(v))
}

// onText makes a method of a function that takes a text and at most n texts.
func onText(low, high int, f func(s string, given []string) any) func(any, *run, args) (any, error) {
	return func(v any, r *run, a args) (any, error) {
		list, err := need(a, low, high)
		if err != nil {
			return nil, err
		}
		var given []string
		for _, x := range list[:len(a.list)] {
			s, err := textOf(x)
			if err != nil {
				return nil, err
			}
			given = append(given, s)
		}
		out := f(v.(string), given)
		if s, ok := out.(string); ok {
			return s, r.grow(len(s))
		}
		return out, nil
	}
}

func upper(s string) string { return cases.Upper(language.Und).String(s) }
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// capitalize makes the first character large and the others small.
func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return titleCase(s[:n]) + lower(s[n:])
}

func titleCase(s string) string { return cases.Title(language.Und, cases.NoLower).String(s) }

// titled makes the first letter of every run of letters large.
func titled(s string) string {
	var b strings.Builder
	inside := false
	for _, r := range s {
		cased := unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
		switch {
		case cased && inside:
			b.WriteString(lower(string(r)))
		case cased:
			b.WriteString(titleCase(string(r)))
		default:
			b.WriteRune(r)
		}
		inside = cased
	}
	return b.String()
}

func stripper(strip func(s string, cut func(rune) bool) string) func(any, *run, args) (any, error) {
	return func(v any, r *run, a args) (any, error) {
		list, err := need(a, 0, 1)
		if err != nil {
			return nil, err
		}
		return stripped(v.(string), list[0], strip)
	}
}

// stripped strips white space, or the characters given.
func stripped(s string, chars any, strip func(s string, cut func(rune) bool) string) (any, error) {
	if chars == nil {
		return strip(s, space), nil
	}
	set, err := textOf(chars)
	if err != nil {
		return nil, err
	}
	return strip(s, func(r rune) bool { return strings.ContainsRune(set, r) }), nil
}

func anyPrefix(has func(string, string) bool) func(any, *run, args) (any, error) {
	return func(v any, _ *run, a args) (any, error) {
		list, err := need(a, 1, 1)
		if err != nil {
			return nil, err
		}
		ends := []any{list[0]}
		if t, ok := list[0].(tuple); ok {
			ends = t
		}
		for _, e := range ends {
			s, err := textOf(e)
			if err != nil {
				return nil, err
			}
			if has(v.(string), s) {
				return true, nil
			}
		}
		return false, nil
	}
}

var textMethods = map[string]func(any, *run, args) (any, error){
	"upper":      onText(0, 0, func(s string, _ []string) any { return upper(s) }),
	"lower":      onText(0, 0, func(s string, _ []string) any { return lower(s) }),
	"capitalize": onText(0, 0, func(s string, _ []string) any { return capitalize(s) }),
	"title":      onText(0, 0, func(s string, _ []string) any { return titled(s) }),
	"strip":      stripper(strings.TrimFunc),
	"lstrip":     stripper(strings.TrimLeftFunc),
	"rstrip":     stripper(strings.TrimRightFunc),
	"startswith": anyPrefix(strings.HasPrefix),
	"endswith":   anyPrefix(strings.HasSuffix),
	"count":      onText(1, 1, func(s string, g []string) any { return int64(strings.Count(s, g[0])) }),
	"find": onText(1, 1, func(s string, g []string) any {
		i := strings.Index(s, g[0])
		if i < 0 {
			return int64(-1)
		}
		return int64(len([]rune(s[:i])))
	}),
	"replace":    replaceMethod,
	"split":      split,
	"splitlines": onText(0, 0, func(s string, _ []string) any { return &list{texts(splitLines(s))} }),
	"join":       joinMethod,
	"format":     formatMethod,
	"zfill":      padded("zfill"),
	"ljust":      padded("ljust"),
	"rjust":      padded("rjust"),
	"center":     padded("center"),
}

var listMethods = map[string]func(any, *run, args) (any, error){
	"append": func(v any, r *run, a args) (any, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return nil, err
		}
		l := v.(*list)
		l.items = append(slices.Clip(l.items), given[0])
		return nil, r.grow(1)
	},
	"extend": func(v any, r *run, a args) (any, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return nil, err
		}
		more, err := items(r, given[0])
		if err != nil {
			return nil, err
		}
		l := v.(*list)
		l.items = append(slices.Clip(l.items), more...)
		return nil, r.grow(len(more))
	},
	"count": func(v any, _ *run, a args) (any, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return nil, err
		}
		n := int64(0)
		for _, x := range v.(*list).items {
			same, err := equal(x, given[0], 0)
			if err != nil {
				return nil, err
			}
			if same {
				n++
			}
		}
		return n, nil
	},
	"index": func(v any, _ *run, a args) (any, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return nil, err
		}
		for i, x := range v.(*list).items {
			if same, err := equal(x, given[0], 0); same || err != nil {
				return int64(i), err
			}
		}
		return nil, faultf("the list does not hold it")
	},
}

var dictMethods = map[string]func(any, *run, args) (any, error){
	"items":  dictView("items"),
	"keys":   dictView("keys"),
	"values": dictView("values"),
	"get": func(v any, _ *run, a args) (any, error) {
		given, err := need(a, 1, 2)
		if err != nil {
			return nil, err
		}
		k, err := textOf(given[0])
		if err != nil {
			return nil, err
		}
		if x, ok := v.(*dict).get(k); ok {
			return x, nil
		}
		return given[1], nil
	},
}

func dictView(kind string) func(any, *run, args) (any, error) {
	return func(v any, _ *run, a args) (any, error) {
		_, err := need(a, 0, 0)
		return v.(*dict).view(kind), err
	}
}
