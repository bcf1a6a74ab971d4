package jinja

import (
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// filters are those that prompts use. Three more take filters and tests as
// arguments: map, select and reject, and selectattr and rejectattr.
func filters() map[string]builtin {
	replacing := []param{{"old", required{}}, {"new", required{}}, {"count", nil}}
	otherwise := []param{{"default_value", ""}, {"boolean", false}}
	return map[string]builtin{
		"count":   {length, nil},
		"d":       {defaultFilter, otherwise},
		"default": {defaultFilter, otherwise},
		"e":       {onText(escape), nil},
		"escape":  {onText(escape), nil},
		"first":   {end(false), nil},
		"float":   {floatFilter, nil},
		"indent":  {indent, []param{{"width", int64(4)}, {"first", false}, {"blank", false}}},
		"int":     {intFilter, nil},
		"join":    {join, []param{{"d", ""}}},
		"last":    {end(true), nil},
		"length":  {length, nil},
		"list":    {func(r *run, v any, _ []any) any { return &list{kind: aList, items: items(r, v)} }, nil},
		"lower":   {onText(letters(lower)), nil},
		"replace": {onText(replace), replacing},
		"round":   {roundFilter, []param{{"precision", int64(0)}, {"method", "common"}}},
		"safe":    {onText(func(_ *run, s string, _ []any) any { return markup(s) }), nil},
		"sort":    {sortFilter, []param{{"reverse", false}, {"case_sensitive", false}}},
		"string":  {onText(func(_ *run, s string, _ []any) any { return s }), nil},
		"tojson":  {tojson, []param{{"indent", nil}}},
		"title":   {onText(title), nil},
		"trim":    {onText(stripper(strings.TrimFunc)), []param{{"chars", nil}}},
		"upper":   {onText(letters(upper)), nil},
	}
}

// onText makes a filter of a function on text. Other values are turned into
// text first, as Jinja2 does.
func onText(f func(r *run, s string, a []any) any) func(*run, any, []any) any {
	return func(r *run, v any, a []any) any { return f(r, r.text(v), a) }
}

// letters makes a filter or method of a change of letters.
func letters(f func(string) string) func(*run, string, []any) any {
	return func(r *run, s string, _ []any) any {
		const growth = 3 // no letter has more than three times the bytes in another case
		r.charge(growth * len(s))
		return f(s)
	}
}

func upper(s string) string { return cases.Upper(language.Und).String(s) }
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// escape replaces HTML's special characters, as MarkupSafe does.
func escape(r *run, s string, _ []any) any {
	const growth = 5 // of a quotation mark
	r.charge(growth * len(s))
	return markup(html.EscapeString(s))
}

// stripper strips white space, or the characters given.
func stripper(by func(string, func(rune) bool) string) func(*run, string, []any) any {
	return func(r *run, s string, a []any) any {
		if a[0] == nil {
			r.step(len(s) / 64)
			return by(s, space)
		}
		set := argument[string](a[0])
		r.step(len(s) * (len(set)/64 + 1))
		return by(s, func(c rune) bool { return strings.ContainsRune(set, c) })
	}
}

// replace replaces text; a are old, new and how often, or nil.
func replace(r *run, s string, a []any) any {
	old, now, most := argument[string](a[0]), argument[string](a[1]), int64(-1)
	if a[2] != nil {
		most = argument[int64](a[2])
	}
	r.step((len(s) + len(old)) / 64)
	n := int64(strings.Count(s, old))
	if most >= 0 {
		n = min(n, most)
	}
	r.charge(len(s) + int(n)*max(0, len(now)-len(old)))
	return strings.Replace(s, old, now, int(n))
}

// indent puts white space before every line but the first and blank ones.
func indent(r *run, v any, a []any) any {
	by, ok := a[0].(string)
	if !ok {
		n := int(max(0, min(argument[int64](a[0]), maxBytes)))
		r.charge(n)
		by = strings.Repeat(" ", n)
	}
	onFirst, onBlank, s := argument[bool](a[1]), argument[bool](a[2]), onlyText(v)
	r.charge(len(s))
	b := &builder{run: r}
	for i, line := range splitLines(r, s+"\n") {
		if i > 0 {
			b.add("\n")
		}
		if i == 0 && onFirst || i > 0 && (line != "" || onBlank) {
			b.add(by)
		}
		b.add(line.(string))
	}
	return b.String()
}

// onlyText is for what Python fails with where it is given other values.
func onlyText(v any) string {
	defined(v)
	s, ok := v.(string)
	if isA[markup](v) {
		refuse("text marked as safe is not supported")
	} else if !ok {
		fail("needs text, not %s", describe(v))
	}
	return s
}

func defaultFilter(_ *run, v any, a []any) any {
	if isA[undefined](v) || truth(a[1]) && !truth(v) {
		return a[0]
	}
	return v
}

func length(r *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		r.step(len(s) / 64)
		return int64(utf8.RuneCountInString(s))
	}
	if o, ok := v.(*object); ok {
		return int64(len(o.names))
	}
	if l, ok := v.(*list); ok && l.kind != aGenerator {
		return int64(len(l.items))
	}
	defined(v)
	if isNumber(v) || v == nil {
		fail("%s has no length", describe(v))
	}
	refuse("the length of %s is not supported", describe(v))
	return nil
}

// end makes first and last.
func end(last bool) func(*run, any, []any) any {
	return func(r *run, v any, _ []any) any {
		if last && isKind(v, aGenerator) {
			refuse("the last item of %s is not supported (add |list before it)", describe(v))
		}
		all := items(r, v)
		switch {
		case len(all) == 0:
			return undefined{what: "an empty sequence has no first and no last item"}
		case last:
			return all[len(all)-1]
		}
		return all[0]
	}
}

func join(r *run, v any, a []any) any {
	b, sep := &builder{run: r}, r.text(a[0])
	for i, x := range items(r, v) {
		if i > 0 {
			b.add(sep)
		}
		b.add(r.text(x))
	}
	return b.String()
}

// sortFilter sorts as Python does: items that compare alike keep their order.
func sortFilter(r *run, v any, a []any) any {
	backwards, sensitive := argument[bool](a[0]), argument[bool](a[1])
	values := items(r, v)
	type keyed struct{ key, item any }
	r.newList(2 * len(values))
	pairs := make([]keyed, len(values))
	for i, item := range values {
		pairs[i] = keyed{item, item}
		if s, ok := item.(string); ok && !sensitive {
			pairs[i].key = letters(lower)(r, s, nil)
		}
	}
	slices.SortStableFunc(pairs, func(a, b keyed) int {
		if backwards {
			return order(r, b.key, a.key)
		}
		return order(r, a.key, b.key)
	})
	out := r.newList(len(values))
	for _, p := range pairs {
		out = append(out, p.item)
	}
	return &list{kind: aList, items: out}
}

// intFilter reads text that Python's int() reads.
func intFilter(r *run, v any, _ []any) any {
	n, ok := number(v)
	if s, isText := v.(string); isText {
		r.step(len(s))
		parsed, err := strconv.ParseInt(strings.TrimFunc(s, space), 10, 63)
		n, ok = parsed, err == nil
	}
	if f, isFloat := v.(float64); isFloat {
		n, ok = int64(f), math.Abs(f) < largest
	}
	if defined(v); !ok {
		refuse("%s is not a number", describe(v))
	}
	return n
}
