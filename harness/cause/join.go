package cause

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/judge"
)

// settled joins rows that are likely one thing that shows in several ways; see
// [Campaign.hangTogether]. Rows with look-alikes stay apart where these explain most
// of the cases, and the others go with them.
func (c *Campaign) settled(rows []*row) (list []*row) {
	for _, cluster := range c.clusters(rows) {
		list = append(list, split(cluster)...)
	}
	return list
}

// clusters are the rows that hang together, one with another.
func (c *Campaign) clusters(rows []*row) (list [][]*row) {
	broad := broad(rows)
	for _, r := range rows {
		next := []*row{}
		list = slices.DeleteFunc(list, func(cluster []*row) bool {
			if !slices.ContainsFunc(cluster, func(o *row) bool { return c.related(o, r) || broad(o) && broad(r) && sameWay(o.head(), r.head()) }) {
				return false
			}
			next = append(next, cluster...)
			return true
		})
		list = append(list, append(next, r))
	}
	return list
}

// Broad is how many rows without a look-alike that break the same check in the same
// kind, with nothing in common, are taken for one: then it is no trait that makes it.
const Broad = 4

// broad tells of which rows there are so many.
func broad(rows []*row) func(*row) bool {
	count := map[string]int{}
	for _, r := range rows {
		if r.looksLike == "" {
			count[way(r.head())]++
		}
	}
	return func(r *row) bool { return r.looksLike == "" && count[way(r.head())] >= Broad }
}

// split makes rows of a cluster: one for each look-alike if these explain most of its
// cases, else one.
func split(cluster []*row) (list []*row) {
	var explained, cases uint64
	for _, r := range cluster {
		cases += r.cases()
		if r.looksLike != "" {
			explained += r.cases()
			list = append(list, r)
		}
	}
	if list = alike(list); 2*explained < cases {
		for _, r := range cluster[1:] {
			cluster[0].groups = append(cluster[0].groups, r.groups...)
		}
		cluster[0].looksLike = ""
		return cluster[:1]
	}
	for _, r := range cluster {
		if r.looksLike == "" {
			i := max(0, slices.IndexFunc(list, func(o *row) bool { return anyPair(o, r, sameTraits) }))
			list[i].groups = append(list[i].groups, r.groups...)
		}
	}
	return list
}

func (r *row) cases() (n uint64) {
	for i := range r.groups {
		n += r.groups[i].Cases
	}
	return n
}

func (c *Campaign) related(a, b *row) bool { return anyPair(a, b, c.hangTogether) }

func anyPair(a, b *row, like func(g, h *Group) bool) bool {
	for i := range a.groups {
		for k := range b.groups {
			if like(&a.groups[i], &b.groups[k]) {
				return true
			}
		}
	}
	return false
}

// hangTogether reports whether two groups are likely one thing. One mistake shows in
// one stimulus as a refusal here and as a wrong plan there; in stimuli of one theme, or
// in one place, in the same way; and where plain cases show it, beside others. What
// does not answer twice alike is one thing, too.
func (c *Campaign) hangTogether(g, h *Group) bool {
	plain := len(g.Culprits) == 0 && len(h.Culprits) == 0
	switch {
	case g.Class == judge.Unsteady || h.Class == judge.Unsteady:
		return g.Class == h.Class
	case sameTraits(g, h):
		return true
	case sameWay(g, h):
		return plainly(g) || plainly(h) || c.share(g, h, theme) || c.share(g, h, place)
	}
	return plain && (c.beside(g, h) || c.beside(h, g))
}

// sameTraits reports whether the culprits of one group are all among the other's. The
// relation between two cases stands for a trait.
func sameTraits(g, h *Group) bool {
	a, b := stimuli(g), stimuli(h)
	return within(a, b) || within(b, a)
}

func stimuli(g *Group) []string {
	if relation, _, ok := strings.Cut(g.Kind, "/"); ok {
		return append(slices.Clone(g.Culprits), "relation "+relation)
	}
	return g.Culprits
}

// sameWay reports whether two groups break the same check in the same kind, whatever
// relation shows it.
func sameWay(g, h *Group) bool { return g.Class == h.Class && way(g) == way(h) }

func way(g *Group) string {
	if _, inner, ok := strings.Cut(g.Kind, "/"); ok {
		return judge.Reference + " " + inner
	}
	return g.Check + " " + g.Kind
}

// plainly reports whether a group shows in plain cases, and says so much that what
// breaks in the same way with a trait is the same: its check is about one thing, or
// all plain cases break.
func plainly(g *Group) bool {
	if len(g.Culprits) > 0 || len(g.Failing) == 0 {
		return false
	}
	n := uint64(len(g.Failing))
	always := g.Failing[n-1].Index < n
	return always || !oracle(g)
}

// oracle reports whether the group's check says no more than that an answer is wrong.
func oracle(g *Group) bool {
	return g.Check == judge.Reference || g.Check == judge.Expected || strings.Contains(g.Kind, "/")
}

// beside reports whether a plain failure shows beside another one, and that is not by
// chance: the odds of it are four times those without the other. A check that says no
// more than that an answer is wrong always shows beside one that says what is wrong.
func (c *Campaign) beside(g, h *Group) bool {
	both := g.Beside[h.Check+" "+h.Kind]
	if both == 0 || oracle(h) {
		return both > 0
	}
	with, without := g.Cases-min(both, g.Cases), h.Cases
	neither := c.End - min(c.End, g.Cases+without)
	return both*neither >= 4*with*without
}

func theme(t *generators.Trait) string { return t.Theme }
func place(t *generators.Trait) string { return t.Place }

// share reports whether a trait of one group and one of the other have a word in common.
func (c *Campaign) share(g, h *Group, word func(*generators.Trait) string) bool {
	words := map[string]bool{}
	for _, t := range c.traits(g) {
		words[word(t)] = true
	}
	delete(words, "")
	return slices.ContainsFunc(c.traits(h), func(t *generators.Trait) bool { return words[word(t)] })
}

// traits are the culprits of a group that are in the table.
func (c *Campaign) traits(g *Group) (list []*generators.Trait) {
	for i := range c.Dialect.Traits {
		if t := &c.Dialect.Traits[i]; slices.Contains(g.Culprits, t.Name) {
			list = append(list, t)
		}
	}
	return list
}
