package yamljson_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/yamljson"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ name, text, want, err string }{
		{"values", "b: 1\na: [x, true, null, 1.5]\n", `{"b":1,"a":["x",true,null,1.5]}`, ""},
		{"a date is text", "a: 2020-01-01", `{"a":"2020-01-01"}`, ""},
		{"numbers as names", "1: a", `{"1":"a"}`, ""},
		{"not a number", "a:\n  b: .nan", "", "line 2: at /a/b: unsupported value: NaN"},
		{"an alias", "a: &x [1]\nb: *x", "", "line 2: aliases are not supported here"},
		{"a list as a name", "? [a]\n: b", "", "line 1: a name must be text"},
		{"a name twice", "a: 1\na: 2", "", "line 2: "},
		{"a list", "- a", "", "expected lines such as name: value"},
		{"nothing", "# a comment", "", "expected lines such as name: value"},
		{"no YAML", "a: {", "", "line 2, column 1: not YAML: this text is not allowed here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc, err := yamljson.Parse([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Fatalf("got %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(doc.JSON)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	doc, err := yamljson.Parse([]byte("a: 1\nb:\n  - x\n  - c: y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]int{
		"": {1, 1}, "a": {1, 4}, "b/0": {3, 5}, "b/1/c": {4, 8}, "b/7": {3, 3}, "z": {1, 1}, "a/x": {1, 4},
	} {
		line, column := doc.Place(strings.FieldsFunc(path, func(r rune) bool { return r == '/' }))
		if got := [2]int{line, column}; got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

// FuzzParse: foreign bytes become JSON or an error.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a: {b: [1, .inf]}", "a: &x {y: *x}", "? [a]\n: b", "a: !!binary aGk=", "- a", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := yamljson.Parse(data)
		if err == nil && !doc.JSON.IsValid() {
			t.Errorf("%q became %q", data, doc.JSON)
		}
	})
}
