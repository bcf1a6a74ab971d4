package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine"
)

// options give an engine plenty of time, because the machine may be loaded. An engine that
// hangs reports it, and the test then advances the clock.
func options(t *testing.T, behaviour string) engine.Options {
	t.Helper()
	o := engine.Options{
		Env:      append(os.Environ(), behaviourEnv+"="+behaviour),
		Deadline: patience,
		Start:    patience,
		Grace:    100 * time.Millisecond,
	}
	switch behaviour {
	case "hangs on one case", "ignores TERM", "answers an unknown id", trickPrefix + "hangs":
		c := newClock(&o)
		o.Env = append(o.Env, hangsEnv+"="+hearHangs(t, func(_ int, gone func() bool) { c.passUntil(gone) }))
	}
	return o
}

// patience is the time limit of every engine in these tests.
const patience = 5 * time.Minute

// skewed is a clock that a test can advance.
type skewed struct{ by atomic.Int64 }

// newClock gives an engine such a clock. The tick is long enough for the engine to read all
// lines from before the clock was advanced.
func newClock(o *engine.Options) *skewed {
	c := &skewed{}
	o.SetClock(func() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }, 100*time.Millisecond)
	return c
}

func (c *skewed) pass() { c.by.Add(int64(2 * patience)) }

// passUntil advances the clock until an engine is gone. Once is not enough: an answer from
// before the hang may be read later and then counts as new.
func (c *skewed) passUntil(gone func() bool) {
	for !gone() {
		c.pass()
	}
}

// hearHangs returns the address at which engines report a hang, and calls then for each report.
// then gets the number of earlier reports and a function that checks, after a moment, whether
// this engine is gone.
func hearHangs(t *testing.T, then func(before int, gone func() bool)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var heard sync.WaitGroup
	heard.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			then(n, func() bool {
				_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond)) // if not, the test sees it at once
				_, err := c.Read(make([]byte, 1))
				return !errors.Is(err, os.ErrDeadlineExceeded)
			})
			c.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		heard.Wait()
	})
	return l.Addr().String()
}

