package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"replanbench/harness"
)

// Subprocess is an engine in processes of its own. Eval is safe for concurrent use: the
// engine's window limits the open cases.
type Subprocess struct {
	remote // which counts restarts
	argv   []string
	leash  *Leash
	queue  chan *call
	slots  sync.WaitGroup
	last   *harness.Failure // the failure that blames no case
	noisy  atomic.Bool      // whether it printed a line that answers no request
	spare  chan launched    // the process for the next restart; nil before the second restart
	again  bool             // whether a process was restarted
	ctx    context.Context  // ends when the engine is closed
	end    context.CancelCauseFunc
}

var errClosed = errors.New("the engine was closed")

// call is a case on its way.
type call struct {
	ctx    context.Context
	params []byte
	sent   time.Time
	done   chan answer // has room for the one answer
}

// counts reports whether a restart because of the call counts.
func (c *call) counts() bool { return !isFree(c.ctx) }

// Start starts an engine and sends initialize. The error says what to do. If the engine is to
// blame it is a *harness.Failure.
func Start(ctx context.Context, argv []string, o Options) (*Subprocess, error) {
	if len(argv) == 0 {
		return nil, errors.New("start the engine: no command was given")
	}
	o, leash := o.withDefaults(), leashOf(ctx)
	p, hello, err := launch(ctx, argv, o, leash)
	if err != nil {
		return nil, err
	}
	s := &Subprocess{
		remote: remote{o: o, hello: hello, said: o.Restate(hello)}, argv: argv, leash: leash,
		queue: make(chan *call, hello.Window*o.Processes),
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	for range o.Processes {
		t := newSlot(s, p)
		p = nil // the other slots start their processes when there is work
		s.slots.Go(t.run)
	}
	return s, nil
}

// launched is the outcome of a start.
type launched struct {
	p     *process
	hello harness.Hello
	err   error
}

// replacement returns a new process. From the second time on it has the next one started at
// once, so that an engine that crashes often is not waited for.
func (s *Subprocess) replacement() (*process, harness.Hello, error) {
	s.mu.Lock()
	ready := s.spare
	if s.again {
		next := make(chan launched, 1)
		s.spare = next
		go func() {
			p, hello, err := launch(s.ctx, s.argv, s.o, s.leash)
			next <- launched{p, hello, err}
		}()
	}
	s.again = true
	s.mu.Unlock()
	if ready != nil {
		l := <-ready
		if l.err == nil && !l.p.hasExited() {
			return l.p, l.hello, nil
		}
		if l.err == nil {
			l.p.end(0)
		}
	}
	return launch(s.ctx, s.argv, s.o, s.leash)
}

func launch(ctx context.Context, argv []string, o Options, leash *Leash) (*process, harness.Hello, error) {
	p, err := spawn(argv, o, leash)
	if err != nil {
		return nil, harness.Hello{}, err
	}
	hello, err := p.hello(ctx, o)
	if err != nil {
		p.end(o.Grace)
		command := printable([]byte(strings.Join(argv, " "))) // with the script, not only its interpreter
		return nil, harness.Hello{}, fmt.Errorf("the engine %s: %w%s", command, err, StderrEnd(err))
	}
	return p, hello, nil
}

// stderrLines is how many lines of standard error the message of a failed start shows.
const stderrLines = 5

// namesError matches a line that begins with the name of an error, as Python, Node, Go and the
// JVM write it.
var namesError = regexp.MustCompile(`^\s*(Uncaught |Exception in |panic: |fatal error: |error: |[\w.$]*(Error|Exception)( \[\w+\])?:)`)

// namesPlace matches a line that is only a file, none of Node itself, and a line number, as Node writes it some lines
// above the name of a syntax error.
var namesPlace = regexp.MustCompile(`^(file:/|/|\.|[A-Za-z]:[/\\])\S*:\d+$`)

// StderrEnd shows the last lines that a failed engine wrote to standard error. If none of
// them names an error, the first line that does comes before the last three, after the line
// with its place if there is one.
func StderrEnd(err error) string {
	f := (*harness.Failure)(nil)
	if !errors.As(err, &f) {
		return ""
	}
	lines := f.StderrLines()
	if len(lines) == 0 {
		return ""
	}
	shown := lines[max(0, len(lines)-stderrLines):]
	i := slices.IndexFunc(lines, namesError.MatchString)
	if i >= 0 && !slices.ContainsFunc(shown, namesError.MatchString) {
		head := lines[i : i+2]
		for _, line := range lines[:i] {
			if namesPlace.MatchString(line) {
				head = []string{line, lines[i]}
			}
		}
		shown = slices.Concat(head, []string{"…"}, shown[2:])
	}
	var b strings.Builder
	b.WriteString("; stderr ends with:")
	for _, line := range shown {
		b.WriteString("\n  " + printable([]byte(line)))
	}
	return b.String()
}

// Hello returns what the engine declared, restated. Window is how many cases are worth
// having under way over all processes: what they take, and as many that wait, so
// that none of them ever does.
func (s *Subprocess) Hello(context.Context) (harness.Hello, error) {
	h := s.said
	h.Window = 2 * h.Window * s.o.Processes
	return h, nil
}

// Eval evaluates a case. The error is a *harness.Failure if the engine failed
// on this case, and wraps harness.ErrStopped if it was given up.
func (s *Subprocess) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	a, err := s.ask(ctx, c)
	return a.outcome(c, err)
}

