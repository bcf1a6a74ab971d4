package score

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/shard"
)

// Prompts describes the recorded prompts of a group's calls, including retries.
type Prompts struct {
	Measured int               `json:"measured"` // calls
	Unread   int               `json:"unread"`   // calls whose messages could not be read
	Sections []history.Section `json:"sections"` // over all calls, largest first
	// Trimmed contains the results of the policies on these prompts.
	Trimmed []simulate.Tally `json:"trimmed,omitempty"`
}

// otherTags replaces tags that the program does not know, because their number is
// unbounded.
const otherTags = "(other tags)"

// meter counts the tokens of calls. It is for one goroutine.
type meter struct {
	options *Options       // without a counter it counts nothing
	prompts cache[*prompt] // by messages
}

// prompt is a measured prompt.
type prompt struct {
	tokens   int
	sections []history.Section
	trimmed  []simulate.Tally
}

func newMeter(o *Options) *meter { return &meter{options: o} }

// tokens returns the tokens of prompt and reply as the endpoint reported them, or else as
// counted; notCounted if both are unknown.
func (m *meter) tokens(r *corpora.Record) (prompt, reply int) {
	if r.Usage != nil {
		return r.Usage.PromptTokens, r.Usage.CompletionTokens
	}
	if m.options.Counter == nil {
		return notCounted, notCounted
	}
	prompt = notCounted
	if p := m.measure(r.Messages); p != nil {
		prompt = p.tokens
	}
	return prompt, m.options.Counter.Count(string(r.Reply))
}

// measure counts a prompt. It returns nil for missing or malformed messages.
func (m *meter) measure(messages jsontext.Value) *prompt {
	if m.options.Counter == nil || messages == nil {
		return nil
	}
	return m.prompts.get(messages, func() *prompt {
		list, err := history.Decode(messages)
		if err != nil {
			return nil
		}
		return m.count(list)
	})
}

func (m *meter) count(messages []history.Message) *prompt {
	history.ApplyTags(messages, m.options.Tags)
	h := history.Count(messages, tokenizer{m.options.Counter})
	p := &prompt{tokens: h.Total, sections: h.Sections()}
	if m.options.Policies != nil && m.options.Budget > 0 {
		sample := func(int) simulate.Sample { return simulate.Sample{History: h, MaxTokens: m.options.Budget} }
		p.trimmed = simulate.Run(context.Background(), m.options.Policies, 1, sample, simulate.Options{Trim: m.options.Trim})
	}
	return p
}

// tokenizer adapts a Counter to the interface of package history.
type tokenizer struct{ Counter }

func (tokenizer) Name() string { return "counter" }

// promptTally sums measured prompts.
type promptTally struct {
	Measured int                        `json:"measured"`
	Unread   int                        `json:"unread"`
	Sections map[string]history.Section `json:"sections"`
	Trimmed  []simulate.Tally           `json:"trimmed,omitempty" join:"place"`
}

func newPromptTally(policies []history.Policy) promptTally {
	t := promptTally{Sections: map[string]history.Section{}}
	for _, p := range policies {
		t.Trimmed = append(t.Trimmed, simulate.NewTally(p))
	}
	return t
}

// add counts the prompt of a call; p is nil for malformed messages.
func (t *promptTally) add(p *prompt) {
	if p == nil {
		t.Unread++
		return
	}
	t.Measured++
	for _, s := range p.sections {
		if s.Tag[0] != '(' && !history.KnownTag(s.Tag) {
			s.Tag = otherTags
		}
		sum := t.Sections[s.Tag]
		t.Sections[s.Tag] = history.Section{Tag: s.Tag, Messages: sum.Messages + s.Messages, Tokens: sum.Tokens + s.Tokens}
	}
	for i := range p.trimmed {
		shard.Join(&t.Trimmed[i], p.trimmed[i])
	}
}

// describe returns the sums, or nil without recorded prompts.
func (t *promptTally) describe() *Prompts {
	if t.Measured+t.Unread == 0 {
		return nil
	}
	p := &Prompts{Measured: t.Measured, Unread: t.Unread, Sections: []history.Section{}, Trimmed: t.Trimmed}
	total := 0
	for _, s := range t.Sections {
		total += s.Tokens
		p.Sections = append(p.Sections, s)
	}
	for i := range p.Sections {
		p.Sections[i].Share = float64(p.Sections[i].Tokens) / float64(max(1, total))
	}
	slices.SortFunc(p.Sections, func(a, b history.Section) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Tag, b.Tag))
	})
	return p
}
