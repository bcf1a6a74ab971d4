package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

// Cause is one thing that is wrong with an engine.
// Its many fields are the members of the report's JSON.
type Cause struct {
	ID       string      `json:"id"`
	Class    judge.Class `json:"class"` // the worst that its cases show
	Sentence string      `json:"sentence"`
	// Family is what the cause is about: the family of its first trait.
	Family   string   `json:"family,omitzero"`
	Culprits []string `json:"culprits"`
	Check    string   `json:"check"`
	Kind     string   `json:"kind"`
	Cases    uint64   `json:"cases"` // that show it: of a failing cause, those that fail
	Of       uint64   `json:"of"`    // that have the culprits of such a group
	First    uint64   `json:"first"` // the index of a case that shows it: of the example, if there is one
	// LooksLike is the built-in defect, the value of a knob (conflicts=keep), or the member of
	// replies that is ignored (ignore=title), with which the reference answers as the engine
	// does; "" is none.
	LooksLike string        `json:"looks_like,omitzero"`
	Place     string        `json:"place,omitzero"` // the line of the engine's source that crashes, as FILE:LINE
	Example   *harness.Case `json:"example,omitzero"`
	// Before are the indices of the requests that must come before the example, if the
	// engine keeps state.
	Before   []uint64 `json:"before,omitempty"`
	Findings []string `json:"findings"`
	Groups   []string `json:"groups"`
	// Former are the names of its groups from the time before traits or checks were renamed.
	Former []string `json:"-"`
	// ShowsAs is what else the cause shows, the most frequent first.
	ShowsAs []string `json:"shows_as,omitempty"`
	// Traits are the smallest sets with which the cause shows, the most frequent first.
	Traits []Shows `json:"traits,omitempty"`
	// Scenarios are the ids of the failing scenarios that the cause explains.
	Scenarios []string `json:"scenarios,omitempty"`
	Advisory  bool     `json:"advisory,omitzero"`
	// Unconfirmed reports that no case of the cause was re-run.
	Unconfirmed bool `json:"unconfirmed,omitzero"`
}

// Shows is a set of traits with which a cause shows.
type Shows struct {
	Culprits []string `json:"culprits"`
	Cases    uint64   `json:"cases,omitzero"` // that show it; 0: not counted
	First    uint64   `json:"first,omitzero"` // the index of the first of them
}

// Name returns the name of the cause in lists of known failures: dialect/class/id.
func (c Cause) Name(dialect string) string { return dialect + "/" + string(c.Class) + "/" + c.ID }

// Diagnose returns the causes of groups, worst first.
func Diagnose(c Campaign, groups []Group) []Cause {
	e := Gather(c, groups)
	return Describe(c.Dialect, &e, Cluster(&e))
}

// Describe returns a cause for each cluster: failing ones first, then those that no re-run
// confirmed, then advisory ones, each worst first.
func Describe(d *dialect.Dialect, e *Evidence, clusters [][]int) []Cause {
	causes := collect.Map(e.Behaviours, func(b Behaviour) Cause { return b.cause(e.Dialect) })
	for _, members := range clusters {
		causes = append(causes, describe(d, e, members))
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(truth(a.Advisory), truth(b.Advisory)), cmp.Compare(truth(a.Unconfirmed), truth(b.Unconfirmed)),
			cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(b.Cases, a.Cases), strings.Compare(a.ID, b.ID),
		)
	})
	return causes
}

