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

// slot owns one process at a time and the calls under way in it.
//
// In the common case it keeps the process's window filled and passes answers
// on. When something goes wrong with several calls under way, nobody can tell
// which is to blame: the process is ended and the calls are replayed one at a
// time in a new one. Whoever fails alone is to blame.
type slot struct {
	s      *Subprocess
	p      *process // nil until it is needed
	cause  string   // why the last one ended, if that counts as a restart
	flight map[int64]*call
	last   time.Time // of the last answer, or when the process got busy
	held   held
	orphan *harness.Failure // of a process that ended with nothing to do
	given  map[int64]*call  // the last answers that were passed on, by their ids

	helpers chan struct{} // holds a token for each that asks cases again
	asking  sync.WaitGroup
}

// maxHelpers is how many processes may ask cases again at once.
const maxHelpers = 4

// held is an answer that waits for the next line: if that is a second answer
// to the same request, the first is void.
type held struct {
	call *call
	answer
}

// incident is why a slot stopped, and which calls may be to blame.
type incident struct {
	cause    *harness.Failure
	dead     bool // the process is gone or must go
	suspects []*call
	busy     int   // how many of the suspects, at the end, have no answer yet
	named    *call // whose id a line bears that answers nothing; nil: none
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

// work passes calls and answers until something goes wrong; nil means that the
// engine is closed.
func (t *slot) work() *incident {
	tick := time.NewTicker(t.s.o.tick())
	defer tick.Stop()
	settled := time.NewTimer(t.s.settle())
	defer settled.Stop()
	settling := true // settled runs; to set it for each answer would be dear
	late := false    // whether the process was found silent at the last tick
	for {
		queue := t.s.queue
		if len(t.flight) >= t.s.hello.Window {
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
			} else if len(lines) == 0 && len(t.flight) == 0 { // otherwise the next answer delivers it
				t.deliver()
			}
		case <-tick.C:
			// Where this program itself had to wait, answers may be here unread:
			// they get the time to the next tick.
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

// now is the time by which the silence of the engine is judged.
func (t *slot) now() time.Time { return t.s.o.clock.now() }

// answers takes a line in, and all that are there behind it: now they cost less
// than later. Not open means that there are no more.
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

// waiting returns a call that waits, if there is one and room for it. Where
// several processes share the work, none takes more than one at a time.
func (t *slot) waiting() (c *call, ok bool) {
	if len(t.flight) >= t.s.hello.Window || t.s.o.Processes > 1 {
		return nil, false
	}
	select {
	case c := <-t.s.queue:
		return c, true
	default:
		return nil, false
	}
}

// take sends a call to the process, unless nobody waits for it any more.
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

// receive takes a line in; the failure is for one that answers nothing.
func (t *slot) receive(m message, now time.Time) *harness.Failure {
	c := t.flight[m.ID]
	if m.err != nil || c == nil {
		return t.stray(m)
	}
	t.deliver()
	delete(t.flight, m.ID)
	t.last = now
	t.held = held{c, answer{message: m, from: t.p}}
	return nil
}

func (t *slot) stray(m message) *harness.Failure {
	t.s.noisy.Store(true)
	why := ""
	switch {
	case m.err != nil:
		why = m.err.Error()
	case m.ID > 0 && m.ID <= t.p.lastID && m.ID%idStep == 1:
		why = fmt.Sprintf("the request %d was answered before", m.ID)
	default:
		why = fmt.Sprintf("nothing was asked with the id %d", m.ID)
	}
	return t.p.blame(stray(m.line, why))
}

// named is the call whose id a line bears though it is none of its answer.
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

// silent reports whether the process has given no answer for longer than the
// deadline although it has work.
func (t *slot) silent(now time.Time) bool {
	return len(t.flight) > 0 && now.Sub(t.last) > t.s.o.Deadline
}

// forgotten reports whether the process is not done with one case in the time
// that its whole window may take.
func (t *slot) forgotten(now time.Time) bool {
	for _, c := range t.flight {
		if now.Sub(c.sent) > t.s.o.Deadline*time.Duration(t.s.hello.Window+1) {
			return true
		}
	}
	return false
}

func (t *slot) hang() *harness.Failure {
	return t.p.blame(failure(Hang, "gave no answer within %v", t.s.o.Deadline))
}

// incident collects the suspects, in the order in which they were sent: the
// call whose answer was the last, and those that have none.
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

// resolve finds out who is to blame, and gets the others their answers.
func (t *slot) resolve(in *incident) {
	counted := in.dead && (len(in.suspects) == 0 || slices.ContainsFunc(in.suspects, (*call).counts))
	t.drop(counted, in.cause)
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

// ask asks the suspects again, one at a time, beside what the engine does
// meanwhile in another process.
func (t *slot) ask(in *incident) {
	well := true
	answers := make([]answer, len(in.suspects))
	for i, c := range in.suspects {
		answers[i] = t.alone(c)
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

// scapegoat is the suspect that stands for what none of them does alone: the one
// that is named, or the first without an answer.
func (in *incident) scapegoat() int {
	if i := slices.Index(in.suspects, in.named); i >= 0 {
		return i
	}
	return min(len(in.suspects)-in.busy, len(in.suspects)-1)
}

// unexplained returns the failure if no suspect fails alone, so that it depends on
// earlier cases. It must not go unreported, so the scapegoat gets it.
func unexplained(in *incident) *harness.Failure {
	f := *in.cause
	f.Detail += fmt.Sprintf("; it did not happen again when the %d cases that were under way were replayed one at a time, so it depends on earlier cases", len(in.suspects))
	return &f
}

// tooLate reports whether the engine answered a case again whose first answer is
// already judged. The case cannot be blamed any more, and no other case is to blame.
func (in *incident) tooLate() bool {
	return in.named != nil && !slices.Contains(in.suspects, in.named)
}

// violation is the error that ends the work with an engine that breaks the protocol
// where no case is to blame.
func (in *incident) violation() error {
	which := ""
	if in.named != nil {
		which = "; request: " + quote(in.named.params)
	}
	return fmt.Errorf("%w: it broke the protocol: it %s%s (answer each request once, in one line, after it was sent)",
		harness.ErrStopped, in.cause.Detail, which)
}

// orphaned is the failure for a call that finds a process which ended while it
// had nothing to do.
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
		if cause.Kind == Hang { // it had its time
			grace = 0
		}
		t.p.end(grace)
	}
	clear(t.given)
	if t.p = nil; counted {
		t.cause = cause.Detail
	}
}

// maxStray is how many lines that answer nothing are read beside one case.
const maxStray = 1000

// alone evaluates a call with nothing else under way.
func (t *slot) alone(c *call) answer {
	if err := c.ctx.Err(); err != nil { // nobody waits for it
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
					t.p.condemn(failure(Protocol, "printed more than %d lines that answer nothing", maxStray))
				}
			}
		case <-settled:
			if quiet && len(t.p.lines) == 0 {
				return got
			}
			quiet = true // but where this program had to wait, a line may be here unread
			settled = time.After(settleAlone / 2)
		case <-tick.C:
			switch {
			case answered || t.now().Sub(sent) <= t.s.o.Deadline:
			case late:
				return t.failedAlone(c, got, t.hang())
			default:
				late = true // but its answer may be here unread
			}
		case <-t.s.ctx.Done():
			return answer{err: context.Cause(t.s.ctx)}
		}
	}
}

// failedAlone ends a process that failed for good on a single call. What was
// wrong first counts.
func (t *slot) failedAlone(c *call, got answer, f *harness.Failure) answer {
	t.drop(c.counts(), f)
	if got.failure == nil {
		got.failure = f
	}
	return got
}
