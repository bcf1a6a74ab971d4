package score

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score/stats"
)

// maxCases is how many cases a group keeps. Above it, a group hashes cases into as many
// heaps. Replies to one case stay in one heap, so intervals remain valid, and memory is
// bounded.
const maxCases = 4096

// tally counts the requests of one group.
// It has a field for each count of the report.
type tally struct {
	Key []string `json:"key" join:"keep"` // of the group; the last item is the source of the replies

	Requests int                         `json:"requests"`
	Unscored map[string]int              `json:"unscored"`
	Rungs    map[harness.Rung]int        `json:"rungs"` // "": the ladder failed
	Codes    map[harness.Code]*firstCode `json:"codes"`
	Dangers  map[string]*firstDanger     `json:"dangers"`                      // by kind
	Listed   []listedAt                  `json:"listed,omitempty" join:"keep"` // of documented replies
	Cases    map[uint64]counts           `json:"cases" join:"keep"`
	Names    map[uint64]string           `json:"names" join:"keep"` // of the cases
	Heaped   bool                        `json:"heaped" join:"keep"`

	Prompt  spread            `json:"prompt"`
	Reply   spread            `json:"reply"`
	Total   spread            `json:"total"`
	Spent   map[string]*spent `json:"spent"` // by model; retries included
	Prompts promptTally       `json:"prompts"`
	// Settings counts the first attempts by their parameters; see setting.
	Settings map[string]int `json:"settings,omitempty"`
	// Similar counts the requests whose items were matched by similar text.
	Similar int `json:"similar,omitzero"`

	keep bool // never heap cases
}

// place is the position of a record: the index of the corpus and the line.
type place uint64

func placeOf(corpus, line int) place { return place(corpus)<<40 | place(line) }

// firstCode, firstDanger and listedAt are examples with their positions, so that merging
// shards keeps the first example.
type firstCode struct {
	Failure `json:",inline"`
	At      place `json:"at" join:"earliest"`
}

type firstDanger struct {
	Danger `json:",inline"`
	At     place `json:"at" join:"earliest"`
}

type listedAt struct {
	Listed `json:",inline"`
	At     place `json:"at"`
}

// counts contains a count for each metric, in the order of metrics().
type counts []Count

// MarshalText writes yes and asked of every metric in one text, to keep reports small.
func (c counts) MarshalText() (text []byte, err error) {
	for i, x := range c {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(x.Yes), 10)
		text = append(text, '/')
		text = strconv.AppendInt(text, int64(x.Asked), 10)
	}
	return text, nil
}

// UnmarshalText reads what MarshalText writes.
func (c *counts) UnmarshalText(text []byte) error {
	fields := strings.Fields(string(text))
	*c = make(counts, len(fields))
	for i, field := range fields {
		yes, asked, _ := strings.Cut(field, "/")
		var err1, err2 error
		(*c)[i].Yes, err1 = strconv.Atoi(yes)
		(*c)[i].Asked, err2 = strconv.Atoi(asked)
		if err := cmp.Or(err1, err2); err != nil {
			return fmt.Errorf("counts %q: write YES/ASKED separated by spaces", text)
		}
	}
	return nil
}

// Count sums one metric over requests.
type Count struct {
	Yes   int `json:"yes"` // the sum, if the metric is a mean
	Asked int `json:"asked"`
}

// spread is a histogram of integers.
type spread map[int]int

type spent struct {
	Requests int `json:"requests"`
	Unknown  int `json:"unknown"`
	Prompt   int `json:"prompt"`
	Reply    int `json:"reply"`
}

func newTally(key []string, o *Options) *tally {
	return &tally{
		Key: key, keep: o.EveryCase, Settings: map[string]int{}, Prompts: newPromptTally(o.Policies),
		Names:    map[uint64]string{},
		Unscored: map[string]int{}, Rungs: map[harness.Rung]int{}, Codes: map[harness.Code]*firstCode{},
		Dangers: map[string]*firstDanger{},
		Cases:   map[uint64]counts{}, Prompt: spread{}, Reply: spread{}, Total: spread{}, Spent: map[string]*spent{},
	}
}

func caseHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// add counts one request at a position.
func (t *tally) add(s *Score, at place, o *Options, questions []metric) {
	t.Requests++
	if s.Unscored != "" {
		t.Unscored[s.Unscored]++
	}
	if s.scored {
		t.Rungs[s.Rung]++
	}
	if s.Code != "" {
		if t.Codes[s.Code] == nil {
			t.Codes[s.Code] = &firstCode{Failure{Code: s.Code, Example: s.ID, Message: s.Message}, at}
		}
		t.Codes[s.Code].N++
	}
	if s.Similar {
		t.Similar++
	}
	t.danger(s, at)
	hash := caseHash(s.Case)
	c := t.counts(hash, len(questions))
	if !t.Heaped {
		t.Names[hash] = s.Case
	}
	for i, q := range questions {
		yes, asked := q.count(s, o)
		c[i].Yes, c[i].Asked = c[i].Yes+yes, c[i].Asked+asked
	}
}

// danger counts the request once for each kind of danger.
func (t *tally) danger(s *Score, at place) {
	counted := map[string]bool{}
	for _, d := range s.Dangers {
		if counted[d.Kind] {
			continue
		}
		counted[d.Kind] = true
		if t.Dangers[d.Kind] == nil {
			t.Dangers[d.Kind] = &firstDanger{Danger{Kind: d.Kind, Example: s.ID, Step: d.Step}, at}
		}
		t.Dangers[d.Kind].N++
	}
}

