package harness

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Rungs lists the rungs of the fallback ladder.
func Rungs() []Term {
	return []Term{
		{string(RungPatch), "reads a reply as a patch"},
		{string(RungRetry), "requests another patch, with code and message, and reads it"},
		{string(RungFullPlan), "reads a whole new plan and restores finished work"},
		{string(RungReact), "continues without a plan"},
	}
}

// Events lists the events of the ladder.
func Events() []Term {
	return []Term{
		{EventReplanRequested, "a model was asked to change the plan"},
		{EventPatchApplied, "a patch was read and applied"},
		{EventPatchRejected, "a reply was rejected as a patch"},
		{EventRetryRequested, "the model was asked again"},
		{EventFullPlanUsed, "a whole plan replaced the old one"},
		{EventFullPlanRejected, "a reply was rejected as a whole plan"},
		{EventReactUsed, "planning was abandoned"},
		{EventReplanFailed, "no rung was left"},
	}
}

// Warnings lists the warnings.
func Warnings() []Term {
	return []Term{
		{WarnUnknownField, "members that the document does not have were dropped"},
		{WarnStatusForced, "a reply cannot declare work done: the status became pending"},
		{WarnConfusableID, "ids differ only in case, width or normal form"},
		{WarnAmbiguousReply, "a later object in the reply differs from the first; the first one counts"},
		{WarnUnknownRemove, "a step to remove is not in the plan"},
		{WarnDuplicateRemove, "a duplicate among the steps to remove"},
		{WarnDuplicateDependency, "a dependency listed twice was kept once"},
		{WarnTruncated, "steps that did not fit the limit were dropped"},
		{WarnDetached, "a dependency on a removed step was dropped, and with it the order of the two steps"},
		{WarnBridged, "a dependency on a removed step was replaced with the dependencies of that step"},
		{WarnDoneRestored, "finished steps that the new plan left out were restored"},
		{WarnDuplicateKey, "duplicate member names in one object; the last one counts"},
		{WarnRepliesUnused, "some replies were not read"},
		{WarnPositionIgnored, "a position is out of range: a new step goes to the end, a moved step stays in its place"},
	}
}

// RepairRules lists the rules of repairing, coercing and settling conflicts.
func RepairRules() []Term {
	return []Term{
		{"comment", "a comment was removed"},
		{"trailing_comma", "a comma before a closing bracket was removed"},
		{"quotes", "single or typographic quotes became double quotes"},
		{"unquoted_name", "a member name was put in quotes"},
		{"python_literal", "None, True or False became null, true or false"},
		{"unclosed", "the incomplete end was dropped and the open brackets were closed"},
		{"json_string", "the document was decoded from a JSON string"},
		{"one_element_array", "a list of one object became that object"},
		{"wrapper", "the document was extracted from another object"},
		{"wrapped_list", "a single value became a list of one"},
		{"stripped_member", "an unknown member was removed"},
		{"remove_update", "the id was to be removed and updated: the update stays"},
		{"remove_add", "the id was to be removed and added: the addition stays"},
		{"replace", "remove and add of an existing step became an update"},
		{"update_add", "the id was to be updated and added: one of them stays"},
		{"all_three", "the id was to be removed, updated and added: the update stays"},
		{"duplicate_update", "the id was to be updated twice: the last one counts"},
	}
}

// Features lists what an engine may declare in addition to its profile.
func Features() []Term {
	return []Term{
		{FeatureLadder, "takes more than one reply"},
		{FeatureProfiles, "takes any profile"},
	}
}

// Danger is one attempt of a reply to change finished work, whether it was rejected,
// corrected silently, or applied.
type Danger struct {
	Kind string `json:"kind"` // see DangerKinds
	Step string `json:"step"` // as the plan spells its id
}

// The kinds of danger.
const (
	DangerEdit    = "edit"
	DangerRemoval = "removal"
	DangerReuse   = "reuse"
	DangerRewrite = "rewrite"
)

// DangerKinds lists how a reply can endanger finished work.
func DangerKinds() []Term {
	return []Term{
		{DangerEdit, "an update of a finished step"},
		{DangerRemoval, "a removal of a finished step, or a whole plan without it"},
		{DangerReuse, "a new step under the id of a finished one"},
		{DangerRewrite, "a whole plan that changes a finished step"},
	}
}

// AddDangers adds dangers to a list that has each one once.
func AddDangers(to []Danger, list ...Danger) []Danger {
	for _, d := range list {
		if !slices.Contains(to, d) {
			to = append(to, d)
		}
	}
	return to
}

// Question is what a run asks a model next.
type Question struct {
	Kind QuestionKind
	Plan jsontext.Value // the plan so far; nil while there is none
	Step string         // the id of the step that the question is about; "" is none
	// Told holds the results and corrections that the model gets since its last reply.
	Told []string
	Why  *Refusal // what refused the last reply; nil if nothing did
}

// QuestionKind is the kind of a question.
type QuestionKind string

// The questions of a run.
const (
	AskPlan   QuestionKind = "plan"   // for a whole plan
	AskStep   QuestionKind = "step"   // for the next action in a step
	AskReplan QuestionKind = "replan" // for a change of the plan
)

// Answer gets the reply to a question. It reports false where no reply can be had.
type Answer func(Question) (Reply, bool)
