package reports

import (
	"bytes"
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/golden"
)

// makeSchema makes the JSON Schema (draft 2020-12) of the report document
// from its Go types.
func makeSchema() *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, Mapper: closedLists, Namer: qualified}
	s := r.Reflect(&Report{})
	openMembers(s.Definitions["harness.Outcome"])
	openMembers(s.Definitions["harness.Case"])
	optional(s.Definitions["score.Rate"], "low", "high")
	optional(s.Definitions["score.Row"], "low", "high", "test", "p", "p_corrected", "needed", "detectable")
	s.Title = "Report"
	s.Description = "What came of a run. Who compares reports leaves environment out."
	return s
}

// openMembers lets a type have further members, which Go keeps in the field
// More and JSON has beside the others.
func openMembers(s *jsonschema.Schema) {
	s.Properties.Delete("More")
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "More" })
	s.AdditionalProperties = nil
}

// optional names what documented replies lack.
func optional(s *jsonschema.Schema, members ...string) {
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(members, name) })
}

// qualified names a type with its package, since two of them may have a type of
// the same name.
func qualified(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}

// closedLists maps the types with a closed list of values.
func closedLists(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[harness.Status]():
		return statusSchema()
	case reflect.TypeFor[Verdict]():
		return &jsonschema.Schema{Enum: []any{Passed, Failed, Incomplete}}
	case reflect.TypeFor[harness.Profile]():
		return &jsonschema.Schema{Description: "the name of a set, or an object of knobs over the set reference"}
	case reflect.TypeFor[jsontext.Value]():
		return &jsonschema.Schema{Description: "any JSON: a document of a case as it is, malformed ones included"}
	case reflect.TypeFor[plan.Plan]():
		return &jsonschema.Schema{
			Type:        "object",
			Description: "a plan, in the form of its dialect (replanbench schema outcome)",
		}
	case reflect.TypeFor[harness.Reply]():
		return &jsonschema.Schema{Description: "a text, or {\"base64\": …} for bytes that are not UTF-8"}
	case reflect.TypeFor[map[harness.Status]int]():
		return &jsonschema.Schema{
			Type: "object", PropertyNames: statusSchema(),
			AdditionalProperties: &jsonschema.Schema{Type: "integer"},
		}
	}
	return nil
}

func statusSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, t := range harness.Statuses() {
		s.Enum = append(s.Enum, t.Name)
	}
	return s
}

// TestSchema: the built-in schema describes the types. (-update writes it.)
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, makeSchema()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "report.schema.json", b.Bytes())
}
