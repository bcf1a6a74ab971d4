// Package generators is the kit that the makers of samples share, and the doors
// to what they make. The makers themselves, and their faults, belong to the
// dialects: package generate in the folder of each.
//
// A [Sample] is a case together with what must come of it. The edit is valid by
// construction: plan, document and result are made together, so the right answer
// is known before any engine has seen the case. Up to three named faults are then
// planted, each with its effect on the answer under the rules of the case; where
// several meet, the order of the rules decides.
//
// A dialect brings its table of faults and a function that makes a sample from
// what was drawn; a [Recipe] turns them into a [Maker]. The kit has the rest:
// where decisions come from ([Choices]), plans ([Grower]), rules of cases
// ([DrawProfile]), JSON well-formed or nearly so ([Value], [Writer], [Wrapped]),
// and what reading may do about it ([Ability]).
//
// Two doors lead to the same makers. Package tape has generators of rapid
// for anyone's rapid.Check, which shrinks what fails. [Source.At] makes the
// sample that belongs to a seed and an index, at a hundredth of the cost of a
// draw: a campaign of millions addresses its cases by index, so that it can be
// cut into shards and resumed, any case can be made again without those before
// it, and a finding need name no more than two numbers.
//
// [Source.Campaign] has samples that are the same for all seeds among the others.
//
// The package judges nothing and runs no engine.
package generators
