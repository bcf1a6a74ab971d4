// Package rules is the reference of the dialect.
package rules

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// NotAWord is the code of a reply that is not one word.
const NotAWord harness.Code = "not_a_word"

// Eval appends the word to the title.
func Eval(c harness.Case, _ harness.Profile) harness.Outcome {
	p, err := plan.Decode(c.Plan)
	if err != nil {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.InvalidPlan, Message: err.Error()}
	}
	var words []string
	if len(c.Replies) > 0 {
		words = strings.Fields(string(c.Replies[0]))
	}
	if len(words) != 1 {
		return harness.Outcome{Verdict: harness.Rejected, Code: NotAWord, Message: "the reply is not one word"}
	}
	p.Title += " " + words[0]
	return harness.Outcome{Verdict: harness.Applied, Plan: p}
}
