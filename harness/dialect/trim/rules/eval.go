// Package rules is the reference for the dialect trim: it trims chat histories
// to a token budget, by the policies that package history describes. [Trim]
// says of every message whether it was kept, cut or dropped and by which step.
//
// A tool result answers the latest call of its id that comes before it and has no result
// yet. The policies priority and pinned drop or keep a call together with its results. A
// message counts with its tool calls against a share of the budget.
//
// The package does not call models, does not summarise, and does not decide
// when a plan should be changed.
package rules

import (
	"errors"
	"fmt"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// Eval evaluates a case of the dialect trim. The profile has no knob for it.
func Eval(c harness.Case, _ harness.Profile) harness.Outcome {
	req, err := history.DecodeCase(c)
	if err != nil {
		var f *strictjson.Fault
		errors.As(err, &f)
		return harness.RefuseAt(f.Code, f.Pointer, "%s", f).Outcome()
	}
	tok, err := tokens.New(req.Budget.Tokenizer)
	if err != nil { // DecodeCase asked for it already
		return harness.Outcome{Verdict: harness.Unsupported, Message: err.Error()}
	}
	r, err := Trim(req.Policy, history.Count(req.Messages, tok), req.Budget.MaxTokens)
	if e, ok := history.IsCannotFit(err); ok {
		r := harness.Refuse(harness.CannotFit, "%s", e)
		if len(e.Large) > 0 {
			r.At = new(fmt.Sprintf("/%d", e.Large[0].Index))
		}
		return r.Outcome()
	}
	return Outcome(r)
}

// Needs lists what an engine must have for a case: the policies of its pipeline, and
// that it checks the document that breaks the rules, if one does.
func Needs(c harness.Case) (list []string) {
	req, err := history.DecodeCase(c)
	if err != nil {
		var f *strictjson.Fault
		errors.As(err, &f)
		return []string{f.Document}
	}
	for _, s := range req.Policy {
		list = append(list, s.Name)
	}
	return list
}

// Outcome is the result as an engine gives it.
func Outcome(r *history.Result) harness.Outcome {
	return harness.Outcome{
		Verdict:  harness.Applied,
		Messages: history.Encode(r.Messages),
		Tokens:   &harness.TokenChange{Before: r.Before, After: r.After},
		Dropped:  append([]int{}, r.Dropped...),
		Cut:      append([]harness.Cut{}, r.Cut...),
	}
}
