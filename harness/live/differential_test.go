package live

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// response is what an endpoint sends.
type response struct {
	api    API
	stream bool
	tool   bool // the request demands a call of the tool
	status int
	kind   string
	body   string
}

func (r response) RoundTrip(req *http.Request) (*http.Response, error) {
	res := &http.Response{
		StatusCode: r.status, Status: fmt.Sprint(r.status), Header: http.Header{"Content-Type": {r.kind}}, Request: req,
		ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(r.body)), Body: io.NopCloser(strings.NewReader(r.body)),
	}
	if r.status >= 300 && r.status < 400 && !strings.Contains(req.URL.Path, "moved") {
		res.Header.Set("Location", "http://endpoint/moved")
	} else if strings.Contains(req.URL.Path, "moved") {
		res.StatusCode = http.StatusOK
	}
	return res, nil
}

func (r response) request() Request {
	q := Request{
		Name: "x", Model: "m", Messages: []Message{{Role: "user", Content: "u"}},
		Params: Params{Stream: r.stream},
	}
	if r.tool {
		q.Params.Format, q.Params.Schema = tool, []byte(`{}`)
	}
	return q
}

// seen is what a caller gets of a response.
type seen struct {
	replied      bool
	text, finish string
	tokens       int64 // of the prompt; 0 if unknown
}

// The reasons why the client and the bare library may differ. They are all that may.
const (
	same         = ""
	cutStream    = "the library returns the beginning of a stream that was cut as a reply"
	listOfParts  = "the library returns a list of parts as JSON, the client as text"
	streamLabel  = "the library reads a stream under any content type, and the client only a stream or JSON"
	eitherForm   = "the client recognizes JSON and streams by their first character, the library only by the request"
	mark         = "the library does not skip a byte-order mark"
	nullError    = "the library takes a null error in a stream for an error"
	lastEvent    = "the library drops a last event without an empty line after it, or with carriage returns alone"
	notAList     = "the library skips choices of an event that are not a list"
	doubleHigh   = "the library replaces a high surrogate and the half of a pair after it"
	runs         = "the client replaces a run of malformed bytes by one U+FFFD, the library each byte"
	splitPair    = "the client joins a surrogate pair that a stream splits"
	trailing     = "the library ignores what follows the object, and the client rejects a damaged body"
	redirected   = "the library follows redirects and sends the key along"
	manyChoices  = "the client reads the choice with index 0 of a stream, and the first one of a whole answer"
	implausible  = "the client ignores implausible counts of tokens"
	failedStatus = "the client treats a failed response as a failure, the library as an empty reply"
)

// TestDifferential compares the client with the bare library on every response. Both
// reply with the same text, or both fail, unless the row has a reason why they differ.
func TestDifferential(t *testing.T) {
	const least = 150
	n := 0
	for _, row := range differential() {
		n++
		t.Run(fmt.Sprintf("%d %s", n, row.name), func(t *testing.T) {
			ours, class := askClient(t, row.response)
			bare := askLibrary(t.Context(), row.response)
			if (ours == bare) != (row.why == same) {
				t.Errorf("client %+v (%s), library %+v, reason %q\n%q", ours, class, bare, row.why, row.body)
			}
			if class != row.class {
				t.Errorf("the class is %q, want %q", class, row.class)
			}
		})
	}
	if n < least {
		t.Errorf("%d responses, want at least %d", n, least)
	}
}

func askClient(t *testing.T, r response) (s seen, class Class) {
	t.Helper()
	c, err := NewClient(Endpoint{BaseURL: "http://endpoint/v1", API: r.api, Transport: r}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Ask(t.Context(), r.request())
	if f, ok := err.(*Failure); ok {
		if f.Message == "" || strings.Contains(f.Message, "Go ") || strings.Contains(f.Message, "openai.") {
			t.Errorf("the message is %q", f.Message)
		}
		return seen{}, f.Class
	} else if err != nil {
		t.Fatal(err)
	}
	return seen{true, a.Text, a.FinishReason, int64(max(0, a.PromptTokens))}, ""
}

// askLibrary makes the request with nothing of ours between the library and the network.
func askLibrary(ctx context.Context, r response) seen {
	options := []option.RequestOption{
		option.WithBaseURL("http://endpoint/v1"),
		option.WithHTTPClient(&http.Client{Transport: r}), option.WithMaxRetries(0),
	}
	if r.api == Responses {
		return askLibraryResponses(ctx, r, responses.NewResponseService(options...))
	}
	service, whole := openai.NewChatCompletionService(options...), openai.ChatCompletion{}
	if r.stream {
		s, all := service.NewStreaming(ctx, r.request().chat()), openai.ChatCompletionAccumulator{}
		for s.Next() {
			all.AddChunk(s.Current())
		}
		if s.Err() != nil {
			return seen{}
		}
		whole = all.ChatCompletion
	} else {
		res, err := service.New(ctx, r.request().chat())
		if err != nil || res == nil { // nil for a body null
			return seen{}
		}
		whole = *res
	}
	if len(whole.Choices) == 0 {
		return seen{}
	}
	c := whole.Choices[0]
	s := seen{true, cmp.Or(c.Message.Content, c.Message.Refusal), c.FinishReason, whole.Usage.PromptTokens}
	for _, call := range c.Message.ToolCalls {
		if r.tool && call.Function.Name == toolName {
			s.text, s.finish = call.Function.Arguments, strings.Replace(s.finish, "tool_calls", "stop", 1)
		}
	}
	return s
}

func askLibraryResponses(ctx context.Context, r response, service responses.ResponseService) seen {
	whole := responses.Response{}
	if r.stream {
		s := service.NewStreaming(ctx, r.request().responses())
		for s.Next() {
			if e := s.Current(); e.JSON.Response.Valid() {
				whole = e.Response
			}
		}
		if s.Err() != nil {
			return seen{}
		}
	} else {
		res, err := service.New(ctx, r.request().responses())
		if err != nil || res == nil { // nil for a body null
			return seen{}
		}
		whole = *res
	}
	if !whole.JSON.Output.Valid() {
		return seen{}
	}
	s := seen{true, whole.OutputText(), cmp.Or(strings.Replace(whole.IncompleteDetails.Reason, "max_output_tokens",
		"length", 1), "stop"), whole.Usage.InputTokens}
	for _, item := range whole.Output {
		if r.tool && item.Name == toolName {
			s.text = item.Arguments.OfString
		}
		for _, part := range item.Content {
			s.text = cmp.Or(s.text, part.Refusal)
		}
	}
	return s
}
