package generators

import "replanbench/harness"

// dialect is how the cases of a dialect are made.
type dialect struct {
	name   string
	faults func() []Fault
	maker  func(Options) (maker, error)
}

// maker makes samples from choices. It is safe for concurrent use.
type maker interface {
	make(c choices) Sample
}

// dialects is the table of what samples can be made for.
func dialects() []dialect {
	return []dialect{
		{harness.PlanPatch, func() []Fault { return listed(patchFaults) }, newPatchMaker},
		{harness.Operations, func() []Fault { return listed(updateFaults) }, newUpdateMaker},
		{harness.Orchestrator, func() []Fault { return listed(runFaults) }, newRunMaker},
		{harness.PlanMode, func() []Fault { return listed(sessionFaults) }, newSessionMaker},
		{harness.Trim, trimFaults, newTrimMaker},
	}
}

// Dialects lists the dialects that samples can be made for.
func Dialects() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// Faults lists the faults of a dialect in the order of their families; none
// for a dialect that has no samples.
func Faults(dialect string) []Fault {
	for _, d := range dialects() {
		if d.name == dialect {
			return d.faults()
		}
	}
	return nil
}
