package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine/guard"
)

// broken is an engine whose planner panics in apply, also while it cleans up.
type broken struct{ harness.Engine }

func (broken) Eval(context.Context, harness.Case) (harness.Outcome, error) {
	defer func() { panic(recover()) }()
	return apply(nil), nil
}

func (broken) Close() error { return nil }

func apply(steps []string) harness.Outcome { return harness.Outcome{Message: steps[len(steps)]} }

// TestPlaceOfPanic: the failure says which line of the engine panicked first, and names no function of the harness.
func TestPlaceOfPanic(t *testing.T) {
	g := guard.New(broken{}, time.Minute)
	defer g.Close()
	_, err := g.Eval(t.Context(), harness.Case{})
	var f *harness.Failure
	if !errors.As(err, &f) || f.Place() != "guard_test.go:24" {
		t.Fatalf("the place is %q, want guard_test.go:24: %+v", f.Place(), f)
	}
	const last = " replanbench/harness/engine/guard_test.broken.Eval"
	if lines := strings.Split(f.Stderr, "\n"); len(lines) != 2 || !strings.HasSuffix(lines[1], last) {
		t.Errorf("the stack is %q", lines)
	}
}
