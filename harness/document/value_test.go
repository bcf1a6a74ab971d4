package document_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	doc "replanbench/harness/document"
)

func patch() doc.Value {
	id := doc.ID().As("id").Says("An id.")
	return doc.Object(
		doc.May("type", doc.Enum("Patch")), doc.Needs("step", id), doc.May("other", id).Says("Or this."),
		doc.May("remove", doc.List(id).Unordered().Counts()), doc.May("at", doc.Integer("0", "9")).Also("position"),
		doc.Needs("change", doc.OneOf(doc.Object(doc.May("note", doc.Text("a"))).Opened(), doc.Number())),
	).As("Patch").Says("An edit.")
}

// TestSchema: every keyword is derived, and a shared value is defined once.
func TestSchema(t *testing.T) {
	const want = `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Patch", "description": "An edit.",
		"type": "object", "properties": {
			"type": {"enum": ["Patch", null]},
			"step": {"$ref": "#/$defs/id"},
			"other": {"anyOf": [{"$ref": "#/$defs/id"}, {"type": "null"}], "description": "Or this."},
			"remove": {"type": ["array", "null"], "items": {"$ref": "#/$defs/id"}},
			"at": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
			"position": {"type": ["integer", "null"], "minimum": 0, "maximum": 9,
				"description": "Another name of at, which counts where both are given."},
			"change": {"oneOf": [
				{"type": "object", "properties": {"note": {"type": ["string", "null"], "examples": ["a", null]}}},
				{"type": "number"}
			]}
		},
		"required": ["step", "change"], "additionalProperties": false,
		"$defs": {"id": {"type": "string", "pattern": "\\S", "description": "An id."}}
	}`
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(patch().Schema(), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLayout: the places of ids and lists come from the declaration, and so do the words.
func TestLayout(t *testing.T) {
	want := doc.Layout{
		IDs: []string{"step", "other"}, Lists: []string{"remove"}, Sets: []string{"remove"}, Counted: []string{"remove"},
		Words: []string{"type", "Patch", "step", "other", "remove", "at", "position", "change", "note", "a"},
	}
	if diff := cmp.Diff(want, doc.LayoutOf(patch())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
