package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
)

// TestSamples: runs that were directed scene by scene, by someone who does not
// know how the reference works, come to what the director meant.
func TestSamples(t *testing.T) {
	source, err := all.Source("orchestrator", generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(2500) {
		s := source.At(11, i)
		out := orchestrator.Eval(s.Case, s.Profile)
		var codes []harness.Code
		if out.Code != "" {
			codes = append(codes, out.Code)
		}
		if out.Verdict != s.Want.Verdict || !slices.Equal(codes, s.Want.Codes) {
			t.Fatalf("case %d (%v) is %s %s, and was made to be %s %v: %s", i, s.Traits, out.Verdict, out.Code, s.Want.Verdict, s.Want.Codes, out.Message)
		}
		for j := range out.Trace {
			out.Trace[j].Data = nil
		}
		if d := cmp.Diff(s.Want.More.Trace, out.Trace); d != "" {
			t.Fatalf("case %d (%v): the trace (-want +got):\n%s", i, s.Traits, d)
		}
		if !out.Plan.Equal(s.Want.Plan) {
			t.Fatalf("case %d (%v): the plan (-want +got):\n%s", i, s.Traits, cmp.Diff(s.Want.Plan, out.Plan))
		}
	}
}

func BenchmarkEval(b *testing.B) {
	source, err := all.Source("orchestrator", generators.Options{Traits: []string{}})
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

// BenchmarkSteps shows that a run takes time linear in its steps.
func BenchmarkSteps(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		var steps []string
		c := harness.Case{Dialect: "orchestrator"}
		for i := range n {
			steps = append(steps, fmt.Sprintf(`{"id":"%d","description":"x","dependencies":["%d"]}`, i, max(0, i-1)))
			c.Replies = append(c.Replies, `{"control":"step_done"}`)
		}
		steps[0] = `{"id":"0","description":"x"}`
		c.Plan = []byte(`{"title":"T","steps":[` + strings.Join(steps, ",") + `]}`)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if out := orchestrator.Eval(c, harness.Reference()); out.Verdict != harness.Applied {
					b.Fatal(out.Message)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/step")
		})
	}
}
