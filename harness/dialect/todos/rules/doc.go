// Package rules is the reference of the dialect todos: lists that the model
// rewrites as a whole. [Eval] applies the rewrites of a case one after the other.
//
// A rewrite is read (JSON in several wire formats, or Markdown), its items are
// paired with those of the list, and what it would lose, reopen, double or start
// at once is refused, mended or allowed by the knobs of the profile. A refusal is
// whole.
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
package rules
