package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
)

// slot owns one process at a time and the open calls in it.
//
// Normally it keeps the process's window filled and delivers answers. When something goes wrong
// with several open calls, the slot ends the process and replays the calls one at a time in a
// new one. The call that fails alone is to blame.
type slot struct {
	s      *Subprocess
	p      *process // nil until it is needed
	cause  string   // why the last one ended, if that counts as a restart
	crash  bool     // whether it crashed
	flight map[int64]*call
	last   time.Time // time of the last answer, or when the process got busy
	held   held
	orphan *harness.Failure // failure of a process that ended while idle
	given  map[int64]*call  // the last delivered answers, by id
	single int              // how many more answers come one at a time

	helpers chan struct{} // a token for each goroutine that replays cases
	asking  sync.WaitGroup
}

// maxHelpers limits the processes that replay cases at once.
const maxHelpers = 4

// held is an answer that waits for the next line: a second answer to the same request makes the
// first invalid.
type held struct {
	call *call
	answer
}

// incident is why a slot stopped, with the calls that may be to blame.
type incident struct {
	cause    *harness.Failure
	dead     bool // the process is gone or must go
	suspects []*call
	busy     int   // how many of the suspects, at the end of the list, have no answer yet
	named    *call // the call whose id a stray line has; nil if none
}

func newSlot(s *Subprocess, p *process) *slot {
	return &slot{s: s, p: p, flight: map[int64]*call{}, given: map[int64]*call{}, helpers: make(chan struct{}, maxHelpers)}
}

// run works until the engine is closed.
func (t *slot) run() {
	for {
		in := t.work()
		if in == nil {
			break
		}
		t.resolve(in)
	}
	t.asking.Wait()
	t.s.note(t.orphan)
	switch {
	case t.p == nil:
	case len(t.flight) > 0:
		t.p.end(t.s.o.Grace)
	default:
		t.s.note(t.p.shutdown(t.s.o.Grace))
	}
}

// work passes calls and answers until something goes wrong. It returns nil when the engine is
// closed.
func (t *slot) work() *incident {
	tick := time.NewTicker(t.s.o.tick())
	defer tick.Stop()
	settled := time.NewTimer(t.s.settle())
	defer settled.Stop()
	settling := true // whether the settle timer runs; setting it for each answer is expensive
	late := false    // whether the process was found silent at the last tick
	for {
		queue := t.s.queue
		if t.full() {
			queue = nil
		}
		var lines chan message
		if t.p != nil {
			lines = t.p.lines
		}
		select {
		case c := <-queue:
			for more := true; more; {
				t.take(c)
				c, more = t.waiting()
			}
		case m, ok := <-lines:
			if in := t.answers(m, ok); in != nil {
				return in
			}
			if !settling {
				settling = true
				settled.Reset(t.s.settle())
			}
		case <-settled.C:
			left := t.s.settle() - t.now().Sub(t.last)
			if settling = left > 0; settling {
				settled.Reset(left)
			} else if len(lines) == 0 && len(t.flight) == 0 { // while others are open, the next answer delivers it
				t.deliver()
			}
		case <-tick.C:
			// If this program itself was delayed, unread answers may be here: they get the time
			// until the next tick.
			was, now := late, t.now()
			late = t.silent(now)
			if was && late || t.forgotten(now) {
				return t.incident(t.hang(), true)
			}
		case <-t.s.ctx.Done():
			return nil
		}
	}
}

// now is the time for measuring the engine's silence.
func (t *slot) now() time.Time { return t.s.o.clock.now() }

// answers reads a line and all lines that have already arrived, which is cheaper than reading
// them later. open is false at the end of standard output.
func (t *slot) answers(m message, open bool) *incident {
	now := t.now()
	for {
		if !open {
			return t.incident(t.p.autopsy(), true)
		}
		if f := t.receive(m, now); f != nil {
			named := t.named(m)
			in := t.incident(f, false)
			in.named = named
			return in
		}
		select {
		case m, open = <-t.p.lines:
		default:
			return nil
		}
	}
}

// waiting returns a waiting call if the window has room for it. If several processes share the
// work, none takes more than one call at a time.
func (t *slot) waiting() (c *call, ok bool) {
	if t.full() || t.s.o.Processes > 1 {
		return nil, false
	}
	select {
	case c := <-t.s.queue:
		return c, true
	default:
		return nil, false
	}
}

// singleCases is how many cases a slot takes one at a time after its process crashed or hung. If that happens again,
// there is one suspect, which need not be replayed: an engine that crashes on every tenth case starts half as often.
const singleCases = 64

