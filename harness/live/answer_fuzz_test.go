package live_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"replanbench/harness/live"
)

// canned answers every request with one body.
type canned struct{ status, kind, body string }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	res := &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(c.body)),
	}
	if c.status == "bad" {
		res.StatusCode = http.StatusInternalServerError
	}
	res.Header.Set("Content-Type", c.kind)
	return res, nil
}

// FuzzAnswer checks that whatever an endpoint sends, whole or as a stream, is an
// answer or a failure, and that the key is in neither.
func FuzzAnswer(f *testing.F) {
	const key = "sk-canary-0123"
	f.Add(`{"choices":[{"message":{"content":"hello `+key+`"},"finish_reason":"stop"}]}`, false, false)
	f.Add("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"sk-can\"}}]}\n\ndata: "+
		"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ary-0123\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		true, false)
	f.Add(`{"error":{"message":"`+key+`","code":5}}`, false, true)
	f.Fuzz(func(t *testing.T, body string, stream, bad bool) {
		c := canned{kind: "application/json", body: body}
		if stream {
			c.kind = "text/event-stream"
		}
		if bad {
			c.status = "bad"
		}
		client, err := live.NewClient(live.Endpoint{BaseURL: "http://endpoint/v1", Key: key, Transport: c, MaxBody: 1 << 20},
			time.Now)
		if err != nil {
			t.Fatal(err)
		}
		a, err := client.Ask(t.Context(), live.Request{Name: "x", Model: "m", Params: live.Params{Stream: stream}})
		var failure *live.Failure
		switch {
		case err != nil && !errors.As(err, &failure):
			t.Errorf("the error %v is no failure", err)
		case err != nil && strings.Contains(err.Error(), key), strings.Contains(a.Text+a.FinishReason, key):
			t.Errorf("the key came out: %q, %v", a.Text, err)
		}
	})
}
