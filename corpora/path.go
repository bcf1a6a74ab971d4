package corpora

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// member returns the value of a member of a JSON object, or nil.
func member(object jsontext.Value, name string) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

// elements returns the elements of a JSON array.
func elements(array jsontext.Value) []jsontext.Value {
	var list []jsontext.Value
	if json.Unmarshal(array, &list) != nil {
		return nil
	}
	return list
}

// lookup follows names and indices into a document. It returns nil for missing values and
// null. It also looks into strings that contain JSON.
func lookup(doc jsontext.Value, path ...string) jsontext.Value {
	for _, name := range path {
		switch doc.Kind() {
		case '"':
			doc = member(unwrap(doc), name)
		case '[':
			list := elements(doc)
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(list) {
				return nil
			}
			doc = list[i]
		default:
			doc = member(doc, name)
		}
	}
	if doc.Kind() == 'n' {
		return nil
	}
	return doc
}

// unwrap returns the JSON inside a JSON string, or else the value itself.
func unwrap(v jsontext.Value) jsontext.Value {
	if v.Kind() != '"' {
		return v
	}
	inner := jsontext.Value(text(v))
	if !inner.IsValid() {
		return v
	}
	return inner
}

// text returns a JSON string's text, any other value as JSON, "" for nil.
func text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	return string(s)
}

// Mapping locates a field of the record in an imported document.
type Mapping struct {
	field field
	path  []string
	part  *regexp.Regexp // the part of the text; nil: all
	spec  string
}

// ParseMapping reads field=path. A path consists of names and indices joined by dots
// (meta.plan), or is a JSON Pointer (/meta/plan) for names with dots. A suffix ~REGEXP
// selects the matching part of the text, or its first group.
func ParseMapping(s string) (Mapping, error) {
	name, path, ok := strings.Cut(s, "=")
	if !ok || path == "" {
		return Mapping{}, fmt.Errorf("mapping %q: write field=path, such as plan=meta.plan", s)
	}
	fields := fields()
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return Mapping{}, fmt.Errorf("mapping %q: unknown field %q (the fields are %s)", s, name,
			strings.Join(Fields(), ", "))
	}
	m := Mapping{field: fields[i], spec: s}
	path, part, ok := strings.Cut(path, "~")
	if ok {
		re, err := regexp.Compile(part)
		if err != nil {
			return Mapping{}, fmt.Errorf("mapping %q: %w", s, err)
		}
		m.part = re
	}
	if strings.HasPrefix(path, "/") {
		for token := range jsontext.Pointer(path).Tokens() {
			m.path = append(m.path, token)
		}
	} else {
		m.path = strings.Split(path, ".")
	}
	return m, nil
}

// find returns the value that the mapping points at, or nil.
func (m Mapping) find(doc jsontext.Value) jsontext.Value {
	v := lookup(doc, m.path...)
	if v == nil || m.part == nil {
		return v
	}
	match := m.part.FindStringSubmatch(text(v))
	if match == nil {
		return nil
	}
	quoted, err := jsontext.AppendQuote(nil, match[min(1, len(match)-1)])
	if err != nil {
		return nil
	}
	return quoted
}
