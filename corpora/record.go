package corpora

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Version is the version of the record format that this package writes, and
// the highest that it reads.
const Version = 1

// Record is one reply of a model to one replan prompt or, where it has a
// Failure, a request to which no reply came.
type Record struct {
	V       int    `json:"v"`
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
	// Case names what was asked. Replies to one case are not independent, and
	// comparisons pair by it. Where it is "", [Record.CaseKey] makes one of
	// the plan and the limits.
	Case string `json:"case,omitzero"`
	// Plan is the plan that the reply edits; nil where it is not known. Then
	// the reply is scored on reading alone.
	Plan   jsontext.Value `json:"plan,omitzero"`
	Limits harness.Limits `json:"limits,omitzero"`
	// Tools and Verify are the scripted results of a run, as in a case; nil where
	// the dialect has none, or they were not kept.
	Tools  jsontext.Value `json:"tools,omitzero"`
	Verify jsontext.Value `json:"verify,omitzero"`

	Prompt string `json:"prompt,omitzero"` // name and version of the prompt
	// PromptSHA256 is the hash of the prompt's template or, where only the
	// messages are known, of these.
	PromptSHA256 string `json:"prompt_sha256,omitzero"`
	// Messages is the prompt itself, a list of {role, content, tag?, …}, so that
	// it can be measured; nil where it was not kept.
	Messages jsontext.Value `json:"messages,omitzero"`
	// Trim says how the prompt was trimmed before it was sent; nil where it was sent whole.
	Trim  *Trim  `json:"trim,omitzero"`
	Model string `json:"model"`
	// Params is an object with what the model was called with, such as
	// temperature, seed, max_tokens; response_format is its type alone.
	Params  jsontext.Value `json:"params,omitzero"`
	Sample  int            `json:"sample"`  // from 0, counts equal requests
	Attempt int            `json:"attempt"` // from 1; 2 is the first retry
	RetryOf string         `json:"retry_of,omitzero"`

	Reply harness.Reply `json:"reply"`
	// Failure says why no reply came, where none did. Such a record stands for
	// the request, so that it is counted and can be asked again; it has no
	// Reply and is never scored as one.
	Failure *Failure `json:"failure,omitzero"`
	// FailedTries are the classes of the tries that failed before the reply
	// came or, of a failure, of all tries, in their order.
	FailedTries []string `json:"failed_tries,omitzero"`

	FinishReason string  `json:"finish_reason,omitzero"`
	Usage        *Usage  `json:"usage,omitzero"`
	LatencyMS    float64 `json:"latency_ms,omitzero"` // from request to whole reply

	Source string   `json:"source"` // see Sources
	Tags   []string `json:"tags,omitzero"`
	Intent *Intent  `json:"intent,omitzero"`
	// Provenance says where the reply comes from, for people.
	Provenance string `json:"provenance,omitzero"`
}

// Failure is why a request got no reply: what its last try came to.
type Failure struct {
	Class   string `json:"class"` // see replanbench list failures
	Status  int    `json:"status,omitzero"`
	Message string `json:"message,omitzero"`
}

// Usage is what the endpoint said of the tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Intent is what the reply was meant to do, where that is known.
type Intent struct {
	FailedStep string         `json:"failed_step,omitzero"` // the step that the edit must remove or change
	Plan       jsontext.Value `json:"plan,omitzero"`        // the very plan that must come out
}

// The sources of replies. Tables never mix them.
const (
	Recorded   = "recorded"   // a model gave it
	Synthetic  = "synthetic"  // a program made it
	Documented = "documented" // written by hand after what a document says
)

// Sources lists the sources with their meaning.
func Sources() []harness.Term {
	return []harness.Term{
		{Name: Recorded, Text: "a model gave it, and it was written down as it came"},
		{Name: Synthetic, Text: "a program or a person made it up"},
		{Name: Documented, Text: "written by hand after what a document quotes or describes: an example, no sample"},
	}
}

// Check reports the first thing that a record lacks or that no record may say.
func (r *Record) Check() error {
	switch {
	case r.V < 1:
		return errors.New(`"v" is missing (the version of the format, 1)`)
	case r.V > Version:
		return fmt.Errorf(`"v" is %d, and this program reads up to %d (a newer one may read it)`, r.V, Version)
	case r.ID == "":
		return errors.New(`"id" is missing or empty`)
	case r.Dialect == "":
		return errors.New(`"dialect" is missing (see replanbench list dialects)`)
	case r.Model == "":
		return errors.New(`"model" is missing or empty`)
	case r.Source == "":
		return errors.New(`"source" is missing (recorded, synthetic or documented)`)
	case r.Source != Recorded && r.Source != Synthetic && r.Source != Documented:
		return fmt.Errorf(`"source" is %q (it must be recorded, synthetic or documented)`, r.Source)
	case r.Sample < 0:
		return fmt.Errorf(`"sample" is %d (samples count from 0)`, r.Sample)
	case r.Attempt < 1:
		return fmt.Errorf(`"attempt" is %d (attempts count from 1)`, r.Attempt)
	case r.RetryOf != "" && r.Attempt < 2:
		return errors.New(`"retry_of" is given, and "attempt" is 1 (a retry is attempt 2 or later)`)
	case r.Failure != nil && r.Failure.Class == "":
		return errors.New(`"failure" has no "class" (why no reply came)`)
	case r.Failure != nil && r.Reply != "":
		return errors.New(`"reply" and "failure" are both given (a request that failed has no reply)`)
	case len(r.Params) > 0 && r.Params.Kind() != '{':
		return errors.New(`"params" must be an object`)
	case len(r.Messages) > 0 && r.Messages.Kind() != '[':
		return errors.New(`"messages" must be a list of messages`)
	case r.Trim != nil && (r.Trim.Policy == "" || r.Trim.Budget < 1):
		return errors.New(`"trim" needs "policy" and a "budget" of at least 1 token`)
	}
	return nil
}

