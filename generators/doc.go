// Package generators makes plans, edits and conversations to test with.
//
// A [Sample] is a plan edit together with what must come of it. The edit is
// valid by construction: plan, document and result are made together, so the
// right answer is known before any engine has seen the case. Up to three
// named faults are then planted, each with what it must lead to under the
// rules of the case; where several meet, the order in which the rules are
// checked decides.
//
// There are two doors to the same code. [Plan] and [Samples] are rapid generators
// for anyone's rapid.Check, and shrink. [Source.At] makes what belongs to a seed
// and an index, at a hundredth of the cost of a draw each: campaigns of millions
// address cases by index, so that they can be cut into shards, resumed and
// replayed case by case.
//
// The makers of the dialects stand in their folders (harness/dialect). They share
// what is here: where choices come from, how faults are drawn, and how JSON is
// written, well-formed or nearly so.
//
// The package judges nothing and runs no engine.
package generators
