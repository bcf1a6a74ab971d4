package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// Difference is a place where an outcome is not as wanted. Want and Got are
// JSON, or "nothing" for what is absent.
type Difference struct {
	Pointer string // JSON Pointer into the outcome
	Want    string
	Got     string
}

// String renders the difference on three lines, with escapes for everything
// that cannot be printed.
func (d Difference) String() string {
	return fmt.Sprintf("%s\n  want %s\n  got  %s", printable(d.Pointer), printable(d.Want), printable(d.Got))
}

// Match compares an outcome with what the scenario wants:
//
//   - Only the members of want.json count, and so on downwards for objects.
//     Lists are compared whole: their length and each item in its place.
//     Warnings have no order among themselves; those with the same code have.
//   - An absent member equals its default (an empty list, an empty text,
//     zero, false), and a wanted null says that there is none.
//   - The members at, rung, tier, repairs, warnings, meta, events and trace, and
//     the messages of a run, are optional for engines: they are compared only
//     where the outcome has them. [Scenario.Unchecked] names those that were not.
//   - Where operations is wanted as a list of texts, these are the results of
//     the operations. Where trace is, each names the state that was entered, or
//     an event with its step and its code.
//   - A message is never compared.
//
// It returns nil when all is as wanted.
func (s Scenario) Match(out harness.Outcome) []Difference {
	want, got := decodeObject(s.Want), outcomeObject(out)
	for _, name := range s.unchecked(want, got) {
		delete(want, name)
	}
	inShort(want, got)
	var m matcher
	m.object("", want, got)
	return m.differences
}

// inShort puts lists of an outcome in the short form in which they are wanted.
func inShort(want, got map[string]any) {
	resultsOnly(want, got)
	traceInShort(want, got)
}

// Unchecked names the members that the scenario wants and that the outcome
// does not have and need not have. Of the built-in reference there are none.
func (s Scenario) Unchecked(out harness.Outcome) []string {
	return s.unchecked(decodeObject(s.Want), outcomeObject(out))
}

func (s Scenario) unchecked(want, got map[string]any) []string {
	var names []string
	for _, name := range []string{"at", "rung", "tier", "repairs", "warnings", "meta", "events", "trace", "messages"} {
		if name == "messages" && s.Case.Dialect == "trim" {
			continue // what is left is the answer itself
		}
		w, wanted := want[name]
		if _, given := got[name]; wanted && w != nil && !given {
			names = append(names, name)
		}
	}
	return names
}

// outcomeObject turns an outcome into what its JSON decodes to.
func outcomeObject(out harness.Outcome) map[string]any {
	raw, err := json.Marshal(out, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return decodeObject(raw)
}

// decodeObject decodes JSON that is known to be an object. Numbers stay as
// they are written: as floating point, two ids of a finished step's result
// could look the same.
func decodeObject(raw []byte) map[string]any {
	var object map[string]any
	exact := json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		number, err := dec.ReadValue()
		*v = number.Clone()
		return err
	}))
	if err := json.Unmarshal(raw, &object, exact, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil
	}
	return object
}

// matcher collects differences.
type matcher struct {
	differences []Difference
}

func (m *matcher) differ(at string, want, got any) {
	m.differences = append(m.differences, Difference{at, encode(want), encode(got)})
}

func (m *matcher) value(at string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			m.object(at, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			if at == "/warnings" {
				w, g = byCode(w), byCode(g)
			}
			for i := range w {
				m.value(at+"/"+strconv.Itoa(i), w[i], g[i])
			}
			return
		}
	}
	switch {
	case reflect.DeepEqual(want, got):
	case at != "/at" && isDefault(want) && isDefault(got):
	case sameNumber(want, got):
	default:
		m.differ(at, brief(want), brief(got))
	}
}

// object compares the wanted members; those of least depth first, by name.
func (m *matcher) object(at string, want, got map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		m.value(at+"/"+strictjson.Escape(name), want[name], got[name])
	}
}

// sameNumber compares numbers by value if one has a fraction or an exponent;
// integers are the same only if they are written the same.
func sameNumber(want, got any) bool {
	w, ok1 := want.(jsontext.Value)
	g, ok2 := got.(jsontext.Value)
	if !ok1 || !ok2 || !strings.ContainsAny(string(w)+string(g), ".eE") {
		return false
	}
	x, err1 := strconv.ParseFloat(string(w), 64)
	y, err2 := strconv.ParseFloat(string(g), 64)
	return err1 == nil && err2 == nil && x == y
}

// byCode returns warnings in the order of their codes.
func byCode(warnings []any) []any {
	code := func(v any) string {
		object, _ := v.(map[string]any)
		text, _ := object["code"].(string)
		return text
	}
	return slices.SortedStableFunc(slices.Values(warnings), func(a, b any) int {
		return strings.Compare(code(a), code(b))
	})
}

// isDefault reports whether a value says no more than its absence would.
func isDefault(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case jsontext.Value:
		return string(v) == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// brief shortens a list of steps to their ids, which is what differs when
// such lists differ in length.
func brief(v any) any {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return v
	}
	ids := make([]any, len(list))
	for i, item := range list {
		object, _ := item.(map[string]any)
		if ids[i], ok = object["id"]; !ok {
			return v
		}
	}
	return ids
}

// printable escapes what cannot be seen, and cuts what is too long to read.
func printable(text string) string {
	const longest = 2000
	var b strings.Builder
	for i, r := range text {
		if i > longest {
			return b.String() + fmt.Sprintf("… (%d bytes more)", len(text)-i)
		}
		switch {
		case unicode.IsGraphic(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
