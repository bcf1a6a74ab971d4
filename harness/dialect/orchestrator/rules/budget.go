package rules

import (
	"errors"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	trim "replanbench/harness/dialect/trim/rules"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// trimming says how the conversation is trimmed before each call of the model.
type trimming struct {
	policy history.Policy
	max    int // tokens
	tok    tokens.Tokenizer
}

// newTrimming reads budget and policy of a case; nil for a case without a budget.
func newTrimming(c harness.Case) (*trimming, *harness.Refusal) {
	given := func(document []byte) bool { return len(document) > 0 && string(document) != "null" }
	switch {
	case !given(c.Budget) && !given(c.Policy):
		return nil, nil
	case !given(c.Budget):
		return nil, harness.RefuseAt(harness.MissingField, "/budget", "a policy needs a budget")
	}
	policy := []byte(c.Policy)
	if !given(policy) {
		policy = []byte(`"` + spec.DefaultTrimming + `"`)
	}
	budget, steps, err := history.DecodeTrimming(c.Budget, policy)
	if fault := (*strictjson.Fault)(nil); errors.As(err, &fault) {
		return nil, harness.RefuseAt(fault.Code, "/"+fault.Document+fault.Pointer, "%s", fault)
	}
	tok, err := tokens.New(budget.Tokenizer)
	if err != nil { // DecodeTrimming checked the name
		return nil, harness.RefuseAt(harness.BadType, "/budget/tokenizer", "%s", err)
	}
	return &trimming{steps, budget.MaxTokens, tok}, nil
}

// fits trims the conversation for a call. It queues the events that say what the
// model does not see and whether the call exceeds the budget nevertheless. It ends the run and
// reports false if no call can be made. The log keeps the whole conversation.
func (m *machine) fits(step string) bool {
	t := m.trimming
	if t == nil {
		return true
	}
	left, err := trim.Trim(t.policy, history.Count(m.log.messages, t.tok), t.max)
	if err != nil {
		m.fail(harness.CannotFit, err.Error())
		return false
	}
	event := func(name string) {
		m.happened(harness.TraceItem{Event: name, Step: step, Data: strictjson.Encode(&spec.Trimmed{
			Policy: t.policy.String(), Max: t.max, Before: left.Before, After: left.After, Dropped: left.Dropped, Cut: left.Cut,
		})})
	}
	if len(left.Dropped)+len(left.Cut) > 0 {
		event(spec.EventHistoryTrimmed)
	}
	if left.After > t.max {
		event(spec.EventBudgetExceeded)
	}
	return true
}