// describe makes a cause of a cluster.
func describe(d *dialect.Dialect, e *Evidence, members []int) Cause {
	list := collect.Map(members, func(i int) *Fact { return &e.Groups[i] })
	id := identity(list).ID
	h := title(list)
	counted := slices.DeleteFunc(slices.Clone(members), func(i int) bool { return e.Groups[i].Advisory && !h.Advisory })
	c := Campaign{Dialect: d}
	t := Cause{
		ID: id, Class: h.Class, Culprits: append([]string{}, h.Culprits...), Check: h.Check, Kind: h.Kind, First: h.First,
		Findings: []string{}, Advisory: h.Advisory, Unconfirmed: true, LooksLike: likeness(list), Family: c.family(h),
		Place: crashed(&h.Group), ShowsAs: c.showsAs(h, list), Sentence: c.sentence(h, list), Traits: traits(list),
	}
	if text, codes := acceptance(d, t.LooksLike), ruled(list); text != "" && codes > 1 {
		t.Sentence = fmt.Sprintf("%s (%d reason codes)", text, codes)
	} else if codes := lenientCodes(list); h.Lenient && codes > 1 {
		t.Sentence, t.LooksLike = fmt.Sprintf("Does not reject invalid %s (%d reason codes)", c.requests(), codes), ""
	}
	if code, others := replaced(h, list); others > 2 {
		t.Sentence = fmt.Sprintf("Rejects with %s instead of %d other reason codes", code, others)
	}
	for _, f := range list {
		t.Groups = append(t.Groups, f.ID)
		t.Former = append(t.Former, f.Former(d.Name, d.Vocabulary.Formerly)...)
		t.Unconfirmed = t.Unconfirmed && f.Unconfirmed
		t.example(f)
	}
	groups := collect.Map(counted, func(i int) *Group { return &e.Groups[i].Group })
	for _, same := range byTraits(groups) {
		t.Cases += total(same)
	}
	of := held(e, counted)
	if of > 0 { // a case that shows two groups with other traits each is one case
		t.Cases = min(t.Cases, of)
	}
	t.Of = max(of, t.Cases)
	return t
}

// lenientCodes counts the codes with which the rules reject what a lenient engine applied.
func lenientCodes(list []*Fact) int {
	return ruled(slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool { return !f.Lenient }))
}

// ruled counts the codes with which the rules reject the cases of groups.
func ruled(list []*Fact) int {
	codes := map[harness.Code]bool{}
	for _, f := range list {
		codes[f.Rule] = true
	}
	delete(codes, "")
	return len(codes)
}

// acceptance is the sentence of a look-alike that applies whatever the rules reject; "" for another one.
func acceptance(d *dialect.Dialect, like string) string {
	for _, m := range d.Defects {
		if m.Name == like && m.Accepts {
			return strings.ToUpper(m.Text[:1]) + m.Text[1:]
		}
	}
	return ""
}

// replaced returns the code that a cause gives wrongly, and the number of codes that are right instead.
func replaced(h *Fact, list []*Fact) (code string, others int) {
	wanted := map[string]bool{}
	for _, f := range list {
		want, got, ok := strings.Cut(strings.TrimPrefix(f.Kind, "code:"), ":")
		if ok && h.Class == judge.OnlyCode && f.Class == judge.OnlyCode {
			code, wanted[want] = got, true
		}
	}
	return cmp.Or(code, "no reason code"), len(wanted)
}

// example notes the example of a group. The first one is the example of the cause.
func (c *Cause) example(f *Fact) {
	if f.Example == nil {
		return
	}
	if id := f.Example.ID(); !slices.Contains(c.Findings, id) {
		c.Findings = append(c.Findings, id)
	}
	if c.Example == nil {
		shown := f.Example.Case
		c.Example, c.First, c.Before = &shown, f.Example.CaseIndex, f.Example.Before
	}
}

// often is the share of the most frequent group that a group must reach to name a cause: a
// rare one shows with one seed and not with the next.
const often = 0.5

// frequent returns the first of the groups that are not rare: if any has cases that are the same
// for all seeds, only those count. Breaks between two cases count only if there is nothing else.
func frequent(list []*Fact) *Fact {
	direct := slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool { return strings.Contains(f.Kind, "/") })
	if len(direct) > 0 {
		list = direct
	}
	weight := func(f *Fact) float64 { return float64(f.Cases) }
	if slices.ContainsFunc(list, func(f *Fact) bool { return f.Shared > 0 }) {
		weight = func(f *Fact) float64 { return float64(min(f.Cases, f.Shared)) }
	}
	most := 0.0
	for _, f := range list {
		most = max(most, weight(f))
	}
	return list[slices.IndexFunc(list, func(f *Fact) bool { return weight(f) >= often*most })]
}

