package live

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/cassette"
)

// exchange is the transport of one request. It reads the whole body, within the limit,
// and returns a Failure for every answer that the library cannot read. It follows no
// redirect: the library would send the key along.
type exchange struct {
	client *Client
	stream bool // the request asks for a stream
	took   time.Duration
	status int
	after  time.Duration
	whole  bool   // the whole answer arrived, with a status of success
	object []byte // the answer, if it is one JSON object
}

// RoundTrip sends the request.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	start := x.client.now()
	next := x.client.endpoint.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	x.status, x.after = res.StatusCode, retryAfter(res.Header, start)
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return nil, x.fail(Redirect, "the endpoint redirects, and redirects are not followed (pass the final address as "+
			"--base-url)")
	}
	most := x.client.endpoint.MaxBody
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	x.took = x.client.now().Sub(start)
	if ms, parseErr := strconv.ParseFloat(res.Header.Get(cassette.LatencyHeader), 64); parseErr == nil {
		x.took = time.Duration(ms * float64(time.Millisecond))
	}
	switch {
	case err != nil && req.Context().Err() == nil && !cassette.IsTimeout(err):
		return nil, x.fail(BodyCut, "the body ends after %d bytes: %v", len(body), err)
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, x.fail(TooLarge, "the body has more than %d bytes", most)
	}
	kind, body, err := x.read(res.Header.Get("Content-Type"),
		[]byte(x.client.secrets.Text(strings.ToValidUTF8(string(body), "\uFFFD"))))
	if err != nil {
		return nil, err
	}
	x.whole = true
	res.Header.Set("Content-Type", kind)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}

// The content types that the library reads.
const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// read returns the content type and the body of a successful answer as the library
// expects them. The first character decides whether a body is an object or a stream,
// because endpoints label one as the other.
func (x *exchange) read(contentType string, body []byte) (string, []byte, error) {
	media, _, _ := mime.ParseMediaType(contentType) // "" if it is malformed
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	switch {
	case x.status < 200 || x.status > 299:
		return "", nil, x.refused(body)
	case media != jsonType && media != streamType && (!strings.HasPrefix(media, "application/") ||
		!strings.HasSuffix(media, "+json")):
		return "", nil, x.fail(WrongType, "the content type is %q: %s", media, body)
	case x.stream && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		return streamType, events(body), nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(body, &members, jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", nil, x.fail(BadJSON, "the body is not a JSON object (%v): %s", strictjson.Plain(err), body)
	}
	if members == nil {
		return "", nil, x.fail(BadJSON, "the body is null and not a JSON object")
	}
	if e := gjson.ParseBytes(members["error"]); e.Type != gjson.Null &&
		!gjson.ParseBytes(members["choices"]).Get("0").Exists() {
		return "", nil, x.refused(body)
	}
	x.object = body
	return jsonType, body, nil
}

// events returns a stream as the library reads it: with line feeds, an empty line after
// the last event, and without the member error where it is null.
func events(body []byte) []byte {
	var b bytes.Buffer
	text := strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\r", "\n")
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			if e := gjson.Get(data, "error"); e.Exists() && e.Type == gjson.Null {
				if without, err := sjson.Delete(strings.TrimSpace(data), "error"); err == nil {
					line = "data: " + without + "\n"
				}
			}
		}
		b.WriteString(line)
	}
	b.WriteString("\n\n")
	return b.Bytes()
}

// fail returns a failure with the status of the answer.
func (x *exchange) fail(class Class, format string, values ...any) *Failure {
	return &Failure{Class: class, Status: x.status, After: x.after, Message: fmt.Sprintf(format, values...)}
}

// refused classifies an answer by its status and the error in its body. An error after a
// status of success counts as the status that its code or type means.
func (x *exchange) refused(body []byte) *Failure {
	e := gjson.GetBytes(body, "error")
	if !e.Exists() || e.Type == gjson.Null {
		e = gjson.ParseBytes(body)
	}
	message := cmp.Or(e.Get("message").String(), e.Str, string(body), "the body is empty")
	code, kind := e.Get("code").String(), e.Get("type").String()
	status := x.status
	if status < 300 {
		status = cmp.Or(statusOf(code), statusOf(kind), http.StatusInternalServerError)
	}
	return x.fail(classOf(status, code, kind), "%s", message)
}

// statusOf returns the status with which endpoints send a code or type of error, and 0
// if it is unknown.
func statusOf(code string) int {
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n <= 599 {
		return n
	}
	switch code {
	case "insufficient_quota", "rate_limit_exceeded", "rate_limit_error", "requests", "tokens", "too_many_requests":
		return http.StatusTooManyRequests
	case "invalid_api_key", "authentication_error", "permission_error", "permission_denied":
		return http.StatusUnauthorized
	case "model_not_found", "not_found", "not_found_error":
		return http.StatusNotFound
	case "invalid_request_error", "invalid_request", "invalid_value", "invalid_prompt", "invalid_parameter",
		"unsupported_parameter":
		return http.StatusBadRequest
	case "timeout", "request_timeout":
		return http.StatusRequestTimeout
	case "server_error", "api_error", "overloaded_error", "internal_error", "internal_server_error", "service_unavailable":
		return http.StatusInternalServerError
	}
	return 0
}

// classOf returns the class of an answer without success.
func classOf(status int, code, kind string) Class {
	switch s := status; {
	case code == "context_length_exceeded":
		return ContextLength
	case s == 429 && (code == "insufficient_quota" || kind == "insufficient_quota"):
		return Quota
	case s == 429:
		return RateLimit
	case s == 408:
		return Timeout
	case s >= 500 || s == 409 || s == 425:
		return ServerError
	case s == 401 || s == 403:
		return Unauthorized
	case s == 404:
		return NotFound
	case s >= 400:
		return BadRequest
	}
	return other
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(v, 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

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
	return collect.Map(traits(), func(t trait) harness.Term { return harness.Term{Name: string(t.class), Text: t.text} })
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
