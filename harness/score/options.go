package score

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/plan"
	"replanbench/harness/shard"
)

// Options say how a corpus is scored.
type Options struct {
	By []string // what groups are made by; see Keys
	// Where leaves out the replies that have other values of these keys.
	Where   map[string]string
	Profile harness.Profile // the rules; its ladder decides what a retry may do
	Counter Counter         // nil: tokens only where the endpoint reported them
	Budget  int             // tokens that prompt and reply may have together; 0: not asked
	// Policies say what to try on recorded prompts that must fit into the
	// budget, and Tags by what their sections are known.
	Policies []history.Policy
	// Trim applies them.
	Trim    history.Trimmer
	Tags    []history.TagRule
	Prices  Prices // nil: no costs
	Workers int    // 0: as many as there are cores
	// EveryCase keeps more than 4096 cases apart, so that the result can be
	// compared case by case; memory then grows with the cases.
	EveryCase bool
	// Shard is the part of the cases to score: all replies to a case, its retries and the
	// calls of its session among them, are of one shard.
	Shard shard.Shard
	// Places are those of the lines of the one corpus in that of the whole run, which this
	// is a shard of already; nil where the corpus is whole.
	Places []int
	// Each is called with every request and its first record in the order of the corpora, if it is
	// not nil. An error ends the run.
	Each func(Score, *corpora.Record) error

	cases map[string]bool // those that are scored; nil is all
}

// key is what groups can be made by.
type key struct {
	name, text string
	of         func(r *corpora.Record, corpus string) string
}

// keys is never written.
var keys = []key{
	{"model", "the model", func(r *corpora.Record, _ string) string { return r.Model }},
	{"prompt", "name of the prompt", func(r *corpora.Record, _ string) string { return r.Prompt }},
	{"prompt_sha256", "hash of the prompt", func(r *corpora.Record, _ string) string { return r.PromptSHA256 }},
	{"mode", "how decoding was bound: free, json_object, json_schema", func(r *corpora.Record, _ string) string { return r.Mode() }},
	{"temperature", "and likewise top_p, max_tokens, seed", param("temperature")},
	{"top_p", "see temperature", param("top_p")},
	{"max_tokens", "see temperature", param("max_tokens")},
	{"seed", "see temperature", param("seed")},
	{"policy", "the policy that trimmed the prompt; empty where it was sent whole", trimmed(func(t *corpora.Trim) string { return t.Policy })},
	{"budget", "the tokens that the prompt was trimmed to", trimmed(func(t *corpora.Trim) string { return strconv.Itoa(t.Budget) })},
	{"overflow", "tokens of the whole prompt in % of that budget: 0–100, 100–200, 200–400, 400–800, 800 and more", trimmed((*corpora.Trim).Class)},
	{"lost", "what the policy dropped or cut: tags or roles of messages", trimmed((*corpora.Trim).Name)},
	{"run", "the recording that the reply is from", func(r *corpora.Record, _ string) string { return r.Tag("run") }},
	{"case", "what was asked", func(r *corpora.Record, _ string) string { return r.CaseKey() }},
	{"sample", "number of the repetition", func(r *corpora.Record, _ string) string { return strconv.Itoa(r.Sample) }},
	{"attempt", "1, 2, …: then retries are requests of their own", func(r *corpora.Record, _ string) string { return strconv.Itoa(r.Attempt) }},
	{"finish_reason", "why the reply ended", func(r *corpora.Record, _ string) string { return r.FinishReason }},
	{"length", "steps or items of the plan: 0, 1–3, 4–7, 8–15, 16–31, 32 or more", func(r *corpora.Record, _ string) string { return length(r.Plan) }},
	{"dialect", "the family of plan edits", func(r *corpora.Record, _ string) string { return r.Dialect }},
	{"source", "recorded, synthetic or documented; always kept apart", func(r *corpora.Record, _ string) string { return r.Source }},
	{"corpus", "the file", func(_ *corpora.Record, corpus string) string { return corpus }},
}

// length says within which bounds the number of steps of a plan is; "" of none.
func length(doc jsontext.Value) string {
	var p plan.Plan
	if doc == nil || json.Unmarshal(doc, &p) != nil {
		return ""
	}
	n, from := len(p.Steps), 32
	if n >= from {
		return "32 or more"
	}
	for from > 1 && n < from {
		from /= 2
	}
	switch {
	case n == 0:
		return "0"
	case n < 4:
		return "1–3"
	}
	return fmt.Sprintf("%d–%d", from, 2*from-1)
}

// trimmed reads a value of records whose prompt was trimmed, and "" of others.
func trimmed(of func(*corpora.Trim) string) func(*corpora.Record, string) string {
	return func(r *corpora.Record, _ string) string {
		if r.Trim == nil {
			return ""
		}
		return of(r.Trim)
	}
}

func param(name string) func(*corpora.Record, string) string {
	return func(r *corpora.Record, _ string) string { return r.Param(name) }
}

// Keys lists what groups can be made by. Beside them there are param.NAME and
// tag.NAME.
func Keys() []harness.Term {
	var terms []harness.Term
	for _, k := range keys {
		terms = append(terms, term(k.name, k.text))
	}
	return terms
}

// CheckKey refuses what is no key.
func CheckKey(name string) error {
	group, rest, _ := strings.Cut(name, ".")
	if (group == "param" || group == "tag") && rest != "" {
		return nil
	}
	if names := harness.Names(Keys()); !slices.Contains(names, name) {
		return fmt.Errorf("unknown key %q%s (the keys are %s, param.NAME, tag.NAME)", name, harness.DidYouMean(name, names), strings.Join(names, ", "))
	}
	return nil
}

// keyOf returns a record's value for a key.
func keyOf(r *corpora.Record, name, corpus string) string {
	for _, k := range keys {
		if k.name == name {
			return k.of(r, corpus)
		}
	}
	if name, ok := strings.CutPrefix(name, "param."); ok {
		return r.Param(name)
	}
	return r.Tag(strings.TrimPrefix(name, "tag."))
}

// wants reports whether the record is among those asked for.
func (o *Options) wants(r *corpora.Record, corpus string) bool {
	for key, value := range o.Where {
		if keyOf(r, key, corpus) != value {
			return false
		}
	}
	return o.cases == nil || o.cases[r.CaseKey()]
}

// group returns the record's values for the keys that groups are made by.
func (o *Options) group(r *corpora.Record, corpus string) []string {
	var values []string
	for _, key := range o.By {
		values = append(values, keyOf(r, key, corpus))
	}
	return values
}
