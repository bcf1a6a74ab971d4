package check

import (
	_ "embed"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

//go:embed kinds.json
var kinds []byte

// WithKinds joins lists of checks and gives the checks the kinds in which they break. The table is a JSON object with
// a list of kinds for the names of checks. Checks of this package have theirs if they are not in it. WithKinds panics
// at a mistake, which is a bug.
func WithKinds(table []byte, lists ...[]judge.Check) []judge.Check {
	own := parsed(table)
	all := collect.Join(parsed(kinds), own)
	checks := slices.Concat(lists...)
	for i := range checks {
		if list, ok := all[checks[i].Name]; ok {
			checks[i].Kinds = list
		}
		delete(own, checks[i].Name)
	}
	for name := range own {
		panic("kinds of an unknown check: " + name)
	}
	return checks
}

func parsed(table []byte) (list map[string][]judge.Kind) {
	err := json.Unmarshal(table, &list, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true))
	if err != nil {
		panic("kinds of checks: " + err.Error())
	}
	return list
}
