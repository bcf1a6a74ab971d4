// Package rules is the reference for the dialect operations: a model
// answers with a list of operations (add, modify, remove, reorder) on a plan
// with versions, whose finished steps have results.
//
// [Eval] is the door. Each reply is one update. Its operations apply in order,
// each to the plan as the ones before left it; one that cannot be applied is
// recorded and, by the policy on_error, passed over (skip) or the reason to
// undo the whole update (abort). An update in which anything applied raises the
// version by one, files the plan as it was in the history, and clears the
// results of the steps that it modified or removed, and of no others.
//
// Completed steps cannot be modified or removed; the knob reorder_done says whether
// an operation may move one (allow, the default, or reject). What becomes of the
// steps that depend on a removed one, the knob orphans says: reject refuses the
// removal (dependents_exist), detach takes the dependency away, and bridge puts
// the dependencies of the removed step in its place. Ids are given once: an id
// in the plan, in its history, or in the plan before the update
// is not free for a new step. The ids of an undone update are
// free for the next update. A running step may be changed and
// removed; its runner must check for that.
//
// What the format leaves open is settled thus:
//
//   - Only a reply without a list of operations is refused as a whole. Other
//     members of the document, and members of plan_metadata that are unknown or
//     of the wrong type, are dropped with the warning unknown_field. So are
//     members of an operation that its type has no use for, unless they are
//     null.
//   - null for an optional member is the same as absent; where a member must
//     be there, null is of the wrong type. A member of an operation that is of
//     the wrong type makes that operation fail with bad_type, a blank id with
//     empty_id. Of several such faults the first counts, in the order step_id,
//     position, step_data, reason. They come before whether the operation may
//     have the member: a modification with the id 7 is bad_type.
//   - Where several names for the id of a step are taken, the first of step_id,
//     stepID, stepId and id that is not null counts.
//   - An aborted update is blamed on the member at fault: the value of the wrong
//     type, the dependency that is missing or leads back, the unknown member; or
//     on the whole operation.
//   - The name of the plan is trimmed, as ids are; descriptions and the names of
//     steps stay as they are written.
//   - Coercion strips every unknown member, also type and steps: an update is
//     recognised only by its operations, and no other document by its type.
//   - Unknown members of an added step follow the policy extra_fields.
//   - A dependency listed twice is kept once (duplicate_dependency).
//   - Ids are trimmed, or put in the spelling that the plan uses. Results are
//     kept and cleared by exactly the ids of the plan.
//   - A number with no fraction is an integer, however it is written: 1.0 is 1.
//     A position that names a step which is not there is out of range.
//   - An operation that failed has no warnings. It is logged with the id that it
//     names, as far as it could be read; an added step that asked for none and
//     was not added has none.
//   - With several replies, repairs and warnings of all of them are reported,
//     and the tier of the last applied one. If none was applied, code and tier
//     come from the last one.
//   - A step that does without another that was removed (detached, bridged) has
//     changed, and its result is cleared. A completed one keeps its dependencies,
//     and so does one whose dependencies the same update wrote: the removal is
//     dependents_exist under each policy.
//   - The reason of an operation is in the outcome, and in the entry that the
//     update adds to the history: there in "operations", a list of the requests
//     (type, step_id, reason) with their results. A reason that is not a string is
//     bad_type, and is in neither.
//   - A step of the input plan has a name or a description. An entry of the
//     history is a plan with steps.
package rules
