// Package rules is the reference engine of the dialect planmode: a session that
// can be in plan mode, in which only one plan file may be written until the user
// approves the plan.
//
// [Eval] takes a case and a profile and returns an outcome. A case is a script: the
// state in which the session begins, its files, and the calls of the model with the
// answers of the user.
//
//	context  {"agent":false,"agent_tools":[],"phase":"explore","seed":7}
//	files    {"src/main.go":"package main","notes.md":{"link":"src/main.go"}}
//	calls    [{"tool":"EnterPlanMode","approval":"approve"},
//	          {"tool":"write","args":{"path":"{plan}","content":"# Plan"}},
//	          {"phase":"design"},
//	          {"tool":"ExitPlanMode","approval":"keep_planning","feedback":"too long"}]
//
// # Context
//
// All members are optional.
//
//   - agent: false or ""; true in the context of a sub-agent; or the name of the
//     sub-agent. A name means the same as true, except "plan": the plan agent never
//     writes, edits or runs commands, whatever agent_tools contains. Names of agents
//     are compared without regard to case, here and in Task: Plan is plan.
//   - agent_tools: which of write, edit and bash the agent has.
//   - phase: the session begins in plan mode, in this phase. Default: it begins in
//     the mode normal.
//   - seed: the seed of the plan file's name, 0 to 2⁶⁴−1. Default: 0.
//   - slugs: the first names that are drawn, so that a script knows them. A call
//     that finds none of them free changes nothing, and the next call draws the
//     same ones again.
//   - slug: the name that the session has from an earlier time in plan mode. Its
//     file may exist.
//   - taken: names of other sessions, with or without a file.
//   - session: the session's id in events. Default: "session".
//   - timestamp: the time at which plan mode is entered, in milliseconds, 0 to
//     2⁵³−1. Default: plan.enter has none.
//
// # Files
//
// Names are clean paths relative to the configuration directory, which has the
// plan files in its subdirectory plans. A value is the file's content, or
// {"link":target} for a symbolic link. Paths are followed as described in package
// planfile; a script's files are a [planfile.Tree], and [Run] takes any other
// [planfile.Files], such as a directory on disk.
//
// # Calls
//
// A call is {tool, args, approval, feedback}, {phase}, or {"toggle":true}, which is
// the user's key for plan mode. Calls are made in order. A rejected call changes
// nothing and emits nothing, and the next call is made. The first rejected
// call determines verdict, code and at of the outcome.
//
//   - EnterPlanMode and ExitPlanMode take no arguments: args is absent or {}.
//   - write {path, content} makes or replaces a file, edit {path, old, new}
//     replaces a text that the file holds exactly once, read {path} returns a
//     file. Every {plan} in a path is replaced by the plan file's path, once the
//     session has one, so that a script need not know the name.
//   - Task {agent} starts an agent; plan mode allows Explore and Plan.
//   - toggle turns plan mode on, in the phase explore, or off, whatever the plan file
//     contains. It needs no approval and emits no event, because the user makes it.
//     The last decision about edits stays in effect. A sub-agent has no user, so its
//     toggle is agent_context.
//   - ls, glob, grep, fetch, bash and AskUserQuestion take any object. They are
//     allowed or not, and do nothing.
//   - Any other tool is always forbidden, whatever its arguments. Names of tools are
//     compared exactly.
//
// Approvals of EnterPlanMode are "approve" (or true) and "deny" (or false). Approvals
// of ExitPlanMode are "auto_accept", "manual" and "keep_planning", or the labels of the
// dialog: "Yes, auto-accept edits", "Yes, manually approve edits", "No, keep planning".
// After manual each write and edit needs "approve" or "deny" too, until plan mode ends
// with auto_accept. A denied one is not made, and this is no error.
//
// If a call has several faults, the first of this list is its code: bad_arguments,
// agent_context, already_in_plan_mode or not_in_plan_mode, empty_plan_file,
// tool_forbidden, replies_exhausted (the script lacks a required approval),
// slug_exhausted, and bad_arguments for a write outside plan mode whose path names no
// file and for an edit that does not find its text exactly once. A write outside plan
// mode to a path outside of the directory is allowed, and changes nothing in the case.
//
// # Plan mode
//
// In plan mode the path of a write or an edit must lead to the plan file itself, with
// links followed, compared byte for byte. This is also true for a sub-agent, which also
// needs the tool. Entering draws the name, or takes the one that the session has, and
// begins in the phase explore. {"phase":next} moves to the next of explore, design,
// review, finalize, exit, and to no other. Leaving is possible in every phase if the plan
// file contains more than white space. It enters the phase exit. keep_planning leads back
// to review.
//
// # Outcome
//
// mode (normal or plan), phase ("" in the mode normal), path and content of the
// plan file ("" before the session has one; a link in its place has no content)
// and trace. For each call the trace has
//
//	{state, step, code, data}   step is the tool, "phase" or "toggle", state where
//	                            the call found the session: normal, or the phase
//
// followed by the events {state, event, data} of that call, with the state that they
// lead to. data of EnterPlanMode is {path, guidance}, of a write or edit that was made
// {path} (the file's name), of read {content}, of a phase {phase}, of a toggle {mode,
// path}. Guidance is for the model, and only has to name the path. The events:
//
//	plan.enter     {sessionId, planFilePath, planExists, timestamp}
//	plan.exit      {sessionId, planFilePath, planContent, isAgent}
//	plan.approved  {sessionId, planFilePath, edits}      edits: accepted or asked
//	plan.denied    {sessionId, planFilePath, feedback}   planFilePath "" before there is one
//
// The comparison of engines ignores the slug of the plan file unless the case gives
// it. isAgent of plan.exit is always false, because a sub-agent may not leave plan mode.
//
// The package runs no tool, and the profile has no knobs for this dialect.
package rules
