package engine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
)

// trickPrefix makes the test binary the reference engine with one trick: it follows the prefix
// and applies to a few cases.
const trickPrefix = "trick: "

type trickster struct {
	harness.Engine
	trick string
	asked atomic.Int32
	mu    sync.Mutex
	cases map[string]int // how often each case was sent
}

func serveTricks(trick string) {
	e := &trickster{Engine: reference.New(), trick: trick}
	if err := rpc.Serve(context.Background(), os.Stdin, os.Stdout, e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
}

func (e *trickster) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := e.Engine.Hello(ctx)
	h.Window = 4
	return h, err
}

// before counts how often the case was sent before.
func (e *trickster) before(c harness.Case) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cases == nil {
		e.cases = map[string]int{}
	}
	key := fmt.Sprintf("%s%s", c.Plan, c.Replies)
	e.cases[key]++
	return e.cases[key] - 1
}

func (e *trickster) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	n := e.asked.Add(1)
	out, err := e.Engine.Eval(ctx, c)
	if e.trick == "exits now and then" && n == 30 {
		os.Exit(3)
	}
	if len(c.Plan)%83 != 0 {
		return out, err
	}
	switch e.trick {
	case "crashes":
		fmt.Fprintln(os.Stderr, "Traceback: boom")
		os.Exit(1)
	case "hangs":
		tellHang()
		select {}
	case "logs":
		fmt.Println("DEBUG evaluating")
	case "prints without end":
		for chunk := strings.Repeat("x", 1<<20); ; {
			fmt.Print(chunk)
		}
	case "a wrong verdict":
		out.Verdict = "fine"
	case "a plan that is none":
		out.Verdict, out.Code, out.Plan = harness.Applied, "", nil
	case "changes its mind":
		if e.before(c)%2 == 1 {
			return harness.Outcome{Verdict: harness.Rejected, Code: harness.NoDocument}, nil
		}
	}
	return out, err
}

// A campaign ends, judges every case and makes findings of the right kind, with the text from
// standard error, whatever an engine does.
func TestCampaignSurvivesInBulk(t *testing.T) {
	for _, tc := range []struct {
		trick  string
		kinds  []finding.Kind // of the findings
		stderr string
	}{
		{trick: "none"},
		{trick: "crashes", kinds: []finding.Kind{finding.Crash}, stderr: "Traceback: boom"},
		// On a busy machine another case may exceed the timeout once.
		{trick: "hangs", kinds: []finding.Kind{finding.Hang, finding.Flaky}},
		{trick: "logs", kinds: []finding.Kind{finding.Protocol}},
		{trick: "prints without end", kinds: []finding.Kind{finding.Protocol}},
		{trick: "a wrong verdict", kinds: []finding.Kind{finding.Protocol}},
		{trick: "a plan that is none", kinds: []finding.Kind{finding.Protocol}},
		{trick: "exits now and then", kinds: []finding.Kind{finding.Crash, finding.Flaky}},
	} {
		t.Run(tc.trick, func(t *testing.T) {
			t.Parallel()
			r := runCampaign(t, start(t, options(t, trickPrefix+tc.trick)))
			found := r.Findings()
			if (len(found) > 0) != (tc.kinds != nil) {
				t.Errorf("%d findings, want some: %v", len(found), tc.kinds != nil)
			}
			for _, f := range found {
				if !slices.Contains(tc.kinds, f.Kind) || !strings.Contains(f.Stderr, tc.stderr) {
					t.Errorf("%s, %s: %s; standard error %q", f.Kind, f.Invariant, f.Message, f.Stderr)
				}
			}
		})
	}
}

// A campaign reports different answers to the same case, whatever else they break.
func TestCampaignSeesChanges(t *testing.T) {
	var broken []string
	r := runCampaign(t, start(t, options(t, trickPrefix+"changes its mind")))
	for _, f := range r.Findings() {
		broken = append(append(broken, f.Invariant), f.Also...)
	}
	if !slices.Contains(broken, judge.Deterministic) {
		t.Errorf("broken are %v, want %s among them", broken, judge.Deterministic)
	}
}

const campaignCases = 100

func runCampaign(t *testing.T, e harness.Engine) campaign.Result {
	t.Helper()
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "planpatch", Seed: 1, Cases: campaignCases, Engine: e, Workers: 4, MaxFindings: 50, ShrinkBudget: -1,
		Judging: judge.Options{Reference: reference.New(), Every: 2},
	})
	if err != nil || run.Result.Cases != campaignCases {
		t.Errorf("%d of %d cases were judged: %v", run.Result.Cases, campaignCases, err)
	}
	return run.Result
}

// When an engine is given up, the judged cases and the reproduced findings are kept.
func TestCampaignGivenUp(t *testing.T) {
	o := options(t, trickPrefix+"crashes")
	o.MaxRestarts = engine.NoRestart
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "planpatch", Seed: 1, Cases: campaignCases, Engine: start(t, o), Workers: 1, ShrinkBudget: 20,
		Judging: judge.Options{Reference: reference.New()},
	})
	found := run.Result.Findings()
	if err == nil || len(found) == 0 || run.Result.Cases == 0 || run.Result.Cases == campaignCases {
		t.Fatalf("%d cases, %d findings, %v; want some of each, and that the engine was given up", run.Result.Cases,
			len(found), err)
	}
	for _, f := range found {
		if f.Kind != finding.Crash || f.Reproduced != "3/3" {
			t.Errorf("%s, reproduced %s: %s", f.Kind, f.Reproduced, f.Message)
		}
	}
}
