package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/engine/rpc"
)

// TestMergedReportsInBulk compares the report of a whole campaign with the merged reports of
// its shards, member by member except the environment. The second shard is interrupted
// and resumed. Without REPLANBENCH_TEST_LONG the engine with many defects has three shards alone.
func TestMergedReportsInBulk(t *testing.T) {
	const traits = "cycle-two-update,orphan-by-removal,bom,think-block,nul-behind,over-limit-by-one,update-unknown,plan-policy,long-text,text-spaces"
	for name, defects := range map[string][]string{
		"one defect": {"accepts-cycle"},
		"ten defects": {
			"accepts-cycle", "leaves-orphans", "chokes-on-bom", "reads-think-block", "ends-at-nul", "hides-truncation",
			"forgets-warnings",
			"loses-verification-policy", "cuts-long-descriptions", "squeezes-white-space",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("planner.py", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			engine := &counting{Engine: composed(t, defects)}
			server := httptest.NewServer(rpc.Handler(engine))
			defer server.Close()
			fuzz := []string{
				"fuzz", "--cases", "750", "--engine", server.URL, "--source", "planner.py", "--traits", traits,
				"--dir", "found", "--format", "json",
			}
			whole := membersOf(t, runs(t, fuzz...))
			counts := []int{2, 3, 8}
			if len(defects) > 1 && os.Getenv("REPLANBENCH_TEST_LONG") == "" {
				counts = []int{3}
			}
			for _, shards := range counts {
				if err := os.RemoveAll("found"); err != nil {
					t.Fatal(err)
				}
				report := []string{"report", "--format", "json"}
				for i := range shards {
					args := append(fuzz, "--shard", fmt.Sprintf("%d/%d", i+1, shards))
					if i == 1 {
						engine.interrupt(t, args)
						args = append(args, "--resume")
					}
					if code, _, stderr := call(t.Context(), args...); code > exitGate {
						t.Fatalf("%q: exit code %d: %s", args, code, stderr)
					}
					report = append(report, fmt.Sprintf("found/report-%d-of-%d.json", i+1, shards))
				}
				_, merged, _ := call(t.Context(), report...)
				if diff := cmp.Diff(whole, membersOf(t, merged)); diff != "" {
					t.Errorf("%d shards: the merged report is not the whole one (-whole +merged):\n%.3000s", shards, diff)
				}
			}
		})
	}
}

// composed is an engine with several defects.
func composed(t *testing.T, names []string) harness.Engine {
	t.Helper()
	d := all.Find("planpatch")
	eval := d.Eval
	for _, name := range names {
		i := slices.IndexFunc(d.Defects, func(m mutant.Defect) bool { return m.Name == name })
		if i < 0 {
			t.Fatalf("there is no defect %s", name)
		}
		eval = d.Defects[i].Wrap(eval)
	}
	return mutant.Engine(d.Name, mutant.Defect{Name: "several", Wrap: func(mutant.Eval) mutant.Eval { return eval }},
		d.Eval, d.Declare(harness.Reference()))
}

// counting calls a function at its 70th case, if there is one.
type counting struct {
	harness.Engine
	cases atomic.Int64
	stop  atomic.Pointer[context.CancelFunc]
}

func (c *counting) Eval(ctx context.Context, k harness.Case) (harness.Outcome, error) {
	if stop := c.stop.Load(); stop != nil && c.cases.Add(1) == 70 {
		(*stop)()
	}
	return c.Engine.Eval(ctx, k)
}

// interrupt runs a command until the engine stops it.
func (c *counting) interrupt(t *testing.T, args []string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c.cases.Store(0)
	c.stop.Store(&stop)
	defer c.stop.Store(nil)
	if code, _, stderr := call(ctx, args...); code != exitInterrupted {
		t.Fatalf("%q: exit code %d, want %d: %s", args, code, exitInterrupted, stderr)
	}
}

// membersOf decodes a report without its environment, and sees that every cause has the
// file of the engine.
func membersOf(t *testing.T, report string) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(report), &members); err != nil {
		t.Fatalf("%v:\n%.500s", err, report)
	}
	delete(members, "environment")
	failures, _ := members["failures"].([]any)
	for _, f := range failures {
		if f, _ := f.(map[string]any); f["file"] != "planner.py" {
			t.Errorf("the failure %v has the file %v", f["id"], f["file"])
		}
	}
	if len(failures) == 0 {
		t.Error("nothing failed")
	}
	return members
}
