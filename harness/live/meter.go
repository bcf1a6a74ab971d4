package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"replanbench/harness/score"
)

// Limits are the hard stops of a whole run; 0 is none.
type Limits struct {
	Requests int
	Tokens   int     // of prompts and replies
	Cost     float64 // in the currency of the prices
}

// Spent is what a run has used. A retry after an error is a request of its own.
type Spent struct {
	Requests     int     `json:"requests"`
	PromptTokens int     `json:"prompt_tokens"`
	ReplyTokens  int     `json:"reply_tokens"`
	Cost         float64 `json:"cost"`
}

// stopped is the error of a run that met one of its limits.
type stopped struct{ Limit string }

func (s *stopped) Error() string {
	return s.Limit + " is reached (raise it, and continue with --resume)"
}

// meter counts what is used and holds it against the limits. What is under way is
// reserved at the most that it may take, so that a run never ends above a limit:
// the prompt as long as the endpoint has counted prompts so far, and the reply as
// long as it may be. Without a limit of its own, a reply is taken to be as long as
// the longest so far, and the stop is only as hard as that.
//
// A request that does not fit while others are under way waits for them, since
// they mostly take less than is reserved. The first that does not fit by itself
// ends the run.
type meter struct {
	limits Limits
	prices score.Prices
	reply  int // tokens that a reply may have; 0 is no limit

	mu       sync.Mutex
	spent    Spent
	reserved Spent
	under    int // requests under way
	known    bool
	ratio    float64       // the most that the endpoint has counted for a token of ours
	longest  int           // reply so far
	stopped  *stopped      // once a limit was met
	changed  chan struct{} // closed when a request under way has ended
}

func newMeter(l Limits, p score.Prices, reply int) *meter {
	return &meter{limits: l, prices: p, reply: reply, ratio: 1, longest: assumedReply, changed: make(chan struct{})}
}

// admit counts a request and reserves what it may take, or refuses it. end must
// be called when it is over.
func (m *meter) admit(ctx context.Context, model string, prompt int) (end func(), err error) {
	for {
		end, wait, err := m.try(model, prompt)
		if wait == nil {
			return end, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// try admits or refuses a request, or returns what to wait for.
func (m *meter) try(model string, prompt int) (end func(), wait <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped != nil {
		return nil, nil, m.stopped
	}
	need := m.most(model, prompt)
	limit := m.met(need)
	switch {
	// Until the first answer nothing is known of how the endpoint counts.
	case m.under > 0 && (limit != "" || !m.known && m.limits.weighed()):
		return nil, m.changed, nil
	case limit != "":
		m.stopped = &stopped{limit}
		return nil, nil, m.stopped
	}
	m.spent.Requests++
	m.under++
	m.reserved = m.reserved.plus(need, 1)
	return func() { m.release(need) }, nil, nil
}

// weighed reports whether it matters how long prompts and replies are.
func (l Limits) weighed() bool { return l.Tokens > 0 || l.Cost > 0 }

// most is the most that a request may take.
func (m *meter) most(model string, prompt int) Spent {
	s := Spent{PromptTokens: int(math.Ceil(float64(prompt) * m.ratio)), ReplyTokens: m.longest}
	if m.reply > 0 {
		s.ReplyTokens = m.reply
	}
	s.Cost, _ = m.prices.Of(model, s.PromptTokens, s.ReplyTokens)
	return s
}

// met names the limit that another request would exceed, or "".
func (m *meter) met(need Spent) string {
	l, s := m.limits, m.spent.plus(m.reserved, 1).plus(need, 1)
	switch {
	case l.Requests > 0 && m.spent.Requests >= l.Requests:
		return fmt.Sprintf("the limit of %d requests", l.Requests)
	case l.Tokens > 0 && s.PromptTokens+s.ReplyTokens > l.Tokens:
		return fmt.Sprintf("the limit of %d tokens", l.Tokens)
	case l.Cost > 0 && s.Cost > l.Cost*(1+1e-12): // sums of prices differ by rounding
		return fmt.Sprintf("the limit of %g %s", l.Cost, m.prices.Currency)
	}
	return ""
}

func (m *meter) release(need Spent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.under--
	m.reserved = m.reserved.plus(need, -1)
	close(m.changed)
	m.changed = make(chan struct{})
}

// plus adds another sum so many times.
func (s Spent) plus(t Spent, times int) Spent {
	s.Requests += times * t.Requests
	s.PromptTokens += times * t.PromptTokens
	s.ReplyTokens += times * t.ReplyTokens
	s.Cost += float64(times) * t.Cost
	return s
}

// learn takes in how an endpoint counted a prompt, and how long a reply was.
func (m *meter) learn(ours, said, reply int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = true
	if ours > 0 {
		m.ratio = max(m.ratio, float64(said)/float64(ours))
	}
	m.longest = max(m.longest, reply)
}

// use counts tokens.
func (m *meter) use(model string, prompt, reply int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent.PromptTokens += prompt
	m.spent.ReplyTokens += reply
	if cost, ok := m.prices.Of(model, prompt, reply); ok {
		m.spent.Cost += cost
	}
}

// recall counts a request of an earlier session.
func (m *meter) recall(model string, prompt, reply int) {
	m.mu.Lock()
	m.spent.Requests++
	m.mu.Unlock()
	m.use(model, prompt, reply)
}

func (m *meter) now() Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

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

// The time between requests doubles with a 429, from the first to the last or to what the
// endpoint asked for, and every success takes a tenth of it back.
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
// beyond the number given to Wait.
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

// Refused records a 429, with the wait that the endpoint asked for. Within the pause that
// follows, requests are refused that were sent before: these slow nothing down.
func (p *Pace) Refused(after time.Duration) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, last := p.clock.Now(), lastSlow
	if after > 0 {
		last = min(after, last)
	}
	if !now.Before(p.pause) {
		p.slow = min(max(2*p.slow, firstSlow), last)
	}
	if until := now.Add(max(after, p.slow)); until.After(p.pause) {
		p.pause = until
	}
}
