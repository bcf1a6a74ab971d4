package harness_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// TestListsOfACase holds the lists of documents and limits to the fields that
// there are: what they leave out is neither shrunk nor watched.
func TestListsOfACase(t *testing.T) {
	var c harness.Case
	documents := map[string]any{}
	for _, d := range c.Documents() {
		documents[d.Name] = d.Value
	}
	if diff := cmp.Diff(fields[jsontext.Value](&c), documents, samePointers); diff != "" {
		t.Errorf("documents (-fields +listed):\n%s", diff)
	}
	limits := map[string]any{}
	for _, l := range c.Limits.All() {
		limits[l.Name] = l.Value
	}
	if diff := cmp.Diff(fields[*int](&c.Limits), limits, samePointers); diff != "" {
		t.Errorf("limits (-fields +listed):\n%s", diff)
	}
}

// samePointers compares pointers by where they lead.
var samePointers = cmp.Comparer(func(a, b any) bool { return a == b })

// fields returns pointers to the fields of type T by their names in JSON.
func fields[T any](to any) map[string]any {
	list := map[string]any{}
	for f, v := range reflect.ValueOf(to).Elem().Fields() {
		if p, ok := v.Addr().Interface().(*T); ok {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			list[name] = p
		}
	}
	return list
}
