package ask

import (
	"context"
	"slices"
	"strconv"

	"replanbench/corpora"
	"replanbench/harness/live"
	"replanbench/harness/score"
)

// Comparison is two values of a run side by side.
type Comparison struct {
	Base, New string // their names
	score.Comparison
	Changes []score.Change
}

// dimension is a key by which a run's cells differ, with its values.
type dimension struct {
	key    string
	values []string
	first  bool     // compare the others with the first value only
	never  bool     // compare no values
	asked  []string // the metrics to compare; nil are the usual ones
}

// dimensions lists the keys of a run. Temperatures are never compared.
func dimensions(plan live.Plan) []dimension {
	list := []dimension{
		{key: "prompt", first: true},
		{key: "model", values: plan.Models},
		{key: "temperature", never: true},
		{key: "mode"},
	}
	for _, set := range plan.Prompts {
		list[0].values = append(list[0].values, set.Name)
	}
	list[2].values = make([]string, len(plan.Temperatures))
	for _, f := range plan.Formats {
		list[3].values = append(list[3].values, string(f))
	}
	if plan.Arms == nil {
		return list
	}
	policies := dimension{key: "policy", first: true, asked: score.OverflowRates()}
	budgets := dimension{key: "budget", first: true, asked: score.OverflowRates()}
	for _, a := range plan.Arms {
		policies.add(a.Policy.String())
		budgets.add(strconv.Itoa(a.Budget))
	}
	return append(list, policies, budgets)
}

// add adds a value unless it is there.
func (d *dimension) add(value string) {
	if !slices.Contains(d.values, value) {
		d.values = append(d.values, value)
	}
}

// others are the keys that separate groups while this one is compared. For arms, these
// are only the keys that vary.
func (d *dimension) others(all []dimension) (keys []string) {
	for _, o := range all {
		if o.key != d.key && (d.asked == nil || len(o.values) > 1) {
			keys = append(keys, o.key)
		}
	}
	return keys
}

// Compare puts prompts, models, formats, policies and budgets of a run side by
// side, case by case, each by all that it does not compare: the first prompt, policy
// and budget with every other, and any two models and formats. The p-values are
// corrected for all of it.
func Compare(ctx context.Context, source corpora.Source, plan live.Plan, o score.Options) ([]Comparison,
	error,
) {
	list := []Comparison{}
	all := dimensions(plan)
	for _, d := range all {
		o.By, o.EveryCase = d.others(all), true
		more, err := d.compare(ctx, source, o)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	together := make([]*score.Comparison, len(list))
	for i := range list {
		together[i] = &list[i].Comparison
	}
	score.Correct(together...)
	return list, nil
}

func (d *dimension) compare(ctx context.Context, source corpora.Source, o score.Options) (list []Comparison,
	err error,
) {
	if len(d.values) == 1 || d.never {
		return nil, nil
	}
	results := make([]*score.Result, len(d.values))
	sides := make([]score.Side, len(d.values))
	for i, value := range d.values {
		of := o
		of.Where = map[string]string{d.key: value}
		sides[i] = score.Side{Sources: []corpora.Source{source}, Options: of}
		if results[i], err = score.Run(ctx, sides[i].Sources, of); err != nil {
			return nil, err
		}
	}
	for i, base := range results {
		for j := i + 1; j < len(results) && (i == 0 || !d.first); j++ {
			if base.Records == 0 || results[j].Records == 0 {
				continue
			}
			c, err := score.Compare(base, results[j], score.CompareOptions{Metrics: d.asked})
			if err != nil {
				return nil, err
			}
			section := Comparison{Base: d.name(i), New: d.name(j), Comparison: *c}
			if section.Changes, err = score.Changes(ctx, c, sides[i], sides[j]); err != nil {
				return nil, err
			}
			list = append(list, section)
		}
	}
	return list, nil
}

func (d *dimension) name(i int) string {
	if d.key == "budget" {
		return d.values[i] + " tokens"
	}
	return d.values[i]
}
