package check

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
)

// call is a call of the model: how many messages and tokens it has untrimmed.
type call struct {
	messages, tokens int
	answered         bool
}

// budgetKept checks the events of trimming against the messages of the run.
func budgetKept(x *judge.Examination) judge.Result {
	budget, _, err := history.DecodeTrimming(x.Item.Case.Budget, []byte(`"none"`))
	if len(x.Item.Case.Budget) == 0 || err != nil || len(x.Out.Trace) == 0 {
		return judge.Skip()
	}
	calls, ok := callsOf(x, budget.Tokenizer)
	if !ok {
		return untold(x)
	}
	reported, exceeded := map[int]bool{}, map[int]bool{}
	for _, e := range slices.Backward(x.Out.Trace) { // the event of the excess follows the one of trimming
		if e.Event != spec.EventHistoryTrimmed && e.Event != spec.EventBudgetExceeded {
			continue
		}
		var t spec.Trimmed
		if json.Unmarshal(e.Data, &t) != nil {
			return judge.Skip()
		}
		at := slices.IndexFunc(calls, func(c call) bool { return c.tokens == t.Before })
		if t.Max != budget.MaxTokens || at < 0 || t.After > t.Before {
			return judge.Brokef("other", e.Step, "trace", "%s says %d tokens before and %d after, with a budget of "+
				"%d; the budget is %d", e.Event, t.Before, t.After, t.Max, budget.MaxTokens)
		}
		reported[t.Before] = true
		if e.Event == spec.EventBudgetExceeded {
			exceeded[t.Before] = true
			continue
		}
		if r := unsound(&t, e, calls[at], exceeded[t.Before]); r != nil {
			return *r
		}
	}
	for _, c := range calls {
		if c.answered && c.tokens > budget.MaxTokens && !reported[c.tokens] {
			return judge.Brokef("silent", "", "trace", "a call has %d tokens, the budget %d, and the trace has no "+
				"event for it", c.tokens, budget.MaxTokens)
		}
	}
	return judge.Held()
}

// unsound checks what an event says about the messages that the call leaves out or cuts; nil if it is right.
func unsound(t *spec.Trimmed, e harness.TraceItem, c call, exceeded bool) *judge.Result {
	broke := func(kind, format string, args ...any) *judge.Result {
		r := judge.Brokef(kind, e.Step, "trace", format, args...)
		return &r
	}
	gone := slices.Clone(t.Dropped)
	for _, cut := range t.Cut {
		gone = append(gone, cut.Index)
	}
	switch {
	case len(gone) == 0:
		return broke("none", "%s names no message", e.Event)
	case slices.Min(gone) < 0 || slices.Max(gone) >= c.messages:
		return broke("unknown", "%s names message %d; the call has %d", e.Event, slices.Max(gone), c.messages)
	case t.After > t.Max && !exceeded:
		return broke("over", "%d tokens are left, the budget is %d, and no event %s follows", t.After, t.Max,
			spec.EventBudgetExceeded)
	}
	return nil
}

// callsOf returns the calls of a run; ok is false if the outcome lacks its messages.
func callsOf(x *judge.Examination, tokenizer string) (calls []call, ok bool) {
	var messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	tok, err := tokens.New(tokenizer)
	if err != nil || json.Unmarshal(x.Out.Messages, &messages, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, false
	}
	sum := 0
	for i, m := range messages {
		sum += tok.Count(m.Content)
		switch m.Role {
		case "user":
			calls = append(calls, call{i + 1, sum, false})
		case "assistant":
			if len(calls) > 0 {
				calls[len(calls)-1].answered = true
			}
		}
	}
	return calls, true
}
