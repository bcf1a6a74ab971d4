package endpoint_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"replanbench/harness/agent/endpoint"
)

// FuzzServe sends foreign requests: each gets an answer that is not a failure of
// the endpoint, and none goes to another host.
func FuzzServe(f *testing.F) {
	f.Add("POST", "/v1/chat/completions", "", []byte(hello))
	f.Add("POST", "/v1/chat/completions", "gzip", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 0, 0, 0xff, 0xff})
	f.Add("POST", "/v1/responses", "zstd", []byte("(\xb5/\xfd"))
	f.Add("POST", "/v1/messages/count_tokens", "br", []byte("x"))
	f.Add("POST", "/v1beta/models/x:streamGenerateContent?alt=sse", "deflate", []byte("x"))
	f.Add("GET", "/v1/models/m", "", []byte(nil))
	f.Add("GET", "http://elsewhere/v1/models", "", []byte(nil))
	e, err := endpoint.Open(echo{}, endpoint.Options{Model: "m", Proxy: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, method, target, encoding string, body []byte) {
		u, err := url.Parse(target)
		if err != nil || method == http.MethodConnect { // a tunnel takes the connection over
			return
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1/", bytes.NewReader(body))
		if err != nil {
			return
		}
		r.URL = u
		r.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		switch {
		case u.Host != "" && w.Code != http.StatusForbidden:
			t.Errorf("%s %q: status %d", method, target, w.Code)
		case w.Code >= 500, w.Body.Len() == 0:
			t.Errorf("%s %q: status %d with %d bytes", method, target, w.Code, w.Body.Len())
		}
	})
}
