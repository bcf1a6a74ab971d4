// Package rules is the reference of the dialect todos: lists that the model
// rewrites as a whole. [Eval] applies the rewrites of a case one after the other.
//
// A rewrite is JSON in several wire formats, or Markdown. Its items are paired with
// the items of the list. The knobs of the profile decide whether a rewrite may lose,
// reopen, duplicate or start items, and whether it is then rejected or corrected. A
// rejected rewrite changes nothing.
//
// Some choices are this package's own:
//
//   - Of the names that the knob text_name=any allows, only the first that an item
//     has is a member of it; another one is unknown.
//   - Repairs name the item as the reply does: it is not paired yet.
//   - Repairs are one a rule, as warnings are one a code, each id once, in the
//     order met: items that are cut are cut from the end.
//   - What a refused reply had been warned of until then stays in the outcome.
//   - A byte order mark and a <think> block make Markdown extracted; their lines
//     count, and are not named.
//   - Whether an id is taken is seen when the list is complete.
//
// The knob duplicates=keep stores an id twice if the reply gives it twice. No other value
// allows this. The list is then unsafe by the profile's own choice, and the check
// ids-unique reports it like every other list with two equal ids.
package rules
