package score

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

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
