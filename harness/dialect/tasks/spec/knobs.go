package spec

import (
	"sync"

	"replanbench/harness"
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
	knob := func(name, text, reference, documented, strict, lenient string, values ...string) harness.Knob {
		k := harness.Knob{Name: name, Text: text, Values: values, Default: reference, Named: map[string]string{}}
		for set, v := range map[string]string{
			harness.ProfileDocumented: documented, harness.ProfileStrict: strict, harness.ProfileLenient: lenient,
		} {
			if v != reference {
				k.Named[set] = v
			}
		}
		return k
	}
	return []harness.Knob{
		knob("ids", "who chooses the id of a new task", Engine, Engine, Engine, Engine, Engine, Given),
		knob("blank", "whether a subject may be blank", reject, reject, reject, reject, reject, Allow),
		knob("cancelled", "whether a cancelled blocker blocks", Frees, Frees, Frees, Frees, Frees, Blocks),
		knob("done_edit", "whether a finished task can be edited", reject, Allow, reject, reject, reject, Allow),
		knob("reopen", "whether a call can change the status of a done task", reject, Allow, reject, Allow, reject, Allow),
		knob("delete_done", "whether a finished task can be deleted", reject, Allow, reject, reject, reject, Allow),
		knob("unknown_dependency", "the treatment of edges to tasks that do not exist", reject, reject, reject,
			harness.Drop, reject, harness.Drop),
		knob("cycles", "whether edges may form a cycle", reject, reject, reject, reject, reject, Allow),
		knob("early", "the treatment of a task that starts or ends while it is blocked", reject, Allow, reject, Warn,
			reject, Warn, Allow),
		knob("in_progress", "how many tasks may be in progress", AnyNumber, AnyNumber, One, harness.Last,
			AnyNumber, One, harness.Last),
		knob("create_status", "whether a new task may have another status than pending", reject, reject, reject, Allow,
			reject, Allow),
		knob("same_subject", "whether two open tasks may have the same subject", Allow, Allow, reject, Allow, Allow, reject),
		knob("delete_needed", "the treatment of tasks that need a deleted one", reject, Unlink, reject, Unlink, reject,
			Unlink, Cascade, Orphan),
		knob("unchanged", "whether a call that changes nothing is carried out", Allow, Allow, reject, Allow, Allow, reject),
		knob("batch", "what a refused call means for the other calls of its reply", Each, Each, AllOrNone, Each, Each, Stop,
			AllOrNone),
	}
})

// Settings are the values of the knobs.
// It has a field for each knob.
type Settings struct {
	IDs, Blank, Cancelled, DoneEdit, Reopen, DeleteDone, UnknownDependency, Cycles, Early, InProgress, CreateStatus,
	SameSubject, DeleteNeeded, Unchanged, Batch string

	ExtraFields string
}

// SettingsOf reads a profile.
func SettingsOf(p harness.Profile) Settings {
	s := Settings{ExtraFields: p.ExtraFields}
	for i, to := range []*string{
		&s.IDs, &s.Blank, &s.Cancelled, &s.DoneEdit, &s.Reopen, &s.DeleteDone, &s.UnknownDependency, &s.Cycles, &s.Early,
		&s.InProgress, &s.CreateStatus, &s.SameSubject, &s.DeleteNeeded, &s.Unchanged, &s.Batch,
	} {
		*to = knobs()[i].Get(p)
	}
	return s
}
