package defects

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/tokens"
)

// trimDefects lists the defects of engines for the dialect trim.
func trimDefects() []Defect {
	rows := slices.Concat(trimLosses(), trimCuts(), trimLies(), trimLimits())
	list := make([]Defect, len(rows))
	for i, r := range rows {
		list[i] = Defect{Dialect: "trim", Name: r.name, Text: r.text, Large: trimLarge()[r.name], New: func() harness.Engine { return trimEngine{r.name, r.flaw} }}
	}
	return list
}

// trimLarge says which defects need more than two messages to show.
func trimLarge() map[string]string {
	return map[string]string{
		"trim-begins-on-orphan":      "a call and its result must stay while something else goes",
		"trim-drops-constraints":     "the constraints must stay while something else goes",
		"trim-renumbers-calls":       "a call and its result must stay while something else goes",
		"trim-splits-parallel-calls": "the least that it can split is a call with two results",
		"trim-begins-on-assistant":   "something must be trimmed behind the first exchange",
		"trim-cuts-plan":             "the plan must stay while something else goes",
		"trim-reorders":              "it puts the last two of three messages the other way round",
		"trim-indices-of-output":     "two messages must go and one stay",
		"trim-over-budget":           "what is left must come to within a tenth above the budget",
	}
}

// trimRow is a defect in a table.
type trimRow struct {
	name, text string
	flaw       func(c harness.Case) harness.Outcome
}

// trimEngine is the reference for the dialect trim with a flaw.
type trimEngine struct {
	name string
	flaw func(c harness.Case) harness.Outcome
}

func (e trimEngine) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{
		Name: "defect:" + e.name, Version: harness.Version, Window: 1,
		Dialects: map[string]harness.Declaration{"trim": {
			Profile: harness.Reference(), Features: []string{harness.FeatureProfiles},
		}},
	}, nil
}

func (e trimEngine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Dialect != "trim" {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "the engine has no dialect " + c.Dialect}, nil
	}
	return e.flaw(c), nil
}

func (trimEngine) Close() error { return nil }

// rightTrim answers as the reference does.
func rightTrim(c harness.Case) harness.Outcome { return rules.Eval(c, harness.Reference()) }

// trimmed is a history that the reference trimmed, to be trimmed wrongly. What
// is changed in out and kept, the outcome tells truthfully.
type trimmed struct {
	history.Request
	tok  tokens.Tokenizer
	out  []history.Message
	kept []int // the input's index of each message in out
}

// spoil changes what the reference made of a history that can be trimmed.
func spoil(change func(t *trimmed)) func(harness.Case) harness.Outcome {
	return func(c harness.Case) harness.Outcome {
		o := rightTrim(c)
		req, err := history.DecodeCase(c)
		if err != nil || o.Verdict != harness.Applied {
			return o
		}
		return respoil(req, o, change)
	}
}

func respoil(req history.Request, o harness.Outcome, change func(t *trimmed)) harness.Outcome {
	tok, err := tokens.New(req.Budget.Tokenizer)
	if err != nil {
		return o
	}
	out, err := history.Decode(o.Messages)
	if err != nil {
		return o
	}
	t := &trimmed{Request: req, tok: tok, out: out}
	for i := range req.Messages {
		if !slices.Contains(o.Dropped, i) {
			t.kept = append(t.kept, i)
		}
	}
	change(t)
	return t.outcome()
}

// outcome tells what was done.
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
func (t *trimmed) changed() bool {
	return len(t.kept) < len(t.Messages) || t.firstCut() >= 0
}

// firstCut is the first message in out that was cut, -1 without one.
func (t *trimmed) firstCut() int {
	return slices.IndexFunc(t.kept, func(i int) bool { return t.out[slices.Index(t.kept, i)].Content != t.Messages[i].Content })
}

// find is the first message in out for which is holds, -1 without one.
func (t *trimmed) find(is func(m history.Message) bool) int { return slices.IndexFunc(t.out, is) }

func (t *trimmed) drop(k int) {
	if k >= 0 {
		t.out, t.kept = slices.Delete(t.out, k, k+1), slices.Delete(t.kept, k, k+1)
	}
}

