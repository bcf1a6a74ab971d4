package invariant

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
	untouchedText = "steps that the reply does not name keep their members and their order"
	lossText      = "what the reply asked for and did not get is named in the outcome"
	renameText    = "renaming ids renames them in the outcome and changes nothing else"
	layoutText    = "white space, key order and fences round the same JSON change nothing"
	twiceText     = "the same reply on the new plan breaks no safety invariant"
)

// Plans are the checks that look at the plan before and after an edit.
func Plans() []Check {
	list := []Check{safety(Atomic, "a refused reply leaves nothing behind", (*examination).atomic)}
	list = append(list, Steps()...)
	return append(list, safety(NewPending, "an added step starts as pending, and no reply makes a step done", (*examination).newPending))
}

// Steps are those of them that hold for the plan of a run, too.
func Steps() []Check {
	return []Check{
		safety(DoneImmutable, "every done step stands in the new plan, member for member, in the same order", (*examination).doneImmutable),
		safety(IDsUnique, "ids in the new plan are unique and not blank", (*examination).idsUnique),
		safety(DepsExist, "every dependency names a step of the new plan", (*examination).depsExist),
		safety(DepsAcyclic, "no step of the new plan depends on itself, directly or through others", (*examination).depsAcyclic),
		safety(WithinLimit, "the new plan has at most max_plan_steps steps, or no more than the old one", (*examination).withinLimit),
	}
}

// Growth is the check of the time that long replies take.
func Growth() Check {
	return sampled(safety(Bounded, "time grows no faster than the reply", (*examination).bounded))
}
