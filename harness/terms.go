package harness

// Dialects lists the dialects that this build has rules for.
func Dialects() []Term {
	return []Term{
		{PlanPatch, "patches over a plan: remove, update and add steps by id, with a ladder of fallbacks"},
	}
}

// Rungs lists the rungs of the fallback ladder.
func Rungs() []Term {
	return []Term{
		{string(RungPatch), "reads a reply as a patch"},
		{string(RungRetry), "asks again, with code and message, and reads a patch"},
		{string(RungFullPlan), "reads a whole new plan and puts finished work back"},
		{string(RungReact), "gives up planning and goes on without a plan"},
	}
}

// Events lists the events of the ladder.
func Events() []Term {
	return []Term{
		{EventReplanRequested, "a model was asked to change the plan"},
		{EventPatchApplied, "a patch was read and applied"},
		{EventPatchRejected, "a reply was refused as a patch"},
		{EventRetryRequested, "the model was asked again"},
		{EventFullPlanUsed, "a whole plan took the old one's place"},
		{EventFullPlanRejected, "a reply was refused as a whole plan"},
		{EventReactUsed, "planning was given up"},
		{EventReplanFailed, "no rung was left"},
	}
}

// Warnings lists the warnings.
func Warnings() []Term {
	return []Term{
		{WarnUnknownField, "members that the document does not have were dropped"},
		{WarnStatusForced, "a reply cannot declare work done: the status became pending"},
		{WarnConfusableID, "ids differ only in case, width or normal form"},
		{WarnAmbiguousReply, "a later object in the reply says something else; the first counts"},
		{WarnUnknownRemove, "a step to remove is not in the plan"},
		{WarnDuplicateRemove, "a step stands twice among those to remove"},
		{WarnDuplicateDependency, "a dependency listed twice was kept once"},
		{WarnTruncated, "steps that did not fit the limit were left out"},
		{WarnDetached, "a dependency on a removed step was dropped, and the order behind it is lost"},
		{WarnBridged, "a dependency on a removed step became one on what that step needed"},
		{WarnDoneRestored, "finished steps that the new plan had lost were put back"},
		{WarnDuplicateKey, "a member name stands twice in one object; the last counts"},
		{WarnRepliesUnused, "replies were left that nothing read"},
		{WarnPositionIgnored, "a position was not understood, so the step went to the end"},
	}
}
