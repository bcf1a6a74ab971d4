// Package planpatch is the reference for the dialect planpatch: a model answers
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
// Finished work is never touched: a done step cannot be updated or removed, and
// a full plan that drops or rewrites one gets it back as it was. The policy
// carry_over=by_id waives the second, to show what that costs.
package planpatch
