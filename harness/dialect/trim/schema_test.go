package trim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/testdata/schematest"
	"replanbench/scenarios"
)

// TestTrimming compares what the schema and the reference take for a case of the
// dialect trim, over the built-in scenarios and many generated cases.
func TestTrimming(t *testing.T) {
	trimming := schematest.Compile(t, "trim")
	judged := map[bool]int{}
	judge := func(name string, c harness.Case) {
		out, err := reference.Judge(c, harness.Reference())
		if err != nil {
			t.Fatal(err)
		}
		switch out.Code {
		case harness.DuplicateKey, harness.InvalidUTF8, harness.TooDeep, harness.NoDocument:
			return // no matter of a schema
		}
		doc, err := json.Marshal(map[string]jsontext.Value{"messages": c.Messages, "budget": c.Budget, "policy": c.Policy})
		if err != nil {
			t.Fatal(err)
		}
		// The schema does not describe parentheses and thresholds within the text of a policy step.
		text := strings.Contains(out.Message, ", column ") && !strings.Contains(out.Message, "unknown policy") &&
			!strings.Contains(out.Message, "name is missing")
		fits := out.Verdict == harness.Applied || out.Code == harness.CannotFit || text
		judged[fits]++
		if err := schematest.Validate(trimming, doc); (err == nil) != fits {
			t.Errorf("%s: the reference says that the case fits its form: %t (%s); the schema says %v", name, fits, out.Message,
				err)
		}
	}
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Case.Dialect == "trim" {
			judge(s.ID, s.Case)
		}
	}
	for i := range uint64(400) {
		source, err := all.Source("trim", generators.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := source.At(1, i)
		name := fmt.Sprintf("case %d %v", i, s.Traits)
		judge(name, s.Case)
		if out, _ := reference.Judge(s.Case, harness.Reference()); len(s.Want.Codes) > 1 && out.Code != s.Want.Codes[0] {
			t.Errorf("%s: the label names the code %s first, and the reference gives %s", name, s.Want.Codes[0], out.Code)
		}
	}
	for _, policy := range []string{
		`[]`, `["none",{"name":"pinned","keep":0}]`, `" clamp ( 25 ) | none"`, `[{"name":"window","n":1048576}]`,
		`[{"name":"window","n":-1}]`, `[{"name":"window","keep":3}]`, `[{"name":"priority","over":0}]`, `[{}]`, `[7]`, `{}`,
		`""`,
	} {
		c := harness.Case{Dialect: "trim", Messages: []byte(`[]`), Budget: []byte(`{"max_tokens":5}`), Policy: []byte(policy)}
		judge(policy, c)
	}
	if judged[false] < 30 || judged[true] < 100 {
		t.Errorf("only %v cases that fit, or not, were judged", judged)
	}
}
