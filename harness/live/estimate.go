package live

import (
	"cmp"
	"context"
)

// assumedReply is how many tokens a reply is taken to have where no limit is
// set.
const assumedReply = 400

// Estimate is what a run would take: at least, where every first reply can be
// applied, and at most, where every rung of the ladder asks, by a prompt as
// long as the first. Replies are taken to be as long as they may be.
type Estimate struct {
	Cells    int   `json:"cells"`
	Recorded int   `json:"recorded"` // first replies that are there already
	Least    Spent `json:"least"`
	Most     Spent `json:"most"`
	// Reply is how many tokens a reply was taken to have.
	Reply    int    `json:"reply_tokens_assumed"`
	Currency string `json:"currency,omitzero"`
	Unpriced int    `json:"unpriced,omitzero"` // cells of models without a price
}

// Estimate says what a run would take, without asking anything.
func (p Plan) Estimate(ctx context.Context, o Options) (*Estimate, error) {
	r := &runner{plan: p, options: o}
	if err := r.render(ctx); err != nil {
		return nil, err
	}
	e := &Estimate{Cells: p.Cells(), Reply: cmp.Or(p.Params.ReplyTokens, assumedReply), Currency: o.Prices.Currency}
	rungs := len(p.asking())
	for c, err := range p.cells(0, p.Cases.N) {
		if err != nil {
			return nil, err
		}
		talk, err := r.opening(ctx, &c)
		if err != nil {
			return nil, err
		}
		recorded, err := r.recorded(&c, talk)
		if err != nil {
			return nil, err
		}
		prompt := countMessages(o.Counter, talk)
		all := 0
		for before := range rungs { // each rung sends all that was said before
			all += prompt + before*(e.Reply+prompt)
		}
		least := Spent{Requests: 1, PromptTokens: prompt, ReplyTokens: e.Reply}
		if recorded {
			e.Recorded++
			least = Spent{}
			all -= prompt
		}
		e.add(c.model, o, least, Spent{Requests: rungs - btoi(recorded), PromptTokens: all, ReplyTokens: (rungs - btoi(recorded)) * e.Reply})
	}
	return e, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *Estimate) add(model string, o Options, least, most Spent) {
	var priced bool
	for _, s := range []*Spent{&least, &most} {
		s.Cost, priced = o.Prices.Of(model, s.PromptTokens, s.ReplyTokens)
	}
	if !priced && o.Prices.Models != nil {
		e.Unpriced++
	}
	e.Least, e.Most = e.Least.plus(least, 1), e.Most.plus(most, 1)
}

// recorded reports whether the first reply of a cell is there already.
func (r *runner) recorded(c *cell, talk []Message) (bool, error) {
	if r.options.Journal == nil {
		return false, nil
	}
	rec, err := r.plan.record(c, 1, "", talk)
	if err != nil {
		return false, err
	}
	found, ok, err := r.options.Journal.Find(keyOf(&rec))
	return ok && found.Failure == nil, err
}
