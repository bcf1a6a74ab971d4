package cause

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/hunt/judge"
)

// Cause is one thing that is wrong with an engine.
type Cause struct {
	ID       string      `json:"id"`
	Class    judge.Class `json:"class"`
	Sentence string      `json:"sentence"`
	Culprits []string    `json:"culprits"`
	Check    string      `json:"check"`
	Kind     string      `json:"kind"`
	Cases    uint64      `json:"cases"` // that show it
	Of       uint64      `json:"of"`    // that hold the culprits
	First    uint64      `json:"first"` // the index of one that shows it: of the example, or else the first
	// LooksLike is the built-in defect, or the value of a knob (conflicts=keep), with
	// which the reference answers as the engine does; "" is none.
	LooksLike string        `json:"looks_like,omitzero"`
	Example   *harness.Case `json:"example,omitzero"`
	// Before are the indices of the requests that must come before the example, if the
	// engine keeps state.
	Before   []uint64 `json:"before,omitempty"`
	Findings []string `json:"findings"`
	Groups   []string `json:"groups"`
	// ShowsAs is what else the cause shows as than its sentence says, that first which most
	// cases do.
	ShowsAs []string `json:"shows_as,omitempty"`
	// Traits are the smallest sets with which the cause shows, those first that most
	// cases have.
	Traits   []Shows `json:"traits,omitempty"`
	Advisory bool    `json:"advisory,omitzero"`
}

// Shows is a set of traits with which a cause shows.
type Shows struct {
	Culprits []string `json:"culprits"`
	Cases    uint64   `json:"cases"` // that show it
	First    uint64   `json:"first"` // the index of the first of them
}

// Name is what lists of known failures call it: dialect/class/id.
func (c Cause) Name(dialect string) string { return dialect + "/" + string(c.Class) + "/" + c.ID }

// Names are all by which a list of known failures can name the cause: each of its
// groups, and, as older lists do, its findings.
func (c Cause) Names(dialect string) []string {
	names := []string{c.Name(dialect)}
	for _, id := range c.Groups {
		names = append(names, dialect+"/"+string(c.Class)+"/"+id)
	}
	return append(names, c.Findings...)
}

// Campaign is the input of a diagnosis except for the groups.
type Campaign struct {
	Dialect *dialect.Dialect
	// Source generates the cases again. It is nil for recorded cases, which are not
	// compared with defects.
	Source *generators.Source
	Seed   uint64
	// Profile is the one of the engine, for cases without one of their own.
	Profile harness.Profile
	Exact   bool // the codes of refusals count
	// Ran reports whether the case of an index was judged. End is the index after the last
	// one.
	Ran func(index uint64) bool
	End uint64
	// HeldOut are defects and knobs that are no look-alikes, and Unnamed says that
	// none is looked for.
	HeldOut []string
	Unnamed bool
	// Behaviours are values that the engine works by and does not declare.
	Behaviours []Behaviour
}

// Diagnose makes causes of groups, worst first. The groups are in the order in
// which they were found.
func Diagnose(c Campaign, groups []Group) []Cause {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(a, b Group) int { return c.compare(&a, &b) })
	rows := c.joined(groups)
	if !c.Unnamed {
		rows = c.nameAll(rows)
	}
	rows = c.gathered(alike(c.settled(rows)))
	for _, r := range rows {
		c.head(r)
	}
	held := c.held(rows)
	var causes []Cause
	for _, b := range c.Behaviours {
		causes = append(causes, b.cause(c.Dialect.Name))
	}
	for i, r := range rows {
		causes = append(causes, c.tell(r, held[i]))
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(b.Cases, a.Cases), strings.Compare(a.ID, b.ID))
	})
	return causes
}

// Fresh counts the groups that are no advice and, as far as they say the same, go
// with none that is known.
func Fresh(c Campaign, groups []Group, known func(Group) bool) (n int) {
	for _, r := range c.joined(groups) {
		if known != nil && slices.ContainsFunc(r.groups, known) {
			continue
		}
		for _, g := range r.groups {
			if !g.Advisory {
				n++
			}
		}
	}
	return n
}

// row is a cause that is not complete yet: the first group names it.
type row struct {
	groups    []Group
	topic     string
	looksLike string
}

func (r *row) head() *Group { return &r.groups[0] }

