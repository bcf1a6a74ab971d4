package budget

import (
	"errors"
	"fmt"
	"strconv"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// MaxTokens bounds max_tokens, so that percentages of it can be computed.
const MaxTokens = 1 << 40

// Budget is how many tokens a history may have, and who counts them.
type Budget struct {
	MaxTokens int
	Tokenizer string // a name that [NewTokenizer] knows
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
		b.Tokenizer = O200kBase
	}
	if _, err := NewTokenizer(b.Tokenizer); err != nil && r.err == nil {
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

// Eval evaluates a case of the dialect trim. The profile has no knob for it.
func Eval(c harness.Case, _ harness.Profile) harness.Outcome {
	req, err := DecodeCase(c)
	if err != nil {
		var e *InputError
		errors.As(err, &e)
		return harness.Outcome{Verdict: harness.Rejected, Code: e.Code, At: &e.Pointer, Message: e.Error()}
	}
	tok, err := NewTokenizer(req.Budget.Tokenizer)
	if err != nil { // DecodeCase asked for it already
		return harness.Outcome{Verdict: harness.Unsupported, Message: err.Error()}
	}
	r, err := req.Policy.Trim(Count(req.Messages, tok), req.Budget.MaxTokens)
	if e, ok := IsCannotFit(err); ok {
		o := harness.Outcome{Verdict: harness.Rejected, Code: harness.CannotFit, Message: e.Error()}
		if len(e.Large) > 0 {
			o.At = new(fmt.Sprintf("/%d", e.Large[0].Index))
		}
		return o
	}
	return r.Outcome()
}

// Outcome is the result as an engine gives it.
func (r *Result) Outcome() harness.Outcome {
	return harness.Outcome{
		Verdict:  harness.Applied,
		Messages: Encode(r.Messages),
		Tokens:   &harness.TokenChange{Before: r.Before, After: r.After},
		Dropped:  append([]int{}, r.Dropped...),
		Cut:      append([]harness.Cut{}, r.Cut...),
	}
}
