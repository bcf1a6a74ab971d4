package schema_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/schema"
)

func TestCheck(t *testing.T) {
	const source = `{
		"type": "object", "required": ["verdict"], "additionalProperties": false,
		"properties": {
			"verdict": {"enum": ["applied", "rejected"]}, "n": {"type": "integer", "minimum": 1}, "list": {"items": {"type": "string"}},
			"either": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, "when": {"type": "string", "format": "date"}
		}
	}`
	checker, err := schema.Schema{Name: "source", Data: []byte(source)}.Checker()
	if err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string][]string{
		`{"verdict":"applied","n":1.0,"either":["a"],"when":"2026-11-23"}`: nil,
		`{}`:                                 {"missing property 'verdict'"},
		`{"verdict":"x"}`:                    {"at /verdict: value must be one of 'applied', 'rejected'"},
		`{"verdict":"applied","n":0}`:        {"at /n: minimum: got 0, want 1"},
		`{"verdict":"applied","a/b":1}`:      {"additional properties 'a/b' not allowed"},
		`{"verdict":"applied","list":[1]}`:   {"at /list/0: got number, want string"},
		`{"verdict":"applied","either":[1]}`: {"at /either/0: got number, want string"},
		`{"verdict":"applied","when":"x"}`: {"at /when: 'x' is not valid date: parsing time \"x\" as \"2006-01-02\": " +
			"cannot parse \"x\" as \"2006\""},
		`{"n":"1","list":[true]}`: {
			"at /list/0: got boolean, want string", "at /n: got string, want integer",
			"missing property 'verdict'",
		},
	} {
		got, err := checker.Check([]byte(document))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", document, err, diff)
		}
	}
	if _, err := checker.Check([]byte(`{`)); err == nil {
		t.Error("what is not JSON is accepted")
	}
}

// TestChecker: a schema that cannot be checked is an error, and never passes a document.
func TestChecker(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there.json", []byte(`{"type": "string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`{`, `{"type": "text"}`, `{"$ref": "#/$defs/missing"}`, `{"$ref": "other.json"}`, `{"$ref": "there.json"}`,
		`{"pattern": "("}`, `{"$schema": "https://example.org/own"}`,
	} {
		if _, err := (schema.Schema{Name: "source", Data: []byte(source)}).Checker(); err == nil {
			t.Errorf("%s compiles", source)
		}
	}
}
