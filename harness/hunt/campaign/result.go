package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// Result contains the findings of a campaign, and nothing that differs between two
// runs of the same campaign. Its many fields are the members of the report's JSON.
type Result struct {
	Dialect          string   `json:"dialect"`
	Source           string   `json:"source,omitzero"` // of the cases; absent: the dialect's generator
	GeneratorVersion string   `json:"generator_version"`
	Engine           string   `json:"engine"`
	Seed             uint64   `json:"seed" join:"first"`
	Faults           []string `json:"faults,omitzero" join:"first"` // those asked for; absent is all
	Checks           []string `json:"checks,omitzero" join:"first"` // those asked for; absent is all
	// Without, Gives, Arguments, Codes and Declared are what the engine says of itself. Reports of
	// former versions have no Gives.
	Without []string `json:"without,omitzero" join:"first"`
	// Skipped names the traits whose cases need what the engine is without. Reports of former
	// versions do not have it.
	Skipped   []string         `json:"skipped,omitzero" join:"first"`
	Gives     []string         `json:"gives,omitzero" join:"first"`
	Arguments string           `json:"arguments,omitzero" join:"first"`
	Features  []string         `json:"features,omitzero" join:"first"`
	Codes     string           `json:"codes,omitzero"`
	Judge     harness.Level    `json:"judge,omitzero"` // how much is judged; absent: exact
	Declared  harness.Profile  `json:"declared" join:"first"`
	MaxSteps  int              `json:"max_steps,omitzero" join:"first"`
	Profile   *harness.Profile `json:"profile,omitzero" join:"first"` // the profile of all cases; absent: each draws its own
	Shards    []int            `json:"shards"`                        // those that are in it
	Of        int              `json:"of" join:"first"`               // how many there are
	Planned   uint64           `json:"planned,omitzero" join:"first"` // cases of the whole campaign; absent: by time
	Chunk     uint64           `json:"chunk,omitzero" join:"first"`   // cases of a chunk; absent: 100
	First     uint64           `json:"first,omitzero" join:"first"`   // the case to begin with
	Next      uint64           `json:"next" join:"max"`               // the chunk at which to go on
	Stopped   string           `json:"stopped,omitzero"`              // why it ended early
	// Interrupted says that the context ended, or the engine was given up,
	// before all was done that was asked for.
	Interrupted bool `json:"interrupted,omitzero"`

	Cases       uint64 `json:"cases"` // judged, or found unsupported
	Unsupported uint64 `json:"unsupported"`
	Valid       uint64 `json:"valid"`    // nothing wrong with the edit
	Accepted    uint64 `json:"accepted"` // of those, applied with exactly the expected plan

	Failing     uint64 `json:"failing"`     // that break a check that is not advisory
	Calls       uint64 `json:"calls"`       // of the engine, to judge
	Attribution uint64 `json:"attribution"` // calls, to find culprits
	// NotAttributed counts breaks whose culprits nobody looked for, because the time was
	// over or the campaign was interrupted.
	NotAttributed uint64 `json:"not_attributed"`
	// Unconnected says that the engine fails on most of the plain cases.
	Unconnected bool `json:"unconnected,omitzero"`

	// Unshrunk counts the causes whose example was not shrunk because time was up.
	Unshrunk int `json:"unshrunk,omitzero" join:"first"`

	// Behaviours are values that the engine works by and does not declare.
	Behaviours []cause.Behaviour `json:"behaviours,omitempty" join:"first"`

	Groups []cause.Group `json:"groups" join:"keep"` // by their first case
	Causes []cause.Cause `json:"causes" join:"keep"` // worst first
	// Wider counts the causes that the next level would add.
	Wider    int      `json:"wider,omitzero" join:"first"`
	Coverage Coverage `json:"coverage"`
}

// Title names the campaign for people.
func (r *Result) Title() string {
	if r.Source != "" {
		return r.Dialect + ": " + r.Source
	}
	return fmt.Sprintf("%s, seed %d", r.Dialect, r.Seed)
}

// Findings returns the examples of the groups without doubles, the worst first. An advisory failure, such as one
// time-out on a busy machine, is no finding.
func (r *Result) Findings() []finding.Finding {
	var all []finding.Finding
	for _, g := range r.Groups {
		if g.Example != nil && !g.Advisory {
			all = append(all, *g.Example)
		}
	}
	return finding.Distinct(all)
}

