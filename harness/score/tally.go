package score

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/stats"
)

// maxCases is how many cases a group keeps apart. Beyond it, cases are thrown
// together at random into so many heaps: replies to one case stay together, so
// the intervals stay right, and memory stays within bounds.
const maxCases = 4096

// tally counts the requests of one group.
type tally struct {
	key []string // the group; the source of the replies is the last item

	requests int
	unscored map[string]int
	rungs    map[harness.Rung]int // "" where the ladder failed
	codes    map[harness.Code]*Failure
	dangers  map[string]*Danger // by kind
	listed   []Listed           // of documented replies
	cases    map[uint64]counts
	names    map[uint64]string // of the cases
	heaped   bool
	keep     bool // never heap cases

	prompt, reply, total spread
	patch, whole         int               // tokens, of applied patches
	spent                map[string]*spent // by model; retries included
	prompts              promptTally
}

// counts are those of every metric, in the order of metrics().
type counts []Count

// Count sums up the answers to one question.
type Count struct {
	Yes   int `json:"yes"` // of a mean: the sum
	Asked int `json:"asked"`
}

// spread is a distribution of whole numbers: how often each occurred.
type spread map[int]int

type spent struct{ requests, unknown, prompt, reply int }

func newTally(key []string, o *Options) *tally {
	return &tally{
		key: key, keep: o.EveryCase, prompts: newPromptTally(o.Policies), names: map[uint64]string{}, unscored: map[string]int{}, rungs: map[harness.Rung]int{}, codes: map[harness.Code]*Failure{}, dangers: map[string]*Danger{},
		cases: map[uint64]counts{}, prompt: spread{}, reply: spread{}, total: spread{}, spent: map[string]*spent{},
	}
}

func caseHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// add counts one request.
func (t *tally) add(s *Score, o *Options, questions []metric) {
	t.requests++
	if s.Unscored != "" {
		t.unscored[s.Unscored]++
	}
	if s.scored {
		t.rungs[s.Rung]++
	}
	if s.Code != "" {
		if t.codes[s.Code] == nil {
			t.codes[s.Code] = &Failure{Code: s.Code, Example: s.ID, Message: s.Message}
		}
		t.codes[s.Code].N++
	}
	t.danger(s)
	hash := caseHash(s.Case)
	c := t.counts(hash, len(questions))
	if !t.heaped {
		t.names[hash] = s.Case
	}
	for i, q := range questions {
		yes, asked := q.count(s, o)
		c[i].Yes, c[i].Asked = c[i].Yes+yes, c[i].Asked+asked
	}
	t.patch, t.whole = t.patch+s.Patch, t.whole+s.Whole
}

// danger counts the request once for each kind of danger.
func (t *tally) danger(s *Score) {
	counted := map[string]bool{}
	for _, d := range s.Dangers {
		if counted[d.Kind] {
			continue
		}
		counted[d.Kind] = true
		if t.dangers[d.Kind] == nil {
			t.dangers[d.Kind] = &Danger{Kind: d.Kind, Example: s.ID, Step: d.Step}
		}
		t.dangers[d.Kind].N++
	}
}

// spend counts the tokens of one reply, be it a first one or a retry.
func (t *tally) spend(r *corpora.Record, prompt, reply int) {
	s := t.spent[r.Model]
	if s == nil {
		s = &spent{}
		t.spent[r.Model] = s
	}
	s.requests++
	if prompt < 0 || reply < 0 {
		s.unknown++
	}
	s.prompt, s.reply = s.prompt+max(0, prompt), s.reply+max(0, reply)
	if prompt >= 0 {
		t.prompt[prompt]++
	}
	if reply >= 0 {
		t.reply[reply]++
	}
	if prompt >= 0 && reply >= 0 {
		t.total[prompt+reply]++
	}
}

func (t *tally) counts(hash uint64, n int) counts {
	if t.heaped {
		hash %= maxCases
	}
	if t.cases[hash] == nil {
		if !t.keep && !t.heaped && len(t.cases) == maxCases {
			t.heap()
			return t.counts(hash, n)
		}
		t.cases[hash] = make(counts, n)
	}
	return t.cases[hash]
}

// heap throws the cases together.
func (t *tally) heap() {
	old := t.cases
	t.cases, t.names, t.heaped = make(map[uint64]counts, maxCases), nil, true
	for hash, c := range old {
		sum := t.counts(hash, len(c))
		for i := range c {
			sum[i].Yes += c[i].Yes
			sum[i].Asked += c[i].Asked
		}
	}
}

// clusters returns the counts of one metric by case, in an order that depends
// on the cases alone.
func (t *tally) clusters(metric int) []stats.Cluster {
	var list []stats.Cluster
	for _, hash := range slices.Sorted(maps.Keys(t.cases)) {
		if c := t.cases[hash][metric]; c.Asked > 0 {
			list = append(list, stats.Cluster{Sum: float64(c.Yes), N: c.Asked})
		}
	}
	return list
}

// at returns the smallest value that at least the share q of the observations
// does not exceed.
func (s spread) at(q float64) int {
	n := 0
	for _, k := range s {
		n += k
	}
	seen := 0
	for _, v := range slices.Sorted(maps.Keys(s)) {
		seen += s[v]
		if float64(seen) >= q*float64(n) {
			return v
		}
	}
	return 0
}

// compareValues orders the values of keys: numbers by value, other texts by
// letters.
func compareValues(a, b string) int {
	return cmp.Or(cmp.Compare(leadingNumber(a), leadingNumber(b)), strings.Compare(a, b))
}
