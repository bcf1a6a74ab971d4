package check

import "replanbench/harness/judge"

// The names of the checks that several dialects make.
const (
	Atomic        = "atomic"
	IDsUnique     = "ids-unique"
	DepsExist     = "deps-exist"
	DepsAcyclic   = "deps-acyclic"
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
	list := []judge.Check{judge.Holds(Atomic, "a refused reply leaves nothing behind", atomic).Breaking(judge.Of(judge.Loss, "left", "after"))}
	list = append(list, Steps()...)
	return append(list, judge.Holds(NewPending, "an added step starts as pending, and no reply makes a step done", newPending).
		Breaking(judge.Of(judge.Forged, "added", "became-done")))
}

// Steps are those of them that hold for the plan of a run, too.
func Steps() []judge.Check {
	return []judge.Check{
		judge.Holds(DoneImmutable, "the new plan has every done step, member for member, in the same order", doneImmutable).Breaking(judge.Of(judge.Loss, "gone", "changed:MEMBER", "order")),
		judge.Holds(IDsUnique, "ids in the new plan are unique and not blank", idsUnique).Breaking(judge.Of(judge.Unsound, "blank", "twice")),
		judge.Holds(DepsExist, "every dependency names a step of the new plan", depsExist).Breaking(judge.Of(judge.Unsound, "removed", "cut", "unknown")),
		judge.Holds(DepsAcyclic, "no step of the new plan depends on itself, directly or through others", depsAcyclic).Breaking(judge.Of(judge.Unsound, "self", "cycle")),
		judge.Holds(WithinLimit, "the new plan has at most max_plan_steps steps, or no more than the old one", withinLimit).Breaking(judge.Of(judge.Unsound, "grown")),
	}
}

// Growth is the check of the time that long replies take.
func Growth() judge.Check {
	return judge.Sampled(judge.Holds(Bounded, "time grows no faster than the reply", bounded).Breaking(judge.Of(judge.Crashes, "slow:TEXT", "fails:TEXT")))
}
