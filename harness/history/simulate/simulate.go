// Package simulate trims many histories by the policies of the reference, and
// counts what each keeps and loses.
package simulate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/history/sequence"
	"replanbench/harness/hunt/shard"
)

// Rate is how many of how many.
type Rate struct {
	K int `json:"k"`
	N int `json:"n"`
}

func (r *Rate) add(hit bool) {
	r.N++
	if hit {
		r.K++
	}
}

// Tally is what one policy did to many histories. Histories that it refused
// with cannot_fit count in OverBefore, OverAfter and CannotFit alone: nothing of them is
// sent.
// It has a field for each count of the report.
type Tally struct {
	Policy       string `json:"policy"`
	Histories    int    `json:"histories"`
	OverBefore   Rate   `json:"over_before"`
	OverAfter    Rate   `json:"over_after"`
	CannotFit    Rate   `json:"cannot_fit"`
	TokensBefore int    `json:"tokens_before"`
	TokensAfter  int    `json:"tokens_after"`
	// Survival: of the histories that had them, those that have them whole.
	Constraints Rate `json:"constraints"`
	Plan        Rate `json:"plan"`
	LastUser    Rate `json:"last_user"`
	// New faults: of the histories that had none, those that have one now.
	Alternation Rate `json:"alternation"`
	Orphans     Rate `json:"orphans"`
	// Safe: fits, has all that it had of constraints, plan and last user
	// message, and no new orphan.
	Safe   Rate   `json:"safe"`
	Losses []Loss `json:"losses" join:"sorted=Tag"` // by tag, in the order of the tags
	// Broken is how many histories came out other than the policy claims.
	Broken      int `json:"broken"`
	FirstBroken int `json:"first_broken" join:"min"` // the first of them; -1 if none

	Time time.Duration `json:"-"` // spent trimming, without counting the input
}

// Loss is what was cut from the messages of one tag.
type Loss struct {
	Tag          string `json:"tag"` // "" for untagged messages
	Messages     int    `json:"messages"`
	Dropped      int    `json:"dropped"`
	Cut          int    `json:"cut"`
	TokensBefore int    `json:"tokens_before"`
	TokensAfter  int    `json:"tokens_after"`
}

// Sample is a history with the budget that it has to meet.
type Sample struct {
	History   *history.Counted
	MaxTokens int
}

// Options say how to simulate. Only Trim is needed: the rest is one
// goroutine and no clock.
type Options struct {
	Trim    history.Trimmer
	Workers int
	Clock   func() time.Time // measures the time spent trimming; nil: not measured
	Shard   shard.Shard      // the part of the histories to trim
}

// Run trims n histories by every policy and counts what was kept and
// lost. It asks for each sample once, from as many goroutines as there are
// workers; the counts do not depend on how many. When ctx ends, what was not
// begun is not counted: each tally says of how many histories it is.
func Run(ctx context.Context, policies []history.Policy, n int, sample func(i int) Sample, o Options) []Tally {
	mine := o.Shard.Size(n)
	workers := max(1, min(o.Workers, mine))
	parts := make([][]Tally, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			parts[w] = newTallies(policies)
			for k := w; k < mine && ctx.Err() == nil; k += workers {
				i := o.Shard.At(k)
				examine(parts[w], policies, i, sample(i), o)
			}
		})
	}
	group.Wait()
	for _, part := range parts[1:] {
		for p := range policies {
			shard.Join(&parts[0][p], part[p])
		}
	}
	return parts[0]
}

// NewTally is a policy's tally of no history.
func NewTally(p history.Policy) Tally {
	return Tally{Policy: p.String(), FirstBroken: -1, Losses: []Loss{}}
}

func newTallies(policies []history.Policy) []Tally {
	return collect.Map(policies, NewTally)
}

// traits are what a history has that trimming may spoil.
type traits struct {
	alternates  bool
	orphans     int
	constraints []string
	plan        []string
	lastUser    []string
}

func newTraits(messages []history.Message) traits {
	t := traits{alternates: len(sequence.AlternationErrors(sequence.Normalize(messages))) == 0, orphans: orphans(messages)}
	for _, m := range messages {
		switch m.Tag {
		case history.TagConstraints:
			t.constraints = append(t.constraints, m.Content)
		case history.TagPlan:
			t.plan = append(t.plan, m.Content)
		}
		if m.Role == history.User {
			t.lastUser = []string{m.Content}
		}
	}
	return t
}

func orphans(messages []history.Message) int {
	results, calls := sequence.Orphans(messages)
	return len(results) + len(calls)
}

func examine(tallies []Tally, policies []history.Policy, i int, s Sample, o Options) {
	before := newTraits(s.History.Messages)
	for p := range policies {
		t := &tallies[p]
		var start time.Time
		if o.Clock != nil {
			start = o.Clock()
		}
		r, err := o.Trim(policies[p], s.History, s.MaxTokens)
		if o.Clock != nil {
			t.Time += o.Clock().Sub(start)
		}
		t.add(policies[p].Claims(), i, s, before, r, err)
	}
}

// add counts what became of history i.
func (t *Tally) add(claims history.Claims, i int, s Sample, before traits, r *history.Result, err error) {
	t.Histories++
	t.OverBefore.add(s.History.Total > s.MaxTokens)
	t.CannotFit.add(err != nil)
	if err != nil {
		t.OverAfter.add(true)
		t.Safe.add(false)
		return
	}
	fits := r.After <= s.MaxTokens
	t.OverAfter.add(!fits)
	t.TokensBefore += r.Before
	t.TokensAfter += r.After
	kept := surviving(&t.Constraints, before.constraints, r.Messages)
	kept = surviving(&t.Plan, before.plan, r.Messages) && kept
	kept = surviving(&t.LastUser, before.lastUser, r.Messages) && kept
	paired := orphans(r.Messages) <= before.orphans
	if before.orphans == 0 {
		t.Orphans.add(!paired)
	}
	alternates := !before.alternates || len(sequence.AlternationErrors(sequence.Normalize(r.Messages))) == 0
	if before.alternates {
		t.Alternation.add(!alternates)
	}
	t.Safe.add(fits && kept && paired)
	if claims.Fits && !fits || claims.Pairs && !paired || claims.Alternates && !alternates || claims.Protects && !kept {
		if t.Broken++; t.FirstBroken < 0 { // the histories of a worker come in their order
			t.FirstBroken = i
		}
	}
	for _, f := range r.Fates {
		t.lose(f)
	}
}

// surviving counts whether every text is still complete in some message.
func surviving(r *Rate, texts []string, messages []history.Message) bool {
	for _, text := range texts {
		if !slices.ContainsFunc(messages, func(m history.Message) bool { return strings.Contains(m.Content, text) }) {
			r.add(false)
			return false
		}
	}
	if texts != nil {
		r.add(true)
	}
	return true
}

func (t *Tally) lose(f history.Fate) {
	l := t.loss(f.Tag)
	l.Messages++
	l.TokensBefore += f.Before
	l.TokensAfter += f.After
	switch f.Action {
	case history.WasDropped:
		l.Dropped++
	case history.WasCut:
		l.Cut++
	}
}

// loss finds the tag's entry or makes it.
func (t *Tally) loss(tag string) *Loss {
	i, ok := slices.BinarySearchFunc(t.Losses, tag, func(l Loss, tag string) int { return cmp.Compare(l.Tag, tag) })
	if !ok {
		t.Losses = slices.Insert(t.Losses, i, Loss{Tag: tag})
	}
	return &t.Losses[i]
}