// dropping drops one more message where the reference had something to do.
func dropping(which func(t *trimmed) int) func(harness.Case) harness.Outcome {
	return spoil(func(t *trimmed) {
		if t.changed() {
			t.drop(which(t))
		}
	})
}

func hasRole(r history.Role) func(history.Message) bool {
	return func(m history.Message) bool { return m.Role == r }
}

func hasTag(tag string) func(history.Message) bool {
	return func(m history.Message) bool { return m.Tag == tag }
}

func hasCalls(m history.Message) bool { return len(m.Calls) > 0 }

// trimLosses lose what must stay.
func trimLosses() []trimRow {
	return []trimRow{
		{"trim-drops-system", "counts the system message among those that may go", dropping(func(t *trimmed) int { return t.find(hasRole(history.System)) })},
		{"trim-begins-on-orphan", "keeps the last messages without the call that the first of them answers", dropping(func(t *trimmed) int { return t.find(hasCalls) })},
		{"trim-splits-parallel-calls", "drops one of several results of parallel calls", dropping(func(t *trimmed) int {
			for k := 1; k < len(t.out); k++ {
				if len(t.out[k-1].Calls) > 1 && t.out[k].Role == history.Tool {
					return k
				}
			}
			return -1
		})},
		{"trim-loses-last-user", "drops the last user message where it is the oldest of the kept", dropping(func(t *trimmed) int {
			last := -1
			for k, m := range t.out {
				if m.Role == history.User {
					last = k
				}
			}
			return last
		})},
		{"trim-drops-constraints", "drops the replan constraints first", dropping(func(t *trimmed) int { return t.find(hasTag(history.TagConstraints)) })},
		{"trim-begins-on-assistant", "drops the user message that the first assistant message answers", dropping(func(t *trimmed) int {
			first := t.find(func(m history.Message) bool { return m.Role != history.System })
			if first >= 0 && t.out[first].Role == history.User {
				return first
			}
			return -1
		})},
		{"trim-cuts-plan", "counts the plan among the texts that may be cut", spoil(func(t *trimmed) {
			if k := t.find(hasTag(history.TagPlan)); k >= 0 && t.changed() {
				head, _, _ := strings.Cut(t.out[k].Content, "\n")
				t.out[k].Content = head
			}
		})},
	}
}

// trimCuts cut in wrong places or wrongly much.
func trimCuts() []trimRow {
	return []trimRow{
		{"trim-cuts-a-rune", "cuts texts at a byte", cutting(func(before string, bytes int) string {
			return strings.ToValidUTF8(before[:bytes], "\ufffd")
		})},
		{"trim-cuts-a-grapheme", "cuts texts at a code point", cutting(func(before string, bytes int) string {
			for bytes > 0 && !utf8.RuneStart(before[bytes]) {
				bytes--
			}
			return before[:bytes]
		})},
		{"trim-not-idempotent", "cuts a text again that holds its own marker", spoil(func(t *trimmed) {
			for k := range t.out {
				if i := strings.Index(t.out[k].Content, " tokens cut"); i >= 0 && t.Messages[t.kept[k]].Content == t.out[k].Content {
					t.out[k].Content = t.out[k].Content[:i]
				}
			}
		})},
		{"trim-ignores-tool-results", "never cuts the result of a tool, however large", spoil(func(t *trimmed) {
			for k := range t.out {
				if t.out[k].Role == history.Tool {
					t.out[k].Content = t.Messages[t.kept[k]].Content
				}
			}
		})},
		{"trim-marker-not-counted", "adds its marker after it has cut to the limit", spoil(func(t *trimmed) {
			for k, i := range t.kept {
				if t.out[k].Content != t.Messages[i].Content {
					t.out[k].Content += "\n(This text was cut to fit into the budget of the conversation.)"
				}
			}
		})},
		{"trim-fills-empty-messages", "writes a note into messages without content", spoil(func(t *trimmed) {
			for k := range t.out {
				if t.out[k].Content == "" {
					t.out[k].Content = "(no content)"
				}
			}
		})},
	}
}

