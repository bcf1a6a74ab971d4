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
	return []mutant.Defect{mutant.Does("replaces-page", "puts the word in place of the page", replacesPage)}
}

func replacesPage(r mutant.Run) harness.Outcome {
	out := r.Eval()
	if out.Verdict == harness.Applied {
		page, err := json.Marshal(map[string][]string{"words": {string(r.Replies[0])}})
		if err != nil {
			panic(err) // texts marshal
		}
		out.More = map[string]jsontext.Value{"page": page}
	}
	return out
}
