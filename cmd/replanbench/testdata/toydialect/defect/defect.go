// Package defect lists ways in which engines of the dialect are wrong.
package defect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// Defects lists them.
func Defects() []mutant.Defect {
	return []mutant.Defect{mutant.New("replaces-page", "puts the word in place of the page", mutant.By(replacesPage))}
}

func replacesPage(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	if out.Verdict == harness.Applied {
		page, err := json.Marshal(map[string][]string{"words": {string(c.Replies[0])}})
		if err != nil {
			panic(err) // texts marshal
		}
		out.More = map[string]jsontext.Value{"page": page}
	}
	return out
}
