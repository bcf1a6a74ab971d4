package campaign

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
)

// TestLate: a measured time that does not show each time fails nothing, a timeout only if it never
// shows again, and whatever else is wrong does.
func TestLate(t *testing.T) {
	slow, hang := judge.Break{Check: check.Bounded, Kind: "slow:one word"}, judge.Break{Got: string(harness.Hang)}
	for _, c := range []struct {
		kind   string
		breaks []judge.Break
		want   bool
	}{
		{history, []judge.Break{slow, hang}, true},
		{again, []judge.Break{slow}, true},
		{again, []judge.Break{slow, hang}, false},
		{history, []judge.Break{{Check: judge.Reference}}, false},
		{again, []judge.Break{{Kind: judge.Late}}, false},
	} {
		if got := late(hit{judgement: judge.Judgement{Breaks: c.breaks}}, c.kind); got != c.want {
			t.Errorf("%s, %+v: %t, want %t", c.kind, c.breaks, got, c.want)
		}
	}
}

// TestSettled: with a time limit, further cases of settled groups are counted and not run again;
// the causes and their counts are those of a campaign that runs all failing cases again.
func TestSettled(t *testing.T) {
	c := config(forgetful)
	c.Workers, c.Bare = 1, true
	all := start(t, c).Result
	c.Time, c.Now = time.Hour, func() time.Time { return time.Unix(0, 0) }
	few := start(t, c).Result
	if few.Attribution == 0 || 2*few.Attribution > all.Attribution {
		t.Errorf("%d calls for culprits, %d without a time limit: want at most half", few.Attribution, all.Attribution)
	}
	if diff := cmp.Diff(all.Causes, few.Causes); diff != "" {
		t.Errorf("(-all run again +few):\n%s", diff)
	}
}
