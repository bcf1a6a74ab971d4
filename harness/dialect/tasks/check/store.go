package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/hunt/judge"
)

// storeRules look at what engines with the feature store note besides their answers.
func storeRules() []judge.Check {
	loss := func(name, text string) []judge.Kind { return judge.Says(judge.Loss, name, text) }
	unsound := func(name, text string) []judge.Kind { return judge.Says(judge.Unsound, name, text) }
	reports := func(name, text string) []judge.Kind { return judge.Says(judge.Reports, name, text) }
	return []judge.Check{
		noted("survives-restart", "a store has the same tasks after a restart", spec.FaultRestart).Breaking(
			loss("lost", "Loses tasks in a restart"), loss("changed", "Changes tasks in a restart"),
			loss("down", "Does not start again")),
		noted("parallel", "calls that are sent at once have the result of some order", spec.FaultParallel, spec.FaultClients).Breaking(
			loss("lost", "Loses what calls reported that were sent at once"),
			loss("unreadable", "Leaves tasks that cannot be read after calls that were sent at once"),
			loss("twice", "Assigns one id to two tasks that are created at once")),
		noted("crash-safe", "a store that is killed is as before the call or as after it", spec.FaultTerminate,
			spec.FaultKill).Breaking(
			loss("half", "Carries out half of a call when it is killed"), loss("unreadable", "Fails to read its tasks after it was killed")),
		noted("cancel-whole", "a cancelled call is carried out completely or not at all", spec.FaultCancel).Breaking(
			loss("half", "Carries out half of a cancelled call")),
		noted("store-honest", "a damaged store is reported, and kept as it is", spec.FaultReadOnly, spec.FaultEmpty,
			spec.FaultTruncated, spec.FaultEarlier).Breaking(
			loss("overwritten", "Overwrites a damaged store"), loss("empty", "Reports a damaged store as empty"),
			loss("omits", "Leaves out a task whose file is damaged"),
			loss("unsaved", "Reports a call as carried out that it could not save")),
		noted("schema-kept", "arguments that the tool's schema forbids are rejected").Breaking(
			unsound("accepted", "Accepts arguments that the tool's own schema forbids")),
		noted("protocol", "answers follow the protocol").Breaking(
			reports("stdout", "Writes text to standard output that is not the protocol"),
			reports("unmarked", "Reports errors without isError"),
			reports("output-schema", "Returns results that the tool's own output schema forbids"),
			reports("no-ping", "Answers a ping with an error"), reports("twice", "Answers a request twice"), reports("crossed", "Answers a request with the result of another one"),
			reports("unknown-tool", "Reports success for a tool that does not exist")),
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
		if !x.Declared().Has("store") {
			return judge.Skip()
		}
		notes := spec.Notes(&x.Out)
		i := slices.IndexFunc(notes, func(n spec.Note) bool { return n.Check == name })
		switch {
		case i < 0 && len(faults) > 0 && !slices.Contains(faults, spec.Fault(&x.Item.Case)):
			return judge.Skip()
		case i < 0:
			return judge.Held()
		}
		return judge.Broke(notes[i].Kind, "", "notes", notes[i].Text)
	})
}

// again asks the same again, unless chance decides what happens.
func again() judge.Check {
	c := judge.Again()
	ask := c.Run
	c.Run = func(x *judge.Examination) judge.Result {
		if undetermined(x.Item.Case) {
			return judge.Skip()
		}
		return ask(x)
	}
	return c
}

// undetermined reports whether the rules leave open what happens under the fault of a case.
func undetermined(c harness.Case) bool {
	fault := spec.Fault(&c)
	return fault != "" && !slices.Contains([]string{spec.FaultRestart, spec.FaultTool, spec.FaultRawID}, fault)
}
