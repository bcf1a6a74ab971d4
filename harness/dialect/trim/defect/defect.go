// Package defect lists the ways in which engines for the dialect trim are
// wrong.
package defect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// Defects lists the defects.
func Defects() []mutant.Defect { return slices.Concat(losses(), cuts(), lies(), limits(), repeats()) }

// trimmed is a history that the reference trimmed, to be trimmed wrongly. What
// is changed in out and kept, the outcome tells truthfully.
type trimmed struct {
	history.Request
	tok  tokens.Tokenizer
	out  []history.Message
	kept []int // the input's index of each message in out
}

// read returns the history of a case before any trimming.
func read(c harness.Case) (t *trimmed, ok bool) {
	req, err := history.DecodeCase(c)
	if err != nil {
		return nil, false
	}
	tok, err := tokens.New(req.Budget.Tokenizer)
	return &trimmed{Request: req, tok: tok}, err == nil
}

// spoil changes what the reference made of a history that can be trimmed.
func spoil(name, text string, change func(t *trimmed)) mutant.Defect {
	return mutant.AnswersTo(name, text, func(c harness.Case, o *harness.Outcome) {
		t, ok := read(c)
		if !ok || o.Verdict != harness.Applied {
			return
		}
		var err error
		if t.out, err = history.Decode(o.Messages); err != nil {
			return
		}
		for i := range t.Messages {
			if !slices.Contains(o.Dropped, i) {
				t.kept = append(t.kept, i)
			}
		}
		if len(t.kept) == len(t.out) { // the outcome reports the change
			change(t)
			*o = t.outcome()
		}
	})
}

// each changes the messages that the reference left. before is the content of a message in the input.
func each(name, text string, change func(m *history.Message, before string)) mutant.Defect {
	return spoil(name, text, func(t *trimmed) {
		for k, i := range t.kept {
			change(&t.out[k], t.Messages[i].Content)
		}
	})
}

// outcome reports the changes.
func (t *trimmed) outcome() harness.Outcome {
	in, out := history.Count(t.Messages, t.tok), history.Count(t.out, t.tok)
	o := harness.Outcome{
		Verdict: harness.Applied, Messages: history.Encode(t.out), Dropped: []int{}, Cut: []harness.Cut{},
		Tokens: &harness.TokenChange{Before: in.Total, After: out.Total},
	}
	for i := range t.Messages {
		k := slices.Index(t.kept, i)
		switch {
		case k < 0:
			o.Dropped = append(o.Dropped, i)
		case t.out[k].Content != t.Messages[i].Content:
			o.Cut = append(o.Cut, harness.Cut{Index: i, Before: in.Tokens(i), After: out.Tokens(k)})
		}
	}
	return o
}

// changed reports whether the reference dropped or cut anything.
func (t *trimmed) changed() bool { return len(t.kept) < len(t.Messages) || t.firstCut() >= 0 }

// firstCut is the first message in out that was cut, -1 without one.
func (t *trimmed) firstCut() int {
	return slices.IndexFunc(t.kept, func(i int) bool {
		return t.out[slices.Index(t.kept, i)].Content != t.Messages[i].Content
	})
}

// find is the first message in out for which is holds, -1 without one.
func (t *trimmed) find(is func(m history.Message) bool) int { return slices.IndexFunc(t.out, is) }

func (t *trimmed) drop(k int) {
	if k >= 0 {
		t.out, t.kept = slices.Delete(t.out, k, k+1), slices.Delete(t.kept, k, k+1)
	}
}

// dropping drops one more message where the reference had something to do.
func dropping(name, text string, which func(t *trimmed) int) mutant.Defect {
	return spoil(name, text, func(t *trimmed) {
		if t.changed() {
			t.drop(which(t))
		}
	})
}

func hasTag(tag string) func(history.Message) bool {
	return func(m history.Message) bool { return m.Tag == tag }
}

// losses are defects that lose protected messages.
func losses() []mutant.Defect {
	return []mutant.Defect{
		dropping("trim-drops-system", "drops system messages",
			func(t *trimmed) int { return t.find(func(m history.Message) bool { return m.Role == history.System }) }),
		dropping("trim-begins-on-orphan", "keeps a tool result, but drops its call",
			func(t *trimmed) int { return t.find(func(m history.Message) bool { return len(m.Calls) > 0 }) }).
			AtSize("a call and its result must stay while another message is dropped"),
		dropping("trim-splits-parallel-calls", "drops one of several results of parallel calls", func(t *trimmed) int {
			for k := 1; k < len(t.out); k++ {
				if len(t.out[k-1].Calls) > 1 && t.out[k].Role == history.Tool {
					return k
				}
			}
			return -1
		}).AtSize("it takes a call with two results"),
		dropping("trim-loses-last-user", "drops the last user message if it is the oldest kept message",
			func(t *trimmed) int {
				last := -1
				for k, m := range t.out {
					if m.Role == history.User {
						last = k
					}
				}
				return last
			}),
		dropping("trim-drops-constraints", "drops the replan constraints first",
			func(t *trimmed) int { return t.find(hasTag(history.TagConstraints)) }).
			AtSize("the constraints must stay while another message is dropped"),
		dropping("trim-begins-on-assistant", "drops the user message that the first assistant message answers",
			func(t *trimmed) int {
				first := t.find(func(m history.Message) bool { return m.Role != history.System })
				if first >= 0 && t.out[first].Role == history.User {
					return first
				}
				return -1
			}).AtSize("a message after the first exchange must be trimmed"),
		spoil("trim-cuts-plan", "cuts the plan", func(t *trimmed) {
			if k := t.find(hasTag(history.TagPlan)); k >= 0 && t.changed() {
				head, _, _ := strings.Cut(t.out[k].Content, "\n")
				t.out[k].Content = head
			}
		}).AtSize("the plan must stay while another message is dropped"),
	}
}

