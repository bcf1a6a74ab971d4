package reports

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
)

// Merger merges reports one by one; its memory does not grow with their number. Shards
// of a run become the report of the run. Reports of one engine with different sections
// become one report. Reports of several engines become a league table with all failures.
// Merging does not change the reports, but the result may share parts with them. The
// zero value is ready to use.
type Merger struct {
	engines []*engineRuns // in the order of Add
	n       int
	league  *Report // a report of several engines, which cannot be merged
}

type engineRuns struct {
	name string
	runs []*merging
}

// Add adds a report. Errors contain the name.
func (m *Merger) Add(name string, r *Report) error {
	m.n++
	if r.League != nil {
		m.league = r
	}
	switch {
	case m.league != nil && m.n > 1:
		return fmt.Errorf("%s: a report of several engines cannot be merged (merge the original reports instead)", name)
	case m.league != nil:
		return nil
	}
	i := slices.IndexFunc(m.engines, func(e *engineRuns) bool { return e.name == r.Engine.String() })
	if i < 0 {
		i = len(m.engines)
		m.engines = append(m.engines, &engineRuns{name: r.Engine.String()})
	}
	if err := m.engines[i].add(name, r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (e *engineRuns) add(name string, r *Report) error {
	i := slices.IndexFunc(e.runs, func(a *merging) bool { return a.part.same(r.Part) })
	if i < 0 {
		i = len(e.runs)
		e.runs = append(e.runs, &merging{part: r.Part.empty(), files: map[int]string{}})
	}
	return e.runs[i].add(name, r)
}

// Report returns the merged report.
func (m *Merger) Report() (*Report, error) {
	if m.n == 0 {
		return nil, errors.New("no reports to merge")
	}
	if m.league != nil {
		return m.league, nil
	}
	var engines []*Report
	for _, e := range m.engines {
		r, err := e.report()
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", e.name, err)
		}
		engines = append(engines, r)
	}
	if len(engines) == 1 {
		return engines[0], nil
	}
	return sideBySide(engines), nil
}

// report merges the runs of the engine.
func (e *engineRuns) report() (*Report, error) {
	if err := e.mixed(); err != nil {
		return nil, err
	}
	var all merging
	for _, run := range e.runs {
		r, err := run.report()
		if err != nil {
			return nil, err
		}
		if len(e.runs) == 1 {
			return r, nil
		}
		if err := all.add("", r); err != nil {
			return nil, err
		}
	}
	return all.report()
}

// mixed rejects shards of two incomplete runs: the user meant one run.
func (e *engineRuns) mixed() error {
	var lacking []*merging
	for _, run := range e.runs {
		if run.part != nil && len(run.part.Shards) < run.part.Of {
			lacking = append(lacking, run)
		}
	}
	if len(lacking) < 2 {
		return nil
	}
	a, b := lacking[0], lacking[1]
	return fmt.Errorf("these are shards of two incomplete runs: %s is %s, and %s is %s%s (merge shards of one run, or "+
		"all shards of each run)",
		a.file(), a.part, b.file(), b.part, a.part.differs(b.part))
}

// merging is the state of a merge: reports of one run, or of several runs of one engine.
type merging struct {
	part  *Part          // nil: these are not shards
	files map[int]string // by shard

	n         int
	judged    bool    // a report has the level of all
	only      *Report // the first report, until there is a second
	all       *Report
	commands  map[string]bool
	ids       map[string]bool // of scenarios
	campaigns []*shardedCampaign
	reported  map[string]reportedCause
	unused    map[string]*unusedLine
	made      map[string]Failure        // those that merging makes again, by suite and id
	order     map[string]map[string]int // of the failures of a suite, by their ids
}

// shardedCampaign is a campaign with its merged shards.
type shardedCampaign struct {
	dialect, source string
	seed            uint64
	campaign.Merger
}

// unusedLine is a line of a baseline, with the number of reports in which it matches nothing.
type unusedLine struct {
	Failure
	n, order int
}

// file returns the name of the first file, for errors.
func (m *merging) file() string { return m.files[slices.Min(slices.Collect(maps.Keys(m.files)))] }

func (m *merging) add(name string, r *Report) error {
	if r.Part != nil && m.files != nil {
		for _, i := range r.Part.Shards {
			if before, ok := m.files[i]; ok {
				return fmt.Errorf("shard %d of %d is also in %s (pass the report of each shard once)", i, r.Part.Of, before)
			}
			m.files[i] = name
			m.part.Shards = append(m.part.Shards, i)
		}
	}
	m.n++
	switch m.n {
	case 1:
		m.only = r
		return nil
	case 2:
		m.begin(m.only)
		if err := m.take(m.only); err != nil {
			return err
		}
		m.only = nil
	}
	return m.take(r)
}

func (m *merging) begin(first *Report) {
	m.all = &Report{
		V: Version, Engine: first.Engine, Judge: first.Judge, Failures: []Failure{}, Environment: first.Environment,
	}
	m.all.Environment.Speed, m.all.Environment.Seconds = nil, 0
	m.commands, m.ids, m.reported, m.unused, m.order = map[string]bool{}, map[string]bool{}, map[string]reportedCause{},
		map[string]*unusedLine{}, map[string]map[string]int{}
	m.made = map[string]Failure{}
}

// take adds a report.
func (m *merging) take(p *Report) error {
	r := m.all
	if err := m.takeLevel(p); err != nil {
		return err
	}
	if m.commands[wholeLine(p.Command)] = true; len(m.commands) == 1 {
		r.Command = wholeLine(p.Command)
	}
	r.Environment.join(p.Environment)
	if err := cmp.Or(m.distinct(p), m.takeSections(p)); err != nil {
		return err
	}
	for status, n := range p.Summary.Counts {
		r.Summary.addMany(status, n-p.generated(status))
	}
	m.takeFailures(p)
	return m.takeCampaigns(p)
}

// takeLevel rejects reports on an engine that are judged at different levels.
func (m *merging) takeLevel(p *Report) error {
	if p.Fuzz == nil && p.Scenarios == nil && p.Agent == nil {
		return nil
	}
	if m.judged && m.all.Judge.Effective() != p.Judge.Effective() {
		return fmt.Errorf("the reports are judged at two levels, %s and %s (make both with the same --judge)",
			m.all.Judge.Effective(), p.Judge.Effective())
	}
	m.judged, m.all.Judge = true, p.Judge
	return nil
}

// takeFailures adds the failures that do not depend on other reports.
func (m *merging) takeFailures(p *Report) {
	m.index(p)
	for _, f := range p.Failures {
		switch {
		case f.Suite == suiteFuzz: // in the index
		case f.Suite == suiteBaseline:
			if m.unused[f.ID] == nil {
				m.unused[f.ID] = &unusedLine{Failure: f, order: len(m.unused)}
			}
			m.unused[f.ID].n++
		case m.part != nil && remade(f):
			m.made[f.Suite+"/"+f.ID] = f
		default:
			m.all.Failures = append(m.all.Failures, f)
		}
	}
}

// reportedCause is the failure of a cause in the report with its first case.
type reportedCause struct {
	Failure
	id    string
	first uint64
}

// index stores the failures of causes by each of their groups, because other reports may
// assign the groups to other causes.
func (m *merging) index(p *Report) {
	keep := func(key string, cause reportedCause) {
		if before, ok := m.reported[key]; !ok || cause.first < before.first {
			m.reported[key] = cause
		}
	}
	fuzz := slices.DeleteFunc(slices.Clone(p.Failures), func(f Failure) bool { return f.Suite != suiteFuzz })
	for _, r := range p.campaigns() {
		causeOf := r.CauseOf()
		for _, f := range fuzz {
			if f.ID == r.Dialect {
				keep(r.Dialect, reportedCause{Failure: f})
			}
			if c := causeOf(f.ID); c != nil {
				for _, id := range c.Groups {
					keep(r.Dialect+"/"+id, reportedCause{f, c.ID, c.First})
				}
			}
		}
	}
}

func (m *merging) report() (*Report, error) {
	if m.n == 1 {
		return m.only, nil
	}
	r := m.all
	if len(m.commands) > 1 {
		r.Command = fmt.Sprintf("report of %d reports", m.n)
	}
	if m.part != nil {
		slices.Sort(m.part.Shards)
		r.Part = m.part.lacking()
	}
	if err := m.finishSections(); err != nil {
		return nil, err
	}
	for _, c := range m.campaigns {
		whole, err := c.Result()
		if err != nil {
			return nil, err
		}
		r.takeCampaign(whole, m.reported)
	}
	r.Failures = append(r.Failures, m.unusedEverywhere()...)
	slices.SortStableFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(suiteOrder(a)-suiteOrder(b), m.order[a.Suite][a.ID]-m.order[b.Suite][b.ID])
	})
	r.Conclude()
	return r, nil
}

