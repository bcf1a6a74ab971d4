package live_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	"replanbench/harness/live"
)

// ruleText is the rule that trimming may lose.
const ruleText = "Rule: every id stays in one list."

// armed is a setup whose prompts have a long history, under some policies and budgets.
func armed(t *testing.T, url string, cases int, policies []string, budgets ...int) *setup {
	t.Helper()
	s := newSetup(t, url, cases)
	s.plan.History = []history.Message{
		{Role: history.User, Content: ruleText, Tag: history.TagConstraints},
		{Role: history.Assistant, Calls: []history.Call{{ID: "1", Raw: []byte(`{"id":"1"}`)}}},
		{Role: history.Tool, CallID: "1", Content: strings.Repeat("a line of code\n", 200), Tag: history.TagToolResult},
		{Role: history.Assistant, Content: "noted"},
	}
	var list []history.Policy
	for _, text := range policies {
		p, err := history.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	s.plan.Arms, s.plan.Trim = live.Arms(list, budgets), all.Trimmer().Trim
	return s
}

// TestArmsSendWhatIsLeft: each arm sends what its policy leaves, and the record says
// what was lost.
func TestArmsSendWhatIsLeft(t *testing.T) {
	var mu sync.Mutex
	sent := map[bool]int{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		talk := decodeRequest(t, r).Messages
		mu.Lock()
		sent[talk[0].Content == ruleText]++
		mu.Unlock()
		if talk[0].Tag != "" {
			t.Error("a tag was sent")
		}
		good(w, r)
	})
	s := armed(t, server.URL, 2, []string{"none", "emergency"}, 500, 5000)
	if r := s.run(t, false); r.Cells != 8 || r.Whole != 8 {
		t.Fatalf("%+v", r)
	}
	if diff := cmp.Diff(map[bool]int{true: 6, false: 2}, sent); diff != "" {
		t.Errorf("requests with the rule: %s", diff)
	}
	for _, r := range readCorpus(t, s.corpus) {
		lost := "nothing"
		if r.Trim.Policy == "emergency" && r.Trim.Budget == 500 {
			lost = "assistant, replan_constraints"
		}
		over := r.Trim.Before > r.Trim.Budget
		if r.Trim.Name() != lost || over != (r.Trim.Overflow > 1) || over != (r.Trim.Budget == 500) ||
			(r.Trim.After < r.Trim.Before) != (lost != "nothing") {
			t.Errorf("%s: %+v, want %s lost", r.ID, r.Trim, lost)
		}
	}
	if again := s.run(t, true); again.Resumed != 8 || again.Spent.Requests != 8 {
		t.Errorf("%d resumed, %d requests", again.Resumed, again.Spent.Requests)
	}
}

// TestArmThatCannotFit: a policy that refuses leaves a failure, which no request was
// made for and which a resumed run has again.
func TestArmThatCannotFit(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request, int) { t.Error("a request was sent") })
	s := armed(t, server.URL, 1, []string{"pinned", "window(0)"}, 20)
	s.plan.History = s.plan.History[:1]
	for _, resume := range []bool{false, true} {
		if r := s.run(t, resume); r.Failed != 2 || r.Spent.Requests != 0 || len(r.Failures) != 1 ||
			r.Failures[0].Name != string(live.CannotFit) {
			t.Errorf("%+v", r)
		}
	}
	records := readCorpus(t, s.corpus)
	if len(records) != 2 || !strings.Contains(records[1].Failure.Message, "removes every message") {
		t.Errorf("%+v", records)
	}
}

// TestArmsTrimRetries: the whole conversation is trimmed before each request.
func TestArmsTrimRetries(t *testing.T) {
	var talks [][]live.Message
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		talks = append(talks, decodeRequest(t, r).Messages)
		answer(w, 200, "application/json", completion(strings.Repeat("I am sorry. ", 300), "stop"))
	})
	s := armed(t, server.URL, 1, []string{"window(2)"}, 900)
	if s.run(t, false); len(talks) != 3 {
		t.Errorf("%d requests, want 3", len(talks))
	}
	for i, talk := range talks {
		if len(talk) != 2 || talk[1].Role != "user" {
			t.Errorf("request %d has %d messages", i, len(talk))
		}
	}
}

// TestEstimateOfArms says what each arm would send.
func TestEstimateOfArms(t *testing.T) {
	s := armed(t, "http://127.0.0.1:9", 3, []string{"none", "emergency", "pinned"}, 20)
	e, err := s.plan.Estimate(t.Context(), s.options)
	if err != nil {
		t.Fatal(err)
	}
	var got []live.ArmEstimate
	for _, a := range e.Arms {
		a.Before, a.After = 0, 0
		got = append(got, a)
	}
	want := []live.ArmEstimate{
		{Policy: "none", Budget: 20, Cells: 3, Over: 3},
		{Policy: "emergency", Budget: 20, Cells: 3, Over: 3},
		{Policy: "pinned", Budget: 20, Cells: 3, Over: 3, Unsent: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" || e.Unsent != 3 || e.Least.Requests != 6 {
		t.Errorf("%+v: %s", e, diff)
	}
}

// TestCaseHistory: a case may have messages of its own before the prompt.
func TestCaseHistory(t *testing.T) {
	spec := live.CaseSpec{
		Plan:    []byte(`{"title":"t","steps":[{"id":"a","description":"one"}]}`),
		History: []byte(`[{"role":"user","content":"before","tag":"plan"}]`),
	}
	c, err := live.NewCase(all.Asked(), spec)
	if err != nil || len(c.History) != 1 || c.History[0].Tag != "plan" {
		t.Errorf("%+v, %v", c.History, err)
	}
	spec.History = []byte(`"before"`)
	if _, err := live.NewCase(all.Asked(), spec); err == nil || !strings.Contains(err.Error(), `"history": `) {
		t.Errorf("the error is %v", err)
	}
}