// spend counts the tokens of one first reply or retry.
func (t *tally) spend(r *corpora.Record, prompt, reply int) {
	s := t.Spent[r.Model]
	if s == nil {
		s = &spent{}
		t.Spent[r.Model] = s
	}
	s.Requests++
	if prompt < 0 || reply < 0 {
		s.Unknown++
	}
	s.Prompt, s.Reply = s.Prompt+max(0, prompt), s.Reply+max(0, reply)
	if prompt >= 0 {
		t.Prompt[prompt]++
	}
	if reply >= 0 {
		t.Reply[reply]++
	}
	if prompt >= 0 && reply >= 0 {
		t.Total[prompt+reply]++
	}
}

func (t *tally) counts(hash uint64, n int) counts {
	if t.Heaped {
		hash %= maxCases
	}
	if t.Cases[hash] == nil {
		if !t.keep && !t.Heaped && len(t.Cases) == maxCases {
			t.heap()
			return t.counts(hash, n)
		}
		t.Cases[hash] = make(counts, n)
	}
	return t.Cases[hash]
}

// heap merges the cases into heaps.
func (t *tally) heap() {
	old := t.Cases
	t.Cases, t.Names, t.Heaped = make(map[uint64]counts, maxCases), nil, true
	t.addCases(old)
}

func (t *tally) addCases(cases map[uint64]counts) {
	for hash, c := range cases {
		sum := t.counts(hash, len(c))
		for i := range c {
			sum[i].Yes += c[i].Yes
			sum[i].Asked += c[i].Asked
		}
	}
}

// clusters returns the counts of one metric by case, in an order that depends only on the
// cases.
func (t *tally) clusters(metric int) []stats.Cluster {
	var list []stats.Cluster
	for _, hash := range slices.Sorted(maps.Keys(t.Cases)) {
		if c := t.Cases[hash][metric]; c.Asked > 0 {
			list = append(list, stats.Cluster{Sum: float64(c.Yes), N: c.Asked})
		}
	}
	return list
}

// at returns the q-quantile: the smallest value that at least the share q of the
// observations does not exceed.
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

// compareValues orders the values of keys: numbers by value, other texts alphabetically.
func compareValues(a, b string) int {
	return cmp.Or(cmp.Compare(leadingNumber(a), leadingNumber(b)), strings.Compare(a, b))
}

// Overflow contains the rates of trimmed prompts by degree of overflow.
type Overflow struct {
	By   []string      `json:"by"` // the last two are policy and overflow
	Rows []overflowRow `json:"rows"`
}

// overflowRow contains the rates of one group, policy and class of overflow.
type overflowRow struct {
	Key      []string `json:"key"` // values in the order of Overflow.By
	Requests int      `json:"requests"`
	Cases    int      `json:"cases"`
	NoReply  int      `json:"no_reply"` // requests without a reply, such as prompts that cannot fit
	Rates    []Rate   `json:"rates"`    // in the order of OverflowRates
}

// OverflowRates lists the rates that are reported by degree of overflow.
func OverflowRates() []string { return []string{parseRate, ApplyRate, ConflictRate, dangerRate} }

// Rate returns a rate by its name.
func (r *overflowRow) Rate(name string) Rate { return r.Rates[slices.Index(OverflowRates(), name)] }

// overflowKeys returns the keys of overflow rows for the keys of groups.
func overflowKeys(by []string) []string {
	own := []string{"policy", "budget", "overflow"}
	keys := slices.DeleteFunc(slices.Clone(by), func(k string) bool { return slices.Contains(own, k) })
	return append(keys, "policy", "overflow")
}

// overflowGroup returns the values of a record for these keys, or nil if its prompt was
// not trimmed.
func (o *Options) overflowGroup(r *corpora.Record, corpus string) []string {
	if r.Trim == nil {
		return nil
	}
	of := Options{By: overflowKeys(o.By)}
	return of.group(r, corpus)
}

// overflowTally returns the counts of a row.
func (r *run) overflowTally(group []string) *tally {
	key := groupKey(group)
	if r.overflows[key] == nil {
		r.overflows[key] = newTally(group, &Options{By: overflowKeys(r.options.By)})
	}
	return r.overflows[key]
}

// makeOverflow sets the rows from tallies, by policy, degree of overflow and the keys that
// vary.
func (r *Result) makeOverflow(tallies []*tally, by []string) {
	if len(tallies) == 0 {
		return
	}
	slices.SortFunc(tallies, func(a, b *tally) int { return slices.CompareFunc(a.Key, b.Key, compareValues) })
	o := &Overflow{By: overflowKeys(by)}
	for _, t := range tallies {
		o.Rows = append(o.Rows, t.overflow(&Options{By: o.By}))
	}
	for at := len(o.By) - 3; at >= 0; at-- { // never the last two
		same := func(row overflowRow) bool { return row.Key[at] == o.Rows[0].Key[at] }
		if slices.ContainsFunc(o.Rows, func(row overflowRow) bool { return !same(row) }) {
			continue
		}
		o.By = slices.Delete(o.By, at, at+1)
		for i := range o.Rows {
			o.Rows[i].Key = slices.Delete(slices.Clone(o.Rows[i].Key), at, at+1)
		}
	}
	r.Overflow = o
}

func (t *tally) overflow(o *Options) overflowRow {
	row := overflowRow{Key: t.Key, Requests: t.Requests, Cases: len(t.Cases), NoReply: t.Unscored[NoReply]}
	bare, before := t.documented(o), stats.Rates{}
	names := harness.Names(Metrics())
	for _, name := range OverflowRates() {
		row.Rates = append(row.Rates, newRate(name, t.clusters(slices.Index(names, name)), bare, &before))
	}
	return row
}

// joinTallies adds tallies to others by key.
func joinTallies(all map[string]*tally, more []*tally) {
	for _, t := range more {
		key := groupKey(t.Key)
		if mine := all[key]; mine != nil {
			mine.merge(t)
		} else {
			all[key] = t
		}
	}
}
