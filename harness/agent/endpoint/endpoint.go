// Package endpoint serves a simulated model on the loopback interface, in every
// form that package wire writes. It passes each request to a [Model] and sends the
// model's answer exactly, including a broken connection or a body that never ends.
// It does not decide what to answer.
package endpoint

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"replanbench/harness"
	"replanbench/harness/agent/wire"
)

// Model answers requests. Several may come at once.
type Model interface {
	// Answer says what to send to a request for an answer of the model.
	Answer(ctx context.Context, r *wire.Request) Delivery
}

// Exchange is a request and what was sent to it, for a log.
type Exchange struct {
	Path    string `json:"path"`
	Request []byte `json:"-"`
	Status  int    `json:"status"` // 0: the connection was closed before
	Answer  []byte `json:"-"`
}

// Options say how to serve. All of them may be left out.
type Options struct {
	Address string         // host:port; the host must be this machine itself
	Key     string         // that requests must carry; "" is any
	Proxy   bool           // counts and refuses requests for other hosts, without a key; forwards its own
	Model   string         // the name in lists of models
	Log     func(Exchange) // called for every exchange, from several goroutines
}

// Endpoint is a server that runs.
type Endpoint struct {
	model   Model
	options Options
	server  *http.Server
	address string
	done    chan struct{} // closed when the server ends

	mu      sync.Mutex
	strange map[string]int // other hosts that agents asked for

	readers chan struct{} // one element for each body that is being read
}

// Limits for foreign requests. A conversation of a million tokens has about 5 MB.
const (
	maxBody    = 32 << 20         // bytes of a body, compressed or not
	maxReaders = 4                // bodies that are read at the same time
	bodyTime   = 30 * time.Second // for one body to arrive, including the wait for a reader
)

// Open begins to serve. The caller closes the endpoint.
func Open(m Model, o Options) (*Endpoint, error) {
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	if err := local(o.Address); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{
		model: m, options: o, address: listener.Addr().String(),
		done: make(chan struct{}), strange: map[string]int{}, readers: make(chan struct{}, maxReaders),
	}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go e.server.Serve(listener) //nolint:errcheck // it ends when it is closed
	return e, nil
}

// local refuses addresses that other machines can reach.
func local(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return harness.Mistakef("%s: expected HOST:PORT, such as 127.0.0.1:8099", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return harness.Mistakef("%s: the endpoint serves only this machine (write 127.0.0.1:PORT)", address)
	}
	return nil
}

// URL is where the endpoint is, without a path.
func (e *Endpoint) URL() string { return "http://" + e.address }

// Close ends the server and its connections.
func (e *Endpoint) Close() error {
	close(e.done)
	return e.server.Close()
}

// Strange counts the requests for other hosts that agents sent here as to a
// proxy, by host. None was let through.
func (e *Endpoint) Strange() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	hosts := map[string]int{}
	maps.Copy(hosts, e.strange)
	return hosts
}

// ServeHTTP answers one request. A request without the key costs nothing: its body is
// not read, it is not recorded, and no tunnel is opened.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	foreign := r.Method == http.MethodConnect || r.URL.Host != "" && r.URL.Host != e.address
	switch {
	case foreign && !e.options.Proxy && !e.allowed(r), !foreign && !e.allowed(r):
		d := refusal(dialect(r, path), http.StatusUnauthorized, "the request lacks the key of this endpoint")
		d.send(r.Context(), w, e.done)
		return
	case r.Method == http.MethodConnect && r.Host == e.address:
		e.tunnel(w)
		return
	case foreign:
		e.refuseHost(w, r)
		return
	}
	body, err := e.read(w, r)
	d := e.answer(r, path, body, err)
	if e.options.Log != nil {
		e.options.Log(Exchange{Path: path, Request: body, Status: d.status(), Answer: d.Body})
	}
	d.send(r.Context(), w, e.done)
}

// read reads a body when one of the readers is free.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	late := time.Now().Add(bodyTime)
	_ = http.NewResponseController(w).SetReadDeadline(late) // a recorder in tests has none
	select {
	case e.readers <- struct{}{}:
		defer func() { <-e.readers }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(time.Until(late)):
		return nil, errBusy
	}
	body, err := readBody(r)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, err
}

// tunnel leads a connection to the endpoint itself: some clients go through a proxy
// whatever NO_PROXY says.
func (e *Endpoint) tunnel(w http.ResponseWriter) {
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	self, err := net.Dial("tcp", e.address)
	if err != nil {
		return
	}
	defer self.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(self, buffered)
		_ = self.Close() // the other direction ends too
	}()
	_, _ = io.Copy(client, self)
}

