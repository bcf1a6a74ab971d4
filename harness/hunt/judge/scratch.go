package judge

import (
	"bytes"
	"slices"

	"replanbench/harness"
)

// scratch is memory that a judge uses again for each case.
type scratch struct {
	docs    [][]byte
	replies []harness.Reply
	limits  [7]int
	profile harness.Profile
	State   []byte
}

// remember copies the case, so that changes to it show.
func (s *scratch) remember(c *harness.Case) {
	i := 0
	for _, value := range c.Documents() {
		if i == len(s.docs) {
			s.docs = append(s.docs, nil)
		}
		s.docs[i] = append(s.docs[i][:0], value...)
		i++
	}
	s.docs = s.docs[:i]
	s.replies = append(s.replies[:0], c.Replies...)
	s.limits = limits(&c.Limits)
	if c.Profile != nil {
		ladder := append(s.profile.Ladder[:0], c.Profile.Ladder...)
		s.profile = *c.Profile
		s.profile.Ladder = ladder
	}
}

// limits reads the limits through their pointers; -1 means no limit.
func limits(l *harness.Limits) (list [7]int) {
	for i, limit := range l.All() {
		list[i] = -1
		if n := *limit.Value; n != nil {
			list[i] = *n
		}
	}
	return list
}

// changed names the first member of the case that is not as remembered, and
// puts it back.
func (s *scratch) changed(c *harness.Case) string {
	i := 0
	for name, value := range c.Documents() {
		if i == len(s.docs) || !bytes.Equal(s.docs[i], value) {
			if i < len(s.docs) {
				copy(value, s.docs[i])
			}
			return name
		}
		i++
	}
	switch {
	case !slices.Equal(s.replies, c.Replies):
		copy(c.Replies, s.replies)
		return "replies"
	case s.limits != limits(&c.Limits):
		return "limits"
	case c.Profile != nil && !s.profile.Equal(*c.Profile):
		return "profile"
	}
	return ""
}
