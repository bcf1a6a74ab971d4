package live_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/live"
	"replanbench/harness/score"
)

// failing serves three cases: c0 is answered, c1 meets a busy server and c2 a
// refusal, until it is told that all is well.
func failing(t *testing.T, well *bool) *setup {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		asked := decodeRequest(t, r).Messages[0].Content
		switch {
		case *well || strings.Contains(asked, "time 0"):
			good(w, r)
		case strings.Contains(asked, "time 1"):
			answer(w, 503, "text/html", "<p>busy</p>")
		default:
			answer(w, 400, "application/json", errorBody("bad", "no such parameter"))
		}
	})
	s := newSetup(t, server.URL, 3)
	s.options.Retry.Tries = 2
	s.plan.Profile.Ladder = []harness.Rung{harness.RungPatch}
	return s
}

// TestFailuresAreRecorded: what failed for good is in the corpus, never scored
// as a reply, known to a report of a later session that may not ask, and asked
// again by one that may.
func TestFailuresAreRecorded(t *testing.T) {
	well := false
	s := failing(t, &well)
	first := s.run(t, false)
	failures := []live.Count{
		{Name: "server_error", N: 1, Example: "<p>busy</p>"},
		{Name: "bad_request", N: 1, Example: "no such parameter"},
	}
	if diff := cmp.Diff(failures, first.Failures); diff != "" {
		t.Error(diff)
	}
	replies, lost := readRun(t, s.corpus)
	if len(replies) != 1 || len(lost) != 2 || lost[0].Failure.Status != 503 || len(lost[0].FailedTries) != 2 ||
		lost[1].Reply != "" {
		t.Fatalf("%d replies, and %+v", len(replies), lost)
	}
	before, err := os.ReadFile(s.corpus)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Limits = live.Limits{Requests: first.Spent.Requests}
	again := s.run(t, true)
	again.Stopped = ""
	if diff := cmp.Diff(first, again, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Resumed" },
		cmp.Ignore())); diff != "" {
		t.Errorf("a session that may not ask reports (-first +again):\n%s", diff)
	}
	if after, err := os.ReadFile(s.corpus); err != nil || string(after) != string(before) {
		t.Errorf("it changed the corpus: %v\n%s", err, after)
	}
	well, s.options.Limits = true, live.Limits{}
	last := s.run(t, true)
	if last.Whole != 3 || last.Failed != 0 || last.Resumed != 1 || last.Spent.Requests != 1+2+1+2 {
		t.Errorf("the failures were not asked again: %+v", last)
	}
	if diff := cmp.Diff(first.Tries, last.Tries); diff != "" {
		t.Errorf("the tries of the first session are forgotten: %s", diff)
	}
	if replies, lost := readRun(t, s.corpus); len(replies) != 3 || len(lost) != 0 || len(replies[1].FailedTries) != 2 {
		t.Errorf("%d replies and %d failures in the end, want 3 and none; %v", len(replies), len(lost), replies)
	}
}

// TestFailuresAreNotScored: they are counted as requests without a reply, and
// change no rate.
func TestFailuresAreNotScored(t *testing.T) {
	well := false
	s := failing(t, &well)
	s.run(t, false)
	r, err := score.Run(t.Context(), []corpora.Source{corpora.File(s.corpus)}, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := r.Groups[0]
	if r.Records != 1 || r.Failed != 2 || r.Bad != 0 || g.Requests != 3 || g.Unscored[score.NoReply] != 2 {
		t.Errorf("%d scored, %d failed, %d bad; %d requests, unscored %v", r.Records, r.Failed, r.Bad, g.Requests, g.Unscored)
	}
	for _, rate := range g.Rates {
		if rate.N > 1 {
			t.Errorf("%s is over %d replies, and there is one", rate.Name, rate.N)
		}
	}
	for problem, err := range new(corpora.Validator).Check(corpora.File(s.corpus)) {
		t.Error(problem, err)
	}
}

// TestFailedTriesCount: tries that failed before a reply came count against the
// limits of the next session too, with the prompts that they cost.
func TestFailedTriesCount(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n < 2 {
			answer(w, 200, "application/json", `{"choices":[]}`)
			return
		}
		good(w, r)
	})
	s := newSetup(t, server.URL, 1)
	first := s.run(t, false)
	again := s.run(t, true)
	if first.Spent.Requests != 3 || first.Spent != again.Spent {
		t.Errorf("spent %+v, and after resuming %+v", first.Spent, again.Spent)
	}
	if diff := cmp.Diff(first.Tries, again.Tries); diff != "" {
		t.Error(diff)
	}
}
