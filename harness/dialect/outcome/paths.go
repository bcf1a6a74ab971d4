package outcome

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/diff"
)

// Path is a place where what came is not what was wanted. Want and Got are
// JSON, or "nothing" for a missing value.
type Path struct {
	Pointer string `json:"at"` // JSON Pointer into the outcome
	Want    string `json:"want"`
	Got     string `json:"got"`
}

// String renders the path on three lines, with escapes for everything that
// cannot be printed.
func (p Path) String() string {
	return fmt.Sprintf("%s\n  expected %s\n  got      %s", printable(p.Pointer), printable(p.Want), printable(p.Got))
}

// words is the path in one sentence.
func (p Path) words() string {
	switch {
	case p.Want == nothing:
		return fmt.Sprintf("%s is %s and should not be there", p.Pointer, cut(p.Got, longestList))
	case p.Got == nothing:
		return fmt.Sprintf("%s is missing and should be %s", p.Pointer, cut(p.Want, longestList))
	}
	return fmt.Sprintf("%s is %s and not %s", p.Pointer, cut(p.Got, longestList), cut(p.Want, longestList))
}

const nothing = "nothing"

// Number is a number as it is written: as floating point, two large integers
// could look the same.
type Number string

// MarshalJSON writes the number as it was.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Tree decodes JSON that is known to be well-formed; nil if it is not.
func Tree(raw []byte) any {
	var tree any
	exact := json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		number, err := dec.ReadValue()
		*v = Number(number)
		return err
	}))
	if err := json.Unmarshal(raw, &tree, exact, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil
	}
	return tree
}

// TreeOf turns a value into what its JSON decodes to.
func TreeOf(v any) any {
	raw, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return Tree(raw)
}

// Paths returns the sorted places where two trees differ. Lists of different lengths
// differ as a whole. at is the pointer to the compared value.
func Paths(at string, want, got any) []Path {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	same := diff.Ignore(func(p cmp.Path, want, got any) bool { return sameValue(at, p, want, got) })
	var list []Path
	for _, p := range diff.Paths(want, got, same, diff.ByIndex[any]()) {
		list = append(list, Path{at + p.Pointer(), encode(brief(p.Want)), encode(brief(p.Got))})
	}
	return list
}

// sameValue reports whether two values at a place below the pointer at mean the same. What
// is absent equals its default, and numbers with a fraction or an exponent count by value.
func sameValue(at string, p cmp.Path, want, got any) bool {
	switch {
	case want == nil && got == nil, sameNumber(want, got):
		return true
	case isDefault(want) && isDefault(got):
		return at+diff.Path{Names: diff.Names(p)}.Pointer() != "/at"
	case want == nil || got == nil || isList(want) && isList(got):
		return filedAlike(at+diff.Path{Names: diff.Names(p)}.Pointer(), want, got)
	}
	return false
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// pruned is a value below the pointer at without the members to drop.
func pruned(at string, v any, drop func(at string, v any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, member := range v {
			place := at + "/" + name
			if member = pruned(place, member, drop); !drop(place, member) {
				kept[name] = member
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = pruned(at+"/"+strconv.Itoa(i), v[i], drop)
		}
		return kept
	}
	return v
}

// filed reports whether an entry of the history says no more with the value than without it.
// Plans are equal if one of them keeps no operations.
func filed(at string, v any) bool {
	kept, err := path.Match("/plan/history/*/operations", at)
	return kept && err == nil || filedAlike(at, v, nil)
}

// silent reports whether a value at a place says no more than its absence would.
func silent(at string, v any) bool { return isDefault(v) || filed(at, v) }

// isDefault reports whether a value says no more than its absence would.
func isDefault(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case nil, string, bool, Number:
		return v == nil || v == "" || v == false || v == Number("0")
	}
	return false
}

// sameNumber compares numbers by value if one has a fraction or an exponent;
// integers are the same only if they are written the same.
func sameNumber(want, got any) bool {
	w, ok1 := want.(Number)
	g, ok2 := got.(Number)
	if !ok1 || !ok2 || !strings.ContainsAny(string(w+g), ".eE") {
		return false
	}
	x, err1 := strconv.ParseFloat(string(w), 64)
	y, err2 := strconv.ParseFloat(string(g), 64)
	return err1 == nil && err2 == nil && x == y
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

// encode writes a value as compact JSON with spaces, for people.
func encode(v any) string {
	if v == nil {
		return nothing
	}
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, v, json.Deterministic(true), jsontext.SpaceAfterColon(true),
		jsontext.SpaceAfterComma(true)); err != nil {
		return strings.TrimSpace(fmt.Sprint(v))
	}
	return b.String()
}

// printable escapes invisible characters, and cuts long texts.
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
