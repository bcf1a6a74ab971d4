package generators

import (
	"math/bits"
	"math/rand/v2"
)

// Choices is the source of a generator's decisions: a counter-based
// random sequence in a campaign, or rapid's tape in a test, which then shrinks
// them. 0 is always the simplest choice.
type Choices struct {
	rng  rand.PCG
	at   [2]uint64   // seed and index, from which streams are made
	flip func() bool // nil: use the random sequence
}

// Seeded returns the choices of one case. They depend only on the two
// numbers, so any case can be made without the earlier ones.
func Seeded(seed, index uint64) Choices {
	return Choices{rng: *rand.NewPCG(seed, scramble(index)), at: [2]uint64{seed, index}}
}

// stream returns separate choices for a part of the case. They depend only on
// the case and the name of the part. With a test's tape all parts share the
// tape.
func (c *Choices) stream(name string) Choices {
	if c.flip != nil {
		return *c
	}
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	s := Seeded(c.at[0]^scramble(h), c.at[1])
	s.at = c.at
	return s
}

// Drawn returns choices made of fair bits, such as the bits of a test's tape
// (see package rapidgen).
func Drawn(flip func() bool) Choices { return Choices{flip: flip} }

// scramble spreads neighbouring numbers over all 64 bits (the finaliser of
// Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below returns a uniform number from 0 to n-1.
func (c *Choices) Below(n int) int {
	if n <= 1 {
		return 0
	}
	if c.flip == nil {
		hi, _ := bits.Mul64(c.rng.Uint64(), uint64(n))
		return int(hi)
	}
	v := 0
	for range bits.Len(uint(n-1)) + 2 { // two spare bits keep the remainder nearly fair
		v <<= 1
		if c.flip() {
			v++
		}
	}
	return v % n
}

// OneIn returns true with probability 1/n.
func (c *Choices) OneIn(n int) bool { return c.Below(n) == n-1 }

// Shuffle puts a list into a random order.
func Shuffle[T any](c *Choices, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := c.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// Pick returns a random item of a non-empty list.
func Pick[T any](c *Choices, list []T) T { return list[c.Below(len(list))] }
