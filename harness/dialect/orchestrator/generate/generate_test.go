package generate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/generators/gentest"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// Both doors lead to runs whose parts agree.
func TestRunsAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 1000, agreeRun) }

// agreeRun checks a run by itself, by the rules that hold for every run.
func agreeRun(s generators.Sample) error {
	want, trace := s.Want, s.Want.More.Trace
	end := trace[len(trace)-1]
	for end.Event == words.EventResumed { // behind the last event
		trace = trace[:len(trace)-1]
		end = trace[len(trace)-1]
	}
	switch {
	case s.Valid != (len(s.Traits) == 0):
		return fmt.Errorf("the faults are %v and Valid is %v", s.Traits, s.Valid)
	case s.Valid && want.Verdict != harness.Applied:
		return fmt.Errorf("nothing is wrong, and the run is to end with %v: %v", want.Codes, trace)
	case (want.Verdict == harness.Applied) != (end.State == words.StateDone) || (want.Verdict == harness.Rejected) != (len(want.Codes) == 1):
		return fmt.Errorf("%v: %s %v in the state %s", s.Traits, want.Verdict, want.Codes, end.State)
	}
	state := ""
	for _, e := range trace {
		if e.State != state && state != "" && !slices.Contains(words.Transitions(state), e.State) {
			return fmt.Errorf("%v: from %s to %s", s.Traits, state, e.State)
		}
		state = e.State
	}
	if want.Plan == nil {
		return nil
	}
	if err := want.Plan.Check(); err != nil {
		return fmt.Errorf("%v: the plan that must come out: %v", s.Traits, err)
	}
	if i := slices.IndexFunc(want.Plan.Steps, func(s plan.Step) bool { return s.Status != plan.Done }); i >= 0 {
		return fmt.Errorf("%v: the step %s is not done at the end", s.Traits, want.Plan.Steps[i].ID)
	}
	return nil
}

// Every fault can be planted alone, under the default rules.
func TestRunFaults(t *testing.T) {
	families := []string{"case", "planning", "step", "control", "replan", "script"}
	seen := map[string]bool{}
	for _, f := range generate.Traits() {
		if seen[f.Name] || !slices.Contains(families, f.Family) || f.Text == "" || strings.Contains(f.Text, "\n") {
			t.Errorf("fault %q of the family %q: %q", f.Name, f.Family, f.Text)
		}
		seen[f.Name] = true
		p := harness.Reference()
		s := gentest.Source(t, generate.New, generators.Options{Traits: []string{f.Name}, Profile: &p})
		planted := false
		for i := uint64(0); i < 100 && !planted; i++ {
			sample := s.At(9, i)
			if err := agreeRun(sample); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
			planted = slices.Equal(sample.Traits, []string{f.Name})
		}
		if !planted {
			t.Errorf("the fault %s is never planted", f.Name)
		}
	}
	if len(seen) < 80 {
		t.Errorf("%d faults", len(seen))
	}
}
