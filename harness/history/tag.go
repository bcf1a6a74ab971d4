package history

import (
	"fmt"
	"regexp"
	"strings"
)

// TagRule tags the untagged messages whose content matches, so that histories
// from endpoints, which know no tags, can be looked at by section.
type TagRule struct {
	Tag     string
	pattern *regexp.Regexp
}

// ParseTagRule reads TAG=REGEXP, such as replan_constraints=^Replan rules.
func ParseTagRule(s string) (TagRule, error) {
	tag, pattern, ok := strings.Cut(s, "=")
	if !ok || tag == "" || pattern == "" {
		return TagRule{}, fmt.Errorf("tag rule %q: write TAG=REGEXP, such as %s=^Replan rules", s, TagConstraints)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return TagRule{}, fmt.Errorf("tag rule %q: %w", s, err)
	}
	return TagRule{tag, re}, nil
}

// ApplyTags tags messages in place: each untagged one by the first rule that
// its content matches.
func ApplyTags(messages []Message, rules []TagRule) {
	for i := range messages {
		m := &messages[i]
		for _, r := range rules {
			if m.Tag == "" && r.pattern.MatchString(m.Content) {
				m.Tag = r.Tag
			}
		}
	}
}
