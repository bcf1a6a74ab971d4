package generate_test

import (
	"fmt"
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/generate"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/testdata/gentest"
)

// TestLabels compares labels with the rules, through both doors.
func TestLabels(t *testing.T) { gentest.BothDoors(t, generate.New, 20000, agree) }

// agree checks the label of a sample against the rules.
func agree(s generators.Sample) error {
	out, w := rules.Eval(s.Case, s.Profile), s.Want
	told := fmt.Sprintf("%v\nprofile %v\nlist %s\nreplies %q\nthe rules: %s %s %s", s.Traits, s.Profile, s.Case.Plan,
		s.Case.Replies, out.Verdict, out.Code, out.Message)
	switch {
	case w.Loose:
	case out.Verdict != w.Verdict, w.Verdict == harness.Rejected && !slices.Contains(w.Codes, out.Code):
		return fmt.Errorf("the label says %s %v: %s", w.Verdict, w.Codes, told)
	case w.At != nil && (out.At == nil || *w.At != *out.At):
		return fmt.Errorf("the label says %q, the rules %v: %s", *w.At, out.At, told)
	}
	if s.Valid && w.Verdict != harness.Applied {
		return fmt.Errorf("a plain rewrite is refused: %s", told)
	}
	return nil
}

// TestSubsets plants all subsets of the traits of samples.
func TestSubsets(t *testing.T) { gentest.Subsets(t, generate.New, 1000, agree) }
