package score_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/corpora"
	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/score"
)

func prompted(messages string) func(*corpora.Record) {
	return func(r *corpora.Record) { r.Messages = []byte(messages) }
}

// Prompts of 3 + 2 + 1 words, and of 3 + 6: what they hold, whether they
// overflow with their replies, and what a window would have sent instead.
func TestPrompts(t *testing.T) {
	const (
		short = `[{"role":"system","content":"You repair plans"},{"role":"user","content":"RULES: none"},{"role":"user","content":"Go"}]`
		long  = `[{"role":"system","content":"You repair plans"},{"role":"user","content":"a b c d e f"}]`
	)
	rules, err := history.ParseTagRule("replan_constraints=^RULES")
	if err != nil {
		t.Fatal(err)
	}
	window, err := history.ParsePolicy("window(1)")
	if err != nil {
		t.Fatal(err)
	}
	c := source(
		t, record("1", "one two three four", prompted(short)), record("2", "word", prompted(short)),
		record("2/retry", "word", prompted(long), retryOf("2")),
		record("3", "word", prompted(`[{"role":"robot"}]`)), record("4", "word"),
	)
	g := run(t, score.Options{
		Counter: words{}, Budget: 9, Tags: []history.TagRule{rules}, Policies: []history.Policy{window},
		Trim: all.Trimmer().Trim,
	}, c).Groups[0]
	want := &score.Prompts{Measured: 3, Unread: 1, Sections: []history.Section{
		{Tag: "(system)", Messages: 3, Tokens: 9},
		{Tag: "(user)", Messages: 3, Tokens: 8},
		{Tag: "replan_constraints", Messages: 2, Tokens: 4},
	}}
	// 21 words in all: 9 of the system, 8 of the user, 4 of the rules.
	for i := range want.Sections {
		want.Sections[i].Share = float64(want.Sections[i].Tokens) / 21
	}
	if diff := cmp.Diff(want, g.Prompts, cmpopts.IgnoreFields(score.Prompts{}, "Trimmed"),
		cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
	trimmed := g.Prompts.Trimmed[0]
	if trimmed.Policy != "window(1)" || trimmed.Histories != 3 || trimmed.Constraints != (simulate.Rate{K: 0, N: 2}) {
		t.Errorf("what a window would have sent: %+v", trimmed)
	}
	// 6 + 4 words of the first, 9 + 1 of the retry of the second: both are
	// over 9. Of the others the prompts are not known.
	if got := rates(g)["overflow_rate"]; got != "2/2" {
		t.Errorf("overflow %s, want 2/2", got)
	}
	if n := g.Tokens.Prompt; n.N != 3 || n.Sum != 21 {
		t.Errorf("prompt tokens %+v", n)
	}
	for _, m := range g.Means {
		if m.Name == "ladder_tokens" && (m.N != 2 || m.Yes != 10+17) {
			t.Errorf("tokens of whole ladders: %d of %d, want 10 and 7 + 10", m.Yes, m.N)
		}
	}
}

// There may be any number of tags; a result has few sections.
func TestPromptsManyTags(t *testing.T) {
	var messages []string
	for i := range 1000 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"a","tag":"tag %d"}`, i))
	}
	c := source(t, record("1", "word", prompted("["+strings.Join(messages, ",")+"]")))
	p := run(t, score.Options{Counter: words{}}, c).Groups[0].Prompts
	if len(p.Sections) != 1 || p.Sections[0].Tokens != 1000 {
		t.Errorf("%d sections", len(p.Sections))
	}
}

// Two cases: 2 of 3 samples can be applied of the one, 0 of 3 of the other. Of
// two samples of the first, the chance that one can be applied is 1 and that
// both can is 1/3.
func TestPasses(t *testing.T) {
	var items []any
	for i, reply := range []string{good, good, unknown, unknown, unknown, unknown} {
		items = append(items, record(fmt.Sprint(i), reply, func(r *corpora.Record) {
			r.Case, r.Sample = fmt.Sprint(i/3), i%3
		}))
	}
	got := map[string]float64{}
	for _, p := range run(t, score.Options{}, source(t, items...)).Groups[0].Passes {
		got[fmt.Sprint("any of ", p.K)], got[fmt.Sprint("all of ", p.K)] = p.Any.Value, p.All.Value
		for _, i := range []score.Interval{p.Any, p.All} {
			if i.Low > i.Value || i.Value > i.High || i.Low < 0 || i.High > 1 || math.IsNaN(i.Low) {
				t.Errorf("k = %d: %+v", p.K, i)
			}
		}
	}
	want := map[string]float64{
		"any of 1": 1. / 3, "all of 1": 1. / 3, "any of 2": 0.5, "all of 2": 1. / 6,
		"any of 3": 0.5, "all of 3": 0,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p := run(t, score.Options{}, source(t, record("1", good), record("2", good))).Groups[0].Passes; p != nil {
		t.Errorf("with one request a case: %v", p)
	}
}
