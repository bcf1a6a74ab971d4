package invariant

import (
	"bytes"
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// scratch is memory that a judge uses again for each case.
type scratch struct {
	docs    [10][]byte
	replies []harness.Reply
	limits  [6]int
	profile harness.Profile
	state   []byte
}

// remember copies the case, so that changes to it show.
func (s *scratch) remember(c *harness.Case) {
	for i, d := range documents(c) {
		s.docs[i] = append(s.docs[i][:0], d.json...)
	}
	s.replies = append(s.replies[:0], c.Replies...)
	s.limits = limits(c.Limits)
	if c.Profile != nil {
		s.profile = *c.Profile
		s.profile.Ladder = slices.Clone(c.Profile.Ladder)
	}
}

// document is a JSON member of a case.
type document struct {
	name string
	json []byte
}

func documents(c *harness.Case) [10]document {
	return [...]document{
		{"plan", c.Plan},
		{"results", c.Results},
		{"tools", c.Tools},
		{"verify", c.Verify},
		{"context", c.Context},
		{"files", c.Files},
		{"calls", c.Calls},
		{"messages", c.Messages},
		{"budget", c.Budget},
		{"policy", c.Policy},
	}
}

// limits reads the limits through their pointers; -1 stands for none.
func limits(l harness.Limits) [6]int {
	list := [6]int{-1, -1, -1, -1, -1, -1}
	for i, p := range []*int{l.MaxPlanSteps, l.MaxReplyBytes, l.MaxDepth, l.MaxStepToolCalls, l.MaxReplans, l.PlanningRetries} {
		if p != nil {
			list[i] = *p
		}
	}
	return list
}

// changed names the first member of the case that is not as remembered, and
// puts it back.
func (s *scratch) changed(c *harness.Case) string {
	for i, d := range documents(c) {
		if !bytes.Equal(s.docs[i], d.json) {
			copy(d.json, s.docs[i])
			return d.name
		}
	}
	switch {
	case !slices.Equal(s.replies, c.Replies):
		copy(c.Replies, s.replies)
		return "replies"
	case s.limits != limits(c.Limits):
		return "limits"
	case c.Profile != nil && !s.profile.Equal(*c.Profile):
		return "profile"
	}
	return ""
}

// lookup finds steps by id.
type lookup struct {
	steps []plan.Step
	index map[string]int // nil for few steps
}

// few is how many steps are searched faster one by one.
const few = 12

func (l *lookup) set(steps []plan.Step) {
	l.steps, l.index = steps, nil
	if len(steps) > few {
		l.index = make(map[string]int, len(steps))
		for i := range slices.Backward(steps) {
			l.index[steps[i].ID] = i
		}
	}
}

// at returns the place of the first step with that id, or -1.
func (l *lookup) at(id string) int {
	if l.index != nil {
		if i, ok := l.index[id]; ok {
			return i
		}
		return -1
	}
	for i := range l.steps {
		if l.steps[i].ID == id {
			return i
		}
	}
	return -1
}
