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
	list := []judge.Check{judge.Holds(Atomic, "a refused reply leaves nothing behind", atomic).Breaking(judge.Says(judge.Loss, "left", "a refused reply leaves a changed plan behind"), judge.Says(judge.Loss, "after", "a refused reply changes what the next one does"))}
	list = append(list, Steps()...)
	return append(list, judge.Holds(NewPending, "an added step starts as pending, and no reply makes a step done", newPending).
		Breaking(judge.Says(judge.Forged, "added", "an added step starts as something else than pending"), judge.Says(judge.Forged, "became-done", "a reply makes a step done")))
}

// Steps are those of them that hold for the plan of a run, too.
func Steps() []judge.Check {
	return []judge.Check{
		judge.Holds(DoneImmutable, "the new plan has every done step, member for member, in the same order", doneImmutable).Breaking(judge.Says(judge.Loss, "gone", "a finished step is gone"), judge.Says(judge.Loss, "changed:MEMBER", "a finished step is changed (…)"), judge.Says(judge.Loss, "order", "finished steps change places")),
		judge.Holds(IDsUnique, "ids in the new plan are unique and not blank", idsUnique).Breaking(judge.Says(judge.Unsound, "blank", "a step of the new plan has a blank id"), judge.Says(judge.Unsound, "twice", "two steps of the new plan have one id")),
		judge.Holds(DepsExist, "every dependency names a step of the new plan", depsExist).Breaking(judge.Says(judge.Unsound, "removed", "a step depends on one that was removed"), judge.Says(judge.Unsound, "cut", "a step depends on one that was asked for and left out"), judge.Says(judge.Unsound, "unknown", "a step depends on one that never was")),
		judge.Holds(DepsAcyclic, "no step of the new plan depends on itself, directly or through others", depsAcyclic).Breaking(judge.Says(judge.Unsound, "self", "a step depends on itself"), judge.Says(judge.Unsound, "cycle", "steps depend on each other in a ring")),
		judge.Holds(WithinLimit, "the new plan has at most max_plan_steps steps, or no more than the old one", withinLimit).Breaking(judge.Says(judge.Unsound, "grown", "the new plan has more steps than allowed")),
	}
}

// Growth is the check of the time that long replies take.
func Growth() judge.Check {
	return judge.Sampled(judge.Holds(Bounded, "time grows no faster than the reply", bounded).Breaking(judge.Says(judge.Crashes, "slow:TEXT", "time grows faster than the reply (…)"), judge.Says(judge.Crashes, "fails:TEXT", "a long reply makes the engine fail (…)")))
}
