// Package rules is the reference engine of the dialect orchestrator: a whole run
// of an agent that works by a plan, from planning through its steps to
// verification. The case scripts everything that comes from outside: the replies
// of the model, the results of tools, the results of verifications.
//
// [Eval] takes a case and a profile and returns an outcome. A run is a state machine:
// [spec.Transitions] lists states and transitions, and the page help.md of the dialect the rules.
// After every event, a new machine can continue with the state alone; interrupt_after of the case
// does that.
//
// The format leaves some choices open. This package decides:
//
//   - Each start of a step counts its rounds from zero. A run that continues without
//     a plan does not use a plan of the case.
//   - A tool call or a verification without a scripted result ends the run with
//     replies_exhausted, like a missing reply. A ladder that finds no further reply
//     goes on to react. Without that rung it ends the run with replies_exhausted
//     if it has read no reply, else with replan_failed.
//   - Every result in tools and verify has a member ok. A script of another form
//     is rejected before the run begins, with the code of the fault and a pointer
//     into the case. interrupt_after counts from 1.
//   - A step that is in_progress in the plan of the case starts again. A step that
//     is blocked there waits like a pending one. A step is blocked while a step
//     that it needs, directly or through others, has failed.
//   - Envelopes and tool calls are extracted from a reply like any other document,
//     by the profile's reading. Unknown members make them invalid, unless
//     extra_fields is drop or reading.coerce removes them. control and tool never
//     occur together. Coercion never removes type and steps, because they belong to
//     a plan.
//   - The control words STEP_DONE and REPLAN count in any case, alone on a line:
//     plain, in 【】, in [], in bold (** or __), in back quotes or in quotes, each followed by
//     punctuation of either script, and in no other form. They count even next to a
//     tool call, but not next to an envelope, not within a leading <think> block,
//     and not if the reply as a whole cannot be read.
//   - reply_invalid has the code of reading: missing_field for an object with
//     neither control nor tool, bad_type for an unknown control or null, empty_id for
//     a tool without a name.
//   - A step that asks for another plan has not failed. It waits, even if the
//     reply was its last round, and the other steps of its wave still run.
//   - A patch reopens the failed and blocked steps that its updates name, even if
//     the values are equal. The rung react changes no plan.
//   - A run without a plan has nothing to patch, so react is the only rung. A
//     ladder without that rung ends the run with replan_failed.
//   - A failed tool or a changed environment without a replan left, or that replan_on
//     does not name, is told to the model, and the step continues.
//   - max_tool_result_chars bounds each text of a tool result that the model sees,
//     in Unicode code points: its head, a note with the number of characters that
//     were left out, and its tail. If the note does not fit, only the head is left.
//     Under this limit tool_called says whether the result was shortened.
//   - Trimming changes neither the log nor the outcome. For the policy, the system
//     message has the tag system_prompt, and a question for a patch the tag plan.
//   - The event resumed comes even after the last event of a run.
//   - The outcome has the repairs and warnings of all replies that the run used,
//     in one list; a warning lists each id once. truncated names the steps that
//     were cut from the end of a first plan, then the steps that needed them.
package rules
