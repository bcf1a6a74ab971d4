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

// trim trims the conversation for a call. It returns the events that say what the
// model does not see and whether the call exceeds the budget nevertheless. With a
// refusal, no call can be made. The log keeps the whole conversation.
func (m *machine) trim(step string) (events []harness.TraceItem, refusal *harness.Refusal) {
	t := m.trimming
	if t == nil {
		return nil, nil
	}
	left, err := trim.Trim(t.policy, history.Count(m.log.messages, t.tok), t.max)
	if err != nil {
		return nil, harness.Refuse(harness.CannotFit, "%s", err)
	}
	event := func(name string) {
		events = append(events, harness.TraceItem{State: m.State, Event: name, Step: step, Data: data(&struct {
			Policy  string        `json:"policy"`
			Max     int           `json:"max_tokens"`
			Before  int           `json:"before"`
			After   int           `json:"after"`
			Dropped []int         `json:"dropped,omitempty"`
			Cut     []harness.Cut `json:"cut,omitempty"`
		}{t.policy.String(), t.max, left.Before, left.After, left.Dropped, left.Cut})})
	}
	if len(left.Dropped)+len(left.Cut) > 0 {
		event(spec.EventHistoryTrimmed)
	}
	if left.After > t.max {
		event(spec.EventBudgetExceeded)
	}
	return events, nil
}
