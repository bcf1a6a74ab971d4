// Package rules is the reference for the dialect planmode: a session that
// can be in plan mode, where nothing but one plan file may be written until the
// user approves the plan.
//
// [Eval] is the door. A case is a script: where the session begins, which
// files there are, and the calls of the model with what the user says to them.
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
// All members may be absent.
//
//   - agent: false or ""; true for the context of an agent that another one started;
//     or the agent's name, which is the same as true, but that "plan" is the
//     plan agent: it never writes, edits or runs commands, whatever agent_tools
//     says. The names of agents are compared without regard to case, here and
//     where one is started: Plan is plan.
//   - agent_tools: which of write, edit and bash the agent has.
//   - phase: the session begins in plan mode, in that phase. Absent: it begins
//     in the mode normal.
//   - seed: what the plan file's name is drawn from, 0 to 2⁶⁴−1. Absent: 0.
//   - slugs: the first names that are drawn, so that a script knows them. A call
//     that found none free changed nothing: the next one draws the same again.
//   - slug: the name that the session has already, from an earlier time in plan
//     mode. Its file may exist.
//   - taken: names that other sessions have, with a file or without.
//   - session: the session's id in events. Absent: "session".
//   - timestamp: the time at which plan mode is entered, in milliseconds, 0 to
//     2⁵³−1. Absent: plan.enter has none.
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
// A call is {tool, args, approval, feedback}, {phase}, or {"toggle":true}, which
// is the user's own key for plan mode. Calls are made in order, and go on after a refusal; a
// call that is refused changes nothing and
// emits nothing. Verdict, code and at of the outcome are those of the first
// call refused.
//
//   - EnterPlanMode and ExitPlanMode take no arguments: args is absent or {}.
//   - write {path, content} makes or replaces a file, edit {path, old, new}
//     replaces a text that the file holds exactly once, read {path} returns a
//     file. Every {plan} in a path is replaced by the plan file's path, once the
//     session has one, so that a script need not know the name.
//   - Task {agent} starts an agent; plan mode allows Explore and Plan.
//   - toggle turns plan mode on, in the phase explore, or off, whatever the plan
//     file holds. It asks nobody and emits no event, since the user has made it;
//     what was said of edits stands. In an agent's context there is no user:
//     agent_context.
//   - ls, glob, grep, fetch, bash and AskUserQuestion take any object. They are
//     allowed or not, and do nothing.
//   - Any other tool is forbidden everywhere, whatever its arguments. Tools are
//     named exactly.
//
// Approvals: of EnterPlanMode "approve" (or true) and "deny" (or false); of
// ExitPlanMode "auto_accept", "manual" and "keep_planning", or the labels of the
// dialog: "Yes, auto-accept edits", "Yes, manually approve edits", "No, keep
// planning". After manual each
// write and edit is asked for and needs "approve" or "deny" too, until plan mode
// ends with auto_accept; one that is denied is not made, and is no error.
//
// Of several reasons to refuse a call the first counts: bad_arguments,
// agent_context, already_in_plan_mode or not_in_plan_mode, empty_plan_file,
// tool_forbidden, replies_exhausted (an approval is needed and the script has
// none), slug_exhausted. A write outside plan mode whose path names no file,
// and an edit that finds its text not exactly once, are bad_arguments as well,
// found last. A write outside plan mode to a path that leads out of the
// directory is allowed, and changes nothing that a case holds.
//
// # Plan mode
//
// In plan mode a write or an edit must lead to the plan file itself, links
// followed, byte for byte; an agent's as well, which needs the tool besides.
// Entering draws the name, or takes the one that the
// session has, and begins in the phase explore. {"phase":next} goes on to the
// next of explore, design, review, finalize, exit, and to no other. Leaving is
// possible in every phase, with a plan file that holds more than white space.
// It enters the phase exit; keep_planning leads back to review.
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
// and behind it the events {state, event, data} of that call, with the state
// that they lead to. data of a call: of EnterPlanMode {path, guidance}, of a
// write or edit that was made {path}, the file's name, of read {content}, of a
// phase {phase}, of a toggle {mode, path}. Guidance is for the model, and only has to name the path. The
// events:
//
//	plan.enter     {sessionId, planFilePath, planExists, timestamp}
//	plan.exit      {sessionId, planFilePath, planContent, isAgent}
//	plan.approved  {sessionId, planFilePath, edits}      edits: accepted or asked
//	plan.denied    {sessionId, planFilePath, feedback}   planFilePath "" before there is one
//
// A name that was drawn is as good as any other: engines are compared up to the
// slug of the plan file, unless the case gives it. isAgent of plan.exit is
// always false, because an agent may not leave plan mode.
//
// Nothing here runs a tool, and the profile has no knob for it.
package rules
