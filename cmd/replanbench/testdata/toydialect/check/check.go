// Package check says what must hold.
package check

import (
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness/hunt/judge"
)

// Rules says how outcomes are judged.
func Rules() judge.Rules {
	grows := judge.Holds("page-grows", "the new page begins with the old one", pageGrows).
		Breaking(judge.Of(judge.Loss, "words"))
	return judge.Rules{
		Checks: slices.Concat(judge.Answers(), []judge.Check{grows, judge.Again()}, judge.Oracles()),
	}
}

func pageGrows(x *judge.Examination) judge.Result {
	var before, after struct{ Words []string }
	err := json.Unmarshal(x.Item.Case.Document("page"), &before)
	switch {
	case err != nil || json.Unmarshal(x.Out.More["page"], &after) != nil:
		return judge.Skip()
	case len(after.Words) < len(before.Words) || !slices.Equal(before.Words, after.Words[:len(before.Words)]):
		return judge.Broke("words", "", "page", "the new page does not begin with the old one")
	}
	return judge.Held()
}