// Statuses counts the cases by what became of them. known says which groups are
// no news; nil is none.
func (r *Result) Statuses(known func(cause.Group) bool) map[harness.Status]uint64 {
	counts := map[harness.Status]uint64{harness.NotSupported: r.Unsupported}
	counts[harness.Pass] = r.Cases - r.Unsupported - r.Failing
	for _, g := range r.Groups {
		if !g.Advisory {
			counts[status(g, known)] += g.Worst
		}
	}
	if n := r.Open(); n > 0 {
		counts[harness.Fail] += n
	}
	if r.Planned > r.Cases && len(r.Shards) == r.Of {
		counts[harness.NotRun] = r.Planned - r.Cases
	}
	if r.Interrupted { // nobody knows of how many, but not all was run
		counts[harness.NotRun] = max(counts[harness.NotRun], 1)
	}
	return counts
}

// Open counts the failing cases whose worst break is in no group: time was up before their
// traits were examined.
func (r *Result) Open() uint64 {
	n := r.Failing
	for _, g := range r.Groups {
		if !g.Advisory {
			n -= min(n, g.Worst)
		}
	}
	return n
}

// Names returns the names by which lists of known failures can call a cause: its groups'
// names, in this version and in earlier ones, and its findings' names.
func (r *Result) Names(c cause.Cause) []string {
	names := append([]string{c.Name(r.Dialect)}, c.Findings...)
	for _, g := range r.groupsOf(c) {
		names = append(names, g.Names(r.Dialect)...)
	}
	return names
}

// fewNew is how many cases a new group of a known cause must have to be news: fewer show with
// one seed and not with the next.
const fewNew = 3

// KnownGroups returns a test for known groups: those that are named, and those that show a
// known one again. These only add traits to it, or are in its cause and either have too few
// cases, or traits that are not the reason and no worse class. A name of an earlier version, or of a finding,
// names all groups of the cause.
func (r *Result) KnownGroups(named func(name string) bool) func(cause.Group) bool {
	known := map[string]bool{}
	for _, p := range r.ByCause() {
		c, groups := p.Cause, p.Groups
		for _, g := range groups {
			known[g.ID] = named(g.Name(r.Dialect))
		}
		if len(groups) == 0 && named(c.Name(r.Dialect)) { // a value that the engine does not declare
			known[c.ID] = true
		}
		whole := slices.ContainsFunc(c.Findings, named) || slices.ContainsFunc(groups, func(g cause.Group) bool {
			former := g.Former(r.Dialect, all.Find(r.Dialect).Vocabulary.Formerly)
			return slices.ContainsFunc(append(g.Names(r.Dialect)[1:], former...), named)
		})
		worst := math.MaxInt // the rank of the worst known group
		for _, g := range groups {
			if known[g.ID] && !g.Advisory {
				worst = min(worst, g.Class.Rank())
			}
		}
		some := worst < math.MaxInt
		for _, g := range groups {
			again := slices.ContainsFunc(groups, func(o cause.Group) bool { return known[o.ID] && g.Repeats(&o) })
			chance := g.Cases < fewNew || g.Class.Rank() >= worst && r.incidental(&g)
			known[g.ID] = known[g.ID] || whole || again || some && chance
		}
	}
	return func(g cause.Group) bool {
		return known[g.ID] || slices.ContainsFunc(r.Groups, func(o cause.Group) bool {
			return known[o.ID] && len(o.Culprits) > 0 && g.Repeats(&o)
		})
	}
}

// incidental reports whether fewer than half of the cases with the traits of a group show it:
// then they are not the reason.
func (r *Result) incidental(g *cause.Group) bool {
	for _, name := range g.Culprits {
		if 2*g.Cases < r.Coverage.Faults[name] {
			return true
		}
	}
	return false
}

// status is what the worst break of a case makes of it.
func status(g cause.Group, known func(cause.Group) bool) harness.Status {
	word, _, _ := strings.Cut(g.Kind, ":")
	switch {
	case known != nil && known(g):
		return harness.Known
	case g.Class == judge.Unsteady:
		return harness.Flaky
	case g.Check != judge.Total:
		return harness.Fail
	case word == "crash" || word == "memory":
		return harness.Crash
	case word == "hang":
		return harness.Hang
	case word == "garbage":
		return harness.ProtocolFailure
	}
	return harness.Fail
}

