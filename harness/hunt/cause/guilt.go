package cause

import "slices"

// guilty returns the suspect that explains a group, out of several that explain it
// together. Without it the others do not explain the group. If several qualify, the last
// is taken: earlier suspects explain more by themselves.
func (n *naming) guilty(set []int, g *Group) int {
	if len(set) == 1 {
		return set[0]
	}
	set = slices.Sorted(slices.Values(set))
	slices.Reverse(set)
	needed := slices.DeleteFunc(slices.Clone(set), func(i int) bool {
		return !n.actsIn(i, g) ||
			n.explainedBy(n.composed(others(set, i)), g)
	})
	if len(needed) == 0 {
		needed = set
	}
	for _, i := range needed {
		if n.breaks(n.suspects[i], g) {
			return i
		}
	}
	for _, i := range needed {
		if !n.breaks(n.composed(others(set, i)), g) {
			return i
		}
	}
	return needed[0]
}

// adopt names rows that nothing explains by a suspect that was found and breaks the same
// check in the same kind on most of their cases: whatever else is wrong there, that is what
// breaks.
func (n *naming) adopt(rows []*row) {
	for _, r := range open(rows) {
		i := slices.IndexFunc(n.found, func(i int) bool { return n.breaksMost(n.suspects[i], r) })
		if i >= 0 {
			r.looksLike = n.suspects[n.found[i]].name
		}
	}
}

// breaksMost reports whether a suspect alone breaks what most cases of a row do, where that
// says more than that an answer is another one.
func (n *naming) breaksMost(s suspect, r *row) bool {
	like := uint64(0)
	for _, g := range r.largest() {
		if !vague(g) && n.breaks(s, g) {
			like += g.Cases
		}
	}
	return 2*like > r.cases()
}

func others(set []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(set), func(k int) bool { return k == i })
}

// explainedBy reports whether a suspect answers a group's cases as the engine did.
func (n *naming) explainedBy(s suspect, g *Group) bool {
	return n.explainsGroup(s.defect.Wrap(n.Dialect.Eval), s, g, n.seen[g.ID])
}

// parted splits off the groups that the look-alike of their row does not explain and
// another suspect does. Groups that no suspect explains stay.
func (n *naming) parted(rows []*row) []*row {
	var parts []*row
	home := map[*row]*row{}
	for _, r := range rows {
		own := slices.IndexFunc(n.suspects, func(s suspect) bool { return s.name == r.looksLike })
		if own < 0 {
			continue
		}
		var stay []Group
		for _, g := range r.groups {
			one := &row{groups: []Group{g}, topic: n.Topic(&g), looksLike: r.looksLike}
			if !n.explainedBy(n.suspects[own], &g) {
				one.looksLike = n.among(n.beside(), &g)
			}
			if one.looksLike == r.looksLike {
				stay = append(stay, g)
				continue
			}
			parts = append(parts, one)
			home[one] = r
		}
		r.groups = stay
	}
	n.cover(parts)
	for _, p := range parts {
		if p.looksLike == "" {
			home[p].groups = append(home[p].groups, p.groups...)
			continue
		}
		rows = append(rows, p)
	}
	return slices.DeleteFunc(rows, func(r *row) bool { return len(r.groups) == 0 })
}

// among is the one of several suspects that a group looks like; "" if they do not explain it.
func (n *naming) among(set []int, g *Group) string {
	if len(set) == 0 || !n.explainedBy(n.composed(set), g) {
		return ""
	}
	return n.suspects[n.guilty(set, g)].name
}

// plainest is, of suspects that fit equally well, the one that explains most cases of what
// it fits, and of those the one that in the fewest changes what was found answers, and not
// to what the engine does.
func (n *naming) plainest(best int, fits [][]*row, equal func(i int) bool) int {
	var list []int
	for i := range n.suspects {
		if equal(i) {
			list = append(list, i)
		}
	}
	if len(list) < 2 {
		return best
	}
	evidence := n.evidence(list)
	least, most := n.astray(best, evidence), n.explained(best, fits[best])
	for _, i := range list {
		count, agreed := n.astray(i, evidence), n.explained(i, fits[i])
		if agreed > most || agreed == most && count < least {
			best, least, most = i, count, agreed
		}
	}
	return best
}

// explained counts the cases of the open rows that a suspect explains, with what was found.
func (n *naming) explained(i int, rows []*row) (count uint64) {
	s := n.composed(n.beside(), i)
	for _, r := range open(rows) {
		for _, g := range r.groups {
			if n.explainedBy(s, &g) {
				count += g.Cases
			}
		}
	}
	return count
}

// evident is a case that shows something, with what the suspects found so far answer.
type evident struct {
	observed
	*Group
	found string
}

// evidence is the smallest case of each group in which some suspect of a list acts.
func (n *naming) evidence(suspects []int) (list []evident) {
	s := n.composed(n.beside())
	eval := s.defect.Wrap(n.Dialect.Eval)
	for i := range n.groups {
		g := &n.groups[i]
		acts := func(i int) bool { return n.actsIn(i, g) }
		if small := n.small[g.ID]; len(small) > 0 && slices.ContainsFunc(suspects, acts) {
			list = append(list, evident{small[0], g, n.answer(eval, s, small[0].sample.Case, Disputed(g.Kind))})
		}
	}
	return list
}

// astray counts the cases in which a suspect changes what was found answers, and not to
// what the engine does.
func (n *naming) astray(i int, list []evident) (count int) {
	s := n.composed(n.beside(), i)
	eval := s.defect.Wrap(n.Dialect.Eval)
	for _, o := range list {
		if !n.actsIn(i, o.Group) {
			continue
		}
		if a := n.answer(eval, s, o.sample.Case, Disputed(o.Kind)); a != o.found && a != o.answer {
			count++
		}
	}
	return count
}
