package harness_test

import (
	stdjson "encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// TestListsOfACase: the lists of documents and limits contain every field. A document or
// limit that is not listed is neither shrunk nor watched.
func TestListsOfACase(t *testing.T) {
	var c harness.Case
	for name, value := range fields[jsontext.Value](&c) {
		*value = jsontext.Value(strconv.Quote(name))
	}
	documents := maps.Collect(c.Documents())
	for name, value := range fields[jsontext.Value](&c) {
		if string(documents[name]) != string(*value) {
			t.Errorf("the document %s is %s, not %s", name, documents[name], *value)
		}
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

// TestOwnDocuments: a case contains documents of any name, a copy has its own, and their
// JSON comes back as it was.
func TestOwnDocuments(t *testing.T) {
	const text = `{"dialect":"note","plan":{},"replies":["a"],"page":{"words":["b"]}}`
	var c harness.Case
	if err := json.Unmarshal([]byte(text), &c, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	if got := string(c.Document("page")); got != `{"words":["b"]}` {
		t.Errorf("the page is %s", got)
	}
	other := c.Copy()
	other.Document("page")[2] = 'W'
	other.SetDocument("cover", jsontext.Value("1"))
	got, err := json.Marshal(c)
	if err != nil || string(got) != text {
		t.Errorf("%s, %v", got, err)
	}
	got, err = json.Marshal(other, json.Deterministic(true))
	want := `{"dialect":"note","plan":{},"replies":["a"],"cover":1,"page":{"Words":["b"]}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestStandardJSON: encoding/json reads and writes cases and profiles like the library of this module.
func TestStandardJSON(t *testing.T) {
	for _, doc := range []string{
		`{"dialect":"planpatch","profile":"documented","limits":{"max_plan_steps":3},"plan":{"title":"a","title":"b"},"replies":["x",{"base64":"/w=="}]}`,
		`{"dialect":"todos","profile":{"conflicts":"keep","reading":{"extract":"fence"},"text":"keep"},"plan":{"items":[]},"more":[1]}`,
	} {
		var c harness.Case
		if err := stdjson.Unmarshal([]byte(doc), &c); err != nil {
			t.Fatal(err)
		}
		again, err := stdjson.Marshal(c)
		if diff := cmp.Diff(doc, string(again)); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	var p harness.Profile
	if err := stdjson.Unmarshal([]byte(`{"conflicts":"no"}`), &p); err == nil {
		t.Error("an unknown value is read")
	}
}
