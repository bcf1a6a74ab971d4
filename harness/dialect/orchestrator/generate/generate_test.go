package generate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/gentest"
)

// Both doors lead to runs whose parts agree.
func TestRunsAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 1000, agreeRun) }

// agreeRun checks a run by itself, by the rules that hold for every run.
func agreeRun(s generators.Sample) error {
	out := rules.Eval(s.Case, s.Profile)
	want, trace := s.Want, out.Trace
	if want.Loose || len(trace) == 0 {
		return nil
	}
	end := trace[len(trace)-1]
	for end.Event == spec.EventResumed { // behind the last event
		trace = trace[:len(trace)-1]
		end = trace[len(trace)-1]
	}
	switch {
	case s.Valid != (len(s.Traits) == 0):
		return fmt.Errorf("the traits are %v and Valid is %v", s.Traits, s.Valid)
	case s.Valid && want.Verdict != harness.Applied:
		return fmt.Errorf("nothing is wrong, and the run is to end with %v: %v", want.Codes, trace)
	case (want.Verdict == harness.Applied) != (end.State == spec.StateDone) ||
		(want.Verdict == harness.Rejected) != (len(want.Codes) == 1):
		return fmt.Errorf("%v: %s %v in the state %s", s.Traits, want.Verdict, want.Codes, end.State)
	}
	state := ""
	for _, e := range trace {
		if e.State != state && state != "" && !slices.Contains(spec.Transitions(state), e.State) {
			return fmt.Errorf("%v: from %s to %s", s.Traits, state, e.State)
		}
		state = e.State
	}
	if out.Plan == nil || want.Verdict != harness.Applied || slices.ContainsFunc(trace, func(e harness.TraceItem) bool { return e.Event == harness.EventReactUsed }) {
		return nil
	}
	if err := out.Plan.Check(); err != nil {
		return fmt.Errorf("%v: the plan that must come out: %w", s.Traits, err)
	}
	if i := slices.IndexFunc(out.Plan.Steps, func(s plan.Step) bool { return s.Status != plan.Done }); i >= 0 {
		return fmt.Errorf("%v: the step %s is not done at the end", s.Traits, out.Plan.Steps[i].ID)
	}
	return nil
}

// TestTraits: every trait can be planted alone, and says what it is.
func TestTraits(t *testing.T) {
	families := []string{
		"case", "plan", "planning", "step", "tool", "control", "replan", "trigger", "script", "budget", "resume", "text", "shape",
	}
	seen := map[string]bool{}
	for _, f := range generate.Traits() {
		if seen[f.Name] || !slices.Contains(families, f.Family) || f.Text == "" || strings.Contains(f.Text, "\n") ||
			f.Theme == "" || f.Place != "text" && !strings.HasPrefix(f.Place, "in ") {
			t.Errorf("trait %q of the family %q: %q, %q %q", f.Name, f.Family, f.Text, f.Theme, f.Place)
		}
		seen[f.Name] = true
		s := gentest.Source(t, generate.New, generators.Options{Traits: []string{f.Name}})
		for i := range uint64(12) {
			sample := s.At(9, generators.PlainCases+i)
			if err := agreeRun(sample); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
			if !slices.Equal(sample.Traits, []string{f.Name}) {
				t.Errorf("case %d has %v, and not %s", i, sample.Traits, f.Name)
			}
			if f.Family == "case" && len(sample.Case.Replies) == 0 {
				t.Errorf("%s: an engine that overlooks it cannot go on in case %d", f.Name, i)
			}
			if f.Seen != nil && !f.Seen(sample.Case) {
				t.Errorf("%s is not recognised in case %d", f.Name, i)
			}
		}
	}
	if len(seen) < 120 {
		t.Errorf("%d traits", len(seen))
	}
}

func BenchmarkSample(b *testing.B) {
	s := gentest.Source(b, generate.New, generators.Options{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.At(1, s.Mix()+uint64(i%4096))
	}
}
