package toolmap

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Answer is the result of a tool.
type Answer struct {
	Text       string
	Structured []byte // JSON; nil without it
	Error      bool   // the protocol marks it as an error
}

// Report is what an answer reports.
type Report struct {
	Refused bool
	// Unmarked says that the tool reports the refusal in its text or in a member only.
	Unmarked bool
	IDs      []string // of new tasks
	Ready    []string // that next names
}

// Answer reads the answer of a tool that a recording or a session names.
func (m *Map) Answer(tool string, a Answer) Report {
	r := &m.Result
	if ways := m.ways(tool); len(ways) > 0 {
		r = m.resultOf(ways[0])
	}
	return r.Read(a)
}

// Values returns the parts of the answer that are JSON, the structured one first. Half a surrogate
// pair, which some servers keep in a text, hides nothing else.
func (a Answer) Values() (values []any) {
	for _, text := range []string{string(a.Structured), a.Text} {
		var v any
		if strings.TrimSpace(text) != "" && json.Unmarshal([]byte(text), &v, jsontext.AllowInvalidUTF8(true)) == nil {
			values = append(values, v)
		}
	}
	return values
}

// Read reads an answer.
func (r *Result) Read(a Answer) Report {
	values := a.Values()
	report := Report{Refused: a.Error}
	for _, p := range r.Refused {
		if !report.Refused && (p.Match.Regexp != nil && p.Match.MatchString(a.Text) || len(p.find(values, a.Text)) > 0) {
			report.Refused, report.Unmarked = true, true
		}
	}
	first := func(places []Place) []string {
		for _, p := range places {
			if list := p.find(values, a.Text); len(list) > 0 {
				return list
			}
		}
		return nil
	}
	if !report.Refused {
		report.IDs, report.Ready = first(r.ID), first(r.Ready)
	}
	return report
}

// find returns the texts at the place.
func (p Place) find(values []any, text string) (list []string) {
	if p.Match.Regexp != nil {
		for _, m := range p.Match.FindAllStringSubmatch(text, -1) {
			if found := m[len(m)-1]; found != "" && !slices.Contains(list, found) {
				list = append(list, found)
			}
		}
		return list
	}
	for _, v := range values {
		for _, found := range At(v, p.JSON) {
			if p.Is != nil {
				if same(found, p.Is) {
					list = append(list, p.JSON)
				}
				continue
			}
			if text, ok := id(found).(string); ok && text != "" {
				list = append(list, text)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// At returns the values at a JSON Pointer; the name "*" means all items of a list, or all
// members of an object that has no member of that name, by name.
func At(v any, pointer string) []any {
	values := []any{v}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		var next []any
		for _, v := range values {
			switch v := v.(type) {
			case map[string]any:
				if item, ok := v[part]; ok {
					next = append(next, item)
				} else if part == "*" {
					for _, name := range slices.Sorted(maps.Keys(v)) {
						next = append(next, v[name])
					}
				}
			case []any:
				if part == "*" {
					next = append(next, v...)
				}
			}
		}
		values = next
	}
	return values
}