// grouped groups items by key, and returns the keys in order of first occurrence.
func grouped[K comparable, T any](list []T, key func(T) K) (order []K, by map[K][]T) {
	by = map[K][]T{}
	for _, x := range list {
		k := key(x)
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], x)
	}
	return order, by
}

func (e Engine) String() string { return strings.TrimSpace(e.Name + " " + e.Version) }

// generated counts the generated cases of a status.
func (r *Report) generated(status harness.Status) int {
	n := 0
	for _, c := range r.campaigns() {
		n += int(c.Statuses(r.knows(c))[status])
	}
	return n
}

// knows returns a test for the groups without a failure in the report.
func (r *Report) knows(c *campaign.Result) func(cause.Group) bool {
	failed := map[string]bool{}
	for _, f := range r.Failures {
		if f.Suite == suiteFuzz {
			failed[f.ID] = true
		}
	}
	ids := map[string]bool{}
	for _, x := range c.Causes {
		for _, id := range x.Groups {
			ids[id] = !failed[x.Name(c.Dialect)]
		}
	}
	return func(g cause.Group) bool { return ids[g.ID] }
}

// distinct rejects scenarios that another report contains.
func (m *merging) distinct(p *Report) error {
	if p.Scenarios == nil {
		return nil
	}
	for _, x := range p.Scenarios.Results {
		if m.ids[x.ID] {
			return fmt.Errorf("the scenario %q is in two reports (pass each run once)", x.ID)
		}
		m.ids[x.ID] = true
	}
	return nil
}

