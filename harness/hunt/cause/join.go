package cause

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/hunt/judge"
)

// settled merges rows that are likely one bug with several symptoms; see
// [Campaign.clusters]. Rows with different look-alikes stay separate if these explain most
// of their cases.
func (c *Campaign) settled(rows []*row) (list []*row) {
	for _, cluster := range c.clusters(rows) {
		list = append(list, split(cluster)...)
	}
	return list
}

// clusters are the rows that hang together. First come those that break alike, then
// those that show in the same places. That an answer is wrong says little: a row of such
// breaks whose traits break a check that says more goes with that, and ties nothing. Nor
// does what only several traits show, where one of them alone shows something.
func (c *Campaign) clusters(rows []*row) [][]*row {
	var list [][]*row
	var told []*row
	for _, r := range rows {
		if bridges(r, rows) || oracle(r.head()) && slices.ContainsFunc(rows, func(o *row) bool { return saysMore(o, r) }) {
			told = append(told, r)
			continue
		}
		list = append(list, []*row{r})
	}
	broad := c.broad(rows)
	list = connected(list, func(a, b []*row) bool {
		return anyPair(a, b, c.breakAlike) || broad[a[0]] && broad[b[0]] && sameWay(a[0].head(), b[0].head())
	})
	list = connected(list, c.tied)
	for _, r := range told {
		best := slices.MaxFunc(list, func(a, b []*row) int { return cmp.Compare(shared(a, []*row{r}), shared(b, []*row{r})) })
		i := slices.IndexFunc(list, func(l []*row) bool { return l[0] == best[0] })
		list[i] = append(list[i], r)
	}
	return list
}

// saysMore reports whether a row breaks a specific check where the other only returns a
// wrong outcome, in no way of its own.
func saysMore(o, r *row) bool {
	return !oracle(o.head()) && !departApart(r, o) && shared([]*row{r}, []*row{o}) > 0
}

// bridges reports whether a row needs several traits, and other rows need fewer of these.
// It is the meeting of two bugs and says nothing new.
func bridges(r *row, rows []*row) bool {
	if slices.ContainsFunc(r.groups, func(g Group) bool { return len(stimuli(&g)) < 2 }) {
		return false
	}
	traits := stimuli(r.head())
	fewer := func(g Group) bool { return len(stimuli(&g)) < len(traits) && within(stimuli(&g), traits) }
	return slices.ContainsFunc(rows, func(o *row) bool { return o != r && slices.ContainsFunc(o.groups, fewer) })
}

// connected joins clusters, one with another.
func connected(clusters [][]*row, like func(a, b []*row) bool) (list [][]*row) {
	for _, next := range clusters {
		list = slices.DeleteFunc(list, func(other []*row) bool {
			if !like(other, next) {
				return false
			}
			next = slices.Concat(other, next)
			return true
		})
		list = append(list, next)
	}
	return list
}

// Broad is how many rows without a look-alike that break the same check in the same
// kind, with nothing in common, are taken for one: then it is no trait that makes it.
const Broad = 4

// broad returns the rows that are too many for a trait to be the reason. If plain cases
// that use one feature fail, a row is included if most of its cases use it.
func (c *Campaign) broad(rows []*row) map[*row]bool {
	count, asked := map[string]int{}, map[string][]string{}
	for _, r := range rows {
		if w := way(r.head()); r.looksLike == "" {
			if count[w]++; len(r.head().Culprits) == 0 {
				asked[w] = c.asking(r.head())
			}
		}
	}
	list := map[*row]bool{}
	for _, r := range rows {
		w := way(r.head())
		list[r] = r.looksLike == "" && count[w] >= Broad && (len(asked[w]) != 1 || c.mostly(r, asked[w][0]))
	}
	return list
}

// split makes rows of a cluster: one for each look-alike if these explain most of its
// cases, else one.
func split(cluster []*row) (list []*row) {
	var explained uint64
	for _, r := range cluster {
		if r.looksLike != "" {
			explained += r.cases()
			list = append(list, r)
		}
	}
	if 2*explained < cases(cluster) {
		return unexplained(cluster)
	}
	list = alike(list)
	for _, r := range cluster {
		if r.looksLike == "" {
			i := max(0, slices.IndexFunc(list, func(o *row) bool { return anyPair([]*row{o}, []*row{r}, sameTraits) }))
			list[i].groups = append(list[i].groups, r.groups...)
		}
	}
	return list
}

// unexplained makes one row of a cluster, but for look-alikes that have no traits in
// common with what has none.
func unexplained(cluster []*row) (list []*row) {
	nameless := open(cluster)
	one := &row{topic: cluster[0].topic}
	for _, r := range cluster {
		if r.looksLike != "" && !anyPair(nameless, []*row{r}, sameTraits) {
			list = append(list, r)
			continue
		}
		one.groups = append(one.groups, r.groups...)
	}
	return append(alike(list), one)
}

