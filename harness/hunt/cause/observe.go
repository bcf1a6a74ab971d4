package cause

import (
	"cmp"
	"slices"

	"replanbench/generators"
	"replanbench/harness"
)

// elsewhere is how many cases without any culprit are looked at for false alarms.
const elsewhere = 700

// blameless are the first cases that hold no culprits, and their right answers: plain cases that
// pass, if others fail.
func (c *Campaign) blameless(groups []Group) (list []observed) {
	add := func(index uint64) { list = append(list, c.passed(c.Source.At(c.Seed, index), index, "")) }
	if slices.ContainsFunc(groups, func(g Group) bool { return len(g.Culprits) == 0 }) {
		for _, index := range c.passing(&Group{}, groups) {
			add(index)
		}
		return list
	}
	for index := uint64(0); index < min(c.End, c.Source.Mix()) && len(list) < elsewhere; index++ {
		traits := c.Source.Holds(c.Seed, index)
		if c.Ran(index) && !slices.ContainsFunc(groups, func(g Group) bool { return g.Covers(traits) }) {
			add(index)
		}
	}
	return list
}

// observed is a case of the campaign with what the engine answered to it, or the
// rules where it did nothing wrong.
type observed struct {
	sample generators.Sample
	index  uint64
	right  harness.Outcome
	answer string
	passed bool
	// unchanged is the answer of the rules as [Campaign.answer] gives it, once it was asked for.
	unchanged string
}

// passed is a case that the engine answered rightly.
func (c *Campaign) passed(s generators.Sample, index uint64, disputed string) observed {
	right := c.Dialect.Eval(s.Case.Copy(), c.rules(s.Case))
	return observed{s, index, right, Digest(c.Dialect.Members, &right, &right, c.Exact, disputed), true, ""}
}

// observe makes the cases again that a group holds: those that show it, and those with the
// same culprits that show nothing.
func (c *Campaign) observe(g *Group, groups []Group) (seen []observed) {
	for _, f := range g.Failing {
		sample := c.Source.Keeping(c.Seed, f.Index, g.Culprits)
		right := c.Dialect.Eval(sample.Case.Copy(), c.rules(sample.Case))
		seen = append(seen, observed{sample, f.Index, right, f.Answer, false, ""})
	}
	for _, index := range c.passing(g, groups) {
		seen = append(seen, c.passed(c.Source.Keeping(c.Seed, index, g.Culprits), index, Disputed(g.Kind)))
	}
	return bySize(seen)
}

// Comparing takes time that grows with the cases: of large ones few are compared, so many
// at least and no more than come to so many bytes.
const fewest, bulk = 3, 128 << 10

// bySize are the smallest cases first, those that show something and those that do not
// each as far as there is room.
func bySize(list []observed) (kept []observed) {
	slices.SortStableFunc(list, func(a, b observed) int {
		return cmp.Compare(length(&a.sample.Case),
			length(&b.sample.Case))
	})
	for _, passed := range []bool{false, true} {
		n, room := 0, bulk
		for _, o := range list {
			if o.passed != passed {
				continue
			}
			if room -= length(&o.sample.Case); n >= fewest && room < 0 {
				break
			}
			kept = append(kept, o)
			n++
		}
	}
	return kept
}

// various is how many cases represent a group without traits.
const various = 8

// small are the first of the cases that show a group: one, since with the same traits they
// are much alike, and several where there are none.
func small(g *Group, seen []observed) (list []observed) {
	most := 1
	if len(g.Culprits) == 0 {
		most = various
	}
	list = slices.DeleteFunc(slices.Clone(seen), func(o observed) bool { return o.passed })
	return list[:min(most, len(list))]
}

// length is how many bytes a case has, more or less: small ones are compared first.
func length(k *harness.Case) (n int) {
	for _, value := range k.Documents() {
		n += len(value)
	}
	for _, r := range k.Replies {
		n += len(r)
	}
	return n
}

// passing returns the first cases that have exactly the culprits of a group and pass. For
// a group that keeps all the cases it can, it stops at the last one.
func (c *Campaign) passing(g *Group, groups []Group) (list []uint64) {
	last, failed := min(c.End, c.Source.Mix()), map[uint64]bool{}
	for _, h := range groups {
		if slices.ContainsFunc(h.Culprits, func(name string) bool { return !slices.Contains(g.Culprits, name) }) {
			continue
		}
		for _, f := range h.Failing {
			failed[f.Index] = true
		}
		if n := len(h.Failing); n == Kept {
			last = min(last, h.Failing[n-1].Index)
		}
	}
	for index := uint64(0); index < last && len(list) < Kept; index++ {
		if !failed[index] && c.Ran(index) && slices.Equal(c.Source.Holds(c.Seed, index), g.Culprits) {
			list = append(list, index)
		}
	}
	return list
}
