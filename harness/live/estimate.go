package live

import (
	"cmp"
	"context"
	"slices"

	"replanbench/corpora"
	"replanbench/harness/document/collect"
)

// assumedReply is how many tokens a reply is taken to have where no limit is
// set.
const assumedReply = 400

// Estimate is what a run would take: at least, where the next reply ends every case,
// and at most, where every rung of the ladder asks, or a session makes all the requests
// that it may. Each prompt is assumed to be as long as the first, and each reply as long
// as the recorded ones are on average, or else as its limit.
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
	r := &runner{plan: p, options: o, recordedOnly: true}
	if err := r.render(ctx); err != nil {
		return nil, err
	}
	e := &Estimate{Cells: p.Cells(), Reply: cmp.Or(p.Params.ReplyTokens, assumedReply), Currency: o.Prices.Currency}
	var open []openCell
	var said, replies int
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
		have, over, err := r.recorded(ctx, c)
		if err != nil {
			return nil, err
		}
		e.Recorded += collect.One(len(have) > 0)
		for _, n := range have {
			said, replies = said+n, replies+1
		}
		if !over {
			open = append(open, openCell{c, countMessages(o.Counter, sent), len(have)})
		}
	}
	if replies > 0 {
		e.Reply = said / replies
	}
	for _, c := range open {
		round := func(before int) Spent { // it sends all that was said before
			return Spent{Requests: 1, PromptTokens: c.prompt + before*(e.Reply+c.prompt), ReplyTokens: e.Reply}
		}
		most := Spent{}
		for before := c.have; before < max(c.have+1, p.requests(c.cell.c)); before++ {
			most = most.plus(round(before), 1)
		}
		e.add(c.cell.model, o, round(c.have), most)
	}
	return e, nil
}

// openCell is a cell that needs requests: the tokens of its prompt, and its recorded replies.
type openCell struct {
	cell         cell
	prompt, have int
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
	a.Cells, a.Over, a.Unsent = a.Cells+1, a.Over+collect.One(t.Before > t.Budget), a.Unsent+collect.One(unsent)
	a.Before, a.After = a.Before+t.Before, a.After+t.After
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

// requests is how many requests a case may take.
func (p *Plan) requests(c *Case) int {
	if p.Dialect.Session == nil {
		return len(p.asking())
	}
	most := maxAttempts - 1
	if limit := c.Limits.MaxPlanSteps; limit != nil {
		most = min(most, p.Dialect.MaxReplies(c.Limits, p.Profile, max(*limit, c.steps)))
	}
	return most
}

// recorded returns the tokens of the replies of a cell that are in the journal, and reports
// whether they end its case.
func (r *runner) recorded(ctx context.Context, c cell) (replies []int, over bool, err error) {
	if r.options.Journal == nil {
		return nil, false, nil
	}
	res := &cellResult{cell: c}
	err = r.converse(ctx, res)
	for _, n := range res.counts {
		if n.reply < 0 {
			n.reply = n.ourReply
		}
		replies = append(replies, n.reply)
	}
	return replies, res.skipped == "", err
}