// Coverage counts traits, codes and other properties of the cases and outcomes, by name.
// The count of a name that never occurred is 0.
type Coverage struct {
	Checks Tally `json:"checks"` // cases on which a check had something to look at
	// Unseen counts the cases on which a check had something to look at that cannot be
	// seen from outside.
	Unseen   Tally `json:"unseen,omitempty"`
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
	// A case without a fault counts under [noFault].
	Outcomes Tally `json:"outcomes"`
}

// Unmade lists the traits that the generator may plant under the campaign's rules and
// that no case had.
func (r *Result) Unmade() (names []string) {
	if r.Source != "" {
		return nil // cases of another source
	}
	source, err := all.Source(r.Dialect, r.config().Generator)
	if err != nil {
		return nil // a result of another version
	}
	for _, t := range source.Traits() {
		if r.Coverage.Faults[t.Name] == 0 {
			names = append(names, t.Name)
		}
	}
	return names
}

// What can be said of a check.
const (
	CheckHeld          = "held"
	CheckBroken        = "broken"
	CheckNotObservable = "not observable" // the engine does not show what it looks at
	CheckNotJudged     = "not judged"     // it breaks, which counts at a wider level only
	CheckNotMet        = "never met"      // no case had anything to look at
)

// CheckState is what can be said of a check.
type CheckState struct {
	State  string // [CheckHeld] and so on
	Broken uint64 // the cases that break it, also together with something worse, and count at the level of the campaign
}

// States returns the state of each check of the dialect.
func (r *Result) States() map[string]CheckState {
	rules, states := all.Rules(r.Dialect), map[string]CheckState{}
	for _, c := range rules.Checks {
		state := CheckNotMet
		switch {
		case r.Coverage.Checks[c.Name] > 0:
			state = CheckHeld
		case r.Coverage.Unseen[c.Name] > 0:
			state = CheckNotObservable
		}
		states[c.Name] = CheckState{State: state}
	}
	count := func(check, kind string, class judge.Class, n uint64) {
		switch state := states[check]; {
		case r.Judge.Includes(rules.Level(check, kind, class)):
			states[check] = CheckState{CheckBroken, state.Broken + n}
		case state.State != CheckBroken:
			states[check] = CheckState{State: CheckNotJudged}
		}
	}
	for _, g := range r.Groups {
		count(g.Check, g.Kind, g.Class, g.Cases)
		for way, n := range g.Beside {
			check, kind, _ := strings.Cut(way, " ")
			count(check, kind, rules.Class(check, kind), n)
		}
	}
	return states
}

// noFault is the name of cases without a planted fault.
const noFault = "none"

// failed is what became of a case without an answer.
const failed = "failed"

// Tally counts by name.
type Tally map[string]uint64

// tallies lists the parts of a coverage.
func (c *Coverage) tallies() []*Tally {
	return []*Tally{
		&c.Checks, &c.Unseen, &c.Faults, &c.Codes, &c.Rungs, &c.Tiers, &c.Repairs, &c.Warnings, &c.Events,
		&c.Results, &c.Knobs, &c.Outcomes,
	}
}

// NewCoverage returns a coverage in which nothing was met.
func NewCoverage() Coverage {
	var c Coverage
	for _, t := range c.tallies() {
		*t = Tally{}
	}
	return c
}

// newCoverage returns a coverage of a dialect in which nothing was met.
func newCoverage(dialect string, faults, checks []string) Coverage {
	c := NewCoverage()
	for _, k := range all.Rules(dialect).Checks {
		if checks == nil || slices.Contains(checks, k.Name) {
			c.Checks[k.Name] = 0
		}
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
		for _, value := range k.Drawn() {
			c.Knobs[k.Name+"="+value] = 0
		}
	}
	return c
}

// Count counts the names in an outcome of a dialect with these codes.
func (c *Coverage) Count(o *harness.Outcome, codes []harness.Term) {
	if o.Code != "" {
		c.Codes[string(o.Code)]++
	}
	if o.Rung != "" {
		c.Rungs[string(o.Rung)]++
	}
	if o.Tier != "" {
		c.Tiers[string(o.Tier)]++
	}
	for i := range o.Repairs {
		c.Repairs[o.Repairs[i].Rule]++
	}
	for i := range o.Warnings {
		c.Warnings[o.Warnings[i].Code]++
	}
	for i := range o.Events {
		c.Events[o.Events[i].Event]++
		if code := o.Events[i].Code; code != "" && o.Code != code {
			c.Codes[string(code)]++
		}
	}
	for i := range o.Operations {
		c.Results[o.Operations[i].Result]++
		if code := o.Operations[i].Result; code != string(o.Code) && isCode(codes, code) {
			c.Codes[code]++
		}
		for _, w := range o.Operations[i].Warnings {
			c.Warnings[w]++
		}
	}
	for i := range o.Trace {
		if event := o.Trace[i].Event; event != "" {
			c.Events[event]++
		}
		if code := o.Trace[i].Code; code != "" && code != o.Code {
			c.Codes[string(code)]++
		}
	}
}

