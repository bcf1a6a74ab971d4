package campaign

import (
	"context"
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// Explaining returns the cause that explains a failing case from outside the campaign, such
// as a scenario; nil if none does. A cause explains the case if one of its groups breaks the
// same check in the same kind, with the same difference, or if its look-alike gives the
// engine's answer. given is nil if the engine failed with the status, and failed says with what
// failure, as [harness.Failure.Word]. The engine is not asked.
func (r *Result) Explaining(k harness.Case, given *harness.Outcome, status harness.Status, failed string) *cause.Cause {
	breaks, departs := r.judged(k, given, status, failed)
	best, most := -1, 0.0
	for i, p := range r.ByCause() {
		for _, g := range p.Groups {
			for _, b := range breaks {
				score := cause.Fits(&g, b, departs) * r.contains(k, g.Culprits)
				if b.Level != harness.JudgeSafety { // an invariant says more than a difference from the rules
					score *= ruleBreak
				}
				if score > most {
					best, most = i, score
				}
			}
		}
	}
	if best < 0 && given != nil {
		d := all.Find(r.Dialect)
		c := cause.Campaign{Dialect: d, Profile: r.Declared, Exact: r.Codes == harness.ExactCodes, Gives: r.Gives}
		best = slices.IndexFunc(r.Causes, func(x cause.Cause) bool { return c.Resembles(x.LooksLike, k, given) })
	}
	if best < 0 {
		return nil
	}
	return &r.Causes[best]
}

// judged returns what an answer to a case breaks, and how it differs from the right one.
func (r *Result) judged(k harness.Case, given *harness.Outcome, status harness.Status, failed string) (
	[]judge.Break, []string,
) {
	d := all.Find(r.Dialect)
	if given == nil {
		total := d.Judging.Checks[0].Name
		return []judge.Break{{Check: total, Kind: failed}, {Check: total, Kind: string(status)}}, nil
	}
	declared := d.Declare(r.Declared)
	declared.Codes, declared.Arguments, declared.Without = r.Codes, r.Arguments, r.Without
	if r.Gives != nil {
		declared.Gives = r.Gives
	}
	hello := harness.Hello{Dialects: map[string]harness.Declaration{r.Dialect: declared}}
	right := cause.RightEngine(d, declared)
	ctx := context.Background()
	result, err := judge.Given(ctx, hello, d.Judging, judge.Options{Reference: right}, judge.Item{Case: k}, *given,
		judge.Reference)
	if err != nil {
		return nil, nil
	}
	if k.Profile == nil {
		k.Profile = &result.Profile
	}
	want, err := right.Eval(ctx, k)
	if err != nil {
		return result.Breaks, nil
	}
	return result.Breaks, d.Members.Departs(k, &want, given)
}

// The weight of a cause whose traits a case does not have, or may not have, and of a break that rules could excuse.
const lacking, unsureOf, ruleBreak = 0.25, 0.5, 0.25

// contains says how far a case has some traits: 1 if it has all of them.
func (r *Result) contains(k harness.Case, culprits []string) float64 {
	score := 1.0
	for _, name := range culprits {
		traits := all.Traits(r.Dialect)
		i := slices.IndexFunc(traits, func(t generators.Trait) bool { return t.Name == name })
		switch {
		case i < 0 || traits[i].Seen == nil:
			score = min(score, unsureOf)
		case !traits[i].Seen(k):
			return lacking
		}
	}
	return score
}
