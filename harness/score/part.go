package score

import (
	"errors"
	"maps"
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/shard"
)

// part contains the counts of a shard, from which merging computes the scores of the whole
// run. It contains no replies. Its size grows with the groups and at most 4096 cases each.
type part struct {
	By       []string    `json:"by"` // always with the source
	Implied  bool        `json:"implied,omitzero"`
	Prices   Prices      `json:"prices,omitzero"`
	Problems []problemAt `json:"problems,omitempty"` // the first
	Tallies  []*tally    `json:"tallies"`
	// Overflow contains the tallies of trimmed prompts by degree of overflow.
	Overflow []*tally `json:"overflow,omitempty"`

	groups, overflows map[string]*tally // by key, while joining
}

// problemAt is a bad line with its position.
type problemAt struct {
	Text string `json:"text"`
	At   place  `json:"at"`
}

func (r *run) part() *part {
	return &part{
		By: slices.Clone(r.options.By), Implied: r.implied, Prices: r.options.Prices, Problems: r.problems,
		Tallies: inOrder(r.tallies), Overflow: inOrder(r.overflows),
	}
}

// inOrder returns tallies in the order of their keys.
func inOrder(tallies map[string]*tally) []*tally {
	return collect.Map(slices.Sorted(maps.Keys(tallies)), func(key string) *tally { return tallies[key] })
}

// shardKey returns the key that decides the shard of a record: the case or, for a retry
// without case and plan, the first attempt.
func shardKey(r *corpora.Record) string {
	if r.Case == "" && r.Plan == nil && r.RetryOf != "" {
		return r.RetryOf
	}
	return r.CaseKey()
}

// mayHold reports whether a line may belong to the shard. Most lines name their case near
// the beginning, so most lines of other shards need no decoding.
func mayHold(s shard.Shard, line []byte) bool {
	if s.Whole() {
		return true
	}
	name, ok := corpora.CaseOf(line)
	return !ok || s.HoldsKey(name)
}

// holds reports whether an entry belongs to the shard. Malformed lines without a case
// belong to the first shard.
func holds(s shard.Shard, e *corpora.Entry) bool {
	if e.Problem == nil {
		return s.HoldsKey(shardKey(&e.Record))
	}
	return s.First() || e.Named
}

// Join adds the scores of a shard. The first Join needs a zero Result, and
// [Result.Conclude] must follow the last.
func (r *Result) Join(o *Result) error {
	if o.Part == nil {
		return errors.New("they cover no shard, so they cannot be merged (score with --shard, or score all corpora in one " +
			"run)")
	}
	if r.Part == nil {
		r.Problems = []string{}
		r.Part = &part{
			By: o.Part.By, Implied: o.Part.Implied, Prices: o.Part.Prices, groups: map[string]*tally{},
			overflows: map[string]*tally{},
		}
	} else if !slices.Equal(r.Metrics, o.Metrics) || !slices.Equal(r.Corpora, o.Corpora) {
		return errors.New("they cover other corpora or metrics (merge shards of one run by one version)")
	}
	shard.Join(r, *o)
	r.Damaged = corpora.AddDamaged(r.Damaged, o.Damaged...)
	r.Part.Problems = earliest(append(r.Part.Problems, o.Part.Problems...), maxProblems,
		func(p problemAt) place { return p.At })
	for _, t := range slices.Concat(o.Part.Tallies, o.Part.Overflow) {
		t.align(o.Metrics)
	}
	joinTallies(r.Part.groups, o.Part.Tallies)
	joinTallies(r.Part.overflows, o.Part.Overflow)
	return nil
}

// align orders the counts of each case as the metrics of this version. A shard of another
// version may lack some: its requests then count as not asked.
func (t *tally) align(metrics []string) {
	present := harness.Names(Metrics())
	for hash, c := range t.Cases {
		if len(c) == len(present) && slices.Equal(metrics, present) {
			continue
		}
		list := make(counts, len(present))
		for i, name := range metrics[:min(len(metrics), len(c))] {
			if at := slices.Index(present, name); at >= 0 {
				list[at] = c[i]
			}
		}
		t.Cases[hash] = list
	}
}

// Conclude computes the groups after the last Join; whole says that no shard is missing.
func (r *Result) Conclude(whole bool) {
	p := r.Part
	r.Metrics = harness.Names(Metrics())
	p.Tallies, p.Overflow = inOrder(p.groups), inOrder(p.overflows)
	r.By = slices.Clone(p.By)
	r.makeGroups(p.Tallies, &Options{By: r.By, Prices: p.Prices}, p.Implied)
	r.makeOverflow(p.Overflow, p.By)
	for _, x := range p.Problems {
		r.Problems = append(r.Problems, x.Text)
	}
	if whole {
		r.Part = nil
	}
}

// earliest returns the n items with the lowest positions, in order.
func earliest[T any](list []T, n int, at func(T) place) []T {
	slices.SortFunc(list, func(a, b T) int { return int(int64(at(a)) - int64(at(b))) })
	return list[:min(n, len(list))]
}

// merge adds the requests of another shard, which have other cases.
func (t *tally) merge(o *tally) {
	shard.Join(t, *o)
	t.Listed = earliest(append(t.Listed, o.Listed...), maxListed, func(l listedAt) place { return l.At })
	if o.Heaped && !t.Heaped {
		t.heap()
	}
	t.addCases(o.Cases)
	if !t.Heaped {
		maps.Copy(t.Names, o.Names)
	}
}
