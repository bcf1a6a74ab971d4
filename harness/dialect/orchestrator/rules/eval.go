package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// usualTrace is how many events most runs have at most, usualQueue most steps of a run,
// usualText how many bytes of messages, and usualData how many bytes the data of an event.
const usualTrace, usualQueue, usualText, usualData = 32, 4, 2 << 10, 128

// Eval runs a case under a profile. It changes neither, and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome {
	return run(c, p, nil, (*machine).advance)
}

// run runs a case to its end: advance makes each step. answer gives further replies; nil if the case has them all.
func run(c harness.Case, p harness.Profile, answer harness.Answer, advance func(m *machine)) harness.Outcome {
	m, refusal := newMachine(c, p)
	if refusal != nil {
		return stillborn(refusal)
	}
	defer m.parser.Release()
	m.answer = answer
	m.log.texts.Grow(usualText)
	m.log.trace, m.Queue = make([]harness.TraceItem, 0, usualTrace), make([]harness.TraceItem, 0, usualQueue)
	for {
		room := m.Queue[:0]
		for len(m.Queue) > 0 {
			event := m.Queue[0]
			m.log.trace, m.Queue = append(m.log.trace, event), m.Queue[1:]
			if c.InterruptAfter == nil || len(m.log.trace) != *c.InterruptAfter {
				continue
			}
			*m = machine{state: m.state, rules: m.rules, script: m.script, log: m.log}
			m.log.trace = append(m.log.trace, harness.TraceItem{State: event.State, Event: spec.EventResumed})
		}
		m.Queue = room
		if m.Ended {
			return m.outcome()
		}
		advance(m)
	}
}

// newMachine makes a machine that has not begun, or returns why the case cannot be run.
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

// left returns the plan at the end of the run. In a failed run, the running step has failed, too.
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

// Turn is what a run did with one reply, or with the replies of one climb of the ladder.
type Turn struct {
	From, To int            // the replies of the case, from including, to excluding
	Tiers    []harness.Tier // the tier by which each is read
	Plan     *plan.Plan     // when they came; nil without one. It changes as the run goes on
	Events   []harness.TraceItem
	// Edit is the effect of the first reply alone on the plan; nil if no edit is read.
	Edit *planpatch.Replanning
}

// Follow runs a case as [Eval] does, but without interruption, and hands on every turn.
func Follow(c harness.Case, p harness.Profile, turn func(Turn)) harness.Outcome {
	if n := c.InterruptAfter; n != nil && *n > 0 {
		c.InterruptAfter = nil
	}
	return run(c, p, nil, func(m *machine) {
		t, state := Turn{From: m.Replies, Plan: m.Plan}, m.State
		m.advance()
		t.To, t.Events = m.Replies, slices.Clone(m.Queue)
		for _, raw := range m.replies[t.From:t.To] {
			tier, edit := m.read(state, t.Plan, raw)
			if t.Tiers = append(t.Tiers, tier); t.Edit == nil {
				t.Edit = edit
			}
		}
		if t.Tiers != nil {
			turn(t)
		}
	})
}

// read returns the tier by which a reply is read in a state, and the edit that it makes
// if the state reads edits. A control word in its old spelling is extracted from prose.
func (m *machine) read(state string, old *plan.Plan, raw harness.Reply) (harness.Tier, *planpatch.Replanning) {
	switch state {
	case spec.StateExecuting:
		a, r := readAction(raw, m.options, m.profile)
		if a.legacy {
			return harness.TierExtracted, nil
		}
		return r.Tier, nil
	case spec.StatePlanning:
		return m.firstPlan(raw).Tier, nil
	}
	p := m.profile
	p.Ladder = []harness.Rung{harness.RungPatch, harness.RungFullPlan}
	r := planpatch.Replan(old, m.limits, p, []harness.Reply{raw})
	return r.Outcome.Tier, &r
}