// cuts are defects that cut in wrong places or by a wrong amount.
func cuts() []mutant.Defect {
	return []mutant.Defect{
		cutting("trim-cuts-a-rune", "cuts texts at byte boundaries", func(before string, bytes int) string {
			return strings.ToValidUTF8(before[:bytes], "\ufffd")
		}),
		cutting("trim-cuts-a-grapheme", "cuts texts at code point boundaries", func(before string, bytes int) string {
			for bytes > 0 && !utf8.RuneStart(before[bytes]) {
				bytes--
			}
			return before[:bytes]
		}),
		each("trim-not-idempotent", "cuts a text again that already has its marker", func(m *history.Message, before string) {
			if i := strings.Index(m.Content, " tokens cut"); i >= 0 && m.Content == before {
				m.Content = m.Content[:i]
			}
		}),
		each("trim-ignores-tool-results", "never cuts tool results", func(m *history.Message, before string) {
			if m.Role == history.Tool {
				m.Content = before
			}
		}),
		each("trim-marker-not-counted", "adds its marker after the cut, and exceeds the limit",
			func(m *history.Message, before string) {
				if m.Content != before {
					m.Content += "\n(This text was cut to fit into the budget of the conversation.)"
				}
			}),
		each("trim-fills-empty-messages", "writes a note into messages without content",
			func(m *history.Message, _ string) { m.Content = cmp.Or(m.Content, "(no content)") }),
	}
}

// cutting cuts what the reference cuts in another way: to a number of bytes.
func cutting(name, text string, cut func(before string, bytes int) string) mutant.Defect {
	return each(name, text, func(m *history.Message, before string) {
		if n := len(m.Content) / 2; m.Content != before && n < len(before) {
			m.Content = cut(before, n)
		}
	})
}

// lies tell something else than what was done, or do it to other messages.
func lies() []mutant.Defect {
	return []mutant.Defect{
		spoil("trim-reorders", "swaps the last two messages", func(t *trimmed) {
			if n := len(t.out); n > 2 && t.changed() {
				t.out[n-1], t.out[n-2] = t.out[n-2], t.out[n-1]
			}
		}).AtSize("it swaps the last two of three messages"),
		spoil("trim-renumbers-calls", "gives tool calls new ids", func(t *trimmed) {
			for k := range t.out {
				if t.out[k].CallID != "" && t.changed() {
					t.out[k].CallID = fmt.Sprintf("call_%d", k)
				}
			}
		}).AtSize("a call and its result must stay while another message is dropped"),
		mutant.AnswersTo("trim-claims-to-fit", "reports that the history fits although it does not",
			func(c harness.Case, o *harness.Outcome) {
				if req, err := history.DecodeCase(c); err == nil && o.Tokens != nil {
					o.Tokens.After = min(o.Tokens.After, req.Budget.MaxTokens)
				}
			}),
		mutant.Answers("trim-indices-of-output", "reports dropped messages by output index", func(o *harness.Outcome) {
			for i := range o.Dropped {
				o.Dropped[i] -= i
			}
		}).AtSize("two messages must be dropped, and one must stay"),
		mutant.Answers("trim-hides-cuts", "does not report cut messages", func(o *harness.Outcome) {
			if o.Cut != nil {
				o.Cut = []harness.Cut{}
			}
		}),
	}
}

