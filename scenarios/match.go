package scenarios

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

// Match compares an outcome with what the scenario wants:
//
//   - Only the members of want.json count, and of those that the format of
//     outcomes knows (the plan, its steps, the items of warnings, events and the
//     like) the members that stand there. Every other object is compared whole:
//     results, the parameters of a step, an entry of the history, a message. A
//     member "…" with the value "any" opens one up, so that what is not wanted does
//     not count.
//   - Lists are compared whole: their length and each item in its place.
//     Warnings have no order among themselves; those with the same code have.
//   - An absent member equals its default (an empty list, an empty text,
//     zero, false; in an entry of the history a step that is pending and the version 1), and a
//     wanted null equals an absent member. Of the operations in an entry only the reasons
//     count. A rejection may show the plan of the case, which it left as it was.
//   - Members that are optional for engines are compared only where the outcome
//     has them. [Scenario.Unchecked] names those that were not.
//   - want.json may write a list of objects as a list of texts, if the member of the
//     dialect has such a short form.
//   - What the dialect leaves to engines, such as a name that is drawn, is not compared.
//   - A message is never compared, and neither is why an engine refuses that does not
//     say why (the code refused).
//
// It returns nil when all is as wanted.
func (s Scenario) Match(out harness.Outcome) []outcome.Path {
	if out.Verdict == harness.Rejected && s.untouched(out.Plan) {
		out.Plan = nil // what a refusal left behind is the plan that was there
	}
	members, want, got := s.trees(out)
	for _, name := range unchecked(members, want, got) {
		delete(want, name)
	}
	for _, m := range members {
		if m.Free != nil {
			m.Free(s.Case, want, got)
		}
	}
	if out.Verdict == harness.Rejected && out.Code == harness.Refused {
		delete(want, "code")
		delete(want, "at")
	}
	for _, m := range members {
		w, _ := want[m.Name].([]any)
		if g, ok := got[m.Name].([]any); ok && len(g) == len(w) {
			want[m.Name], got[m.Name] = m.Sorted(w), m.Sorted(g)
		}
	}
	return outcome.Paths("", closed(want), focus(open(members), nil, want, got))
}

// untouched reports whether a plan is the case's plan, if the scenario wants none.
func (s Scenario) untouched(left *plan.Plan) bool {
	var want struct {
		Plan jsontext.Value `json:"plan"`
	}
	if left == nil || json.Unmarshal(s.Want, &want) != nil || want.Plan.Kind() != 'n' {
		return false
	}
	before, err := all.Plan(s.Case)
	return err == nil && before.Equal(left)
}

// more is the member of an object in want.json that allows further members, if its value
// is anyMore.
const more, anyMore = "…", "any"

// open reports whether the other members of an object do not count, by the
// names that lead to it: those that the format of outcomes knows.
func open(members outcome.Members) func(at []string) bool {
	return func(at []string) bool {
		switch len(at) {
		case 0:
			return true
		case 1:
			m := members.Find(at[0])
			return m != nil && m.Names != nil
		}
		return len(at) == 2 && at[0] == "plan" && at[1] == "steps"
	}
}

// focus leaves out of what came what want does not look at.
func focus(open func(at []string) bool, at []string, want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return got
		}
		seen := map[string]any{}
		opened := open(at) || want[more] == anyMore
		for name, v := range object {
			w, wanted := want[name]
			if wanted {
				v = focus(open, append(slices.Clip(at), name), w, v)
			}
			if wanted || !opened {
				seen[name] = v
			}
		}
		return seen
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return got
		}
		seen := make([]any, len(items))
		for i := range items {
			seen[i] = focus(open, at, want[i], items[i])
		}
		return seen
	}
	return got
}

// closed returns a value of want.json without the members that open objects up.
func closed(want any) any {
	switch want := want.(type) {
	case map[string]any:
		rest := map[string]any{}
		for name, v := range want {
			if name != more || v != anyMore {
				rest[name] = closed(v)
			}
		}
		return rest
	case []any:
		rest := make([]any, len(want))
		for i, v := range want {
			rest[i] = closed(v)
		}
		return rest
	}
	return want
}

// trees decodes the wanted and the actual outcome. It writes lists in their short form if
// the scenario does.
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

// Unchecked names optional members that the scenario wants and the outcome lacks. The
// built-in reference lacks none.
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
