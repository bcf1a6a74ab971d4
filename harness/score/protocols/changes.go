package protocols

import (
	"fmt"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// Generated makes changes: the plain samples of the dialect in which models are asked,
// with the plans that the reference makes of them.
func Generated(seed uint64, n, maxSteps int) ([]Change, error) {
	rules := harness.Reference()
	asked := all.Asked()
	source, err := asked.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: maxSteps})
	if err != nil {
		return nil, err
	}
	var list []Change
	for i := uint64(0); len(list) < n && i < 50*uint64(n); i++ {
		s := source.At(seed, i)
		if s.Before == nil || s.Want.Verdict != harness.Applied {
			continue
		}
		if after := asked.Eval(s.Case, s.Profile).Plan; after != nil {
			list = append(list, Change{fmt.Sprintf("generated-%d-%d", seed, i), s.Before, after})
		}
	}
	return list, nil
}

// FromCorpus takes the changes that the replies of corpora ask for: those that can be
// applied under a profile, each once.
func FromCorpus(sources []corpora.Source, p harness.Profile) ([]Change, error) {
	var list []Change
	seen := map[string]bool{}
	for _, s := range sources {
		for r, err := range s.Records() {
			if err != nil {
				continue // score reports bad lines
			}
			d := all.Find(r.Dialect)
			if d == nil || len(d.Protocols) == 0 || r.Plan == nil || r.Failure != nil || d.Name != all.Asked().Name {
				continue
			}
			c := harness.Case{Dialect: d.Name, Plan: r.Plan, Limits: r.Limits, Replies: []harness.Reply{r.Reply}}
			before, err := d.Judging.Plan(c)
			if err != nil {
				continue
			}
			o := d.Eval(c, p)
			if o.Verdict != harness.Applied || o.Plan == nil {
				continue
			}
			if key := r.CaseKey() + string(documentOf(o.Plan)); !seen[key] {
				seen[key] = true
				list = append(list, Change{r.ID, before, o.Plan})
			}
		}
	}
	return list, nil
}