// full reports whether the slot takes no further call for now.
func (t *slot) full() bool {
	if t.single > 0 {
		return len(t.flight) > 0 || t.held.call != nil
	}
	return len(t.flight) >= t.s.hello.Window
}

// take sends a call to the process, unless its caller has gone.
func (t *slot) take(c *call) {
	if c.ctx.Err() != nil {
		return
	}
	if t.orphan != nil {
		c.done <- answer{failure: t.orphaned()}
		return
	}
	if err := t.ensure(c); err != nil {
		c.done <- answer{err: err}
		return
	}
	t.send(c)
}

// ensure starts a process for a call if there is none.
func (t *slot) ensure(c *call) (err error) {
	if t.p == nil {
		t.p, err = t.s.restart(t.cause, !c.counts())
	}
	if err == nil {
		t.cause = ""
	}
	return err
}

func (t *slot) send(c *call) {
	c.sent = t.now()
	if len(t.flight) == 0 {
		t.last = c.sent
	}
	t.flight[t.p.send(rpc.Eval, c.params)] = c
}

// receive reads a line. The failure is for a line that answers no request.
func (t *slot) receive(m message, now time.Time) *harness.Failure {
	c := t.flight[m.ID]
	if m.err != nil || c == nil {
		return t.stray(m)
	}
	t.deliver()
	delete(t.flight, m.ID)
	t.last, t.single = now, max(0, t.single-1)
	t.held = held{c, answer{message: m, from: t.p}}
	if t.crash {
		t.crash = false
		t.s.forgive()
	}
	return nil
}

func (t *slot) stray(m message) *harness.Failure {
	t.s.noisy.Store(true)
	var why string
	switch {
	case m.err != nil:
		why = m.err.Error()
	case m.ID > 0 && m.ID <= t.p.lastID && m.ID%idStep == 1:
		why = fmt.Sprintf("request %d was already answered", m.ID)
	default:
		why = fmt.Sprintf("no request has the id %d", m.ID)
	}
	return t.p.blame(stray(m.line, why))
}

// named returns the call whose id a stray line has.
func (t *slot) named(m message) *call {
	if m.err != nil {
		return nil
	}
	if t.held.call != nil && t.held.ID == m.ID {
		return t.held.call
	}
	return t.given[m.ID]
}

// deliver passes the held answer on.
func (t *slot) deliver() {
	if t.held.call != nil {
		delete(t.given, t.held.ID-int64(2*idStep*t.s.hello.Window))
		t.given[t.held.ID] = t.held.call
		t.held.call.done <- t.held.answer
		t.held = held{}
	}
}

// silent reports whether the process has work but gave no answer for longer than the deadline.
func (t *slot) silent(now time.Time) bool {
	return len(t.flight) > 0 && now.Sub(t.last) > t.s.o.Deadline
}

// forgotten reports whether one case is open for longer than a whole window may take.
func (t *slot) forgotten(now time.Time) bool {
	for _, c := range t.flight {
		if now.Sub(c.sent) > t.s.o.Deadline*time.Duration(t.s.hello.Window+1) {
			return true
		}
	}
	return false
}

func (t *slot) hang() *harness.Failure {
	return t.p.blame(failure(hang, "gave no answer within %v", t.s.o.Deadline))
}

// incident collects the suspects in the order of sending: the call with the last answer, and
// the calls without an answer.
func (t *slot) incident(cause *harness.Failure, dead bool) *incident {
	in := &incident{cause: cause, dead: dead, busy: len(t.flight)}
	if t.held.call != nil {
		in.suspects = append(in.suspects, t.held.call)
	}
	for _, id := range slices.Sorted(maps.Keys(t.flight)) {
		in.suspects = append(in.suspects, t.flight[id])
	}
	t.held = held{}
	clear(t.flight)
	return in
}

// resolve finds the call to blame and gets the answers of the others.
func (t *slot) resolve(in *incident) {
	counted := in.dead && (len(in.suspects) == 0 || slices.ContainsFunc(in.suspects, (*call).counts))
	t.drop(counted, in.cause)
	if in.dead {
		t.single = singleCases
	}
	switch n := len(in.suspects); {
	case n == 0:
		t.orphan = in.cause
		return
	case in.tooLate():
		err := t.s.stop(in.violation())
		for _, c := range in.suspects {
			c.done <- answer{err: err}
		}
		return
	case n == 1 && in.busy == 1:
		in.suspects[0].done <- answer{failure: in.cause}
		return
	}
	t.helpers <- struct{}{}
	t.asking.Go(func() {
		defer func() { <-t.helpers }()
		helper := newSlot(t.s, nil)
		helper.ask(in)
		helper.drop(false, in.cause)
	})
}