// largest lists the groups, those first that most cases show.
func (r *row) largest() (list []*Group) {
	for i := range r.groups {
		list = append(list, &r.groups[i])
	}
	slices.SortStableFunc(list, func(a, b *Group) int { return cmp.Compare(b.Cases, a.Cases) })
	return list
}

// compare puts groups in the order in which they name causes: by class, check,
// kind, and the order of their traits in the table.
func (c *Campaign) compare(a, b *Group) int {
	rules := &c.Dialect.Judging
	return cmp.Or(
		cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(rules.Place(a.Check), rules.Place(b.Check)),
		strings.Compare(a.Kind, b.Kind),
		cmp.Compare(len(a.Culprits), len(b.Culprits)), slices.Compare(c.places(a.Culprits), c.places(b.Culprits)),
		strings.Compare(a.ID, b.ID),
	)
}

// head puts the group first that names a cause. One that few of the cases of its class
// show is there with one seed, and not with the next, and so does not.
func (c *Campaign) head(r *row) {
	slices.SortStableFunc(r.groups, func(a, b Group) int { return c.compare(&a, &b) })
	weight := c.weight(r)
	class, most := r.class(weight), uint64(0)
	for i := range r.groups {
		if g := &r.groups[i]; g.Class == class {
			most = max(most, weight(g))
		}
	}
	i := slices.IndexFunc(r.groups, func(g Group) bool { return g.Class == class && 2*weight(&g) >= most })
	g := r.groups[i]
	r.groups = slices.Insert(slices.Delete(r.groups, i, i+1), 0, g)
}

// weight is by how many cases a group of a row counts when the row is named: by those
// that are the same for all seeds, where any of them shows the row.
func (c *Campaign) weight(r *row) func(*Group) uint64 {
	if slices.ContainsFunc(r.groups, func(g Group) bool { return c.shared(&g) > 0 }) {
		return c.shared
	}
	return func(g *Group) uint64 { return g.Cases }
}

// shared counts the cases that show a group and are the same for all seeds.
func (c *Campaign) shared(g *Group) (n uint64) {
	if c.Source == nil {
		return 0
	}
	for _, f := range g.Failing {
		if c.Source.Shared(f.Index) {
			n++
		}
	}
	return n
}

// rare is a class that so few of a cause's cases are of: one of ten.
const rare = 10

// class is the worst of a row's groups that is not rare among them. A crash is never
// too rare.
func (r *row) class(weight func(*Group) uint64) judge.Class {
	cases, all := map[judge.Class]uint64{}, uint64(0)
	for i := range r.groups {
		g := &r.groups[i]
		cases[g.Class] += weight(g)
		all += weight(g)
	}
	i := slices.IndexFunc(r.groups, func(g Group) bool { return g.Class == judge.Crashes || rare*cases[g.Class] >= all })
	return r.groups[i].Class
}

func (c *Campaign) places(traits []string) (list []int) {
	for _, name := range traits {
		list = append(list, slices.IndexFunc(c.Dialect.Traits, func(t generators.Trait) bool { return t.Name == name }))
	}
	return list
}

// joined merges groups of one class, check and kind that have one topic, or where the
// culprits of one include all culprits of the other. A group without culprits absorbs no
// others.
func (c *Campaign) joined(groups []Group) (rows []*row) {
	for _, g := range groups {
		topic := c.Topic(&g)
		i := slices.IndexFunc(rows, func(r *row) bool {
			h := r.head()
			if h.Class != g.Class || h.Check != g.Check || h.Kind != g.Kind {
				return false
			}
			return r.topic == topic || slices.ContainsFunc(r.groups,
				func(o Group) bool { return within(o.Culprits, g.Culprits) })
		})
		if i < 0 {
			rows = append(rows, &row{topic: topic, groups: []Group{g}})
			continue
		}
		rows[i].groups = append(rows[i].groups, g)
	}
	return rows
}

// within reports whether a set that is not empty is part of another.
func within(small, large []string) bool {
	for _, name := range small {
		if !slices.Contains(large, name) {
			return false
		}
	}
	return len(small) > 0
}

// alike makes one row of those with one and the same look-alike.
func alike(rows []*row) (list []*row) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(o *row) bool { return r.looksLike != "" && o.looksLike == r.looksLike })
		if i < 0 {
			list = append(list, r)
			continue
		}
		list[i].groups = append(list[i].groups, r.groups...)
	}
	return list
}

