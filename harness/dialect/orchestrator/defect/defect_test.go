package defect_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/defect"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/testdata/mutanttest"
	"replanbench/scenarios"
)

// TestEachRunDefectShowsSomewhereAndNotOnAPlainRun looks for a case that shows
// the defect among directed runs, as a campaign would.
func TestEachRunDefectShowsSomewhereAndNotOnAPlainRun(t *testing.T) {
	plain := plainRun(t)
	always := map[string]bool{ // they are wrong whatever the run
		"no-intake": true, "two-user-messages": true, "system-in-the-middle": true,
		"never-verifies": true,
	}
	runs := newRuns(t)
	for _, d := range defect.Defects() {
		t.Run(d.Name, func(t *testing.T) {
			if diff := mutanttest.Difference(t, rules.Eval, d, plain); (diff != "") != always[d.Name] {
				t.Errorf("on a plain run (-reference +defect):\n%s", diff)
			}
			engine := mutant.Engine("orchestrator", d, rules.Eval, harness.Declaration{Profile: harness.Reference()})
			for i := range 6000 {
				c, want := runs.at(i)
				got, err := engine.Eval(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				if !sameRun(want, got) {
					return
				}
			}
			t.Error("no run shows the defect")
		})
	}
}

// runs are directed runs, with what the reference makes of them.
type runs struct {
	source *generators.Source
	cases  []harness.Case
	wants  []harness.Outcome
}

func newRuns(t *testing.T) *runs {
	t.Helper()
	source, err := all.Source("orchestrator", generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &runs{source: source}
}

func (r *runs) at(i int) (harness.Case, harness.Outcome) {
	for len(r.cases) <= i {
		s := r.source.At(5, uint64(len(r.cases)))
		r.cases = append(r.cases, s.Case)
		r.wants = append(r.wants, rules.Eval(s.Case, s.Profile))
	}
	return r.cases[i], r.wants[i]
}

// sameRun compares what two runs came to.
func sameRun(a, b harness.Outcome) bool {
	return a.Verdict == b.Verdict && a.Code == b.Code && a.Plan.Equal(b.Plan) && bytes.Equal(a.Messages, b.Messages) &&
		slices.EqualFunc(a.Trace, b.Trace, func(x, y harness.TraceItem) bool {
			return x.State == y.State && x.Step == y.Step && x.Event == y.Event && x.Code == y.Code
		})
}

// plainRun is the scenario of a run in which all goes well.
func plainRun(t *testing.T) harness.Case {
	t.Helper()
	all, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if strings.HasSuffix(s.ID, "orchestrator/documented/valid_run") {
			return s.Case
		}
	}
	t.Fatal("there is no plain run")
	return harness.Case{}
}
