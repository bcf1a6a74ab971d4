// Package generators has the tools that the sample makers of all dialects share. The
// makers and their traits belong to the dialects: package generate in the folder
// of each.
//
// A [Sample] is a case with its expected outcome. The edit is valid by
// construction: plan, document and result are made together, so the expected outcome
// is known before any engine sees the case. Up to three named traits are then
// planted, each with its effect on the outcome under the rules of the case. If
// several apply, the order of the rules decides.
//
// A dialect has a table of traits and a function that makes a sample from
// a [Draw]; a [Recipe] turns them into a [Maker]. This package has the rest:
// decisions ([Choices]), plans ([Grower]), rules of cases
// ([DrawProfile]), well-formed and malformed JSON ([Value]),
// and the changes that reading may make ([Ability]).
//
// There are two ways to draw samples. Package rapidgen has them as generators of rapid
// for rapid.Check, which shrinks failures. [Source.At] makes the
// sample of a seed and an index at a hundredth of the cost of a
// draw. A campaign addresses its cases by index, so it can be
// sharded and resumed, any case can be made without the earlier
// ones, and a finding needs only two numbers.
//
// Some samples of [Source.Campaign] are the same for all seeds.
//
// The package judges nothing and runs no engine.
package generators
