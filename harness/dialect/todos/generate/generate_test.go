package generate_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/generate"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/testdata/gentest"
)

// TestLabels compares labels with the rules, through both doors.
func TestLabels(t *testing.T) { gentest.BothDoors(t, generate.New, 20000, agree) }

// agree checks the label of a sample against the rules.
func agree(s generators.Sample) error {
	out, w := rules.Eval(s.Case, s.Profile), s.Want
	told := fmt.Sprintf("%v\nprofile %v\nlist %s\nreplies %q\nthe rules: %s %s %s", s.Traits, s.Profile, s.Case.Plan,
		s.Case.Replies, out.Verdict, out.Code, out.Message)
	switch {
	case out.Verdict != w.Verdict, w.Verdict == harness.Rejected && out.Code != w.Codes[0]:
		return fmt.Errorf("the label says %s %v: %s", w.Verdict, w.Codes, told)
	case !w.Plan.Equal(out.Plan):
		return fmt.Errorf("another list: %s\n%s", told, cmp.Diff(w.Plan, out.Plan))
	case w.Tier != "" && w.Tier != out.Tier:
		return fmt.Errorf("the label says the tier %s, the rules %s: %s", w.Tier, out.Tier, told)
	case w.More == nil:
	case !cmp.Equal(w.More.Meta, out.Meta) || string(w.More.More[spec.Was]) != string(out.More[spec.Was]):
		return fmt.Errorf("the label says %+v, the rules %+v: %s", w.More.Meta, out.Meta, told)
	}
	if s.Valid && w.Verdict != harness.Applied {
		return fmt.Errorf("a plain rewrite is refused: %s", told)
	}
	return nil
}

// TestSubsets plants all subsets of the traits of samples.
func TestSubsets(t *testing.T) { gentest.Subsets(t, generate.New, 1000, agree) }
