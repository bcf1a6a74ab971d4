package spec

import (
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// Values of knobs that other dialects do not have.
const (
	Engine    = "engine"
	Given     = "given"
	Frees     = "frees"
	Blocks    = "blocks"
	Warn      = "warn"
	Allow     = "allow"
	AnyNumber = "any"
	One       = "one"
	Unlink    = "unlink"
	Cascade   = "cascade"
	Orphan    = "orphan"
	Each      = "each"
	Stop      = "stop"
	AllOrNone = "all"
)

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return knobs() }

// knobs is made once and never written.
var knobs = sync.OnceValue(func() []harness.Knob {
	const reject = harness.Reject
	return []harness.Knob{
		knob.Own("ids", "who chooses the id of a new task", Engine, Engine, Engine, Engine, Engine, Given),
		knob.Own("blank", "whether a subject may be blank", reject, reject, reject, reject, reject, Allow),
		knob.Own("cancelled", "whether a cancelled blocker blocks", Frees, Frees, Frees, Frees, Frees, Blocks),
		knob.Own("done_edit", "whether a finished task can be edited", reject, Allow, reject, reject, reject, Allow),
		knob.Own("reopen", "whether a call can change the status of a done task", reject, Allow, reject, Allow, reject, Allow),
		knob.Own("delete_done", "whether a finished task can be deleted", reject, Allow, reject, reject, reject, Allow),
		knob.Own("unknown_dependency", "the treatment of edges to tasks that do not exist", reject, reject, reject,
			harness.Drop, reject, harness.Drop),
		knob.Own("cycles", "whether edges may form a cycle", reject, reject, reject, reject, reject, Allow),
		knob.Own("early", "the treatment of a task that starts or ends while it is blocked", reject, Allow, reject, Warn,
			reject, Warn, Allow),
		knob.Own("in_progress", "how many tasks may be in progress", AnyNumber, AnyNumber, One, harness.Last,
			AnyNumber, One, harness.Last),
		knob.Own("create_status", "whether a new task may have another status than pending", reject, reject, reject, Allow,
			reject, Allow),
		knob.Own("same_subject", "whether two open tasks may have the same subject", Allow, Allow, reject, Allow, Allow, reject),
		knob.Own("delete_needed", "the treatment of tasks that need a deleted one", reject, Unlink, reject, Unlink, reject,
			Unlink, Cascade, Orphan),
		knob.Own("unchanged", "whether a call that changes nothing is carried out", Allow, Allow, reject, Allow, Allow, reject),
		knob.Own("batch", "what a refused call means for the other calls of its reply", Each, Each, AllOrNone, Each, Each, Stop,
			AllOrNone),
		knob.Dependents(), knob.MaxText(),
	}
})

// Settings are the values of the knobs.
// It has a field for each knob.
type Settings struct {
	IDs, Blank, Cancelled, DoneEdit, Reopen, DeleteDone, UnknownDependency, Cycles, Early, InProgress, CreateStatus,
	SameSubject, DeleteNeeded, Unchanged, Batch, Dependents, MaxText string

	ExtraFields string
}

// SettingsOf reads a profile.
func SettingsOf(p harness.Profile) Settings {
	list := knobs()
	of := func(i int) string { return list[i].Own(&p) }
	return Settings{
		IDs: of(0), Blank: of(1), Cancelled: of(2), DoneEdit: of(3), Reopen: of(4), DeleteDone: of(5),
		UnknownDependency: of(6), Cycles: of(7), Early: of(8), InProgress: of(9), CreateStatus: of(10),
		SameSubject: of(11), DeleteNeeded: of(12), Unchanged: of(13), Batch: of(14), Dependents: of(15),
		MaxText: of(16), ExtraFields: p.ExtraFields,
	}
}

// Stored returns a subject or a description as the store keeps it.
func (s *Settings) Stored(text string) string { return knob.Store(text, false, s.MaxText) }
