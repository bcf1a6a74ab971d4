package generators

import (
	"slices"
	"sync"
)

// The sizes of the phases of a campaign before the random mix. See [Source.At].
const (
	// PlainCases is the number of samples without traits, which come first.
	PlainCases = 50
	// AloneCases is the number of samples that each trait then has alone.
	AloneCases = 12
)

// schedule maps an index to the traits of its sample. It depends only on the
// allowed traits, never on the outcomes of engines.
type schedule struct {
	menu menu
	// rows are sets of two or three traits that cover every compatible
	// pair.
	rows func() [][]int
}

// newSchedule makes a schedule; refused reports whether the rules reject the
// sample with only that trait.
func newSchedule(m menu, refused func(i int) bool) *schedule {
	return &schedule{menu: m, rows: sync.OnceValue(func() [][]int { return m.cover(refused) })}
}

// Phase is a part of a campaign.
type Phase string

// The phases.
const (
	Plain    Phase = "plain"
	Alone    Phase = "alone"
	Together Phase = "together"
	Mix      Phase = "mix"
)

// alone returns the number of samples in the second phase.
func (s *schedule) alone() uint64 { return uint64(len(s.menu.traits) * AloneCases) }

// shared reports whether the sample of an index is the same for all seeds. The plain
// samples are, and so is every second pass over the samples with one trait.
func (s *schedule) shared(index uint64) bool {
	phase, at := s.phase(index)
	return phase == Plain || phase == Alone && at/uint64(len(s.menu.traits))%2 == 1
}

// phase returns the phase of an index and its offset in that phase.
func (s *schedule) phase(index uint64) (Phase, uint64) {
	switch {
	case index < PlainCases:
		return Plain, index
	case index < PlainCases+s.alone():
		return Alone, index - PlainCases
	case index < s.mix():
		return Together, index - PlainCases - s.alone()
	}
	return Mix, index - s.mix()
}

// mix returns the first index of the random mix.
func (s *schedule) mix() uint64 { return PlainCases + s.alone() + uint64(len(s.rows())) }

// traits returns the traits of an index, in the order of the table. Only the mix
// uses the choices.
func (s *schedule) traits(index uint64, c *Choices) []int {
	phase, at := s.phase(index)
	switch phase {
	case Plain:
		return nil
	case Alone:
		return []int{s.spread(int(at % uint64(len(s.menu.traits))))}
	case Together:
		return s.rows()[at]
	}
	list := s.menu.mix(c)
	slices.Sort(list)
	return list
}

// spread returns the i-th trait of a pass. Neighbours in the table are similar, so a
// pass separates them.
func (s *schedule) spread(i int) int {
	n := len(s.menu.traits)
	step := n*5/8 | 1
	for gcd(step, n) != 1 {
		step += 2
	}
	return i * step % n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// cover greedily makes sets of two or three traits that contain each compatible pair.
// Sets without a rejected trait come first, because a rejection hides the traits
// after it; then sets with one, then the others.
func (m *menu) cover(refused func(i int) bool) (rows [][]int) {
	n := len(m.traits)
	bad := make([]int, n)
	for i := range n {
		if refused(i) {
			bad[i] = 1
		}
	}
	met := make([]bool, n*n)
	for refusals := range 3 {
		for i := range n {
			for j := i + 1; j < n; j++ {
				if met[i*n+j] || bad[i]+bad[j] != refusals || m.clash(i, j) {
					continue
				}
				row := []int{i, j}
				if k := m.third(met, bad, i, j); k >= 0 {
					row = append(row, k)
				}
				slices.Sort(row)
				for a, x := range row {
					for _, y := range row[a+1:] {
						met[x*n+y] = true
					}
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// third returns a trait that forms two new pairs with i and j and adds no
// rejection to a set without one. It returns -1 if no trait does.
func (m *menu) third(met []bool, bad []int, i, j int) int {
	n := len(m.traits)
	fresh := func(a, b int) bool { return !met[min(a, b)*n+max(a, b)] && !m.clash(a, b) }
	for step := range n {
		k := (i + j + step) % n
		if k != i && k != j && bad[k] <= bad[i]*bad[j] && fresh(i, k) && fresh(j, k) {
			return k
		}
	}
	return -1
}
