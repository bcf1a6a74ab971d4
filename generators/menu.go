package generators

import (
	"fmt"
	"slices"

	"replanbench/harness"
)

// plantable is a fault as a menu sees it: a pointer into the table of its
// dialect.
type plantable[F any] interface {
	*F
	fault() Fault
	share() int        // how often it is drawn beside the others; 0 is usual
	clashes(g *F) bool // the two cannot stand in one sample
}

// menu is a choice of faults with their weights.
type menu[F any, P plantable[F]] struct {
	faults []*F
	sums   []int // running sums of the weights
	swarm  bool  // each case leaves out some of them
}

// usual is the weight of most faults.
const usual = 16

// newMenu chooses the faults of those names from a table; nil is all of them.
func newMenu[F any, P plantable[F]](table []F, names []string) (menu[F, P], error) {
	m := menu[F, P]{swarm: names == nil}
	for i := range table {
		f := P(&table[i])
		if names != nil && !slices.Contains(names, f.fault().Name) {
			continue
		}
		m.faults = append(m.faults, &table[i])
		w := f.share()
		if w == 0 {
			w = usual
		}
		if n := len(m.sums); n > 0 {
			w += m.sums[n-1]
		}
		m.sums = append(m.sums, w)
	}
	return m, known(listed[F, P](table), names)
}

// listed turns a table of faults into a list of what they are.
func listed[F any, P plantable[F]](table []F) []Fault {
	list := make([]Fault, len(table))
	for i := range table {
		list[i] = P(&table[i]).fault()
	}
	return list
}

func known(faults []Fault, names []string) error {
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
func (m *menu[F, P]) order(c *choices) (planted []*F) {
	if len(m.faults) == 0 {
		return nil
	}
	var n int
	switch r := c.below(32); {
	case r < 13:
		return nil
	case r < 24:
		n = 1
	case r < 29:
		n = 2
	default:
		n = 3
	}
	inPlay := uint64(c.below(1 << 32)) // fault i is in play if the bit i mod 32 is set
	for try := 0; try < 4*n && len(planted) < n; try++ {
		i := m.draw(c)
		f := m.faults[i]
		if m.swarm && inPlay>>(i%32)&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(planted, func(g *F) bool { return g == f || P(f).clashes(g) }) {
			planted = append(planted, f)
		}
	}
	return planted
}

func (m *menu[F, P]) draw(c *choices) int {
	r := c.below(m.sums[len(m.sums)-1])
	i, _ := slices.BinarySearch(m.sums, r+1)
	return i
}
