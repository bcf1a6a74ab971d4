package corpora

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json"

	"replanbench/harness"
)

// Validator checks more than reading does: replies are unique, and retries name an earlier
// reply. It needs about 100 bytes of memory per record.
type Validator struct {
	Records, WithoutPlan, Problems int
	Failed                         int // records of requests without a reply

	keys map[[16]byte]string // id by key
	ids  map[[16]byte]bool
}

// Check yields the problems of a corpus. It ends with an error if it cannot open the corpus.
func (v *Validator) Check(s Source) iter.Seq2[*Problem, error] {
	if v.keys == nil {
		v.keys, v.ids = map[[16]byte]string{}, map[[16]byte]bool{}
	}
	return func(yield func(*Problem, error) bool) {
		for batch, err := range s.Batches() {
			if err != nil {
				yield(nil, err)
				return
			}
			for e := range batch.Entries(nil) {
				p := e.Problem
				if p == nil {
					p = v.record(s.Name, &e)
				}
				if p == nil {
					continue
				}
				v.Problems++
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func (v *Validator) record(source string, e *Entry) *Problem {
	r := &e.Record
	if r.Failure != nil { // the reply may yet come, under the same id and key
		v.Failed++
		return nil
	}
	v.Records++
	if r.Plan == nil {
		v.WithoutPlan++
	}
	id, key := digest(r.ID), digest(r.Key())
	twin, again := v.keys[key]
	known := v.ids[digest(r.RetryOf)]
	used := v.ids[id]
	v.keys[key], v.ids[id] = r.ID, true
	problem := func(format string, args ...any) *Problem {
		return &Problem{Source: source, Line: e.Line, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case used:
		return problem("duplicate id %q", r.ID)
	case again:
		return problem("%q has model, prompt, params, case, sample and attempt of %q (give repeated replies different "+
			"samples)", r.ID, twin)
	case r.RetryOf != "" && !known:
		return problem("%q is a retry of %q, which must come before it", r.ID, r.RetryOf)
	}
	return nil
}

func digest(s string) [16]byte {
	sum := sha256.Sum256([]byte(s))
	return [16]byte(sum[:16])
}

// Stats summarizes corpora.
type Stats struct {
	Records      int                       `json:"records"`
	Cases        int                       `json:"cases"`
	Bad          int                       `json:"bad"`    // skipped lines
	Failed       int                       `json:"failed"` // requests without a reply
	ReplyBytes   int                       `json:"reply_bytes"`
	PromptTokens int                       `json:"prompt_tokens"` // as the endpoints reported
	ReplyTokens  int                       `json:"reply_tokens"`
	Counts       map[string]map[string]int `json:"counts"` // by kind and value

	cases map[[16]byte]bool
}

// Add counts the records of a corpus.
func (s *Stats) Add(source Source) error {
	if s.Counts == nil {
		s.Counts, s.cases = map[string]map[string]int{}, map[[16]byte]bool{}
	}
	for r, err := range source.Records() {
		if p := (*Problem)(nil); errors.As(err, &p) {
			s.Bad++
			continue
		}
		if err != nil {
			return err
		}
		s.record(&r)
	}
	s.Cases = len(s.cases)
	return nil
}

func (s *Stats) record(r *Record) {
	if r.Failure != nil {
		s.Failed++
		s.count("failure", r.Failure.Class)
		return
	}
	s.Records++
	s.cases[digest(r.CaseKey())] = true
	s.ReplyBytes += len(r.Reply)
	if r.Usage != nil {
		s.PromptTokens += r.Usage.PromptTokens
		s.ReplyTokens += r.Usage.CompletionTokens
	}
	plan := "with a plan"
	if r.Plan == nil {
		plan = "without a plan"
	}
	for kind, value := range map[string]string{
		"dialect": r.Dialect, "source": r.Source, "model": r.Model, "prompt": r.Prompt, "mode": r.Mode(), "plan": plan,
		"finish_reason": r.FinishReason, "attempt": fmt.Sprint(r.Attempt), "run": r.Tag("run"),
	} {
		s.count(kind, value)
	}
}

func (s *Stats) count(kind, value string) {
	if s.Counts[kind] == nil {
		s.Counts[kind] = map[string]int{}
	}
	s.Counts[kind][value]++
}

// String summarizes the result in a line.
func (v *Validator) String() string {
	failed := ""
	if v.Failed > 0 {
		failed = fmt.Sprintf("; %s without a reply", english.Plural(v.Failed, "request", ""))
	}
	return fmt.Sprintf("%s, %d without a plan%s; %s", english.Plural(v.Records, "record", ""), v.WithoutPlan, failed,
		english.Plural(v.Problems, "problem", ""))
}

// Collect counts the records of corpora.
func Collect(sources []Source) (*Stats, error) {
	var s Stats
	for _, source := range sources {
		if err := s.Add(source); err != nil {
			return nil, harness.Mistaken(err)
		}
	}
	return &s, nil
}

// String returns the counts of records, bytes and tokens, in lines.
func (s *Stats) String() string {
	text := fmt.Sprintf("%s of %s, %s", english.Plural(s.Records, "record", ""), english.Plural(s.Cases, "case", ""),
		english.Plural(s.Bad, "bad line", ""))
	if s.Failed > 0 {
		text += fmt.Sprintf("\n%s without a reply", english.Plural(s.Failed, "request", ""))
	}
	return text + fmt.Sprintf("\n%d bytes of replies; tokens as reported: %d of prompts, %d of replies", s.ReplyBytes,
		s.PromptTokens, s.ReplyTokens)
}

// Text writes the counts as a list. fit escapes values for the terminal.
func (s *Stats) Text(w io.Writer, fit func(string) string) {
	fmt.Fprintln(w, s)
	for _, kind := range slices.Sorted(maps.Keys(s.Counts)) {
		for _, value := range slices.Sorted(maps.Keys(s.Counts[kind])) {
			fmt.Fprintf(w, "  %-14s %7d  %s\n", kind, s.Counts[kind][value], fit(cmp.Or(value, "–")))
		}
	}
}

// damagedTemplates are the hashes of the built-in templates that escaped the plan as
// Markdown, such as step\_2 for the id step_2.
var damagedTemplates = []string{
	"a8fcd6a99910fa5cabd976baa2ab00e61da3d383d115b240437939522b003c1e", // replan@1
	"acb28b79e77a525715a0f1d1d2b12e3e1114deded5633cccd1d1ce96040941fc", // replan.zh@1
	"97a1815d5551e6b52beba92cd1de0fa3c5046de61ad9d9c1b44c41c9bd43cba1", // replan.hardened@1
	"d6e138823cee5fda48bf90bda57debd951b9e4dd94137eb7bb91afda99589ce7", // replan.hardened.zh@1
	"20773bf00a66c09cc6c663bdfcf7b1c9ae1b27d0346f6b1e22167aea98b43728", // plan_update@1
	"6d1a7383c671eede8752c0e7fd8b290cd71ec8d52c009e432714435ce9763d12", // plan_update.zh@1
}

// Damaged reports whether the prompt showed ids or tools of the plan with added
// backslashes. It recognizes built-in templates by hash, and other prompts by their
// messages, if the record has them.
func (r *Record) Damaged() bool {
	if slices.Contains(damagedTemplates, r.PromptSHA256) {
		return true
	}
	if !bytes.Contains(r.Messages, []byte(`\\`)) {
		return false
	}
	var plan struct {
		Steps []struct {
			ID    string   `json:"id"`
			Tools []string `json:"tools_expected"`
		} `json:"steps"`
	}
	var messages []struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(r.Plan, &plan) != nil || json.Unmarshal(r.Messages, &messages) != nil {
		return false
	}
	for _, s := range plan.Steps {
		id, tools := escapeMarkdown(s.ID), escapeMarkdown(strings.Join(s.Tools, ", "))
		for _, m := range messages {
			if id != s.ID && strings.Contains(m.Content, "**"+id+"** ") ||
				strings.Contains(tools, `\`) && strings.Contains(m.Content, "tools "+tools+")") {
				return true
			}
		}
	}
	return false
}

// escapeMarkdown escapes text like the damaged prompts.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~&@:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// DamagedPrompt counts the replies to one damaged prompt, see [Record.Damaged].
type DamagedPrompt struct {
	Prompt  string `json:"prompt"`
	Replies int    `json:"replies"`
	Example string `json:"example"` // the smallest id of the records
}

// AddDamaged adds counts to a list that is sorted by prompt.
func AddDamaged(list []DamagedPrompt, more ...DamagedPrompt) []DamagedPrompt {
	for _, d := range more {
		at, ok := slices.BinarySearchFunc(list, d.Prompt,
			func(a DamagedPrompt, prompt string) int { return cmp.Compare(a.Prompt, prompt) })
		if !ok {
			list = slices.Insert(list, at, d)
			continue
		}
		list[at].Replies += d.Replies
		list[at].Example = min(list[at].Example, d.Example)
	}
	return list
}
