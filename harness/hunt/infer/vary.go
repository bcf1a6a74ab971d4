package infer

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// vary makes what few generated cases have out of plain cases: white space around texts, and started steps that
// depend on open ones.
func (s *search) vary() {
	s.varied = slices.Concat(s.reworded(func(text string) string { return " " + text + "\t" }), s.started())
}

// plain returns the first n plain cases.
func (s *search) plain(n int) (cases []harness.Case) {
	source := s.source(0, nil)
	for i := range uint64(generators.PlainCases) {
		c := source.At(s.seed, i).Case
		c.Profile = nil
		if s.askable(c) && len(cases) < n {
			cases = append(cases, c)
		}
	}
	return cases
}

// reworded returns plain cases with other texts in their replies. A string with a space is a text, and no id.
func (s *search) reworded(change func(text string) string) []harness.Case {
	cases := s.plain(2 * wanted)
	for i := range cases {
		c := &cases[i]
		c.Replies = slices.Clone(c.Replies)
		for j, r := range c.Replies {
			c.Replies[j] = harness.Reply(rewrite([]byte(r), func(_, text string) string {
				if !strings.Contains(text, " ") {
					return text
				}
				return change(text)
			}))
		}
	}
	return cases
}

// started returns plain cases in whose plans each of the dialect's other statuses replaces pending.
func (s *search) started() (cases []harness.Case) {
	var words []string
	source := s.source(0, nil)
	for i := range alone(source) {
		rewrite(source.At(s.seed, i).Case.Plan, func(name, text string) string {
			if name == "status" && !slices.Contains(words, text) {
				words = append(words, text)
			}
			return text
		})
	}
	for _, c := range s.plain(generators.PlainCases) {
		before := c.Plan
		for _, word := range words {
			c.Plan = rewrite(before, func(name, text string) string {
				if name == "status" && text == string(plan.Pending) {
					return word
				}
				return text
			})
			if s.answer(c, s.believed).Code != harness.InvalidPlan {
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// rewrite changes the strings in a document, which it gets with the names of their members. Other text than JSON stays.
func rewrite(raw []byte, change func(name, text string) string) []byte {
	var doc any
	if json.Unmarshal(raw, &doc) != nil {
		return raw
	}
	var walk func(name string, v any) any
	walk = func(name string, v any) any {
		switch v := v.(type) {
		case string:
			return change(name, v)
		case []any:
			for i := range v {
				v[i] = walk(name, v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(name, v[name])
			}
		}
		return v
	}
	text, err := json.Marshal(walk("", doc), json.Deterministic(true))
	if err != nil {
		return raw
	}
	return text
}
