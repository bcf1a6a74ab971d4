package orchestrator_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/orchestrator"
)

// TestSamples: runs that were directed scene by scene, by someone who does not
// know how the reference works, come to what the director meant.
func TestSamples(t *testing.T) {
	source, err := generators.New(harness.Orchestrator, generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(4000) {
		s := source.At(11, i)
		out := orchestrator.Eval(s.Case, s.Profile)
		var codes []harness.Code
		if out.Code != "" {
			codes = append(codes, out.Code)
		}
		if out.Verdict != s.Want.Verdict || !slices.Equal(codes, s.Want.Codes) {
			t.Fatalf("case %d (%v) is %s %s, and was made to be %s %v: %s", i, s.Faults, out.Verdict, out.Code, s.Want.Verdict, s.Want.Codes, out.Message)
		}
		for j := range out.Trace {
			out.Trace[j].Data = nil
		}
		if d := cmp.Diff(s.Want.More.Trace, out.Trace); d != "" {
			t.Fatalf("case %d (%v): the trace (-want +got):\n%s", i, s.Faults, d)
		}
		if !out.Plan.Equal(s.Want.Plan) {
			t.Fatalf("case %d (%v): the plan (-want +got):\n%s", i, s.Faults, cmp.Diff(s.Want.Plan, out.Plan))
		}
	}
}

func BenchmarkEval(b *testing.B) {
	source, err := generators.New(harness.Orchestrator, generators.Options{Faults: []string{}})
	if err != nil {
		b.Fatal(err)
	}
	var samples []generators.Sample
	for i := range uint64(256) {
		samples = append(samples, source.At(1, i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := samples[i%len(samples)]
		orchestrator.Eval(s.Case, s.Profile)
	}
}
