package generate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/testdata/gentest"
	"replanbench/harness/testdata/golden"
)

func sessions(t testing.TB, opts generators.Options) *generators.Source {
	t.Helper()
	return gentest.Source(t, generate.New, opts)
}

// Both doors lead to sessions whose labels the rules give.
func TestSessionsAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 5000, agreeSession) }

// So do all subsets of the traits of a session.
func TestSubsets(t *testing.T) { gentest.Subsets(t, generate.New, 1000, agreeSession) }

// agreeSession compares a sample with the rules. Its label does not depend on them.
func agreeSession(s generators.Sample) error {
	w, got := s.Want, rules.Eval(s.Case, harness.Reference())
	for _, need := range rules.Needs(s.Case) {
		if !slices.ContainsFunc(generate.Traits(), func(t generators.Trait) bool {
			return slices.Contains(s.Traits, t.Name) && slices.Contains(t.Needs, need)
		}) {
			return fmt.Errorf("%v: the session needs %s, and none of its traits does", s.Traits, need)
		}
	}
	var code harness.Code
	if len(w.Codes) > 0 {
		code = w.Codes[0]
	}
	switch {
	case s.Valid && (w.Verdict != harness.Applied || len(s.Traits) > 0):
		return fmt.Errorf("valid, and yet %s with the traits %v", w.Verdict, s.Traits)
	case w.Verdict != got.Verdict || code != got.Code:
		return fmt.Errorf("%v: %s %s, and the rules say %s %s: %s\n%s", s.Traits, w.Verdict, code, got.Verdict, got.Code,
			got.Message, s.Case.Calls)
	}
	return nil
}

// The table says what every fault of sessions is and what it leads to alone.
func TestSessionFaultTable(t *testing.T) {
	var b strings.Builder
	faults := generate.Traits()
	if len(faults) < 10 {
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
		for _, item := range rules.Eval(sample.Case, harness.Reference()).Trace {
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

// Every trait is planted, every code is met, and plain sessions come first.
func TestSessionMix(t *testing.T) {
	const n = 10_000
	s := sessions(t, generators.Options{})
	traits, codes := map[string]int{}, map[string]int{}
	for i := range s.Mix() + n {
		sample := s.At(1, i)
		if plain := s.Phase(i) == generators.Plain; plain && (!sample.Valid || sample.Want.Verdict != harness.Applied) {
			t.Fatalf("the plain session %d: %v %s", i, sample.Traits, sample.Want.Verdict)
		}
		for _, f := range sample.Traits {
			traits[f]++
		}
		for _, c := range sample.Want.Codes {
			codes[string(c)]++
		}
	}
	for _, f := range generate.Traits() {
		if traits[f.Name] < 10 {
			t.Errorf("the trait %s is planted %d times", f.Name, traits[f.Name])
		}
	}
	for _, c := range all.Vocabulary("planmode").Codes {
		// What nests a thousand deep neither Python's json.load nor a reader of the report
		// in Python takes: a scenario has it.
		if c.Name != string(harness.TooDeep) && codes[c.Name] < 10 {
			t.Errorf("the code %s: %d times", c.Name, codes[c.Name])
		}
	}
}

func TestSessionOptions(t *testing.T) {
	none := sessions(t, generators.Options{Traits: []string{}, MaxSteps: 3})
	for i := range uint64(500) {
		s := none.At(1, i)
		var calls []any
		if err := json.Unmarshal(s.Case.Calls, &calls); err != nil || !s.Valid || len(calls) < 1 || len(calls) > 3 ||
			s.Want.Verdict != harness.Applied {
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
