package campaign

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// keeper says which smaller cases are still about the same thing: the rules answer
// them as they answered the case, refuse nothing in them that they did not refuse
// there, and every trait that is to blame is still in them.
func (h *hunt) keeper(sample generators.Sample, made func([]string, int) generators.Sample,
	start harness.Case,
) func(harness.Case) bool {
	right := h.answer(start)
	var there []func(c harness.Case, words map[string]bool) bool
	for i, name := range sample.Traits {
		without := made(slices.Concat(sample.Traits[:i], sample.Traits[i+1:]), 0)
		there = append(there, h.recogniser(name, sample.Case, without.Case))
	}
	_, unsound := all.Plan(start)
	return func(c harness.Case) bool {
		if _, err := all.Plan(c); err != nil && unsound == nil || len(c.Replies) == 0 && len(start.Replies) > 0 {
			return false
		}
		words := h.answer(c)
		for word := range words {
			if !right[word] && strings.HasPrefix(word, "code ") {
				return false
			}
		}
		if !words[verdict(right)] {
			return false
		}
		return !slices.ContainsFunc(there, func(seen func(harness.Case, map[string]bool) bool) bool {
			return !seen(c, words)
		})
	}
}

// verdict is the word of an answer that holds its verdict and code.
func verdict(words map[string]bool) string {
	for word := range words {
		if strings.HasPrefix(word, "answer ") {
			return word
		}
	}
	return ""
}

// answer puts what the rules give for a case into words: the verdict with its code,
// and each word of a closed list.
func (h *hunt) answer(c harness.Case) map[string]bool {
	words := map[string]bool{}
	if h.runner.Judging.Reference == nil {
		return words
	}
	if c.Profile == nil {
		p := h.judgement.Profile
		c.Profile = &p
	}
	out, err := h.runner.Judging.Reference.Eval(h.ctx, c)
	if err != nil {
		return words
	}
	words["answer "+string(out.Verdict)+" "+string(out.Code)] = true
	members := all.Members(h.runner.Dialect)
	for i := range members {
		if m := &members[i]; m.Words != nil && m.Closed.Terms != nil {
			for word := range m.Words(&out) {
				if word != "" {
					words[m.Closed.What+" "+word] = true
				}
			}
		}
	}
	return words
}

// recogniser reports whether a case has a trait: by the trait's own test, else by the words
// that the rules give only with it, else by what it wrote, to the byte.
func (h *hunt) recogniser(name string, with, without harness.Case) func(harness.Case, map[string]bool) bool {
	traits := all.Traits(h.runner.Dialect)
	if i := slices.IndexFunc(traits, func(t generators.Trait) bool { return t.Name == name }); i >= 0 &&
		traits[i].Seen != nil {
		return func(c harness.Case, _ map[string]bool) bool { return traits[i].Seen(c) }
	}
	var marks []string
	bare := h.answer(without)
	for word := range h.answer(with) {
		if !bare[word] {
			marks = append(marks, word)
		}
	}
	if len(marks) > 0 {
		return func(_ harness.Case, words map[string]bool) bool {
			return !slices.ContainsFunc(marks, func(m string) bool { return !words[m] })
		}
	}
	text, rest := texts(with), texts(without)
	own := make([]string, len(text))
	for i := range text {
		if i < len(rest) {
			own[i] = inserted(text[i], rest[i])
		}
	}
	return func(c harness.Case, _ map[string]bool) bool {
		texts := texts(c)
		for i, fragment := range own {
			if fragment != "" && (i >= len(texts) || !strings.Contains(texts[i], fragment)) {
				return false
			}
		}
		return true
	}
}

// texts lists the texts of a case: its documents and its replies.
func texts(c harness.Case) (list []string) {
	for _, value := range c.Documents() {
		list = append(list, string(value))
	}
	for _, r := range c.Replies {
		list = append(list, string(r))
	}
	return list
}

// inserted is what a text has that another lacks: between what both begin with and
// what both end with.
func inserted(with, without string) string {
	i := 0
	for i < len(with) && i < len(without) && with[i] == without[i] {
		i++
	}
	with, without = with[i:], without[i:]
	k := 0
	for k < len(with) && k < len(without) && with[len(with)-1-k] == without[len(without)-1-k] {
		k++
	}
	return with[:len(with)-k]
}
