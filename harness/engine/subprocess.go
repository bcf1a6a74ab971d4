package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/rpc"
)

// Subprocess is an engine in processes of its own. Eval may be called
// concurrently: as many cases are under way as the engine's window allows.
type Subprocess struct {
	argv    []string
	o       Options
	hello   harness.Hello // as the engine declared it
	queue   chan *call
	slots   sync.WaitGroup
	ctx     context.Context // ends when the engine is closed
	end     context.CancelCauseFunc
	mu      sync.Mutex
	started int   // counted restarts
	stopped error // why the engine was given up, if it was
}

var errClosed = errors.New("the engine was closed")

// call is a case on its way.
type call struct {
	ctx    context.Context
	params []byte
	sent   time.Time
	done   chan answer // has room for the one answer
}

// withStderr adds what the engine wrote to standard error. What it wrote before
// its answer may arrive behind it, so a moment is waited.
func (a answer) withStderr(f *harness.Failure) *harness.Failure {
	select {
	case <-a.from.spoke:
	case <-time.After(settleAlone):
	}
	f.Stderr = a.from.stderr.String()
	return f
}

// counts reports whether a restart because of the call counts.
func (c *call) counts() bool { return !isFree(c.ctx) }

// answer is what became of a call. A result still has to be decoded.
type answer struct {
	message
	from    *process
	failure *harness.Failure
	err     error // the engine could not be asked
}

// Start starts an engine and shakes hands. The error says what to do about it;
// if the engine itself is to blame it is a *harness.Failure.
func Start(ctx context.Context, argv []string, o Options) (*Subprocess, error) {
	if len(argv) == 0 {
		return nil, errors.New("start the engine: no command was given")
	}
	o = o.withDefaults()
	p, hello, err := launch(ctx, argv, o)
	if err != nil {
		return nil, err
	}
	s := &Subprocess{argv: argv, o: o, hello: hello, queue: make(chan *call, hello.Window*o.Processes)}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	for range o.Processes {
		t := &slot{s: s, p: p, flight: map[int64]*call{}}
		p = nil // the other slots start theirs when there is work
		s.slots.Go(t.run)
	}
	return s, nil
}

func launch(ctx context.Context, argv []string, o Options) (*process, harness.Hello, error) {
	p, err := spawn(argv, o)
	if err != nil {
		return nil, harness.Hello{}, err
	}
	hello, err := p.hello(ctx, o)
	if err != nil {
		p.end(o.Grace)
		return nil, harness.Hello{}, fmt.Errorf("the engine %s: %w%s", argv[0], err, lastWords(err))
	}
	return p, hello, nil
}

// lastWords quotes the last line that a failed engine wrote to standard error.
func lastWords(err error) string {
	f := (*harness.Failure)(nil)
	if !errors.As(err, &f) {
		return ""
	}
	text := strings.TrimSpace(f.Stderr)
	if text = text[strings.LastIndexByte(text, '\n')+1:]; text == "" {
		return ""
	}
	return "; its last words were " + quote([]byte(text))
}

func initializeParams() []byte {
	b, err := json.Marshal(rpc.InitializeParams{Protocol: rpc.Protocol, Client: rpc.Party{Name: "replanbench", Version: harness.Version}})
	if err != nil {
		panic(err) // a number and two constant strings
	}
	return b
}

// Hello returns what the engine declared. Window is how many cases are worth
// having under way over all processes: what they take, and as many that wait, so
// that none of them ever does.
func (s *Subprocess) Hello(context.Context) (harness.Hello, error) {
	h := s.hello
	h.Window = 2 * h.Window * s.o.Processes
	return h, nil
}

// Deadline is the time for one case. Where several are under way, and where
// something went wrong with them, Eval may take longer.
func (s *Subprocess) Deadline() time.Duration { return s.o.Deadline }

// Eval evaluates a case. The error is a *harness.Failure if the engine failed
// on this case, and wraps harness.ErrStopped if it was given up.
func (s *Subprocess) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	a, unsupported, err := s.ask(ctx, c)
	if unsupported != "" || err != nil {
		return refused(unsupported), err
	}
	out, f := a.outcome(c.Dialect)
	if f != nil {
		return harness.Outcome{}, a.withStderr(f)
	}
	return out, nil
}

// Ask evaluates a case and returns the engine's answer as it stands, without
// asking whether it is an outcome. An unsupported case is an error.
func (s *Subprocess) Ask(ctx context.Context, c harness.Case) ([]byte, error) {
	a, unsupported, err := s.ask(ctx, c)
	result, err := raw(a.Response, unsupported, err)
	if f := (*harness.Failure)(nil); errors.As(err, &f) && a.from != nil {
		return nil, a.withStderr(f)
	}
	return result, err
}

