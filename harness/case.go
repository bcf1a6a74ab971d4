package harness

import (
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Case is everything that an engine needs for one evaluation. The fields
// beyond Dialect, Profile and Limits belong to the dialect; documents stay
// raw JSON, since a malformed plan is itself something to test.
//
// An engine must not change a case.
// It has a field for each member of the wire format.
type Case struct {
	Dialect string `json:"dialect"`
	// Profile holds the rules to judge by; nil means the profile that
	// the engine declares for the dialect.
	Profile *Profile `json:"profile,omitzero"`
	Limits  Limits   `json:"limits,omitzero"`

	// Plan is the plan document before the edit.
	Plan jsontext.Value `json:"plan,omitzero"`
	// Replies are the scripted model replies, in the order asked.
	Replies []Reply `json:"replies,omitzero"`

	// Results belongs to the dialect operations: step id → result.
	Results jsontext.Value `json:"results,omitzero"`

	// Tools (scripted tool results), Verify (scripted verification results) and
	// InterruptAfter (save the state and go on in a new process after that many
	// events) belong to the dialect orchestrator.
	Tools          jsontext.Value `json:"tools,omitzero"`
	Verify         jsontext.Value `json:"verify,omitzero"`
	InterruptAfter *int           `json:"interrupt_after,omitzero"`

	// Context, Files and Calls belong to the dialect planmode.
	Context jsontext.Value `json:"context,omitzero"`
	Files   jsontext.Value `json:"files,omitzero"`
	Calls   jsontext.Value `json:"calls,omitzero"`

	// Messages, Budget and Policy belong to the dialect trim. A case of orchestrator may
	// have Budget and Policy, too: then each call is trimmed.
	Messages jsontext.Value `json:"messages,omitzero"`
	Budget   jsontext.Value `json:"budget,omitzero"`
	Policy   jsontext.Value `json:"policy,omitzero"`

	// More contains the documents without a field, by name.
	More map[string]jsontext.Value `json:",embed"`
}

// UnmarshalJSONFrom reads a case. Members without a field become documents, so a reader of
// cases never refuses the documents of a dialect.
func (c *Case) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields Case
	return json.UnmarshalDecode(dec, (*fields)(c), json.RejectUnknownMembers(false))
}

// MarshalJSONTo writes a case.
func (c Case) MarshalJSONTo(enc *jsontext.Encoder) error {
	type fields Case
	return json.MarshalEncode(enc, fields(c))
}

// MarshalJSON writes a case with any JSON library. Its documents may be malformed.
func (c Case) MarshalJSON() ([]byte, error) { return json.Marshal(c, malformed()) }

// UnmarshalJSON reads a case with any JSON library.
func (c *Case) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, c, malformed()) }

// malformed are the options for documents that JSON libraries may refuse.
func malformed() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Copy returns the case with documents of its own, which the caller may change.
func (c Case) Copy() Case {
	c.More = maps.Clone(c.More)
	for name, value := range c.Documents() {
		c.SetDocument(name, slices.Clone(value))
	}
	return c
}

// Documents returns the documents of the case by name: first those that have a field, in
// their order and also if they are empty, then the others, sorted.
func (c *Case) Documents() iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for _, name := range fieldNames() {
			if !yield(name, *c.field(name)) {
				return
			}
		}
		if len(c.More) == 0 {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(c.More)) {
			if !yield(name, c.More[name]) {
				return
			}
		}
	}
}

// Document returns the document of that name; nil if the case has none.
func (c *Case) Document(name string) jsontext.Value {
	if v := c.field(name); v != nil {
		return *v
	}
	return c.More[name]
}

// SetDocument replaces the document of that name in place: copies of the case that share
// its map see the change.
func (c *Case) SetDocument(name string, value jsontext.Value) {
	if v := c.field(name); v != nil {
		*v = value
		return
	}
	if c.More == nil {
		c.More = map[string]jsontext.Value{}
	}
	c.More[name] = value
}

func fieldNames() [10]string {
	return [...]string{"plan", "results", "tools", "verify", "context", "files", "calls", "messages", "budget", "policy"}
}

// field returns the field of a document; nil if it is in the map.
func (c *Case) field(name string) *jsontext.Value {
	switch name {
	case "plan":
		return &c.Plan
	case "results":
		return &c.Results
	case "tools":
		return &c.Tools
	case "verify":
		return &c.Verify
	case "context":
		return &c.Context
	case "files":
		return &c.Files
	case "calls":
		return &c.Calls
	case "messages":
		return &c.Messages
	case "budget":
		return &c.Budget
	case "policy":
		return &c.Policy
	}
	return nil
}

