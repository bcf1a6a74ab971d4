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
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/plan"
)

// Options configure scoring.
type Options struct {
	By []string // keys of the groups; see Keys
	// Where selects the replies with these values of keys.
	Where   map[string]string
	Profile harness.Profile // the rules; its ladder decides which retries count
	Counter Counter         // nil: only the tokens that the endpoint reported
	Budget  int             // limit for the tokens of prompt and reply; 0: none
	// Policies trim recorded prompts to the budget. Tags recognize the sections of prompts.
	Policies []history.Policy
	// Trim applies them.
	Trim    history.Trimmer
	Tags    []history.TagRule
	Prices  Prices // nil: no costs
	Workers int    // 0: one per core
	// EveryCase keeps more than 4096 cases, for comparisons case by case. Memory then
	// grows with the cases.
	EveryCase bool
	// Shard selects the cases to score. All replies to a case belong to one shard, with
	// its retries and the calls of its session.
	Shard shard.Shard
	// Places maps the lines of a corpus that is already a shard to the lines of the whole
	// corpus; nil if the corpus is whole.
	Places []int
	// Each, if not nil, is called with every request and its first record, in the order
	// of the corpora. An error ends the run.
	Each func(Score, *corpora.Record) error

	cases map[string]bool // cases to score; nil: all
}

// key is a property of records that can define groups.
type key struct {
	name, text string
	of         func(r *corpora.Record, corpus string) string
}

// keys lists all keys except param.NAME and tag.NAME. Nothing writes it.
var keys = []key{
	{"model", "the model", func(r *corpora.Record, _ string) string { return r.Model }},
	{"prompt", "name of the prompt", func(r *corpora.Record, _ string) string { return r.Prompt }},
	{"prompt_sha256", "hash of the prompt", func(r *corpora.Record, _ string) string { return r.PromptSHA256 }},
	{
		"mode", "constraint on decoding: free, json_object, json_schema",
		func(r *corpora.Record, _ string) string { return r.Mode() },
	},
	{"temperature", "parameter of the request", param("temperature")},
	{"top_p", "parameter of the request", param("top_p")},
	{"max_tokens", "parameter of the request", param("max_tokens")},
	{"seed", "parameter of the request", param("seed")},
	{
		"policy", "policy that trimmed the prompt; empty if it was not trimmed",
		trimmed(func(t *corpora.Trim) string { return t.Policy }),
	},
	{
		"budget", "token budget of the trimmed prompt",
		trimmed(func(t *corpora.Trim) string { return strconv.Itoa(t.Budget) }),
	},
	{
		"overflow", "tokens of the untrimmed prompt in % of the budget: 0–100, 100–200, 200–400, 400–800, 800 and more",
		trimmed((*corpora.Trim).Class),
	},
	{"lost", "tags or roles of the messages that the policy dropped or cut", trimmed((*corpora.Trim).Name)},
	{"run", "recording of the reply", func(r *corpora.Record, _ string) string { return r.Tag("run") }},
	{"case", "id of the case", func(r *corpora.Record, _ string) string { return r.CaseKey() }},
	{"sample", "number of the repetition", func(r *corpora.Record, _ string) string { return strconv.Itoa(r.Sample) }},
	{
		"attempt", "1, 2, …; with this key each retry is a separate request",
		func(r *corpora.Record, _ string) string { return strconv.Itoa(r.Attempt) },
	},
	{"finish_reason", "why the reply ended", func(r *corpora.Record, _ string) string { return r.FinishReason }},
	{
		"length", "steps or items of the plan: 0, 1–3, 4–7, 8–15, 16–31, 32 or more",
		func(r *corpora.Record, _ string) string { return length(r.Plan) },
	},
	{"dialect", "the family of plan edits", func(r *corpora.Record, _ string) string { return r.Dialect }},
	{
		"source", "recorded, synthetic or documented; groups never mix them",
		func(r *corpora.Record, _ string) string { return r.Source },
	},
	{"corpus", "the file", func(_ *corpora.Record, corpus string) string { return corpus }},
}

// length returns the range of the number of steps of a plan, or "" without a plan.
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

// trimmed returns a key that is "" for records whose prompt was not trimmed.
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

// Keys lists the keys of groups, except param.NAME and tag.NAME.
func Keys() []harness.Term {
	return collect.Map(keys, func(k key) harness.Term { return term(k.name, k.text) })
}

// CheckKey returns an error for an unknown key.
func CheckKey(name string) error {
	group, rest, _ := strings.Cut(name, ".")
	if (group == "param" || group == "tag") && rest != "" {
		return nil
	}
	if names := harness.Names(Keys()); !slices.Contains(names, name) {
		return fmt.Errorf("unknown key %q%s (the keys are %s, param.NAME, tag.NAME)", name, harness.DidYouMean(name, names),
			strings.Join(names, ", "))
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

// promptKey is the key whose values are a name and a version: "replan@2". The name alone selects its
// version if the corpus has no other one.
const promptKey = "prompt"

// wants reports whether the options select the record.
func (o *Options) wants(r *corpora.Record, corpus string) bool {
	for key, value := range o.Where {
		has := keyOf(r, key, corpus)
		if name, _, _ := strings.Cut(has, "@"); has != value && (key != promptKey || name != value) {
			return false
		}
	}
	return o.cases == nil || o.cases[r.CaseKey()]
}

// group returns the record's values for the keys of the groups.
func (o *Options) group(r *corpora.Record, corpus string) []string {
	return collect.Map(o.By, func(key string) string { return keyOf(r, key, corpus) })
}
