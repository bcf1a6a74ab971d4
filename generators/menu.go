package generators

import (
	"fmt"
	"slices"

	"replanbench/harness"
)

// Plantable is a trait in the table of a dialect.
type Plantable[F any] interface {
	Entry() Trait
	Clashes(g F) bool // the two cannot stand in one sample
}

// menu is a choice of traits with their weights.
type menu struct {
	traits []Trait
	clash  func(i, j int) bool
	sums   []int // running sums of the weights
	swarm  bool  // each case leaves out some of them
}

// Usual is the weight of most traits.
const Usual = 16

// newMenu makes a choice of traits; swarm: all of a dialect's are there.
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

// Listed turns a table of traits into a list of what they are.
func Listed[F Plantable[F]](table []F) []Trait {
	list := make([]Trait, len(table))
	for i, f := range table {
		list[i] = f.Entry()
	}
	return list
}

// Known returns an error that says which of the names is no trait of the list.
func Known(traits []Trait, names []string) error {
	all := make([]string, len(traits))
	for i, t := range traits {
		all[i] = t.Name
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			hint := fmt.Sprintf("\"list traits\" prints all %d", len(all))
			if near := harness.Nearest(n, all); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return fmt.Errorf("unknown trait %q (%s)", n, hint)
		}
	}
	return nil
}

// inPlay returns the places of the traits that the options leave in play.
func (o Options) inPlay(traits []Trait) (list []int) {
	for i, t := range traits {
		absent := slices.ContainsFunc(t.Needs, func(n string) bool { return slices.Contains(o.Without, n) })
		ruled := o.Profile != nil && t.Under != nil && !t.Under(*o.Profile)
		if asked := o.Traits == nil || slices.Contains(o.Traits, t.Name); asked && !absent && !ruled {
			list = append(list, i)
		}
	}
	return list
}

// mix draws up to three traits that go together. Swarm testing: a case
// first draws which traits are in play at all, so that those left do not stand
// in each other's way in every case.
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
