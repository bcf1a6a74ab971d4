// Package rules is the reference of the dialect.
package rules

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// NotAWord is the code of a reply that is not one word.
const NotAWord harness.Code = "not_a_word"

// Page is the document of the dialect, in cases and in outcomes.
type Page struct {
	Words []string `json:"words"`
}

// Eval appends the word to the page.
func Eval(c harness.Case, _ harness.Profile) harness.Outcome {
	var page Page
	if err := json.Unmarshal(c.Document("page"), &page, json.RejectUnknownMembers(true)); err != nil {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.InvalidPlan, Message: err.Error()}
	}
	var words []string
	if len(c.Replies) > 0 {
		words = strings.Fields(string(c.Replies[0]))
	}
	if len(words) != 1 {
		return harness.Outcome{Verdict: harness.Rejected, Code: NotAWord, Message: "the reply is not one word"}
	}
	page.Words = append(page.Words, words[0])
	data, err := json.Marshal(page)
	if err != nil {
		panic(err) // texts marshal
	}
	return harness.Outcome{Verdict: harness.Applied, More: map[string]jsontext.Value{"page": data}}
}
