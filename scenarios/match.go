package scenarios

import (
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/outcome"
)

// Match compares an outcome with what the scenario wants:
//
//   - Only the members of want.json count, and so on downwards for objects.
//     Lists are compared whole: their length and each item in its place.
//     Warnings have no order among themselves; those with the same code have.
//   - An absent member equals its default (an empty list, an empty text,
//     zero, false), and a wanted null says that there is none.
//   - Members that are optional for engines are compared only where the outcome
//     has them. [Scenario.Unchecked] names those that were not.
//   - A list of objects can be wanted as a list of texts that stand for them,
//     where the member of the dialect has such a short form.
//   - A message is never compared.
//
// It returns nil when all is as wanted.
func (s Scenario) Match(out harness.Outcome) []outcome.Path {
	members, want, got := s.trees(out)
	for _, name := range unchecked(members, want, got) {
		delete(want, name)
	}
	for _, m := range members {
		w, _ := want[m.Name].([]any)
		if g, ok := got[m.Name].([]any); ok && len(g) == len(w) {
			want[m.Name], got[m.Name] = m.Sorted(w), m.Sorted(g)
		}
	}
	return outcome.Wanted("", want, got)
}

// trees decodes what is wanted and what came, with lists in short where they are
// wanted so.
func (s Scenario) trees(out harness.Outcome) (members outcome.Members, want, got map[string]any) {
	members = all.Members(s.Case.Dialect)
	want, _ = outcome.Tree(s.Want).(map[string]any)
	got, _ = outcome.TreeOf(out).(map[string]any)
	for _, m := range members {
		if v, ok := got[m.Name]; ok {
			got[m.Name] = m.InShort(want[m.Name], v)
		}
	}
	return members, want, got
}

// Unchecked names the members that the scenario wants and that the outcome
// does not have and need not have. Of the built-in reference there are none.
func (s Scenario) Unchecked(out harness.Outcome) []string { return unchecked(s.trees(out)) }

func unchecked(members outcome.Members, want, got map[string]any) []string {
	var names []string
	for _, m := range members {
		w, wanted := want[m.Name]
		if _, given := got[m.Name]; m.Optional && wanted && w != nil && !given {
			names = append(names, m.Name)
		}
	}
	return names
}
