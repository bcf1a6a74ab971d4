package rules

import (
	"slices"

	"replanbench/harness"
	planpatch "replanbench/harness/dialect/planpatch/rules"
)

// Session is [Eval] with replies that come as the run asks for them. The outcome is
// what Eval returns with all of these replies in the case.
func Session(c harness.Case, p harness.Profile, answer harness.Answer) harness.Outcome {
	c.Replies, c.InterruptAfter = slices.Clip(c.Replies), nil
	return run(c, p, answer, (*machine).advance)
}

// more gets one more reply, if replies come as they are asked for.
func (m *machine) more(kind harness.QuestionKind, step string, why *harness.Refusal) bool {
	if m.answer == nil {
		return false
	}
	q := harness.Question{Kind: kind, Step: step, Told: m.untold, Why: why}
	if m.Plan != nil && !m.ReAct {
		q.Plan = m.Plan.Encode()
	}
	reply, ok := m.answer(q)
	if ok {
		m.replies = append(m.replies, reply)
	}
	return ok
}

// moreForPlan gets the replies that the ladder reads.
func (m *machine) moreForPlan(step string) {
	if m.answer == nil {
		return
	}
	m.untold = m.Recent
	c := harness.Case{Plan: m.Plan.Encode(), Limits: m.limits, Replies: m.replies[m.Replies:]}
	planpatch.Climb(c, m.ladder(), func(_ harness.Rung, why *harness.Refusal) (harness.Reply, bool) {
		ok := m.more(harness.AskReplan, step, why)
		if m.untold = nil; !ok {
			return "", false
		}
		return m.replies[len(m.replies)-1], true
	})
}
