package reports

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/campaign"
	"replanbench/harness/cause"
)

// Merge puts reports together. Shards of a campaign become that campaign,
// reports of one engine that hold different things become one, and those of
// several engines are set side by side in a league table; a report of several
// engines keeps their failures, and of their sections the figures in the table.
// The reports given are not changed, but may share parts with the result.
func Merge(list ...*Report) (*Report, error) {
	if len(list) == 0 {
		return nil, errors.New("there is no report to put together")
	}
	if slices.ContainsFunc(list, func(r *Report) bool { return r.League != nil }) {
		return nil, errors.New("a report of several engines cannot be put together with others (give the reports that it was made of)")
	}
	order, by := grouped(list, func(r *Report) string { return r.Engine.String() })
	engines := make([]*Report, len(order))
	for i, name := range order {
		var err error
		if engines[i], err = mergeParts(by[name]); err != nil {
			return nil, fmt.Errorf("engine %s: %w", name, err)
		}
	}
	if len(engines) == 1 {
		return engines[0], nil
	}
	return sideBySide(engines), nil
}

// grouped puts items of one key together, and lists the keys as they are met.
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

// mergeParts puts reports of one engine together.
func mergeParts(parts []*Report) (*Report, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	first := parts[0]
	all := &Report{V: Version, Command: wholeCommand(parts), Engine: first.Engine, Failures: []Failure{}, Environment: mergeEnvironments(parts)}
	for _, p := range parts {
		if err := all.take(p); err != nil {
			return nil, err
		}
	}
	if err := all.takeCampaigns(parts); err != nil {
		return nil, err
	}
	all.Failures = append(all.Failures, unusedEverywhere(parts)...)
	all.Conclude()
	return all, nil
}

// wholeCommand is the command line of the whole run: that of all parts but for
// the shard, or merge where the parts are of different runs.
func wholeCommand(parts []*Report) string {
	whole := wholeLine(parts[0].Command)
	for _, p := range parts[1:] {
		if wholeLine(p.Command) != whole {
			return fmt.Sprintf("report of %d reports", len(parts))
		}
	}
	return whole
}

// take adds all of a part but its campaigns and the failures that depend on
// the other parts.
func (r *Report) take(p *Report) error {
	if p.Scenarios != nil {
		if err := r.takeScenarios(p.Scenarios); err != nil {
			return err
		}
	}
	if err := errors.Join(
		only("trimming", &r.Trim, p.Trim), only("a calibration", &r.Calibration, p.Calibration), only("a table of scenarios and defects", &r.Shown, p.Shown), only("a measure of causes", &r.Naming, p.Naming),
		only("scores", &r.Score, p.Score), only("a comparison", &r.Comparison, p.Comparison),
		only("a run against models", &r.Live, p.Live), only("sessions with an agent", &r.Agent, p.Agent),
		only("a comparison of protocols", &r.Protocols, p.Protocols),
	); err != nil {
		return err
	}
	r.takeCoverage(p.Coverage)
	for status, n := range p.Summary.Counts {
		r.Summary.AddMany(status, n-p.generated(status))
	}
	r.Summary.Advisory += p.Summary.Advisory
	for _, f := range p.Failures {
		if f.Suite != suiteFuzz && f.Suite != suiteBaseline {
			r.Failures = append(r.Failures, f)
		}
	}
	return nil
}

// generated counts the generated cases of a status.
func (r *Report) generated(status harness.Status) int {
	if r.Fuzz == nil {
		return 0
	}
	n := 0
	for i := range r.Fuzz.Campaigns {
		n += int(r.Fuzz.Campaigns[i].Statuses(r.knows(&r.Fuzz.Campaigns[i]))[status])
	}
	return n
}

// knows tells the groups that fail nothing: they are no failures.
func (r *Report) knows(c *campaign.Result) func(cause.Group) bool {
	failed := map[string]bool{}
	for _, f := range r.Failures {
		if f.Suite == suiteFuzz {
			failed[f.ID] = true
		}
	}
	return knownGroups(c, func(names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return failed[n] })
	})
}

func (r *Report) takeScenarios(s *Scenarios) error {
	if r.Scenarios == nil {
		r.Scenarios = &Scenarios{}
	}
	have := map[string]bool{}
	for _, x := range r.Scenarios.Results {
		have[x.ID] = true
	}
	for _, x := range s.Results {
		if have[x.ID] {
			return fmt.Errorf("the scenario %q stands in two of the reports (give each run once)", x.ID)
		}
	}
	r.Scenarios.Results = append(r.Scenarios.Results, s.Results...)
	return nil
}