// cutting cuts what the reference cuts in another way: to a number of bytes.
func cutting(cut func(before string, bytes int) string) func(harness.Case) harness.Outcome {
	return spoil(func(t *trimmed) {
		for k, i := range t.kept {
			before, after := t.Messages[i].Content, t.out[k].Content
			if after != before {
				t.out[k].Content = cut(before, len(after)/2)
			}
		}
	})
}

// trimLies tell something else than what was done, or do it to other messages.
func trimLies() []trimRow {
	return []trimRow{
		{"trim-reorders", "puts the last message before the one before it", spoil(func(t *trimmed) {
			if n := len(t.out); n > 2 && t.changed() {
				t.out[n-1], t.out[n-2] = t.out[n-2], t.out[n-1]
			}
		})},
		{"trim-renumbers-calls", "gives tool calls new ids", spoil(func(t *trimmed) {
			for k := range t.out {
				if t.out[k].CallID != "" && t.changed() {
					t.out[k].CallID = fmt.Sprintf("call_%d", k)
				}
			}
		})},
		{"trim-claims-to-fit", "says that the history fits when it does not", func(c harness.Case) harness.Outcome {
			o := rightTrim(c)
			if req, err := history.DecodeCase(c); err == nil && o.Tokens != nil {
				o.Tokens.After = min(o.Tokens.After, req.Budget.MaxTokens)
			}
			return o
		}},
		{"trim-indices-of-output", "says which messages were dropped by their place among what is left", func(c harness.Case) harness.Outcome {
			o := rightTrim(c)
			for i := range o.Dropped {
				o.Dropped[i] -= i
			}
			return o
		}},
		{"trim-hides-cuts", "does not say what it cut", func(c harness.Case) harness.Outcome {
			o := rightTrim(c)
			if o.Cut != nil {
				o.Cut = []harness.Cut{}
			}
			return o
		}},
	}
}

// trimLimits hold the history against another limit than the budget.
func trimLimits() []trimRow {
	return []trimRow{
		{"trim-counts-bytes", "counts bytes for tokens", func(c harness.Case) harness.Outcome { return recounted(c, byteCounter{}, 1) }},
		{"trim-not-needed", "trims at 70 % of the budget", func(c harness.Case) harness.Outcome { return recounted(c, nil, 0.7) }},
		{"trim-over-budget", "allows a tenth more than the budget", func(c harness.Case) harness.Outcome { return recounted(c, nil, 1.1) }},
		{"trim-never-refuses", "sends what it has where it cannot fit", func(c harness.Case) harness.Outcome {
			o := rightTrim(c)
			req, err := history.DecodeCase(c)
			if err != nil || o.Code != harness.CannotFit {
				return o
			}
			tok, err := tokens.New(req.Budget.Tokenizer)
			if err != nil {
				return o
			}
			t := trimmed{Request: req, tok: tok, out: req.Messages}
			for i := range req.Messages {
				t.kept = append(t.kept, i)
			}
			return t.outcome()
		}},
		{"trim-gives-up-early", "refuses every history of more than twice the budget", func(c harness.Case) harness.Outcome {
			o := rightTrim(c)
			if req, err := history.DecodeCase(c); err == nil && o.Tokens != nil && req.Policy.Claims().Fits && o.Tokens.Before > 2*req.Budget.MaxTokens {
				return harness.Outcome{Verdict: harness.Rejected, Code: harness.CannotFit}
			}
			return o
		}},
	}
}

// recounted trims by another tokenizer (nil: the right one) to a share of the
// budget.
func recounted(c harness.Case, tok tokens.Tokenizer, share float64) harness.Outcome {
	o := rightTrim(c)
	req, err := history.DecodeCase(c)
	if err != nil {
		return o
	}
	if tok == nil {
		if tok, err = tokens.New(req.Budget.Tokenizer); err != nil {
			return o
		}
	}
	limit := max(1, int(share*float64(req.Budget.MaxTokens)))
	r, err := rules.Trim(req.Policy, history.Count(req.Messages, tok), limit)
	if err != nil {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.CannotFit}
	}
	return rules.Outcome(r)
}

type byteCounter struct{}

func (byteCounter) Name() string       { return "bytes" }
func (byteCounter) Count(s string) int { return len(s) }
