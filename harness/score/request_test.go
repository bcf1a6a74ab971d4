package score_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

// TestFindIsTheTable: what Find says of a request is what Run counts of it, for chains of
// retries, for runs with scripted tools, and under the id of any of its replies.
func TestFindIsTheTable(t *testing.T) {
	tools := func(r *corpora.Record) { r.Tools = []byte(`[{"ok":true,"output":"written"}]`) }
	s := source(t,
		record("a", unknown), record("a/2", unknown, retryOf("a")), record("a/3", good, retryOf("a/2")),
		record("b", good), of("orchestrator", `{"title":"t","steps":[{"id":"s","description":"S"}]}`, "run",
			`{"control":"replan"}`, tools),
		of("orchestrator", "", "run/2", `{"update_steps":[{"id":"s","description":"S again"}]}`, retryOf("run")),
	)
	table := map[string]score.Score{}
	o := score.Options{Each: func(s score.Score, _ *corpora.Record) error { table[s.ID] = s; return nil }}
	if _, err := score.Run(t.Context(), []corpora.Source{s}, o); err != nil {
		t.Fatal(err)
	}
	for id, root := range map[string]string{"a": "a", "a/2": "a", "a/3": "a", "b": "b", "run": "run", "run/2": "run"} {
		x, err := score.Find([]corpora.Source{s}, id, harness.Reference(), nil)
		if err != nil || x == nil {
			t.Fatalf("%s: %v, %v", id, x, err)
		}
		if diff := cmp.Diff(table[root], x.Score, cmpopts.IgnoreUnexported(score.Score{}),
			cmpopts.IgnoreFields(score.Score{}, "Group")); diff != "" {
			t.Errorf("%s: -table +id:\n%s", id, diff)
		}
		if x.Outcome.Rung != x.Score.Rung {
			t.Errorf("%s: the outcome ends on %q, the table says %q", id, x.Outcome.Rung, x.Score.Rung)
		}
	}
	if x, err := score.Find([]corpora.Source{s}, "nobody", harness.Reference(), nil); x != nil || err != nil {
		t.Errorf("an unknown id: %v, %v", x, err)
	}
}

// TestRunsThatEndBadly: a run whose last verification failed, or whose replan nobody answered,
// has not ended well, although its last reply was taken. After retry is never below first.
func TestRunsThatEndBadly(t *testing.T) {
	const plan = `{"title":"t","steps":[{"id":"s","description":"S"}]}`
	for _, test := range []struct {
		name    string
		replies []harness.Reply
		verify  string
		want    string // rung, apply, apply after retry
	}{
		{"done", []harness.Reply{`{"control":"step_done"}`}, "", "patch 1/1 1/1"},
		{"a replan without an answer", []harness.Reply{`{"control":"replan"}`}, "", " 1/1 1/1"},
		{"an answered replan", []harness.Reply{
			`{"control":"replan"}`, `{"update_steps":[{"id":"s","description":"S again"}]}`,
		}, "", "patch 1/1 1/1"},
		{
			"a failed verification",
			[]harness.Reply{`{"tool":"write_file","args":{"path":"f"}}`, `{"control":"step_done"}`},
			`[{"ok":false,"errors":["no"]}]`, " 1/1 1/1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := of("orchestrator", plan, "r", string(test.replies[0]), func(r *corpora.Record) {
				if test.verify != "" {
					r.Verify, r.Tools = []byte(test.verify), []byte(`[{"ok":true,"output":"written","writes":{"f":"h"}}]`)
				}
			})
			s := score.Judge(&r, test.replies[1:], harness.Reference(), nil)
			items := []any{r}
			for i, reply := range test.replies[1:] {
				items = append(items, of("orchestrator", plan, fmt.Sprint(i), string(reply), func(r *corpora.Record) {
					r.RetryOf, r.Attempt = "r", i+2
				}))
			}
			g := run(t, score.Options{}, source(t, items...)).Groups[0]
			first, _ := g.Rate(score.ApplyRate)
			after, _ := g.Rate("apply_rate_after_retry")
			got := fmt.Sprintf("%s %d/%d %d/%d", s.Rung, first.Yes, first.N, after.Yes, after.N)
			if got != test.want {
				t.Errorf("got %q, want %q (%s %s)", got, test.want, s.Code, s.Message)
			}
			if after.Yes < first.Yes {
				t.Errorf("after retry %d, first %d", after.Yes, first.Yes)
			}
		})
	}
}

// TestPassesWithinOneSetting: replies under several settings are no repetitions of each other, and
// neither are replies to several prompts.
func TestPassesWithinOneSetting(t *testing.T) {
	var items []any
	for i := range 6 {
		for sample, temperature := range []string{"0", "0.7"} {
			items = append(items, record(fmt.Sprintf("%d/%d", i, sample), good, func(r *corpora.Record) {
				r.Case, r.Params = fmt.Sprint(i), []byte(`{"temperature":`+temperature+`,"seed":`+fmt.Sprint(sample)+`}`)
			}))
		}
	}
	g := run(t, score.Options{}, source(t, items...)).Groups[0]
	if diff := cmp.Diff([]string{"temperature 0", "temperature 0.7"}, g.Pooled); diff != "" || g.Passes != nil {
		t.Errorf("passes %v; settings -want +got:\n%s", g.Passes, diff)
	}
	var prompted []any
	for _, x := range items {
		r := x.(corpora.Record)
		r.Prompt, r.Params = "p@"+r.ID[2:], nil
		prompted = append(prompted, r)
	}
	g = run(t, score.Options{}, source(t, prompted...)).Groups[0]
	if diff := cmp.Diff([]string{"prompt p@0", "prompt p@1"}, g.Pooled); diff != "" || g.Passes != nil {
		t.Errorf("passes %v of two prompts; settings -want +got:\n%s", g.Passes, diff)
	}
	if g := run(t, score.Options{By: []string{"temperature"}}, source(t, items...)).Groups[0]; g.Pooled != nil {
		t.Errorf("one setting is pooled: %v", g.Pooled)
	}
}
