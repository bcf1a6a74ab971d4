package generators

import (
	"slices"
	"sync"
)

// The parts of a campaign before the random mix. See [Source.At].
const (
	// PlainCases is how many samples without any trait come first.
	PlainCases = 50
	// AloneCases is how many samples each trait then has for itself.
	AloneCases = 12
)

// schedule says which traits the sample of an index has. It is fixed by the
// traits in play, whatever engines answer.
type schedule struct {
	menu menu
	// rows are sets of two or three traits in which every pair that can stand
	// together is met.
	rows func() [][]int
}

// newSchedule makes a schedule; refused reports whether the rules refuse the
// sample of a trait alone.
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

// alone is how many samples the second phase has.
func (s *schedule) alone() uint64 { return uint64(len(s.menu.traits) * AloneCases) }

// shared reports whether the sample of an index of a campaign is the same for all seeds:
// the plain ones, and, of those with one trait, every other round.
func (s *schedule) shared(index uint64) bool {
	phase, at := s.phase(index)
	return phase == Plain || phase == Alone && at/uint64(len(s.menu.traits))%2 == 1
}

// phase tells in which part of a campaign an index lies, and its place there.
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

// mix is the first index of the random mix.
func (s *schedule) mix() uint64 { return PlainCases + s.alone() + uint64(len(s.rows())) }

// traits returns the traits of an index, in the order of the table. The choices
// are those of the mix.
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

// spread returns the i-th trait of a round in which neighbours in the table,
// which are alike, do not follow each other.
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

// cover makes sets of two or three traits, greedily, so that each pair stands in
// one: first those of which the rules refuse none, since a refusal hides what
// comes behind it, then those with one, then the others.
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

// third returns a trait that meets both for the first time, and brings no
// refusal where there is none; -1 is none.
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