// Ask evaluates a case and returns the engine's raw answer, without
// checking that it is an outcome. An unsupported case is an error.
func (s *Subprocess) Ask(ctx context.Context, c harness.Case) ([]byte, error) {
	a, err := s.ask(ctx, c)
	return a.result(err)
}

// ask sends a case and waits for its answer.
func (s *Subprocess) ask(ctx context.Context, c harness.Case) (answer, error) {
	params, err := s.encode(ctx, c)
	if err == nil {
		err = s.given(ctx)
	}
	if err != nil {
		return answer{}, err
	}
	k := &call{ctx: ctx, params: params, done: make(chan answer, 1)}
	select {
	case s.queue <- k:
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-s.ctx.Done():
		return answer{}, context.Cause(s.ctx)
	}
	select {
	case a := <-k.done:
		switch {
		case a.err != nil:
			return answer{}, a.err
		case a.failure != nil:
			return answer{}, a.failure
		}
		return a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-s.ctx.Done():
		return answer{}, context.Cause(s.ctx)
	}
}

// Close ends all processes and waits until they are gone: a moment if no call is pending,
// else at most twice the grace. The error is a *harness.Failure if the engine failed
// after its last answer or while it shut down, so that no case is to blame.
func (s *Subprocess) Close() error {
	s.end(errClosed)
	s.slots.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare != nil {
		if l := <-s.spare; l.err == nil {
			_ = l.p.shutdown(s.o.Grace) // it answered no case
		}
		s.spare = nil
	}
	if f := s.last; f != nil {
		s.last = nil
		return f
	}
	return nil
}

// settle is how long an answer is held back, while nothing else is under way, for a
// second answer to the same request.
func (s *Subprocess) settle() time.Duration {
	if s.noisy.Load() {
		return settleNoisy
	}
	return settle
}

// note keeps a failure that blames no case; the first one counts.
func (s *Subprocess) note(f *harness.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = f
	}
}

// restart starts a process in the place of one that ended because of cause, if
// that counts. It tries until it succeeds or the restarts are used up; for a call
// that is free it tries once, even if the engine was given up.
func (s *Subprocess) restart(cause string, free bool) (*process, error) {
	for s.ctx.Err() == nil {
		if cause != "" && !free {
			if err := s.mayRestart(cause); err != nil {
				return nil, err
			}
		}
		p, hello, err := s.replacement()
		switch {
		case err != nil && exhausted(err):
			return nil, s.stop(fmt.Errorf("%w: replanbench has run out of files, memory or processes: %w (raise ulimit -n, "+
				"or use fewer --engines)", harness.ErrStopped, err))
		case err != nil && free:
			return nil, err
		case err != nil:
			cause = err.Error()
			continue
		case !reflect.DeepEqual(hello, s.hello):
			p.end(s.o.Grace)
			return nil, s.stop(fmt.Errorf("%w: after a restart its declaration differs from the first one", harness.ErrStopped))
		}
		return p, nil
	}
	return nil, context.Cause(s.ctx)
}

// forgive takes the restart after a crash back: the new process answers.
func (s *Subprocess) forgive() {
	s.mu.Lock()
	s.count = max(0, s.count-1)
	s.mu.Unlock()
}

// mayRestart counts a restart, unless too many were made: then the engine is
// given up.
func (s *Subprocess) mayRestart(cause string) error {
	s.mu.Lock()
	made := s.count
	s.count = min(made+1, s.o.MaxRestarts)
	s.mu.Unlock()
	if made < s.o.MaxRestarts {
		return nil
	}
	return s.stop(fmt.Errorf("%w: it was restarted %d times (--max-restarts), the last time because it %s",
		harness.ErrStopped, made, cause))
}
