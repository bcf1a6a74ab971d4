package score

import (
	"context"
	"slices"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
)

// Change is a case that was applied at first on one side more than on the other, with a
// first reply of each.
type Change struct {
	Key    []string `json:"key"`
	Case   string   `json:"case"`
	Gained bool     `json:"gained"` // it is applied now; else it was
	Base   Reply    `json:"base"`
	New    Reply    `json:"new"`
}

// Reply is a first reply and what came of it.
type Reply struct {
	Verdict harness.Verdict `json:"verdict"`
	Code    harness.Code    `json:"code,omitzero"`
	Message string          `json:"message,omitzero"`
	Text    string          `json:"text"` // its first 4,000 bytes
}

// maxReplyText bounds the text of a reply of a change.
const maxReplyText = 4000

// Side is one side of a comparison: the corpora that it was made of, and how they were
// scored.
type Side struct {
	Sources []corpora.Source
	Options Options
}

// Changes reads both sides of a comparison again, for the cases that its rows of
// apply_rate name as lost and gained, and returns a reply of each side: of several
// samples one that was applied, where that side was better, and one that was not, where
// it was worse. Documented replies change by hand alone, and are left out.
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

// fill finds the replies of one side; of says where one goes, and whether it is to be
// one that was applied.
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
			if reply.Verdict == "" || (reply.Verdict == harness.Applied) != applied && (x.Verdict == harness.Applied) == applied {
				*reply = Reply{x.Verdict, x.Code, x.Message, beginning(string(r.Reply))}
			}
		}
		return nil
	}
	_, err := Run(ctx, s.Sources, o)
	return err
}

// beginning is a text of bounded length that is UTF-8.
func beginning(text string) string {
	if len(text) > maxReplyText {
		text = text[:maxReplyText] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// key is the key of a group as the comparison has it: without the source of the replies
// where that was kept apart unasked.
func (s Side) key(group []string, length int) []string { return group[:min(length, len(group))] }
