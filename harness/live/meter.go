package live

import (
	"fmt"
	"sync"

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

// Stopped is the error of a run that met one of its limits.
type Stopped struct{ Limit string }

func (s *Stopped) Error() string {
	return s.Limit + " is reached (raise it, and go on with --resume)"
}

// meter counts what is used and holds it against the limits. What is under way
// is not counted yet: a run ends above its tokens by no more than that.
type meter struct {
	limits Limits
	prices score.Prices

	mu    sync.Mutex
	spent Spent
}

// admit counts one request, or refuses it.
func (m *meter) admit() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, s := m.limits, m.spent
	switch {
	case l.Requests > 0 && s.Requests >= l.Requests:
		return &Stopped{fmt.Sprintf("the limit of %d requests", l.Requests)}
	case l.Tokens > 0 && s.PromptTokens+s.ReplyTokens >= l.Tokens:
		return &Stopped{fmt.Sprintf("the limit of %d tokens", l.Tokens)}
	case l.Cost > 0 && s.Cost >= l.Cost:
		return &Stopped{fmt.Sprintf("the limit of %g %s", l.Cost, m.prices.Currency)}
	}
	m.spent.Requests++
	return nil
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
