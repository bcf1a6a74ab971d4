package live

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Clock is time as a parameter.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error // returns early with the context's error
}

// SystemClock is the clock of the machine.
func SystemClock() Clock {
	return Clock{Now: time.Now, Sleep: func(ctx context.Context, d time.Duration) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// Pace spaces the requests to one endpoint: by its limits a minute, and slower
// still after it said 429. A nil Pace never waits.
type Pace struct {
	clock    Clock
	perCall  time.Duration // by requests a minute
	perToken time.Duration // by tokens a minute

	mu    sync.Mutex
	next  time.Time     // when the next request may go out
	slow  time.Duration // between requests, as 429s have taught
	pause time.Time     // nothing goes out before
}

// The slowing after a 429 doubles from the first to the last, and is taken back
// by a tenth with every success.
const (
	firstSlow = 200 * time.Millisecond
	lastSlow  = time.Minute
)

// NewPace returns a pace for so many requests and tokens a minute; 0 is no
// limit.
func NewPace(clock Clock, requests, tokens int) *Pace {
	p := &Pace{clock: clock}
	if requests > 0 {
		p.perCall = time.Minute / time.Duration(requests)
	}
	if tokens > 0 {
		p.perToken = time.Minute / time.Duration(tokens)
	}
	return p
}

// Wait waits until a request of so many tokens may go out.
func (p *Pace) Wait(ctx context.Context, tokens int) error {
	if p == nil {
		return ctx.Err()
	}
	if d := p.reserve(tokens); d > 0 {
		return p.clock.Sleep(ctx, d)
	}
	return ctx.Err()
}

func (p *Pace) reserve(tokens int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	at := slices.MaxFunc([]time.Time{now, p.next, p.pause}, time.Time.Compare)
	p.next = at.Add(max(p.perCall, p.slow, time.Duration(tokens)*p.perToken))
	return at.Sub(now)
}

// Succeeded records an answered request; extra are the tokens that it took
// beyond what Wait was told.
func (p *Pace) Succeeded(extra int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slow -= p.slow / 10; p.slow < firstSlow/2 {
		p.slow = 0
	}
	if extra > 0 {
		p.next = p.next.Add(time.Duration(extra) * p.perToken)
	}
}

// Refused records a 429, with the wait that the endpoint asked for.
func (p *Pace) Refused(after time.Duration) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow = min(max(2*p.slow, firstSlow), lastSlow)
	if until := p.clock.Now().Add(after); until.After(p.pause) {
		p.pause = until
	}
}
