// Package rules is the reference engine of the dialect planmode: [Eval] plays the script of a
// case and returns its outcome. The page help.md of the dialect states the rules, [spec.Session]
// the form of a case, and package planfile how paths are followed. A script's files are a
// [planfile.Tree], and [Run] takes any other [planfile.Files], such as a directory on disk.
//
// The format leaves some choices open. This package decides:
//
//   - Names of agents are compared without regard to case, also in Task: Plan is plan. Names of
//     tools are compared exactly.
//   - A call that finds none of the slugs of the script free changes nothing, and the next call
//     draws the same ones again. The file of the session's own slug may exist.
//   - The toggle turns plan mode on in the phase explore, or off, whatever the plan file contains.
//     It needs no approval and emits no event, because the user makes it. The last decision about
//     edits stays in effect.
//   - After manual each write and edit needs "approve" or "deny", until plan mode ends with
//     auto_accept. A denied one is not made, and this is no error.
//   - Behind the reasons that help.md lists comes bad_arguments for a write outside plan mode whose
//     path names no file, and for an edit that does not find its text exactly once. A write
//     outside plan mode to a path outside of the directory is allowed, and changes nothing.
//   - A link instead of the plan file has no content in the outcome.
//
// For each call the trace has
//
//	{state, step, code, data}   step is the tool, "phase" or "toggle", state where
//	                            the call found the session: normal, or the phase
//
// followed by the events of that call, with the state that they lead to. data of EnterPlanMode
// is {path, guidance}, of a write or edit that was made {path} (the file's name), of read
// {content}, of a phase {phase}, of a toggle {mode, path}. edits of plan.approved is accepted or
// asked. planFilePath of plan.denied is "" before there is one. isAgent of plan.exit is always
// false, because a sub-agent may not leave plan mode.
package rules
