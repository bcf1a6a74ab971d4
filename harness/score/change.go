package score

import (
	"context"
	"slices"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
)

// Change is a case whose first replies apply more often on one side, with a first reply of
// each side.
type Change struct {
	Key    []string `json:"key"`
	Case   string   `json:"case"`
	Gained bool     `json:"gained"` // it applies on the new side; else on the base side
	Base   Reply    `json:"base"`
	New    Reply    `json:"new"`
}

// Reply is a first reply with its outcome.
type Reply struct {
	Verdict harness.Verdict `json:"verdict"`
	Code    harness.Code    `json:"code,omitzero"`
	Message string          `json:"message,omitzero"`
	Text    string          `json:"text"` // its first 4,000 bytes
}

// maxReplyText limits the bytes of a reply's text in a change.
const maxReplyText = 4000

// Side is one side of a comparison: its corpora and the options of their scores.
type Side struct {
	Sources []corpora.Source
	Options Options
}

// Changes reads both sides of a comparison again and returns a reply of each side for the
// cases that apply_rate lost or gained. It prefers an applied reply on the better side and
// a rejected reply on the worse side. It leaves out documented replies.
func Changes(ctx context.Context, c *Comparison, base, now Side) ([]Change, error) {
	var list []Change
	for _, r := range c.Rows {
		if r.Metric != ApplyRate || r.Bare {
			continue
		}
		for _, name := range r.Flipped {
			list = append(list, Change{Key: r.Key, Case: name})
		}
		for _, name := range r.Risen {
			list = append(list, Change{Key: r.Key, Case: name, Gained: true})
		}
	}
	if list == nil {
		return nil, nil
	}
	if err := base.fill(ctx, list, func(x *Change) (*Reply, bool) { return &x.Base, !x.Gained }); err != nil {
		return nil, err
	}
	if err := now.fill(ctx, list, func(x *Change) (*Reply, bool) { return &x.New, x.Gained }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(x Change) bool { return x.Base.Verdict == "" || x.New.Verdict == "" }), nil
}

// fill finds the replies of one side. of returns the destination of a reply, and whether it
// should be an applied one.
func (s Side) fill(ctx context.Context, list []Change, of func(*Change) (reply *Reply, applied bool)) error {
	o := s.Options
	o.Counter, o.Policies, o.EveryCase = nil, nil, false
	o.cases = map[string]bool{}
	for _, x := range list {
		o.cases[x.Case] = true
	}
	o.Each = func(x Score, r *corpora.Record) error {
		for i := range list {
			c := &list[i]
			if x.Case != c.Case || !slices.Equal(s.key(x.Group, len(c.Key)), c.Key) || x.Verdict == "" {
				continue
			}
			reply, applied := of(c)
			if reply.Verdict == "" || (reply.Verdict == harness.Applied) != applied &&
				(x.Verdict == harness.Applied) == applied {
				*reply = Reply{x.Verdict, x.Code, x.Message, beginning(string(r.Reply))}
			}
		}
		return nil
	}
	_, err := Run(ctx, s.Sources, o)
	return err
}

// beginning returns the beginning of a text as valid UTF-8.
func beginning(text string) string {
	if len(text) > maxReplyText {
		text = text[:maxReplyText] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// key returns the key of a group in the form of the comparison: without the source, if it
// is an implicit key.
func (s Side) key(group []string, length int) []string { return group[:min(length, len(group))] }