// identity returns the group that gives a cause its id: one that is not rare, of any class.
func identity(list []*Fact) *Fact {
	loud := slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool { return f.Advisory })
	if len(loud) == 0 {
		loud = list
	}
	return frequent(loud)
}

// title puts the groups in the order in which they describe a cause, and returns the first,
// whose sentence the cause has: the first group of the worst class that is not rare.
// Groups that break the same check in the same kind follow, so that the example shows what the
// title says.
func title(list []*Fact) *Fact {
	rank := func(f *Fact) int {
		if f.Advisory {
			return len(judge.Classes()) + f.Class.Rank()
		}
		return f.Class.Rank()
	}
	worst := slices.MinFunc(list, func(a, b *Fact) int { return cmp.Compare(rank(a), rank(b)) })
	h := frequent(mostBroken(slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool { return rank(f) != rank(worst) })))
	unlike := func(f *Fact) int {
		switch {
		case f == h:
			return 0
		case f.Check == h.Check && f.Kind == h.Kind:
			return 1
		case f.Class == h.Class:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(list, func(a, b *Fact) int {
		return cmp.Or(cmp.Compare(unlike(a), unlike(b)), cmp.Compare(rank(a), rank(b)))
	})
	return h
}

// mostBroken returns the groups of the checks and kinds that are not rare, over all their groups.
func mostBroken(list []*Fact) []*Fact {
	cases, most := map[[2]string]uint64{}, uint64(0)
	for _, f := range list {
		key := [2]string{f.Check, f.Kind}
		cases[key] += f.Cases
		most = max(most, cases[key])
	}
	return slices.DeleteFunc(list, func(f *Fact) bool {
		return float64(cases[[2]string{f.Check, f.Kind}]) < often*float64(most)
	})
}

// plainFamily is the family of causes that show in plain cases.
const plainFamily = "plain cases"

// family returns what a cause is about, for lists of many causes.
func (c *Campaign) family(f *Fact) string {
	for _, t := range c.traits(&f.Group) {
		return t.Family
	}
	return plainFamily
}

// likeness is the look-alike of a cluster: the only one that its groups have, or the one that ignores most. It
// must explain half of the cases that the groups show.
func likeness(list []*Fact) (name string) {
	explained, all := uint64(0), uint64(0)
	for _, f := range list {
		all += f.Cases
		if f.LooksLike == "" {
			continue
		}
		explained += f.Cases
		switch {
		case name == "", alikeIgnored(name, f.LooksLike) && len(f.LooksLike) < len(name):
			name = f.LooksLike
		case f.LooksLike != name && !alikeIgnored(name, f.LooksLike):
			return ""
		}
	}
	if 2*explained < all {
		return ""
	}
	return name
}

// held counts the cases that can show any group of a cluster.
func held(e *Evidence, members []int) (n uint64) {
	for _, h := range e.Held {
		if slices.ContainsFunc(h.Groups, func(i int) bool { return slices.Contains(members, i) }) {
			n += h.Cases
		}
	}
	return n
}

// least returns the groups with minimal culprits: no other group has only some of them.
func least(list []*Fact) (some []*Fact) {
	for _, f := range list {
		if !slices.ContainsFunc(list, func(o *Fact) bool {
			return len(o.Culprits) < len(f.Culprits) && within(o.Culprits, f.Culprits)
		}) {
			some = append(some, f)
		}
	}
	return some
}

// traits are the sets of traits with which a cluster shows.
func traits(list []*Fact) (sets []Shows) {
	groups := collect.Map(least(list), func(f *Fact) *Group { return &f.Group })
	for _, same := range byTraits(groups) {
		one := Shows{append([]string{}, same[0].Culprits...), total(same), same[0].First}
		for _, g := range same {
			one.First = min(one.First, g.First)
		}
		sets = append(sets, one)
	}
	slices.SortStableFunc(sets, func(a, b Shows) int { return cmp.Compare(b.Cases, a.Cases) })
	return sets
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