// inTwo rejects a section that two reports contain.
func inTwo(section string) error {
	return fmt.Errorf("two reports contain %s, which cannot be merged (make one run over all inputs)", section)
}

// takeCampaigns adds the campaigns of a report to their other shards.
func (m *merging) takeCampaigns(p *Report) error {
	for _, c := range p.campaigns() {
		i := slices.IndexFunc(m.campaigns, func(x *shardedCampaign) bool {
			return x.dialect == c.Dialect && x.source == c.Source && x.seed == c.Seed
		})
		if i < 0 {
			i = len(m.campaigns)
			m.campaigns = append(m.campaigns, &shardedCampaign{dialect: c.Dialect, source: c.Source, seed: c.Seed})
		}
		if err := m.campaigns[i].Add(*c); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) takeCampaign(whole campaign.Result, reported map[string]reportedCause) {
	if r.Fuzz == nil {
		r.Fuzz = &Fuzz{}
	}
	r.Fuzz.Campaigns = append(r.Fuzz.Campaigns, whole)
	if f, ok := reported[whole.Dialect]; ok && whole.Unconnected {
		r.Failures = append(r.Failures, f.Failure)
	}
	for _, c := range whole.Causes {
		if f := reportedOf(reported, c, whole.Dialect); f != nil {
			r.Failures = append(r.Failures, f.of(&whole, c))
		}
	}
	for status, n := range whole.Statuses(r.knows(&whole)) {
		r.Summary.addMany(status, int(n))
	}
	if len(whole.Shards) < whole.Of && whole.Planned > whole.Cases {
		r.Summary.addMany(harness.NotRun, int(whole.Planned-whole.Cases))
	}
}

// of returns the failure of a cause of the whole campaign, made from the failure of a shard.
func (f *reportedCause) of(whole *campaign.Result, c cause.Cause) Failure {
	again := strings.Replace(f.Reproduce, fmt.Sprintf(":%d:%d", whole.Seed, f.first),
		fmt.Sprintf(":%d:%d", whole.Seed, c.First), 1)
	failure := fuzzFailure(whole, c, strings.Replace(again, "/"+f.id+"/", "/"+c.ID+"/", 1))
	failure.File, failure.Line = f.File, f.Line
	return failure
}

// reportedOf returns the failure of a cause from the report with the cause's first case,
// or else from the report with the earliest case.
func reportedOf(reported map[string]reportedCause, c cause.Cause, dialect string) (found *reportedCause) {
	for _, id := range c.Groups {
		f, ok := reported[dialect+"/"+id]
		if ok && (found == nil || found.first != c.First && (f.first == c.First || f.first < found.first)) {
			found = &f
		}
	}
	return found
}

// unusedEverywhere returns the lines of a baseline that match nothing in any report.
func (m *merging) unusedEverywhere() []Failure {
	var list []Failure
	for _, u := range slices.SortedFunc(maps.Values(m.unused), func(a, b *unusedLine) int { return a.order - b.order }) {
		if u.n == m.n {
			u.Reproduce = wholeLine(u.Reproduce)
			list = append(list, u.Failure)
		}
	}
	return list
}

// wholeLine returns a command line without --shard.
func wholeLine(command string) string {
	return regexp.MustCompile(` --shard \d+/\d+`).ReplaceAllString(command, "")
}

// join adds the time of another run.
func (e *Environment) join(o Environment) {
	e.Started = min(cmp.Or(e.Started, o.Started), cmp.Or(o.Started, e.Started))
	e.Seconds += o.Seconds
}

// sideBySide returns the league report of several engines.
func sideBySide(engines []*Report) *Report {
	all := &Report{
		V: Version, Command: fmt.Sprintf("report of %d engines", len(engines)), League: newLeague(engines),
		Engine: Engine{Name: fmt.Sprintf("%d engines", len(engines))}, Failures: []Failure{},
		Environment: engines[0].Environment,
	}
	all.Environment.Speed, all.Environment.Seconds = nil, 0
	for _, r := range engines {
		all.Environment.join(r.Environment)
		for status, n := range r.Summary.Counts {
			all.Summary.addMany(status, n)
		}
		detailOf := r.details()
		for _, f := range r.Failures {
			x := detailOf(f)
			if x.cause != nil { // this report has no list of causes
				f.Title = strings.Replace(f.Title, showsWith(*x.cause, someTraits), showsWith(*x.cause, math.MaxInt), 1)
			}
			f.Engine, f.Evidence = r.Engine.String(), x.evidence
			all.Failures = append(all.Failures, f)
		}
	}
	all.Conclude()
	return all
}
