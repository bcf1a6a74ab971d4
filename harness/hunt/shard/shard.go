// Package shard selects the part of a run that one of several machines does.
//
// Case, scenario, history, hunt or session n belongs to shard n mod N. Items that
// must stay together, such as all replies to one case, are assigned by the hash of
// their name. Shards do not communicate, and each reads the same input.
//
// The merged reports of all shards, in any order (replanbench report), equal the
// report of the whole run byte for byte, except for the environment: counts are
// added, examples keep their place in the whole, and quantiles and intervals are
// computed from all values. What depends on time or chance is not exact, as in two
// runs of the whole: runs that end at --time, at a limit or at --max-findings,
// latencies, the last digit of costs, and agents that are not deterministic. A
// retry counts for its first attempt only if both belong to one case. Prompts and
// models of live are compared over whole corpora only.
package shard

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Shard is the I-th of N parts, counted from 1. The zero value is the whole.
type Shard struct {
	I, N int
}

// most is how many shards a run may have.
const most = 100_000

// parse reads "3/8".
func parse(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	var s Shard
	var err1, err2 error
	s.I, err1 = strconv.Atoi(i)
	s.N, err2 = strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || s.I < 1 || s.I > s.N || s.N > most {
		return Shard{}, fmt.Errorf("%q is no shard: write I/N, from 1/N to N/N, N at most %d", text, most)
	}
	return s, nil
}

// String is what Parse reads; of the whole "1/1".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", max(s.I, 1), max(s.N, 1)) }

// Set reads the value of a flag.
func (s *Shard) Set(text string) (err error) {
	*s, err = parse(text)
	return err
}

// Type is the word for the value in help.
func (*Shard) Type() string { return "I/N" }

// Whole reports whether there is one part only.
func (s Shard) Whole() bool { return s.N <= 1 }

// First reports whether the shard does the work that is done once, such as reporting bad lines.
func (s Shard) First() bool { return s.I <= 1 }

// Holds reports whether the n-th thing, counted from 0, is of the shard.
func (s Shard) Holds(n int) bool { return s.Whole() || n%s.N == s.I-1 }

// HoldsKey reports whether what has this name is of the shard.
func (s Shard) HoldsKey(name string) bool {
	if s.Whole() {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()%uint64(s.N) == uint64(s.I-1)
}

// Size is how many of n things the shard holds.
func (s Shard) Size(n int) int {
	if s.Whole() {
		return n
	}
	return max(0, (n-s.I+s.N)/s.N)
}

// At is the place in the whole of the shard's k-th thing, both counted from 0.
func (s Shard) At(k int) int {
	if s.Whole() {
		return k
	}
	return k*s.N + s.I - 1
}

// Share is what the shard may spend of a whole amount; the shares add up to it.
func (s Shard) Share(n int) int { return s.Size(n) }