func (r *row) cases() (n uint64) {
	for i := range r.groups {
		n += r.groups[i].Cases
	}
	return n
}

// tied reports whether two clusters fail in the same places. One trait can show several
// bugs: if both break specific checks, a quarter of the cases of one must also break the
// other, or half of both must have the same traits.
func (c *Campaign) tied(a, b []*row) bool {
	switch {
	case !anyPair(a, b, c.hangTogether):
		return false
	case a[0].head().Class == judge.Unsteady, oracle(a[0].head()), oracle(b[0].head()):
		return true
	}
	return 4*met(a, b) >= min(cases(a), cases(b)) || 2*shared(a, b) >= cases(a) && 2*shared(b, a) >= cases(b)
}

// met counts the cases that show both of two clusters with the same culprits.
func met(a, b []*row) (n uint64) {
	anyPair(a, b, func(g, h *Group) bool {
		if slices.Equal(g.Culprits, h.Culprits) {
			n += max(g.Beside[h.Check+" "+h.Kind], h.Beside[g.Check+" "+g.Kind])
		}
		return false
	})
	return n
}

// shared counts the cases of the first cluster whose traits show the second, too.
func shared(a, b []*row) (n uint64) {
	for _, r := range a {
		for i := range r.groups {
			one := []*row{{groups: r.groups[i : i+1]}}
			if anyPair(one, b, sameTraits) {
				n += r.groups[i].Cases
			}
		}
	}
	return n
}

func cases(cluster []*row) (n uint64) {
	for _, r := range cluster {
		n += r.cases()
	}
	return n
}

func anyPair(a, b []*row, like func(g, h *Group) bool) bool {
	return slices.ContainsFunc(a, func(r *row) bool {
		return slices.ContainsFunc(b, func(o *row) bool {
			return slices.ContainsFunc(r.least(), func(g *Group) bool {
				return slices.ContainsFunc(o.least(), func(h *Group) bool { return like(g, h) })
			})
		})
	})
}

// least returns the groups with minimal culprits: no other group of the row has only some
// of them.
func (r *row) least() (list []*Group) {
	for i := range r.groups {
		g := &r.groups[i]
		more := func(o Group) bool { return len(o.Culprits) < len(g.Culprits) && within(o.Culprits, g.Culprits) }
		if !slices.ContainsFunc(r.groups, more) {
			list = append(list, g)
		}
	}
	return list
}

// hangTogether reports whether two groups are likely one bug because of where they fail.
// One bug can reject here and return a wrong plan there. Nondeterministic groups are
// always one.
func (c *Campaign) hangTogether(g, h *Group) bool {
	if g.Class == judge.Unsteady || h.Class == judge.Unsteady {
		return g.Class == h.Class
	}
	plain := len(g.Culprits) == 0 && len(h.Culprits) == 0
	return sameTraits(g, h) || plain && !sameWay(g, h) && (c.beside(g, h) || c.beside(h, g))
}

// breakAlike reports whether two groups are likely one thing for how they break: in the
// same way in stimuli of one theme, or in one place, or in plain cases.
func (c *Campaign) breakAlike(g, h *Group) bool {
	if g.Class == judge.Unsteady || h.Class == judge.Unsteady || !sameWay(g, h) {
		return false
	}
	return plainly(g) || plainly(h) || c.share(g, h, theme) || !vague(g) && c.share(g, h, place)
}

// sameTraits reports whether all culprits of one group are culprits of the other. A
// relation between two cases counts as a trait.
func sameTraits(g, h *Group) bool {
	a, b := stimuli(g), stimuli(h)
	return within(a, b) || within(b, a)
}

func stimuli(g *Group) []string {
	if relation, _, ok := related(g); ok {
		return append(slices.Clone(g.Culprits), "relation "+relation)
	}
	return g.Culprits
}

// sameWay reports whether two groups break the same check in the same kind, whatever
// relation shows it.
func sameWay(g, h *Group) bool { return g.Class == h.Class && way(g) == way(h) }

func way(g *Group) string {
	switch outer, inner, ok := related(g); {
	case ok:
		return judge.Reference + " " + inner
	case inner != "": // the check of a second answer
		return outer + " " + inner
	}
	return g.Check + " " + g.Kind
}

// related parts the kind of a break between two cases: ok if it says no more than that
// the two do not go together.
func related(g *Group) (outer, inner string, ok bool) {
	outer, inner, ok = strings.Cut(g.Kind, "/")
	return outer, inner, ok && outer == g.Check
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
	_, _, related := related(g)
	return related || g.Check == judge.Reference || g.Check == judge.Expected
}

// beside reports whether a failure in plain cases occurs together with another one more
// often than by chance: with four times the odds. A check that only compares outcomes
// always occurs with a specific one.
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
