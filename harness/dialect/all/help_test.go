package all_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/scenarios"
)

// TestHelp holds the page of each dialect to what the dialect is: it names every
// document of a case, and its example is right and has all that must be answered.
func TestHelp(t *testing.T) {
	example := regexp.MustCompile("(?s)```json\n(.*?)```\n\n```json\n(.*?)```")
	for _, d := range all.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			if !strings.HasPrefix(d.Help, "# The dialect "+d.Name+": ") {
				t.Errorf("it begins with %.60q", d.Help)
			}
			if n := strings.Count(d.Help, "\n"); n < 30 || n > 80 {
				t.Errorf("it has %d lines", n)
			}
			for _, doc := range d.Documents {
				if !strings.Contains(d.Help, "`"+doc.Name+"`") {
					t.Errorf("it does not name the document %s", doc.Name)
				}
			}
			parts := example.FindStringSubmatch(d.Help)
			if parts == nil {
				t.Fatal("it has no example")
			}
			var c harness.Case
			if err := json.Unmarshal([]byte(parts[1]), &c); err != nil || c.Dialect != d.Name {
				t.Fatalf("the case: %v", err)
			}
			var want struct {
				Verdict harness.Verdict `json:"verdict"`
				More    jsontext.Value  `json:",inline"`
			}
			if err := json.Unmarshal([]byte(parts[2]), &want); err != nil {
				t.Fatalf("the outcome: %v", err)
			}
			out, err := reference.New().Eval(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range d.Members {
				if want.Verdict == harness.Applied && m.Required != nil && !strings.Contains(parts[2], `"`+m.Name+`"`) {
					t.Errorf("the outcome lacks %s", m.Name)
				}
			}
			for _, p := range (scenarios.Scenario{Case: c, Want: jsontext.Value(parts[2])}).Match(out) {
				t.Errorf("the outcome at %s: the page says %s, the rules %s", p.Pointer, p.Want, p.Got)
			}
		})
	}
}
