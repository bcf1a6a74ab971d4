// Package protocols compares ways of writing changes of plans: the same intended
// changes are written as each protocol writes them, an error channel does to all of
// them what models do to replies, and the reference of each applies what is left.
// The result is the intended plan, a rejection, or, worst, another plan.
//
// The channel is a model of errors, and no model. Its errors come by the opportunity:
// cuts and broken syntax by the token, losses by the item, wrong ids and extra members
// by the id and the object; they are independent of each other and of what is written.
// So it says what a protocol makes of given errors, and not how many errors a model
// makes in it: a form that a model knows well may have fewer, and a long reply that
// repeats the plan may be easier to write than a short one that refers to it.
package protocols
