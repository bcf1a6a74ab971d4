// Package outcome describes the members of an outcome: who must give a member, how
// two values are compared, and how the member is written.
//
// A dialect builds its list from the functions that return members, and changes
// those that it treats differently. The order of the list is the order in which
// differences are shown, the most informative first. Code that reads, judges or
// stores outcomes uses the list and names no member.
package outcome

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Member is one member of an outcome. It has a field for each use of members: compare,
// check, describe, shorten. Most members set few of them.
type Member struct {
	Name string
	Text string // as in the schema
	// Further says that outcomes have no field for it.
	Further bool
	// Optional members are compared, and asked for, only where the engine declares
	// that it gives them.
	Optional bool
	// Derived says that it is part of another member: outcomes have no member of this name.
	Derived bool
	// Content says that the member is what an edit makes: a plan, a file, messages.
	// The others are words about it.
	Content bool
	// Required reports whether an applied outcome must have it; nil is never.
	Required func(Asked) bool
	// Malformed says what keeps the member from being one of its dialect, and the
	// member of it to blame; nil is nothing.
	Malformed func(*harness.Outcome) (field, words string)

	Given func(*harness.Outcome) bool
	Copy  func(to, from *harness.Outcome)
	// Strip takes away what findings need not keep of it; nil is nothing.
	Strip func(*harness.Outcome)
	// Same compares the member of two outcomes that give it.
	Same func(want, got *harness.Outcome) bool
	// Differ finds the first difference, in whatever is given; nil compares what
	// both outcomes give.
	Differ func(want, got *harness.Outcome) *Difference
	// first is the place of the first item that differs; nil where there is no list.
	first func(want, got *harness.Outcome) int
	// empty reports whether a value is empty; nil is a missing value.
	empty func(*harness.Outcome) bool
	// Step is the member of an item that names a step of the plan.
	Step string
	// Key is the member by which items are sorted whose order means nothing.
	Key string

	// Closed says from which closed list the member, or one of each item, takes
	// its words; Words are these.
	Closed Closed
	Words  func(*harness.Outcome) iter.Seq[string]

	// Names are the names of the object's members; for a List, of each item's members.
	Names []string
	List  bool
	// Run says that the list is the course of a run: what follows the first difference says nothing more.
	Run bool
	// Core are the names of the members of each item that are compared; nil is all.
	Core []string
	// Free gives what came the wanted words where an engine is free in its own, or takes
	// them out of both; both are outcomes as JSON has them, and may be changed. nil is
	// nothing.
	Free func(c harness.Case, want, got map[string]any)
	// Unnamed returns an outcome without the words that an engine chooses, where the wanted one has no such words;
	// nil is the outcome itself.
	Unnamed func(want, got *harness.Outcome) *harness.Outcome
	// Short turns an item into a text that may replace it in want.json.
	Short func(item any) string
	// ShortWords is what each short form begins with.
	ShortWords Closed
	// KeepShort says that findings keep the member in short.
	KeepShort bool
}

// Closed is a closed list of words.
type Closed struct {
	What  string
	Terms func(harness.Vocabulary) []harness.Term
}

// Asked is an outcome beside what was asked. Case and Profile are nil where only
// the outcome is known.
type Asked struct {
	Case    *harness.Case
	Profile *harness.Profile
	Outcome *harness.Outcome
}

// Difference is where two outcomes part, in words too.
type Difference struct {
	Step, Field, Words string
	Member             string // of the outcome; "" is the answer itself
	Content            bool   // the member is what the edit makes, and not a word about it
}

// Differs makes a difference that shows in no single step.
func Differs(field, format string, args ...any) *Difference {
	return &Difference{Field: field, Words: fmt.Sprintf(format, args...)}
}

// Compare finds the first difference in the member; nil if there is none.
func (m *Member) Compare(want, got *harness.Outcome) *Difference {
	switch {
	case m.Differ != nil:
		return m.Differ(want, got)
	case !m.Given(want) || !m.Given(got) || m.Same(want, got):
		return nil
	}
	return m.explain(want, got)
}

// explain says where the member differs, of a list in the first item that does.
func (m *Member) explain(want, got *harness.Outcome) *Difference {
	at, w, g := "/"+m.Name, m.tree(want), m.tree(got)
	if m.first != nil {
		i := m.first(want, got)
		at, w, g = fmt.Sprintf("%s/%d", at, i), item(w, i), item(g, i)
	}
	d := Difference{Field: m.Name}
	d.Step = word(g, m.Step)
	if m.Short != nil && m.shortOf(w) != m.shortOf(g) {
		w, g = m.shortOf(w), m.shortOf(g)
	}
	d.Words = inWords(at, w, g)
	return &d
}

// Explain says in one sentence how two values differ, as JSON has them, that
// stand at a place of an outcome.
func Explain(at string, want, got any) string { return inWords(at, TreeOf(want), TreeOf(got)) }

// inWords tells the first place: what one of them leaves out says less than what
// both give.
func inWords(at string, want, got any) string {
	list := Paths(at, want, got)
	if len(list) == 0 { // they are the same only for those who are not exact
		list = []Path{{at, encode(want), encode(got)}}
	}
	i := slices.IndexFunc(list, func(p Path) bool { return p.Want != nothing && p.Got != nothing })
	return list[max(i, 0)].words()
}

// tree returns the member as JSON has it; nil where it is not given.
func (m *Member) tree(o *harness.Outcome) any {
	var alone harness.Outcome
	m.Copy(&alone, o)
	object, _ := TreeOf(alone).(map[string]any)
	v := object[m.Name]
	return m.Sorted(v)
}

