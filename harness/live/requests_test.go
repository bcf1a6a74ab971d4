package live

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/testdata/golden"
)

// sent is a request as a server gets it.
type sent struct {
	URL, Body string
	Headers   http.Header
}

// listen is a transport that keeps the last request and returns an empty object.
type listen struct{ sent *sent }

func (l listen) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	*l.sent = sent{req.URL.String(), string(bytes.TrimSpace(body)), req.Header}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader([]byte("{}"))),
	}, nil
}

// TestRequests compares requests with a file, byte by byte: cassettes find a recording
// by its body. It sets every variable that OpenAI's library reads, and none may matter.
func TestRequests(t *testing.T) {
	for _, name := range []string{"BASE_URL", "API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"} {
		t.Setenv("OPENAI_"+name, "http://environment/"+name)
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-More: environment\nX-Environment: environment")
	text := "a <b> & \"c\" \u2028 é \U0001F600"
	messages := []Message{
		{Role: "system", Content: text},
		{Role: "user", Content: "u"},
		{Role: "assistant", Content: "a"},
		{Role: "user", Content: ""},
	}
	zero, half, seed := 0.0, 0.5, int64(-7)
	schema := jsontext.Value(`{"type":"object","properties":{"z":{},"a":{"description":"<&>"}}}`)
	cases := map[string]Params{
		"plain":      {},
		"numbers":    {Temperature: &zero, TopP: &half, Seed: &seed, ReplyTokens: 900, Stop: []string{"\n", "<end>"}},
		"completion": {ReplyTokens: 900, Completion: true},
		"stream":     {Stream: true},
		"object":     {Format: jsonObject},
		"schema":     {Format: jsonSchema, Schema: schema, Stream: true},
		"tool":       {Format: tool, Schema: schema, Body: map[string]jsontext.Value{"user": jsontext.Value(`"<u>"`)}},
		"body": {Body: map[string]jsontext.Value{
			"reasoning_effort":     jsontext.Value(`"low"`),
			"chat_template_kwargs": jsontext.Value(`{"b": [1, 2.50], "a": null}`),
		}},
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for _, api := range []API{Chat, Responses} {
			for _, bare := range []bool{false, true} {
				var got sent
				e := Endpoint{BaseURL: "http://host/v1/", API: api, Transport: listen{&got}}
				if !bare {
					e.Key, e.Organization, e.Project = "k", "o", "p"
					e.Headers, e.Query = []Pair{{"X-More", "m"}}, []Pair{{"api-version", "2 3"}}
				}
				c, err := NewClient(e, time.Now)
				if err != nil {
					t.Fatal(err)
				}
				// the empty object is no answer
				_, _ = c.Ask(t.Context(), Request{Model: "m", Messages: messages, Params: cases[name]})
				fmt.Fprintf(&all, "%s %s %s %v\n%s\n", name, api, got.URL, got.Headers, got.Body)
			}
		}
	}
	golden.Check(t, filepath.Join("testdata", "requests.golden"), []byte(all.String()))
}
