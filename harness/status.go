package harness

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
		{string(Known), "a failure that the baseline knows"},
		{string(Fixed), "the baseline says that it fails, but it passes"},
		{string(NotSupported), "needs a feature that the engine does not declare"},
		{string(Crash), "the engine exited or reported an error"},
		{string(Hang), "no answer within the deadline"},
		{string(ProtocolFailure), "an answer that breaks the protocol"},
		{string(Flaky), "not always the same answer"},
		{string(NotRun), "never reached, so never a pass"},
	}
}
