package campaign

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"replanbench/harness"
	"replanbench/harness/hunt/finding"
)

// sleepy is an engine that takes long for each case and has several bugs.
type sleepy struct {
	harness.Engine
	takes time.Duration
}

func (e sleepy) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	time.Sleep(e.takes)
	return e.Engine.Eval(ctx, c)
}

// TestSlowEngine: a campaign by time against a slow engine ends in time, with a fifth of it for examples: each
// is shrunk, or counted as one that was not. The clock is a virtual one.
func TestSlowEngine(t *testing.T) {
	for _, tc := range []struct {
		takes  time.Duration
		shrunk bool // every example
	}{{50 * time.Millisecond, true}, {2 * time.Second, false}} {
		synctest.Test(t, func(t *testing.T) {
			c := config(mischief)
			fresh := c.Fresh
			c.Fresh = func() (harness.Engine, error) {
				e, err := fresh()
				return sleepy{e, tc.takes}, err
			}
			c.Engine, _ = c.Fresh()
			c.Cases, c.Time = 0, 20*time.Second
			began := time.Now()
			r := start(t, c).Result
			took := time.Since(began)
			time.Sleep(tc.takes) // the last calls end
			left := 0
			for _, cause := range r.Causes {
				if f := r.Shows(cause); f == nil || f.Reproduced == finding.Unexamined {
					left++
				}
			}
			if took > c.Time || len(r.Causes) < 2 || left != r.Unshrunk || tc.shrunk != (left == 0) {
				t.Errorf("%v a call: in %v, of %d causes, %d are not shrunk, said of %d", tc.takes, took, len(r.Causes), left, r.Unshrunk)
			}
		})
	}
}

// mischief has a bug for each of three verdicts of the rules.
func mischief(c harness.Case, out *harness.Outcome) error {
	switch {
	case out.Code == harness.DependencyCycle, out.Code == harness.ExtraField:
		out.Verdict, out.Code, out.Plan = harness.Rejected, harness.NoDocument, nil
	case out.Verdict == harness.Applied && len(c.Replies[0])%5 == 0:
		out.Verdict, out.Code, out.Plan = harness.Rejected, harness.UnknownStep, nil
	}
	return nil
}
