package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/generate"
	orchestrator "replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/testdata/gentest"
)

// TestSamples: runs that were directed scene by scene, by someone who does not
// know how the reference works, come to what the director meant.
func TestSamples(t *testing.T) {
	s := gentest.Source(t, generate.New, generators.Options{})
	for i := uint64(0); i < s.Mix()+1000; i += 3 {
		if err := asDirected(s.At(11, i)); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
	}
}

// So do runs with some of their traits alone.
func TestSubsets(t *testing.T) { gentest.Subsets(t, generate.New, 1000, asDirected) }

// And runs under each other value of each knob that all cases have.
func TestFixedRules(t *testing.T) {
	for _, setting := range []string{
		"strict", "lenient", "documented", "planning=off", "replan_on=none",
		"replan_on=tool,environment", "parallel=3", "ladder=patch,react", "ladder=patch", "conflicts=reject",
		"orphans=detach",
	} {
		p := harness.Reference()
		if err := p.Apply(setting, spec.Knobs()...); err != nil {
			t.Fatal(err)
		}
		s := gentest.Source(t, generate.New, generators.Options{Profile: &p})
		for i := range uint64(generators.PlainCases + 2*len(s.Traits())) {
			if err := asDirected(s.At(12, i)); err != nil {
				t.Fatalf("%s, case %d: %v", setting, i, err)
			}
		}
	}
}

func asDirected(s generators.Sample) error {
	out := orchestrator.Eval(s.Case, s.Profile)
	var codes []harness.Code
	if out.Code != "" {
		codes = append(codes, out.Code)
	}
	if !s.Want.Loose && (out.Verdict != s.Want.Verdict || !slices.Equal(codes, s.Want.Codes)) {
		return fmt.Errorf("%v is %s %s, and was made to be %s %v: %s\n%q", s.Traits, out.Verdict, out.Code, s.Want.Verdict,
			s.Want.Codes, out.Message, s.Case.Replies)
	}
	return nil
}

func BenchmarkEval(b *testing.B) {
	source := gentest.Source(b, generate.New, generators.Options{Traits: []string{}})
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