func start(t *testing.T, o engine.Options) *engine.Subprocess {
	t.Helper()
	e, err := engine.Start(t.Context(), []string{os.Args[0]}, o)
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

// result is the result of a case.
type result struct {
	reply string
	out   harness.Outcome
	err   error
}

// evalAll evaluates n cases and fills the engine's window. The case in the middle contains the
// trigger.
func evalAll(t *testing.T, e harness.Engine, n int) []result {
	t.Helper()
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results := make([]result, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range hello.Window {
		workers.Go(func() {
			for i := range next {
				reply := fmt.Sprintf("case %d", i)
				if i == n/2 {
					reply = trigger
				}
				out, err := e.Eval(t.Context(), testCase(reply))
				results[i] = result{reply, out, err}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// misbehaviour is an engine's behaviour on the case with the trigger, and the expected result
// of that case.
type misbehaviour struct {
	behaviour string
	kind      harness.Status // of the trigger; "" if it is answered
	detail    string         // a part of the failure's message
	stderr    string         // a part of standard error
	memory    int64
}

func misbehaviours() []misbehaviour {
	return []misbehaviour{
		{behaviour: "well"},
		{behaviour: "window 1"},
		{behaviour: "answers slowly but in time"},
		{behaviour: "out of order"},
		{behaviour: "splits a line over many writes"},
		{behaviour: "floods standard error"},
		{behaviour: "crashes on one case", kind: harness.Crash, detail: "exited with status 1", stderr: "Traceback: boom"},
		{behaviour: "hangs on one case", kind: harness.Hang, detail: "gave no answer within 5m0s"},
		{behaviour: "ignores TERM", kind: harness.Hang, detail: "gave no answer within 5m0s"},
		{behaviour: "answers twice", kind: harness.ProtocolFailure, detail: "was already answered"},
		{behaviour: "answers early", kind: harness.ProtocolFailure, detail: "no request has the id"},
		{behaviour: "answers an unknown id", kind: harness.ProtocolFailure, detail: "no request has the id 123456"},
		{behaviour: "logs to standard output", kind: harness.ProtocolFailure, detail: `"DEBUG \x1b[31mevaluating\x1b[0m"`},
		{behaviour: "100 MB without an end", kind: harness.ProtocolFailure, detail: "a line longer than 8 MiB"},
		{behaviour: "prints without end", kind: harness.ProtocolFailure, detail: "was it meant for standard error?"},
		{behaviour: "closes standard output", kind: harness.Crash, detail: "closed its standard output but did not exit"},
		{behaviour: "leaves a child with the pipe", kind: harness.Crash, detail: "exited with status 0"},
		{behaviour: "grows in memory", kind: harness.Crash, detail: "--engine-memory allows 256 MiB", memory: 256 << 20},
		{behaviour: "a plan that is none", kind: harness.ProtocolFailure, detail: "/steps"},
		{behaviour: "no plan", kind: harness.ProtocolFailure, detail: `needs the member "plan"`},
		{behaviour: "a wrong verdict", kind: harness.ProtocolFailure, detail: `unknown verdict "accepted"`},
		{behaviour: "a code that is none", kind: harness.ProtocolFailure, detail: `did you mean "done_immutable"?`},
		{behaviour: "invalid UTF-8", kind: harness.ProtocolFailure, detail: `\xff\xfe`},
		{behaviour: "a JSON-RPC error", kind: harness.Crash, detail: "KeyError: 'id'"},
	}
}

func TestMisbehaviour(t *testing.T) {
	for _, tc := range misbehaviours() {
		t.Run(tc.behaviour, func(t *testing.T) {
			if tc.memory > 0 && !engine.MemoryWatched() {
				t.Skip("memory is watched on Linux only")
			}
			o := options(t, tc.behaviour)
			o.Memory = engine.Bytes(tc.memory)
			e := start(t, o)
			before := heap()
			for _, r := range evalAll(t, e, 60) {
				if r.reply != trigger || tc.kind == "" {
					wantAnswer(t, r)
					continue
				}
				wantFailure(t, r.err, tc.kind, tc.detail)
				if f := (*harness.Failure)(nil); errors.As(r.err, &f) && !strings.Contains(f.Stderr, tc.stderr) {
					t.Errorf("standard error is %q, want %q in it", f.Stderr, tc.stderr)
				}
			}
			if grown := heap() - before; grown > 32<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			wantNoProcess(t, tc.behaviour, "sleeps")
		})
	}
}

func wantAnswer(t *testing.T, r result) {
	t.Helper()
	if r.err != nil || r.out.Message != r.reply {
		t.Errorf("%s: got the answer %q and the error %v", r.reply, r.out.Message, r.err)
	}
}

func wantFailure(t *testing.T, err error, kind harness.Status, detail string) {
	t.Helper()
	var f *harness.Failure
	if !errors.As(err, &f) {
		t.Errorf("got the error %v, want a failure", err)
		return
	}
	if f.Kind != kind || !strings.Contains(f.Detail, detail) {
		t.Errorf("got %s: %s\nwant %s: … %s …", f.Kind, f.Detail, kind, detail)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// wantNoProcess checks that no process with one of these behaviours in its environment is left.
func wantNoProcess(t *testing.T, behaviours ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes in /proc: %v", err)
	}
	for _, name := range files {
		env, _ := os.ReadFile(name) // gone, or owned by another user
		for _, b := range behaviours {
			if strings.Contains(string(env), behaviourEnv+"="+b+"\x00") {
				t.Errorf("%s: an engine %q is still there", filepath.Dir(name), b)
			}
		}
	}
}

func TestStartFails(t *testing.T) {
	for _, tc := range []struct {
		behaviour string
		kind      harness.Status
		detail    string
	}{
		{"exits at start", harness.Crash, "exited with status 3 before it answered initialize (it must answer, then"},
		{"TypeScript without tsx", harness.Crash, "(this Node runs no TypeScript: npm install --save-dev tsx, then"},
		{"sleeps", harness.Hang, "did not answer initialize within 50ms"},
		{"protocol version 2", harness.ProtocolFailure, "the engine speaks version 2 of the protocol, replanbench " +
			harness.Version + " speaks version 1"},
		{"unknown knob", harness.ProtocolFailure, "conflict"},
	} {
		t.Run(tc.behaviour, func(t *testing.T) {
			o := options(t, tc.behaviour)
			if tc.kind == harness.Hang {
				o.Start = 50 * time.Millisecond // the engine never answers
			}
			_, err := engine.Start(t.Context(), []string{os.Args[0]}, o)
			wantFailure(t, err, tc.kind, tc.detail)
			wantNoProcess(t, tc.behaviour)
		})
	}
	t.Run("no such program", func(t *testing.T) {
		_, err := engine.Start(t.Context(), []string{"no-such-program-here"}, engine.Options{})
		if err == nil || !strings.Contains(err.Error(), "no such program") {
			t.Errorf("got %v", err)
		}
	})
}

// An engine that exits every few cases depends on earlier cases: each exit is blamed on one
// case, and all others are answered.
func TestExitsAfterKCases(t *testing.T) {
	e := start(t, options(t, "exits after k cases"))
	crashes := 0
	for _, r := range evalAll(t, e, 200) {
		if r.err == nil {
			wantAnswer(t, r)
			continue
		}
		wantFailure(t, r.err, harness.Crash, "exited with status 3")
		crashes++
	}
	if crashes == 0 || crashes > 20 {
		t.Errorf("%d cases were blamed, want one for each end", crashes)
	}
}

// An engine that prints a line for every case is not given up: each case is a failure, and no
// restart counts.
func TestLogsEveryCase(t *testing.T) {
	o := options(t, "logs every case to standard output")
	o.MaxRestarts = 1
	for _, r := range evalAll(t, start(t, o), 30) {
		wantFailure(t, r.err, harness.ProtocolFailure, "DEBUG evaluating "+r.reply)
	}
}

func TestRestartsEnd(t *testing.T) {
	o := options(t, "crashes on every case")
	o.MaxRestarts = 3
	e := start(t, o)
	blamed, given := 0, 0
	for range 10 {
		_, err := e.Eval(t.Context(), testCase("x"))
		switch {
		case errors.Is(err, harness.ErrStopped):
			given++
			if !strings.Contains(err.Error(), "3 times (--max-restarts)") {
				t.Errorf("the error does not say how often: %v", err)
			}
		default:
			wantFailure(t, err, harness.Crash, "exited with status 1")
			blamed++
		}
	}
	if blamed != 4 || given != 6 { // the first process and three more
		t.Errorf("%d cases blamed and %d not asked, want 4 and 6", blamed, given)
	}
}

func TestFreeRestartsDoNotCount(t *testing.T) {
	o := options(t, "crashes on one case")
	o.MaxRestarts = 1
	e := start(t, o)
	for range 4 {
		_, err := e.Eval(engine.Free(t.Context()), testCase(trigger))
		wantFailure(t, err, harness.Crash, "exited with status 1")
	}
	_, err := e.Eval(t.Context(), testCase("x"))
	if err != nil {
		t.Error(err)
	}
}

// An engine that was given up still evaluates free calls, so that its earlier findings can be
// reproduced.
func TestFreeAfterGivenUp(t *testing.T) {
	o := options(t, "crashes on one case")
	o.MaxRestarts = engine.NoRestart
	e := start(t, o)
	for _, want := range []error{nil, harness.ErrStopped} {
		_, err := e.Eval(t.Context(), testCase(trigger))
		if want == nil {
			wantFailure(t, err, harness.Crash, "exited with status 1")
		} else if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	for range 2 {
		_, err := e.Eval(engine.Free(t.Context()), testCase(trigger))
		wantFailure(t, err, harness.Crash, "exited with status 1")
		out, err := e.Eval(engine.Free(t.Context()), testCase("x"))
		wantAnswer(t, result{"x", out, err})
	}
	if _, err := e.Eval(t.Context(), testCase("x")); !errors.Is(err, harness.ErrStopped) {
		t.Errorf("got %v, want that the engine was given up", err)
	}
}

func TestSeveralProcesses(t *testing.T) {
	o := options(t, "crashes on one case")
	o.Processes = 3
	for _, r := range evalAll(t, start(t, o), 100) {
		if r.reply != trigger {
			wantAnswer(t, r)
			continue
		}
		wantFailure(t, r.err, harness.Crash, "exited with status 1")
	}
}

// An engine that crashes often starts once for each crash, and a few times more: the case to blame is not replayed.
func TestCrashesOften(t *testing.T) {
	o := options(t, "crashes on one case")
	starts := filepath.Join(t.TempDir(), "starts")
	o.Env = append(o.Env, startsEnv+"="+starts)
	e := start(t, o)
	const each, every = 40, 5
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range each {
				reply := fmt.Sprintf("case %d", i)
				if i%every == every-1 {
					reply = trigger
				}
				out, err := e.Eval(t.Context(), testCase(reply))
				if reply == trigger {
					wantFailure(t, err, harness.Crash, "exited with status 1")
				} else {
					wantAnswer(t, result{reply, out, err})
				}
			}
		})
	}
	workers.Wait()
	began, err := os.ReadFile(starts)
	if crashes := 2 * each / every; err != nil || len(began) > crashes+6 {
		t.Errorf("%d starts for %d crashes: %v", len(began), crashes, err)
	}
}

// An engine that often answers with an error is blamed for each one, also when it is no longer waited for.
func TestFailsOften(t *testing.T) {
	e := start(t, options(t, "a JSON-RPC error"))
	for range 9 {
		_, err := e.Eval(t.Context(), testCase(trigger))
		wantFailure(t, err, harness.Crash, "KeyError")
	}
}

// hanging starts an engine that hangs on the trigger; hangs receives a value each time.
func hanging(t *testing.T) (e *engine.Subprocess, clock *skewed, hangs <-chan bool) {
	t.Helper()
	o := options(t, "hangs on one case")
	c, told := newClock(&o), make(chan bool, 10)
	o.Env = append(o.Env, hangsEnv+"="+hearHangs(t, func(int, func() bool) { told <- true }))
	return start(t, o), c, told
}

// Closing while cases hang ends the process and frees the callers.
func TestCloseWhileBusy(t *testing.T) {
	e, _, hangs := hanging(t)
	done := make(chan error)
	go func() {
		_, err := e.Eval(t.Context(), testCase(trigger))
		done <- err
	}()
	<-hangs
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("the case got an answer from a closed engine")
	}
	wantNoProcess(t, "hangs on one case")
}

func TestCancelled(t *testing.T) {
	e, clock, hangs := hanging(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hangs
		cancel()
	}()
	if _, err := e.Eval(ctx, testCase(trigger)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	clock.pass()
	if out, err := e.Eval(t.Context(), testCase("next")); err != nil || out.Message != "next" {
		t.Errorf("the next case: %v, %v", out, err)
	}
}

// Cases that cannot be encoded, or that need undeclared features, are unsupported and never
// reach the engine.
func TestUnsupported(t *testing.T) {
	e := start(t, options(t, "well"))
	profile, _ := harness.Named(harness.ProfileStrict)
	broken, profiled, ladder := testCase("x"), testCase("x"), testCase("x")
	broken.Plan = []byte(`{"title":`)
	profiled.Profile = &profile
	ladder.Replies = append(ladder.Replies, "y")
	for _, tc := range []struct {
		c    harness.Case
		want string
	}{
		{broken, "encode the case"},
		{profiled, "does not declare the feature profiles"},
		{ladder, "needs the feature ladder"},
		{harness.Case{Dialect: "trim"}, "does not declare the dialect trim"},
	} {
		out, err := e.Eval(t.Context(), tc.c)
		if err != nil || out.Verdict != harness.Unsupported || !strings.Contains(out.Message, tc.want) {
			t.Errorf("got %v %q %v, want unsupported: %s", out.Verdict, out.Message, err, tc.want)
		}
	}
}

// A process that hangs is killed without a shutdown request.
func TestHangIsKilled(t *testing.T) {
	o := options(t, "ignores TERM")
	o.Grace = patience
	_, err := start(t, o).Eval(t.Context(), testCase(trigger))
	wantFailure(t, err, harness.Hang, "gave no answer")
}

// Suspects are replayed in another process, so the other cases need not wait.
func TestAskedBeside(t *testing.T) {
	o := options(t, "hangs on one case")
	clock, started, beside := newClock(&o), make(chan *engine.Subprocess, 1), make(chan error, 1)
	o.Env = append(o.Env, hangsEnv+"="+hearHangs(t, func(before int, gone func() bool) {
		if before == 1 { // when the case is replayed
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := (<-started).Eval(ctx, testCase("other"))
			beside <- err
		}
		clock.passUntil(gone)
	}))
	e := start(t, o)
	started <- e
	for _, r := range evalAll(t, e, 60) {
		if r.reply == trigger {
			wantFailure(t, r.err, harness.Hang, "gave no answer")
		} else {
			wantAnswer(t, r)
		}
	}
	if err := <-beside; err != nil {
		t.Error(err)
	}
}

// TestSecondAnswerLate ends the work with an engine that answers a case again after its
// first answer was judged. The case that is under way then is not blamed.
func TestSecondAnswerLate(t *testing.T) {
	e := start(t, options(t, "answers again later"))
	out, err := e.Eval(t.Context(), testCase(trigger))
	wantAnswer(t, result{trigger, out, err})
	_, err = e.Eval(t.Context(), testCase("waits"))
	if !errors.Is(err, harness.ErrStopped) {
		t.Fatalf("got the error %v, want that the engine is given up", err)
	}
	for _, part := range []string{"broke the protocol", "was already answered", `"replies":["` + trigger + `"]`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not contain %q", err, part)
		}
	}
}

// An engine's error after the last request is reported.
func TestFaultsAtTheEnd(t *testing.T) {
	for behaviour, want := range map[string]string{
		"says goodbye":           `"goodbye"`,
		"fails when told to end": "exited with status 7 when it was asked to shut down",
		"well":                   "",
	} {
		o := options(t, behaviour)
		o.Grace = time.Minute // a loaded machine takes long to end a process
		e, err := engine.Start(t.Context(), []string{os.Args[0]}, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Eval(t.Context(), testCase("x"))
		wantAnswer(t, result{"x", out, err})
		if err = e.Close(); want == "" && err == nil {
			continue
		}
		f := (*harness.Failure)(nil)
		if !errors.As(err, &f) || !strings.Contains(f.Detail, want) || !strings.Contains(f.Stderr, "last words") {
			t.Errorf("%s: got %v", behaviour, err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("%s: closed twice: %v", behaviour, err)
		}
	}
}
