package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/reports"
)

// A model is told each change in words and each protocol by its guide; what it writes
// is judged, and a recording gives the same table again without an endpoint.
func TestProtocolsLive(t *testing.T) {
	url, all := endpoint(t, func(a asked) any {
		content := "I would rather not."
		if messages, ok := a.body["messages"].([]any); ok && len(messages) == 2 {
			user := messages[1].(map[string]any)["content"].(string)
			if strings.Contains(user, "Make these changes and no others:") &&
				strings.Contains(messages[0].(map[string]any)["content"].(string), "JSON Patch") {
				content = "```json\n[]\n```" // which leaves the plan as it is
			}
		}
		return chatAnswer(map[string]any{"role": "assistant", "content": content})
	})
	dir := filepath.Join(t.TempDir(), "exchanges")
	args := []string{
		"protocols", "--live", "m", "--changes", "generated:3", "--base-url", url, "--key-env", "KEY",
		"--temperature", "0", "--body", "reasoning_effort=low", "--format", "json",
	}
	out := runWith(t.Context(), map[string]string{"KEY": "secret-key"}, append(args, "--record", dir)...)
	if out.code != exitOK {
		t.Fatalf("exit code %d: %s", out.code, out.stderr)
	}
	report, err := reports.Decode([]byte(out.stdout))
	if err != nil {
		t.Fatal(err)
	}
	section, requests := report.Protocols, 0
	for _, r := range section.Rows {
		requests += r.Replies
		left := r.Name == "rfc6902"
		if r.Said == 0 || r.Replies != r.Said || r.Right.K != 0 || (r.Wrong.K == r.Said) != left ||
			(r.Refused.K == r.Said) == left {
			t.Errorf("%+v", r)
		}
	}
	if first := all()[0]; section.Model != "m" || requests != len(all()) || first.body["temperature"] != 0.0 ||
		first.body["reasoning_effort"] != "low" {
		t.Errorf("model %q, %d replies, %d requests, of which one is %v", section.Model, requests, len(all()), first.body)
	}
	again := runWith(t.Context(), nil, append(args, "--replay", dir)...)
	if again.code != exitOK || len(all()) != requests {
		t.Errorf("exit code %d, %d requests now: %s", again.code, len(all()), again.stderr)
	}
	if second, err := reports.Decode([]byte(again.stdout)); err != nil || !cmp.Equal(section, second.Protocols) {
		t.Errorf("%v: the recording gives another table:\n%s", err, cmp.Diff(section, second.Protocols))
	}
	few := runWith(t.Context(), nil, append(args, "--max-requests", "2")...)
	if few.code == exitOK || !strings.Contains(few.stderr, "not every question was answered") || len(all()) != requests+2 {
		t.Errorf("exit code %d, %d requests in all: %s", few.code, len(all()), few.stderr)
	}
	both := runWith(t.Context(), nil, append(args, "--rate", "cut=0.1")...)
	if both.code != exitUsage || !strings.Contains(both.stderr, "leave --rate and --rates-from out") {
		t.Errorf("exit code %d: %s", both.code, both.stderr)
	}
}
