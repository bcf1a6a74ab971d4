package generators

import (
	"fmt"
	"slices"

	"replanbench/harness"
)

// Plantable is a fault as a menu sees it: a pointer into the table of its
// dialect.
type Plantable[F any] interface {
	*F
	Entry() Fault
	Share() int        // how often it is drawn beside the others; 0 is usual
	Clashes(g *F) bool // the two cannot stand in one sample
}

// Menu is a choice of faults with their weights.
type Menu[F any, P Plantable[F]] struct {
	faults []*F
	sums   []int // running sums of the weights
	swarm  bool  // each case leaves out some of them
}

// Usual is the weight of most faults.
const Usual = 16

// NewMenu chooses the faults of those names from a table; nil is all of them.
func NewMenu[F any, P Plantable[F]](table []F, names []string) (Menu[F, P], error) {
	m := Menu[F, P]{swarm: names == nil}
	for i := range table {
		f := P(&table[i])
		if names != nil && !slices.Contains(names, f.Entry().Name) {
			continue
		}
		m.faults = append(m.faults, &table[i])
		w := f.Share()
		if w == 0 {
			w = Usual
		}
		if n := len(m.sums); n > 0 {
			w += m.sums[n-1]
		}
		m.sums = append(m.sums, w)
	}
	return m, Known(Listed[F, P](table), names)
}

// Listed turns a table of faults into a list of what they are.
func Listed[F any, P Plantable[F]](table []F) []Fault {
	list := make([]Fault, len(table))
	for i := range table {
		list[i] = P(&table[i]).Entry()
	}
	return list
}

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

// Order draws up to three faults that go together. Swarm testing: a case
// first draws which faults are in play at all, so that those left do not stand
// in each other's way in every case.
func (m *Menu[F, P]) Order(c *Choices) (planted []*F) {
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
	for try := 0; try < 4*n && len(planted) < n; try++ {
		i := m.draw(c)
		f := m.faults[i]
		if m.swarm && inPlay>>(i%32)&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(planted, func(g *F) bool { return g == f || P(f).Clashes(g) }) {
			planted = append(planted, f)
		}
	}
	return planted
}

func (m *Menu[F, P]) draw(c *Choices) int {
	r := c.Below(m.sums[len(m.sums)-1])
	i, _ := slices.BinarySearch(m.sums, r+1)
	return i
}
