package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/diff"
	"replanbench/harness/document/strictjson"
)

// Difference lists what changes from an old plan to a new one.
type Difference struct {
	Members []FieldChange // of the plan itself: title, verification_policy
	Removed []Step        // in the order of the old plan
	Added   []Step        // in the order of the new plan
	Changed []StepChange  // steps of both plans, in the order of the old one
	// Moved are the fewest ids whose steps, taken out of both plans, leave
	// the other common steps in the same order.
	Moved []string
}

// StepChange is a step of both plans with the members that differ.
type StepChange struct {
	ID     string
	Fields []FieldChange
}

// FieldChange is one member with its two values: a text as it is, any other value as
// JSON, and "" for a missing value.
type FieldChange struct {
	Field, From, To string
}

// Diff compares two plans. Steps are matched by id. If an invalid plan repeats an id, its
// first step is matched with the first of the other plan, and so on.
func Diff(old, new *Plan) Difference {
	pairs, removed, added := match(old, new)
	d := Difference{Removed: removed, Added: added}
	d.Members = changes(old.members(new), new.members(old), strings.Clone)
	for _, p := range pairs {
		a, b := old.Steps[p.old], new.Steps[p.new]
		if !a.Equal(b) {
			d.Changed = append(d.Changed, StepChange{a.ID, changes(fields(a), fields(b), new.Called)})
		}
	}
	for _, i := range moved(pairs) {
		d.Moved = append(d.Moved, old.Steps[i].ID)
	}
	return d
}

// members are the members of a plan besides its steps, as differences show them.
type members struct {
	Title, VerificationPolicy, ID, Name, Description, Version, History string
}

// members returns the members that can differ from another plan: the members of
// a record only if both plans have one.
func (p *Plan) members(other *Plan) members {
	m := members{Title: p.Title, VerificationPolicy: p.VerificationPolicy}
	if r := p.Record; r != nil && other.Record != nil {
		m.ID, m.Name, m.Description, m.Version = r.ID, r.Name, r.Description, strconv.Itoa(r.Version)
		m.History = english.Plural(len(r.History), "entry", "")
	}
	return m
}

// fields is a step without its method Equal, which go-cmp would call.
type fields Step

// Unit is what the documents of the plan's dialect call a step. The plan may be nil.
func (p *Plan) Unit() string {
	if p != nil && p.Tasks {
		return "task"
	}
	return "step"
}

// Called is what the documents of the plan's dialect call a member of a step. The members
// without a name of their own are "extra".
func (p *Plan) Called(member string) string {
	switch {
	case p.Listed && member == "description":
		return "content"
	case p.Listed && member == "extra":
		return "members"
	case p.Tasks && member == "description":
		return "subject"
	case p.Tasks && member == "dependencies":
		return "blocked_by"
	case p.Tasks && member == "extra":
		return "other members"
	case member == "extra":
		return "unknown members"
	}
	return member
}

// changes compares two values of one type member by member, in the order of their
// declaration. The members in Extra come last, by name.
func changes(a, b any, called func(string) string) (list []FieldChange) {
	extra := cmp.Transformer("members", func(extra jsontext.Value) map[string]*strictjson.Value {
		values := map[string]*strictjson.Value{}
		if doc, err := strictjson.Parse(extra, maxDepth); err == nil {
			for i := range doc.Root.Members {
				values[doc.Root.Members[i].Name] = &doc.Root.Members[i].Value
			}
		}
		return values
	})
	for _, p := range diff.Paths(a, b, extra, cmp.Comparer(strictjson.Same), cmp.Comparer(slices.Equal[[]string])) {
		name := p.Names[len(p.Names)-1]
		if len(p.Names) == 1 {
			name = called(name)
		}
		list = append(list, FieldChange{name, inWords(p.Want), inWords(p.Got)})
	}
	return list
}

// inWords writes a value for people: a text as it is, anything else as JSON.
func inWords(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *strictjson.Value:
		if v.Kind == strictjson.String {
			return v.Text
		}
		return string(v.AppendJSON(nil))
	case []string:
		b, _ := json.Marshal(v, jsontext.AllowInvalidUTF8(true)) // strings always marshal
		return string(b)
	}
	return fmt.Sprint(v)
}

// Empty reports whether the plans are the same.
func (d Difference) Empty() bool {
	return len(d.Members)+len(d.Removed)+len(d.Added)+len(d.Changed)+len(d.Moved) == 0
}

// Aside names the members that differ if no step does: "title only". It returns "" if a
// step differs or nothing does. It ignores version and history, which change with every edit.
func (d Difference) Aside() string {
	if len(d.Removed)+len(d.Added)+len(d.Changed)+len(d.Moved) > 0 {
		return ""
	}
	var names []string
	for _, m := range d.Members {
		if m.Field != "version" && m.Field != "history" {
			names = append(names, m.Field)
		}
	}
	if names == nil {
		return ""
	}
	return strings.Join(names, " and ") + " only"
}

// String writes the difference in lines for people: "-" removed, "+" added,
// "~" changed, ">" moved. Texts are quoted, so that it is safe on a terminal.
func (d Difference) String() string {
	var b strings.Builder
	for _, f := range d.Members {
		fmt.Fprintf(&b, "~ %s: %q → %q\n", f.Field, f.From, f.To)
	}
	for _, s := range d.Removed {
		fmt.Fprintf(&b, "- %q %q (%s)\n", s.ID, s.Description, s.Status)
	}
	for _, s := range d.Added {
		fmt.Fprintf(&b, "+ %q %q (%s, after %q)\n", s.ID, s.Description, s.Status, s.Dependencies)
	}
	for _, c := range d.Changed {
		for _, f := range c.Fields {
			fmt.Fprintf(&b, "~ %q %s: %q → %q\n", c.ID, f.Field, f.From, f.To)
		}
	}
	for _, id := range d.Moved {
		fmt.Fprintf(&b, "> %q moved\n", id)
	}
	return b.String()
}

// pair is a step of both plans by its two places.
type pair struct{ old, new int }

// match pairs the steps of two plans by id, in the order of the old plan.
func match(old, new *Plan) (pairs []pair, removed, added []Step) {
	places := make(map[string][]int, len(new.Steps))
	for i, s := range new.Steps {
		places[s.ID] = append(places[s.ID], i)
	}
	for i, s := range old.Steps {
		at := places[s.ID]
		if len(at) == 0 {
			removed = append(removed, s)
			continue
		}
		pairs = append(pairs, pair{i, at[0]})
		places[s.ID] = at[1:]
	}
	for i, s := range new.Steps {
		if at := places[s.ID]; len(at) > 0 && at[0] == i {
			added = append(added, s)
			places[s.ID] = at[1:]
		}
	}
	return pairs, removed, added
}

// moved returns the old places of the pairs outside a longest run of pairs
// that keeps its order (patience sorting, n log n).
func moved(pairs []pair) []int {
	var tails []int // tails[k]: the pair that ends the best run of length k+1
	back := make([]int, len(pairs))
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tails, p.new, func(j, at int) int { return pairs[j].new - at })
		back[i] = -1
		if k > 0 {
			back[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		}
		tails[k] = i
	}
	if len(tails) == len(pairs) {
		return nil
	}
	stays := make([]bool, len(pairs))
	for i := tails[len(tails)-1]; i >= 0; i = back[i] {
		stays[i] = true
	}
	var out []int
	for i, p := range pairs {
		if !stays[i] {
			out = append(out, p.old)
		}
	}
	return out
}
