package history

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/score/tokens"
)

// Role is who speaks.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Tags mark what a message carries. A history may use others too.
const (
	TagSystemPrompt = "system_prompt"
	TagRepoMap      = "repo_map"
	TagConstraints  = "replan_constraints"
	TagPlan         = "plan"
	TagToolResult   = "tool_result"
	TagError        = "error"
)

// KnownTag reports whether a tag is one of those above.
func KnownTag(tag string) bool {
	return slices.Contains([]string{TagSystemPrompt, TagRepoMap, TagConstraints, TagPlan, TagToolResult, TagError}, tag)
}

// Message is one entry of a chat history.
type Message struct {
	Role    Role
	Content string
	Calls   []Call // tool calls of an assistant
	CallID  string // the call that a tool message answers
	Tag     string // what the message carries; "" for plain chat
	// Extra is a JSON object with the members that this package has no field
	// for; nil if there are none. They are kept and never counted.
	Extra jsontext.Value
}

// Protected marks the messages that no careful policy may lose: system,
// constraints and plan, and the last user message.
func Protected(messages []Message) []bool {
	list, last := make([]bool, len(messages)), -1
	for i := range messages {
		m := &messages[i]
		list[i] = m.Role == System || m.Tag == TagConstraints || m.Tag == TagPlan
		if m.Role == User {
			last = i
		}
	}
	if last >= 0 {
		list[last] = true
	}
	return list
}

// Repeatable reports whether a history needs only one copy of the message: a tool's
// result, an error message, or a message of the user without a tag. An error without a
// tag comes from the user, and only its repetition shows it in every language.
func (m *Message) Repeatable() bool {
	return m.Role == Tool || m.Tag == TagError || m.Tag == "" && m.Role == User
}

// Call is a tool call: its id, and the compact JSON of the whole call.
type Call struct {
	ID  string
	Raw jsontext.Value
}

// CallsText is the compact JSON of the message's tool calls, "" without any.
func (m *Message) CallsText() string {
	if len(m.Calls) == 0 {
		return ""
	}
	var room [512]byte
	return string(m.appendCalls(room[:0]))
}

func (m *Message) appendCalls(b []byte) []byte {
	for i, c := range m.Calls {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, c.Raw...)
	}
	return append(b, ']')
}

// Tokens counts the tokens of the message's content, and of its tool calls.
func (m *Message) Tokens(tok tokens.Tokenizer) (content, calls int) {
	content = tok.Count(m.Content)
	if len(m.Calls) > 0 {
		calls = tok.Count(m.CallsText())
	}
	return content, calls
}

// Counted is a history with the tokens of every message, counted once.
type Counted struct {
	Messages  []Message
	Tokenizer tokens.Tokenizer
	Total     int

	content, calls []int // tokens by message
}

// Count counts every message of a history. The messages must not change
// afterwards.
func Count(messages []Message, tok tokens.Tokenizer) *Counted {
	sizes := make([]int, 2*len(messages))
	c := &Counted{Messages: messages, Tokenizer: tok, content: sizes[:len(messages)], calls: sizes[len(messages):]}
	for i := range messages {
		c.content[i], c.calls[i] = messages[i].Tokens(tok)
		c.Total += c.content[i] + c.calls[i]
	}
	return c
}

// Tokens returns the tokens of message i.
func (c *Counted) Tokens(i int) int { return c.content[i] + c.calls[i] }

// Parts returns the tokens of message i's content, and of its tool calls.
func (c *Counted) Parts(i int) (content, calls int) { return c.content[i], c.calls[i] }

// Utilisation is the share of max that the history takes: 1 is full.
func (c *Counted) Utilisation(max int) float64 { return float64(c.Total) / float64(max) }

// Section is the cost of all messages of one tag. Untagged messages form one section for
// each role.
type Section struct {
	Tag      string  `json:"tag"` // of untagged messages: (system), (user), …
	Messages int     `json:"messages"`
	Tokens   int     `json:"tokens"`
	Share    float64 `json:"share"` // of the history's tokens; 0 in a history of none
}

// Sections adds up the tokens by tag, in the order in which the tags first
// occur.
func (c *Counted) Sections() []Section {
	var list []Section
	at := map[string]int{}
	for i, m := range c.Messages {
		tag := cmp.Or(m.Tag, "("+string(m.Role)+")")
		j, ok := at[tag]
		if !ok {
			j = len(list)
			at[tag] = j
			list = append(list, Section{Tag: tag})
		}
		list[j].Messages++
		list[j].Tokens += c.Tokens(i)
	}
	for i := range list {
		list[i].Share = float64(list[i].Tokens) / float64(max(1, c.Total))
	}
	return list
}

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
