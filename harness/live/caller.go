package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness/document/collect"
	"replanbench/harness/score/tokens"
)

// Retry says how failures are retried.
type Retry struct {
	Tries int // of one request, the first included
	Base  time.Duration
	Most  time.Duration // between two tries
	// MostAfter is how long an endpoint may ask to wait. Where it asks for
	// more, the request is given up.
	MostAfter time.Duration
	// Jitter gives numbers from 0 to below 1. It may be called by several
	// goroutines.
	Jitter func() float64
}

// DefaultRetry tries five times, with 1, 2, 4 and 8 seconds between, each
// shortened by up to a half at random.
func DefaultRetry(jitter func() float64) Retry {
	return Retry{Tries: 5, Base: time.Second, Most: time.Minute, MostAfter: 5 * time.Minute, Jitter: jitter}
}

// backoff is the wait before try number n, counted from 2.
func (r Retry) backoff(n int, f *Failure) time.Duration {
	d := r.Most
	if shift := n - 2; shift < 20 {
		d = min(r.Base<<shift, r.Most)
	}
	d -= time.Duration(r.Jitter() * float64(d) / 2)
	return max(d, f.After)
}

// Caller makes requests, with retries, paces and limits. It is for concurrent use.
type Caller struct {
	home    Route
	routes  map[string]Route // by model
	clock   Clock
	retry   Retry
	meter   *meter
	counter tokens.Tokenizer
	patient bool // false in replay: then nothing waits

	mu       sync.Mutex
	classes  map[Class]int       // failures of single tries
	hopeless map[string]*Failure // by model
	silent   map[string]int      // by model: requests that failed after all tries before any answer, or -1
}

// mostSilent is how many requests to a model fail after all tries before the run gives the model up,
// if it has never answered. A wrong address or port then costs seconds, not hours.
const mostSilent = 8

// NewCaller returns a caller; a reply has at most so many tokens, 0 is not known. Of the
// options it needs Client or Routes, Counter, Prices, Limits, Clock, Pace, Retry and Replay.
func NewCaller(o Options, replyTokens int) *Caller {
	return &Caller{
		home: Route{Client: o.Client, Pace: o.Pace}, routes: o.Routes, clock: o.Clock, retry: o.Retry, counter: o.Counter,
		patient: !o.Replay,
		meter:   newMeter(o.Limits, o.Prices, replyTokens), classes: map[Class]int{}, hopeless: map[string]*Failure{},
		silent: map[string]int{},
	}
}

// Ask makes a request, again if need be. The error is a [*Failure], [*Stopped] where a
// limit was met, or the context's.
func (c *Caller) Ask(ctx context.Context, r Request) (Answer, error) {
	a, _, err := c.ask(ctx, r)
	if u := (*useless)(nil); errors.As(err, &u) {
		err = u.Failure
	}
	return a, err
}

// Route says where a model is asked.
type Route struct {
	Client *Client
	Pace   *Pace  // nil: none, as in replay
	Model  string // as the endpoint calls it; "" is as in the plan
}

func (c *Caller) route(model string) Route {
	if r, ok := c.routes[model]; ok {
		return r
	}
	return c.home
}

// useless is a request that was not made, since an earlier one to the model
// showed that it could not succeed.
type useless struct{ *Failure }

// ask makes a request, again if need be. failed are the tries that failed. The
// error is a *Failure, the last of these, or *useless, *Stopped, or the
// context's.
func (c *Caller) ask(ctx context.Context, r Request) (a Answer, failed []*Failure, err error) {
	prompt := countMessages(c.counter, r.Messages)
	for try := 1; ; try++ {
		if f := c.known(r.Model); f != nil {
			return a, failed, &useless{f}
		}
		if err := c.route(r.Model).Pace.Wait(ctx, prompt); err != nil {
			return a, failed, err
		}
		a, err = c.try(ctx, r, prompt)
		if err == nil {
			return a, failed, nil
		}
		var f *Failure
		if !errors.As(err, &f) {
			return a, failed, err
		}
		failed = append(failed, f)
		if !f.Class.trait().retry || try >= c.retry.Tries || f.After > c.retry.MostAfter {
			c.gaveUp(r.Model, f)
			return a, failed, f
		}
		if c.patient {
			if err := c.clock.Sleep(ctx, c.retry.backoff(try+1, f)); err != nil {
				return a, failed, err
			}
		}
	}
}

