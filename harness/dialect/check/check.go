// Package check holds the checks that several dialects share: invariants of plans, and
// relations between a case and one derived from it. A dialect's own checks are in its folder.
package check

import (
	"replanbench/harness"
	"replanbench/harness/hunt/judge"
)

// The names of the checks that several dialects make.
const (
	Atomic        = "atomic"
	IDsUnique     = "ids-unique"
	DepsExist     = "deps-exist"
	DoneImmutable = "done-immutable"
	WithinLimit   = "within-limit"
	NewPending    = "new-pending"
	UntouchedKept = "untouched-kept"
	NoSilentLoss  = "no-silent-loss"
	Bounded       = "bounded"
	RenameIDs     = "rename-ids"
	Layout        = "layout"
	ApplyTwice    = "apply-twice"
)

// What a check of several dialects says, each in its own way.
const (
	UntouchedText = "steps that the reply does not name keep their members and their order"
	LossText      = "the outcome names what the reply asked for and did not get"
	RenameText    = "renaming ids renames them in the outcome and changes nothing else"
	LayoutText    = "white space, key order and fences around the same JSON change nothing"
	TwiceText     = "the same reply on the new plan breaks no safety invariant"
)

// Plans are the checks that look at the plan before and after an edit.
func Plans() []judge.Check {
	list := []judge.Check{judge.Holds(Atomic, "a rejected reply changes nothing",
		atomic).Breaking(judge.Says(judge.Loss, "left", "Changes the plan when it rejects a reply"),
		judge.Says(judge.Loss, "after", "Lets a rejected reply change the effect of the next one"))}
	list = append(list, Steps()...)
	return append(list, judge.Holds(NewPending, "an added step starts as pending, and no reply finishes a step",
		newPending).
		Breaking(judge.Says(judge.Forged, "added", "Adds a step that is not pending"),
			judge.Says(judge.Forged, "became-done", "Lets a reply finish a step")))
}

// Steps returns the checks of plans that also hold for the plan of a run.
func Steps() []judge.Check {
	return []judge.Check{
		judge.Holds(DoneImmutable, "the new plan has every finished step, unchanged and in the same order",
			doneImmutable).Breaking(judge.Says(judge.Loss, "gone", "Drops a finished step"),
			judge.Says(judge.Loss, "changed:MEMBER", "Changes a finished step (…)"),
			judge.At(harness.JudgeRules, judge.Says(judge.Loss, "order", "Reorders finished steps"))),
		judge.Holds(IDsUnique, "ids in the new plan are unique and not blank", idsUnique).Breaking(judge.Says(judge.Unsound,
			"blank", "Makes a step with a blank id"), judge.Says(judge.Unsound, "twice", "Makes two steps with the same id")),
		judge.Holds(DepsExist, "every dependency names a step of the new plan", depsExist).Breaking(judge.Says(judge.Unsound,
			"removed", "Leaves a dependency on a removed step"),
			judge.Says(judge.Unsound, "cut", "Leaves a dependency on a step that it did not add"),
			judge.Says(judge.Unsound, "unknown", "Leaves a dependency on an unknown step")),
		judge.Holds("deps-acyclic", "no step of the new plan depends on itself, directly or through others",
			depsAcyclic).Breaking(judge.Says(judge.Unsound, "self", "Makes a step depend on itself"),
			judge.Says(judge.Unsound, "cycle", "Makes a dependency cycle")),
		judge.Holds(WithinLimit, "the new plan has at most max_plan_steps steps or no more than the old plan",
			withinLimit).Breaking(judge.Says(judge.Unsound, "grown", "Makes a plan with too many steps")),
	}
}

// Growth is the check of the time that long replies take.
func Growth() judge.Check {
	return judge.Sampled(judge.Holds(Bounded, "time grows at most linearly with the size of the reply",
		bounded).Breaking(judge.Says(judge.Crashes, "slow:TEXT", "Takes more than linear time for a long reply (…)"),
		judge.Says(judge.Crashes, "fails:TEXT", "Fails on a long reply (…)")))
}
