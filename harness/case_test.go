package harness_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// TestListsOfACase holds the lists of documents and limits to the fields that
// there are: what they leave out is neither shrunk nor watched.
func TestListsOfACase(t *testing.T) {
	var c harness.Case
	documents := map[string]*jsontext.Value{}
	for _, d := range c.Documents() {
		documents[d.Name] = d.Value
	}
	if want := fields[jsontext.Value](&c); !maps.Equal(want, documents) {
		t.Errorf("the documents listed are %v and the fields %v", documents, want)
	}
	limits := map[string]**int{}
	for _, l := range c.Limits.All() {
		limits[l.Name] = l.Value
	}
	if want := fields[*int](&c.Limits); !maps.Equal(want, limits) {
		t.Errorf("the limits listed are %v and the fields %v", limits, want)
	}
}

// fields returns pointers to the fields of type T by their names in JSON.
func fields[T any](of any) map[string]*T {
	list := map[string]*T{}
	for f, v := range reflect.ValueOf(of).Elem().Fields() {
		if p, ok := reflect.TypeAssert[*T](v.Addr()); ok {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			list[name] = p
		}
	}
	return list
}
