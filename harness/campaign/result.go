package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/finding"
)

// Result is what a campaign found. It holds nothing that differs between two
// runs of the same campaign.
type Result struct {
	Dialect          string           `json:"dialect"`
	Source           string           `json:"source,omitzero"` // of the cases; absent: the dialect's generator
	GeneratorVersion string           `json:"generator_version"`
	Engine           string           `json:"engine"`
	Seed             uint64           `json:"seed"`
	Faults           []string         `json:"faults,omitzero"`  // those asked for; absent is all
	Profile          *harness.Profile `json:"profile,omitzero"` // that of all cases; absent: each draws its own
	Shards           []int            `json:"shards"`           // those that are in it
	Of               int              `json:"of"`               // how many there are
	Planned          uint64           `json:"planned,omitzero"` // cases of the whole campaign; absent: by time
	First            uint64           `json:"first,omitzero"`   // the case to begin with
	Next             uint64           `json:"next"`             // the chunk at which to go on
	Stopped          string           `json:"stopped,omitzero"` // why it ended early
	// Interrupted says that the context ended, or the engine was given up,
	// before all was done that was asked for.
	Interrupted bool `json:"interrupted,omitzero"`

	Cases       uint64 `json:"cases"` // judged, or found unsupported
	Unsupported uint64 `json:"unsupported"`
	Valid       uint64 `json:"valid"`    // nothing wrong with the edit
	Accepted    uint64 `json:"accepted"` // of those, applied with exactly the expected plan

	Groups   []Group  `json:"groups"` // by their first case
	Coverage Coverage `json:"coverage"`
}

// Title names the campaign for people.
func (r *Result) Title() string {
	if r.Source != "" {
		return r.Dialect + ": " + r.Source
	}
	return fmt.Sprintf("%s, seed %d", r.Dialect, r.Seed)
}

// Group is the breaks of one kind: of one check, with the same answers, at the
// same member.
type Group struct {
	Key   string `json:"key"`
	Count uint64 `json:"count"` // cases whose first break it is
	// Findings are the first [PerGroup] of them, reproduced and made small.
	Findings []finding.Finding `json:"findings"`
}

// PerGroup is how many cases of one group are made into findings.
const PerGroup = 3

// Findings returns the findings without doubles, the worst first.
func (r *Result) Findings() []finding.Finding {
	var all []finding.Finding
	for _, g := range r.Groups {
		all = append(all, g.Findings...)
	}
	return finding.Distinct(all)
}

// Statuses counts the cases by what became of them. known says which findings
// are no news; nil is none.
func (r *Result) Statuses(known func(finding.Finding) bool) map[harness.Status]uint64 {
	counts := map[harness.Status]uint64{harness.NotSupported: r.Unsupported}
	passed := r.Cases - r.Unsupported
	for _, g := range r.Groups {
		counts[g.status(known)] += g.Count
		passed -= g.Count
	}
	counts[harness.Pass] = passed
	if r.Planned > r.Cases && len(r.Shards) == r.Of {
		counts[harness.NotRun] = r.Planned - r.Cases
	}
	if r.Interrupted { // nobody knows of how many, but not all was run
		counts[harness.NotRun] = max(counts[harness.NotRun], 1)
	}
	return counts
}

// status is that of the group's worst finding that is news.
func (g Group) status(known func(finding.Finding) bool) harness.Status {
	list := slices.Clone(g.Findings)
	if known != nil {
		list = slices.DeleteFunc(list, known)
	}
	if len(list) == 0 {
		return harness.Known
	}
	finding.Sort(list)
	return list[0].Kind.Status()
}

// Coverage counts what the cases had and what came out, by name. A name that
// was never met stands there with 0.
type Coverage struct {
	Checks   Tally `json:"checks"` // cases on which a check had something to look at
	Faults   Tally `json:"faults"`
	Codes    Tally `json:"codes"`
	Rungs    Tally `json:"rungs"`
	Tiers    Tally `json:"tiers"`
	Repairs  Tally `json:"repairs"`
	Warnings Tally `json:"warnings"`
	Events   Tally `json:"events"`
	Results  Tally `json:"results"` // what became of single operations
	Knobs    Tally `json:"knobs"`   // values of the profiles: orphans=bridge
	// Outcomes counts what came of the cases with each fault: its name, a
	// space, and the code, "applied", "unsupported" or "failed" (no answer).
	// A case without a fault counts under [NoFault].
	Outcomes Tally `json:"outcomes"`
}

// NoFault stands for the cases in which no fault was planted.
const NoFault = "none"

// Tally counts by name.
type Tally map[string]uint64

// tallies pairs the parts of two coverages.
func (c *Coverage) tallies() []*Tally {
	return []*Tally{&c.Checks, &c.Faults, &c.Codes, &c.Rungs, &c.Tiers, &c.Repairs, &c.Warnings, &c.Events, &c.Results, &c.Knobs, &c.Outcomes}
}

func (c *Coverage) add(d *Coverage) {
	from := d.tallies()
	for i, t := range c.tallies() {
		for name, n := range *from[i] {
			(*t)[name] += n
		}
	}
}

