package score

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"unique"

	"replanbench/corpora"
	"replanbench/harness"
)

// retryIndex holds the recorded retries by the hash of their first attempt's
// id. It is all that scoring keeps of a corpus, so it is kept small.
type retryIndex map[uint64]*retries

type retries struct {
	list []retry
	used atomic.Bool // the first attempt was met
}

type retry struct {
	attempt int
	group   string // key of its own group; equal ones share their bytes
	reply   harness.Reply
	prompt  int // tokens
	tokens  int // of the reply
}

// findRetries reads through the corpora for retries alone: lines without one
// are not decoded. A retry of a retry belongs to the first attempt of all.
func findRetries(ctx context.Context, sources []corpora.Source, o *Options) (retryIndex, error) {
	index, first, meter := retryIndex{}, map[uint64]uint64{}, newMeter(o)
	for _, source := range sources {
		for batch, err := range source.Batches() {
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			for _, line := range batch.Lines() {
				if !mentionsRetry(line) {
					continue
				}
				if !mayHold(o.Shard, line) {
					continue
				}
				r, err := corpora.Decode(line)
				if err != nil || !o.Shard.HoldsKey(together(&r)) || r.Failure != nil || r.RetryOf == "" || !o.wants(&r, source.Name) {
					continue // the second pass reports it
				}
				root := caseHash(r.RetryOf)
				if f, ok := first[root]; ok {
					root = f
				}
				first[caseHash(r.ID)] = root
				prompt, tokens := meter.tokens(&r)
				group := unique.Make(groupKey(o.group(&r, source.Name))).Value()
				index.add(root, retry{attempt: r.Attempt, group: group, reply: r.Reply, prompt: prompt, tokens: tokens})
			}
		}
	}
	for _, rs := range index {
		slices.SortStableFunc(rs.list, func(a, b retry) int { return a.attempt - b.attempt })
	}
	return index, nil
}

func (index retryIndex) add(root uint64, r retry) {
	if index[root] == nil {
		index[root] = &retries{}
	}
	index[root].list = append(index[root].list, r)
}

// groupKey is one text of the values of a group's keys.
func groupKey(values []string) string { return strings.Join(values, "\x00") }

// mentionsRetry reports whether a line may be a retry: whether it has the
// member retry_of with a string in it.
func mentionsRetry(line []byte) bool {
	for {
		_, after, ok := bytes.Cut(line, []byte(`"retry_of"`))
		if !ok {
			return false
		}
		if value := bytes.TrimLeft(after, " \t:"); len(value) > 1 && value[0] == '"' {
			return true
		}
		line = after
	}
}

// take returns the retries of a first attempt.
func (index retryIndex) take(id string) []retry {
	rs := index[caseHash(id)]
	if rs == nil {
		return nil
	}
	rs.used.Store(true)
	return rs.list
}

// unused returns the group keys of the retries whose first attempt was never
// met.
func (index retryIndex) unused() []string {
	var keys []string
	for _, rs := range index {
		if !rs.used.Load() {
			for _, r := range rs.list {
				keys = append(keys, r.group)
			}
		}
	}
	return keys
}