// wire is a record as it stands in a line: it tells absent members from zero.
type wire struct {
	Record  `json:",inline"`
	Attempt *int           `json:"attempt"`
	Reply   *harness.Reply `json:"reply"`
}

// withoutReply is a failure as it is written.
type withoutReply struct {
	*Record `json:",inline"`
	Reply   *harness.Reply `json:"reply,omitzero"` // hides the record's
}

// Decode reads one record. Members that it does not know are passed over. The
// error is that of [Record.Check], or one of the JSON library's with the
// offset.
func Decode(line []byte) (Record, error) {
	var w wire
	if err := json.Unmarshal(line, &w); err != nil {
		return Record{}, err
	}
	r := w.Record
	r.Attempt = 1
	if w.Attempt != nil {
		r.Attempt = *w.Attempt
	}
	switch {
	case w.Reply != nil:
		r.Reply = *w.Reply
	case r.Failure == nil:
		if hint := foreign(line); hint != "" {
			return Record{}, errors.New(hint)
		}
		return Record{}, errors.New(`"reply" is missing (the model's raw text; "" where it said nothing)`)
	}
	if r.Plan.Kind() == 'n' {
		r.Plan = nil
	}
	if r.Messages.Kind() == 'n' {
		r.Messages = nil
	}
	return r, r.Check()
}

// CaseOf returns the case that a line names, without reading behind it: a tenth of the
// time of [Decode] or less. ok is false where it names none, or cannot be read so far.
func CaseOf(line []byte) (name string, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(line))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return "", false
	}
	for dec.PeekKind() == '"' {
		member, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if member.String() != "case" {
			if dec.SkipValue() != nil {
				return "", false
			}
			continue
		}
		t, err := dec.ReadToken()
		if err != nil || t.Kind() != '"' {
			return "", false
		}
		return t.String(), t.String() != ""
	}
	return "", false
}

// foreign recognises lines that an importer reads.
func foreign(line []byte) string {
	var shape struct {
		Request  jsontext.Value `json:"request"`
		Response jsontext.Value `json:"response"`
		CustomID string         `json:"custom_id"`
	}
	if json.Unmarshal(line, &shape) != nil {
		return ""
	}
	const form = `this looks like %s, not like a record (import it first: replanbench corpus import %s FILE)`
	switch {
	case shape.CustomID != "":
		return fmt.Sprintf(form, "a line of a batch", "openai-batch")
	case shape.Request != nil && shape.Response != nil:
		return fmt.Sprintf(form, "a request with its response", "openai-pairs")
	}
	return ""
}

// CaseKey names what was asked: the record's case, or a hash of its plan and
// limits, or, where there is no plan either, its id.
func (r *Record) CaseKey() string {
	if r.Case != "" {
		return r.Case
	}
	if r.Plan == nil {
		return r.ID
	}
	return "plan:" + PlanHash(r.Plan, r.Limits)
}

// PlanHash tells a plan with its limits from others.
func PlanHash(plan jsontext.Value, l harness.Limits) string {
	h := sha256.New()
	h.Write(plan)
	limits, err := json.Marshal(l)
	if err == nil { // numbers alone: it cannot fail
		h.Write(limits)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Key tells a reply from every other one of a corpus: model, prompt, params,
// case, sample, attempt and, for a trimmed prompt, policy and budget. Two records
// with one key are the same reply twice. A prompt is known by its hash, or by its
// name where it has none.
func (r *Record) Key() string {
	prompt := cmp.Or(r.PromptSHA256, strconv.Quote(r.Prompt))
	params := r.Params.Clone()
	if params.Canonicalize() != nil {
		params = r.Params
	}
	key := fmt.Sprintf("%q %s %s %q %d %d", r.Model, prompt, params, r.CaseKey(), r.Sample, r.Attempt)
	if r.Trim != nil {
		key += fmt.Sprintf(" %q %d", r.Trim.Policy, r.Trim.Budget)
	}
	return key
}

// Param returns one of the parameters as text: a string as it is, anything
// else as JSON, "" where it is absent.
func (r *Record) Param(name string) string {
	return text(member(r.Params, name))
}

// Mode says how decoding was bound: the type of the response format, such as
// json_schema, or free where there was none.
func (r *Record) Mode() string {
	if m := r.Param("response_format"); m != "" && m != "text" {
		return m
	}
	return "free"
}

// Append appends the record to b as one line with its newline.
func (r *Record) Append(b []byte) ([]byte, error) {
	var whole any = r
	if r.Failure != nil {
		whole = withoutReply{Record: r}
	}
	line, err := json.Marshal(whole, json.Deterministic(true))
	if err != nil {
		return b, fmt.Errorf("writing record %q: %w", r.ID, err)
	}
	return append(append(b, line...), '\n'), nil
}

// Tag returns the value of the first tag NAME:VALUE, or "".
func (r *Record) Tag(name string) string {
	for _, t := range r.Tags {
		if v, ok := strings.CutPrefix(t, name+":"); ok {
			return v
		}
	}
	return ""
}
