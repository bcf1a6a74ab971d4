package rules

import (
	"fmt"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
	"replanbench/harness/reply"
)

// Eval runs a case under a profile, from intake to its end. It changes neither,
// and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome {
	m, refusal := newMachine(c, p)
	if refusal != nil {
		return stillborn(refusal)
	}
	for {
		for len(m.Queue) > 0 {
			m.log.trace = append(m.log.trace, m.Queue[0])
			m.Queue = m.Queue[1:]
			if c.InterruptAfter == nil || len(m.log.trace) != *c.InterruptAfter {
				continue
			}
			fresh, err := m.interrupt(c, p)
			if err != nil {
				return stillborn(&harness.Refusal{Code: harness.InvalidPlan, Message: err.Error()})
			}
			last := m.log.trace[len(m.log.trace)-1]
			m = fresh
			m.log.trace = append(m.log.trace, harness.TraceItem{State: last.State, Event: words.EventResumed})
		}
		if m.Ended {
			return m.outcome()
		}
		m.advance()
	}
}

// newMachine makes a machine that has not begun, or says why the case cannot be
// run.
func newMachine(c harness.Case, p harness.Profile) (*machine, *harness.Refusal) {
	m := &machine{log: &log{}}
	var refusal *harness.Refusal
	if m.rules, refusal = newRules(c, p); refusal != nil {
		return nil, refusal
	}
	if c.Plan.Kind() != 'n' && len(c.Plan) > 0 {
		var err error
		if m.Plan, err = plan.Decode(c.Plan); err != nil {
			return nil, &harness.Refusal{Code: harness.InvalidPlan, Message: "the plan is unsound: " + err.Error()}
		}
	}
	m.script, refusal = newScript(c)
	return m, refusal
}

func newRules(c harness.Case, p harness.Profile) (rules, *harness.Refusal) {
	r := rules{profile: p, limits: c.Limits}
	var refusal *harness.Refusal
	if r.options, refusal = reply.NewOptions(c.Limits, p); refusal != nil {
		return r, refusal
	}
	for _, l := range []struct {
		name         string
		value        *int
		least, other int
		to           *int
	}{
		{"max_step_tool_calls", c.Limits.MaxStepToolCalls, 1, words.DefaultMaxStepToolCalls, &r.rounds},
		{"max_replans", c.Limits.MaxReplans, 0, words.DefaultMaxReplans, &r.replans},
		{"planning_retries", c.Limits.PlanningRetries, 0, words.DefaultPlanningRetries, &r.retries},
		{"interrupt_after", c.InterruptAfter, 1, 1, new(int)},
	} {
		*l.to = l.other
		if l.value == nil {
			continue
		}
		if *l.value < l.least {
			return r, &harness.Refusal{Code: harness.BadLimit, Message: fmt.Sprintf("%s is %d, and must be at least %d", l.name, *l.value, l.least)}
		}
		*l.to = *l.value
	}
	return r, nil
}

// interrupt saves the state and lets a new machine take it up.
func (m *machine) interrupt(c harness.Case, p harness.Profile) (*machine, error) {
	raw, err := m.save()
	if err != nil {
		return nil, err
	}
	fresh, refusal := newMachine(c, p)
	if refusal != nil {
		return nil, fmt.Errorf("begin again: %s", refusal.Message)
	}
	if fresh.state, err = restore(raw); err != nil {
		return nil, err
	}
	fresh.log = m.log
	return fresh, nil
}

// stillborn is the outcome of a case that cannot be run.
func stillborn(r *harness.Refusal) harness.Outcome {
	return harness.Outcome{
		Verdict: harness.Rejected, Code: r.Code, At: r.At, Message: r.Message,
		Repairs: []harness.Repair{}, Warnings: []harness.Warning{}, Messages: (&log{}).encode(),
		Trace: []harness.TraceItem{
			{State: words.StateIntake, Event: words.EventEntered},
			{State: words.StateIntake, Event: words.EventRunFailed, Code: r.Code},
		},
	}
}

// outcome is the outcome of a run that has ended.
func (m *machine) outcome() harness.Outcome {
	out := harness.Outcome{
		Verdict: harness.Applied, Code: m.Code, Message: m.Reason,
		Repairs: append([]harness.Repair{}, m.Repairs...), Warnings: append([]harness.Warning{}, m.Warnings...),
		Trace: m.log.trace, Messages: m.log.encode(),
	}
	if m.Replies < len(m.replies) {
		out.Warnings = append(out.Warnings, harness.Warning{Code: harness.WarnRepliesUnused})
	}
	switch {
	case m.Code != "":
		out.Verdict = harness.Rejected
	case !m.ReAct:
		out.Plan = m.Plan
	}
	return out
}
