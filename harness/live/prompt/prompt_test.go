package prompt_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/live/jinja"
	"replanbench/harness/live/prompt"
	"replanbench/harness/plan"
)

func variables(t *testing.T) prompt.Variables {
	t.Helper()
	p, err := plan.Decode([]byte(`{"title":"Ship it","steps":[
		{"id":"s1","description":"read","status":"done"},
		{"id":"s_2","description":"build <all> & \"test\"","dependencies":["s1"],"status":"failed","tools_expected":["make"]},
		{"id":"s3","description":"发布","dependencies":["s1","s_2"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	most := 5
	v, ok := prompt.Of(p, &most, "")
	if !ok {
		t.Fatal("no step needs attention")
	}
	return v.WithError("tool_error", "make: exit 2")
}

func TestStepThatNeedsAttention(t *testing.T) {
	v := variables(t)
	want := map[string]any{
		"max_plan_steps": 5, "step_id": "s_2", "step_description": `build <all> & "test"`, "step_status": "failed",
		"step_dependencies": []string{"s1"}, "step_tools": []string{"make"}, "error_type": "tool_error",
		"error_message": "make: exit 2", "cur_plan_md": v.CurPlanMD,
		"step_md": `s_2 (failed): build <all> & "test"`, "cur_plan_json": nil,
		"plan": nil, "case": nil,
	}
	if diff := cmp.Diff(want, v.Map()); diff != "" {
		t.Error(diff)
	}
	none := prompt.Variables{}.Map()
	if none["max_plan_steps"] != nil || none["step_id"] != nil || none["error_type"] != nil {
		t.Errorf("what is not known must be None: %v", none)
	}
}

// TestBuiltinPromptsStateTheRules: every rule that a patch must keep is in
// the prompts, in both languages, and templates work whatever is None.
func TestBuiltinPromptsStateTheRules(t *testing.T) {
	rules := map[string][]string{
		"replan": {
			"one of the three lists", "by update_steps alone", "No other fields", "Done steps stay",
			"at most 5 steps", "in the place of one, update it", "s_2 (failed)", "make: exit 2",
		},
		"replan.zh": {
			"三个列表中的一个", "只能用 update_steps", "不得有其他字段", "已完成的步骤保持不变", "最多有 5 个步骤", "以它原来的 id 更新",
			"s_2 (failed)", "make: exit 2",
		},
		"replan.hardened": {
			"one of the three lists", "at most 5 steps", "WRONG", "RIGHT, to change", "RIGHT, to take",
			"update_steps alone", "remove_steps alone", "s_2 (failed)",
		},
		"replan.hardened.zh": {"三个列表中的一个", "最多有 5 个步骤", "错误：", "正确（修改", "正确（去掉", "只用 update_steps", "只用 remove_steps"},
		"replan.before": {
			"**同一个 step_id 不能同时出现在 remove_steps / update_steps / add_steps** 中", "最多有 5 个步骤",
			"s_2 (failed)", "make: exit 2",
		},
		"replan.after": {
			"## ⚠️ 关键约束（必须遵守）", "❌ 错误示例", "✅ 正确示例（修改步骤）", "✅ 正确示例（删除步骤）", "修改 vs 删除", "最多有 5 个步骤",
			"s_2 (failed)",
		},
		"plan_update": {
			"apply in their order", "Completed steps stay", "never has more than 5 steps", "s_2 (failed)",
			"make: exit 2",
		},
		"plan_update.zh": {"按顺序执行", "已完成的步骤保持不变", "最多有 5 个步骤"},
		"todo_list": {
			"An item that you leave out is lost", "Completed items stay", "at most 5 items",
			"make: exit 2",
		},
		"task_calls": {
			"Name only ids that are in the list above", "Completed tasks are finished", "At most 5 tasks may be open",
			"make: exit 2",
		},
		"task_calls.zh":          {"只能使用上面列出的 id", "已经完成", "最多 5 个"},
		"task_calls_retry":       {"tool_error: make: exit 2", "completed tasks do not change", "at most 5 open tasks"},
		"task_calls_retry.zh":    {"tool_error：make: exit 2", "最多 5 个"},
		"todo_list.zh":           {"每一项都要写出", "保持完成", "最多有 5 项"},
		"todo_list_retry":        {"tool_error: make: exit 2", "completed items stay", "at most 5 items"},
		"todo_list_retry.zh":     {"tool_error：make: exit 2", "最多 5 项"},
		"plan_update_retry":      {"tool_error: make: exit 2", "completed steps stay", "at most 5 steps"},
		"plan_update_retry.zh":   {"tool_error：make: exit 2", "最多 5 个步骤"},
		"plan_patch_retry":       {"tool_error: make: exit 2", "an id in one list only", "at most 5 steps"},
		"plan_patch_retry.zh":    {"tool_error：make: exit 2", "只能出现在一个列表中", "最多 5 个步骤"},
		"orchestrator":           {"FullPlan", "at most 5 steps", "without a cycle", "make: exit 2"},
		"orchestrator.zh":        {"FullPlan", "最多有 5 个步骤", "make: exit 2"},
		"orchestrator_step":      {"Carry out this step only: s_2 (failed)", "step_done", "replan", "make: exit 2"},
		"orchestrator_step.zh":   {"现在只执行这个步骤：s_2 (failed)", "step_done", "make: exit 2"},
		"orchestrator_replan":    {"PlanPatch", "Done steps stay", "at most 5 steps", "make: exit 2"},
		"orchestrator_replan.zh": {"PlanPatch", "只允许更新非 `done` 的步骤字段", "修改 vs 删除", "最多有 5 个步骤"},
		"full_plan":              {"FullPlan", "every step that is done", "At most 5 steps"},
		"full_plan.zh":           {"FullPlan", "已完成的步骤", "最多 5 个步骤"},
	}
	for _, term := range prompt.Builtin() {
		s, err := prompt.Open(term.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := (&prompt.Go{}).Render(t.Context(), s, variables(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules[term.Name] {
			if !strings.Contains(text, rule) {
				t.Errorf("%s lacks %q:\n%s", term.Name, rule, text)
			}
		}
		if len(rules[term.Name]) == 0 {
			t.Errorf("%s: no rules to look for", term.Name)
		}
		bare, err := (&prompt.Go{}).Render(t.Context(), s, prompt.Variables{})
		if err != nil || strings.Contains(bare, "at most") || strings.Contains(bare, "最多") {
			t.Errorf("%s without a limit: %v\n%s", term.Name, err, bare)
		}
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSetOfAFile(t *testing.T) {
	const text = "改 {{ step_id }}\n"
	dir := write(t, map[string]string{"mine.zh.j2": text})
	set, err := prompt.Load(all.Asked(), filepath.Join(dir, "mine.zh.j2"), prompt.Others{})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	if set.Patch.SHA256() != hash || set.Name != "mine.zh@"+hash[:8] {
		t.Errorf("%s, %s", set.Name, set.Patch.SHA256())
	}
	if pair, err := prompt.Load(all.Asked(), "replan.after", prompt.Others{}); err != nil ||
		pair.Retry.Name != "plan_patch_retry.zh.j2" || pair.Name != "replan.after@2" {
		t.Errorf("a Chinese prompt is followed by %s: %v", pair.Retry.Name, err)
	}
	if set.Of(harness.RungRetry).Name != "plan_patch_retry.zh.j2" ||
		set.Of(harness.RungFullPlan).Name != "full_plan.zh.j2" || set.Of(harness.RungPatch).Name != "mine.zh.j2" {
		t.Errorf("the prompts behind are %s and %s", set.Retry.Name, set.FullPlan.Name)
	}
}

// TestIncludes: both renderers include templates from the folder of the one that
// names them, and none from elsewhere. They count for the hash.
func TestIncludes(t *testing.T) {
	dir := write(t, map[string]string{
		"a.j2": "{% include 'rules.j2' %}!", "rules.j2": "keep {{ step_id }}", "self.j2": "{% include 'self.j2' %}",
		"out.j2": "{% include '../secret' %}", "abs.j2": "{% include '/etc/hostname' %}", "link.j2": "{% include 'link' %}",
		"broken.j2": "\n{% include 'bad.j2' %}",
		"bad.j2":    "\n\n {{ ghost }}", "folder.j2": "{% include '.' %}",
	})
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	open := func(name string) prompt.Source {
		s, err := prompt.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := open("a.j2")
	if err := os.WriteFile(filepath.Join(dir, "rules.j2"), []byte("other {{ step_id }}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if open("a.j2").SHA256() == before.SHA256() {
		t.Error("an included template does not count for the hash")
	}
	g := &prompt.Go{}
	for s, want := range map[*prompt.Source]string{&before: "keep s_2!", new(open("a.j2")): "other s_2!"} {
		if text, err := g.Render(t.Context(), *s, variables(t)); err != nil || text != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	for name, want := range map[string]string{
		"out.j2": "out.j2:1:12: cannot include '../secret'", "abs.j2": "abs.j2:1:12: cannot include '/etc/hostname'",
		"link.j2": "link.j2:1:12: cannot include 'link'",
		"self.j2": "includes are nested deeper than 50 levels", "broken.j2": "bad.j2:3:2: the variable 'ghost' is undefined",
		"folder.j2": "is not a file",
	} {
		if text, err := g.Render(t.Context(), open(name), variables(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %q and %v, want %s", name, text, err, want)
		}
	}
	py := python(t)
	if text, err := py.Render(t.Context(), open("a.j2"), variables(t)); err != nil || text != "other s_2!" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"out.j2", "abs.j2", "link.j2"} {
		if text, err := py.Render(t.Context(), open(name), variables(t)); err == nil {
			t.Errorf("%s gave %q", name, text)
		}
	}
}

func TestOwnVariables(t *testing.T) {
	own, err := prompt.ReadOwn([]byte("# mine\ntools_expected: [grep, read_file]\nmost: 3\nshare: 0.5\nnames: {b: 1, " +
		"a: 2}\nyes: true\nnothing: ~\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Add("input_text=a=b, 页"); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"p.j2": "{{ input_text }} {{ tools_expected|join('+') }} {{ most + 1 }} {{ share " +
		"}} {{ names }} {{ yes }} {{ nothing }} {{ step_id }}"})
	s, err := prompt.Open(filepath.Join(dir, "p.j2"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&prompt.Go{}).Render(t.Context(), s, variables(t))
	if err == nil || !strings.Contains(err.Error(), "'input_text' is undefined") ||
		!strings.HasSuffix(err.Error(), "give it by --var input_text=VALUE or in --vars FILE") {
		t.Error(err)
	}
	with := s.With(own)
	const want = "a=b, 页 grep+read_file 4 0.5 {'b': 1, 'a': 2} True None s_2"
	if text, err := (&prompt.Go{}).Render(t.Context(), with, variables(t)); err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
	if with.SHA256() == s.SHA256() || own.Unused([]prompt.Source{s}) != nil {
		t.Error("the variables do not count for the hash, or are not found in the template")
	}
	if err := (prompt.Own{"input_txt": nil}).Unused([]prompt.Source{s}); err == nil ||
		err.Error() != `no prompt uses the variable input_txt; did you mean "input_text"?` {
		t.Error(err)
	}
	if text, err := python(t).Render(t.Context(), with, variables(t)); err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOwnVariablesRefuses(t *testing.T) {
	for pair, want := range map[string]string{
		"a": "has no value", "=b": "is not a variable name", "1a=b": "is not a variable name",
		"plan=x": "is a built-in variable", "loop=x": "word of the template language", "again=2": "is defined twice",
		"a=\xff": "a: ",
	} {
		if err := (prompt.Own{"again": nil}).Add(pair); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", pair, err, want)
		}
	}
	for text, want := range map[string]string{
		"[1]": "contains no variables", "": "contains no variables", `{"a":1,"a":2}`: "a", "a: 1\na: 2": "a",
		"a: &x 1\nb: *x": "line 2: aliases", "step_id: 1": "built-in variable",
		"a: [": "", `{"a": }`: "", "? [1]\n: 2": "line 1: a name must be text", "a: .inf": "line 1",
		"a b: 1": "is not a variable name",
	} {
		if own, err := prompt.ReadOwn([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, own, err, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := write(t, map[string]string{"big.j2": strings.Repeat("x", 1<<20+1)})
	for name, want := range map[string]string{
		"nowhere.j2": "no such file or built-in prompt", dir: "", filepath.Join(dir, "big.j2"): "at most 1048576",
	} {
		if _, err := prompt.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// python finds a Python with Jinja2.
func python(t *testing.T) prompt.Python {
	t.Helper()
	for _, command := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(command, "-c", "import jinja2").Run() == nil {
			return prompt.Python{Command: command}
		}
	}
	t.Skip("no python3 with jinja2 is installed (pip install jinja2, or apt install python3-jinja2)")
	return prompt.Python{}
}

// TestPythonRenderer: Python renders the built-in prompts to the same bytes, can
// do what this program cannot, and its errors have their place.
func TestPythonRenderer(t *testing.T) {
	py := python(t)
	for _, name := range []string{"replan", "replan.zh", "plan_patch_retry"} { // each takes a process
		s, err := prompt.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := py.Render(t.Context(), s, variables(t))
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&prompt.Go{}).Render(t.Context(), s, variables(t))
		if err != nil || got != want {
			t.Errorf("%s: %v (-python +go):\n%s", name, err, cmp.Diff(want, got))
		}
	}
	dir := write(t, map[string]string{
		"wrap.j2": "{{ 'aa bb cc'|wordwrap(5) }}", "bad.j2": "x\n{{ ghost }}", "syntax.j2": "\n\n{% if %}",
		"inc.j2": "{% include 'bad.j2' %}",
	})
	for name, want := range map[string]string{
		"bad.j2": "bad.j2:2: ", "syntax.j2": "syntax.j2:3: ",
		"inc.j2": "bad.j2:2: ",
	} {
		s, err := prompt.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = py.Render(t.Context(), s, variables(t))
		var placed *jinja.Error
		if !errors.As(err, &placed) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want an error at %s", name, err, want)
		}
	}
	wrap, err := prompt.Open(filepath.Join(dir, "wrap.j2"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := py.Render(t.Context(), wrap, variables(t)); text != "aa bb\ncc" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := (&prompt.Go{}).Render(t.Context(), wrap, variables(t)); err == nil ||
		!strings.HasSuffix(err.Error(), "use --renderer python") {
		t.Errorf("no way out is named: %v", err)
	}
	if _, err := (prompt.Python{Command: "no-such-python"}).Render(t.Context(), wrap, variables(t)); err == nil ||
		!strings.Contains(err.Error(), "jinja2") {
		t.Errorf("a missing Python: %v", err)
	}
}

// TestPythonIsBounded: a template cannot reach out of its sandbox, nor take all
// memory.
func TestPythonIsBounded(t *testing.T) {
	py := python(t)
	tests := map[string]string{
		"{{ cycler.__init__.__globals__.os.popen('id').read() }}": "unsafe",
		"a\n{{ ''.__class__.__mro__ }}":                           "unsafe",
		"{% include '/etc/hostname' %}":                           "/etc/hostname",
		"{{ 'a' * 10 ** 11 }}":                                    "needs more than 1 GiB of memory",
		"{% for i in range(90000) %}{{ 'a' * 1000 }}{% endfor %}": "makes more than 16 MiB of text",
		"{% for i in range(10 ** 9) %}{% endfor %}":               "too big",
	}
	if runtime.GOOS != "linux" {
		delete(tests, "{{ 'a' * 10 ** 11 }}") // no limit on memory that holds everywhere
	}
	dir := write(t, map[string]string{})
	for text, want := range tests {
		name := filepath.Join(dir, "hostile.j2")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := prompt.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = py.Render(t.Context(), s, variables(t))
		var placed *jinja.Error
		if !errors.As(err, &placed) || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