// held counts, for each row, the cases that hold the culprits of one of its groups: what
// shows without any, every case may show.
func (c *Campaign) held(rows []*row) []uint64 {
	counts := make([]uint64, len(rows))
	if c.Source == nil {
		return counts
	}
	for index := range c.End {
		if !c.Ran(index) {
			continue
		}
		traits := c.Source.Holds(c.Seed, index)
		for i, r := range rows {
			if slices.ContainsFunc(r.groups, func(g Group) bool { return g.Covers(traits) }) {
				counts[i]++
			}
		}
	}
	return counts
}

// likest lists the groups of a row, those first whose example shows what its sentence
// says: those that say the same, and those that break the same check in the same kind.
func (c *Campaign) likest(r *row) []*Group {
	h := r.head()
	unlike := func(g *Group) int {
		switch {
		case g.Check != h.Check || g.Kind != h.Kind:
			return 2
		case c.Topic(g) != c.Topic(h):
			return 1
		}
		return 0
	}
	list := make([]*Group, len(r.groups))
	for i := range r.groups {
		list[i] = &r.groups[i]
	}
	slices.SortStableFunc(list, func(a, b *Group) int { return cmp.Compare(unlike(a), unlike(b)) })
	return list
}

// traits are the sets of traits with which a row shows.
func (r *row) traits() (list []Shows) {
	for _, groups := range byTraits(r.least()) {
		one := Shows{append([]string{}, groups[0].Culprits...), distinct(groups), groups[0].First}
		for _, g := range groups {
			one.First = min(one.First, g.First)
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b Shows) int { return cmp.Compare(b.Cases, a.Cases) })
	return list
}

// byTraits puts groups with the same culprits together.
func byTraits(groups []*Group) (list [][]*Group) {
	for _, g := range groups {
		i := slices.IndexFunc(list, func(l []*Group) bool { return slices.Equal(l[0].Culprits, g.Culprits) })
		if i < 0 {
			list = append(list, []*Group{g})
			continue
		}
		list[i] = append(list[i], g)
	}
	return list
}

// distinct counts the cases that show any of some groups with the same culprits. It
// subtracts the cases that a group shares with the most similar earlier one. The count is
// never too small, and exact if one group includes the other (Hunter, "An upper bound for
// the probability of a union", 1976).
func distinct(groups []*Group) (n uint64) {
	for i, g := range groups {
		both := uint64(0)
		for _, h := range groups[:i] {
			both = max(both, g.Beside[h.Check+" "+h.Kind], h.Beside[g.Check+" "+g.Kind])
		}
		n += g.Cases - min(g.Cases, both)
	}
	return n
}

// sentence returns the sentence of a row: its first group first, and without groups that
// only add traits to another group.
func (c *Campaign) sentence(r *row) string {
	list := slices.DeleteFunc(r.least(), func(g *Group) bool { return g == r.head() })
	return c.Sentence(slices.Insert(list, 0, r.head())...)
}

// tell makes a cause of a row; of is the number of cases that have the culprits.
func (c *Campaign) tell(r *row, of uint64) Cause {
	h := r.head()
	t := Cause{
		ID: h.ID, Class: h.Class, Sentence: c.sentence(r), Culprits: append([]string{}, h.Culprits...), Check: h.Check,
		Kind:      h.Kind,
		LooksLike: r.looksLike, First: h.First, Findings: []string{}, Advisory: true,
	}
	for i := range r.groups {
		g := &r.groups[i]
		t.Groups = append(t.Groups, g.ID)
		t.Advisory = t.Advisory && g.Advisory
	}
	for _, groups := range byTraits(r.largest()) {
		t.Cases += distinct(groups)
	}
	t.ShowsAs, t.Traits = c.showsAs(r), r.traits()
	for _, g := range c.likest(r) {
		if g.Example == nil {
			continue
		}
		if id := g.Example.ID(); !slices.Contains(t.Findings, id) {
			t.Findings = append(t.Findings, id)
		}
		if t.Example == nil {
			example := g.Example.Case
			t.Example, t.First, t.Before = &example, g.Example.CaseIndex, g.Example.Before
		}
	}
	if c.Source != nil { // one that shows two groups with other traits each is one, too
		t.Cases = min(t.Cases, of)
	}
	t.Of = max(of, t.Cases)
	return t
}
