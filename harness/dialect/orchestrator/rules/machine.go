package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/plan"
)

// machine is one process of a run. It remembers only its state; the rest follows from that and the case.
type machine struct {
	state
	rules
	script
	log      *log
	schedule schedule // of the plan; zero until it is needed
	verified bool     // this very process has seen the verification pass

	answer harness.Answer // gives further replies; nil if the case has them all
	untold []string       // messages that precede the next request
}

// rules are the limits and policies of a case.
type rules struct {
	profile harness.Profile
	limits  harness.Limits
	options reply.Options
	// trimming of each call; nil sends the whole conversation.
	trimming *trimming

	rounds, replans, retries int // the limits, with their defaults
}

// advance makes the next step of the run and appends its events to the queue.
func (m *machine) advance() {
	switch m.State {
	case "":
		m.enter(spec.StateIntake)
	case spec.StateIntake:
		m.enter(spec.StatePlanning)
	case spec.StatePlanning:
		m.plan()
	case spec.StateExecuting:
		m.execute()
	case spec.StateBlocked:
		m.recover(harness.DependencyDeadlock, "no step can run and not all are done; no replan is left")
	case spec.StateRecovering:
		m.climb()
	case spec.StateVerifying:
		m.verify()
	case spec.StateDone:
		m.Ended = true
	}
}

func (m *machine) enter(state string) {
	m.State = state
	m.happened(harness.TraceItem{Event: spec.EventState})
}

// happened queues an event in the current state.
func (m *machine) happened(e harness.TraceItem) {
	e.State = m.State
	m.Queue = append(m.Queue, e)
}

// fail ends the run in the state that it is in.
func (m *machine) fail(code harness.Code, message string) {
	m.Ended, m.Code, m.Reason = true, code, message
	m.happened(harness.TraceItem{Event: spec.EventRunFailed, Code: code})
}

// ask puts a question to the model, behind all messages that it has not received. The run ends without a reply, or
// if the question exceeds the budget. A question without a step is about the first plan.
func (m *machine) ask(step string, question ...string) (harness.Reply, bool) {
	m.untold = m.Recent
	m.log.say(history.User, question...)
	if m.Recent = m.Recent[:0]; m.answer != nil { // whose question has them
		m.Recent = nil
	}
	if !m.fits(step) {
		return "", false
	}
	kind := harness.AskStep
	if step == "" {
		kind = harness.AskPlan
	}
	if m.Replies == len(m.replies) && !m.more(kind, step, nil) {
		m.fail(harness.RepliesExhausted, "the run requests a reply, but the case has no further one; add one to replies")
		return "", false
	}
	raw := m.replies[m.Replies]
	m.Replies++
	m.log.say(history.Assistant, string(raw))
	return raw, true
}

// tell puts a message of parts before the next question.
func (m *machine) tell(parts ...string) {
	m.Recent = append(m.Recent, m.log.write(parts...))
	m.log.write("\n\n")
}

func (m *machine) accept(repairs []harness.Repair, warnings []harness.Warning) {
	m.Repairs = append(m.Repairs, repairs...)
	if len(warnings) > 0 {
		var all harness.Notes
		all.Warn(slices.Concat(m.Warnings, warnings))
		m.Warnings = all.Warnings()
	}
}

