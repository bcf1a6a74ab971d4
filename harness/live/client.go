package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"replanbench/harness/live/cassette"
	"replanbench/harness/live/redact"
)

// Endpoint says where and how requests go out.
type Endpoint struct {
	BaseURL string // such as https://api.openai.com/v1
	Key     string // "" where none is needed
	// Organization and Project are sent only if they are given here.
	Organization string
	Project      string
	API          API               // "" is chat completions
	Headers      []Pair            // sent with every request
	Query        []Pair            // of the address, such as api-version
	Hidden       []string          // values of these that may stand in no file
	Timeout      time.Duration     // of one exchange; 0 is two minutes
	MaxBody      int64             // bytes of an answer that are read; 0 is 8 MiB
	Transport    http.RoundTripper // nil is the default one
}

const (
	defaultTimeout = 2 * time.Minute
	// DefaultMaxBody is how many bytes of an answer are read.
	DefaultMaxBody = 8 << 20
)

// Secrets are the texts that may stand in no file.
func (e Endpoint) Secrets() []string {
	return slices.DeleteFunc(append([]string{e.Key, e.Organization, e.Project}, e.Hidden...), func(s string) bool { return s == "" })
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// API is which interface of OpenAI's an endpoint has.
type API string

// The interfaces.
const (
	Chat      API = "chat"      // chat completions
	Responses API = "responses" // responses
)

// Client makes exchanges with one endpoint.
type Client struct {
	endpoint Endpoint
	secrets  redact.Secrets
	now      func() time.Time
	http     *http.Client
}

// NewClient returns a client. Nothing is read from the environment.
func NewClient(e Endpoint, now func() time.Time) (*Client, error) {
	u, err := url.Parse(e.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base URL must look like https://api.openai.com/v1")
	case u.User != nil || u.RawQuery != "":
		return nil, fmt.Errorf("the base URL must hold no user, password or query (the key comes from an environment variable)")
	}
	e.Timeout, e.MaxBody = cmp.Or(e.Timeout, defaultTimeout), cmp.Or(e.MaxBody, DefaultMaxBody)
	return &Client{endpoint: e, secrets: redact.New(e.Secrets()...), now: now, http: &http.Client{
		Transport:     e.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
	// Tag says what the message contains, for measuring. It is recorded, not sent.
	Tag string `json:"tag,omitzero"`
}

// Params are what a model is called with beside the messages.
type Params struct {
	Temperature *float64
	TopP        *float64
	Seed        *int64
	ReplyTokens int  // at most; 0 leaves it to the endpoint
	Completion  bool // the limit is sent as max_completion_tokens
	Stop        []string
	Format      Format
	Schema      jsontext.Value // of Format JSONSchema, and of the arguments of Format Tool
	Stream      bool
	// Body holds further members of the request by name, such as reasoning_effort.
	Body map[string]jsontext.Value
}

// Format is how decoding is bound.
type Format string

// The formats.
const (
	Free       Format = "free"
	JSONObject Format = "json_object"
	JSONSchema Format = "json_schema"
	// Tool offers one tool, which must be called: what it is called with is the reply.
	Tool Format = "tool"
)

// Formats lists the formats with their meaning.
func Formats() []string {
	return []string{string(Free), string(JSONObject), string(JSONSchema), string(Tool)}
}

// Request is one chat completion. Name tells it from every other of a run.
type Request struct {
	Name     string
	Model    string
	Messages []Message
	Params   Params
}

// Answer is a reply that came.
type Answer struct {
	Text         string
	FinishReason string
	// Kind is "" for a plain reply, else refusal, tool_call or empty: the model
	// answered, but not with text; or no_call, where it answered with text and was
	// to call a tool.
	Kind                      string
	PromptTokens, ReplyTokens int // as the endpoint said; -1 where it did not
	Latency                   time.Duration
}

// Ask makes one exchange. The error is a *Failure, or the context's.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	try, cancel := context.WithTimeout(cassette.WithName(ctx, r.Name), c.endpoint.Timeout)
	defer cancel()
	var state exchange
	a, err := c.exchange(context.WithValue(try, exchangeKey{}, &state), r)
	if err != nil {
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		f := c.failure(try, err, state.whole)
		if f.Message = c.secrets.Text(f.Message); f.Class != NotRecorded { // our own words, with the way out at their end
			f.Message = excerpt(f.Message)
		}
		return Answer{}, f
	}
	a.Text, a.FinishReason, a.Latency = c.secrets.Text(a.Text), c.secrets.Text(a.FinishReason), state.took
	return a, nil
}

// exchange asks by the interface that the endpoint has.
func (c *Client) exchange(ctx context.Context, r Request) (Answer, error) {
	switch {
	case c.endpoint.API == Responses:
		return c.response(ctx, r)
	case r.Params.Stream:
		return c.stream(ctx, r)
	}
	return c.whole(ctx, r)
}

// send posts a request to one of the endpoint's paths. The answer is whole and
// has succeeded, or there is an error.
func (c *Client) send(ctx context.Context, path string, body []byte) (*http.Response, error) {
	u, err := url.Parse(strings.TrimSuffix(c.endpoint.BaseURL, "/") + "/" + path)
	if err != nil {
		return nil, err
	}
	if len(c.endpoint.Query) > 0 {
		query := u.Query()
		for _, q := range c.endpoint.Query {
			query.Set(q.Name, q.Value)
		}
		u.RawQuery = query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "replanbench")
	for name, value := range map[string]string{"OpenAI-Organization": c.endpoint.Organization, "OpenAI-Project": c.endpoint.Project} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if c.endpoint.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.endpoint.Key)
	}
	for _, h := range c.endpoint.Headers {
		req.Header.Set(h.Name, h.Value)
	}
	return c.guard(req)
}

