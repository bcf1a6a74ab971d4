package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// usualTrace is how many events most runs have at most.
const usualTrace = 32

// Eval runs a case under a profile, from intake to its end. It changes neither,
// and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome { return run(c, p, nil, (*machine).advance) }

// run runs a case to its end: advance makes each step. answer gives further replies; nil if the case has them all.
func run(c harness.Case, p harness.Profile, answer harness.Answer, advance func(m *machine)) harness.Outcome {
	m, refusal := newMachine(c, p)
	if refusal != nil {
		return stillborn(refusal)
	}
	m.answer = answer
	m.log.trace = make([]harness.TraceItem, 0, usualTrace)
	for {
		room := m.Queue[:0]
		for len(m.Queue) > 0 {
			event := m.Queue[0]
			m.log.trace, m.Queue = append(m.log.trace, event), m.Queue[1:]
			if c.InterruptAfter == nil || len(m.log.trace) != *c.InterruptAfter {
				continue
			}
			if err := m.interrupt(); err != nil {
				return stillborn(harness.Refuse(harness.InvalidPlan, "%s", err))
			}
			m.log.trace = append(m.log.trace, harness.TraceItem{State: event.State, Event: spec.EventResumed})
		}
		m.Queue = room
		if m.Ended {
			return m.outcome()
		}
		advance(m)
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
	if m.trimming, refusal = newTrimming(c); refusal != nil {
		return nil, refusal
	}
	if c.Plan.Kind() != 'n' && len(c.Plan) > 0 {
		var err error
		if m.Plan, err = plan.Decode(c.Plan); err != nil {
			return nil, harness.Refuse(harness.InvalidPlan, "the plan is unsound: %s", err)
		}
	}
	script, tools, verify := readScript(c)
	m.script = script
	return m, harness.RefuseDocument(cmp.Or(tools, verify))
}

func newRules(c harness.Case, p harness.Profile) (rules, *harness.Refusal) {
	r := rules{profile: p, limits: c.Limits}
	var refusal *harness.Refusal
	if r.options, refusal = reply.NewOptions(c.Limits, p); refusal != nil {
		return r, refusal
	}
	r.rounds = spec.Limit(c.Limits.MaxStepToolCalls, spec.DefaultMaxStepToolCalls)
	r.replans = spec.Limit(c.Limits.MaxReplans, spec.DefaultMaxReplans)
	r.retries = spec.Limit(c.Limits.PlanningRetries, spec.DefaultPlanningRetries)
	if n := c.InterruptAfter; n != nil && *n < 1 {
		return r, harness.Refuse(harness.BadLimit, "interrupt_after is %d, and must be at least 1", *n)
	}
	return r, nil
}

// interrupt saves the state, and makes a new machine for the same case, which takes it up.
func (m *machine) interrupt() error {
	saved := strictjson.Encode(&m.state)
	*m = machine{rules: m.rules, script: m.script, log: m.log}
	if err := json.Unmarshal(saved, &m.state, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("resume from the saved state: %w", err)
	}
	return nil
}

// stillborn is the outcome of a case that cannot be run.
func stillborn(r *harness.Refusal) harness.Outcome {
	out := r.OutcomeOfReply()
	out.Messages = (&log{}).encode()
	out.Trace = []harness.TraceItem{
		{State: spec.StateIntake, Event: spec.EventState},
		{State: spec.StateIntake, Event: spec.EventRunFailed, Code: r.Code},
	}
	return out
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
	if m.GaveUp {
		out.Rung, out.GaveUp = harness.RungReact, true
	}
	if m.Code != "" {
		out.Verdict = harness.Rejected
	}
	if !m.ReAct {
		out.Plan = m.left()
	}
	return out
}

// left returns the plan at the end of the run. If the run failed, so did the step that
// was running.
func (m *machine) left() *plan.Plan {
	if m.Code == "" || m.Plan == nil {
		return m.Plan
	}
	p := *m.Plan
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		if p.Steps[i].Status == plan.InProgress {
			p.Steps[i].Status = plan.Failed
		}
	}
	return &p
}
