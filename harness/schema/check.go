package schema

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/strictjson"
)

// Checker checks documents by a schema that is written with the keywords of those
// here. A library that knows all of JSON Schema takes longer to begin with than the
// whole program, and holds this one in tests.
type Checker struct{ root map[string]any }

// Checker reads the schema.
func (s Schema) Checker() (Checker, error) {
	var c Checker
	if err := json.Unmarshal(s.Data, &c.root); err != nil {
		return c, fmt.Errorf("read the schema of %s: %w", s.Name, err)
	}
	return c, nil
}

// Check lists what the schema has against a document, with the places.
func (c Checker) Check(document []byte) ([]string, error) {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return nil, err
	}
	return c.against(c.root, "", v), nil
}

// against lists what a schema has against a value.
func (c Checker) against(schema any, at string, v any) (faults []string) {
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return []string{place(at) + "must not be there"}
		}
		return nil // true
	}
	if ref, ok := s["$ref"].(string); ok {
		defs, _ := c.root["$defs"].(map[string]any)
		faults = c.against(defs[strings.TrimPrefix(ref, "#/$defs/")], at, v)
	}
	if what := single(s, v); what != "" {
		return append(faults, place(at)+what)
	}
	switch v := v.(type) {
	case map[string]any:
		faults = append(faults, c.object(s, at, v)...)
	case []any:
		for i, item := range v {
			if items, ok := s["items"]; ok {
				faults = append(faults, c.against(items, at+"/"+strconv.Itoa(i), item)...)
			}
		}
	}
	return append(faults, c.composed(s, at, v)...)
}

// place is where something is wrong; nothing of the document itself.
func place(at string) string {
	if at == "" {
		return ""
	}
	return "at " + at + ": "
}

// single is what keywords that look at one value have against it.
func single(s map[string]any, v any) string {
	if types := list(s["type"]); types != nil && !slices.ContainsFunc(types, func(t any) bool { return isA(v, t) }) {
		return "got " + typeOf(v) + ", want " + words(types, " or ")
	}
	if values := list(s["enum"]); values != nil && !slices.ContainsFunc(values, func(x any) bool { return reflect.DeepEqual(x, v) }) {
		return "value must be one of " + quoted(values)
	}
	if want, ok := s["const"]; ok && !reflect.DeepEqual(want, v) {
		return "value must be " + quoted([]any{want})
	}
	if n, ok := v.(float64); ok {
		if low, ok := s["minimum"].(float64); ok && n < low {
			return fmt.Sprintf("must be %v or more, and is %v", low, n)
		}
	}
	if text, ok := v.(string); ok {
		if pattern, ok := s["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(text) {
			return fmt.Sprintf("%q does not match %s", text, pattern)
		}
	}
	return ""
}

// object is what keywords of members have against an object.
func (c Checker) object(s map[string]any, at string, v map[string]any) (faults []string) {
	var missing []any
	for _, name := range list(s["required"]) {
		if _, ok := v[name.(string)]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		faults = append(faults, place(at)+"missing "+plural(missing, "property")+" "+quoted(missing))
	}
	properties, _ := s["properties"].(map[string]any)
	var further []any
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if p, ok := properties[name]; ok {
			faults = append(faults, c.against(p, at+"/"+strictjson.Escape(name), v[name])...)
		} else {
			further = append(further, name)
		}
	}
	if s["additionalProperties"] == false && further != nil {
		faults = append(faults, place(at)+"additional "+plural(further, "property")+" "+quoted(further)+" not allowed")
	}
	return faults
}

// composed is what keywords that hold schemas have against a value.
func (c Checker) composed(s map[string]any, at string, v any) (faults []string) {
	for _, one := range list(s["allOf"]) {
		faults = append(faults, c.against(one, at, v)...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		fits, nearest := 0, []string(nil)
		for _, one := range list(s[keyword]) {
			wrong := c.against(one, at, v)
			if wrong == nil {
				fits++
			} else if nearest == nil || len(wrong) < len(nearest) {
				nearest = wrong
			}
		}
		if fits == 0 {
			faults = append(faults, nearest...)
		} else if keyword == "oneOf" && fits > 1 {
			faults = append(faults, place(at)+"fits more than one of what it may be")
		}
	}
	if condition, ok := s["if"]; ok {
		branch := "then"
		if c.against(condition, at, v) != nil {
			branch = "else"
		}
		if then, ok := s[branch]; ok {
			faults = append(faults, c.against(then, at, v)...)
		}
	}
	return faults
}

// list is what a keyword has as its value, one or several; nil without it.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

func typeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

func isA(v, t any) bool {
	if n, ok := v.(float64); ok && t == "integer" {
		return n == float64(int64(n))
	}
	return typeOf(v) == t
}

func quoted(values []any) string {
	texts := make([]any, len(values))
	for i, v := range values {
		if texts[i] = v; typeOf(v) == "string" {
			texts[i] = fmt.Sprintf("'%s'", v)
		}
	}
	return words(texts, ", ")
}

func words(values []any, between string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, between)
}

func plural(values []any, word string) string {
	if len(values) == 1 {
		return word
	}
	return strings.TrimSuffix(word, "y") + "ies"
}