// only takes a section that one report at most may have.
func only[T any](what string, mine **T, theirs *T) error {
	if theirs == nil {
		return nil
	}
	if *mine != nil {
		return fmt.Errorf("two of the reports hold %s, which cannot be put together (run it once, over all that is meant)", what)
	}
	*mine = theirs
	return nil
}

// takeCoverage adds counts up, name by name.
func (r *Report) takeCoverage(list []Coverage) {
	for _, c := range list {
		i := slices.IndexFunc(r.Coverage, func(x Coverage) bool { return x.Kind == c.Kind })
		if i < 0 {
			r.Coverage = append(r.Coverage, Coverage{c.Kind, slices.Clone(c.Items)})
			continue
		}
		for _, item := range c.Items {
			k := slices.IndexFunc(r.Coverage[i].Items, func(x Count) bool { return x.Name == item.Name })
			if k < 0 {
				r.Coverage[i].Items = append(r.Coverage[i].Items, item)
			} else {
				r.Coverage[i].Items[k].N += item.N
			}
		}
	}
}

// takeCampaigns puts shards together, and takes of their findings those that
// the whole campaign has.
func (r *Report) takeCampaigns(parts []*Report) error {
	type key struct {
		dialect, source string
		seed            uint64
	}
	var campaigns []campaign.Result
	told := map[string]Failure{}
	for _, p := range parts {
		if p.Fuzz == nil {
			continue
		}
		campaigns = append(campaigns, p.Fuzz.Campaigns...)
		for _, f := range p.Failures {
			if f.Suite == suiteFuzz {
				told[f.ID] = f
			}
		}
	}
	order, shards := grouped(campaigns, func(c campaign.Result) key { return key{c.Dialect, c.Source, c.Seed} })
	for _, k := range order {
		whole, err := campaign.Merge(shards[k]...)
		if err != nil {
			return err
		}
		r.takeCampaign(whole, told)
	}
	return nil
}

func (r *Report) takeCampaign(whole campaign.Result, told map[string]Failure) {
	if r.Fuzz == nil {
		r.Fuzz = &Fuzz{}
	}
	r.Fuzz.Campaigns = append(r.Fuzz.Campaigns, whole)
	for _, c := range whole.Causes {
		for _, name := range c.Names(whole.Dialect) {
			if f, ok := told[name]; ok {
				r.Failures = append(r.Failures, fuzzFailure(&whole, c, f.Reproduce))
				break
			}
		}
	}
	for status, n := range whole.Statuses(r.knows(&whole)) {
		r.Summary.AddMany(status, int(n))
	}
	if len(whole.Shards) < whole.Of && whole.Planned > whole.Cases {
		r.Summary.AddMany(harness.NotRun, int(whole.Planned-whole.Cases))
	}
}

// unusedEverywhere are the lines of a baseline that match nothing in any part.
func unusedEverywhere(parts []*Report) []Failure {
	count := map[string]int{}
	var list []Failure
	for _, p := range parts {
		for _, f := range p.Failures {
			if f.Suite != suiteBaseline {
				continue
			}
			if count[f.ID]++; count[f.ID] == len(parts) {
				f.Reproduce = wholeLine(f.Reproduce)
				list = append(list, f)
			}
		}
	}
	return list
}

// wholeLine is a command line without the shard.
func wholeLine(command string) string {
	return regexp.MustCompile(` --shard \d+/\d+`).ReplaceAllString(command, "")
}

func mergeEnvironments(parts []*Report) Environment {
	all := parts[0].Environment
	all.Speed = nil
	for _, p := range parts[1:] {
		all.Started = min(cmp.Or(all.Started, p.Environment.Started), cmp.Or(p.Environment.Started, all.Started))
		all.Seconds += p.Environment.Seconds
	}
	return all
}

// sideBySide makes one report of those of several engines.
func sideBySide(engines []*Report) *Report {
	all := &Report{
		V: Version, Command: fmt.Sprintf("report of %d engines", len(engines)), League: newLeague(engines),
		Engine: Engine{Name: fmt.Sprintf("%d engines", len(engines))}, Failures: []Failure{}, Environment: mergeEnvironments(engines),
	}
	for _, r := range engines {
		for status, n := range r.Summary.Counts {
			all.Summary.AddMany(status, n)
		}
		all.Summary.Advisory += r.Summary.Advisory
		evidence := r.evidence()
		for _, f := range r.Failures {
			f.Engine, f.Evidence = r.Engine.String(), evidence(f)
			all.Failures = append(all.Failures, f)
		}
	}
	all.Conclude()
	return all
}
