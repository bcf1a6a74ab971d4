package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replanbench/harness/score"
	"replanbench/reports"
)

// armsRule is the rule that a trimmed prompt may lack.
const armsRule = "Rule: an id is in one list only."

// overfullCases writes cases whose histories begin with the rule and overflow a
// budget of 300 tokens to different degrees.
func overfullCases(t *testing.T, dir string, n int) (file string) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		rest := ""
		for range i % 5 {
			rest += fmt.Sprintf(`,{"role":"user","content":%q},{"role":"assistant","content":"noted"}`,
				strings.Repeat("a line of code ", 55))
		}
		fmt.Fprintf(&lines, `{"id":"c%d","failed_step":"b","plan":{"title":"t","steps":[{"id":"a","description":"one","status":"done"},{"id":"b","description":"two","status":"failed"}]},"history":[{"role":"user","tag":"replan_constraints","content":%q},{"role":"assistant","content":"understood"}%s]}`+"\n", i, armsRule, rest)
	}
	file = filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOverflowExperimentInBulk asks a model that contradicts itself where the rule is
// missing. The table shows it under the policy that loses the rule, and the test
// between the arms finds it.
func TestOverflowExperimentInBulk(t *testing.T) {
	url, _ := modelServer(t, func(body string, _ int64) string {
		if strings.Contains(body, armsRule) {
			return `{"update_steps":[{"id":"b","description":"another way"}]}`
		}
		return `{"remove_steps":["b"],"update_steps":[{"id":"b","description":"another way"}]}`
	})
	dir := t.TempDir()
	args := []string{
		"live", "--model", "m", "--base-url", url, "--cases", overfullCases(t, dir, 30), "--prompt", "plan_patch_retry",
		"--quiet", "--tokenizer", "chars/4",
		"--send-trimmed", "--policy", "none", "--policy", "emergency", "--policy", "pinned", "--budget", "400,800",
		"--corpus", filepath.Join(dir, "replies.jsonl"),
	}
	key := map[string]string{"OPENAI_API_KEY": "k"}
	out := runWith(t.Context(), key, append(args, "--format", "json")...)
	if out.code != exitOK {
		t.Fatalf("exit code %d: %s", out.code, out.stderr)
	}
	r, err := reports.Decode([]byte(out.stdout))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Score.Overflow.Rows {
		rate := row.Rate(score.ConflictRate)
		lost := row.Key[0] == "emergency" && row.Key[1] != "0–100 %"
		if row.Requests == 0 || (rate.Value == 1) != lost || (rate.Value == 0) == lost {
			t.Errorf("%v: %d conflicts of %d", row.Key, rate.Yes, rate.N)
		}
	}
	found := map[string]score.Verdict{}
	for _, c := range r.Live.Comparisons {
		for _, row := range c.Rows {
			if row.Metric == score.ConflictRate {
				found[c.Base+" → "+c.New+" at "+row.Key[0]] = row.Verdict
			}
		}
	}
	for name, want := range map[string]score.Verdict{
		"none → emergency at 400": score.Worse, "none → emergency at 800": score.Worse,
		"none → pinned at 400": score.TooFew, "400 tokens → 800 tokens at none": score.TooFew,
	} {
		if found[name] != want {
			t.Errorf("%s: the verdict is %q, want %q in %v", name, found[name], want, found)
		}
	}
	for format, want := range map[string]string{
		"table": "\nRates by overflow: k of n",
		"html":  "How does the conflict rate depend on overflow?",
	} {
		if again := runWith(t.Context(), key, append(args, "--resume", "--verbose", "--format", format)...); again.code != exitOK ||
			!strings.Contains(again.stdout, want) {
			t.Errorf("--format %s lacks %q: exit code %d: %s", format, want, again.code, again.stderr)
		}
	}
}
