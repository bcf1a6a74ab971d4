// Package check says what must hold of every outcome of the dialect todos, whatever
// the profile.
package check

import (
	"slices"

	"replanbench/harness/check"
	"replanbench/harness/dialect/todos/words"
	"replanbench/harness/judge"
)

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	shared := slices.DeleteFunc(check.Plans(), func(c judge.Check) bool { return c.Name != check.Atomic && c.Name != check.WithinLimit })
	return judge.Rules{
		Checks: slices.Concat(judge.Answers(), shared, []judge.Check{judge.Again(), check.Growth()}, judge.Oracles()),
		Plan:   words.Before,
	}
}
