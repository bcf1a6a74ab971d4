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
	"runtime/debug"
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

// stack returns the stack of the panic without the frames of the harness and
// without addresses, which differ from run to run.
func stack() string {
	var lines []string
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "goroutine ") {
			continue
		}
		name, _, _ := strings.Cut(line, "(")
		lines = append(lines, strings.TrimSpace(name))
	}
	return strings.Join(lines, "\n")
}

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
