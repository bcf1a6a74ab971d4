package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/reports"
)

// TestRealAgent drives Qwen Code, as npm installs it, for a minute or three
// sessions.
func TestRealAgent(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("REPLANBENCH_AGENTS_MODULES")
	agent := filepath.Join(modules, ".bin", "qwen")
	if _, err := os.Stat(agent); modules == "" || err != nil {
		t.Skip("REPLANBENCH_AGENTS_MODULES names no folder with the npm package @qwen-code/qwen-code (.ci/run installs it " +
			"where npm is)")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	var out, errs bytes.Buffer
	e := env{stdin: bytes.NewReader(nil), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	code := run(t.Context(), []string{
		"agent", "--sessions", "3", "--time", "40s", "--turns", "3", "--shrink-runs", "0", "--traits", "none", "--faults",
		"server-error,crlf", "--timeout", time.Minute.String(),
		"--quiet", "--format", "json", "--", agent, "--auth-type", "openai", "-y", "-p", "fix the tests",
	}, e)
	if code != exitOK && code != exitGate {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var r reports.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if a := r.Agent; a == nil || a.Profile != "qwen-code" || a.Calls < 10 || a.Judged < 10 {
		t.Fatalf("got %+v", a)
	}
	for _, f := range r.Failures {
		if !f.Advisory {
			t.Errorf("plain edits break %s: %s", f.ID, f.Message)
		}
	}
}
