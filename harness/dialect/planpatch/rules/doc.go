// Package rules is the reference for the dialect planpatch: a model answers
// with a PlanPatch (steps to remove, update and add) or with a whole FullPlan,
// and a fallback ladder decides what to try when an answer cannot be applied.
//
// [Eval] is the door: a case and a profile go in, an outcome comes out, and
// nothing else changes. The work is done in this order, which is also the order
// in which faults are reported:
//
//  1. limits and input plan are checked, before any reply is read;
//  2. a reply is read (package reply) and decoded, every id trimmed or put in
//     the spelling that the plan uses;
//  3. conflicts between the three lists are settled by the policy "conflicts";
//  4. title, removals, updates and additions are applied, additions only as
//     far as the limit allows;
//  5. dependencies on removed steps are treated by the policy "orphans";
//  6. the result is checked: a step is left, dependencies exist, no cycle;
//  7. a reply that changed nothing is refused.
//
// Where a rule leaves room, this package does as follows:
//
//   - Duplicates among added steps are reported before those among updates, and
//     an added step that becomes an update ("replace") is the last of them, to be
//     blamed where it was added. An id in all three lists is an update, even
//     where the plan does not have it.
//   - The policy "orphans" looks at edges before any other dependency is checked.
//     What a done step or the reply itself needs is left to the check of the
//     result, which goes by the order of the steps.
//   - Bridging leaves the edges that stay where they are, and puts what the
//     removed step needed, and is not there yet, in the place of that step.
//   - Steps that a policy detached or bridged count as updated. A full plan has a
//     meta too, in the outcome alone: its event has none.
//   - A cycle is blamed on the first of its edges that the reply wrote; what a
//     step put back lacks, on the list of steps.
//   - Unknown members and forced statuses of a patch are warned of as read, even
//     of steps that a conflict drops; in a full plan, a status is not warned of
//     where the step becomes the done one of its id. A warning has each id once.
//   - A rung "retry" is reported as a retry only if a reply was read before. A
//     reply that a rung reads for a second time keeps the code, location, tier
//     and warnings of its first reading.
//
// Finished work is never touched: a done step cannot be updated or removed, and
// a full plan that drops or rewrites one gets it back as it was. The policy
// carry_over=by_id waives the second, to show what that costs.
package rules
