package generators

import (
	"fmt"
	"slices"

	"replanbench/harness"
)

// Plantable is a fault in the table of a dialect.
type Plantable[F any] interface {
	Entry() Fault
	Clashes(g F) bool // the two cannot stand in one sample
}

// menu is a choice of faults with their weights.
type menu[F Plantable[F]] struct {
	faults []F
	sums   []int // running sums of the weights
	swarm  bool  // each case leaves out some of them
}

// Usual is the weight of most faults.
const Usual = 16

// newMenu chooses the faults of those names from a table; nil is all of them.
func newMenu[F Plantable[F]](table []F, names []string) (menu[F], error) {
	m := menu[F]{swarm: names == nil}
	for _, f := range table {
		e := f.Entry()
		if names != nil && !slices.Contains(names, e.Name) {
			continue
		}
		w := e.Weight
		if w == 0 {
			w = Usual
		}
		if n := len(m.sums); n > 0 {
			w += m.sums[n-1]
		}
		m.faults, m.sums = append(m.faults, f), append(m.sums, w)
	}
	return m, Known(Listed(table), names)
}

// Listed turns a table of faults into a list of what they are.
func Listed[F Plantable[F]](table []F) []Fault {
	list := make([]Fault, len(table))
	for i, f := range table {
		list[i] = f.Entry()
	}
	return list
}

// Known returns an error that says which of the names is no fault of the list.
func Known(faults []Fault, names []string) error {
	all := make([]string, len(faults))
	for i, f := range faults {
		all[i] = f.Name
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			hint := fmt.Sprintf("\"list faults\" prints all %d", len(all))
			if near := harness.Nearest(n, all); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return fmt.Errorf("unknown fault %q (%s)", n, hint)
		}
	}
	return nil
}

// order draws up to three faults that go together. Swarm testing: a case
// first draws which faults are in play at all, so that those left do not stand
// in each other's way in every case.
func (m *menu[F]) order(c *Choices) []F {
	if len(m.faults) == 0 {
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
	inPlay := uint64(c.Below(1 << 32)) // fault i is in play if the bit i mod 32 is set
	drawn := make([]int, 0, 3)
	for try := 0; try < 4*n && len(drawn) < n; try++ {
		i := m.draw(c)
		if m.swarm && inPlay>>(i%32)&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(drawn, func(j int) bool { return i == j || m.faults[i].Clashes(m.faults[j]) }) {
			drawn = append(drawn, i)
		}
	}
	planted := make([]F, len(drawn))
	for k, i := range drawn {
		planted[k] = m.faults[i]
	}
	return planted
}

func (m *menu[F]) draw(c *Choices) int {
	r := c.Below(m.sums[len(m.sums)-1])
	i, _ := slices.BinarySearch(m.sums, r+1)
	return i
}