// try makes a request once, and counts what it takes.
func (c *Caller) try(ctx context.Context, r Request, prompt int) (Answer, error) {
	end, err := c.meter.admit(ctx, r.Model, prompt)
	if err != nil {
		return Answer{}, err
	}
	defer end()
	to := c.route(r.Model)
	out := r
	out.Model = cmp.Or(to.Model, r.Model)
	a, err := to.Client.Ask(ctx, out)
	var f *Failure
	switch {
	case err == nil:
		c.answered(r, &a, prompt)
	case errors.As(err, &f):
		c.failed(r, f, prompt)
	}
	return a, err
}

// recall counts what an earlier session used for a request.
func (c *Caller) recall(rec *corpora.Record) {
	var talk []Message
	prompt := 0
	if json.Unmarshal(rec.Messages, &talk) == nil {
		prompt = countMessages(c.counter, talk)
	}
	for _, name := range rec.FailedTries {
		class := Class(name)
		c.classes[class]++
		c.meter.recall(rec.Model, prompt*collect.One(class.trait().spent), 0)
	}
	switch {
	case rec.Failure != nil:
	case rec.Usage != nil:
		c.meter.recall(rec.Model, rec.Usage.PromptTokens, rec.Usage.CompletionTokens)
		c.meter.learn(prompt, rec.Usage.PromptTokens, rec.Usage.CompletionTokens)
	default:
		c.meter.recall(rec.Model, prompt, c.counter.Count(string(rec.Reply)))
	}
}

// answered counts the tokens of an answer: as the endpoint said or, where it did
// not, as we count.
func (c *Caller) answered(r Request, a *Answer, prompt int) {
	used, reply := a.PromptTokens, a.ReplyTokens
	if used < 0 {
		used, reply = prompt, c.counter.Count(a.Text)
	}
	c.mu.Lock()
	c.silent[r.Model] = -1
	c.mu.Unlock()
	c.meter.use(r.Model, used, reply)
	c.meter.learn(prompt, used, reply)
	c.route(r.Model).Pace.Succeeded(used + reply - prompt)
}

func (c *Caller) failed(r Request, f *Failure, prompt int) {
	t := f.Class.trait()
	if t.spent {
		c.meter.use(r.Model, prompt, 0)
	}
	tooLong := f.After > c.retry.MostAfter
	if tooLong {
		f.Message += fmt.Sprintf(" (the endpoint requests a wait of %v, more than the limit of %v: continue later with "+
			"--resume)", f.After, c.retry.MostAfter)
	}
	if f.Class == RateLimit && !tooLong {
		c.route(r.Model).Pace.Refused(f.After)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.classes[f.Class]++
	if t.hopeless || tooLong {
		c.hopeless[r.Model] = f
	}
}

// gaveUp counts a request that failed after all tries, until the model has answered one.
func (c *Caller) gaveUp(model string, f *Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent[model] < 0 || !c.patient || !f.Class.trait().retry {
		return
	}
	if c.silent[model]++; c.silent[model] == mostSilent {
		c.hopeless[model] = f
	}
}

// known returns the failure that makes every request to a model useless.
func (c *Caller) known(model string) *Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hopeless[model]
}

func (c *Caller) tried() map[Class]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.classes)
}

// countMessages is our own count of a prompt's tokens: the tokens of its contents.
// What a chat template adds is the endpoint's affair, and shows as drift.
func countMessages(t tokens.Tokenizer, list []Message) int {
	n := 0
	for _, m := range list {
		n += t.Count(m.Content)
	}
	return n
}