// ask makes an exchange whose answer is one JSON object.
func (c *Client) ask(ctx context.Context, path string, body []byte) (gjson.Result, error) {
	res, err := c.send(ctx, path, body)
	if err != nil {
		return gjson.Result{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return gjson.Result{}, err
	}
	return object(text)
}

// events makes an exchange whose answer comes as a stream of JSON objects.
func (c *Client) events(ctx context.Context, path string, body []byte) *ssestream.Stream[event] {
	res, err := c.send(ctx, path, body)
	return ssestream.NewStream[event](ssestream.NewDecoder(res), err)
}

// event is a JSON object of a stream.
type event struct{ gjson.Result }

// UnmarshalJSON keeps what stands there.
func (e *event) UnmarshalJSON(data []byte) (err error) {
	e.Result, err = object(data)
	return err
}

// object reads a JSON object, whose members endpoints fill as they like.
func object(data []byte) (gjson.Result, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(data, &members, jsontext.AllowDuplicateNames(true)); err != nil {
		return gjson.Result{}, fmt.Errorf("read the answer: %w", err)
	}
	return gjson.ParseBytes(data), nil
}

// textAt is the text at a path of an answer, "" where there is no text.
func textAt(answer gjson.Result, path string) string { return answer.Get(path).Str }

func (c *Client) whole(ctx context.Context, r Request) (Answer, error) {
	a := Answer{PromptTokens: -1, ReplyTokens: -1}
	body, err := r.chat()
	if err != nil {
		return a, err
	}
	res, err := c.ask(ctx, chatPath, body)
	if err != nil {
		return a, err
	}
	a.usage(res.Get("usage"), "prompt_tokens", "completion_tokens")
	if !res.Get("choices.0").Exists() {
		message := "the answer has no choices"
		if said := errorIn(res.Raw).Error.Message; said != "" {
			message += ": " + said
		}
		return a, &Failure{Class: NoChoices, Status: http.StatusOK, Message: message}
	}
	choice := res.Get("choices.0")
	var calls []called
	for _, t := range choice.Get("message.tool_calls").Array() {
		calls = append(calls, called{textAt(t, "function.name"), textAt(t, "function.arguments")})
	}
	a.take(r, textAt(choice, "message.content"), textAt(choice, "message.refusal"), textAt(choice, "finish_reason"), calls)
	return a, nil
}

// mostTokens is above what any exchange takes: sums of it do not overflow.
const mostTokens = 1 << 40

// usage takes the endpoint's count of tokens, if it makes sense.
func (a *Answer) usage(u gjson.Result, prompt, reply string) {
	if p, r := u.Get(prompt), u.Get(reply); p.Type == gjson.Number && r.Type == gjson.Number {
		a.used(p.Int(), r.Int())
	}
}

// used takes counts that make sense.
func (a *Answer) used(prompt, reply int64) {
	if min(prompt, reply) >= 0 && max(prompt, reply) <= mostTokens {
		a.PromptTokens, a.ReplyTokens = int(prompt), int(reply)
	}
}

// called is one call of a tool.
type called struct{ name, arguments string }

// ToolName is that of the tool of Format Tool.
const ToolName = "edit_plan"

const toolText = "Edits the plan: call it with the whole edit."

// take says what kind of answer it is.
func (a *Answer) take(r Request, content, refusal, finish string, calls []called) {
	a.Text, a.FinishReason = content, finish
	if r.Params.Format == Tool {
		if i := slices.IndexFunc(calls, func(c called) bool { return c.name == ToolName }); i >= 0 {
			a.Text = calls[i].arguments
			if finish == "tool_calls" {
				a.FinishReason = "stop" // which is how a reply of this format ends
			}
			return
		}
	}
	switch {
	case content != "" && r.Params.Format == Tool:
		a.Kind = "no_call"
	case content != "":
	case refusal != "":
		a.Text, a.Kind = refusal, "refusal"
	case len(calls) > 0:
		a.Kind = "tool_call"
	default:
		a.Kind = "empty"
	}
}

func (c *Client) stream(ctx context.Context, r Request) (Answer, error) {
	a := Answer{PromptTokens: -1, ReplyTokens: -1}
	body, err := r.chat()
	if err != nil {
		return a, err
	}
	s := c.events(ctx, chatPath, body)
	defer s.Close()
	var content, refusal strings.Builder
	var calls []called
	finish, chunks := "", 0
	for s.Next() {
		chunk := s.Current()
		chunks++
		a.usage(chunk.Get("usage"), "prompt_tokens", "completion_tokens")
		choice := chunk.Get("choices.0")
		if !choice.Exists() || choice.Get("index").Int() != 0 {
			continue
		}
		content.WriteString(textAt(choice, "delta.content"))
		refusal.WriteString(textAt(choice, "delta.refusal"))
		for _, t := range choice.Get("delta.tool_calls").Array() {
			if name := textAt(t, "function.name"); name != "" || len(calls) == 0 {
				calls = append(calls, called{name: name})
			}
			calls[len(calls)-1].arguments += textAt(t, "function.arguments")
		}
		if said := textAt(choice, "finish_reason"); said != "" {
			finish = said
		}
	}
	switch {
	case s.Err() != nil:
		return a, s.Err()
	case chunks > 0 && content.Len()+refusal.Len()+len(calls) == 0 && finish == "" && a.PromptTokens >= 0:
		return a, &Failure{Class: NoChoices, Status: http.StatusOK, Message: "the stream has no choices"}
	case finish == "":
		return a, &Failure{Class: StreamCut, Status: http.StatusOK, Message: fmt.Sprintf("the stream ended after %d chunks without a finish_reason", chunks)}
	}
	a.take(r, content.String(), refusal.String(), finish, calls)
	return a, nil
}

// exchange is what guard tells Ask of an exchange.
type exchange struct {
	took  time.Duration
	whole bool // a whole answer with status 200 came
}

type exchangeKey struct{}

// guard sends a request: it reads the whole body, within bounds, and makes a
// Failure of every answer that is no success.
func (c *Client) guard(req *http.Request) (*http.Response, error) {
	start := c.now()
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return nil, &Failure{Class: Redirect, Status: res.StatusCode, Message: "the endpoint redirects, which is not followed (give the final address as --base-url)"}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.endpoint.MaxBody+1))
	took := c.now().Sub(start)
	if ms, parseErr := strconv.ParseFloat(res.Header.Get(cassette.LatencyHeader), 64); parseErr == nil {
		took = time.Duration(ms * float64(time.Millisecond))
	}
	state, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		state = &exchange{}
	}
	state.took = took
	switch {
	case err != nil && req.Context().Err() == nil && !isTimeout(err):
		return nil, &Failure{Class: BodyCut, Status: res.StatusCode, Message: fmt.Sprintf("the body ends after %d bytes: %v", len(body), err)}
	case err != nil:
		return nil, err
	case int64(len(body)) > c.endpoint.MaxBody:
		return nil, &Failure{Class: TooLarge, Status: res.StatusCode, Message: fmt.Sprintf("the body has more than %d bytes", c.endpoint.MaxBody)}
	}
	text := c.secrets.Text(strings.ToValidUTF8(string(body), "\uFFFD"))
	if res.StatusCode != http.StatusOK {
		return nil, refused(res, text, c.now())
	}
	if media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); media != "application/json" && media != "text/event-stream" {
		return nil, &Failure{Class: WrongType, Status: res.StatusCode, Message: fmt.Sprintf("the content type is %q: %s", media, text)}
	}
	state.whole = true
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader([]byte(text))), int64(len(text))
	return res, nil
}