// isCode reports whether a result is one of the codes.
func isCode(codes []harness.Term, result string) bool {
	return slices.ContainsFunc(codes, func(c harness.Term) bool { return c.Name == result })
}

// Merger puts the results of shards together one after the other, and keeps none of
// them. The zero value is ready.
type Merger struct {
	all *Result
}

// Add puts a result to those before it.
func (m *Merger) Add(p Result) error {
	if m.all == nil {
		m.all = &Result{Groups: []cause.Group{}, Causes: []cause.Cause{}, Coverage: NewCoverage()}
	} else if err := m.all.sameCampaign(p); err != nil {
		return err
	}
	for _, i := range p.Shards {
		if slices.Contains(m.all.Shards, i) {
			return fmt.Errorf("shard %d of %d is there twice (give the report of each shard once; to compare two "+
				"runs of one engine: report NEW --earlier OLD)", i, p.Of)
		}
	}
	m.all.add(p)
	return nil
}

// Result returns everything that was added. With all shards it equals the result of the whole campaign.
func (m *Merger) Result() (Result, error) {
	if m.all == nil {
		return Result{}, errors.New("there is nothing to merge")
	}
	all := *m.all
	slices.Sort(all.Shards)
	if len(all.Shards) == all.Of {
		all.Shards, all.Of = []int{1}, 1
		if all.Cases == all.Planned {
			c := all.config()
			if _, err := c.sampler(); err != nil {
				return Result{}, err
			}
			all.Next = c.chunks()
		}
	}
	return all, all.Diagnose()
}

// sameCampaign returns an error that says in what two results of one campaign differ.
func (r *Result) sameCampaign(p Result) error {
	mine, theirs := r.identity(), p.identity()
	var differ []string
	for i, m := range mine {
		if m != theirs[i] {
			differ = append(differ, fmt.Sprintf("%s, and %s", m, theirs[i]))
		}
	}
	if differ != nil {
		return fmt.Errorf("results of two campaigns cannot be merged: %s", strings.Join(differ, "; "))
	}
	return nil
}

// identity is what makes a campaign the one that it is, in words.
func (r *Result) identity() []string {
	faults, checks, profile := "all traits", "all checks", "rules drawn for each case"
	if r.Checks != nil {
		checks = fmt.Sprintf("the checks %q", r.Checks)
	}
	if r.Faults != nil {
		faults = fmt.Sprintf("the traits %q", r.Faults)
	}
	if r.Profile != nil {
		text, _ := json.Marshal(*r.Profile)
		profile = "the profile " + string(text)
	}
	declared, _ := json.Marshal(r.Declared) // "" if it is not there
	return []string{
		"the dialect " + r.Dialect, "cases from " + cmp.Or(r.Source, "the generator"), "generators of version " +
			r.GeneratorVersion, "the engine " + r.Engine,
		fmt.Sprintf("seed %d", r.Seed), fmt.Sprintf("%d cases", r.Planned), fmt.Sprintf("the first case %d", r.First),
		fmt.Sprintf("%d shards", r.Of), fmt.Sprintf("chunks of %d cases", cmp.Or(r.Chunk, chunkSize)), faults, checks, profile, "the level " + string(r.Judge.Effective()),
		"the declared rules " + string(declared),
	}
}

// add puts the cases of another part to these.
func (r *Result) add(p Result) {
	shard.Join(r, p)
	for _, g := range p.Groups {
		if i := slices.IndexFunc(r.Groups, func(mine cause.Group) bool { return mine.ID == g.ID }); i >= 0 {
			r.Groups[i].Join(g)
		} else {
			r.Groups = append(r.Groups, g)
		}
	}
	r.sort()
}

// sort orders the groups by their first case.
func (r *Result) sort() {
	slices.SortStableFunc(r.Groups, func(a, b cause.Group) int {
		return cmp.Or(cmp.Compare(a.First, b.First),
			cmp.Compare(a.ID, b.ID))
	})
}

// Names returns the names of a tally in alphabetical order.
func (t Tally) Names() []string { return slices.Sorted(maps.Keys(t)) }