// limits hold the history against another limit than the history.
func limits() []mutant.Defect {
	return []mutant.Defect{
		recounted("trim-counts-bytes", "counts bytes as tokens", byteCounter{}, 1),
		recounted("trim-not-needed", "trims at 70 % of the budget", nil, 0.7),
		recounted("trim-over-budget", "exceeds the budget by up to 10 %",
			nil, 1.1).AtSize("the remaining history must exceed the budget by at most 10 %"),
		ruled("trim-acts-at-four", "applies the emergency rule from four messages instead of five",
			"messages", -1).AtSize("it takes a history of four messages"),
		ruled("trim-acts-at-95", "applies the emergency rule at exactly 95 % of the budget",
			"over", -1).AtSize("it takes a history of five messages"),
		mutant.Does("trim-goal-is-budget", "trims only to the budget, not to the policy's percentage",
			func(r mutant.Run) harness.Outcome {
				t, ok := read(r.Case)
				if ok && len(t.Policy) == 1 && t.Policy[0].Name == "priority" && r.Eval().Verdict == harness.Applied {
					all := r.Case
					all.Policy = []byte(`["priority"]`)
					if out := r.Of(all); out.Tokens != nil && out.Tokens.Before == out.Tokens.After {
						return out
					}
				}
				return r.Eval()
			}).AtSize("the remaining history must exceed the policy's percentage of the budget"),
		mutant.AnswersTo("trim-never-refuses", "returns a history over the budget instead of cannot_fit",
			func(c harness.Case, o *harness.Outcome) {
				t, ok := read(c)
				if !ok || o.Code != harness.CannotFit {
					return
				}
				t.out = t.Messages
				for i := range t.Messages {
					t.kept = append(t.kept, i)
				}
				*o = t.outcome()
			}),
		mutant.AnswersTo("trim-gives-up-early", "rejects every history of more than twice the budget",
			func(c harness.Case, o *harness.Outcome) {
				if req, err := history.DecodeCase(c); err == nil && o.Tokens != nil && req.Policy.Claims().Fits &&
					o.Tokens.Before > 2*req.Budget.MaxTokens {
					*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.CannotFit}
				}
			}),
	}
}

// repeats are wrong about what stands several times, in a history that is only to be
// rid of that.
func repeats() []mutant.Defect {
	only := func(name, text string, change func(t *trimmed)) mutant.Defect {
		return spoil(name, text, func(t *trimmed) {
			if len(t.Policy) == 1 && t.Policy[0].Name == "dedup" {
				change(t)
			}
		})
	}
	const why = "it takes a repeated text with its calls or questions"
	return []mutant.Defect{
		only("trim-keeps-repeats", "keeps repeated results and errors", func(t *trimmed) {
			for k, i := range t.kept {
				t.out[k].Content = t.Messages[i].Content
			}
		}).AtSize(why),
		only("trim-replaces-the-first", "also replaces the first of equal texts", func(t *trimmed) {
			for k := t.firstCut(); k >= 0 && k < len(t.out); k++ {
				for first := range k {
					if t.Messages[first].Content == t.Messages[k].Content && t.out[k].Content != t.Messages[k].Content {
						t.out[first].Content = t.out[k].Content
					}
				}
			}
		}).AtSize(why),
		only("trim-drops-repeats", "drops repeated results and errors", func(t *trimmed) {
			for k := t.firstCut(); k >= 0; k = t.firstCut() {
				t.drop(k)
			}
		}).AtSize(why),
		only("trim-replaces-chat", "replaces every repeated text, not only results and errors",
			func(t *trimmed) { t.refer(func(a, b string) bool { return a == b }) }).AtSize(why),
		only("trim-compares-beginnings", "treats texts with the same beginning as equal", func(t *trimmed) {
			t.refer(func(a, b string) bool { return len(a) > 40 && len(b) > 40 && a[:40] == b[:40] })
		}).AtSize(why),
	}
}

// refer replaces texts by a reference to an earlier one that is alike.
func (t *trimmed) refer(alike func(a, b string) bool) {
	for k := range t.out {
		for first := range k {
			if m := &t.out[k]; len(m.Content) > 40 && m.Role != history.System &&
				alike(t.Messages[first].Content, t.Messages[k].Content) {
				m.Content = fmt.Sprintf("[same as message %d]", first)
			}
		}
	}
}

// ruled trims by another threshold of the emergency rule.
func ruled(name, text, param string, more int) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		t, ok := read(r.Case)
		if !ok || len(t.Policy) != 1 || t.Policy[0].Name != "emergency" {
			return r.Eval()
		}
		place := slices.Index([]string{"over", "messages", "keep"}, param)
		step := history.Step{Name: "emergency", Params: slices.Clone(t.Policy[0].Params)}
		step.Params[place] += more
		r.Policy, _ = json.Marshal([]string{step.String()})
		return r.Eval()
	})
}

// recounted trims by another tokenizer (nil: the right one) to a share of the
// history.
func recounted(name, text string, tok tokens.Tokenizer, share float64) mutant.Defect {
	return mutant.AnswersTo(name, text, func(c harness.Case, o *harness.Outcome) {
		t, ok := read(c)
		if !ok {
			return
		}
		limit := max(1, int(share*float64(t.Budget.MaxTokens)))
		r, err := rules.Trim(t.Policy, history.Count(t.Messages, cmp.Or(tok, t.tok)), limit)
		if err != nil {
			*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.CannotFit}
			return
		}
		*o = rules.Outcome(r)
	})
}

type byteCounter struct{}

func (byteCounter) Name() string       { return "bytes" }
func (byteCounter) Count(s string) int { return len(s) }