// refuseHost refuses to be a way to another host.
func (e *Endpoint) refuseHost(w http.ResponseWriter, r *http.Request) {
	host := r.URL.Hostname()
	if host == "" {
		host = r.Host
	}
	e.mu.Lock()
	if len(e.strange) < 1000 {
		e.strange[host]++
	}
	e.mu.Unlock()
	http.Error(w, "replanbench forwards no requests to other machines", http.StatusForbidden)
}

// answer returns the response to a request.
func (e *Endpoint) answer(r *http.Request, path string, body []byte, unread error) Delivery {
	api := dialect(r, path)
	refuse := func(status int, message string) Delivery { return refusal(api, status, message) }
	switch {
	case errors.Is(unread, errBusy):
		return refuse(http.StatusServiceUnavailable, unread.Error())
	case errors.Is(unread, errTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, unread.Error())
	case unread != nil:
		return refuse(http.StatusBadRequest, unread.Error())
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		return Delivery{Type: jsonType, Body: wire.Models(api, e.options.Model, false)}
	case r.Method == http.MethodGet && strings.Contains(path, "/models/"):
		return Delivery{Type: jsonType, Body: wire.Models(api, e.options.Model, true)}
	case strings.HasSuffix(path, "/count_tokens"), strings.HasSuffix(path, ":countTokens"):
		return Delivery{Type: jsonType, Body: wire.Tokens(api, len(body)/4)}
	}
	if _, _, _, ok := wire.Path(path); !ok || r.Method != http.MethodPost {
		return refuse(http.StatusNotFound, fmt.Sprintf("unknown path: %s %s", r.Method, path))
	}
	request, err := wire.Read(path, body, r.URL.Query().Get("alt") != "sse")
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	request.URL, request.Gzip = e.URL()+r.URL.RequestURI(), strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	return e.model.Answer(r.Context(), request)
}

// refusal is an error in the form of an API.
func refusal(api wire.API, status int, message string) Delivery {
	return Delivery{Status: status, Type: jsonType, Body: wire.Error(api, status, message)}
}

const jsonType = "application/json"

// dialect returns the API in which to answer a request that is not for the model.
func dialect(r *http.Request, path string) wire.API {
	if api, _, _, ok := wire.Path(path); ok {
		return api
	}
	switch {
	case r.Header.Get("Anthropic-Version") != "", strings.HasSuffix(path, "/count_tokens"):
		return wire.Messages
	case strings.Contains(path, "/v1beta/"), strings.HasSuffix(path, ":countTokens"):
		return wire.Gemini
	}
	return wire.Chat
}

// allowed reports whether the request carries the key, in any of the places
// where clients put it.
func (e *Endpoint) allowed(r *http.Request) bool {
	if e.options.Key == "" {
		return true
	}
	for _, key := range []string{
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.Header.Get("X-Api-Key"),
		r.Header.Get("X-Goog-Api-Key"), r.URL.Query().Get("key"),
	} {
		if subtle.ConstantTimeCompare([]byte(key), []byte(e.options.Key)) == 1 {
			return true
		}
	}
	return false
}

var (
	errTooLarge = fmt.Errorf("the body is larger than %d MiB", maxBody>>20)
	errBusy     = fmt.Errorf("%d other requests are still being read", maxReaders)
)

// readBody reads the body of a request, as it was before it was compressed.
func readBody(r *http.Request) ([]byte, error) {
	plain, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	body, err := io.ReadAll(io.LimitReader(plain, maxBody+1))
	switch {
	case err != nil:
		return body, fmt.Errorf("the body cannot be read: %w", err)
	case len(body) > maxBody:
		return body[:0], errTooLarge
	}
	return body, nil
}

// decompressed returns the body without its encoding. The caller closes it.
func decompressed(r *http.Request) (io.ReadCloser, error) {
	in := io.LimitReader(r.Body, maxBody+1)
	var plain io.ReadCloser
	var err error
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		return io.NopCloser(in), nil
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(in)
	case "deflate":
		plain, err = zlib.NewReader(in)
	case "br":
		return io.NopCloser(brotli.NewReader(in)), nil
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in, zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderConcurrency(1)); err == nil {
			plain = d.IOReadCloser()
		}
	default:
		return nil, errors.New("unknown content-encoding " + encoding + " (gzip, deflate, br, zstd)")
	}
	if err != nil {
		return nil, fmt.Errorf("the body cannot be decompressed: %w", err)
	}
	return plain, nil
}
