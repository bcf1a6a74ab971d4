// Package rules is the reference engine of the dialect operations: a model
// answers with a list of operations (add, modify, remove, reorder) on a plan
// with versions, whose finished steps have results.
//
// [Eval] takes a case and a profile and returns an outcome. The page help.md of the dialect states
// the rules. A new step cannot have an id from the plan before the update either. The ids of an
// undone update are free for the next update. A running step may be changed and removed; its
// runner must check for that.
//
// The format leaves some choices open. This package decides:
//
//   - A reply is rejected as a whole only if it has no list of operations. Other
//     members of the document, and members of plan_metadata that are unknown or
//     of the wrong type, are dropped with the warning unknown_field. So are
//     members that an operation of this type does not use, unless they are null.
//   - null for an optional member means that it is absent. null for a required
//     member is of the wrong type. A member of the wrong type makes its operation
//     fail with bad_type, a blank id with empty_id. Of several such faults the
//     first counts, in the order step_id, position, step_data, reason. These faults
//     come before the question whether the operation may have the member: a
//     modification with the id 7 is bad_type.
//   - A step's id may have several names. The first of step_id, stepID, stepId and
//     id that is not null counts.
//   - The place of an aborted update is the member at fault: the value of the
//     wrong type, the missing or cyclic dependency, the unknown member. Without
//     such a member it is the operation.
//   - Descriptions and names of steps stay as they are written.
//   - Coercion removes every unknown member, also type and steps: an update is
//     recognised only by its operations, and no other document by its type.
//   - Unknown members of an added step follow the knob extra_fields.
//   - A dependency that is listed twice is kept once (duplicate_dependency).
//   - Ids are trimmed, or put in the spelling that the plan uses. Results are kept
//     and cleared by exactly the ids of the plan.
//   - A number without a fraction is an integer, however it is written: 1.0 is 1.
//     A position that names a step that does not exist is out of range.
//   - The log has the id that a failed operation names, as far as it could be read. A
//     failed addition without an id has none in the log.
//   - With several replies, the outcome has the repairs and warnings of all of
//     them, and the tier of the last applied one. If none was applied, code and
//     tier come from the last one.
//   - A step that was detached or bridged has changed, so its result is cleared. A
//     completed step keeps its dependencies, and so does a step whose dependencies
//     the same update wrote: there the removal fails with dependents_exist under
//     every value of orphans.
//   - The outcome has the reason of each operation. So does the entry that the
//     update adds to the history, in "operations": a list of the requests (type,
//     step_id, reason) with their results. A reason that is not a string fails with
//     bad_type and is in neither.
//   - A step of the input plan has a name or a description. An entry of the
//     history is a plan with steps.
package rules
