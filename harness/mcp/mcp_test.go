package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// shows lists, for each bug of the toy server, traits that show it, the check of its one cause,
// and whether that is advisory, because the tools promise nothing about the rule.
func shows() map[string]struct {
	traits, check string
	advisory      bool
} {
	type row = struct {
		traits, check string
		advisory      bool
	}
	return map[string]row{
		"cycle":       {"cycle-by-set,self-by-set,set-edges", "deps-acyclic", false},
		"unknown":     {"create-unknown-blocker,set-edges,unknown-id", "deps-exist", false},
		"drops":       {"create-unknown-blocker,unknown-in-set", "reports-match", false},
		"blank":       {"blank-subject,blank-update", "profile", true},
		"reopen":      {"reopen,cancel-done,same-done", "done-kept", false},
		"edit-done":   {"edit-done,describe-done,same-done", "done-kept", false},
		"delete-done": {"delete-done,delete-leaf", "done-kept", false},
		"early":       {"start-early,finish-early", "not-early", false},
		"exit":        {"self-by-set,cycle-by-set", "total", false},
		"half":        {"cycle-by-set,self-by-set,set-edges", "refused-nothing", false},
		"silent":      {"created-id,unknown-id", "reports-match", false},
		"forget":      {"set-edges,clear-edges", "untouched-kept", false},
		"race":        {"parallel-creates,parallel-updates", "parallel", false},
		"memory":      {"restart,created-id", "survives-restart", false},
		"reuse":       {"created-deleted,created-id", "ids-once", false},
		"renumber":    {"delete-first", "refused-nothing", false},
		"unmarked":    {"unknown-id,reopen,delete-done", "protocol", false},
		"stdout":      {"unknown-id,created-id", "protocol", false},
		"ready":       {"next-blocked,next", "ready-true", false},
	}
}

// toy is the toy server in this process.
func toy(t *testing.T, bug string) *mcp.Engine {
	t.Helper()
	e, err := mcp.Open(t.Context(), mcp.Target{
		Patience: 10 * time.Second,
		Pipe:     func(dir string) (io.WriteCloser, io.ReadCloser) { return toyserver.Pipe(bug, dir) },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// causes runs a short campaign with some traits, behind the plain cases. The rules are those of the
// reference, or inferred.
func causes(t *testing.T, e *mcp.Engine, traits []string, cases uint64, infers bool) campaign.Result {
	t.Helper()
	if !infers {
		if err := e.Judge([]string{"reference"}); err != nil {
			t.Fatal(err)
		}
	}
	behaviours, left, err := e.Infer(t.Context(), 1, time.Time{}, func(string) {})
	if err != nil || left != nil {
		t.Fatal(left, err)
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
	c.Generator.Traits = traits
	run, err := campaign.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return run.Result
}

// TestToyInBulk finds each bug of the toy server as one cause, without a profile.
func TestToyInBulk(t *testing.T) {
	if len(toyserver.Bugs()) != len(shows()) {
		t.Fatalf("%d bugs, and %d are tested", len(toyserver.Bugs()), len(shows()))
	}
	for bug, want := range shows() {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			r := causes(t, toy(t, bug), strings.Split(want.traits, ","), 12, want.advisory)
			var got []string
			for _, c := range r.Causes {
				got = append(got, fmt.Sprintf("%s: %s (advisory: %v)", c.Check, c.Sentence, c.Advisory))
			}
			if len(r.Causes) != 1 || r.Causes[0].Check != want.check || r.Causes[0].Advisory != want.advisory {
				t.Errorf("want one cause, of %s (advisory: %v), got %q", want.check, want.advisory, got)
			}
		})
	}
}

// TestToyWithoutInBulk finds nothing in the toy server without a bug.
func TestToyWithoutInBulk(t *testing.T) {
	t.Parallel()
	e := toy(t, "")
	r := causes(t, e, nil, 60, true)
	if len(r.Causes) != 0 || r.Cases != 60 || r.Unsupported > 12 {
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
	for range 2 { // the second campaign meets the tasks of the first one
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
}

// TestHTTPCommandInBulk starts a server that listens at a free port, restarts it and kills it.
func TestHTTPCommandInBulk(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for bug, want := range map[string][]string{"": nil, "memory": {"survives-restart"}} {
		t.Run("bug "+bug, func(t *testing.T) {
			t.Parallel()
			e, err := mcp.Open(t.Context(), mcp.Target{
				Args: []string{self}, URL: "http://127.0.0.1:{port}/mcp", Patience: 20 * time.Second,
				Env: []string{"TOY_SERVER=" + bug, "TOY_ADDRESS=127.0.0.1:{port}", "GORACE=" + os.Getenv("GORACE")},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
			var got []string
			for _, fault := range []string{spec.FaultRestart, spec.FaultClients, spec.FaultKill} {
				if bug != "" && fault == spec.FaultKill { // its tasks are in memory
					continue
				}
				c := simple()
				c.Replies = []harness.Reply{`{"calls":[{"call":"create","subject":"B"}]}`}
				c.SetDocument(spec.FaultDocument, []byte(strconv.Quote(fault)))
				out, err := e.Eval(t.Context(), c)
				if err != nil || out.Verdict == harness.Unsupported {
					t.Fatal(fault, out.Message, err)
				}
				for _, n := range spec.Notes(&out) {
					got = append(got, n.Check)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTooLate leaves out the cases that depend on rules for which there was no time.
func TestTooLate(t *testing.T) {
	t.Parallel()
	e := toy(t, "")
	_, left, err := e.Infer(t.Context(), 1, time.Unix(1, 0), func(string) {})
	if err != nil || !slices.Contains(left, "delete_needed") || slices.Contains(left, "reopen") { // its tools promise reopen
		t.Fatal(left, err)
	}
	c := harness.Case{
		Dialect: "tasks", Plan: []byte(`{"tasks":[{"id":"a","subject":"A","status":"pending"},{"id":"b","subject":"B","status":"pending","blocked_by":["a"]}]}`),
		Replies: []harness.Reply{`{"calls":[{"call":"delete","id":"a"}]}`},
	}
	out, err := e.Eval(t.Context(), c)
	if err != nil || out.Message != "the server's value of delete_needed is not known" {
		t.Error(out, err)
	}
	if out, err = e.Eval(t.Context(), simple()); err != nil || out.Verdict != harness.Applied {
		t.Error(out, err)
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
		"name: x\ndialect: tasks\nserver: {state: {tool: l}, \n  colour: red}":         `server: line 4: unknown member "colour"`,
	} {
		if _, err := mcp.Parse("mine.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s", strconv.Quote(text), err)
		}
	}
}
