package harness

import "slices"

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

// PlanModeCodes lists the codes that the dialect planmode can give: those of
// scripts that break the rules, and those of calls. A case that is no JSON at
// all (no_document) reaches an engine only as a Go value.
func PlanModeCodes() []Term {
	names := []Code{
		InvalidUTF8, TooDeep, DuplicateKey, ExtraField, MissingField, BadType, RepliesExhausted, BadArguments,
		AgentContext, AlreadyInPlanMode, NotInPlanMode, ToolForbidden, EmptyPlanFile, SlugExhausted,
	}
	return slices.DeleteFunc(Codes(), func(t Term) bool { return !slices.Contains(names, Code(t.Name)) })
}
