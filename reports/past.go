package reports

import (
	"slices"

	"replanbench/harness"
)

// Wrong returns the sorted names of all failures, scenarios and causes that are wrong,
// including known ones. A cause is named by its groups.
func (r *Report) Wrong() (names []string) {
	for _, f := range r.Failures {
		names = append(names, f.ID)
	}
	if r.Scenarios != nil {
		right := []harness.Status{harness.Pass, harness.Fixed, harness.NotSupported, harness.NotRun}
		for _, s := range r.Scenarios.Results {
			if !slices.Contains(right, s.Status) {
				names = append(names, s.ID)
			}
		}
	}
	if r.Fuzz != nil {
		for _, c := range r.Fuzz.Campaigns {
			for _, x := range c.Causes {
				names = append(names, x.Name(c.Dialect))
			}
			for _, g := range c.Groups {
				names = append(names, g.Name(c.Dialect))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Forgive makes each failure advisory that an earlier report contains too. Scenarios and
// causes need no such step: their own checks accept known ones.
func (r *Report) Forgive(before *Report, why string) {
	for i := range r.Failures {
		f := &r.Failures[i]
		if !f.Advisory && slices.ContainsFunc(before.Failures, func(o Failure) bool {
			return o.Suite == f.Suite && o.ID == f.ID
		}) {
			f.Advisory, f.Title = true, why
			r.Summary.Advisory++
		}
	}
}
