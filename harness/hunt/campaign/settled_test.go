package campaign

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
)

// TestLate: timeouts and measured times are times, and other breaks are not.
func TestLate(t *testing.T) {
	slow, hang := judge.Break{Check: check.Bounded, Kind: "slow:one word"}, judge.Break{Got: string(harness.Hang)}
	for _, c := range []struct {
		breaks []judge.Break
		want   bool
	}{
		{[]judge.Break{slow, hang, {Kind: judge.Late}}, true},
		{[]judge.Break{slow, {Check: judge.Reference}}, false},
	} {
		if got := late(hit{judgement: judge.Judgement{Breaks: c.breaks}}); got != c.want {
			t.Errorf("%+v: %t, want %t", c.breaks, got, c.want)
		}
	}
}

// TestSettledInBulk: with a time limit, further cases of settled groups are counted and not run again;
// the causes and their counts are those of a campaign that runs all failing cases again.
func TestSettledInBulk(t *testing.T) {
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

// TestSimplest: a break of two traits that fewer of them explain is put down to these.
func TestSimplest(t *testing.T) {
	applied := judge.Break{Check: judge.Reference, Kind: "accepts:done_immutable", Class: judge.Accepts}
	other := judge.Break{Check: judge.Reference, Kind: "accepts:bad_type", Class: judge.Accepts}
	trace := judge.Break{Check: judge.Reference, Kind: "reports:trace", Class: judge.Reports}
	refused := judge.Break{Check: judge.Reference, Kind: "refuses:bad_type", Class: judge.Refuses}
	made := func(b judge.Break, traits ...string) try {
		return try{traits: traits, Judgement: judge.Judgement{Breaks: []judge.Break{b}}}
	}
	both := []string{"done", "type"}
	for name, tc := range map[string]struct {
		first, second try
		traits        []string
	}{
		"applied with one trait":     {made(applied, "done"), made(other, both...), []string{"done"}},
		"applied with another trait": {made(applied, "bom"), made(other, both...), both},
		"rejected with one trait":    {made(refused, "done"), made(other, both...), both},
		"wrong beside the result":    {made(refused, "done"), made(trace, both...), []string{"done"}},
		"wrong in plain cases":       {made(refused), made(trace, both...), both},
	} {
		got, broken := simplest([]try{tc.first, tc.second}, tc.second.Breaks[0])
		if diff := cmp.Diff(tc.traits, got.traits); diff != "" || broken != got.Breaks[0] {
			t.Errorf("%s: %s (-want +got):\n%s", name, broken.Kind, diff)
		}
	}
}
