package score

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unique"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
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

// Request is a recorded request with what the tables count of it.
type Request struct {
	Record  corpora.Record  // the first attempt
	IDs     []string        // of the first attempt and its retries
	Case    harness.Case    // with all replies
	Outcome harness.Outcome // of all replies
	Score   Score
}

// Find returns the request that contains the reply with an id, scored as [Run] scores it. It
// returns nil if no reply has the id.
func Find(sources []corpora.Source, id string, p harness.Profile, c Counter) (*Request, error) {
	root, err := rootOf(sources, id)
	if err != nil {
		return nil, err
	}
	roots := map[string]string{}
	var list []corpora.Record
	for _, s := range sources {
		for r, err := range s.Records() {
			if err != nil || r.Failure != nil {
				continue // score without an id reports it
			}
			of := follow(roots, &r)
			switch {
			case r.ID == root && (len(list) == 0 || list[0].ID != root):
				list = slices.Insert(list, 0, r)
			case of == root && r.ID != root:
				list = append(list, r)
			}
		}
	}
	if len(list) == 0 || list[0].ID != root {
		return nil, nil
	}
	slices.SortStableFunc(list[1:], func(a, b corpora.Record) int { return cmp.Compare(a.Attempt, b.Attempt) })
	x := &Request{Record: list[0]}
	var retries []harness.Reply
	for i, r := range list {
		if x.IDs = append(x.IDs, r.ID); i > 0 {
			retries = append(retries, r.Reply)
		}
	}
	return x, x.score(retries, list[1:], p, c)
}

func (x *Request) score(replies []harness.Reply, retries []corpora.Record, p harness.Profile, c Counter) error {
	d := all.Find(x.Record.Dialect)
	if d == nil || d.Score == nil {
		return fmt.Errorf("replies of the dialect %q are not scored", x.Record.Dialect)
	}
	j := newJudge(p, newMeter(&Options{Counter: c}))
	x.Score = j.score(&x.Record, replies)
	for _, r := range retries {
		x.Score.call(j.meter.tokens(&r))
	}
	x.Case, _ = request(d, &x.Record, replies)
	x.Outcome = d.Score(x.Case, j.decode(d, x.Case.Plan), p).Last
	return nil
}

// rootOf returns the id of the first attempt of the request that contains a reply.
func rootOf(sources []corpora.Source, id string) (string, error) {
	roots := map[string]string{}
	for _, s := range sources {
		for batch, err := range s.Batches() {
			if err != nil {
				return "", err
			}
			for _, line := range batch.Lines() {
				if !mentionsRetry(line) {
					continue
				}
				if r, err := corpora.Decode(line); err == nil {
					follow(roots, &r)
				}
			}
		}
	}
	return cmp.Or(roots[id], id), nil
}

// follow returns the first attempt of a retry, "" for a first attempt. A retry of a retry
// belongs to the first attempt.
func follow(roots map[string]string, r *corpora.Record) string {
	if r.RetryOf == "" {
		return ""
	}
	root := cmp.Or(roots[r.RetryOf], r.RetryOf)
	roots[r.ID] = root
	return root
}
