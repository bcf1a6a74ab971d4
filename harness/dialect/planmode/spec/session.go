package spec

import "replanbench/harness"

// The events of a session in the dialect planmode.
const (
	EventPlanEnter    = "plan.enter"
	EventPlanExit     = "plan.exit"
	EventPlanApproved = "plan.approved"
	EventPlanDenied   = "plan.denied"
)

// Events lists the events of a session.
func Events() []harness.Term {
	return []harness.Term{
		{Name: EventPlanEnter, Text: "plan mode is on, with a plan file"},
		{Name: EventPlanExit, Text: "the agent asks the user to approve the plan"},
		{Name: EventPlanApproved, Text: "the plan was approved, and plan mode is off"},
		{Name: EventPlanDenied, Text: "the user refused to enter or to leave plan mode"},
	}
}

// Calls lists the calls that a session knows, as the trace names them.
func Calls() []harness.Term {
	return []harness.Term{
		{Name: "EnterPlanMode", Text: "requests plan mode"},
		{Name: "ExitPlanMode", Text: "requests approval of the plan and the end of plan mode"},
		{Name: "phase", Text: "goes on to the next phase of plan mode"},
		{Name: "toggle", Text: "the user turns plan mode on or off, without approval"},
		{Name: "write", Text: "creates or replaces a file"},
		{Name: "edit", Text: "replaces a text in a file"},
		{Name: "read", Text: "reads a file"},
		{Name: "bash", Text: "runs a command"},
		{Name: "Task", Text: "starts an agent"},
		{Name: "ls", Text: "lists a directory"},
		{Name: "glob", Text: "finds files by name"},
		{Name: "grep", Text: "finds files by content"},
		{Name: "fetch", Text: "gets a page"},
		{Name: "AskUserQuestion", Text: "asks the user"},
	}
}