// plan asks for a plan if there is none.
func (m *machine) plan() {
	if !spec.Plans(m.profile) && !m.ReAct {
		m.goOnWithoutPlan()
	}
	if m.Plan != nil {
		m.schedule = newSchedule(m.Plan, nil)
		m.schedule.block()
		m.enter(spec.StateExecuting)
		return
	}
	raw, ok := m.ask("", askPlan(m.Attempts))
	if !ok {
		return
	}
	first := m.firstPlan(raw)
	if first.Verdict == harness.Applied {
		m.accept(first.Repairs, first.Warnings)
		m.Plan = first.Plan
		m.happened(harness.TraceItem{Event: spec.EventPlanGenerated, Data: m.Plan.Encode()})
		return
	}
	m.happened(harness.TraceItem{
		Event: spec.EventPlanRejected, Code: first.Code, Data: strictjson.Texts("message", first.Message),
	})
	m.tell(refused(first.Code, first.Message))
	if m.Attempts++; m.Attempts > m.retries {
		m.happened(harness.TraceItem{Event: spec.EventPlanParseFailed})
		m.GaveUp = true
		m.goOnWithoutPlan()
		return
	}
	m.happened(harness.TraceItem{Event: spec.EventPlanningRetry})
}

// firstPlan reads a reply as the first plan of a run.
func (m *machine) firstPlan(raw harness.Reply) harness.Outcome {
	p := m.profile
	p.Ladder = []harness.Rung{harness.RungFullPlan}
	return planpatch.Replan(&plan.Plan{}, m.limits, p, []harness.Reply{raw}).Outcome
}

// goOnWithoutPlan leaves the one implicit step to do.
func (m *machine) goOnWithoutPlan() {
	m.ReAct = true
	step := plan.Step{ID: spec.React, Description: "reach the goal without a plan", Status: plan.Pending}
	m.Plan = &plan.Plan{Steps: []plan.Step{step}}
}

// execute runs the wave, or decides how the run continues after it.
func (m *machine) execute() {
	if m.schedule.plan == nil {
		m.schedule = newSchedule(m.Plan, m.Wave)
	}
	switch {
	case len(m.Wave) > 0:
		m.runStep(&m.Plan.Steps[m.Wave[0]])
	case len(m.Trouble) > 0:
		m.schedule.block()
		m.recover(harness.MaxReplansReached, "another plan is needed; no replan is left")
	case m.schedule.open == 0 && len(m.Written) > 0:
		m.enter(spec.StateVerifying)
	case m.schedule.open == 0:
		m.enter(spec.StateDone)
	default:
		if m.Wave = m.schedule.take(m.profile.Parallel); len(m.Wave) == 0 {
			m.enter(spec.StateBlocked)
		}
	}
}

// recover goes on to another plan, or fails with the code if no replan is left.
func (m *machine) recover(code harness.Code, message string) {
	if m.Replans >= m.replans {
		m.fail(code, message)
		return
	}
	m.Replans++
	m.enter(spec.StateRecovering)
}

// verify asks for a verification, unless one passed and nothing was written since.
func (m *machine) verify() {
	if len(m.Verified) > 0 && maps.Equal(m.Written, m.Verified) {
		if !m.verified {
			m.happened(harness.TraceItem{Event: spec.EventVerifyCached})
		}
		m.enter(spec.StateDone)
		return
	}
	if m.Checks == len(m.checks) {
		m.fail(harness.RepliesExhausted, "files were written and the case holds no further result of a verification; add "+
			"one to verify")
		return
	}
	c := &m.checks[m.Checks]
	m.Checks++
	if c.OK {
		m.Verified, m.verified = maps.Clone(m.Written), true
		m.happened(harness.TraceItem{Event: spec.EventFinalVerify, Data: jsontext.Value(`{"ok":true}`)})
		return
	}
	m.happened(harness.TraceItem{
		Event: spec.EventFinalVerify, Code: harness.VerificationFailed, Data: strictjson.Encode(c),
	})
	message := "the verification did not pass"
	if len(c.Errors) > 0 {
		message += ": " + strings.Join(c.Errors, "; ")
	}
	if !m.mayReplanOn(spec.OnVerification) {
		m.fail(harness.VerificationFailed, message)
		return
	}
	m.tell(message)
	m.happened(triggered("", spec.OnVerification))
	m.recover(harness.VerificationFailed, "")
}

