package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/trim/history"
)

// Fate is what became of one message.
type Fate struct {
	Index  int          `json:"index"` // in the input
	Role   history.Role `json:"role"`
	Tag    string       `json:"tag,omitzero"`
	Before int          `json:"before"` // tokens
	After  int          `json:"after"`  // tokens; 0 for a dropped message
	Action Action       `json:"action"`
	By     string       `json:"by,omitzero"` // the step that dropped it or cut it last
}

// Action is what was done to a message.
type Action string

// The actions.
const (
	Kept       Action = "kept"
	WasCut     Action = "cut"
	WasDropped Action = "dropped"
)

// Result is a trimmed history and the report of what was kept, cut and lost.
type Result struct {
	Messages      []history.Message
	Before, After int   // tokens
	Dropped       []int // indices of the input, rising
	Cut           []harness.Cut
	Fates         []Fate // one for each message of the input
}

// CannotFit is the error of a policy that claims to fit where what it may not
// drop is too large.
type CannotFit struct {
	Max    int
	Needed int    // tokens of what must stay
	Large  []Fate // what must stay, largest first
}

func (e *CannotFit) Error() string {
	var parts []string
	for _, f := range e.Large[:min(3, len(e.Large))] {
		parts = append(parts, fmt.Sprintf("%s with %d", f.name(), f.Before))
	}
	if more := len(e.Large) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("what must stay takes %d tokens and max_tokens is %d: %s (raise max_tokens, or put clamp or section_caps before this step)",
		e.Needed, e.Max, strings.Join(parts, ", "))
}

// name names a message for people: "message 5 (tool, tool_result)".
func (f Fate) name() string {
	if f.Tag == "" {
		return fmt.Sprintf("message %d (%s)", f.Index, f.Role)
	}
	return fmt.Sprintf("message %d (%s, %s)", f.Index, f.Role, f.Tag)
}

// Trim applies a pipeline that [history.ParsePolicy] made. maxTokens is at
// least 1. The history is not changed. The only error is *CannotFit.
func Trim(p history.Policy, h *history.Counted, maxTokens int) (*Result, error) {
	w := newWork(h, maxTokens)
	for _, s := range p {
		w.step = s.String()
		if err := trim(s.Name)(w, s.Params); err != nil {
			return nil, err
		}
	}
	return w.result(h), nil
}

// trim returns what a built-in policy does.
func trim(step string) func(w *work, params []int) error {
	switch step {
	case "window":
		return window
	case "section_caps":
		return sectionCaps
	case "emergency":
		return emergency
	case "clamp":
		return clamp
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
	fates []Fate
}

// item is a message still there.
type item struct {
	history.Message
	index          int // in the input
	content, calls int // tokens
}

func (it *item) tokens() int { return it.content + it.calls }

func newWork(h *history.Counted, maxTokens int) *work {
	w := &work{
		items: make([]item, len(h.Messages)), fates: make([]Fate, len(h.Messages)),
		max: maxTokens, total: h.Total, cutter: cutter{h.Tokenizer},
	}
	for i, m := range h.Messages {
		content, calls := h.Parts(i)
		w.items[i] = item{Message: m, index: i, content: content, calls: calls}
		w.fates[i] = Fate{Index: i, Role: m.Role, Tag: m.Tag, Before: h.Tokens(i), After: h.Tokens(i), Action: Kept}
	}
	return w
}

// over reports whether the history takes more than a percentage of the budget.
func (w *work) over(percent int) bool {
	return int64(w.total)*100 > int64(percent)*int64(w.max)
}

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
		f.After, f.Action, f.By = 0, WasDropped, w.step
	}
	w.items = items
}

// shorten gives an item a shorter content.
func (w *work) shorten(it *item, content string) {
	w.total -= it.content
	it.Content, it.content = content, w.tok.Count(content)
	w.total += it.content
	f := &w.fates[it.index]
	f.After, f.Action, f.By = it.tokens(), WasCut, w.step
}

func (w *work) result(h *history.Counted) *Result {
	r := &Result{Before: h.Total, After: w.total, Fates: w.fates, Messages: make([]history.Message, len(w.items))}
	for i := range w.items {
		r.Messages[i] = w.items[i].Message
	}
	for _, f := range w.fates {
		switch f.Action {
		case WasDropped:
			r.Dropped = append(r.Dropped, f.Index)
		case WasCut:
			r.Cut = append(r.Cut, harness.Cut{Index: f.Index, Before: f.Before, After: f.After})
		}
	}
	return r
}

// cannotFit builds the error for the items that must stay.
func (w *work) cannotFit(keep []bool, needed int) error {
	e := &CannotFit{Max: w.max, Needed: needed}
	for i := range w.items {
		if keep[i] {
			f := w.fates[w.items[i].index]
			f.Before = w.items[i].tokens()
			e.Large = append(e.Large, f)
		}
	}
	slices.SortStableFunc(e.Large, func(a, b Fate) int { return b.Before - a.Before })
	return e
}

// IsCannotFit reports whether an error of [Trim] says that the history
// cannot fit, and returns it.
func IsCannotFit(err error) (*CannotFit, bool) {
	var e *CannotFit
	ok := errors.As(err, &e)
	return e, ok
}

// window keeps the system messages and the last n others.
func window(w *work, params []int) error {
	w.retain(w.lastOthers(params[0]))
	return nil
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
			w.capItem(it, w.share(params[0]), w.cutter.head)
		case isSystemPrompt(&it.Message):
			w.capItem(it, w.share(params[1]), w.cutter.head)
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
		w.capItem(&w.items[i], w.share(params[0]), w.cutter.middle)
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

// emergency keeps the system messages and the last few others once the budget
// is nearly used up. It does not look at what it drops.
func emergency(w *work, params []int) error {
	if w.over(params[0]) && len(w.items) > params[1] {
		w.retain(w.lastOthers(params[2]))
	}
	return nil
}
