package rules

import (
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// runStep begins the step, or takes the next reply for it. A step that ends
// leaves the wave; the others of the wave go on, whatever became of it.
func (m *machine) runStep(s *plan.Step) {
	if s.Status != plan.InProgress {
		s.Status, m.Rounds = plan.InProgress, 0
		m.happened(harness.TraceItem{Event: spec.EventPlanStepStart, Step: s.ID})
		m.tell("The step " + s.ID + " begins: " + s.Description)
		return
	}
	raw, ok := m.ask(s.ID, "Go on with the step "+s.ID+".")
	if !ok {
		return
	}
	a, r := readAction(raw, m.options, m.profile)
	if a.legacy {
		m.happened(harness.TraceItem{Event: spec.EventControlLegacy, Step: s.ID})
	}
	if r.Refusal == nil {
		m.accept(r.Repairs, r.Warnings)
	}
	switch reason := strictjson.Texts("reason", a.reason); {
	case a.control == stepDone:
		m.endWith(s, plan.Done, harness.TraceItem{Event: spec.EventStepDone, Step: s.ID, Data: reason})
	case a.control == replan:
		m.endWith(s, plan.Pending, harness.TraceItem{Event: spec.EventReplanAsked, Step: s.ID, Data: reason})
	case a.tool != "":
		if m.call(s, a) {
			m.countRound(s)
		}
	default:
		m.happened(harness.TraceItem{
			Event: spec.EventReplyInvalid, Step: s.ID, Code: r.Refusal.Code,
			Data: strictjson.Texts("message", r.Refusal.Message),
		})
		m.tell(refused(r.Refusal.Code, r.Refusal.Message) +
			"\nAnswer with a tool call or a control envelope, and nothing else.")
		m.countRound(s)
	}
}

// countRound counts a reply that did not end the step. When the limit is
// reached, the step has failed.
func (m *machine) countRound(s *plan.Step) {
	if m.Rounds++; m.Rounds >= m.rounds {
		m.endWith(s, plan.Failed, harness.TraceItem{Event: spec.EventStepFailed, Step: s.ID})
	}
}

// endWith takes the running step out of the wave, with the status that it gets.
func (m *machine) endWith(s *plan.Step, status plan.Status, e harness.TraceItem) {
	m.happened(e)
	m.Wave = m.Wave[1:]
	s.Status = status
	if status == plan.Done {
		m.schedule.done(s.ID)
	} else {
		m.Trouble = append(m.Trouble, s.ID)
	}
}

// call answers a tool call with the next scripted result. It reports whether the
// step goes on.
func (m *machine) call(s *plan.Step, a action) bool {
	if m.Tools == len(m.tools) {
		m.fail(harness.RepliesExhausted, "the tool "+a.tool+
			" was called and the case holds no further result; add one to tools")
		return false
	}
	t := m.tools[m.Tools]
	m.Tools++
	for path, hash := range t.writes {
		if m.Written == nil {
			m.Written = map[string]string{}
		}
		m.Written[path] = hash
	}
	answer, summarised := toolAnswer(a.tool, t, m.limits.MaxToolResultChars)
	m.happened(harness.TraceItem{Event: spec.EventToolCalled, Step: s.ID, Data: strictjson.Encode(&struct {
		Tool        string            `json:"tool"`
		OK          bool              `json:"ok"`
		Writes      map[string]string `json:"writes,omitzero"`
		Environment string            `json:"environment,omitzero"`
		Summarised  *bool             `json:"summarised,omitzero"`
	}{a.tool, t.ok, t.writes, t.environment, summarised})})
	m.tell(answer)
	for _, on := range t.happenings() {
		if m.mayReplanOn(on) {
			m.endWith(s, plan.Pending, triggered(s.ID, on))
			return false
		}
	}
	return true
}
