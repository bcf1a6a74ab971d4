// Package protocols compares ways to write changes of a plan. Each protocol writes
// the same intended changes, an error channel damages them as models damage
// replies, and the reference of the protocol applies the result. The outcome is the
// intended plan, a rejection or, worst, another plan.
//
// The channel models errors, not a language model. Cuts and broken syntax occur per
// token, losses per item, wrong ids and extra members per id and object. They are
// independent of each other and of the text. So the result says how a protocol
// copes with given errors, not how many errors a model makes in it: a familiar form
// may have fewer, and a long reply that repeats the plan may be easier to write
// than a short one that refers to it.
package protocols
