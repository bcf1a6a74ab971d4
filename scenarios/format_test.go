package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/scenarios"
)

func TestFormat(t *testing.T) {
	lenient, _ := harness.Named("lenient")
	lenient.Conflicts = harness.Keep
	steps := 3
	s := scenarios.Scenario{
		Doc: "Why.\nAnd more.", Level: scenarios.Should, Source: "a source",
		Case: harness.Case{
			Dialect: "planpatch", Profile: &lenient, Limits: harness.Limits{MaxPlanSteps: &steps},
			Plan: []byte(`{"title":"T","title":"U","steps":[{"id":"a","description":"` + strings.Repeat("long ", 30) +
				`","dependencies":[]}]}`),
			Replies: []harness.Reply{"", "two\nlines\n", "-- plan.json --", "bell \a", "\xff", "line\r\n"},
		},
		Want: []byte(`{"verdict":"rejected","code":"invalid_plan"}`),
	}
	want := `# Why.
# And more.
dialect: planpatch
level: should
source: a source
max_plan_steps: 3
profile: lenient
profile: conflicts=keep
-- plan.json --
{
  "title": "T",
  "title": "U",
  "steps": [
    {
      "id": "a",
      "description": "` + strings.Repeat("long ", 30) + `",
      "dependencies": []
    }
  ]
}
-- reply.1.txt --

-- reply.2.txt --
two
lines

-- reply.3.b64 --
LS0gcGxhbi5qc29uIC0t
-- reply.4.b64 --
YmVsbCAH
-- reply.5.b64 --
/w==
-- reply.6.b64 --
bGluZQ0K
-- want.json --
{"verdict": "rejected", "code": "invalid_plan"}
`
	if diff := cmp.Diff(want, string(s.Format())); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	again, err := scenarios.Parse("x", s.Format())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Case.Replies, again.Case.Replies); diff != "" {
		t.Errorf("replies (-before +after):\n%s", diff)
	}
	if !again.Case.Profile.Same(lenient, nil) || again.Doc != s.Doc || *again.Case.Limits.MaxPlanSteps != 3 {
		t.Errorf("the header changed: %+v", again)
	}
}

// A recipe stays a recipe as long as it makes the reply; a changed reply is
// written out.
func TestFormatKeepsRecipes(t *testing.T) {
	recipe := "-- reply.1.gen --\n# many\nrepeat 1000 \"[\"\n"
	s, err := scenarios.Parse("x", []byte(header+planFile+recipe+wants))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(s.Format()), recipe) {
		t.Errorf("the recipe is gone:\n%s", s.Format())
	}
	s.Case.Replies = []harness.Reply{"[["}
	if !strings.Contains(string(s.Format()), "-- reply.1.txt --\n[[\n") {
		t.Errorf("the new reply is not there:\n%s", s.Format())
	}
}
