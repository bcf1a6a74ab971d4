// Package history is the data of trimming: chat histories and their
// tokens, budgets, and policies with their thresholds and claims. It trims
// nothing: package rules does, and package check judges what is left. Both read
// a case with this package, and share nothing else.
//
// # Tokens
//
// A message costs the tokens of its content plus those of the compact JSON of
// its tool calls, counted apart; nothing is added per message. Each message is
// counted once ([Count]); whatever trims or compares works on those counts.
//
// # The dialect trim
//
// A case of the dialect ([DecodeCase]) holds
//
//   - messages: a list of {role, content, tool_calls?, tool_call_id?, tag?}.
//     role is system (developer is read as system), user, assistant or tool;
//     content is a string, null, or a list of {"type":"text","text":…}, which
//     are joined. A tool call needs an id, a tool message a tool_call_id. Other
//     members travel along uncounted.
//   - budget: {"max_tokens":32768,"tokenizer":"o200k_base"}. The tokenizer may
//     be absent and is then o200k_base.
//   - policy: a pipeline of steps with their thresholds ([ParsePolicy],
//     [Policies]): a list of steps, each "clamp(25)" or
//     {"name":"clamp","percent":25}, or one string with bars:
//     "section_caps|emergency|clamp(25)".
//
// The outcome holds messages in the same form, tokens {before, after}, dropped
// (indices of the input's messages, rising) and cut ({index, before, after}
// with the message's tokens, rising). Where a policy that claims to fit cannot,
// the code is cannot_fit, the message names what is too large, and at points to
// the largest of it in messages.
package history

import (
	"strconv"

	"replanbench/harness"
	"replanbench/harness/strictjson"
	"replanbench/harness/tokens"
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
// describes their forms. The error is an *InputError.
func DecodeCase(c harness.Case) (Request, error) {
	var req Request
	var err error
	if req.Messages, err = Decode(c.Messages); err != nil {
		return Request{}, err
	}
	if req.Budget, err = decodeBudget(c.Budget); err != nil {
		return Request{}, err
	}
	if req.Policy, err = decodePolicy(c.Policy); err != nil {
		return Request{}, err
	}
	return req, nil
}

func decodeBudget(data []byte) (Budget, error) {
	r, root, err := newReader("budget", data)
	if err != nil {
		return Budget{}, err
	}
	if root.Kind != strictjson.Object {
		r.fail(root, "", harness.BadType, `a budget is an object such as {"max_tokens":32768}, not %s`, root.Kind)
		return Budget{}, r.err
	}
	for i := range root.Members {
		if m := &root.Members[i]; m.Name != "max_tokens" && m.Name != "tokenizer" {
			r.fail(&m.Value, "/"+strictjson.Escape(m.Name), harness.ExtraField, "a budget has max_tokens and tokenizer, no %q", m.Name)
		}
	}
	b := Budget{MaxTokens: r.integer(root, "", "max_tokens"), Tokenizer: r.text(root, "", "tokenizer", false)}
	if r.err == nil && (b.MaxTokens < 1 || b.MaxTokens > MaxTokens) {
		r.fail(root.Get("max_tokens"), "/max_tokens", harness.BadLimit, "max_tokens is %d, and must be 1 to %d", b.MaxTokens, MaxTokens)
	}
	if b.Tokenizer == "" {
		b.Tokenizer = tokens.O200kBase
	}
	if _, err := tokens.New(b.Tokenizer); err != nil && r.err == nil {
		r.fail(root.Get("tokenizer"), "/tokenizer", harness.BadType, "%s", err)
	}
	if r.err != nil {
		return Budget{}, r.err
	}
	return b, nil
}

func (r *reader) integer(v *strictjson.Value, at, name string) int {
	m := v.Get(name)
	if m == nil {
		r.fail(v, at, harness.MissingField, "the member %q is missing", name)
		return 0
	}
	n, err := strconv.Atoi(m.Text)
	if m.Kind != strictjson.Number || err != nil {
		r.fail(m, at+"/"+name, harness.BadType, "%s is a whole number", name)
	}
	return n
}

func decodePolicy(data []byte) (Policy, error) {
	r, root, err := newReader("policy", data)
	if err != nil {
		return nil, err
	}
	var policy Policy
	switch root.Kind {
	case strictjson.String:
		policy = r.pipeline(root, "")
	case strictjson.Array:
		if len(root.Items) > maxSteps {
			r.fail(root, "", harness.BadType, "a policy has at most %d steps", maxSteps)
			break
		}
		for i := range root.Items {
			policy = append(policy, r.step(&root.Items[i], "/"+strconv.Itoa(i))...)
		}
	default:
		r.fail(root, "", harness.BadType, "a policy is a list of steps or a string, not %s", root.Kind)
	}
	if r.err != nil {
		return nil, r.err
	}
	return policy, nil
}

func (r *reader) pipeline(v *strictjson.Value, at string) Policy {
	policy, err := ParsePolicy(v.Text)
	if err != nil {
		r.fail(v, at, harness.BadType, "%s", err)
	}
	return policy
}

// step reads "clamp(25)" or {"name":"clamp","percent":25}.
func (r *reader) step(v *strictjson.Value, at string) Policy {
	if v.Kind == strictjson.String {
		return r.pipeline(v, at)
	}
	if v.Kind != strictjson.Object {
		r.fail(v, at, harness.BadType, "a step is an object or a string, not %s", v.Kind)
		return nil
	}
	name := r.text(v, at, "name", true)
	d, ok := define(name)
	if !ok {
		r.fail(v, at+"/name", harness.BadType, "%s", unknownPolicy(name))
		return nil
	}
	s := Step{name, d.defaults()}
	for _, m := range v.Members {
		if m.Name == "name" {
			continue
		}
		here, code, n := at+"/"+strictjson.Escape(m.Name), harness.ExtraField, 0
		if d.has(m.Name) {
			code, n = harness.BadLimit, r.integer(v, at, m.Name)
		}
		if err := d.set(s.Params, m.Name, n); err != nil {
			r.fail(&m.Value, here, code, "%s", err)
		}
	}
	return Policy{s}
}
