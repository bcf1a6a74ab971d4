package scenarios

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/strictjson"
)

// checkTrace checks a wanted trace: its items, or texts that stand for them.
func (p *parser) checkTrace(list *strictjson.Value, start int) error {
	if len(list.Items) == 0 || list.Items[0].Kind != strictjson.String {
		return p.checkItems(list, start, "state", "step", "event", "code", "data")
	}
	valid := harness.Names(slices.Concat(all.Words().Marks, all.Words().Events))
	for i := range list.Items {
		word, _, _ := strings.Cut(list.Items[i].Text, " ")
		event := strictjson.Member{Name: "event", Value: list.Items[i]}
		event.Value.Text = word
		if err := p.checkTerm(&event, start, valid); err != nil {
			return err
		}
	}
	return nil
}

// traceInShort turns the trace of an outcome into texts, where it is wanted as
// such: the state that was entered, or an event with its step and its code.
func traceInShort(want, got map[string]any) {
	wanted, _ := want["trace"].([]any)
	if len(wanted) == 0 {
		return
	}
	if _, ok := wanted[0].(string); !ok {
		return
	}
	trace, _ := got["trace"].([]any)
	texts := make([]any, len(trace))
	for i, item := range trace {
		object, _ := item.(map[string]any)
		word := func(name string) string { s, _ := object[name].(string); return s }
		texts[i] = inWords(harness.TraceItem{
			State: word("state"), Step: word("step"), Event: word("event"), Code: harness.Code(word("code")),
		})
	}
	got["trace"] = texts
}

// ShortTrace is a trace as want.json may have it in short: one text for each
// item, which is the state that was entered, or an event with its step and its
// code.
func ShortTrace(trace []harness.TraceItem) []string {
	texts := make([]string, len(trace))
	for i, item := range trace {
		texts[i] = inWords(item)
	}
	return texts
}

func inWords(item harness.TraceItem) string {
	if item.Event == words.EventEntered {
		return item.State
	}
	words := []string{item.Event, item.Step, string(item.Code)}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
