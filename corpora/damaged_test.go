package corpora_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
)

func TestDamaged(t *testing.T) {
	const hash = "a8fcd6a99910fa5cabd976baa2ab00e61da3d383d115b240437939522b003c1e"
	const plan = `{"steps":[{"id":"step_2","description":"a-b","tools_expected":["read_file"]},{"id":"a","tools_expected":["grep"]}]}`
	tests := []struct {
		name, hash, plan, messages string
		want                       bool
	}{
		{"a damaged template", hash, "", "", true},
		{"another template", "00", plan, "", false},
		{"an id", "00", plan, `[{"role":"user","content":"- [ ] **step\\_2** a"}]`, true},
		{"a tool", "00", plan, `[{"role":"user","content":"x (tools read\\_file)"}]`, true},
		{"the id as it is", "00", plan, `[{"role":"user","content":"- [ ] **step_2** a \\_ (tools read_file)"}]`, false},
		{"no text", "00", plan, `[{"role":"user","content":[{"text":"\\_"}]}]`, false},
		{"no plan", "00", "", `[{"role":"user","content":"**step\\_2** "}]`, false},
	}
	for _, test := range tests {
		r := corpora.Record{PromptSHA256: test.hash, Plan: jsontext.Value(test.plan), Messages: jsontext.Value(test.messages)}
		if got := r.Damaged(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAddDamaged(t *testing.T) {
	var list []corpora.DamagedPrompt
	for _, d := range []corpora.DamagedPrompt{{"b", 1, "x"}, {"a", 1, "y"}, {"b", 2, "w"}} {
		list = corpora.AddDamaged(list, d)
	}
	if diff := cmp.Diff([]corpora.DamagedPrompt{{"a", 1, "y"}, {"b", 3, "w"}}, list); diff != "" {
		t.Error(diff)
	}
}
