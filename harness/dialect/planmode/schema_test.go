package planmode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/engine/reference"
	"replanbench/harness/testdata/gentest"
	"replanbench/harness/testdata/schematest"
	"replanbench/scenarios"
)

// TestSessions compares what the schema and the reference take for a session,
// over the built-in scenarios and many generated cases.
func TestSessions(t *testing.T) {
	sessions := schematest.Compile(t, "planmode")
	judged := map[bool]int{}
	judge := func(name string, c harness.Case) {
		doc, err := json.Marshal(map[string]jsontext.Value{"context": c.Context, "files": c.Files, "calls": c.Calls})
		if err != nil || strings.Contains(string(doc), `[[[[`) {
			return // a schema says nothing about texts that are not JSON or nest too deep
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(doc, &members); err != nil {
			t.Fatal(err)
		}
		for name, v := range members {
			if len(v) == 0 || v.Kind() == 'n' {
				delete(members, name)
			}
		}
		if doc, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
		out, err := reference.Judge(c, harness.Reference())
		if err != nil {
			t.Fatal(err)
		}
		// No schema can express that a file is below another file.
		fits := out.Trace != nil || out.Code == harness.SlugExhausted ||
			strings.Contains(out.Message, "which is not a directory")
		judged[fits]++
		if err := schematest.Validate(sessions, doc); (err == nil) != fits {
			t.Errorf("%s: the reference says that the session fits its form: %t; the schema says %v", name, fits, err)
		}
	}
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Case.Dialect == "planmode" {
			judge(s.ID, s.Case)
		}
	}
	for _, traits := range [][]string{nil, {"context-malformed", "files-malformed", "calls-malformed"}} {
		source := gentest.Source(t, generate.New, generators.Options{Traits: traits})
		for i := range source.Mix() / 4 {
			s := source.At(1, i)
			judge(fmt.Sprintf("case %d %v", i, s.Traits), s.Case)
		}
	}
	if judged[false] < 20 {
		t.Errorf("only %d documents that are no session were judged", judged[false])
	}
}

func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "planmode", []string{
		`{"calls":[]}`,
		`{"context":{"agent":"plan","seed":18446744073709551615},"files":{"a/b":"","c":{"link":"../x"}},"calls":[{"tool":"EnterPlanMode","approval":true},{"phase":"design"}]}`,
	}, []string{
		`{"context":{"seed":1.5},"calls":[]}`,
		`{"files":{"/a":""},"calls":[]}`,
		`{"files":{"a//b":""},"calls":[]}`,
		`{"calls":[{"tool":"ExitPlanMode","approval":"approve"}]}`,
		`{"calls":[{"tool":"read","approval":"manual"}]}`,
	})
}