// script has the scripted answers of the model, the tools and the verification.
type script struct {
	replies []harness.Reply
	tools   []toolResult
	checks  []verification
	parser  *strictjson.Parser // of the writes, to be released
}

type toolResult struct {
	ok     bool
	output string
	writes []strictjson.Member // path → hash of the present content, by path
	// environment says what changed, other than by the tool; "" is nothing.
	environment string
}

// verification is the result of one.
type verification struct {
	OK     bool     `json:"ok"`
	Errors []string `json:"errors,omitzero"`
}

// maxDepth bounds the nesting of the scripts.
const maxDepth = 1000

// readScript reads the script, and returns the mistakes in its two documents.
func readScript(c harness.Case) (s script, faultOfTools, faultOfVerify *strictjson.Fault) {
	s.replies = c.Replies
	tools := reader{strictjson.Reader{Document: "/tools"}}
	results := tools.list(c.Tools)
	s.parser = tools.Parser
	s.tools = make([]toolResult, len(results))
	for i := range results {
		s.tools[i] = tools.toolResult(&results[i], path{}.Item(i))
	}
	checks := reader{strictjson.Reader{Document: "/verify"}}
	defer func() { checks.Parser.Release() }()
	for i, v := range checks.list(c.Verify) {
		s.checks = append(s.checks, checks.check(&v, path{}.Item(i)))
	}
	return s, tools.Fault, checks.Fault
}

// Faults are the parts of a case, except its plan, with which no run can begin.
type Faults struct{ Limits, Tools, Verify bool }

// FaultsOf looks for them in a case.
func FaultsOf(c harness.Case) Faults {
	_, limits := newRules(c, harness.Reference())
	script, tools, verify := readScript(c)
	defer script.parser.Release()
	return Faults{Limits: limits != nil, Tools: tools != nil, Verify: verify != nil}
}

// reader decodes a script and keeps the first fault.
type reader struct{ strictjson.Reader }

type path = strictjson.Path

// list returns the results of a script. Texts may contain lone surrogates.
func (r *reader) list(raw jsontext.Value) []strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	r.Parser = strictjson.Borrow(string(raw))
	doc, err := r.Parser.All(maxDepth)
	switch {
	case strictjson.InvalidUTF8(raw) >= 0:
		r.Fail(harness.InvalidUTF8, path{}, "holds bytes that are not UTF-8")
	case err != nil:
		r.Fail(harness.BadType, path{}, "is not well-formed JSON: %v", err)
	case len(doc.Duplicates) > 0:
		r.Fail(harness.DuplicateKey, strictjson.PathTo(doc.Duplicates[0].Pointer), "duplicate member %q",
			doc.Duplicates[0].Name)
	case doc.Root.Kind != strictjson.Null && r.Is(&doc.Root, strictjson.Array, path{}, "the script"):
		return doc.Root.Items
	}
	return nil
}

func (r *reader) toolResult(v *strictjson.Value, at path) toolResult {
	t := toolResult{ok: r.result(v, at, "ok", "output", "writes", "environment")}
	t.output, _ = r.Text(v, at, "output", false)
	t.environment, _ = r.Text(v, at, "environment", false)
	writes := r.Member(v, at, "writes", strictjson.Object, false)
	if writes == nil {
		return t
	}
	t.writes = writes.Members
	for _, w := range t.writes {
		r.Text(writes, at.Member("writes"), w.Name, true)
	}
	slices.SortFunc(t.writes, func(a, b strictjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return t
}

func (r *reader) check(v *strictjson.Value, at path) verification {
	return verification{r.result(v, at, "ok", "errors"), r.Texts(v, at, "errors")}
}

// result reads the member ok, which every result must have. It allows only these members.
func (r *reader) result(v *strictjson.Value, at path, members ...string) bool {
	if !r.Is(v, strictjson.Object, at, "a result") {
		return false
	}
	r.Known(v, at, "a result", members...)
	ok := r.Member(v, at, "ok", strictjson.Bool, true)
	return ok != nil && ok.Text == "true"
}
