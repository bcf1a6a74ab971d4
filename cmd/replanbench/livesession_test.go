package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
)

// sessionCases are two runs: one plans, calls a tool that fails, and replans; the other
// begins with a plan and a history.
const sessionCases = `{"id":"plans","goal":"Find the bug","tools":[{"ok":false,"output":"exit 2"},{"ok":true,"output":"main.go:3"}],"limits":{"max_replans":2,"max_plan_steps":3,"max_step_tool_calls":4}}
{"id":"goes-on","plan":{"title":"P","steps":[{"id":"step_1","description":"old","status":"done"},{"id":"step_2","description":"two"}]},"history":[{"role":"user","content":"an early question"},{"role":"assistant","content":"an early answer"}],"limits":{"max_plan_steps":3,"max_step_tool_calls":4}}
`

// sessionModel answers the built-in prompts of a run. It replans once, after the tool
// failed, and is done with a step otherwise.
func sessionModel(body string, _ int64) string {
	var request struct {
		Messages []struct{ Role, Content string } `json:"messages"`
	}
	text, _, _ := strings.Cut(body, "map[") // the headers
	if err := json.Unmarshal([]byte(text), &request, json.MatchCaseInsensitiveNames(true)); err != nil {
		return err.Error()
	}
	last := request.Messages[len(request.Messages)-1].Content
	switch {
	case strings.Contains(last, "explicit plan"), strings.Contains(last, "显式计划"):
		return `{"type":"FullPlan","title":"t","steps":[{"id":"step_1","description":"one"},{"id":"step_2","description":"two","dependencies":["step_1"]}]}`
	case strings.Contains(last, "PlanPatch"):
		return `{"type":"PlanPatch","update_steps":[{"id":"step_1","description":"another way"}]}`
	case strings.Contains(last, "exit 2"):
		return `{"control":"replan","reason":"the tool failed"}`
	case strings.Contains(last, "step_1 (in_progress): one"):
		return `{"tool":"grep","args":{}}`
	}
	return `{"control":"step_done"}`
}

// sessionRecords reads a corpus without what differs from run to run.
func sessionRecords(t *testing.T, file string) (list []corpora.Record) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r corpora.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		r.LatencyMS = 0
		list = append(list, r)
	}
	return list
}

// sessionKinds names the question of every record of a case.
func sessionKinds(list []corpora.Record, name string) (kinds []string) {
	for _, r := range list {
		talk := string(r.Messages)
		last := talk[strings.LastIndex(talk, `"role"`):]
		switch {
		case r.Case != name:
		case strings.Contains(last, "explicit plan"):
			kinds = append(kinds, "plan")
		case strings.Contains(last, "PlanPatch"):
			kinds = append(kinds, "replan")
		default:
			kinds = append(kinds, "step")
		}
	}
	return kinds
}