func emptyCoverage() Coverage {
	var c Coverage
	for _, t := range c.tallies() {
		*t = Tally{}
	}
	return c
}

// newCoverage returns a coverage of a dialect in which nothing was met.
func newCoverage(dialect string, faults []string) Coverage {
	c := emptyCoverage()
	for _, k := range all.Rules(dialect).Checks {
		c.Checks[k.Name] = 0
	}
	for _, f := range all.Traits(dialect) {
		if faults == nil || slices.Contains(faults, f.Name) {
			c.Faults[f.Name] = 0
		}
	}
	v := all.Vocabulary(dialect)
	for t, terms := range map[*Tally][]harness.Term{
		&c.Codes: v.Codes, &c.Rungs: v.Rungs, &c.Tiers: v.Tiers, &c.Repairs: v.Repairs,
		&c.Warnings: v.Warnings, &c.Events: v.Events, &c.Results: v.Results,
	} {
		for _, term := range terms {
			(*t)[term.Name] = 0
		}
	}
	for _, k := range v.Settings() {
		for _, value := range k.Values {
			c.Knobs[k.Name+"="+value] = 0
		}
	}
	return c
}

// Merge puts the results of shards together. The result of all of them is that
// of the whole campaign.
func Merge(parts ...Result) (Result, error) {
	if len(parts) == 0 {
		return Result{}, errors.New("there is nothing to merge")
	}
	all := parts[0]
	all.Shards, all.Groups, all.Coverage = nil, []Group{}, emptyCoverage()
	all.Cases, all.Unsupported, all.Valid, all.Accepted, all.Stopped = 0, 0, 0, 0, ""
	for _, p := range parts {
		if err := all.sameCampaign(p); err != nil {
			return Result{}, err
		}
		all.add(p)
	}
	slices.Sort(all.Shards)
	if n := len(slices.Compact(slices.Clone(all.Shards))); n < len(all.Shards) {
		return Result{}, errors.New("the results to merge hold a shard twice")
	}
	if len(all.Shards) == all.Of {
		all.Shards, all.Of = []int{1}, 1
		if all.Cases == all.Planned {
			all.Next = (all.Planned + ChunkSize - 1) / ChunkSize
		}
	}
	return all, nil
}

// sameCampaign reports what two results differ in that are to be of the same
// campaign.
func (r *Result) sameCampaign(p Result) error {
	mine, theirs := r.identity(), p.identity()
	var differ []string
	for i, m := range mine {
		if m != theirs[i] {
			differ = append(differ, fmt.Sprintf("%s, and %s", m, theirs[i]))
		}
	}
	if differ != nil {
		return fmt.Errorf("results of two campaigns cannot be put together: %s", strings.Join(differ, "; "))
	}
	return nil
}

// identity is what makes a campaign the one that it is, in words.
func (r *Result) identity() []string {
	faults, profile := "all faults", "rules drawn for each case"
	if r.Faults != nil {
		faults = fmt.Sprintf("the faults %q", r.Faults)
	}
	if r.Profile != nil {
		text, _ := json.Marshal(*r.Profile)
		profile = "the profile " + string(text)
	}
	return []string{
		"the dialect " + r.Dialect, "cases from " + cmp.Or(r.Source, "the generator"), "generators of version " + r.GeneratorVersion, "the engine " + r.Engine,
		fmt.Sprintf("seed %d", r.Seed), fmt.Sprintf("%d cases", r.Planned), fmt.Sprintf("the first case %d", r.First),
		fmt.Sprintf("%d shards", r.Of), faults, profile,
	}
}

// add puts the cases of another part to these.
func (r *Result) add(p Result) {
	r.Shards = append(r.Shards, p.Shards...)
	r.Next = max(r.Next, p.Next)
	r.Cases += p.Cases
	r.Unsupported += p.Unsupported
	r.Valid += p.Valid
	r.Accepted += p.Accepted
	r.Stopped = cmp.Or(r.Stopped, p.Stopped)
	r.Interrupted = r.Interrupted || p.Interrupted
	r.Coverage.add(&p.Coverage)
	for _, g := range p.Groups {
		mine := r.group(g.Key)
		mine.Count += g.Count
		mine.Findings = append(slices.Clone(mine.Findings), g.Findings...)
		slices.SortFunc(mine.Findings, byCase)
		mine.Findings = mine.Findings[:min(len(mine.Findings), PerGroup)]
	}
	r.sort()
}

// group returns the group of that key, and makes it where there is none.
func (r *Result) group(key string) *Group {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Key == key })
	if i < 0 {
		i = len(r.Groups)
		r.Groups = append(r.Groups, Group{Key: key})
	}
	return &r.Groups[i]
}

func byCase(a, b finding.Finding) int { return cmp.Compare(a.CaseIndex, b.CaseIndex) }

// sort orders the groups by their first case.
func (r *Result) sort() {
	slices.SortFunc(r.Groups, func(a, b Group) int { return byCase(a.Findings[0], b.Findings[0]) })
}

// Names returns the names of a tally in alphabetical order.
func (t Tally) Names() []string { return slices.Sorted(maps.Keys(t)) }
