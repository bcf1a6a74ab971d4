package suite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

func result(id string, status harness.Status) suite.Result {
	return suite.Result{Scenario: scenarios.Scenario{ID: id}, Status: status}
}

func TestApplyKnown(t *testing.T) {
	for _, tc := range []struct {
		name, known string
		want        []harness.Status // of a/fails, a/crashes, a/passes, a/unsupported, a/not_run
		unused      []string
	}{
		{"nothing known", "", []harness.Status{"fail", "crash", "pass", "unsupported", "not_run"}, nil},
		{
			"one by one", "a/fails # x\na/crashes # y",
			[]harness.Status{"known", "known", "pass", "unsupported", "not_run"},
			nil,
		},
		{"fixed", "a/passes # x", []harness.Status{"fail", "crash", "fixed", "unsupported", "not_run"}, nil},
		{
			"a pattern may cover what passes", "a/* # x",
			[]harness.Status{"known", "known", "pass", "unsupported", "not_run"},
			nil,
		},
		{"any depth", "** # x", []harness.Status{"known", "known", "pass", "unsupported", "not_run"}, nil},
		{
			"matches nothing", "b/** # x",
			[]harness.Status{"fail", "crash", "pass", "unsupported", "not_run"},
			[]string{"b/**"},
		},
		{
			"matches nothing that fails", "a/unsup* # x",
			[]harness.Status{"fail", "crash", "pass", "unsupported", "not_run"},
			[]string{"a/unsup*"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			results := []suite.Result{
				result("a/fails", harness.Fail), result("a/crashes", harness.Crash), result("a/passes", harness.Pass),
				result("a/unsupported", harness.NotSupported), result("a/not_run", harness.NotRun),
			}
			known, err := finding.ParseBaseline("known.txt", []byte(tc.known))
			if err != nil {
				t.Fatal(err)
			}
			var unused []string
			for _, e := range suite.ApplyKnown(results, known) {
				unused = append(unused, e.Pattern)
			}
			var got []harness.Status
			for _, r := range results {
				got = append(got, r.Status)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("statuses (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tc.unused, unused); d != "" {
				t.Errorf("unused (-want +got):\n%s", d)
			}
		})
	}
}

// What is written can be read, and makes the same results pass.
func TestWriteKnown(t *testing.T) {
	failing := result("a/fails", harness.Fail)
	failing.Differences = []outcome.Path{{Pointer: "/verdict"}, {Pointer: "/code"}}
	results := []suite.Result{failing, result("a/crashes", harness.Crash), result("a/passes", harness.Pass)}
	list := finding.Written("known.txt", harness.JudgeSafety, suite.Failing(results))
	want := "# Failures that are known at the level safety: pattern  # reason or address\n" +
		"a/fails  # fail at /verdict, /code; why?\na/crashes  # crash\n"
	if d := cmp.Diff(want, string(list)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	known, err := finding.ParseBaseline("known.txt", list)
	if err != nil {
		t.Fatal(err)
	}
	if unused := suite.ApplyKnown(results, known); len(unused) > 0 {
		t.Errorf("unused: %v", unused)
	}
	for _, r := range results {
		if r.FailsGate() {
			t.Errorf("%s fails the gate with the status %s", r.Scenario.ID, r.Status)
		}
	}
}

// Whatever a scenario is called, what is written knows it.
func TestWriteKnownOddNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringOf(rapid.RuneFrom([]rune("ab/ #*?[]\\\n\t\u00a0\u200bé"))).Filter(func(s string) bool {
			return strings.Trim(s, "/") != "" && !strings.HasPrefix(s, "#")
		}).Draw(t, "id")
		failing := result(id, harness.Fail)
		failing.Differences = []outcome.Path{{Pointer: "/a\nb # c"}}
		for _, name := range []string{"known.txt", "known.yaml"} {
			results := []suite.Result{failing}
			list := finding.Written(name, harness.JudgeSafety, suite.Failing(results))
			known, err := finding.ParseBaseline(name, list)
			if err != nil {
				t.Fatal(err)
			}
			if unused := suite.ApplyKnown(results, known); len(unused) > 0 || results[0].Status != harness.Known {
				t.Errorf("%q is not known:\n%s", id, list)
			}
		}
	})
}
