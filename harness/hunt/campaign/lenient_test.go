package campaign

import (
	"slices"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/plan"
)

// TestLenient: an engine that rejects hardly anything has one bug, whatever the rules reject. An engine that rejects
// what it cannot read, and nothing else, has others.
func TestLenient(t *testing.T) {
	for name, tc := range map[string]struct {
		codes []harness.Code
		one   bool
	}{
		"invalid plans": {[]harness.Code{"bad_limit", "invalid_plan", "empty_patch"}, true},
		"unreadable replies": {[]harness.Code{
			"bad_limit", "invalid_plan", "no_document", "too_deep", "reply_too_large", "invalid_utf8",
		}, false},
	} {
		c := config(func(c harness.Case, o *harness.Outcome) error {
			p, err := plan.Decode(c.Plan)
			if o.Verdict == harness.Rejected && !slices.Contains(tc.codes, o.Code) && err == nil {
				*o = harness.Outcome{Verdict: harness.Applied, Plan: p, Meta: &harness.Meta{}, Warnings: []harness.Warning{}}
			}
			return nil
		})
		c.Generator.Traits, c.Cases, c.ShrinkBudget = nil, 1500, -1
		causes := start(t, c).Result.Causes
		lenient := slices.ContainsFunc(causes, func(c cause.Cause) bool {
			return strings.HasPrefix(c.Sentence, "Does not reject invalid updates (")
		})
		if lenient != tc.one || tc.one != (len(causes) == 1) {
			t.Errorf("an engine that rejects only %s: %d causes: %+v", name, len(causes), causes)
		}
	}
}
