package live

import (
	"cmp"
	"context"
	"slices"

	"replanbench/corpora"
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
	// Unsent are cells whose first prompt the policy of the arm cannot make fit.
	Unsent int           `json:"unsent,omitzero"`
	Arms   []ArmEstimate `json:"arms,omitempty"`
}

// ArmEstimate is what an arm does to the first prompts of its cells.
type ArmEstimate struct {
	Policy string `json:"policy"`
	Budget int    `json:"budget"`
	Cells  int    `json:"cells"`
	Over   int    `json:"over"`   // cells whose whole prompt exceeds the budget
	Unsent int    `json:"unsent"` // cells whose prompt the policy cannot make fit
	Before int    `json:"tokens_before"`
	After  int    `json:"tokens_after"`
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
		sent, trimmed, refused := p.trim(c.arm, talk, o.Counter)
		e.arm(trimmed, refused != nil)
		if refused != nil {
			e.Unsent++
			continue
		}
		recorded, err := r.recorded(&c, sent, trimmed)
		if err != nil {
			return nil, err
		}
		prompt := countMessages(o.Counter, sent)
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

// arm counts a cell of an arm.
func (e *Estimate) arm(t *corpora.Trim, unsent bool) {
	if t == nil {
		return
	}
	i := slices.IndexFunc(e.Arms, func(a ArmEstimate) bool { return a.Policy == t.Policy && a.Budget == t.Budget })
	if i < 0 {
		i = len(e.Arms)
		e.Arms = append(e.Arms, ArmEstimate{Policy: t.Policy, Budget: t.Budget})
	}
	a := &e.Arms[i]
	a.Cells, a.Over, a.Unsent = a.Cells+1, a.Over+btoi(t.Before > t.Budget), a.Unsent+btoi(unsent)
	a.Before, a.After = a.Before+t.Before, a.After+t.After
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
func (r *runner) recorded(c *cell, sent []Message, t *corpora.Trim) (bool, error) {
	if r.options.Journal == nil {
		return false, nil
	}
	rec, err := r.plan.record(c, 1, "", sent, t)
	if err != nil {
		return false, err
	}
	found, ok, err := r.options.Journal.Find(keyOf(&rec))
	return ok && found.Failure == nil, err
}
