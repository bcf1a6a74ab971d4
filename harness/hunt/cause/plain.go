package cause

import (
	"math"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// sampled is how many plain cases are looked at for what plain cases ask of an engine.
const sampled = 240

// few is of how many cases that show a group nothing is said that they have in common.
const few = 4

// asking returns the feature that all failing plain cases of a group use and others do
// not, or two features that cover them, and the share of the plain cases that use one of them.
func (c *Campaign) asking(g *Group) (names []string, asked float64) {
	if c.Source == nil || c.Dialect.Needs == nil || len(g.Culprits) > 0 || len(g.Failing) < few {
		return nil, 0
	}
	left := collect.Map(g.Failing, func(f Seen) []string {
		return c.Dialect.Needs(c.Source.Keeping(c.Seed, f.Index, g.Culprits).Case)
	})
	others := collect.Map(c.plain(), c.Dialect.Needs)
	for len(left) > 0 {
		name := telling(left, others)
		if name == "" || len(names) == 2 {
			return nil, 0
		}
		left = slices.DeleteFunc(left, func(needs []string) bool { return slices.Contains(needs, name) })
		names = append(names, name)
	}
	return names, share(others, names...)
}

// lacks notes which groups with wrong answers do without a feature that plain cases with wrong answers need: they are
// another bug.
func (c *Campaign) lacks(e *Evidence) {
	for i := range e.Groups {
		f := &e.Groups[i]
		if len(f.Culprits) == 0 || len(f.Failing) < few || !vague(&f.Group) {
			continue
		}
		for _, plain := range e.Groups {
			if len(plain.Asks) == 0 || math.Pow(plain.Asked, float64(plain.Cases)) > luck || way(&f.Group) != way(&plain.Group) {
				continue
			}
			needs := collect.Map(f.Failing, func(s Seen) []string {
				return c.Dialect.Needs(c.Source.Keeping(c.Seed, s.Index, f.Culprits).Case)
			})
			if share(needs, plain.Asks...) < 1-met {
				f.Lacks = append(f.Lacks, plain.ID)
			}
		}
	}
}

// luck is the probability from which on luck may explain that all failing plain cases use a feature.
const luck = 0.01

// plain returns the first plain cases of a campaign.
func (c *Campaign) plain() (list []harness.Case) {
	for index := uint64(0); index < c.End && len(list) < sampled; index++ {
		if c.Ran(index) && len(c.Source.Holds(c.Seed, index)) == 0 {
			list = append(list, c.Source.At(c.Seed, index).Case)
		}
	}
	return list
}

// share is how many of some cases ask for one of some things.
func share(list [][]string, names ...string) float64 {
	n := 0
	for _, needs := range list {
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(needs, name) }) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(list)))
}

// telling is what more of some cases ask for than of others, by a quarter of all.
func telling(cases, others [][]string) (best string) {
	most := 0.25
	for _, needs := range cases {
		for _, name := range needs {
			if more := share(cases, name) - share(others, name); more > most {
				best, most = name, more
			}
		}
	}
	return best
}
