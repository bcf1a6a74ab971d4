package live

import (
	"cmp"
	"errors"
	"slices"
)

// part is what the result of a shard leaves beside itself, so that those of all shards can
// be put together: where things were met first, and the latencies, of which quantiles are
// made.
type part struct {
	Failures  []countAt   `json:"failures,omitempty"`
	Skipped   []countAt   `json:"skipped,omitempty"`
	Answers   []countAt   `json:"answers,omitempty"`
	Latencies [][]float64 `json:"latencies"` // of each group

	tally *tally // while results are joined
}

func (t *tally) part() *part {
	p := &part{Failures: t.failures, Skipped: t.skipped, Answers: t.answers}
	for _, g := range t.groups {
		p.Latencies = append(p.Latencies, g.latencies)
	}
	return p
}

// Join adds the result of another shard to this one, which begins as the zero value.
// [Result.Conclude] must follow the last.
func (r *Result) Join(o *Result) error {
	if o.Part == nil || len(o.Part.Latencies) != len(o.Groups) {
		return errors.New("this result is not a shard, so it cannot be merged (run each part with --shard, or run all " +
			"cases once)")
	}
	if r.Part == nil {
		r.Part, r.Currency = &part{tally: newTally()}, o.Currency
	}
	t := r.Part.tally
	r.Cells, r.Whole, r.Failed, r.NotAsked = r.Cells+o.Cells, r.Whole+o.Whole, r.Failed+o.Failed, r.NotAsked+o.NotAsked
	r.Overflows, r.Replies = r.Overflows+o.Overflows, r.Replies+o.Replies
	r.Spent = Spent{
		Requests: r.Spent.Requests + o.Spent.Requests, PromptTokens: r.Spent.PromptTokens + o.Spent.PromptTokens,
		ReplyTokens: r.Spent.ReplyTokens + o.Spent.ReplyTokens, Cost: r.Spent.Cost + o.Spent.Cost,
	}
	r.Stopped = cmp.Or(r.Stopped, o.Stopped)
	tries := counts{}
	for _, x := range slices.Concat(r.Tries, o.Tries) {
		tries.join(countAt{Count: x})
	}
	r.Tries = nil
	for _, x := range tries {
		r.Tries = append(r.Tries, x.Count)
	}
	slices.SortFunc(r.Tries, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	for _, pair := range []struct {
		mine   *counts
		theirs []countAt
	}{{&t.failures, o.Part.Failures}, {&t.skipped, o.Part.Skipped}, {&t.answers, o.Part.Answers}} {
		for _, x := range pair.theirs {
			pair.mine.join(x)
		}
	}
	for i, g := range o.Groups {
		mine := t.group(g.Key)
		mine.Cells, mine.Replies, mine.Failed, mine.NotAsked = mine.Cells+g.Cells, mine.Replies+g.Replies,
			mine.Failed+g.Failed, mine.NotAsked+g.NotAsked
		mine.Prompt.join(g.Prompt)
		mine.Reply.join(g.Reply)
		mine.latencies = append(mine.latencies, o.Part.Latencies[i]...)
	}
	return nil
}

// Conclude makes the figures of what was joined; whole says that all shards were.
func (r *Result) Conclude(whole bool) {
	t := r.Part.tally
	t.conclude(r)
	if r.Part = t.part(); whole {
		r.Part = nil
	}
}

func (d *Drift) join(o Drift) {
	d.Replies, d.Said, d.Counted = d.Replies+o.Replies, d.Said+o.Said, d.Counted+o.Counted
}
