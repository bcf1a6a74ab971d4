package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// Difference is what sets a new plan apart from an old one.
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

// FieldChange is one member with its two values: a text as it is, all else as
// JSON, "" where there is none.
type FieldChange struct {
	Field, From, To string
}

// Diff compares two plans. Steps are matched by id; where an unsound plan has
// an id several times, the first is matched with the first, and so on.
func Diff(old, new *Plan) Difference {
	pairs, removed, added := match(old, new)
	d := Difference{
		Members: fields(nil, "title", old.Title, new.Title),
		Removed: removed,
		Added:   added,
	}
	d.Members = fields(d.Members, "verification_policy", old.VerificationPolicy, new.VerificationPolicy)
	d.Members = recordChanges(d.Members, old.Record, new.Record)
	for _, p := range pairs {
		if c := stepChanges(&old.Steps[p.old], &new.Steps[p.new]); c != nil {
			d.Changed = append(d.Changed, StepChange{old.Steps[p.old].ID, c})
		}
	}
	for _, i := range moved(pairs) {
		d.Moved = append(d.Moved, old.Steps[i].ID)
	}
	return d
}

// Empty reports whether the plans are the same.
func (d Difference) Empty() bool {
	return len(d.Members)+len(d.Removed)+len(d.Added)+len(d.Changed)+len(d.Moved) == 0
}

// Aside names what differs beside the steps where no step does, as in "title only";
// "" where one does, or nothing at all. Version and history of a record go with every
// change.
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

// String tells the difference in lines for people: "-" removed, "+" added,
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

func fields(list []FieldChange, name, from, to string) []FieldChange {
	if from == to {
		return list
	}
	return append(list, FieldChange{name, from, to})
}

func stepChanges(a, b *Step) []FieldChange {
	if a.Equal(*b) {
		return nil
	}
	c := fields(nil, "description", a.Description, b.Description)
	c = fields(c, "dependencies", list(a.Dependencies), list(b.Dependencies))
	c = fields(c, "status", string(a.Status), string(b.Status))
	c = fields(c, "tools_expected", list(a.ToolsExpected), list(b.ToolsExpected))
	return extraChanges(c, a.Extra, b.Extra)
}

// extraChanges compares the members that a step holds as JSON, each by its name.
func extraChanges(list []FieldChange, a, b jsontext.Value) []FieldChange {
	old, new := extraMembers(a), extraMembers(b)
	values := make(map[string]*strictjson.Value, len(new))
	for i := range new {
		values[new[i].Name] = &new[i].Value
	}
	for i := range old {
		name, from := old[i].Name, &old[i].Value
		to := values[name]
		if to == nil || !strictjson.Same(from, to) {
			list = append(list, FieldChange{name, inWords(from), inWords(to)})
		}
		delete(values, name)
	}
	for i := range new {
		if to := values[new[i].Name]; to != nil {
			list = append(list, FieldChange{Field: new[i].Name, To: inWords(to)})
		}
	}
	return list
}

func extraMembers(extra jsontext.Value) []strictjson.Member {
	if doc, err := strictjson.Parse(extra, maxDepth); err == nil {
		return doc.Root.Members
	}
	return nil
}

// inWords is a value as a change shows it: a text as it is, all else as JSON.
func inWords(v *strictjson.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Kind == strictjson.String:
		return v.Text
	}
	return string(v.AppendJSON(nil))
}

// recordChanges compares what plans with versions have beside their steps.
func recordChanges(list []FieldChange, a, b *Record) []FieldChange {
	if a == nil || b == nil {
		return list
	}
	list = fields(list, "id", a.ID, b.ID)
	list = fields(list, "name", a.Name, b.Name)
	list = fields(list, "description", a.Description, b.Description)
	list = fields(list, "version", strconv.Itoa(a.Version), strconv.Itoa(b.Version))
	return fields(list, "history", entries(a.History), entries(b.History))
}

func entries(history []jsontext.Value) string {
	if len(history) == 1 {
		return "1 entry"
	}
	return strconv.Itoa(len(history)) + " entries"
}

func list(s []string) string {
	b, _ := json.Marshal(s, jsontext.AllowInvalidUTF8(true)) // strings always marshal
	return string(b)
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