// state is everything that a process needs to resume a run.
type state struct {
	State  string
	Ended  bool
	Code   harness.Code // why it failed
	Reason string

	Plan  *plan.Plan
	ReAct bool // the plan is the one implicit step
	// GaveUp: planning failed too often, or a ladder ended with the rung react.
	GaveUp bool

	// The steps of the wave that have not ended, the running one first, with its rounds so far, and the steps that
	// failed or asked for another plan.
	Wave    []int // their places in the plan
	Rounds  int
	Trouble []string

	// How much of limits and script is used up.
	Attempts int // at planning
	Replans  int
	Replies  int
	Tools    int
	Checks   int

	// The written files, path → hash, and as the verification last passed them.
	Written  map[string]string
	Verified map[string]string

	// Recent are messages that the model has not received yet: results, corrections.
	Recent []string
	// Queue are the events that have come to pass and are not in the trace yet.
	Queue []harness.TraceItem

	Warnings []harness.Warning
	Repairs  []harness.Repair
}

// schedule knows which steps can run. All updates together take time linear in steps and dependencies.
type schedule struct {
	plan    *plan.Plan
	edges   []edge
	last    []int // of each step, the index in edges behind the last edge to it, or 0
	waiting []int // dependencies that are not done
	ready   []int // steps that can run, sorted
	open    int   // steps that are not done
}

// edge is a step that depends on another one, and the edge to that one before, as in last.
type edge struct{ from, before int }

// newSchedule makes the schedule of a sound plan. The steps of the wave are running, and not ready.
func newSchedule(p *plan.Plan, wave []int) schedule {
	n := len(p.Steps)
	memory := make([]int, 3*n)
	s := schedule{
		plan: p, edges: make([]edge, 0, n), last: memory[:n], waiting: memory[n : 2*n], ready: memory[2*n : 2*n],
	}
	places := plan.NewPlaces(p.Steps)
	for i := range p.Steps {
		if p.Steps[i].Status != plan.Done {
			s.open++
		}
		for _, d := range p.Steps[i].Dependencies {
			j := places.At(d)
			s.edges = append(s.edges, edge{i, s.last[j]})
			s.last[j] = len(s.edges)
			if p.Steps[j].Status != plan.Done {
				s.waiting[i]++
			}
		}
	}
	for i := range p.Steps {
		if _, running := slices.BinarySearch(wave, i); !running {
			s.offer(i)
		}
	}
	return s
}

// offer makes a step ready if nothing keeps it.
func (s *schedule) offer(i int) {
	if st := s.plan.Steps[i].Status; s.waiting[i] == 0 && st != plan.Done && st != plan.Failed {
		at, _ := slices.BinarySearch(s.ready, i)
		s.ready = slices.Insert(s.ready, at, i)
	}
}

// take returns up to n ready steps, in plan order.
func (s *schedule) take(n int) []int {
	n = max(0, min(n, len(s.ready)))
	taken := s.ready[:n]
	s.ready = s.ready[n:]
	return taken
}

// done counts a step that is done, and offers those that waited for it alone.
func (s *schedule) done(i int) {
	s.open--
	for at := s.last[i]; at > 0; at = s.edges[at-1].before {
		j := s.edges[at-1].from
		if s.waiting[j]--; s.waiting[j] == 0 {
			s.offer(j)
		}
	}
}

// block marks steps as blocked that need a failed step, directly or through others. The other open steps wait.
func (s *schedule) block() {
	var queue []int
	for i := range s.plan.Steps {
		switch st := &s.plan.Steps[i]; st.Status {
		case plan.Failed:
			queue = append(queue, i)
		case plan.Blocked, plan.InProgress:
			st.Status = plan.Pending
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for at := s.last[queue[0]]; at > 0; at = s.edges[at-1].before {
			if j := s.edges[at-1].from; s.plan.Steps[j].Status == plan.Pending {
				s.plan.Steps[j].Status = plan.Blocked
				queue = append(queue, j)
			}
		}
	}
}
