package check

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
)

// resultsBounded checks that the messages show only the head and the tail of a result that is too long.
func resultsBounded(x *judge.Examination) judge.Result {
	limit := x.Item.Case.Limits.MaxToolResultChars
	if limit == nil || *limit < 1 {
		return judge.Skip()
	}
	tools := items(x, x.Item.Case.Tools)
	calls, r := 0, judge.Skip()
	for _, e := range x.Out.Trace {
		if e.Event != spec.EventToolCalled || calls == len(tools) {
			continue
		}
		output := tools[calls].Get("output")
		calls++
		all := []rune(output.Str())
		if len(all) <= *limit || shown(otherTexts(x), all) > 0 {
			continue
		}
		messages := x.Parsed(x.Out.Messages)
		if messages == nil {
			return untold(x)
		}
		r = judge.Held()
		for _, m := range messages.Items {
			content := m.Get("content")
			if content == nil || content.Kind != strictjson.String {
				continue
			}
			switch n := shown(content.Text, all); {
			case n > *limit:
				return judge.Brokef("over", e.Step, "messages",
					"the messages show %d characters of a tool's result; %d are allowed", n, *limit)
			case n >= least && strings.ContainsRune(content.Text, utf8.RuneError) &&
				!strings.ContainsRune(output.Text, utf8.RuneError):
				return judge.Broke("cut", e.Step, "messages", "the messages cut a tool's result within a character")
			}
		}
	}
	return r
}

// otherTexts returns all other texts that a model gets: a result with the same text cannot be checked.
func otherTexts(x *judge.Examination) string {
	texts := []string{string(x.Item.Case.Plan)}
	for _, r := range x.Item.Case.Replies {
		texts = append(texts, string(r))
	}
	return strings.Join(texts, "\n")
}

// untold is the result of a check of messages where there are none.
func untold(x *judge.Examination) judge.Result {
	if x.Gives("messages") {
		return judge.Skip()
	}
	return judge.Unseen()
}

// least is how many characters in common are no chance.
const least = 16

// shown counts the characters of the longest head of a text, and of the longest tail after it, that another contains.
func shown(in string, all []rune) int {
	head := longest(len(all), func(n int) bool { return strings.Contains(in, string(all[:n])) })
	begin := string(all[:head])
	in = in[strings.Index(in, begin)+len(begin):]
	tail := longest(len(all)-head, func(n int) bool { return strings.Contains(in, string(all[len(all)-n:])) })
	return head + tail
}

// longest is the greatest n up to most for which it holds, or 0 if that is too few to mean anything.
func longest(most int, holds func(n int) bool) int {
	if most < least || !holds(least) {
		return 0
	}
	return least + sort.Search(most-least, func(n int) bool { return !holds(least + n + 1) })
}

// call is a call of the model: how many messages and tokens it has untrimmed.
type call struct {
	messages, tokens int
	answered         bool
}

// budgetKept checks the events of trimming against the messages of the run.
func budgetKept(x *judge.Examination) judge.Result {
	if len(x.Item.Case.Budget) == 0 || len(x.Out.Trace) == 0 {
		return judge.Skip()
	}
	budget, _, err := history.DecodeTrimming(x.Item.Case.Budget, []byte(`"none"`))
	if err != nil {
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
		if r := unsound(&t, e, calls[at], exceeded[t.Before]); r.Broken != nil {
			return r
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

// unsound checks what an event says about the messages that the call leaves out or cuts.
func unsound(t *spec.Trimmed, e harness.TraceItem, c call, exceeded bool) judge.Result {
	gone := slices.Concat(t.Dropped, collect.Map(t.Cut, func(cut harness.Cut) int { return cut.Index }))
	switch {
	case len(gone) == 0:
		return judge.Brokef("none", e.Step, "trace", "%s names no message", e.Event)
	case slices.Min(gone) < 0 || slices.Max(gone) >= c.messages:
		return judge.Brokef("unknown", e.Step, "trace", "%s names message %d; the call has %d", e.Event, slices.Max(gone),
			c.messages)
	case t.After > t.Max && !exceeded:
		return judge.Brokef("over", e.Step, "trace", "%d tokens are left, the budget is %d, and no event %s follows", t.After,
			t.Max, spec.EventBudgetExceeded)
	}
	return judge.Held()
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