// Sorted returns the items in an order of their own where theirs means nothing.
func (m *Member) Sorted(v any) any {
	list, ok := v.([]any)
	if m.Key == "" || !ok {
		return v
	}
	return slices.SortedStableFunc(slices.Values(list),
		func(a, b any) int { return strings.Compare(word(a, m.Key), word(b, m.Key)) })
}

func item(list any, i int) any {
	items, _ := list.([]any)
	if i >= len(items) {
		return nil
	}
	return items[i]
}

// InShort puts the items of a list in short, where they are wanted so.
func (m *Member) InShort(want, got any) any {
	wanted, _ := want.([]any)
	items, _ := got.([]any)
	if m.Short == nil || len(wanted) == 0 {
		return got
	}
	if _, ok := wanted[0].(string); !ok {
		return got
	}
	texts := make([]any, len(items))
	for i := range items {
		texts[i] = m.Short(items[i])
	}
	return texts
}

// shortOf puts an item in short; nil if there is none.
func (m *Member) shortOf(item any) any {
	if item == nil {
		return nil
	}
	return m.Short(item)
}

// word returns a text of an object; "" if it has none of that name.
func word(object any, name string) string {
	members, _ := object.(map[string]any)
	s, _ := members[name].(string)
	return s
}

// Members are the members of the outcomes of one dialect, except verdict, code and
// message, which all have.
type Members []Member

// Find returns the member of that name, or nil.
func (l Members) Find(name string) *Member {
	if i := slices.IndexFunc(l, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &l[i]
	}
	return nil
}

// Names lists all members that an outcome can have but for the message.
func (l Members) Names() []string {
	names := []string{"verdict", "code"}
	for i := range l {
		names = append(names, l[i].Name)
	}
	return names
}

// Optional lists the members that an engine need not give.
func (l Members) Optional() (names []string) {
	for i := range l {
		if l[i].Optional {
			names = append(names, l[i].Name)
		}
	}
	return names
}

// Compare finds the first difference between two outcomes, of the members that
// the engine gives; nil if there is none. A member that it says it gives, and
// leaves out, counts as empty.
func (l Members) Compare(want, got *harness.Outcome, gives func(member string) bool) *Difference {
	for i := range l {
		m := &l[i]
		if m.Optional && !gives(m.Name) {
			continue
		}
		d := m.Compare(want, got)
		if d == nil && m.Optional && m.empty != nil && !m.Given(got) && m.Given(want) && !m.empty(want) {
			d = Differs(m.Name, "there are no %s, and should be", m.Name)
		}
		if d != nil {
			d.Member, d.Content = m.Name, m.Content
			return d
		}
	}
	return nil
}

// Differ finds the first difference in what both outcomes give.
func (l Members) Differ(want, got *harness.Outcome) *Difference {
	for i := range l {
		if d := l[i].Compare(want, got); d != nil {
			d.Member, d.Content = l[i].Name, l[i].Content
			return d
		}
	}
	return nil
}

// SameGiven reports whether two outcomes give the same members, so that one
// engine's two answers to one request can be told apart by what they leave out.
func (l Members) SameGiven(a, b *harness.Outcome) bool {
	for i := range l {
		if l[i].none(a) != l[i].none(b) {
			return false
		}
	}
	return true
}

func (m *Member) none(o *harness.Outcome) bool {
	if m.empty != nil {
		return m.empty(o)
	}
	return !m.Given(o)
}

// Missing names a member that an applied outcome must have and this one lacks; ""
// if it is whole. An optional member is asked only of engines that give it.
func (l Members) Missing(a Asked, gives func(member string) bool) string {
	for i := range l {
		m := &l[i]
		if m.Required != nil && !m.Given(a.Outcome) && (!m.Optional || gives(m.Name)) && m.Required(a) {
			return m.Name
		}
	}
	return ""
}

// Malformed says which member of the outcome is none of its dialect; "" if none.
func (l Members) Malformed(o *harness.Outcome) (field, words string) {
	for i := range l {
		if m := &l[i]; m.Malformed != nil && m.Given(o) {
			if field, words := m.Malformed(o); field != "" {
				return field, words
			}
		}
	}
	return "", ""
}

// PassOver forgets further members of an outcome that the dialect does not have.
func (l Members) PassOver(o *harness.Outcome) {
	maps.DeleteFunc(o.More, func(name string, _ jsontext.Value) bool { return l.Find(name) == nil })
	if len(o.More) == 0 {
		o.More = nil
	}
}

// Given is what an engine gives of an outcome: what every engine must give, and more members.
func (l Members) Given(o *harness.Outcome, more ...string) harness.Outcome {
	kept := harness.Outcome{Verdict: o.Verdict, Code: o.Code}
	for i := range l {
		if !l[i].Optional || slices.Contains(more, l[i].Name) {
			l[i].Copy(&kept, o)
		}
	}
	return kept
}

// Essence is what every engine must give of an outcome, with the member that two
// engines dispute, so that the scenario of a finding fails where the campaign did.
func (l Members) Essence(o *harness.Outcome, disputed string) harness.Outcome {
	return l.stripped(l.Given(o, disputed))
}

// Shown is what is told of an engine's answer: what every engine must give, plan and
// place, with the member that is disputed.
func (l Members) Shown(o *harness.Outcome, disputed string) harness.Outcome {
	return l.stripped(l.Given(o, "plan", "at", disputed))
}

func (l Members) stripped(o harness.Outcome) harness.Outcome {
	for i := range l {
		if l[i].Strip != nil {
			l[i].Strip(&o)
		}
	}
	return o
}
