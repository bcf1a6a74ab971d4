package mcp_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/mcp"
	"replanbench/harness/mcp/testdata/hostile"
	"replanbench/harness/mcp/testdata/toyserver"
)

// TestMain makes the test binary the server that the tests start.
func TestMain(m *testing.M) {
	if bug, ok := os.LookupEnv("TOY_SERVER"); ok {
		if toyserver.Main(bug) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if way, ok := os.LookupEnv("HOSTILE_SERVER"); ok {
		hostile.Main(way)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open starts the test binary as a server.
func open(t *testing.T, variable string, patience time.Duration) (*mcp.Engine, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list, err := mcp.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	e, err := mcp.Open(t.Context(), mcp.Target{Args: []string{self}, Env: []string{variable}, Patience: patience}, list)
	if err == nil {
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return e, err
}

// shows lists traits that show each bug of the toy server, and the check that breaks.
func shows() map[string][2]string {
	return map[string][2]string{
		"cycle":       {"cycle-by-set", "deps-acyclic"},
		"unknown":     {"create-unknown-blocker", "deps-exist"},
		"blank":       {"blank-subject", ""},
		"reopen":      {"reopen", "done-kept"},
		"edit-done":   {"edit-done", "done-kept"},
		"delete-done": {"delete-done", "done-kept"},
		"early":       {"start-early", ""},
		"exit":        {"self-by-set", "total"},
		"half":        {"cycle-by-set", "refused-nothing"},
		"silent":      {"created-id", "told-true"},
		"forget":      {"set-edges", "untouched-kept"},
		"race":        {"parallel-creates", "parallel"},
		"memory":      {"restart", "survives-restart"},
		"reuse":       {"created-deleted", "ids-once"},
		"unmarked":    {"unknown-id", "protocol"},
		"stdout":      {"unknown-id", "protocol"},
		"ready":       {"next-blocked", "ready-true"},
	}
}

// causes runs a short campaign with one trait.
func causes(t *testing.T, e *mcp.Engine, trait string, cases uint64) campaign.Result {
	t.Helper()
	var behaviours []cause.Behaviour
	if strings.HasPrefix(trait, "blank") || strings.HasPrefix(trait, "start") { // nothing promises these rules
		var err error
		if behaviours, err = e.Infer(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := hello.Dialects["tasks"]
	c := campaign.Config{
		Dialect: "tasks", Engine: e, Seed: 1, First: generators.PlainCases, Cases: cases,
		Workers: 2, ShrinkBudget: -1, Behaviours: behaviours,
	}
	c.Judging.Reference = reference.New()
	c.Generator.Profile, c.Generator.Without, c.Generator.Features = &d.Profile, d.Without, d.Features
	c.Generator.Traits = strings.Split(trait, ",")
	run, err := campaign.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return run.Result
}

// TestToy finds each bug of the toy server by one check, without a profile. Three cases are too few
// to join what two traits show.
func TestToy(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign for each bug")
	}
	bugs := toyserver.Bugs()
	if len(bugs) != len(shows()) {
		t.Fatalf("%d bugs, and %d are tested", len(bugs), len(shows()))
	}
	for bug, at := range shows() {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			e, err := open(t, "TOY_SERVER="+bug, 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			r := causes(t, e, at[0], 3)
			var checks []string
			advisory := 0
			for _, c := range r.Causes {
				if c.Advisory {
					advisory++
					continue
				}
				checks = append(checks, c.Check+": "+c.Sentence)
			}
			if at[1] == "" { // nothing promises the rule: one advisory cause
				if advisory != 1 || len(checks) > 1 {
					t.Errorf("%d advisory causes, and %q", advisory, checks)
				}
				return
			}
			other := slices.ContainsFunc(checks, func(c string) bool { return !strings.HasPrefix(c, at[1]+":") })
			if len(checks) == 0 || other {
				t.Errorf("want causes of %s only, got %q", at[1], checks)
			}
		})
	}
}

// TestToyWithout finds nothing in the toy server without a bug.
func TestToyWithout(t *testing.T) {
	t.Parallel()
	e, err := open(t, "TOY_SERVER=", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	r := causes(t, e, "cycle-by-set,unknown-id,reopen,delete-done,parallel-creates,restart,next,blank-subject,control-characters", 12)
	if len(r.Causes) != 0 || r.Cases != 12 || r.Unsupported > 2 {
		t.Errorf("%d causes, %d of %d cases unsupported: %+v", len(r.Causes), r.Unsupported, r.Cases, r.Causes)
	}
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{"delete", "next", "cancelled", "set_blockers", "new_blockers"} {
		if slices.Contains(hello.Dialects["tasks"].Without, has) {
			t.Errorf("the guess lacks %s", has)
		}
	}
}

// simple is a case that a healthy server carries out.
func simple() harness.Case {
	return harness.Case{
		Dialect: "tasks", Plan: []byte(`{"tasks":[{"id":"a","subject":"A","status":"pending"}]}`),
		Replies: []harness.Reply{`{"calls":[{"call":"create","subject":"B"},{"call":"update","id":"a","status":"completed"}]}`},
	}
}

// TestHostile survives servers that break the protocol, and says what they did.
func TestHostile(t *testing.T) {
	for way, want := range map[string]string{
		"":          "applied",
		"sampling":  "applied",
		"logs":      "stdout",
		"flood":     "crash",
		"twice":     "twice",
		"hang":      "hang",
		"handshake": "start",
		"fork":      "crash",
	} {
		t.Run("way "+way, func(t *testing.T) {
			t.Parallel()
			if way == "fork" && runtime.GOOS != "linux" {
				t.Skip("a child that holds the pipes is ended on Linux only")
			}
			patience := 20 * time.Second
			if way == "hang" {
				patience = 2 * time.Second
			}
			e, err := open(t, "HOSTILE_SERVER="+way, patience)
			if way == "handshake" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range 3 { // the first calls are healthy
				out, err := e.Eval(t.Context(), simple())
				if f := (*harness.Failure)(nil); errors.As(err, &f) {
					got = append(got, string(f.Kind))
				} else if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(out.Verdict))
				for _, n := range spec.Notes(&out) {
					got = append(got, n.Kind)
				}
			}
			if !slices.Contains(got, want) {
				t.Errorf("want %s, got %v", want, got)
			}
		})
	}
}

// TestHTTP drives a server over Streamable HTTP.
func TestHTTP(t *testing.T) {
	t.Parallel()
	h := httptest.NewServer(toyserver.Handler(filepath.Join(t.TempDir(), "tasks.json")))
	t.Cleanup(h.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	e, err := mcp.Open(ctx, mcp.Target{URL: h.URL, Patience: 10 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	out, err := e.Eval(ctx, simple())
	if err != nil || out.Verdict != harness.Applied || len(out.Plan.Steps) != 2 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestBuiltin reads the built-in profiles and what they lack.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	list, err := mcp.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"backlog", "mcp-task-manager", "mcp-taskmanager", "shrimp", "task-master-ai"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestParse names the mistake in a profile.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name: x\ndialect: todos":                                                      "an engine of the dialect tasks",
		"name: x\ndialect: tasks":                                                      "server.state: name where to read",
		"name: x\ndialect: tasks\nserver: {state: {file: ../x}}":                       "outside the working directory",
		"name: x\ndialect: tasks\nserver: {state: {tool: l}, files: [{name: /etc/x}]}": "outside the working directory",
		"name: x\ndialect: tasks\nserver: {state: {tool: l}, knobs: [reopen=maybe]}":   "reopen",
		"name: x\ndialect: tasks\nserver: {state: {tool: l}, colour: red}":             "colour",
	} {
		if _, err := mcp.Parse("mine.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s", strconv.Quote(text), err)
		}
	}
}
