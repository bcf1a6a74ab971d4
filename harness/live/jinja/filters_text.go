package jinja

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

var wordStart = regexp.MustCompile(`[-\s({\[<]+`)

// titleFilter is not str.title: words start behind white space and brackets.
func titleFilter(s string) any {
	var b strings.Builder
	part := func(s string) {
		if s != "" {
			_, n := utf8.DecodeRuneInString(s)
			b.WriteString(upper(s[:n]) + lower(s[n:]))
		}
	}
	for s != "" {
		at := wordStart.FindStringIndex(s)
		if at == nil {
			break
		}
		part(s[:at[0]])
		b.WriteString(s[at[0]:at[1]])
		s = s[at[1]:]
	}
	part(s)
	return b.String()
}

var word = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// escaped replaces what is special in HTML, as MarkupSafe does.
func escaped(s string) any {
	return markup(html.EscapeString(s))
}

func trim(r *run, v any, a args) (any, error) {
	given, err := bind(a, "chars")
	if err != nil {
		return nil, err
	}
	s, err := plain(v)
	if err != nil {
		return nil, err
	}
	return stripped(s, given["chars"], strings.TrimFunc)
}

func replaceFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "old", "new", "count")
	if err != nil {
		return nil, err
	}
	s, err := plain(v)
	if err != nil {
		return nil, err
	}
	return replaced(r, s, []any{given["old"], given["new"], given["count"]})
}

func center(r *run, v any, a args) (any, error) {
	given, err := bind(a, "width")
	if err != nil {
		return nil, err
	}
	width, err := option(given, "width", int64(80))
	if err != nil || width > maxOutput {
		return nil, faultf("needs a width of at most %d", maxOutput)
	}
	s, err := plain(v)
	if err != nil {
		return nil, err
	}
	out := pad(s, "center", int(width), " ")
	return out, r.grow(len(out))
}

func formatFilter(r *run, v any, a args) (any, error) {
	s, err := plain(v)
	if err != nil {
		return nil, err
	}
	if len(a.named) > 0 {
		return nil, unsupportedf("fields by name are not supported")
	}
	return format(s, a.list)
}

// indent puts white space before every line but the first and blank ones.
func indent(r *run, v any, a args) (any, error) {
	given, err := bind(a, "width", "first", "blank")
	if err != nil {
		return nil, err
	}
	by, err := indention(given)
	if err != nil {
		return nil, err
	}
	first, err := option(given, "first", false)
	if err != nil {
		return nil, err
	}
	blank, err := option(given, "blank", false)
	if err != nil {
		return nil, err
	}
	s, ok := v.(string)
	if !ok {
		return nil, faultf("needs text, not %s", describe(v))
	}
	lines := splitLines(s + "\n")
	for i := range lines {
		if i > 0 && (lines[i] != "" || blank) {
			lines[i] = by + lines[i]
		}
	}
	out := strings.Join(lines, "\n")
	if first {
		out = by + out
	}
	return out, r.grow(len(out))
}

func indention(given map[string]any) (string, error) {
	if s, ok := given["width"].(string); ok {
		return s, nil
	}
	width, err := option(given, "width", int64(4))
	if err != nil {
		return "", err
	}
	if width > 1000 {
		return "", faultf("a width above 1000")
	}
	return strings.Repeat(" ", int(max(0, width))), nil
}

// truncate cuts a text at a word, and only where it saves more than the leeway.
func truncate(r *run, v any, a args) (any, error) {
	given, err := bind(a, "length", "killwords", "end", "leeway")
	if err != nil {
		return nil, err
	}
	length, err := option(given, "length", int64(255))
	if err != nil {
		return nil, err
	}
	kill, err := option(given, "killwords", false)
	if err != nil {
		return nil, err
	}
	end, err := option(given, "end", "...")
	if err != nil {
		return nil, err
	}
	leeway, err := option(given, "leeway", int64(5))
	if err != nil {
		return nil, err
	}
	s, ok := v.(string)
	if !ok {
		return nil, faultf("needs text, not %s", describe(v))
	}
	chars, endChars := []rune(s), int64(utf8.RuneCountInString(end))
	switch {
	case length < endChars || leeway < 0:
		return nil, faultf("needs a length of at least %d and a leeway of at least 0", endChars)
	case int64(len(chars)) <= length+leeway:
		return s, nil
	}
	s = string(chars[:length-endChars])
	if i := strings.LastIndexByte(s, ' '); i >= 0 && !kill {
		s = s[:i]
	}
	return s + end, nil
}
