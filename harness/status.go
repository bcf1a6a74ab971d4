package harness

import "slices"

// Status is what became of a case in a run. The statuses partition the cases.
type Status string

// The statuses.
const (
	Pass            Status = "pass"
	Fail            Status = "fail"
	Known           Status = "known"
	Fixed           Status = "fixed"
	NotSupported    Status = "unsupported"
	Crash           Status = "crash"
	Hang            Status = "hang"
	ProtocolFailure Status = "protocol"
	Flaky           Status = "flaky"
	NotRun          Status = "not_run"
)

// Statuses lists the statuses with their meaning, in the order of reports.
func Statuses() []Term {
	return []Term{
		{string(Pass), "as expected"},
		{string(Fail), "a wrong answer"},
		{string(Known), "a failure in the list of known failures"},
		{string(Fixed), "the list of known failures contains it, but it passes"},
		{string(NotSupported), "needs a feature that the engine does not declare"},
		{string(Crash), "the engine exited or reported an error"},
		{string(Hang), "no answer within the deadline"},
		{string(ProtocolFailure), "an answer that breaks the protocol"},
		{string(Flaky), "not always the same answer"},
		{string(NotRun), "not run, so not passed"},
	}
}

// Level is how much of an engine's behaviour a run judges. Each level includes those before
// it in [Levels]. The zero value is [JudgeExact].
type Level string

// The levels.
const (
	JudgeSafety Level = "safety"
	JudgeRules  Level = "rules"
	JudgeExact  Level = "exact"
)

// Levels lists the levels with their meaning, the narrowest first.
func Levels() []Term {
	return []Term{
		{string(JudgeSafety), "what no rules excuse: a crash, no answer, finished or unnamed work lost or changed, an " +
			"unsound plan, a refusal that changes the plan, different answers to the same request, an action that the user " +
			"denied, a write outside the plan file in plan mode"},
		{string(JudgeRules), "safety, and what the engine accepts by its own rules, with which result"},
		{string(JudgeExact), "rules, and the codes and places of rejections, warnings and other reports"},
	}
}

// rank is the place of the level among all.
func (l Level) rank() int {
	if i := slices.Index(Names(Levels()), string(l)); i >= 0 {
		return i
	}
	return len(Levels()) - 1
}

// Includes reports whether a run at level l judges what belongs to level m.
func (l Level) Includes(m Level) bool { return l.rank() >= m.rank() }

// Next returns the next wider level; "" for the widest.
func (l Level) Next() Level {
	if i := l.rank() + 1; i < len(Levels()) {
		return Level(Levels()[i].Name)
	}
	return ""
}

// Effective returns the level, or [JudgeExact] for the zero value.
func (l Level) Effective() Level { return Level(Levels()[l.rank()].Name) }
