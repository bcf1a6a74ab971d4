package rules_test

import (
	"fmt"
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/generate"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/testdata/gentest"
)

// TestSamples: patches made by someone who does not know how the reference works
// come to what was meant, whatever part of a sample's traits is planted.
func TestSamples(t *testing.T) { gentest.Subsets(t, generate.New, 1000, agree) }

// TestPlainSamples: a plain sample is accepted.
func TestPlainSamples(t *testing.T) {
	s := gentest.Source(t, generate.New, generators.Options{Traits: []string{}})
	for i := range uint64(1000) {
		sample := s.At(1, i)
		if err := agree(sample); err != nil || sample.Want.Verdict != harness.Applied {
			t.Fatalf("case %d is to be %s: %v", i, gentest.Outcome(sample.Want), err)
		}
	}
}

// TestTraitsAlone: every trait is planted by itself, in the smallest plans too.
func TestTraitsAlone(t *testing.T) {
	s := gentest.Source(t, generate.New, generators.Options{})
	for _, trait := range generate.Traits() {
		for steps := range 4 {
			for seed := range uint64(3) {
				sample := s.Anew(seed, 7, []string{trait.Name}, steps)
				if err := agree(sample); err != nil || !slices.Equal(sample.Traits, []string{trait.Name}) {
					t.Errorf("%s in a base of %d steps is planted as %v: %v", trait.Name, steps, sample.Traits, err)
				}
			}
		}
	}
}

func agree(s generators.Sample) error {
	out := planpatch.Eval(s.Case, s.Profile)
	w := s.Want
	switch {
	case w.Loose:
		return nil
	case out.Verdict != w.Verdict || out.Code != "" && !slices.Contains(w.Codes, out.Code):
		return fmt.Errorf("%s %s, and meant to be %s: %s\nprofile %+v limits %v\nplan %s\nreplies %q", out.Verdict, out.Code,
			gentest.Outcome(w), out.Message, s.Profile, s.Case.Limits, s.Case.Plan, s.Case.Replies)
	case w.At != nil && out.At != nil && *out.At != *w.At:
		return fmt.Errorf("rejected at %s, and meant to be at %s: %q", *out.At, *w.At, s.Case.Replies)
	case w.Rung != "" && out.Rung != w.Rung:
		return fmt.Errorf("by %s, and meant to be %s", out.Rung, gentest.Outcome(w))
	}
	return nil
}
