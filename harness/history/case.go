// Package history has the data of trimming: chat histories and their tokens,
// budgets, and policies with their thresholds and claims. It trims nothing. Package
// rules trims, package check judges the result, and this package is all that they
// share.
//
// # Tokens
//
// The tokens of a message are the tokens of its content and of the compact JSON of its
// tool calls, counted separately. Nothing is added per message. Each message is
// counted once ([Count]), and everything that trims or compares uses these counts.
//
// # The dialect trim
//
// A case of the dialect ([DecodeCase]) has
//
//   - messages: a list of {role, content, tool_calls?, tool_call_id?, tag?}.
//     role is system (developer is read as system), user, assistant or tool;
//     content is a string, null, or a list of {"type":"text","text":…}, which are
//     joined. A tool call needs an id, a tool message a tool_call_id. Other members
//     are kept and not counted.
//   - budget: {"max_tokens":32768,"tokenizer":"o200k_base"}. The default tokenizer
//     is o200k_base.
//   - policy: a pipeline of steps with their thresholds ([ParsePolicy],
//     [Policies]): a list of steps, each "clamp(25)" or
//     {"name":"clamp","percent":25}, or one string with bars:
//     "section_caps|emergency|clamp(25)".
//
// The policy dedup looks at tool results, error messages and untagged messages of the
// user ([Message.Repeatable]). Of messages with equal content the first stays, and
// each later one becomes the text "[same as message 3]", with the index of the first
// in the input, if this takes fewer tokens. An engine may use other words, with at
// most 16 tokens. Nothing is dropped, and protected messages ([Protected]) stay whole.
//
// The outcome has messages in the same form, tokens {before, after}, dropped (indices
// of the input's messages, ascending) and cut ({index, before, after} with the
// message's tokens, ascending). If a policy that claims to fit cannot fit, the code is
// cannot_fit, the message names the parts that are too large, and at points to the largest one
// in messages.
package history

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/score/tokens"
)

// MaxTokens bounds max_tokens, so that percentages of it can be computed.
const MaxTokens = 1 << 40

// Budget is how many tokens a history may have, and who counts them.
type Budget struct {
	MaxTokens int
	Tokenizer string // a name that [tokens.New] knows
}

// Request is the decoded content of a case of the dialect trim.
type Request struct {
	Messages []Message
	Budget   Budget
	Policy   Policy
}

// DecodeCase reads messages, budget and policy of a case; the package comment
// describes their forms. The error is a *strictjson.Fault.
func DecodeCase(c harness.Case) (Request, error) {
	var req Request
	var err error
	if req.Messages, err = Decode(c.Messages); err != nil {
		return Request{}, err
	}
	if req.Budget, req.Policy, err = DecodeTrimming(c.Budget, c.Policy); err != nil {
		return Request{}, err
	}
	return req, nil
}

// DecodeTrimming reads the documents budget and policy of a case. The error is a
// *strictjson.Fault.
func DecodeTrimming(budget, policy []byte) (Budget, Policy, error) {
	b, err := decodeBudget(budget)
	if err != nil {
		return Budget{}, nil, err
	}
	p, err := decodePolicy(policy)
	return b, p, err
}

func decodeBudget(data []byte) (Budget, error) {
	var b Budget
	r, root, err := newReader("budget", data)
	defer r.Parser.Release()
	if err != nil || !r.Is(root, strictjson.Object, path{}, "a budget") {
		return b, r.err()
	}
	r.Known(root, path{}, "a budget", "max_tokens", "tokenizer")
	b.MaxTokens = r.integer(root, path{}, "max_tokens")
	b.Tokenizer, _ = r.Text(root, path{}, "tokenizer", false)
	if b.MaxTokens < 1 || b.MaxTokens > MaxTokens {
		r.Fail(harness.BadLimit, path{}.Member("max_tokens"), "max_tokens is %d, and must be 1 to %d", b.MaxTokens, MaxTokens)
	}
	if b.Tokenizer == "" {
		b.Tokenizer = tokens.O200kBase
	}
	if _, err := tokens.New(b.Tokenizer); err != nil {
		r.Fail(harness.BadType, path{}.Member("tokenizer"), "%s", err)
	}
	return b, r.err()
}

func (r *reader) integer(v *strictjson.Value, at path, name string) (n int) {
	m := v.Get(name)
	if m == nil {
		r.Fail(harness.MissingField, at, "the member %q is missing", name)
		return n
	}
	n, err := strconv.Atoi(m.Text)
	if m.Kind != strictjson.Number || err != nil {
		r.Fail(harness.BadType, at.Member(name), "%s must be a whole number", name)
	}
	return n
}

