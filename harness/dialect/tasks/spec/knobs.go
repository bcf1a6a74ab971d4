package spec

import (
	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// Values of knobs that other dialects do not have.
const (
	Given     = "given"
	Blocks    = "blocks"
	Warn      = "warn"
	Allow     = "allow"
	AnyNumber = "any"
	One       = "one"
	Cascade   = "cascade"
	Orphan    = "orphan"
	Each      = "each"
	AllOrNone = "all"
)

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Settings are the values of the knobs.
// It has a field for each knob.
type Settings struct {
	IDs, Blank, Cancelled, DoneEdit, Reopen, DeleteDone, UnknownDependency, Cycles, Early, InProgress, CreateStatus,
	SameSubject, DeleteNeeded, Unchanged, Batch, Dependents, MaxText string

	ExtraFields string
}

// SettingsOf reads a profile.
func SettingsOf(p harness.Profile) Settings {
	list := Knobs()
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