// ask replays the suspects one at a time in another process, while the engine goes on. The most
// suspicious one comes last, so that a crash seldom costs another process.
func (t *slot) ask(in *incident) {
	well := true
	answers := make([]answer, len(in.suspects))
	last := in.scapegoat()
	for k := range in.suspects {
		i := (last + 1 + k) % len(in.suspects)
		answers[i] = t.alone(in.suspects[i])
		well = well && answers[i].failure == nil && answers[i].err == nil
	}
	switch {
	case well && (in.dead || slices.Contains(in.suspects, in.named)):
		answers[in.scapegoat()] = answer{failure: unexplained(in)}
	case well:
		_ = t.s.stop(in.violation()) // no case is to blame
	}
	for i, a := range answers {
		in.suspects[i].done <- a
	}
}

// scapegoat returns the suspect that gets the failure when no suspect fails alone: the named
// one, or the first without an answer.
func (in *incident) scapegoat() int {
	if i := slices.Index(in.suspects, in.named); i >= 0 {
		return i
	}
	return min(len(in.suspects)-in.busy, len(in.suspects)-1)
}

// unexplained returns the failure if no suspect fails alone: it depends on earlier cases. The
// scapegoat gets it, so that it is reported.
func unexplained(in *incident) *harness.Failure {
	f := *in.cause
	f.Detail += fmt.Sprintf("; it did not happen again when the %d open cases were replayed one at a time, so it "+
		"depends on earlier cases", len(in.suspects))
	return &f
}

// tooLate reports whether the engine answered a case a second time after its first answer was
// judged. Then no case can be blamed.
func (in *incident) tooLate() bool {
	return in.named != nil && !slices.Contains(in.suspects, in.named)
}

// violation is the error that stops an engine that breaks the protocol when no case is to
// blame.
func (in *incident) violation() error {
	which := ""
	if in.named != nil {
		which = "; request: " + quote(in.named.params)
	}
	return fmt.Errorf("%w: it broke the protocol: it %s%s (answer each request once, in one line, after it was sent)",
		harness.ErrStopped, in.cause.Detail, which)
}

// orphaned is the failure for a call whose process ended while it was idle.
func (t *slot) orphaned() *harness.Failure {
	f := *t.orphan
	f.Detail += ", between two cases; this one was the next"
	t.orphan = nil
	return &f
}

// drop ends the process.
func (t *slot) drop(counted bool, cause *harness.Failure) {
	if t.p != nil {
		grace := t.s.o.Grace
		if cause.Kind == hang { // it has used up its time
			grace = 0
		}
		t.p.end(grace)
	}
	clear(t.given)
	if t.p = nil; counted {
		t.cause, t.crash = cause.Detail, cause.Kind == crash
	}
}

// maxStray limits the lines without a request that are read during one case.
const maxStray = 1000

// alone evaluates a call with no other call open.
func (t *slot) alone(c *call) answer {
	if err := c.ctx.Err(); err != nil { // its caller has gone
		return answer{err: err}
	}
	if err := t.ensure(c); err != nil {
		return answer{err: err}
	}
	sent := t.now()
	id := t.p.send(rpc.Eval, c.params)
	tick := time.NewTicker(t.s.o.tick())
	defer tick.Stop()
	var settled <-chan time.Time
	var got answer
	answered, quiet, late := false, false, false
	for strays := 0; ; {
		select {
		case m, ok := <-t.p.lines:
			switch {
			case !ok:
				return t.failedAlone(c, got, t.p.autopsy())
			case m.err == nil && m.ID == id && !answered:
				answered, got.message, got.from = true, m, t.p
				settled = time.After(settleAlone / 2)
			case got.failure == nil:
				got.failure = t.stray(m)
			default:
				if strays++; strays > maxStray {
					t.p.condemn(failure(protocol, "printed more than %d lines that answer no request", maxStray))
				}
			}
		case <-settled:
			if quiet && len(t.p.lines) == 0 {
				return got
			}
			quiet = true // if this program was delayed, an unread line may be here
			settled = time.After(settleAlone / 2)
		case <-tick.C:
			switch {
			case answered || t.now().Sub(sent) <= t.s.o.Deadline:
			case late:
				return t.failedAlone(c, got, t.hang())
			default:
				late = true // if this program was delayed, its answer may be here unread
			}
		case <-t.s.ctx.Done():
			return answer{err: context.Cause(t.s.ctx)}
		}
	}
}

// failedAlone ends a process that failed for good on a single call. The first error counts.
func (t *slot) failedAlone(c *call, got answer, f *harness.Failure) answer {
	t.drop(c.counts(), f)
	if got.failure == nil {
		got.failure = f
	}
	return got
}
