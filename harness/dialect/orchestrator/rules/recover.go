package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/plan"
)

// mayReplanOn reports whether something leads to another plan by the profile, and a replan and a plan are left.
func (m *machine) mayReplanOn(what string) bool {
	return !m.ReAct && m.Replans < m.replans && spec.ReplansOn(m.profile, what)
}

func triggered(step, what string) harness.TraceItem {
	return harness.TraceItem{Event: spec.EventReplanTriggered, Step: step, Data: strictjson.Texts("on", what)}
}

// climb changes the plan by the fallback ladder. Failed steps that the change names wait again.
func (m *machine) climb() {
	origin := ""
	if len(m.Trouble) > 0 {
		origin = m.Trouble[0]
	}
	m.moreForPlan(origin)
	r := planpatch.Replan(m.Plan, m.limits, m.ladder(), m.replies[m.Replies:])
	if !m.converse(r, origin) {
		return
	}
	if r.Outcome.Verdict != harness.Applied {
		m.failReplan(r)
		return
	}
	m.accept(r.Outcome.Repairs, r.Outcome.Warnings)
	old, named := m.Plan, collect.Set(r.Named)
	m.GaveUp = m.GaveUp || r.Outcome.GaveUp
	switch {
	case r.Outcome.Rung != harness.RungReact:
		m.Plan = r.Outcome.Plan
	case !slices.ContainsFunc(old.Steps, func(s plan.Step) bool { return s.Status != plan.Done }):
		m.goOnWithoutPlan()
	default:
		for _, s := range old.Steps {
			named[s.ID] = s.Status == plan.Failed
		}
	}
	m.reopen(old, named)
	m.Trouble, m.schedule = nil, schedule{}
	m.enter(spec.StatePlanning)
}

// converse logs the ladder's questions and replies, and queues its events, for each reply after the events of its call.
// It reports false if a question does not fit the budget, which ends the run: its reply is not read.
func (m *machine) converse(r planpatch.Replanning, origin string) bool {
	question, last := askPatch(m.Plan), m.Replies+r.Read
	for _, e := range r.Outcome.Events {
		if spec.Consumes(e.Event) && m.Replies < last { // a rung may read the last reply again
			if !m.askLadder(question, origin) {
				return false
			}
			m.log.say(history.Assistant, string(m.replies[m.Replies]))
			m.Recent = nil
			m.Replies++
		}
		m.happened(harness.TraceItem{Event: e.Event, Step: origin, Code: e.Code, Data: eventData(e)})
		if e.Code != "" {
			question = refused(e.Code, e.Message) + "\n\n" + askAgain
		}
	}
	unanswered := r.Read == 0 && r.Outcome.Verdict != harness.Applied && !m.ReAct
	return !unanswered || m.askLadder(question, origin)
}

// askLadder puts a question of the ladder in the log, and reports whether it fits the budget.
func (m *machine) askLadder(question, origin string) bool {
	m.log.say(history.User, question)
	m.log.askPatch()
	return m.fits(origin)
}

// ladder is the profile to climb by. Without a plan to change, react is the only rung.
func (m *machine) ladder() harness.Profile {
	p := m.profile
	if m.ReAct {
		p.Ladder = slices.DeleteFunc(slices.Clone(p.Ladder), func(r harness.Rung) bool { return r != harness.RungReact })
	}
	return p
}

func (m *machine) failReplan(r planpatch.Replanning) {
	switch {
	case m.ReAct:
		m.fail(harness.ReplanFailed, "the run has no plan to change, and its ladder has no rung react")
	case r.Read == 0:
		m.fail(harness.RepliesExhausted, "the run requests another plan, but the case has no further reply; add one to replies")
	default:
		m.fail(harness.ReplanFailed, r.Outcome.Message)
	}
}

// reopen lets the named steps wait again if they had failed or were blocked in the old plan.
func (m *machine) reopen(old *plan.Plan, named map[string]bool) {
	before := plan.NewPlaces(old.Steps)
	for i := range m.Plan.Steps {
		s := &m.Plan.Steps[i]
		at := before.At(s.ID)
		if named[s.ID] && at >= 0 && (old.Steps[at].Status == plan.Failed || old.Steps[at].Status == plan.Blocked) {
			s.Status = plan.Pending
			m.happened(harness.TraceItem{Event: spec.EventStepReopened, Step: s.ID})
		}
	}
}

// eventData are the members of an event of the ladder beside its code.
func eventData(e harness.Event) []byte {
	if e.Meta == nil {
		return strictjson.Texts("reason", e.Reason, "message", e.Message)
	}
	return strictjson.Encode(&struct {
		Meta    *harness.Meta `json:"meta,omitzero"`
		Reason  string        `json:"reason,omitzero"`
		Message string        `json:"message,omitzero"`
	}{e.Meta, e.Reason, e.Message})
}
