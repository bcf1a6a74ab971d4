package rules

import (
	"strconv"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/plan"
)

// Eval applies the replies of a case to its list, one after the other, under a
// profile. It changes neither, and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome {
	options, refusal := reply.NewOptions(c.Limits, p)
	if refusal != nil {
		return refusal.OutcomeOfReply()
	}
	before, err := plan.DecodeList(c.Plan)
	if err != nil {
		return harness.Refuse(harness.InvalidPlan, "the list is invalid: %s", err).OutcomeOfReply()
	}
	if len(c.Replies) == 0 {
		return harness.Refuse(harness.RepliesExhausted, "the case has no reply").OutcomeOfReply()
	}
	s := &session{
		options: options, settings: spec.SettingsOf(p), limit: c.Limits.MaxPlanSteps,
		before: spec.Items(before),
	}
	s.now = make([]kept, len(s.before))
	for i, item := range s.before {
		s.now[i] = kept{item, i}
	}
	for i, raw := range c.Replies {
		s.rewrite(raw, i+1)
	}
	return s.outcome()
}

// kept is an item of the list with its index in the case's; -1 is new.
type kept struct {
	spec.Item
	was int
}

// session is a list under one rewrite after the other.
type session struct {
	options  reply.Options
	settings spec.Settings
	limit    *int
	before   []spec.Item // the case's list
	now      []kept

	applied  bool
	tier     harness.Tier // of the last rewrite applied
	warnings harness.Notes
	repairs  harness.Notes
	last     harness.Outcome // what there is to say if nothing is applied
}

// rewrite reads and applies one reply.
func (s *session) rewrite(raw harness.Reply, number int) {
	text := reply.NewText(raw, s.options)
	defer text.Release()
	r := read(text, raw, s.options, s.settings)
	c := &change{settings: s.settings, limit: s.limit, old: s.now, doc: r.Doc}
	c.warnings.Warn(r.Warnings)
	refusal := r.Refusal
	if refusal == nil {
		refusal = c.apply()
	}
	if refusal != nil {
		var repairs harness.Notes
		repairs.Repair(r.Repairs)
		s.last = refusal.In(r.where(refusal.At)).OutcomeOfReply()
		s.last.Tier, s.last.Warnings, s.last.Repairs = r.Tier, c.warnings.Warnings(), repairs.Repairs()
		s.warnings.Add(spec.WarnReplyRefused, strconv.Itoa(number))
		return
	}
	s.applied, s.tier, s.now = true, r.Tier, c.list()
	s.warnings.Warn(c.warnings.Warnings())
	s.repairs.Repair(r.Repairs)
}

func (s *session) outcome() harness.Outcome {
	if !s.applied {
		return s.last
	}
	items, was := make([]spec.Item, len(s.now)), make([]int, len(s.now))
	for i, k := range s.now {
		items[i], was[i] = k.Item, k.was
	}
	return harness.Outcome{
		Verdict: harness.Applied, Plan: spec.Plan(items), Tier: s.tier, Meta: s.meta(),
		Warnings: s.warnings.Warnings(), Repairs: s.repairs.Repairs(),
		More: spec.Places(was),
	}
}

// meta compares the list with the case's.
func (s *session) meta() *harness.Meta {
	m := &harness.Meta{Removed: len(s.before), Dropped: []string{}}
	for _, k := range s.now {
		if k.was < 0 {
			m.Added++
			continue
		}
		m.Removed--
		if old := s.before[k.was]; old != k.Item {
			m.Updated++
			if spec.Normal(old.Content) != spec.Normal(k.Content) {
				m.Reworded++
			}
		}
	}
	return m
}
