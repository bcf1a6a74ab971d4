// Package rules is the reference engine of the dialect planpatch: a model answers
// with a PlanPatch (steps to remove, update and add) or with a whole FullPlan,
// and a fallback ladder decides what to try when an answer cannot be applied.
//
// [Eval] takes a case and a profile and returns an outcome. It changes nothing else. It works in
// the order that the page help.md of the dialect states, which is also the order in which faults
// are reported: limits and plan are checked before any reply is read.
//
// The specification leaves some choices open. This package decides:
//
//   - Duplicate ids among additions are reported before those among updates.
//     An addition that becomes an update (conflicts=replace) counts as the last
//     update, and its fault is reported at the addition. An id in all three lists
//     is an update, even if the plan does not have it.
//   - The knob orphans applies before dependencies are checked. A done step or a
//     step of the reply that needs a removed step is left to the check of the
//     result, which follows the order of the steps.
//   - Bridging keeps existing dependencies in place. It replaces the removed step
//     by its dependencies, except those that are in the list already.
//   - A step that was detached or bridged counts as updated. A full plan has a
//     meta in the outcome, but not in its event.
//   - The place of a cycle is the first of its edges that the reply wrote. If a
//     restored step lacks a dependency, the place is the list of steps.
//   - A patch gets its warnings about unknown members and forced statuses while it
//     is read, even for steps that a conflict drops. A full plan gets no warning
//     about a status if the step becomes the done step of the same id. A warning
//     lists each id once.
//   - The rung retry is reported as a retry only if a reply was read before. A
//     reply that a second rung reads keeps the code, place, tier and warnings of
//     its first reading.
package rules
