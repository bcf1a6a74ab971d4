package rules

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
)

// Trim applies a pipeline that [history.ParsePolicy] made. maxTokens is at
// least 1. The history is not changed. The only error is *CannotFit.
func Trim(p history.Policy, h *history.Counted, maxTokens int) (*history.Result, error) {
	w := newWork(h, maxTokens)
	for _, s := range p {
		w.step = s.String()
		if err := trim(s.Name)(w, s.Params); err != nil {
			return nil, err
		}
	}
	return w.result(h), nil
}

// trim returns the implementation of a built-in policy.
func trim(step string) func(w *work, params []int) error {
	switch step {
	case "window":
		return func(w *work, params []int) error {
			w.retain(w.lastOthers(params[0]))
			return nil
		}
	case "section_caps":
		return sectionCaps
	case "emergency":
		return emergency
	case "clamp":
		return clamp
	case "dedup":
		return dedup
	case "priority":
		return priority
	case "pinned":
		return pinned
	}
	return func(*work, []int) error { return nil }
}

// work is a history in the making.
type work struct {
	items []item
	max   int
	total int
	cutter
	step  string
	fates []history.Fate
}

// item is a message still there.
type item struct {
	history.Message
	index          int // in the input
	content, calls int // tokens
}

func messagesOf(items []item) []history.Message {
	return collect.Map(items, func(x item) history.Message { return x.Message })
}

func (it *item) tokens() int { return it.content + it.calls }

func newWork(h *history.Counted, maxTokens int) *work {
	w := &work{
		items: make([]item, len(h.Messages)), fates: make([]history.Fate, len(h.Messages)),
		max: maxTokens, total: h.Total, cutter: cutter{h.Tokenizer},
	}
	for i, m := range h.Messages {
		content, calls := h.Parts(i)
		w.items[i] = item{Message: m, index: i, content: content, calls: calls}
		w.fates[i] = history.Fate{
			Index: i, Role: m.Role, Tag: m.Tag, Before: h.Tokens(i), After: h.Tokens(i),
			Action: history.Kept,
		}
	}
	return w
}

// over reports whether the history takes more than a percentage of the budget.
func (w *work) over(percent int) bool { return int64(w.total)*100 > int64(percent)*int64(w.max) }

// share is a percentage of the budget in whole tokens.
func (w *work) share(percent int) int { return int(int64(w.max) * int64(percent) / 100) }

// retain drops the items that keep does not name.
func (w *work) retain(keep []bool) {
	items := w.items[:0]
	for i, it := range w.items {
		if keep[i] {
			items = append(items, it)
			continue
		}
		w.total -= it.tokens()
		f := &w.fates[it.index]
		f.After, f.Action, f.By = 0, history.WasDropped, w.step
	}
	w.items = items
}

// shorten gives an item a shorter content.
func (w *work) shorten(it *item, content string) {
	w.total -= it.content
	it.Content, it.content = content, w.tok.Count(content)
	w.total += it.content
	f := &w.fates[it.index]
	f.After, f.Action, f.By = it.tokens(), history.WasCut, w.step
}

func (w *work) result(h *history.Counted) *history.Result {
	r := &history.Result{Before: h.Total, After: w.total, Fates: w.fates, Messages: make([]history.Message, len(w.items))}
	for i := range w.items {
		r.Messages[i] = w.items[i].Message
	}
	for _, f := range w.fates {
		switch f.Action {
		case history.WasDropped:
			r.Dropped = append(r.Dropped, f.Index)
		case history.WasCut:
			r.Cut = append(r.Cut, harness.Cut{Index: f.Index, Before: f.Before, After: f.After})
		}
	}
	return r
}

// cannotFit builds the error for the items that must stay.
func (w *work) cannotFit(keep []bool, needed int) error {
	e := &history.CannotFit{Max: w.max, Needed: needed}
	for i := range w.items {
		if keep[i] {
			f := w.fates[w.items[i].index]
			f.Before = w.items[i].tokens()
			e.Large = append(e.Large, f)
		}
	}
	slices.SortStableFunc(e.Large, func(a, b history.Fate) int { return b.Before - a.Before })
	return e
}

// lastOthers marks the system messages and the last n others.
func (w *work) lastOthers(n int) []bool {
	keep := make([]bool, len(w.items))
	for i := len(w.items) - 1; i >= 0; i-- {
		if w.items[i].Role == history.System {
			keep[i] = true
		} else if n > 0 {
			keep[i] = true
			n--
		}
	}
	return keep
}

// sectionCaps cuts repo maps and system prompts that exceed their share.
func sectionCaps(w *work, params []int) error {
	for i := range w.items {
		it := &w.items[i]
		switch {
		case it.Tag == history.TagRepoMap:
			w.capItem(it, w.share(params[0]), w.head)
		case isSystemPrompt(&it.Message):
			w.capItem(it, w.share(params[1]), w.head)
		}
	}
	return nil
}

// isSystemPrompt reports whether a message is the system prompt: tagged so, or
// a system message without a tag.
func isSystemPrompt(m *history.Message) bool {
	return m.Tag == history.TagSystemPrompt || m.Tag == "" && m.Role == history.System
}

// clamp cuts the middle out of messages that exceed their share.
func clamp(w *work, params []int) error {
	for i := range w.items {
		w.capItem(&w.items[i], w.share(params[0]), w.middle)
	}
	return nil
}

// capItem cuts a message's content so that the message costs at most limit
// tokens. Tool calls are never cut: half a call is no call.
func (w *work) capItem(it *item, limit int, cut func(text string, tokens, limit int) string) {
	if it.tokens() <= limit || it.Content == "" {
		return
	}
	w.shorten(it, cut(it.Content, it.content, max(0, limit-it.calls)))
}

// dedup replaces a message that repeats an earlier one by a reference to it, if the
// reference is shorter. Protected messages stay whole. Others may refer to them.
func dedup(w *work, _ []int) error {
	first := map[string]int{}
	for i, protected := range history.Protected(messagesOf(w.items)) {
		it := &w.items[i]
		if !it.Repeatable() {
			continue
		}
		index, repeated := first[it.Content]
		if !repeated {
			first[it.Content] = it.index
			continue
		}
		reference := fmt.Sprintf("[same as message %d]", index)
		if !protected && len(reference) < len(it.Content) && w.tok.Count(reference) < it.content {
			w.shorten(it, reference)
		}
	}
	return nil
}

// emergency keeps the system messages and the last few others once the budget
// is nearly used up. It does not look at what it drops.
func emergency(w *work, params []int) error {
	if w.over(params[0]) && len(w.items) > params[1] {
		w.retain(w.lastOthers(params[2]))
	}
	return nil
}
