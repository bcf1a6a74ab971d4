package schema_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/reference"
	"replanbench/harness/schema"
	"replanbench/harness/schema/schematest"
	"replanbench/scenarios"
)

// TestCheck holds the checker to the library, on outcomes of the reference that are
// changed at every place.
func TestCheck(t *testing.T) {
	source, _ := all.Schema("outcome")
	checker, err := schema.Schema{Name: "outcome", Data: source}.Checker()
	if err != nil {
		t.Fatal(err)
	}
	library := schematest.Compile(t, "outcome")
	verdicts, n := map[bool]int{}, map[string]int{}
	check := func(doc any) {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		faults, err := checker.Check(data)
		if err != nil {
			t.Fatal(err)
		}
		want := schematest.Validate(library, data)
		if verdicts[want == nil]++; (want == nil) != (faults == nil) {
			t.Fatalf("%s: the library says %v, the checker %q", data, want, faults)
		}
	}
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if n[s.Case.Dialect]++; n[s.Case.Dialect]%150 != 1 {
			continue
		}
		out, err := reference.Judge(s.Case, harness.Reference())
		if err != nil {
			continue
		}
		data, err := json.Marshal(out)
		var doc any
		if err != nil || json.Unmarshal(data, &doc) != nil {
			t.Fatal(err)
		}
		check(doc)
		change(doc, func() { check(doc) })
	}
	if verdicts[true] < 20 || verdicts[false] < 100 {
		t.Errorf("so many are taken and refused: %v", verdicts)
	}
}

// change changes a document at every place, one after the other, and calls look.
func change(v any, look func()) {
	others := []any{nil, "x", -1.0, 1.5, true, []any{"x"}, map[string]any{"id": "x"}}
	switch v := v.(type) {
	case map[string]any:
		v["colour"] = "red"
		look()
		delete(v, "colour")
		for name, was := range v {
			delete(v, name)
			look()
			for _, v[name] = range others {
				look()
			}
			v[name] = was
			change(was, look)
		}
	case []any:
		for i, was := range v[:min(len(v), 2)] {
			for _, v[i] = range others {
				look()
			}
			v[i] = was
			change(was, look)
		}
	}
}