// Limits bound a case. A nil limit was not given and takes the dialect's
// default (for MaxPlanSteps: no limit).
type Limits struct {
	MaxPlanSteps     *int `json:"max_plan_steps,omitzero"`
	MaxReplyBytes    *int `json:"max_reply_bytes,omitzero"` // default 1 MiB
	MaxDepth         *int `json:"max_depth,omitzero"`       // default 64; {} is 1
	MaxStepToolCalls *int `json:"max_step_tool_calls,omitzero"`
	MaxReplans       *int `json:"max_replans,omitzero"`
	PlanningRetries  *int `json:"planning_retries,omitzero"`
	// MaxToolResultChars is how many characters of a tool's result the model gets; the
	// default is no limit.
	MaxToolResultChars *int `json:"max_tool_result_chars,omitzero"`
}

// Limit is one of the limits.
type Limit struct {
	Name  string // as in the case's own JSON
	Value **int  // a nil *int where it was not given
}

// All lists the limits in their order.
func (l *Limits) All() [7]Limit {
	return [...]Limit{
		{"max_plan_steps", &l.MaxPlanSteps},
		{"max_reply_bytes", &l.MaxReplyBytes},
		{"max_depth", &l.MaxDepth},
		{"max_step_tool_calls", &l.MaxStepToolCalls},
		{"max_replans", &l.MaxReplans},
		{"planning_retries", &l.PlanningRetries},
		{"max_tool_result_chars", &l.MaxToolResultChars},
	}
}

// Bounds lists the limits, and after how many events the case interrupts the run.
func (c *Case) Bounds() []Limit {
	all := c.Limits.All()
	return append(all[:], Limit{"interrupt_after", &c.InterruptAfter})
}

// Limits that hold where a case gives none.
const (
	DefaultMaxReplyBytes = 1 << 20
	DefaultMaxDepth      = 64
)

// LimitsAsked names the limits that an engine must know for the case: those that it
// sets, and those that hold anyway and that its replies exceed.
func (c *Case) LimitsAsked() (names []string) {
	for _, l := range c.Limits.All() {
		if *l.Value != nil {
			names = append(names, l.Name)
		}
	}
	for _, r := range c.Replies {
		if len(r) > DefaultMaxReplyBytes {
			names = append(names, "max_reply_bytes")
		}
		if r.nesting() > DefaultMaxDepth {
			names = append(names, "max_depth")
		}
	}
	return names
}

// Needs collects what an engine must have for a case.
type Needs []string

// If adds something, unless it is there, if it is so.
func (n *Needs) If(is bool, name string) {
	if is && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}

// Reply is what a model produced: any bytes. In JSON it is a string, or
// {"base64":"…"} where the bytes are not UTF-8.
type Reply string

// nesting is how deep the text nests at most, whatever it is.
func (r Reply) nesting() (deepest int) {
	depth := 0
	for i := range len(r) {
		switch r[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

type base64Reply struct {
	Base64 *string `json:"base64"`
}

// MarshalJSONTo writes the reply as a string or as a base64 object.
func (r Reply) MarshalJSONTo(enc *jsontext.Encoder) error {
	if utf8.ValidString(string(r)) {
		return enc.WriteToken(jsontext.String(string(r)))
	}
	s := base64.StdEncoding.EncodeToString([]byte(r))
	return json.MarshalEncode(enc, base64Reply{&s})
}

// MarshalJSON writes the reply with any JSON library.
func (r Reply) MarshalJSON() ([]byte, error) { return json.Marshal(r) }

// UnmarshalJSON reads either form with any JSON library.
func (r *Reply) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, r) }

// UnmarshalJSONFrom reads either form.
func (r *Reply) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*r = Reply(tok.String())
		return nil
	}
	var b base64Reply
	if err := json.UnmarshalDecode(dec, &b, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if b.Base64 == nil {
		return errors.New(`a reply is a string or {"base64":"…"}`)
	}
	raw, err := base64.StdEncoding.DecodeString(*b.Base64)
	if err != nil {
		return fmt.Errorf("reply: %w (use the standard alphabet with padding)", err)
	}
	*r = Reply(raw)
	return nil
}
