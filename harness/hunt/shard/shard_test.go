package shard

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Shard{
		"1/1": {1, 1}, "3/8": {3, 8}, "100000/100000": {100000, 100000},
		"": {}, "3": {}, "0/8": {}, "9/8": {}, "a/b": {}, "1/0": {}, "-1/2": {}, "1/100001": {}, "1/2/3": {},
	} {
		s, err := parse(text)
		if s != want || (err == nil) != (want.N > 0) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// TestPartition holds every thing to be of one shard, at the place that At gives it.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, things := rapid.IntRange(1, 20).Draw(t, "shards"), rapid.IntRange(0, 100).Draw(t, "things")
		name := rapid.String().Draw(t, "name")
		sizes, holders := 0, 0
		seen := make([]int, things)
		for i := 1; i <= n; i++ {
			s := Shard{i, n}
			k := 0
			for x := range things {
				if s.Holds(x) {
					if s.At(k) != x {
						t.Fatalf("%v: thing %d is at %d", s, x, s.At(k))
					}
					k++
					seen[x]++
				}
			}
			if s.Size(things) != k {
				t.Fatalf("%v of %d: size %d, want %d", s, things, s.Size(things), k)
			}
			sizes += k
			if s.HoldsKey(name) {
				holders++
			}
		}
		if sizes != things || holders != 1 {
			t.Fatalf("%d of %d things, %d holders of a name", sizes, things, holders)
		}
	})
}
