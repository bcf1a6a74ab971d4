package engine_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine"
)

// TestStrays checks that a child that leaves the session of its engine is found, killed and
// counted.
func TestStrays(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid to leave a session with")
	}
	for _, behaviour := range []string{
		"leaves a child in a session of its own",
		"leaves a child that knows nothing of it",
	} {
		leash := engine.NewLeash()
		o := options(t, behaviour)
		o.MaxRestarts = engine.NoRestart
		e, err := engine.Start(leash.With(t.Context()), []string{os.Args[0]}, o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Eval(t.Context(), testCase(trigger))
		f := (*harness.Failure)(nil)
		if !errors.As(err, &f) {
			t.Fatalf("%s: got %v", behaviour, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(f.Stderr))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := leash.Strays(), syscall.Kill(pid, 0); n != 1 || !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: %d strays, and the child: %v", behaviour, n, err)
		}
	}
}

// TestKill checks that all engines end at once, without a signal to terminate first.
func TestKill(t *testing.T) {
	leash := engine.NewLeash()
	o := options(t, "ignores TERM")
	e, err := engine.Start(leash.With(t.Context()), []string{os.Args[0]}, o)
	if err != nil {
		t.Fatal(err)
	}
	leash.Kill()
	_, err = e.Eval(engine.Free(t.Context()), testCase("case"))
	if f := (*harness.Failure)(nil); !errors.As(err, &f) || !strings.Contains(f.Detail, "killed") {
		t.Errorf("got %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
