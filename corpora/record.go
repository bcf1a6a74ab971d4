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

// Version is the version of the record format that this package writes, and the highest
// version that it reads.
const Version = 1

// Record is a model's reply to a replan prompt or, with a Failure, a request without a
// reply. It has a field for each member of the format.
type Record struct {
	V       int    `json:"v"`
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
	// Case is the id of the case. Replies to one case are not independent, and comparisons
	// pair by it. If it is "", [Record.CaseKey] derives one from the plan and the limits.
	Case string `json:"case,omitzero"`
	// Plan is the plan that the reply edits. If it is nil, only reading is scored.
	Plan   jsontext.Value `json:"plan,omitzero"`
	Limits harness.Limits `json:"limits,omitzero"`
	// Tools and Verify are the scripted results of a run, as in a case. They can be nil.
	Tools  jsontext.Value `json:"tools,omitzero"`
	Verify jsontext.Value `json:"verify,omitzero"`

	Prompt string `json:"prompt,omitzero"` // name and version of the prompt
	// PromptSHA256 is the hash of the prompt's template or, if it is unknown, of the messages.
	PromptSHA256 string `json:"prompt_sha256,omitzero"`
	// Messages is the prompt as a list of {role, content, tag?, …}; nil if it was not kept.
	Messages jsontext.Value `json:"messages,omitzero"`
	// Trim describes how the prompt was trimmed; nil if it was not trimmed.
	Trim  *Trim  `json:"trim,omitzero"`
	Model string `json:"model"`
	// Params is an object with the parameters of the call, such as temperature, seed and
	// max_tokens. response_format is only its type.
	Params  jsontext.Value `json:"params,omitzero"`
	Sample  int            `json:"sample"`  // from 0, counts equal requests
	Attempt int            `json:"attempt"` // from 1; 2 is the first retry
	RetryOf string         `json:"retry_of,omitzero"`

	Reply harness.Reply `json:"reply"`
	// Failure says why the request got no reply. Such a record has no Reply and no score;
	// it counts the request, so that --resume can retry it.
	Failure *Failure `json:"failure,omitzero"`
	// FailedTries are the classes of the failed tries before the reply, or of all tries of a
	// failure, in order.
	FailedTries []string `json:"failed_tries,omitzero"`

	FinishReason string  `json:"finish_reason,omitzero"`
	Usage        *Usage  `json:"usage,omitzero"`
	LatencyMS    float64 `json:"latency_ms,omitzero"` // from the request to the complete reply

	Source string   `json:"source"` // see Sources
	Tags   []string `json:"tags,omitzero"`
	Intent *Intent  `json:"intent,omitzero"`
	// Provenance describes the origin of the reply for readers.
	Provenance string `json:"provenance,omitzero"`
}

// Failure is the error of the last try of a request without a reply.
type Failure struct {
	Class   string `json:"class"` // see replanbench list failures
	Status  int    `json:"status,omitzero"`
	Message string `json:"message,omitzero"`
}

// Usage contains the token counts that the endpoint reported.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Intent is the purpose of the edit, if known.
type Intent struct {
	FailedStep string         `json:"failed_step,omitzero"` // the step that the edit must remove or change
	Plan       jsontext.Value `json:"plan,omitzero"`        // the exact plan that must result
}

// The sources of replies. Tables never mix them.
const (
	Recorded   = "recorded"   // a model wrote it
	Synthetic  = "synthetic"  // a program made it
	Documented = "documented" // written by hand from a document
)

// Sources lists the sources with their meaning.
func Sources() []harness.Term {
	return []harness.Term{
		{Name: Recorded, Text: "a model wrote it, recorded unchanged"},
		{Name: Synthetic, Text: "a program or a person invented it"},
		{Name: Documented, Text: "written by hand from a document's quote or description: an example, no sample"},
	}
}

// Check returns an error for the first missing or invalid member.
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

// wire is a record in its JSON form, which distinguishes absent members from zero values.
type wire struct {
	Record  `json:",inline"`
	Attempt *int           `json:"attempt"`
	Reply   *harness.Reply `json:"reply"`
}

// withoutReply is the JSON form of a failure.
type withoutReply struct {
	*Record `json:",inline"`
	Reply   *harness.Reply `json:"reply,omitzero"` // hides the record's
}

// Decode reads one record. It ignores unknown members. Errors come from [Record.Check], or
// from the JSON library with the offset.
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
	if r.V == 0 && r.Source == "" {
		if hint := foreign(line); hint != "" {
			return Record{}, errors.New(hint)
		}
	}
	return r, r.Check()
}

// CaseOf returns the case that a line names, and reads no further. It takes at most a tenth
// of the time of [Decode]. ok is false if the line names no case or is malformed before it.
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

// foreign recognizes lines that an importer reads and rows of a report, and returns a message about them.
func foreign(line []byte) string {
	var row struct {
		Section string `json:"section"`
		Metric  string `json:"metric"`
	}
	if json.Unmarshal(line, &row) == nil && row.Section != "" && row.Metric != "" {
		return "this is a row of a report, not a record (name the file of the replies)"
	}
	if importer, what := recognized(line); importer != "" {
		return fmt.Sprintf("this looks like %s, not like a record (import it first: replanbench corpus import %s FILE)", what,
			importer)
	}
	return ""
}

// CaseKey returns the record's case, or a hash of its plan and limits, or, without a plan,
// its id.
func (r *Record) CaseKey() string {
	if r.Case != "" {
		return r.Case
	}
	if r.Plan == nil {
		return r.ID
	}
	return "plan:" + PlanHash(r.Plan, r.Limits)
}

// PlanHash returns a hash of a plan and its limits.
func PlanHash(plan jsontext.Value, l harness.Limits) string {
	h := sha256.New()
	h.Write(plan)
	limits, err := json.Marshal(l)
	if err == nil { // numbers alone: it cannot fail
		h.Write(limits)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Key identifies a reply in a corpus: model, prompt, params, case, sample, attempt and, for
// a trimmed prompt, policy and budget. Two records with the same key are the same reply.
// The hash identifies the prompt, or else its name.
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

// Param returns a parameter as text: a string unquoted, any other value as JSON, "" if it
// is absent.
func (r *Record) Param(name string) string { return text(member(r.Params, name)) }

// Mode returns the constraint on decoding: the type of the response format, such as
// json_schema, or free without one.
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
