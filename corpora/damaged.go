package corpora

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

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
