package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/hunt/judge"
)

// storeRules look at what engines with the feature store note besides their answers.
func storeRules() []judge.Check {
	return []judge.Check{
		noted("survives-restart", "a store has the same tasks after a restart", spec.FaultRestart),
		noted("parallel", "calls that are sent at once have the result of some order", spec.FaultParallel, spec.FaultClients),
		noted("crash-safe", "a store that is killed is as before the call or as after it",
			spec.FaultTerminate, spec.FaultKill),
		noted("cancel-whole", "a cancelled call is carried out completely or not at all", spec.FaultCancel),
		noted("store-honest", "a damaged store is reported, and kept as it is",
			spec.FaultReadOnly, spec.FaultEmpty, spec.FaultTruncated, spec.FaultEarlier),
		noted("schema-kept", "arguments that the tool's schema forbids are rejected"),
		noted("protocol", "answers follow the protocol"),
	}
}

// SameNotes reports whether two outcomes have the same notes. Their texts may quote what
// differs in each run: a time, or the folder of the server.
func SameNotes(want, got *harness.Outcome) bool {
	return slices.EqualFunc(spec.Notes(want), spec.Notes(got), func(w, g spec.Note) bool {
		return w.Check == g.Check && w.Kind == g.Kind
	})
}

// noted is a check that breaks if the outcome has a note for it. Without a note it holds only under the faults that it
// is about; without faults it is about every case.
func noted(name, text string, faults ...string) judge.Check {
	return judge.Holds(name, text, func(x *judge.Examination) judge.Result {
		notes := spec.Notes(&x.Out)
		i := slices.IndexFunc(notes, func(n spec.Note) bool { return n.Check == name })
		switch {
		case i < 0 && len(faults) > 0 && !slices.Contains(faults, spec.Fault(&x.Item.Case)):
			return judge.Skip()
		case i < 0:
			return judge.Held()
		}
		return judge.Broke(notes[i].Kind, "", "notes", notes[i].Text)
	}).Where(func(x *judge.Examination) bool { return x.Declared().Has("store") })
}

// again asks the same again, unless chance decides what happens.
func again() judge.Check {
	return judge.Again().Where(func(x *judge.Examination) bool { return !undetermined(x.Item.Case) })
}

// undetermined reports whether the rules leave open what happens under the fault of a case.
func undetermined(c harness.Case) bool {
	fault := spec.Fault(&c)
	return fault != "" && !slices.Contains([]string{spec.FaultRestart, spec.FaultTool, spec.FaultRawID}, fault)
}
