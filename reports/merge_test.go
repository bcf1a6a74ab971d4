package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// fuzzed is the report of a shard of a campaign against an engine.
func fuzzed(t *testing.T, defect string, i, of int, known string) *Report {
	t.Helper()
	e := reference.New()
	if defect != "" {
		if e = all.Mutant(defect); e == nil {
			t.Fatalf("no defect %s", defect)
		}
	}
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := finding.ParseBaseline("known.txt", []byte(known))
	if err != nil {
		t.Fatal(err)
	}
	command := "fuzz --seed 3 --cases 300"
	if of > 1 {
		command += fmt.Sprintf(" --shard %d/%d", i, of)
	}
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "planpatch", Engine: e, Cases: 300, Seed: 3, Shard: shard.Shard{I: i, N: of},
		Judging: judge.Options{Reference: reference.New()},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := New(command, "devel", hello)
	r.AddFuzz(run, baseline, func(c cause.Cause) string { return "replanbench fuzz --first " + fmt.Sprint(c.First) })
	var names []string
	for _, c := range run.Result.Causes {
		names = append(names, run.Result.Names(c)...)
	}
	r.AddUnused("known.txt", baseline.Unused(names), "replanbench "+command)
	r.Conclude()
	r.Environment = Environment{}
	return r
}

// merge merges reports as the command report does.
func merge(list ...*Report) (*Report, error) {
	var m Merger
	for i, r := range list {
		if err := m.Add(fmt.Sprintf("report %d", i+1), r); err != nil {
			return nil, err
		}
	}
	return m.Report()
}

// TestMergeShardsInBulk compares the merged report of all shards with the report of the whole
// run, known findings and unused lines of the baseline included.
func TestMergeShardsInBulk(t *testing.T) {
	for _, known := range []string{"", "planpatch/done-immutable/*  # known\nnothing/at/all  # unused\n"} {
		whole := fuzzed(t, "removes-done-steps", 1, 1, known)
		var shards []*Report
		for i := range 3 {
			shards = append(shards, fuzzed(t, "removes-done-steps", 3-i, 3, known))
		}
		merged, err := merge(shards...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(write(t, whole, "json")), string(write(t, merged, "json"))); diff != "" {
			t.Errorf("known %q: not the report of the whole run (-whole +merged):\n%s", known, diff)
		}
	}
}

func TestMergeLacksAShard(t *testing.T) {
	merged, err := merge(fuzzed(t, "", 1, 3, ""), fuzzed(t, "", 3, 3, ""))
	if err != nil {
		t.Fatal(err)
	}
	if merged.Verdict != Incomplete || merged.Summary.Counts[harness.NotRun] != 100 {
		t.Errorf("a shard is missing, and the verdict is %s: %v", merged.Verdict, merged.Summary)
	}
	got := strings.Join(strings.Fields(string(write(t, merged, "markdown"))), " ")
	for _, want := range []string{"| pass | 200 | 100.0 [", "Shards 1, 3 of 3."} {
		if !strings.Contains(got, want) {
			t.Errorf("the shares are not of the cases that were run: no %q in\n%s", want, got)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	scenarios := func(ids ...string) *Report {
		r := &Report{Scenarios: &Scenarios{}}
		for _, id := range ids {
			r.Scenarios.Results = append(r.Scenarios.Results, ScenarioResult{ID: id, Status: harness.Pass})
			r.Summary.Add(harness.Pass)
		}
		return r
	}
	for name, test := range map[string]struct {
		list []*Report
		want string
	}{
		"nothing":           {nil, "no report"},
		"a shard twice":     {[]*Report{fuzzed(t, "", 1, 2, ""), fuzzed(t, "", 1, 2, "")}, "twice"},
		"a scenario twice":  {[]*Report{scenarios("a", "b"), scenarios("b")}, `"b"`},
		"two trims":         {[]*Report{{Trim: &Trim{}}, {Trim: &Trim{}}}, "trimming"},
		"a league of three": {[]*Report{{League: &League{}}, {}}, "several engines"},
	} {
		if _, err := merge(test.list...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
	both, err := merge(scenarios("a", "b"), scenarios("c"))
	if err != nil || both.Summary.Cases != 3 || both.Verdict != Passed || len(both.Scenarios.Results) != 3 {
		t.Errorf("two sets of scenarios: %v, %+v", err, both)
	}
}

// TestLeagueInBulk sets a right engine and a wrong one side by side.
func TestLeagueInBulk(t *testing.T) {
	wrong, right := fuzzed(t, "removes-done-steps", 1, 1, ""), fuzzed(t, "", 1, 1, "")
	many := &wrong.Fuzz.Campaigns[0]
	for i := range 10 {
		many.Causes[0].Traits = append(many.Causes[0].Traits, cause.Shows{Culprits: []string{fmt.Sprint("trait-", i)}})
	}
	wrong.Failures[0].Title = fuzzFailure(many, many.Causes[0], "").Title
	merged, err := merge(wrong, right)
	if err != nil {
		t.Fatal(err)
	}
	if got := merged.League.Engines[0]; got.Engine != right.Engine.String() || got.Verdict != Passed ||
		got.Dialects[0].Right != 300 {
		t.Errorf("the first of the league: %+v", got)
	}
	if got := merged.League.Engines[1]; got.Engine != wrong.Engine.String() || got.Dialects[0].Findings == 0 ||
		got.Dialects[0].Right+wrong.Summary.Counts[harness.Fail] != 300 {
		t.Errorf("the second of the league: %+v", got)
	}
	if merged.Verdict != Failed || merged.Summary.Cases != 600 || len(merged.Failures) != len(wrong.Failures) {
		t.Errorf("verdict %s, %d cases, %d failures", merged.Verdict, merged.Summary.Cases, len(merged.Failures))
	}
	for _, f := range merged.Failures {
		if f.Engine != wrong.Engine.String() || f.Evidence == nil || f.Evidence.Given == nil {
			t.Fatalf("a failure without engine or evidence: %+v", f)
		}
		for _, s := range many.CauseOf()(f.ID).Traits {
			for _, trait := range s.Culprits {
				if !strings.Contains(f.Title, trait) {
					t.Errorf("%s does not name the trait %s", f.ID, trait)
				}
			}
		}
	}
	more := Failure{Engine: "other", Suite: suiteFuzz, ID: "planpatch/loss/000000000000", Cases: 1000}
	merged.Failures = append(merged.Failures, more)
	merged.rankFailures(merged.Failures)
	if merged.Failures[0].ID != more.ID {
		t.Errorf("causes of all engines are not sorted by class and count: %s is first", merged.Failures[0].name())
	}
	merged.Failures = merged.Failures[1:]
	for _, format := range Formats() {
		out := string(write(t, merged, format))
		if format != "sarif" && format != "github" && format != "junit" && format != "parquet" &&
			!strings.Contains(out, "League") && !strings.Contains(out, "league") {
			t.Errorf("%s: no league table", format)
		}
	}
}
