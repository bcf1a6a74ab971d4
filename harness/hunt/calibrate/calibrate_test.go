package calibrate_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/hunt/calibrate"
)

// choose returns defects by name.
func choose(t *testing.T, names ...string) (list []mutant.Defect) {
	t.Helper()
	for _, name := range names {
		_, d, ok := all.Defect(name)
		if !ok {
			t.Fatalf("no defect %q", name)
		}
		list = append(list, d)
	}
	return list
}

func run(t *testing.T, o calibrate.Options) calibrate.Result {
	t.Helper()
	o.Dialect = "planpatch"
	res, err := calibrate.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestKillsInBulk looks for defects that certain checks must find.
func TestKillsInBulk(t *testing.T) {
	want := map[string]string{
		"accepts-self-dependency":         "deps-acyclic",
		"accepts-missing-dependency":      "deps-exist",
		"ignores-limit":                   "within-limit",
		"accepts-forged-done":             "new-pending",
		"half-applied":                    "atomic",
		"mutates-input":                   "input-unchanged",
		"squeezes-white-space":            "no-silent-loss",
		"cuts-old-steps":                  "untouched-kept",
		"planpatch:reading.extract=false": "layout",
	}
	var list []mutant.Defect
	for name := range want {
		list = append(list, choose(t, name)...)
	}
	const cases = 600
	res := run(t, calibrate.Options{Defects: list, Seeds: 2, Cases: cases})
	for _, row := range res.Defects {
		if survived := row.Survived(); len(survived) > 0 {
			t.Errorf("%s survives with the seeds %v", row.Name, survived)
		}
		if checks := row.Checks; !slices.Contains(checks, want[row.Name]) {
			t.Errorf("%s is noticed by %v, want %s", row.Name, checks, want[row.Name])
		}
		for _, h := range row.Hunts {
			if h.Found() && (h.Message == "" || len(h.Case.Plan) == 0 || h.Cases < 1 || h.Cases > cases) {
				t.Errorf("%s: a hunt with too little in it: %+v", row.Name, h)
			}
		}
	}
}

// TestNothingIsFoundInNothing hunts an engine without a defect.
func TestNothingIsFoundInNothing(t *testing.T) {
	sound := mutant.New("none", "nothing is wrong", mutant.Under(func(*harness.Profile) {}))
	res := run(t, calibrate.Options{Defects: []mutant.Defect{sound}, Seeds: 2, Cases: 300})
	row := res.Defects[0]
	if diff := cmp.Diff([]uint64{1, 2}, row.Survived()); diff != "" {
		t.Errorf("seeds without a finding (-want +got):\n%s\n%+v", diff, row.Hunts)
	}
	if row.Cases != 300 || row.Checks != nil {
		t.Errorf("%d cases, noticed by %v; want all 300, and nothing", row.Cases, row.Checks)
	}
	for _, h := range res.Reference {
		if h.Found() || !h.Ran() {
			t.Errorf("the reference: %+v", h)
		}
	}
}

func TestTheWorkersDoNotMatter(t *testing.T) {
	list := choose(t, "mutates-input", "second-answer-differs")
	one := run(t, calibrate.Options{Defects: list, Seeds: 2, Cases: 100, Workers: 1})
	many := run(t, calibrate.Options{Defects: list, Seeds: 2, Cases: 100, Workers: 7})
	for _, r := range one.Defects {
		if survived := r.Survived(); len(survived) > 0 {
			t.Errorf("%s survives with the seeds %v: there is too little to compare", r.Name, survived)
		}
	}
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("with 1 and with 7 workers:\n%s", diff)
	}
}

func TestInterruptedRunsSayWhatWasDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	res, err := calibrate.Run(ctx, calibrate.Options{
		Dialect: "planpatch", Defects: choose(t, "accepts-cycle", "forgets-warnings"), Seeds: 2, Cases: 500, Workers: 1,
		Progress: func(done, total int) {
			if total != 6 {
				t.Errorf("%d campaigns, want 6", total)
			}
			if done == 3 {
				cancel()
			}
		},
	})
	if err == nil {
		t.Error("an interrupted run has no error")
	}
	if !res.Defects[0].Hunts[0].Ran() || res.Defects[1].Ran() || len(res.Defects[1].Survived()) > 0 {
		t.Errorf("three campaigns were to be run, the others neither run nor survived: %+v", res)
	}
}

func TestNothingToDoIsAnError(t *testing.T) {
	for _, o := range []calibrate.Options{
		{Seeds: 0, Cases: 1},
		{Seeds: 1, Cases: 0},
		{Dialect: "chess", Seeds: 1, Cases: 1},
	} {
		if _, err := calibrate.Run(t.Context(), o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
}

func TestTheMiddleOfARow(t *testing.T) {
	row := calibrate.Row{Hunts: []calibrate.Hunt{
		{Seed: 1, Cases: 50, Check: "reference", Steps: 3, Operations: 9},
		{Seed: 2, Cases: 7, Check: "atomic", Steps: 1, Operations: 1},
		{Seed: 3, Cases: 900},
		{Seed: 4, Cases: 8, Check: "reference", Steps: 1, Operations: 2},
		{Seed: 5},
	}}
	row.Conclude()
	got := []any{row.Cases, row.Checks, row.Survived(), row.Ran(), row.Steps, row.Operations}
	want := []any{8, []string{"reference", "atomic"}, []uint64{3}, false, 1, 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
