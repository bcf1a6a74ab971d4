package campaign

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
