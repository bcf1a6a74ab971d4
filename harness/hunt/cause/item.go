package cause

import (
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/hunt/judge"
)

// Salt is the salt of a case of a campaign: what the sampled checks do goes by it.
func Salt(seed, index uint64) uint64 { return seed*0x9e3779b97f4a7c15 + index }

// ItemOf turns a sample into an item for a judge; the salt chooses the sampled checks.
func ItemOf(s generators.Sample, salt uint64) judge.Item {
	it := judge.Item{Case: s.Case, Before: s.Before, Decoded: s.Decoded, Needs: s.Needs, Salt: salt, Traits: len(s.Traits)}
	if !s.Want.Loose {
		w := s.Want
		it.Label = &judge.Label{Verdict: w.Verdict, Codes: w.Codes, At: w.At, Rung: w.Rung, More: w.More}
	}
	return it
}

// CodesAlone returns the codes that the rules give for each of some traits of an index by
// itself: with several, any of them is right. ask evaluates a case by the rules. It
// returns nil for fewer than two traits, and for cases of another source.
func CodesAlone(source *generators.Source, seed, index uint64, traits []string,
	ask func(harness.Case) harness.Code,
) func() []harness.Code {
	if source == nil || len(traits) < 2 {
		return nil
	}
	return func() (codes []harness.Code) {
		for _, t := range traits {
			if code := ask(source.Keeping(seed, index, []string{t}).Case); code != "" {
				codes = append(codes, code)
			}
		}
		return codes
	}
}
