package generators

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Plantable is the type of the traits in the table of a dialect.
type Plantable[F any] interface {
	Entry() Trait
	Clashes(g F) bool // whether the two cannot be in one sample
}

// menu is a weighted list of traits.
type menu struct {
	traits []Trait
	clash  func(i, j int) bool
	sums   []int // running sums of the weights
	swarm  bool  // each case excludes some of them
}

// Usual is the weight of most traits.
const Usual = 16

// newMenu makes a menu; swarm says that it has all traits of the dialect.
func newMenu(traits []Trait, clash func(i, j int) bool, swarm bool) menu {
	m := menu{traits: traits, clash: clash, swarm: swarm}
	sum := 0
	for _, t := range traits {
		w := t.Weight
		if w == 0 {
			w = Usual
		}
		sum += w
		m.sums = append(m.sums, sum)
	}
	return m
}

// Listed returns the traits of a table.
func Listed[F Plantable[F]](table []F) []Trait {
	return collect.Map(table, func(f F) Trait { return f.Entry() })
}

// known returns an error that names the first unknown trait.
func known(traits []Trait, names []string) error {
	all := collect.Map(traits, func(t Trait) string { return t.Name })
	for _, n := range names {
		if !slices.Contains(all, n) {
			return fmt.Errorf("unknown trait %q%s (replanbench list traits prints all %d)", n, harness.DidYouMean(n, all),
				len(all))
		}
	}
	return nil
}

// inPlay returns the indexes of the traits that the options allow.
func (o Options) inPlay(traits []Trait) (list []int) {
	for i, t := range traits {
		absent := slices.ContainsFunc(t.Needs, func(n string) bool {
			return slices.Contains(o.Without, n) || n == harness.FeatureStore && !slices.Contains(o.Features, n)
		})
		ruled := o.Profile != nil && t.Under != nil && !t.Under(*o.Profile)
		if slices.Contains(o.Skip, t.Name) {
			continue
		}
		if asked := o.Traits == nil || slices.Contains(o.Traits, t.Name); asked && !absent && !ruled {
			list = append(list, i)
		}
	}
	return list
}

// mix draws up to three compatible traits. It uses swarm testing: each case
// first draws a subset of traits, so that no trait hides another one in every
// case.
func (m *menu) mix(c *Choices) []int {
	if len(m.traits) == 0 {
		return nil
	}
	var n int
	switch r := c.Below(32); {
	case r < 13:
		return nil
	case r < 24:
		n = 1
	case r < 29:
		n = 2
	default:
		n = 3
	}
	inPlay := uint64(c.Below(1 << 32)) // trait i is in play if the bit i mod 32 is set
	drawn := make([]int, 0, 3)
	for try := 0; try < 4*n && len(drawn) < n; try++ {
		i := m.draw(c)
		if m.swarm && inPlay>>(i%32)&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(drawn, func(j int) bool { return i == j || m.clash(i, j) }) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

func (m *menu) draw(c *Choices) int {
	r := c.Below(m.sums[len(m.sums)-1])
	i, _ := slices.BinarySearch(m.sums, r+1)
	return i
}
