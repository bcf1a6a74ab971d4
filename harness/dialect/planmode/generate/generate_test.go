package generate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/generators/gentest"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/golden"
)

func sessions(t testing.TB, opts generators.Options) *generators.Source {
	t.Helper()
	return gentest.Source(t, generate.New, opts)
}

// Both doors lead to sessions whose parts agree.
func TestSessionsAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 5000, agreeSession) }

// agreeSession checks a sample by itself, by the rules that hold for every
// session.
func agreeSession(s generators.Sample) error {
	w := s.Want
	switch {
	case s.Valid && (w.Verdict != harness.Applied || len(s.Traits) > 0):
		return fmt.Errorf("valid, and yet %s with the faults %v", w.Verdict, s.Traits)
	case (w.Verdict == harness.Rejected) != (len(w.Codes) == 1):
		return fmt.Errorf("%s with the codes %v", w.Verdict, w.Codes)
	case w.More == nil:
		if len(s.Traits) == 0 || w.Verdict != harness.Rejected {
			return fmt.Errorf("nothing is known of a session with the faults %v", s.Traits)
		}
		return nil
	}
	var calls []map[string]any
	if err := json.Unmarshal(s.Case.Calls, &calls); err != nil {
		return err
	}
	made, first := 0, harness.Code("")
	for _, item := range w.More.Trace {
		if item.Event == "" {
			made++
		}
		if first == "" {
			first = item.Code
		}
	}
	phases := w.More.Phase != "" == (w.More.Mode == "plan")
	if made != len(calls) || !phases || (first == "") != (w.Verdict == harness.Applied) || first != "" && first != w.Codes[0] {
		return fmt.Errorf("%d calls and %d items, mode %s, phase %q, first refusal %q, codes %v", len(calls), made, w.More.Mode, w.More.Phase, first, w.Codes)
	}
	return nil
}

// The table says what every fault of sessions is and what it leads to alone.
func TestSessionFaultTable(t *testing.T) {
	var b strings.Builder
	faults := generate.Traits()
	if len(faults) < 20 {
		t.Errorf("%d faults of sessions", len(faults))
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "%s (%s): %s\n  %s\n", f.Name, f.Family, f.Text, strings.Join(sessionOutcomes(t, f.Name), ", "))
	}
	golden.Check(t, "testdata/planmode.golden", []byte(b.String()))
}

// sessionOutcomes plants one fault thirty times and returns what comes of the
// cases, and which calls are refused.
func sessionOutcomes(t *testing.T, fault string) []string {
	t.Helper()
	s := sessions(t, generators.Options{Traits: []string{fault}})
	seen := map[string]bool{}
	planted := 0
	for i := uint64(0); planted < 30 && i < 1000; i++ {
		sample := s.At(7, i)
		if sample.Traits == nil {
			continue
		}
		planted++
		seen[strings.TrimSpace(string(sample.Want.Verdict)+" "+gentest.Joined(sample.Want.Codes))] = true
		if sample.Want.More == nil {
			continue
		}
		for _, item := range sample.Want.More.Trace {
			if item.Code != "" {
				seen[string(item.Code)] = true
			}
		}
	}
	if planted == 0 {
		t.Errorf("%s is never planted", fault)
	}
	return slices.Sorted(maps.Keys(seen))
}

// Every fault and every code comes up fifty times in 200,000 cases.
func TestSessionMix(t *testing.T) {
	const n = 20_000
	s := sessions(t, generators.Options{})
	faults, codes, valid := map[string]int{}, map[string]int{}, 0
	for i := range uint64(n) {
		sample := s.At(1, i)
		for _, f := range sample.Traits {
			faults[f]++
		}
		for _, c := range sample.Want.Codes {
			codes[string(c)]++
		}
		if sample.Valid {
			valid++
		}
	}
	if share := float64(valid) / n; share < 0.35 || share > 0.5 {
		t.Errorf("%.3f of the sessions are valid, want 0.35 to 0.5", share)
	}
	for _, f := range generate.Traits() {
		if faults[f.Name] < n/4000 {
			t.Errorf("the fault %s is planted %d times in %d cases", f.Name, faults[f.Name], n)
		}
	}
	for _, c := range all.Vocabulary("planmode").Codes {
		if codes[c.Name] < n/4000 {
			t.Errorf("the code %s: %d in %d cases", c.Name, codes[c.Name], n)
		}
	}
}

func TestSessionOptions(t *testing.T) {
	none := sessions(t, generators.Options{Traits: []string{}, MaxSteps: 3})
	for i := range uint64(500) {
		s := none.At(1, i)
		var calls []any
		if err := json.Unmarshal(s.Case.Calls, &calls); err != nil || !s.Valid || len(calls) < 1 || len(calls) > 3 || s.Want.Verdict != harness.Applied {
			t.Fatalf("case %d: faults %v, %d calls, %s, %v", i, s.Traits, len(calls), s.Want.Verdict, err)
		}
	}
}

func BenchmarkSessions(b *testing.B) {
	s := sessions(b, generators.Options{})
	b.ReportAllocs()
	var i uint64
	for b.Loop() {
		s.At(1, i)
		i++
	}
}
