package live

import (
	"errors"

	"replanbench/harness/hunt/shard"
)

// part is what the result of a shard leaves beside itself, so that those of all shards can
// be put together: where things were met first, and the latencies, of which quantiles are
// made.
type part struct {
	metCounts
	Latencies [][]float64 `json:"latencies"` // of each group

	tally *tally // while results are joined
}

func (t *tally) part() *part {
	p := &part{metCounts: t.metCounts}
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
		r.Part = &part{tally: &tally{}}
	}
	t := r.Part.tally
	shard.Join(r, *o)
	shard.Join(&t.metCounts, o.Part.metCounts)
	for i, g := range o.Groups {
		mine := t.group(g.Key)
		shard.Join(&mine.Group, g)
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
