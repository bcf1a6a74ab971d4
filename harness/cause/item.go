package cause

import (
	"replanbench/generators"
	"replanbench/harness/judge"
)

// ItemOf turns a sample into what is judged; the salt chooses the sampled checks.
func ItemOf(s generators.Sample, salt uint64) judge.Item {
	it := judge.Item{Case: s.Case, Before: s.Before, Salt: salt, Traits: len(s.Traits)}
	if !s.Want.Loose {
		it.Label = &judge.Label{Verdict: s.Want.Verdict, Codes: s.Want.Codes, Plan: s.Want.Plan, Tier: s.Want.Tier, Rung: s.Want.Rung, More: s.Want.More}
	}
	return it
}