// TestLiveSessions lets a model carry out runs over an endpoint: once without a break,
// once from the recording, and once in two parts.
func TestLiveSessions(t *testing.T) {
	url, asked := modelServer(t, sessionModel)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cases.jsonl", []byte(sessionCases), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(want int, corpus string, more ...string) commandOutcome {
		t.Helper()
		args := []string{
			"live", "--dialect", "orchestrator", "--model", "m", "--base-url", url, "--cases", "cases.jsonl",
			"--quiet", "--concurrency", "1", "--corpus", corpus,
		}
		out := runWith(t.Context(), map[string]string{"OPENAI_API_KEY": "k"}, append(args, more...)...)
		if out.code != want {
			t.Fatalf("%v: exit code %d, want %d: %s%s", more, out.code, want, out.stdout, out.stderr)
		}
		return out
	}
	bounds := func(out commandOutcome) (least, most int64) {
		t.Helper()
		m := regexp.MustCompile(`PASS: dry run: (\d+)(?: to (\d+))? requests?`).FindStringSubmatch(out.stdout)
		if m == nil {
			t.Fatal(out.stdout)
		}
		if m[2] == "" {
			m[2] = m[1]
		}
		least, _ = strconv.ParseInt(m[1], 10, 64)
		most, _ = strconv.ParseInt(m[2], 10, 64)
		return least, most
	}
	least, most := bounds(ask(exitOK, "none.jsonl", "--dry-run"))
	ask(exitOK, "whole.jsonl", "--record", "recording")
	whole, n := sessionRecords(t, "whole.jsonl"), asked.Load()
	if least != 2 || most < n || n != int64(len(whole)) {
		t.Errorf("%d requests for %d records; estimated %d to %d", n, len(whole), least, most)
	}
	got := map[string][]string{"plans": sessionKinds(whole, "plans"), "goes-on": sessionKinds(whole, "goes-on")}
	want := map[string][]string{"plans": {"plan", "step", "step", "replan", "step", "step"}, "goes-on": {"step"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the questions (-want +got):\n%s", diff)
	}
	if i := slices.IndexFunc(whole, func(r corpora.Record) bool {
		return r.Case == "goes-on"
	}); !strings.Contains(string(whole[i].Messages), "an early question") {
		t.Errorf("the history of the case was not sent: %s", whole[i].Messages)
	}
	if out := ask(exitOK, "whole.jsonl", "--resume"); asked.Load() != n ||
		!strings.Contains(out.stdout, "2 of 2 cells complete") || !strings.Contains(out.stdout, "Replies in %") {
		t.Errorf("--resume made %d requests: %s", asked.Load()-n, out.stdout)
	}
	out := ask(exitOK, "whole.jsonl", "--resume", "--dry-run")
	if least, most := bounds(out); least+most != 0 || strings.Contains(out.stdout, "Send the requests") {
		t.Errorf("a whole corpus needs %d to %d requests: %s", least, most, out.stdout)
	}
	ask(exitOK, "replayed.jsonl", "--replay", "recording")
	if diff := cmp.Diff(whole, sessionRecords(t, "replayed.jsonl")); diff != "" || asked.Load() != n {
		t.Errorf("%d requests, and the replayed corpus differs (-recorded +replayed):\n%s", asked.Load()-n, diff)
	}
	ask(exitGate, "parts.jsonl", "--max-requests", "3")
	if part := sessionRecords(t, "parts.jsonl"); len(part) != 3 {
		t.Errorf("--max-requests 3 left %d records", len(part))
	}
	if least, most := bounds(ask(exitOK, "parts.jsonl", "--resume", "--dry-run")); least > n-3 || most < n-3 {
		t.Errorf("estimated %d to %d requests, and %d are missing", least, most, n-3)
	}
	ask(exitOK, "parts.jsonl", "--resume")
	if diff := cmp.Diff(whole, sessionRecords(t, "parts.jsonl")); diff != "" {
		t.Errorf("the run in two parts differs (-whole +parts):\n%s", diff)
	}
}

// TestLiveSessionsTrim trims the conversation of a run before each request.
func TestLiveSessionsTrim(t *testing.T) {
	url, _ := modelServer(t, sessionModel)
	dir := t.TempDir()
	file := filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(file, []byte(sessionCases), 0o600); err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(dir, "replies.jsonl")
	out := runWith(t.Context(), map[string]string{"OPENAI_API_KEY": "k"}, "live", "--dialect", "orchestrator", "--model",
		"m", "--base-url", url, "--cases", file,
		"--quiet", "--corpus", corpus, "--tokenizer", "chars/4", "--send-trimmed", "--policy", "none", "--policy",
		"emergency", "--budget", "700", "--format", "json")
	if out.code != exitOK {
		t.Fatalf("exit code %d: %s%s", out.code, out.stdout, out.stderr)
	}
	lost := map[string]int{}
	for _, r := range sessionRecords(t, corpus) {
		switch {
		case r.Trim == nil || r.Trim.Budget != 700:
			t.Fatalf("%s: no budget was used: %v", r.ID, r.Trim)
		case r.Trim.Policy != "none" && r.Trim.After > 700:
			t.Errorf("%s: %d tokens were sent", r.ID, r.Trim.After)
		case len(r.Trim.Lost) > 0:
			lost[r.Trim.Policy]++
		}
	}
	if lost["none"] != 0 || lost["emergency"] == 0 {
		t.Errorf("requests that lost messages: %v", lost)
	}
}
