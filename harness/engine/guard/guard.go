// Package guard protects the harness from an engine in the same process: a panic
// becomes a crash and a missing answer a hang, both as *harness.Failure.
//
// It cannot stop a goroutine that hangs. It abandons it, starts a new one, and
// gives up after a few. Engines in processes of their own need no guard, because
// they can be killed.
package guard

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"time"

	"replanbench/harness"
)

// maxAbandoned is how many hanging evaluations are left running before the
// guard gives the engine up with [harness.ErrStopped].
const maxAbandoned = 20

type answer struct {
	out harness.Outcome
	err error
}

type request struct {
	ctx context.Context
	c   harness.Case
}

// Engine is a guarded engine. It evaluates one case at a time and is not for
// concurrent use.
type Engine struct {
	engine    harness.Engine
	deadline  time.Duration
	requests  chan request
	answers   chan answer
	timer     *time.Timer
	bounded   bool
	shared    bool
	abandoned int
}

// New guards an engine; deadline is how long one evaluation may take. A
// [harness.Bounded] engine keeps its own deadline.
func New(engine harness.Engine, deadline time.Duration) *Engine {
	g := &Engine{engine: engine, deadline: deadline, timer: time.NewTimer(deadline)}
	_, g.bounded = engine.(harness.Bounded)
	g.start()
	return g
}

// Shared guards an engine that others use as well: closing the guard does not
// close it.
func Shared(engine harness.Engine, deadline time.Duration) *Engine {
	g := New(engine, deadline)
	g.shared = true
	return g
}

// start begins a goroutine that evaluates one request after the other.
func (g *Engine) start() {
	g.requests = make(chan request)
	g.answers = make(chan answer, 1)
	go serve(g.engine, g.requests, g.answers)
}

func serve(engine harness.Engine, requests <-chan request, answers chan<- answer) {
	for r := range requests {
		answers <- eval(engine, r)
	}
}

func eval(engine harness.Engine, r request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: &harness.Failure{Kind: harness.Crash, Detail: fmt.Sprintf("panic: %v", p), Stderr: stack()}}
		}
	}()
	out, err := engine.Eval(r.ctx, r.c)
	return answer{out, err}
}

// stack returns the functions of the engine that the panic ended, innermost first, as
// FILE:LINE FUNCTION. It leaves out the harness and the runtime.
func stack() string {
	const deepest = 50
	var lines []string
	pcs := make([]uintptr, deepest)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			lines = nil // those that handled the panic
		case !strings.HasPrefix(f.Function, "runtime.") && f.Function != evaluation:
			lines = append(lines, fmt.Sprintf("%s:%d %s", path.Base(f.File), f.Line, f.Function))
		}
		if !more || f.Function == evaluation {
			return strings.Join(lines, "\n")
		}
	}
}

// evaluation is the function that calls the engine.
const evaluation = "replanbench/harness/engine/guard.eval"

// Hello asks the engine.
func (g *Engine) Hello(ctx context.Context) (harness.Hello, error) { return g.engine.Hello(ctx) }

// Eval evaluates one case within the deadline.
func (g *Engine) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if g.bounded {
		return g.engine.Eval(ctx, c)
	}
	if g.abandoned >= maxAbandoned {
		return harness.Outcome{}, fmt.Errorf("%w: it hung %d times", harness.ErrStopped, g.abandoned)
	}
	g.timer.Reset(g.deadline)
	g.requests <- request{ctx, c}
	select {
	case a := <-g.answers:
		g.timer.Stop()
		return a.out, a.err
	case <-ctx.Done():
		g.leave()
		return harness.Outcome{}, ctx.Err()
	case <-g.timer.C:
		g.leave()
		return harness.Outcome{}, &harness.Failure{Kind: harness.Hang, Detail: fmt.Sprintf("no answer within %s", g.deadline)}
	}
}

// leave gives the running evaluation up.
func (g *Engine) leave() {
	g.abandoned++
	close(g.requests)
	g.start()
}

// Close ends the guard, and the engine unless it is shared.
func (g *Engine) Close() error {
	close(g.requests)
	g.timer.Stop()
	if g.shared {
		return nil
	}
	return g.engine.Close()
}
