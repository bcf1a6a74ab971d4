package score_test

import (
	stdjson "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

// counts of one run of the recording.
type runCounts struct {
	N, CutOff int
	Whole     int // the whole reply is JSON
	Schema    int // what was found in it is a patch by its schema
	Apply     int // and can be applied to its plan
	Mends     int // and changes the failed step
}

// publishedCounts are the counts that another program made of the recorded replies,
// by rules of its own; see [differences].
func publishedCounts() map[string]runCounts {
	return map[string]runCounts{
		"s.t0.7.free":       {150, 0, 138, 133, 52, 45},
		"s.t0.7.schema":     {150, 0, 150, 150, 59, 55},
		"m.t0.7.free":       {150, 0, 146, 145, 96, 96},
		"m.t0.7.schema":     {150, 0, 150, 150, 90, 89},
		"l.t0.7.free":       {150, 0, 149, 148, 118, 118},
		"l.t0.7.schema":     {150, 0, 150, 150, 119, 119},
		"l.t0.0.free":       {150, 0, 150, 150, 137, 137},
		"l.t1.0.free":       {150, 0, 144, 145, 104, 104},
		"l.t1.3.free":       {150, 0, 125, 128, 98, 98},
		"l.t0.7.free.max80": {50, 7, 44, 44, 37, 37},
		"l.t0.7.free.r1":    {50, 0, 50, 50, 41, 41},
		"l.t0.7.free.r2":    {50, 0, 49, 50, 37, 37},
		"l.t0.7.free.r3":    {50, 0, 50, 50, 43, 43},
		"retry":             {60, 0, 48, 48, 16, 15},
	}
}

// difference is a reply that the published count and the rules here judge
// differently: what the reply counts more (1) or less (-1) here.
type difference struct {
	schema, apply, mends int
	why                  string
}

// differences lists every reply that is counted differently, with the reason.
func differences() map[string]difference {
	const (
		optional  = "dependencies and tools of an added step may be left out"
		wholePlan = "a full plan can be read too, though not applied where it breaks other rules"
		status    = "the status of an added step is set to pending"
		behind    = "a broken object is passed over for the whole one behind it"
		unknown   = "an unknown id to remove is a warning"
		noMember  = "an unknown member is refused; the count of patches that can be applied passes it over"
		twice     = "a member that stands twice is refused"
	)
	return map[string]difference{
		"test-012/m/t0.7/free":       {1, 0, 0, optional},
		"test-012/s/t0.7/free":       {1, 0, 0, optional},
		"test-025/s/t0.7/free":       {1, 0, 0, optional},
		"test-046/s/t0.7/free":       {1, 0, 0, optional},
		"test-089/s/t0.7/free":       {1, 0, 0, optional},
		"test-141/s/t0.7/free":       {1, 0, 0, optional},
		"test-049/l/t1/free":         {1, 0, 0, wholePlan},
		"test-066/l/t1/free":         {1, 0, 0, wholePlan},
		"test-017/l/t1.3/free":       {1, 0, 0, status},
		"test-047/m/t0.7/free":       {1, 1, 1, behind},
		"test-127/l/t1.3/free":       {1, 0, 0, behind},
		"test-149/l/t1.3/free":       {1, 1, 1, behind},
		"test-069/s/t0.7/free":       {0, 1, 0, unknown},
		"test-025/s/t0.7/free/retry": {1, 0, 0, optional},
		"test-032/m/t0.7/free/retry": {-1, 0, 0, twice},
		"test-045/l/t0.7/free/retry": {-1, 0, 0, twice},
		"test-032/m/t0.7/schema":     {0, 1, 1, "an id listed twice for removal is a warning"},
		"test-115/s/t0.7/free":       {0, 1, 0, "a step over the limit is cut and the rest applied"},
		"test-083/s/t0.7/free":       {0, 1, 0, "a new title is a change"},
		"test-037/l/t0.7/free":       {0, -1, -1, noMember},
		"test-085/l/t1/free":         {0, -1, -1, noMember},
		"test-039/l/t1.3/free":       {0, -1, -1, noMember},
		"test-049/l/t1.3/free":       {0, -1, -1, noMember},
		"test-128/l/t1.3/free":       {0, -1, -1, noMember},
		"test-148/l/t1/free":         {-1, -1, -1, twice},
		"test-003/l/t1.3/free":       {-1, 0, 0, twice},
		"test-070/l/t1.3/free":       {-1, 0, 0, twice},
	}
}

// The recording of the built-in replies was counted by a program of its own,
// apart from this one. What both measure must come out the same, run by run,
// but for the replies that are listed with the reason.
func TestBuiltinAgainstPublishedCounts(t *testing.T) {
	p := harness.Reference()
	p.Conflicts = harness.Reject // the count takes an id in two lists for an error
	got, listed := map[string]runCounts{}, differences()
	for r, err := range corpora.Builtin()[0].Records() {
		if err != nil {
			t.Fatal(err)
		}
		s, d := score.Judge(&r, nil, p, nil), listed[r.ID]
		n := got[r.Tag("run")]
		n.N++
		n.CutOff += one(s.CutOff)
		n.Whole += one(stdjson.Valid([]byte(r.Reply)))
		n.Schema += one(s.Tier != harness.TierNone) - d.schema
		n.Apply += one(s.Verdict == harness.Applied) - d.apply
		n.Mends += one(s.Intent == score.Met) - d.mends
		got[r.Tag("run")] = n
		delete(listed, r.ID)
	}
	if diff := gocmp.Diff(publishedCounts(), got); diff != "" {
		t.Errorf("-published +here, without the differences that are listed:\n%s", diff)
	}
	for id := range listed {
		t.Errorf("%s is listed and stands in no corpus", id)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// recordingVariable names the directory of the recording that the built-in
// corpus was made of, for those who have it.
const recordingVariable = "REPLANBENCH_TINYLM"

func recording(t *testing.T) string {
	dir := os.Getenv(recordingVariable)
	if dir == "" {
		t.Skipf("%s is not set: it names the directory of the recording", recordingVariable)
	}
	return dir
}

// The models' own summary has the counts of the first attempts. The retries were
// recorded with the program's own messages, so that their replies differ.
func TestPublishedCountsAreTheSummarys(t *testing.T) {
	summary, err := os.ReadFile(filepath.Join(recording(t), "SUMMARY.md"))
	if err != nil {
		t.Fatal(err)
	}
	leading := regexp.MustCompile(`^\d+`)
	got := map[string]runCounts{}
	for line := range strings.Lines(string(summary)) {
		cells := strings.Split(line, "|")
		if len(cells) < 13 || !strings.Contains(cells[1], ".jsonl") {
			continue
		}
		number := func(i int) int {
			n, err := strconv.Atoi(leading.FindString(strings.TrimSpace(cells[i])))
			if err != nil {
				t.Fatalf("column %d of %s: %v", i, line, err)
			}
			return n
		}
		run := strings.TrimSuffix(strings.TrimSpace(cells[1]), ".jsonl")
		got[run] = runCounts{number(6), number(7), number(8), number(10), number(11), number(12)}
	}
	want := publishedCounts()
	delete(got, "retry")
	delete(want, "retry")
	if diff := gocmp.Diff(got, want); diff != "" {
		t.Errorf("-summary +here:\n%s", diff)
	}
}

// TestBuiltinRepliesAreThoseOfTheModels: an earlier recording by another client asked
// with the same messages and seeds, and the models gave the same first replies.
func TestBuiltinRepliesAreThoseOfTheModels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recording(t), "recorded", "[sml].*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for r, err := range corpora.Import("openai-pairs", files, corpora.Options{Dialect: "planpatch", Messages: true}) {
		want[r.ID] = exchange(t, r, err)
	}
	for r, err := range corpora.Builtin()[0].Records() {
		if r.Attempt == 1 {
			got[r.ID] = exchange(t, r, err)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-earlier +builtin:\n%s", diff)
	}
}

// exchange is what was asked and replied.
func exchange(t *testing.T, r corpora.Record, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n%s\n%s", r.Messages, r.Params, r.Reply)
}
