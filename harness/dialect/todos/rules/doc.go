// Package rules is the reference engine of the dialect todos: lists that the model
// rewrites as a whole. [Eval] applies the rewrites of a case one after the other, by the
// rules that the page help.md of the dialect states.
//
// The specification leaves some choices open. This package decides:
//
//   - text_name=any allows several names for the content. The first that an item
//     has is its content; the others are unknown members.
//   - Repairs name the item as the reply does, because it is not paired yet.
//   - The outcome has one repair for each rule and one warning for each code, with
//     each id once, in the order in which they occurred. Items are cut from the end.
//   - A rejected reply keeps the warnings that it got before its rejection.
//   - A byte order mark or a <think> block makes Markdown extracted. Their lines
//     count but are not named.
//   - Whether an id is taken is decided when the list is complete.
//
// duplicates=keep stores an id twice if the reply gives it twice. No other value
// allows this. The list is then unsafe by the profile's own choice, and the check
// ids-unique reports it like every other list with two equal ids.
package rules
