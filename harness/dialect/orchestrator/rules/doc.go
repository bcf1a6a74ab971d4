// Package rules is the reference for the dialect orchestrator: a whole
// run of an agent that works by a plan, from planning through its steps to
// verification, with everything scripted that the world would answer: the
// model's replies, the results of tools, the results of verifications.
//
// [Eval] is the door. A run is a machine over a state that can be saved after
// every event and taken up by a new process; the case's interrupt_after does
// just that. States and transitions are those of [spec.Transitions]:
//
//   - INTAKE looks the case over. PLANNING reads a reply as a whole plan, unless
//     there is one. After the last retry, or from the start where planning is off,
//     the run goes on without a plan, in the one implicit step "react"; a plan of
//     the case is then not used.
//   - EXECUTING runs steps whose dependencies are all done, in plan order, up to
//     "parallel" of them as a wave, each to its end. In a step the model calls
//     tools or gives a control: the step is done, or another plan is needed.
//     Every other reply is answered with a correction. All replies of a step but
//     step_done are rounds, and a step that uses up its rounds has failed.
//   - After a wave in which a step failed or asked for another plan, and from
//     BLOCKED, where nothing can run, RECOVERING climbs the ladder of package
//     planpatch over the replies that follow. Each climb counts as a replan from
//     its start.
//   - VERIFYING takes the next scripted verification, if anything was written. One
//     that fails ends the run, unless it leads to another plan.
//   - What the knob replan_on names leads to RECOVERING, too, while replans are left
//     and there is a plan to change: a verification that did not pass, a tool that
//     failed, a tool result by which the environment has changed. With no replan
//     left, or not named, the model is told of the latter two and the step goes on.
//   - DONE means that every step is done, and no other end is a success. A run
//     that fails stays in its state and says why in its code.
//
// What the format leaves open is settled thus:
//
//   - Limits that a case does not give: 20 rounds a step, 2 replans, 1 planning
//     retry. Rounds count anew each time that a step begins.
//   - A tool call or a verification for which the script holds no result ends
//     the run with replies_exhausted, like a missing reply: nothing is made up. A
//     ladder that has read a reply and finds no further one goes on to its next
//     rung, as it does anywhere.
//   - Every result in tools and verify has a member ok; a script of another form
//     is refused before the run begins, with the code of the fault and a pointer
//     into the case. interrupt_after counts from 1.
//   - A step that is in_progress in the plan of the case begins again; one that
//     is blocked there waits like a pending one. A step is blocked while a step
//     that it needs, directly or through others, has failed.
//   - Envelope and tool call are found in a reply like any other document, by the
//     profile's reading. Members that they do not have make them invalid, unless
//     extra_fields is drop or reading.coerce takes them away; control and tool
//     never go together, and type and steps are never taken away, for they speak
//     of a plan.
//   - The control words STEP_DONE and REPLAN count in any case, alone on a line: as
//     they are, in 【】, in [], in bold, in back quotes or in quotes, each with
//     punctuation of either script behind it, and in no other dress. They count
//     even beside a tool call, but not beside an envelope, and not within a leading
//     <think> block or where the reply as a whole cannot be read.
//   - reply_invalid has the code of reading: missing_field for an object with
//     neither control nor tool, bad_type for an unknown control,
//     empty_id for a tool without a name.
//   - A step that asks for another plan has not failed: it waits, even if the
//     reply was its last round, and the other steps of its wave still run.
//   - A patch reopens the failed and blocked steps that its updates name, equal
//     values included; a whole plan reopens all that it still has. The rung react
//     changes no plan: every failed step may try again.
//   - In a run without a plan there is nothing to patch, so that of the ladder
//     only react is left. Without that rung the run ends with replan_failed.
//   - Files count as written whether the tool that wrote them succeeded or not. A
//     process that takes up a run behind its passed verification finds the same
//     hashes and skips it (verify_cached).
//   - max_tool_result_chars bounds each text of a tool's result as the model is told
//     it: its head and its tail, and between them how much was left out, all in that
//     many characters (Unicode code points). A bound too small for that note leaves
//     the head. Under this limit tool_called says whether the result was summarised.
//   - With a budget, the whole conversation is trimmed anew before each call, by the
//     policy of the case or else by emergency. The log and the outcome keep it whole. The
//     system message has the tag system_prompt, a question for a patch the tag plan. The
//     script says what the model replies, whatever it was shown.
//   - The trace begins with INTAKE and has an event for every state entered. The
//     event resumed stands behind the one that the run was interrupted after, be
//     it the last.
//   - Repairs and warnings are those of all replies that the run took something
//     from, in one list, each id of a warning once. truncated names the steps cut
//     from the end of a first plan, and then those that needed them.
package rules