func decodePolicy(data []byte) (Policy, error) {
	r, root, err := newReader("policy", data)
	defer r.Parser.Release()
	if err != nil {
		return nil, err
	}
	var policy Policy
	switch root.Kind {
	case strictjson.String:
		policy = r.pipeline(root, path{})
	case strictjson.Array:
		if len(root.Items) > maxSteps {
			r.Fail(harness.BadType, path{}, "a policy has at most %d steps", maxSteps)
			break
		}
		for i := range root.Items {
			policy = append(policy, r.step(&root.Items[i], path{}.Item(i))...)
		}
	default:
		r.Fail(harness.BadType, path{}, "a policy must be a list of steps or a string, not %s", root.Kind)
	}
	return policy, r.err()
}

func (r *reader) pipeline(v *strictjson.Value, at path) Policy {
	policy, err := ParsePolicy(v.Text)
	if err != nil {
		r.Fail(harness.BadType, at, "%s", err)
	}
	return policy
}

// step reads "clamp(25)" or {"name":"clamp","percent":25}.
func (r *reader) step(v *strictjson.Value, at path) Policy {
	if v.Kind == strictjson.String {
		return r.pipeline(v, at)
	}
	if !r.Is(v, strictjson.Object, at, "a step") {
		return nil
	}
	name, _ := r.Text(v, at, "name", true)
	d, ok := define(name)
	if !ok {
		r.Fail(harness.BadType, at.Member("name"), "%s", unknownPolicy(name))
		return nil
	}
	s := Step{name, d.defaults()}
	for _, m := range v.Members {
		if m.Name == "name" {
			continue
		}
		var n int
		code := harness.ExtraField
		if d.has(m.Name) {
			code, n = harness.BadLimit, r.integer(v, at, m.Name)
		}
		if err := d.set(s.Params, m.Name, n); err != nil {
			r.Fail(code, at.Member(m.Name), "%s", err)
		}
	}
	return Policy{s}
}

// Fate is what became of one message.
type Fate struct {
	Index  int    `json:"index"` // in the input
	Role   Role   `json:"role"`
	Tag    string `json:"tag,omitzero"`
	Before int    `json:"before"` // tokens
	After  int    `json:"after"`  // tokens; 0 for a dropped message
	Action Action `json:"action"`
	By     string `json:"by,omitzero"` // the step that dropped it or cut it last
}

// Action is what was done to a message.
type Action string

// The actions.
const (
	Kept       Action = "kept"
	WasCut     Action = "cut"
	WasDropped Action = "dropped"
)

// Result is a trimmed history and the report of what was kept, cut and lost.
type Result struct {
	Messages      []Message
	Before, After int   // tokens
	Dropped       []int // indices of the input, rising
	Cut           []harness.Cut
	Fates         []Fate // one for each message of the input
}

// CannotFit is the error of a policy that claims to fit where what it may not
// drop is too large.
type CannotFit struct {
	Max    int
	Needed int    // tokens of what must stay
	Large  []Fate // what must stay, largest first
}

func (e *CannotFit) Error() string {
	var parts []string
	for _, f := range e.Large[:min(3, len(e.Large))] {
		parts = append(parts, fmt.Sprintf("%s with %d", f.where(), f.Before))
	}
	if more := len(e.Large) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("what must stay takes %d tokens and max_tokens is %d: %s (raise max_tokens, or put clamp or "+
		"section_caps before this step)",
		e.Needed, e.Max, strings.Join(parts, ", "))
}

// where names a message for people: "message 5 (tool, tool_result)".
func (f Fate) where() string {
	if f.Tag == "" {
		return fmt.Sprintf("message %d (%s)", f.Index, f.Role)
	}
	return fmt.Sprintf("message %d (%s, %s)", f.Index, f.Role, f.Tag)
}

// IsCannotFit reports whether an error of [Trim] says that the history
// cannot fit, and returns it.
func IsCannotFit(err error) (*CannotFit, bool) {
	var e *CannotFit
	ok := errors.As(err, &e)
	return e, ok
}

// Trimmer applies the steps of a policy to a history. maxTokens is at least 1. The
// history is not changed. The only error is *CannotFit.
type Trimmer func(p Policy, h *Counted, maxTokens int) (*Result, error)
