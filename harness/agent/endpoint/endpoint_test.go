package endpoint_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
)

// echo says what it was asked last.
type echo struct{}

func (echo) Answer(_ context.Context, r *wire.Request) endpoint.Delivery {
	text := ""
	if len(r.Messages) > 0 {
		text = r.Messages[len(r.Messages)-1].Text
	}
	return endpoint.Deliver(r, wire.Write(r, wire.Answer{ID: "a", Model: r.Model, Text: text, Finish: wire.Stop}))
}

func open(t *testing.T, o endpoint.Options) *endpoint.Endpoint {
	t.Helper()
	e, err := endpoint.Open(echo{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// ask sends a request, and returns the status and the body of the answer.
func ask(t *testing.T, method, address string, body []byte, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

const hello = `{"model":"m","messages":[{"role":"user","content":"prüfen"}]}`

// TestKey takes the key wherever clients put it, and no other.
func TestKey(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{Key: "secret-key"})
	at := e.URL() + "/v1/chat/completions"
	for _, header := range [][]string{
		{"Authorization", "Bearer secret-key"},
		{"x-api-key", "secret-key"},
		{"x-goog-api-key", "secret-key"},
	} {
		if status, body := ask(t, "POST", at, []byte(hello), header...); status != 200 || !strings.Contains(body, "prüfen") {
			t.Errorf("%v: %d %s", header, status, body)
		}
	}
	if status, _ := ask(t, "POST", at+"?key=secret-key", []byte(hello)); status != 200 {
		t.Errorf("in the query: %d", status)
	}
	if status, body := ask(t, "POST", at, []byte(hello), "Authorization", "Bearer sk-real"); status != 401 ||
		!strings.Contains(body, "authentication_error") {
		t.Errorf("another key: %d %s", status, body)
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestKeyFirst does nothing for a request without the key: the body is not read, nothing
// is recorded, and no tunnel is opened.
func TestKeyFirst(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{Key: "secret-key", Log: func(x endpoint.Exchange) { t.Errorf("recorded: %s", x.Path) }})
	self := strings.TrimPrefix(e.URL(), "http://")
	for _, tc := range []struct{ method, url, host string }{
		{"POST", "/v1/chat/completions", self},
		{"POST", "/v1/responses", self},
		{"GET", "/v1/models", self},
		{"CONNECT", "//" + self, self},
		{"CONNECT", "//models.example.org:443", "models.example.org:443"},
		{"GET", "http://models.example.org/list", "models.example.org"},
	} {
		r := httptest.NewRequest(tc.method, "http://x/", unread{t})
		r.Host, r.Header = tc.host, http.Header{"Content-Encoding": {"gzip"}, "Authorization": {"Bearer other"}}
		var err error
		if r.URL, err = url.Parse(tc.url); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "lacks the key of this endpoint") {
			t.Errorf("%s %s: %d %s", tc.method, tc.url, w.Code, w.Body)
		}
	}
	if hosts := e.Strange(); len(hosts) != 0 {
		t.Errorf("counted %v", hosts)
	}
}

// TestLargeBodiesInBulk refuses a body that is too large only after decompression.
func TestLargeBodiesInBulk(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{})
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(make([]byte, 40<<20)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	at := e.URL() + "/chat/completions"
	if status, body := ask(t, "POST", at, b.Bytes(), "Content-Encoding", "gzip"); status != 413 ||
		!strings.Contains(body, "larger than") {
		t.Errorf("%d bytes of gzip: %d %s", b.Len(), status, body)
	}
}

// TestCompressed reads compressed requests.
func TestCompressed(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{})
	for name, writer := range map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	} {
		var b bytes.Buffer
		w := writer(&b)
		if _, err := io.WriteString(w, hello); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if status, body := ask(t, "POST", e.URL()+"/chat/completions", b.Bytes(), "Content-Encoding", name); status != 200 ||
			!strings.Contains(body, "prüfen") {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if status, _ := ask(t, "POST", e.URL()+"/chat/completions", []byte("\x00\x01nonsense"), "Content-Encoding",
			name); status != 400 {
			t.Errorf("%s that is none: %d", name, status)
		}
	}
	if status, body := ask(t, "POST", e.URL()+"/responses", []byte("x"), "Content-Encoding", "compress"); status != 400 ||
		!strings.Contains(body, "unknown content-encoding") {
		t.Errorf("unknown: %d %s", status, body)
	}
}

// TestPlaces answers at every place that clients ask at, and says 404 in JSON
// elsewhere.
func TestPlaces(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{Model: "m1"})
	for _, x := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/models", "", 200, `"object":"list"`},
		{"GET", "/v1/models/m1", "", 200, `"id":"m1"`},
		{"GET", "/v1beta/models", "", 200, `"supportedGenerationMethods"`},
		{"POST", "/v1/messages/count_tokens", `{}`, 200, `"input_tokens"`},
		{"POST", "/v1beta/models/m1:countTokens", `{}`, 200, `"totalTokens"`},
		{"POST", "/api/v3/responses", `{"input":"x"}`, 200, `"output_text"`},
		{"POST", "/v1/messages/", `{"messages":[{"role":"user","content":"x"}]}`, 200, `"type":"message"`},
		{"POST", "/v1/messages", `{"messages":5}`, 400, `"type":"error"`},
		{"POST", "/v1/chat/completions", ``, 400, `it is empty`},
		{"GET", "/", "", 404, `"error"`},
		{"GET", "/v1/chat/completions", "", 404, `"error"`},
	} {
		if status, body := ask(t, x.method, e.URL()+x.path, []byte(x.body)); status != x.status ||
			!strings.Contains(body, x.want) {
			t.Errorf("%s %s: %d %s", x.method, x.path, status, body)
		}
	}
}

// TestThisMachineAlone refuses addresses that others can reach.
func TestThisMachineAlone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":8099", "example.org:80", "192.168.1.1:80", "127.0.0.1"} {
		if e, err := endpoint.Open(echo{}, endpoint.Options{Address: address}); err == nil {
			e.Close()
			t.Errorf("%s: served", address)
		}
	}
}

// TestNoWayOut refuses to be a proxy to anywhere but itself.
func TestNoWayOut(t *testing.T) {
	t.Parallel()
	e := open(t, endpoint.Options{Proxy: true})
	proxy, err := url.Parse(e.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	answer, err := client.Get("http://models.example.org/list")
	if err != nil || answer.StatusCode != http.StatusForbidden {
		t.Fatalf("another host: %v %v", answer, err)
	}
	answer.Body.Close()
	if _, err := client.Get("https://secure.example.org/"); err == nil {
		t.Error("a tunnel to another host was opened")
	}
	if got := e.Strange(); got["models.example.org"] != 1 || got["secure.example.org:443"]+got["secure.example.org"] != 1 {
		t.Errorf("strange hosts %v", got)
	}
	if answer, err = client.Post(e.URL()+"/v1/chat/completions", "application/json",
		strings.NewReader(hello)); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("itself as a proxy: %v %v", answer, err)
	}
	answer.Body.Close()
	conn, err := net.Dial("tcp", proxy.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := "CONNECT " + proxy.Host + " HTTP/1.1\r\nHost: " + proxy.Host +
		"\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(text), `"object":"list"`) {
		t.Errorf("a tunnel to itself: %v %s", err, text)
	}
}
