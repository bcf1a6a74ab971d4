package harness

// The events of a session in the dialect planmode.
const (
	EventPlanEnter    = "plan.enter"
	EventPlanExit     = "plan.exit"
	EventPlanApproved = "plan.approved"
	EventPlanDenied   = "plan.denied"
)

// SessionEvents lists the events of a session in the dialect planmode.
func SessionEvents() []Term {
	return []Term{
		{EventPlanEnter, "plan mode is on, with a plan file"},
		{EventPlanExit, "the user is asked to approve the plan"},
		{EventPlanApproved, "the plan was approved, and plan mode is off"},
		{EventPlanDenied, "the user refused to enter or to leave plan mode"},
	}
}

// SessionCalls lists the calls that a session knows, as the trace names them.
func SessionCalls() []Term {
	return []Term{
		{"EnterPlanMode", "asks for plan mode"},
		{"ExitPlanMode", "asks to approve the plan and to leave plan mode"},
		{"phase", "goes on to the next phase of plan mode"},
		{"write", "makes or replaces a file"},
		{"edit", "replaces a text in a file"},
		{"read", "reads a file"},
		{"bash", "runs a command"},
		{"Task", "starts an agent"},
		{"ls", "lists a directory"},
		{"glob", "finds files by name"},
		{"grep", "finds files by content"},
		{"fetch", "gets a page"},
		{"AskUserQuestion", "asks the user"},
	}
}
