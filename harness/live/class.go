package live

import (
	"fmt"
	"time"

	"replanbench/corpora"
	"replanbench/harness"
)

// Class is what kind of failure an exchange was.
type Class string

// The classes of failures.
const (
	RateLimit     Class = "rate_limit"
	Quota         Class = "quota"
	ServerError   Class = "server_error"
	Timeout       Class = "timeout"
	Connection    Class = "connection"
	BodyCut       Class = "body_cut"
	StreamCut     Class = "stream_cut"
	BadJSON       Class = "bad_json"
	WrongType     Class = "wrong_content_type"
	NoChoices     Class = "empty_choices"
	TooLarge      Class = "body_too_large"
	Redirect      Class = "redirect"
	Unauthorized  Class = "unauthorized"
	NotFound      Class = "not_found"
	ContextLength Class = "context_length"
	BadRequest    Class = "bad_request"
	NotRecorded   Class = "not_recorded"
	CannotFit     Class = "cannot_fit"
	other         Class = "other"
)

// trait says what may be done about a class of failures.
type trait struct {
	class Class
	text  string
	// retry: the same request may succeed later.
	retry bool
	// hopeless: no request to the model can succeed.
	hopeless bool
	// spent: the endpoint may have counted the prompt nevertheless.
	spent bool
}

func traits() []trait {
	return []trait{
		{RateLimit, "429: rate limit of requests or tokens", true, false, false},
		{Quota, "429 with insufficient_quota: the budget is spent", false, true, false},
		{ServerError, "5xx, 409 and 425, or an unknown error in an answer with 2xx", true, false, false},
		{Timeout, "no complete answer in time, or 408", true, false, true},
		{Connection, "the connection was refused or lost before an answer", true, false, false},
		{BodyCut, "the connection was lost in the middle of the body", true, false, true},
		{StreamCut, "a stream ended without a finish reason", true, false, true},
		{BadJSON, "2xx, but the body is not a JSON object, or an event of a stream is not", true, false, true},
		{WrongType, "2xx, but the content type is neither JSON nor a stream", true, false, false},
		{NoChoices, "2xx, but the list of choices is missing or empty", true, false, true},
		{TooLarge, "the body is larger than the limit", false, false, true},
		{Redirect, "3xx: redirects are not followed, so that the key stays with the host", false, true, false},
		{Unauthorized, "401 or 403", false, true, false},
		{NotFound, "404: no such model, or no such path", false, true, false},
		{ContextLength, "the prompt does not fit the model", false, false, false},
		{BadRequest, "another 4xx: the same request would fail again", false, false, false},
		{NotRecorded, "in replay: the recording lacks the request, or is damaged", false, false, false},
		{CannotFit, "the trimming policy cannot fit the prompt into its budget: no request was sent", false, false, false},
		{other, "something else", false, false, false},
	}
}

// Classes lists the classes of failures with their meaning.
func Classes() []harness.Term {
	var terms []harness.Term
	for _, t := range traits() {
		terms = append(terms, harness.Term{Name: string(t.class), Text: t.text})
	}
	return terms
}

func (c Class) trait() trait {
	for _, t := range traits() {
		if t.class == c {
			return t
		}
	}
	return trait{class: c}
}

// Failure is an exchange without a reply.
type Failure struct {
	Class   Class
	Status  int           // of HTTP; 0 where there was no answer
	Message string        // without secrets
	After   time.Duration // as the endpoint asked to wait; 0 if it did not
}

// record is the failure as a corpus keeps it.
func (f *Failure) record() *corpora.Failure {
	return &corpora.Failure{Class: string(f.Class), Status: f.Status, Message: f.Message}
}

// failureOf is a failure that a corpus kept.
func failureOf(f *corpora.Failure) *Failure {
	return &Failure{Class: Class(f.Class), Status: f.Status, Message: f.Message}
}

func (f *Failure) Error() string {
	if f.Status > 0 {
		return fmt.Sprintf("%s (status %d): %s", f.Class, f.Status, f.Message)
	}
	return fmt.Sprintf("%s: %s", f.Class, f.Message)
}
