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

// tally counts the requests of one group. Everything in it is a count, so that
// tallies add up to the same sums in whatever order.
type tally struct {
	key []string // the group; the source of the replies is the last item

	requests int
	unscored map[string]int
	rungs    map[harness.Rung]int // "" where the ladder failed
	codes    map[harness.Code]*failures
	cases    map[uint64]*counts
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

// failures counts the replies refused with one code, with the first as example.
type failures struct {
	n       int
	example Score
	at      position
}

// position is where a record stands among the corpora.
type position struct{ corpus, line int }

func (p position) before(q position) bool {
	return p.corpus < q.corpus || p.corpus == q.corpus && p.line < q.line
}

type spent struct{ requests, unknown, prompt, reply int }

func newTally(key []string, o *Options) *tally {
	return &tally{
		key: key, keep: o.EveryCase, prompts: newPromptTally(o.Policies), names: map[uint64]string{}, unscored: map[string]int{}, rungs: map[harness.Rung]int{}, codes: map[harness.Code]*failures{},
		cases: map[uint64]*counts{}, prompt: spread{}, reply: spread{}, total: spread{}, spent: map[string]*spent{},
	}
}

func caseHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// add counts one request.
func (t *tally) add(s *Score, o *Options, questions []metric, at position) {
	t.requests++
	if s.Unscored != "" {
		t.unscored[s.Unscored]++
	}
	if s.scored {
		t.rungs[s.Rung]++
	}
	if s.Code != "" {
		t.fail(s, at)
	}
	hash := caseHash(s.Case)
	c := t.counts(hash, len(questions))
	if !t.heaped {
		t.names[hash] = s.Case
	}
	for i, q := range questions {
		if value, asked := q.question(s, o); asked {
			c[i].Asked++
			c[i].Yes += value
		}
	}
	t.patch, t.whole = t.patch+s.Patch, t.whole+s.Whole
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
	c := t.cases[hash]
	if c == nil {
		fresh := make(counts, n)
		c = &fresh
		t.cases[hash] = c
		if !t.keep && !t.heaped && len(t.cases) > maxCases {
			t.heap()
			return t.counts(hash, n)
		}
	}
	return *c
}

// heap throws the cases together.
func (t *tally) heap() {
	if t.heaped {
		return
	}
	old := t.cases
	t.cases, t.names, t.heaped = make(map[uint64]*counts, maxCases), nil, true
	for hash, c := range old {
		t.counts(hash, len(*c)).add(*c)
	}
}

func (c counts) add(d counts) {
	for i := range d {
		c[i].Yes += d[i].Yes
		c[i].Asked += d[i].Asked
	}
}

func (t *tally) fail(s *Score, at position) {
	f := t.codes[s.Code]
	switch {
	case f == nil:
		t.codes[s.Code] = &failures{1, *s, at}
		return
	case at.before(f.at):
		f.example, f.at = *s, at
	}
	f.n++
}

// merge adds u, which must be of the same group.
func (t *tally) merge(u *tally) {
	t.requests += u.requests
	addAll(t.unscored, u.unscored)
	addAll(t.rungs, u.rungs)
	for code, f := range u.codes {
		switch g := t.codes[code]; {
		case g == nil:
			t.codes[code] = f
		case f.at.before(g.at):
			f.n += g.n
			t.codes[code] = f
		default:
			g.n += f.n
		}
	}
	if u.heaped {
		t.heap()
	}
	for hash, c := range u.cases {
		t.counts(hash, len(*c)).add(*c)
	}
	if !t.heaped {
		maps.Copy(t.names, u.names)
	}
	addAll(t.prompt, u.prompt)
	addAll(t.reply, u.reply)
	addAll(t.total, u.total)
	t.patch, t.whole = t.patch+u.patch, t.whole+u.whole
	t.prompts.merge(&u.prompts)
	for model, s := range u.spent {
		if t.spent[model] == nil {
			t.spent[model] = &spent{}
		}
		x := t.spent[model]
		*x = spent{x.requests + s.requests, x.unknown + s.unknown, x.prompt + s.prompt, x.reply + s.reply}
	}
}

func addAll[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}

// clusters returns the counts of one metric by case, in an order that depends
// on the cases alone.
func (t *tally) clusters(metric int) []stats.Cluster {
	var list []stats.Cluster
	for _, hash := range slices.Sorted(maps.Keys(t.cases)) {
		if c := (*t.cases[hash])[metric]; c.Asked > 0 {
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

// compareKeys orders groups: numbers by value, other texts by letters.
func compareKeys(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		if c := cmp.Compare(leadingNumber(x), leadingNumber(y)); c != 0 {
			return c
		}
		return strings.Compare(x, y)
	})
}
