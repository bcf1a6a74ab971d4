package main

import (
	"context"

	"replanbench/corpora"
	"replanbench/harness/live"
	"replanbench/harness/score"
	"replanbench/reports"
)

// compareRun puts prompts, models and formats of a run side by side, case by case,
// each by all that it does not compare: the first prompt with every other, and any
// two models and formats. The p-values are corrected for all of it.
func compareRun(ctx context.Context, source corpora.Source, plan live.Plan, o score.Options) ([]reports.Comparison, error) {
	var prompts, formats []string
	for _, set := range plan.Prompts {
		prompts = append(prompts, set.Name)
	}
	for _, f := range plan.Formats {
		formats = append(formats, string(f))
	}
	list := []reports.Comparison{}
	for _, x := range []struct {
		key    string
		values []string
		others []string
		first  bool // compares with the first alone
	}{
		{"prompt", prompts, []string{"model", "temperature", "mode"}, true},
		{"model", plan.Models, []string{"prompt", "temperature", "mode"}, false},
		{"mode", formats, []string{"prompt", "model", "temperature"}, false},
	} {
		o.By, o.EveryCase = x.others, true
		sides := make([]*score.Result, len(x.values))
		for i, value := range x.values {
			if len(x.values) == 1 {
				break
			}
			o.Where = map[string]string{x.key: value}
			var err error
			if sides[i], err = score.Run(ctx, []corpora.Source{source}, o); err != nil {
				return nil, err
			}
		}
		for i, base := range sides {
			for j := i + 1; j < len(sides) && (i == 0 || !x.first); j++ {
				if base.Records == 0 || sides[j].Records == 0 {
					continue
				}
				c, err := score.Compare(base, sides[j], score.CompareOptions{})
				if err != nil {
					return nil, err
				}
				section := reports.Comparison{Base: x.values[i], New: x.values[j], Comparison: *c}
				side := func(value string) score.Side {
					of := o
					of.Where = map[string]string{x.key: value}
					return score.Side{Sources: []corpora.Source{source}, Options: of}
				}
				if section.Changes, err = score.Changes(ctx, c, side(x.values[i]), side(x.values[j])); err != nil {
					return nil, err
				}
				list = append(list, section)
			}
		}
	}
	together := make([]*score.Comparison, len(list))
	for i := range list {
		together[i] = &list[i].Comparison
	}
	score.Correct(together...)
	return list, nil
}
