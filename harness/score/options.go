package score

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/history"
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
	// Each is called with every request in the order of the corpora, if it is
	// not nil. An error ends the run.
	Each func(Score) error
}

// Keys lists what groups can be made by. Beside them there are param.NAME and
// tag.NAME.
func Keys() []harness.Term {
	return []harness.Term{
		term("model", "the model"),
		term("prompt", "name of the prompt"),
		term("prompt_sha256", "hash of the prompt"),
		term("mode", "how decoding was bound: free, json_object, json_schema"),
		term("temperature", "and likewise top_p, max_tokens, seed"),
		term("top_p", "see temperature"),
		term("max_tokens", "see temperature"),
		term("seed", "see temperature"),
		term("run", "the recording that the reply is from"),
		term("case", "what was asked"),
		term("sample", "number of the repetition"),
		term("attempt", "1, 2, …: then retries are requests of their own"),
		term("finish_reason", "why the reply ended"),
		term("dialect", "the family of plan edits"),
		term("source", "recorded, synthetic or documented; always kept apart"),
		term("corpus", "the file"),
	}
}

// CheckKey refuses what is no key.
func CheckKey(key string) error {
	if name, ok := strings.CutPrefix(key, "param."); ok && name != "" {
		return nil
	}
	if name, ok := strings.CutPrefix(key, "tag."); ok && name != "" {
		return nil
	}
	names := harness.Names(Keys())
	if slices.Contains(names, key) {
		return nil
	}
	return fmt.Errorf("unknown key %q to group by (the keys are %s, param.NAME, tag.NAME)", key, strings.Join(names, ", "))
}

// keyOf returns a record's value for a key.
func keyOf(r *corpora.Record, key, corpus string) string {
	switch key {
	case "model":
		return r.Model
	case "prompt":
		return r.Prompt
	case "prompt_sha256":
		return r.PromptSHA256
	case "mode":
		return r.Mode()
	case "temperature", "top_p", "max_tokens", "seed":
		return r.Param(key)
	case "run":
		return r.Tag("run")
	case "case":
		return r.CaseKey()
	case "sample":
		return fmt.Sprint(r.Sample)
	case "attempt":
		return fmt.Sprint(r.Attempt)
	case "finish_reason":
		return r.FinishReason
	case "dialect":
		return r.Dialect
	case "source":
		return r.Source
	case "corpus":
		return corpus
	}
	if name, ok := strings.CutPrefix(key, "param."); ok {
		return r.Param(name)
	}
	return r.Tag(strings.TrimPrefix(key, "tag."))
}

// wants reports whether the record is among those asked for.
func (o *Options) wants(r *corpora.Record, corpus string) bool {
	for key, value := range o.Where {
		if keyOf(r, key, corpus) != value {
			return false
		}
	}
	return true
}

// group returns the record's values for the keys that groups are made by.
func (o *Options) group(r *corpora.Record, corpus string) []string {
	var values []string
	for _, key := range o.By {
		values = append(values, keyOf(r, key, corpus))
	}
	return values
}
