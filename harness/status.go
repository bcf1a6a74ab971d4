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
		{string(Pass), "as it should be"},
		{string(Fail), "a wrong answer"},
		{string(Known), "a failure that the baseline knows"},
		{string(Fixed), "the baseline says that it fails, and it passes"},
		{string(NotSupported), "needs what the engine did not declare"},
		{string(Crash), "the engine ended or reported an error of its own"},
		{string(Hang), "no answer within the deadline"},
		{string(ProtocolFailure), "an answer that is none"},
		{string(Flaky), "not the same answer each time"},
		{string(NotRun), "never reached, so never a pass"},
	}
}
