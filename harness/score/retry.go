package score

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"unique"

	"replanbench/corpora"
	"replanbench/harness"
)

// retryIndex contains the recorded retries by the hash of their first attempt's id. It is
// the only part of a corpus that stays in memory, so a shelf stores the texts.
type retryIndex struct {
	list  []retry       // sorted by root, then by order
	met   []atomic.Bool // at the first retry of each root: its first attempt exists
	texts shelf
}

type retry struct {
	root    uint64
	attempt int
	group   unique.Handle[string] // key of the retry's own group
	at      int64                 // position of its reply on the shelf
	length  int32
	prompt  int // tokens
	tokens  int // of the reply
}

// findRetries reads the retries in the corpora. It does not decode other lines. A retry of
// a retry belongs to the original first attempt.
func findRetries(ctx context.Context, sources []corpora.Source, o *Options) (*retryIndex, error) {
	index := &retryIndex{}
	if err := index.fill(ctx, sources, o); err != nil {
		return nil, errors.Join(err, index.close())
	}
	slices.SortStableFunc(index.list, func(a, b retry) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.attempt, b.attempt))
	})
	index.met = make([]atomic.Bool, len(index.list))
	return index, nil
}

func (index *retryIndex) fill(ctx context.Context, sources []corpora.Source, o *Options) error {
	first, meter := map[uint64]uint64{}, newMeter(o)
	for _, source := range sources {
		for batch, err := range source.Batches() {
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			for _, line := range batch.Lines() {
				if !mentionsRetry(line) {
					continue
				}
				if !mayHold(o.Shard, line) {
					continue
				}
				r, err := corpora.Decode(line)
				if err != nil || !o.Shard.HoldsKey(shardKey(&r)) || r.Failure != nil || r.RetryOf == "" ||
					!o.wants(&r, source.Name) {
					continue // the second pass reports it
				}
				root := caseHash(r.RetryOf)
				if f, ok := first[root]; ok {
					root = f
				}
				first[caseHash(r.ID)] = root
				prompt, tokens := meter.tokens(&r)
				at, err := index.texts.put(string(r.Reply))
				if err != nil {
					return err
				}
				index.list = append(index.list, retry{
					root: root, attempt: r.Attempt, group: unique.Make(groupKey(o.group(&r, source.Name))),
					at: at, length: int32(len(r.Reply)), prompt: prompt, tokens: tokens,
				})
			}
		}
	}
	return nil
}

// groupKey joins the values of a group's keys.
func groupKey(values []string) string { return strings.Join(values, "\x00") }

// mentionsRetry reports whether a line may be a retry: it contains the member retry_of
// with a string.
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

// take returns the retries of a first attempt, and their replies.
func (index *retryIndex) take(id string) ([]retry, []harness.Reply, error) {
	if index == nil {
		return nil, nil, nil
	}
	root := caseHash(id)
	from, found := slices.BinarySearchFunc(index.list, root,
		func(r retry, root uint64) int { return cmp.Compare(r.root, root) })
	if !found {
		return nil, nil, nil
	}
	index.met[from].Store(true)
	var replies []harness.Reply
	to := from
	for ; to < len(index.list) && index.list[to].root == root; to++ {
		text, err := index.texts.get(index.list[to].at, int(index.list[to].length))
		if err != nil {
			return nil, nil, err
		}
		replies = append(replies, harness.Reply(text))
	}
	return index.list[from:to], replies, nil
}

// unused returns the group keys of the retries without a first attempt in the corpora.
func (index *retryIndex) unused() (keys []string) {
	if index == nil {
		return nil
	}
	met := false
	for i, r := range index.list {
		if i == 0 || r.root != index.list[i-1].root {
			met = index.met[i].Load()
		}
		if !met {
			keys = append(keys, r.group.Value())
		}
	}
	return keys
}

// close removes the shelf.
func (index *retryIndex) close() error {
	if index == nil {
		return nil
	}
	return index.texts.close()
}
