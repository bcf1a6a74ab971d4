package planpatch

import (
	"io/fs"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/rules"
)

// The wrong examples of the hardened prompts are refused by the rules that forgive
// nothing, and the right ones are applied.
func TestExamplesOfTheHardenedPrompt(t *testing.T) {
	strict, _ := harness.Named(harness.ProfileStrict)
	plan := []byte(`{"title":"t","steps":[{"id":"step_1","description":"one","status":"done"},` +
		`{"id":"step_2","description":"two","dependencies":["step_1"],"status":"failed"},{"id":"step_3","description":"three","dependencies":["step_2"]}]}`)
	for _, name := range []string{"replan.hardened.j2", "replan.hardened.zh.j2"} {
		text, err := fs.ReadFile(prompts().Files, name)
		if err != nil {
			t.Fatal(err)
		}
		var verdicts []harness.Verdict
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if i == 0 || !strings.HasPrefix(line, `{"type": "PlanPatch"`) || !strings.HasSuffix(line, "}") {
				continue
			}
			want := harness.Applied
			if before := lines[i-1]; strings.HasPrefix(before, "WRONG") || strings.HasPrefix(before, "错误") {
				want = harness.Rejected
			}
			o := rules.Eval(harness.Case{Dialect: "planpatch", Plan: plan, Replies: []harness.Reply{harness.Reply(line)}}, strict)
			if o.Verdict != want {
				t.Errorf("%s: %s is %s (%s), and stands below %q", name, line, o.Verdict, o.Message, lines[i-1])
			}
			verdicts = append(verdicts, o.Verdict)
		}
		if len(verdicts) != 5 {
			t.Errorf("%s: %d examples were found, want two wrong and three right ones", name, len(verdicts))
		}
	}
}
