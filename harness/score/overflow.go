package score

import (
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score/stats"
)

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