// ask sends a case and waits for its answer.
func (s *Subprocess) ask(ctx context.Context, c harness.Case) (a answer, unsupported string, err error) {
	params, unsupported := encode(s.hello, c, s.o.Deadline)
	if unsupported != "" {
		return answer{}, unsupported, nil
	}
	if err := s.given(); err != nil && !isFree(ctx) {
		return answer{}, "", err
	}
	k := &call{ctx: ctx, params: params, done: make(chan answer, 1)}
	select {
	case s.queue <- k:
	case <-ctx.Done():
		return answer{}, "", ctx.Err()
	case <-s.ctx.Done():
		return answer{}, "", context.Cause(s.ctx)
	}
	select {
	case a := <-k.done:
		switch {
		case a.err != nil:
			return answer{}, "", a.err
		case a.failure != nil:
			return answer{}, "", a.failure
		}
		return a, "", nil
	case <-ctx.Done():
		return answer{}, "", ctx.Err()
	case <-s.ctx.Done():
		return answer{}, "", context.Cause(s.ctx)
	}
}

// refused is the outcome of a case that cannot be asked.
func refused(unsupported string) harness.Outcome {
	if unsupported == "" {
		return harness.Outcome{}
	}
	return harness.Outcome{Verdict: harness.Unsupported, Message: unsupported}
}

// raw returns the result of a response.
func raw(r rpc.Response, unsupported string, err error) ([]byte, error) {
	switch {
	case err != nil:
		return nil, err
	case unsupported != "":
		return nil, errors.New("unsupported: " + unsupported)
	case r.Error != nil:
		return nil, reported(r.Error)
	}
	return r.Result, nil
}

// reported is the failure of an engine that says itself that it failed.
func reported(e *rpc.Error) *harness.Failure {
	return failure(Crash, "answered with the error %d: %s", e.Code, quote([]byte(e.Message)))
}

// encode returns the parameters of eval, or why the case cannot be asked.
func encode(h harness.Hello, c harness.Case, deadline time.Duration) (params []byte, unsupported string) {
	if _, reason := all.Resolve(h, c); reason != "" {
		return nil, reason
	}
	params, err := rpc.EncodeEval(rpc.EvalParams{DeadlineMS: deadline.Milliseconds(), Case: c})
	switch {
	case err != nil:
		return nil, err.Error()
	case len(params) > rpc.MaxLine-1024:
		return nil, fmt.Sprintf("the case has %d bytes, and at most %d MiB fit in a line", len(params), rpc.MaxLine>>20)
	}
	return params, ""
}

// outcome decodes an answer to eval.
func (m message) outcome(dialect string) (harness.Outcome, *harness.Failure) {
	if m.Error != nil {
		return harness.Outcome{}, reported(m.Error)
	}
	out, err := rpc.DecodeOutcome(dialect, m.Result)
	if err != nil {
		return harness.Outcome{}, failure(Protocol, "gave no valid answer: %v; the answer: %s", err, quote(m.Result))
	}
	return out, nil
}

// Close ends all processes and waits until they are gone: a moment if nothing
// is under way, at most twice the grace otherwise.
func (s *Subprocess) Close() error {
	s.end(errClosed)
	s.slots.Wait()
	return nil
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
		p, hello, err := launch(s.ctx, s.argv, s.o)
		switch {
		case err != nil && free:
			return nil, err
		case err != nil:
			cause = err.Error()
			continue
		case !reflect.DeepEqual(hello, s.hello):
			p.end(s.o.Grace)
			return nil, s.stop(fmt.Errorf("%w: started anew, it declares something else than the first time", harness.ErrStopped))
		}
		return p, nil
	}
	return nil, context.Cause(s.ctx)
}

// mayRestart counts a restart, unless too many were made: then the engine is
// given up.
func (s *Subprocess) mayRestart(cause string) error {
	s.mu.Lock()
	started := s.started
	if started < s.o.MaxRestarts {
		s.started++
	}
	s.mu.Unlock()
	if started < s.o.MaxRestarts {
		return nil
	}
	return s.stop(fmt.Errorf("%w: it was started anew %d times (--max-restarts), the last time because it %s", harness.ErrStopped, started, cause))
}

// stop gives the engine up; the first reason counts.
func (s *Subprocess) stop(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = err
	}
	return s.stopped
}

// given returns why the engine was given up, if it was.
func (s *Subprocess) given() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}