// excerpt is the beginning of a body, on one line.
func excerpt(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const most = 200
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// errorShape is a body with an error, as most endpoints write it.
type errorShape struct {
	Error struct {
		Message string         `json:"message"`
		Code    jsontext.Value `json:"code"`
		Type    string         `json:"type"`
	} `json:"error"`
}

// errorIn reads the error in a body; it is zero where the body has none.
func errorIn(body string) errorShape {
	var shape errorShape
	if json.Unmarshal([]byte(body), &shape) != nil {
		return errorShape{}
	}
	return shape
}

// refused classifies an answer by its status and the error in its body.
func refused(res *http.Response, body string, now time.Time) *Failure {
	shape := errorIn(body)
	f := &Failure{Status: res.StatusCode, After: retryAfter(res.Header, now), Message: cmp.Or(shape.Error.Message, body)}
	code := strings.Trim(string(shape.Error.Code), `"`)
	switch s := res.StatusCode; {
	case code == "context_length_exceeded":
		f.Class = ContextLength
	case s == 429 && (code == "insufficient_quota" || shape.Error.Type == "insufficient_quota"):
		f.Class = Quota
	case s == 429:
		f.Class = RateLimit
	case s == 408:
		f.Class = Timeout
	case s >= 500 || s == 409 || s == 425:
		f.Class = ServerError
	case s == 401 || s == 403:
		f.Class = Unauthorized
	case s == 404:
		f.Class = NotFound
	case s >= 400:
		f.Class = BadRequest
	default:
		f.Class = Other
	}
	return f
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

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// failure classifies what the library or the network said. Behind a whole
// answer it can only be that its body makes no sense.
func (c *Client) failure(ctx context.Context, err error, whole bool) *Failure {
	var f *Failure
	var unrecorded *cassette.Unrecorded
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &unrecorded):
		return &Failure{Class: NotRecorded, Message: unrecorded.Error()}
	case whole:
		return &Failure{Class: BadJSON, Status: http.StatusOK, Message: err.Error()}
	case ctx.Err() != nil || isTimeout(err):
		return &Failure{Class: Timeout, Message: fmt.Sprintf("no whole answer within %v", c.endpoint.Timeout)}
	}
	return &Failure{Class: Connection, Message: err.Error()}
}
