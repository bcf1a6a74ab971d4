package harness

import (
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
)

// Verdict is what an engine did with a case.
type Verdict string

// The verdicts.
const (
	Applied     Verdict = "applied"
	Rejected    Verdict = "rejected"
	Unsupported Verdict = "unsupported" // the case needs a feature that the engine does not declare
)

// Code says why a reply was rejected. The list is closed; see [Codes].
type Code = strictjson.Code

// Refused is the code of an engine that gives no reasons. It is allowed
// wherever a code is, and equals every code.
const Refused Code = "refused"

// Codes of reading.
const (
	NoDocument    Code = "no_document"
	WrongDocument Code = "wrong_document"
	InvalidUTF8   Code = "invalid_utf8"
	ReplyTooLarge Code = "reply_too_large"
	TooDeep       Code = "too_deep"
	DuplicateKey  Code = "duplicate_key"
	ExtraField    Code = "extra_field"
	MissingField  Code = "missing_field"
	BadType       Code = "bad_type"
	EmptyID       Code = "empty_id"
)

// Codes of applying.
const (
	BadLimit          Code = "bad_limit"
	InvalidPlan       Code = "invalid_plan"
	IDConflict        Code = "id_conflict"
	DuplicateID       Code = "duplicate_id"
	UnknownStep       Code = "unknown_step"
	DoneImmutable     Code = "done_immutable"
	OverCapacity      Code = "over_capacity"
	MissingDependency Code = "missing_dependency"
	DependencyCycle   Code = "dependency_cycle"
	EmptyPatch        Code = "empty_patch"
	EmptyPlan         Code = "empty_plan"
	UnknownOperation  Code = "unknown_operation"
	DependentsExist   Code = "dependents_exist"
)

// Codes of ladders and runs.
const (
	ReplanFailed       Code = "replan_failed"
	MaxReplansReached  Code = "max_replans_reached"
	DependencyDeadlock Code = "dependency_deadlock"
	RepliesExhausted   Code = "replies_exhausted"
	VerificationFailed Code = "verification_failed"
)

// Codes of plan mode and of the token budget.
const (
	BadArguments      Code = "bad_arguments"
	AgentContext      Code = "agent_context"
	AlreadyInPlanMode Code = "already_in_plan_mode"
	NotInPlanMode     Code = "not_in_plan_mode"
	ToolForbidden     Code = "tool_forbidden"
	EmptyPlanFile     Code = "empty_plan_file"
	SlugExhausted     Code = "slug_exhausted"
	CannotFit         Code = "cannot_fit"
)

// Term is a name of a closed list with its one-line description.
type Term struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Names returns the names of the terms.
func Names(terms []Term) []string {
	return collect.Map(terms, func(t Term) string { return t.Name })
}

// Codes lists every code with its meaning, in the order of the work: reading,
// applying, ladders and runs, plan mode, budget.
func Codes() []Term {
	return []Term{
		{string(NoDocument), "the reply holds no JSON object that could be the expected document"},
		{string(WrongDocument), "its type or its steps show that it is another document"},
		{string(InvalidUTF8), "bytes that are not UTF-8, or the escape of a lone surrogate"},
		{string(ReplyTooLarge), "the reply has more bytes than max_reply_bytes"},
		{string(TooDeep), "an object nests deeper than max_depth"},
		{string(DuplicateKey), "one object has duplicate member names"},
		{string(ExtraField), "a member that the document does not define"},
		{string(MissingField), "a required member is absent"},
		{string(BadType), "a value of the wrong JSON type"},
		{string(EmptyID), "an id or a dependency is blank"},
		{string(BadLimit), "a limit of the case is below 1"},
		{string(InvalidPlan), "the plan of the case breaks the rules for plans"},
		{string(IDConflict), "one id is in two of the lists remove, update, add"},
		{string(DuplicateID), "a duplicate id in one list, or an added id that already exists"},
		{string(UnknownStep), "the plan does not have the step to change"},
		{string(DoneImmutable), "a done step would be changed or removed"},
		{string(OverCapacity), "the plan exceeds its limit before anything is added"},
		{string(MissingDependency), "a step would depend on one that will not be in the plan"},
		{string(DependencyCycle), "steps would depend on each other, or a step on itself"},
		{string(EmptyPatch), "the reply changes nothing"},
		{string(EmptyPlan), "no step would be left"},
		{string(UnknownOperation), "an operation of an unknown type"},
		{string(DependentsExist), "other steps need the step to be removed"},
		{string(ReplanFailed), "every rung of the fallback ladder failed"},
		{string(MaxReplansReached), "the run has used up its replans"},
		{string(DependencyDeadlock), "no step is ready and not all are done"},
		{string(RepliesExhausted), "the script holds no further reply"},
		{string(VerificationFailed), "the final verification did not pass"},
		{string(BadArguments), "a tool was called with wrong arguments"},
		{string(AgentContext), "an agent may not enter or leave plan mode"},
		{string(AlreadyInPlanMode), "plan mode is on already"},
		{string(NotInPlanMode), "plan mode is not on"},
		{string(ToolForbidden), "the tool may not be used here"},
		{string(EmptyPlanFile), "the plan file is missing or blank"},
		{string(SlugExhausted), "no free name for a plan file was found"},
		{string(CannotFit), "what must be kept is larger than the budget alone"},
	}
}
