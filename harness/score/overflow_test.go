package score_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/score"
)

// armSource holds replies to trimmed prompts. Under window they conflict where the
// prompt was too long; the last one got no reply.
func armSource(t *testing.T) corpora.Source {
	t.Helper()
	var records []any
	for i := range 24 {
		for _, policy := range []string{"none", "window"} {
			overflow := float64(i%4+1) / 2
			reply := harness.Reply(`{"update_steps":[{"id":"b","description":"new"}]}`)
			if policy == "window" && overflow > 1 {
				reply = `{"remove_steps":["b"],"update_steps":[{"id":"b","description":"new"}]}`
			}
			r := corpora.Record{
				V: 1, ID: fmt.Sprint(policy, i), Dialect: "planpatch", Case: fmt.Sprint(i), Model: "m", Prompt: "p", Attempt: 1,
				Source: corpora.Recorded,
				Plan:   []byte(`{"title":"t","steps":[{"id":"a","description":"one"},{"id":"b","description":"two"}]}`),
				Reply:  reply,
				Trim:   &corpora.Trim{Policy: policy, Budget: 100, Before: int(100 * overflow), After: 50, Overflow: overflow},
			}
			if i == 23 {
				r.Reply, r.Failure = "", &corpora.Failure{Class: "cannot_fit"}
			}
			records = append(records, r)
		}
	}
	return source(t, records...)
}

// TestOverflow: rates by policy and degree of overflow, the same from shards.
func TestOverflow(t *testing.T) {
	corpus := armSource(t)
	run := func(s shard.Shard) *score.Result {
		r, err := score.Run(t.Context(), []corpora.Source{corpus}, score.Options{By: []string{"model", "budget"}, Shard: s})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := run(shard.Shard{}).Overflow
	if diff := cmp.Diff([]string{"policy", "overflow"}, whole.By); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, r := range whole.Rows {
		rate := r.Rate(score.ConflictRate)
		got = append(got, fmt.Sprintf("%s %s: %d of %d, %d without a reply", r.Key[0], r.Key[1], rate.Yes, rate.N, r.NoReply))
	}
	want := []string{
		"none 0–100 %: 0 of 12, 0 without a reply", "none 100–200 %: 0 of 11, 1 without a reply",
		"window 0–100 %: 0 of 12, 0 without a reply", "window 100–200 %: 11 of 11, 1 without a reply",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var joined score.Result
	for i := range 3 {
		data, err := json.Marshal(run(shard.Shard{I: i + 1, N: 3}))
		if err != nil {
			t.Fatal(err)
		}
		var part score.Result
		if err := json.Unmarshal(data, &part); err != nil {
			t.Fatal(err)
		}
		if err := joined.Join(&part); err != nil {
			t.Fatal(err)
		}
	}
	joined.Conclude(true)
	if diff := cmp.Diff(whole, joined.Overflow); diff != "" {
		t.Errorf("not the rows of the whole (-whole +joined):\n%s", diff)
	}
}

// TestConflictRate counts conflicts that the profile resolves, that it refuses, and
// that another fault hides.
func TestConflictRate(t *testing.T) {
	old := []byte(`{"title":"t","steps":[{"id":"a","description":"one","status":"done"},{"id":"b","description":"two"}]}`)
	reject := harness.Reference()
	reject.Conflicts = harness.Reject
	for _, c := range []struct {
		reply harness.Reply
		want  bool
	}{
		{`{"remove_steps":["b"],"update_steps":[{"id":"b","description":"x"}]}`, true},
		{`{"remove_steps":["b"],"add_steps":[{"id":"b","description":"x"}]}`, true},
		{`{"update_steps":[{"id":"b","description":"x"}],"add_steps":[{"id":"b","description":"x"}]}`, true},
		{`{"remove_steps":["a","b"],"update_steps":[{"id":"b","description":"x"}]}`, true}, // refused for a, which is done
		{`Sure: {"remove_steps":["b"],"update_steps":[{"id":"b "}]}`, true},
		{`{"remove_steps":["b"],"add_steps":[{"id":"c","description":"x"}]}`, false},
		{`{"remove_steps":["b","b"]}`, false},
		{`no JSON`, false},
	} {
		for _, p := range []harness.Profile{harness.Reference(), reject} {
			s := score.Judge(&corpora.Record{ID: "r", Dialect: "planpatch", Plan: old, Reply: c.reply, Attempt: 1}, nil, p, nil)
			if s.Conflict != c.want {
				t.Errorf("%s, conflicts %s: %v, want %v", c.reply, p.Conflicts, s.Conflict, c.want)
			}
		}
	}
}
