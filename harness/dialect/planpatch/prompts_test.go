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
			o := rules.Eval(harness.Case{Dialect: "planpatch", Plan: plan, Replies: []harness.Reply{harness.Reply(line)}},
				strict)
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

// TestThePairOfTheDocuments: the two prompts differ in the cure alone, and the prompt
// before it has none of its rules.
func TestThePairOfTheDocuments(t *testing.T) {
	const line = "- **同一个 step_id 不能同时出现在 remove_steps / update_steps / add_steps** 中。\n"
	const cure = `
## ⚠️ 关键约束（必须遵守）

1. **唯一性规则**：同一个 step_id **绝对不能** 同时出现在 remove_steps / update_steps / add_steps 中。
   - ❌ 错误示例：` + "`" + `"remove_steps": ["step_2"], "update_steps": [{"id": "step_2", ...}]` + "`" + `
   - ✅ 正确示例（修改步骤）：` + "`" + `"update_steps": [{"id": "step_2", ...}]` + "`" + `
   - ✅ 正确示例（删除步骤）：` + "`" + `"remove_steps": ["step_2"]` + "`" + `

2. **修改 vs 删除**：
   - 想修改步骤内容？ → 用 ` + "`update_steps`" + `
   - 想删除步骤？ → 用 ` + "`remove_steps`" + `
   - **不要同时使用！**
`
	var rest [2]string
	for i, end := range []string{line, cure} {
		text, err := fs.ReadFile(prompts().Files, []string{"replan.before.j2", "replan.after.j2"}[i])
		if err != nil {
			t.Fatal(err)
		}
		var ok bool
		if rest[i], ok = strings.CutSuffix(string(text), end); !ok {
			t.Errorf("the prompt does not end in\n%s", end)
		}
	}
	if rest[0] != rest[1] || strings.ContainsAny(rest[0], "⚠❌✅") {
		t.Error("the prompts differ in more than the cure")
	}
}
