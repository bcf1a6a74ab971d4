package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"replanbench/harness/document/escape"
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
	Hidden       []string          // values of these must not appear in files
	Timeout      time.Duration     // of one exchange; 0 is two minutes
	MaxBody      int64             // bytes of an answer that are read; 0 is 8 MiB
	Transport    http.RoundTripper // nil is the default one
}

const (
	defaultTimeout = 2 * time.Minute
	// DefaultMaxBody is how many bytes of an answer are read.
	DefaultMaxBody = 8 << 20
)

// Secrets are the texts that must not appear in files.
func (e Endpoint) Secrets() []string {
	return slices.DeleteFunc(append([]string{e.Key, e.Organization, e.Project}, e.Hidden...),
		func(s string) bool { return s == "" })
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

// Client makes exchanges with one endpoint through OpenAI's library.
type Client struct {
	endpoint Endpoint
	secrets  redact.Secrets
	now      func() time.Time
}

// NewClient returns a client. It reads nothing from the environment.
func NewClient(e Endpoint, now func() time.Time) (*Client, error) {
	u, err := url.Parse(e.BaseURL)
	switch {
	case err == nil && (u.User != nil || u.RawQuery != ""):
		return nil, fmt.Errorf("--base-url: the address must not contain a user, password or query (the key comes from an " +
			"environment variable)")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("--base-url %s: write the whole address, such as https://api.openai.com/v1", e.BaseURL)
	}
	e.Timeout, e.MaxBody = cmp.Or(e.Timeout, defaultTimeout), cmp.Or(e.MaxBody, DefaultMaxBody)
	return &Client{endpoint: e, secrets: redact.New(e.Secrets()...), now: now}, nil
}

// Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
	// Tag says what the message contains, for measuring. It is recorded, not sent.
	Tag string `json:"tag,omitzero"`
}

// Params are the parameters of a call besides the messages.
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
	jsonObject Format = "json_object"
	jsonSchema Format = "json_schema"
	// tool offers one tool, which must be called: what it is called with is the reply.
	tool Format = "tool"
)

// Formats lists the formats with their meaning.
func Formats() []string {
	return []string{string(Free), string(jsonObject), string(jsonSchema), string(tool)}
}

// Request is one chat completion. Name is unique in a run.
type Request struct {
	Name     string
	Model    string
	Messages []Message
	Params   Params
}

// Answer is the reply of a model.
type Answer struct {
	Text         string
	FinishReason string
	// Kind is "" for a plain reply. It is refusal, tool_call or empty if the model
	// returned no text, and no_call if it returned text instead of the required call.
	// It is replaced_characters if the text contains U+FFFD, which replaces what the
	// endpoint did not encode correctly, such as a lone surrogate.
	Kind                      string
	PromptTokens, ReplyTokens int // as the endpoint counted them; -1 if it did not
	Latency                   time.Duration
}

// Ask makes one exchange. The error is a *Failure, or the context's.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	try, cancel := context.WithTimeout(cassette.WithName(ctx, r.Name), c.endpoint.Timeout)
	defer cancel()
	x := &exchange{client: c, stream: r.Params.Stream}
	ask := x.chat
	if c.endpoint.API == Responses {
		ask = x.responses
	}
	a, err := ask(try, r, c.options(r, x))
	if err != nil {
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		f := x.failure(try, err)
		if f.Message = c.secrets.Text(f.Message); f.Class != NotRecorded { // these messages are ours and end with what to do
			f.Message = escape.Brief(f.Message, 200)
		}
		return Answer{}, f
	}
	a.Text, a.FinishReason, a.Latency = c.secrets.Text(a.Text), c.secrets.Text(a.FinishReason), x.took
	return a, nil
}

// options configure the library for one request. Its own retries are off, and its
// headers about this machine are not sent.
func (c *Client) options(r Request, x *exchange) []option.RequestOption {
	e := c.endpoint
	list := []option.RequestOption{
		option.WithBaseURL(e.BaseURL), option.WithHTTPClient(&http.Client{Transport: x}), option.WithMaxRetries(0),
		option.WithHeader("User-Agent", "replanbench"),
	}
	for _, about := range []string{
		"Arch", "Lang", "Os", "Package-Version", "Retry-Count", "Runtime", "Runtime-Version",
		"Timeout",
	} {
		list = append(list, option.WithHeaderDel("X-Stainless-"+about))
	}
	if e.Key != "" {
		list = append(list, option.WithAPIKey(e.Key))
	}
	if e.Organization != "" {
		list = append(list, option.WithOrganization(e.Organization))
	}
	if e.Project != "" {
		list = append(list, option.WithProject(e.Project))
	}
	for _, h := range e.Headers {
		list = append(list, option.WithHeader(h.Name, h.Value))
	}
	for _, q := range e.Query {
		list = append(list, option.WithQuery(q.Name, q.Value))
	}
	return append(list, r.more(e.API)...)
}

// failure classifies an error of the library or the network.
func (x *exchange) failure(ctx context.Context, err error) *Failure {
	var f *Failure
	var unrecorded *cassette.Unrecorded
	var streamed *ssestream.StreamError
	var network *url.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &unrecorded):
		return &Failure{Class: NotRecorded, Message: unrecorded.Error()}
	case errors.As(err, &streamed):
		return x.refused(streamed.Event.Data)
	case x.whole:
		return &Failure{Class: BadJSON, Status: x.status, Message: "the response has an event that is not a JSON object"}
	case ctx.Err() != nil || cassette.IsTimeout(err):
		return &Failure{Class: Timeout, Message: fmt.Sprintf("no complete response within %v", x.client.endpoint.Timeout)}
	case errors.As(err, &network):
		err = network.Err
	}
	return &Failure{Class: Connection, Message: err.Error()}
}
