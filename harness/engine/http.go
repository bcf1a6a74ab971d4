package engine

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/live/redact"
)

// HTTP is an engine behind an HTTP endpoint: each request is one POST. This program cannot
// restart such an engine. It gives the engine up after too many unreachable requests in a row.
type HTTP struct {
	remote // which counts requests in a row that got no answer at all
	url    string
	secret redact.Secrets // secrets of the address; no answer and no failure contains them
	client *http.Client
	window chan struct{} // holds a token for each request under way
	lastID atomic.Int64
}

// Dial connects to the engine at a URL and sends initialize.
func Dial(ctx context.Context, address string, o Options) (*HTTP, error) {
	return dial(ctx, address, o, &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialPrompt, MaxIdleConnsPerHost: maxWindow,
	})
}

func dial(ctx context.Context, address string, o Options, transport *http.Transport) (*HTTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the engine's address %q is not a URL of the form http://host:port/path", address)
	}
	e := &HTTP{
		remote: remote{o: o.withDefaults()}, url: u.String(), secret: redact.New(redact.Address(address)...),
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	m, f := e.post(ctx, rpc.Initialize, initializeParams(), e.o.Start)
	if f == nil {
		e.hello, err = readHello(m, m.ID)
	} else {
		err = f
	}
	if err != nil {
		return nil, fmt.Errorf("the engine at %s: %w", u.Redacted(), err)
	}
	e.said = e.o.Restate(e.hello)
	e.window = make(chan struct{}, e.hello.Window)
	return e, nil
}

// Hello returns what the engine declared, restated.
func (e *HTTP) Hello(context.Context) (harness.Hello, error) { return e.said, nil }

// Eval evaluates a case, as [Subprocess.Eval] does.
func (e *HTTP) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	a, err := e.ask(ctx, c)
	return a.outcome(c, err)
}

// Ask evaluates a case, as [Subprocess.Ask] does.
func (e *HTTP) Ask(ctx context.Context, c harness.Case) ([]byte, error) {
	a, err := e.ask(ctx, c)
	return a.result(err)
}

// ask sends a case and waits for its answer.
func (e *HTTP) ask(ctx context.Context, c harness.Case) (answer, error) {
	params, err := e.encode(ctx, c)
	if err != nil {
		return answer{}, err
	}
	select {
	case e.window <- struct{}{}:
		defer func() { <-e.window }()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	if err := e.given(ctx); err != nil {
		return answer{}, err
	}
	m, f := e.post(ctx, rpc.Eval, params, e.o.Deadline)
	switch {
	case f != nil && ctx.Err() != nil:
		return answer{}, ctx.Err()
	case f != nil && f.Kind == "":
		return answer{}, e.stop(fmt.Errorf("%w: %s", harness.ErrStopped, f.Detail))
	case f != nil:
		return answer{}, f
	}
	return answer{message: m}, nil
}

// Close sends the shutdown notification and ignores errors.
func (e *HTTP) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), e.o.Grace)
	defer cancel()
	if r, err := e.send(ctx, rpc.AppendShutdown(nil)); err == nil {
		r.Body.Close()
	}
	e.client.CloseIdleConnections()
	return nil
}

// reached counts the requests in a row that got no response, or none in time.
func (e *HTTP) reached(ctx context.Context, why *harness.Failure) {
	if ctx.Err() != nil || isFree(ctx) && why != nil {
		return
	}
	e.mu.Lock()
	if e.count++; why == nil {
		e.count = 0
	}
	n := e.count
	e.mu.Unlock()
	if n > e.o.MaxRestarts {
		_ = e.stop(fmt.Errorf("%w: %d requests in a row got no response (--max-restarts): it %s", harness.ErrStopped, n,
			why.Detail))
	}
}

func (e *HTTP) send(ctx context.Context, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	return e.client.Do(r)
}

// post sends a request and reads its response, without the secrets of the address.
func (e *HTTP) post(ctx context.Context, method string, params []byte, deadline time.Duration) (message,
	*harness.Failure,
) {
	m, f := e.exchange(ctx, method, params, deadline)
	if f != nil {
		f.Detail = e.secret.Text(f.Detail)
	}
	return m, f
}

func (e *HTTP) exchange(ctx context.Context, method string, params []byte, deadline time.Duration) (message,
	*harness.Failure,
) {
	id := e.lastID.Add(1)
	timed, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	r, err := e.send(timed, rpc.AppendRequest(nil, id, method, params))
	if err != nil {
		f := transportFailure(err, deadline)
		e.reached(ctx, f)
		return message{}, f
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, rpc.MaxLine+1))
	body = []byte(e.secret.Text(string(body)))
	f := httpFailure(r, body, err, deadline)
	if f == nil || f.Kind != hang {
		e.reached(ctx, nil)
	} else {
		e.reached(ctx, f)
	}
	if f != nil {
		return message{}, f
	}
	body = bytes.TrimSpace(body)
	m := message{line: body}
	if m.Response, err = rpc.DecodeResponse(body); err != nil {
		return m, failure(protocol, "sent an invalid body: %s (%v)", quote(body), err)
	}
	if m.ID != id {
		return m, failure(protocol, "answered request %d with id %d: %s", id, m.ID, quote(body))
	}
	return m, nil
}

// httpFailure reports what keeps a response from holding an answer.
func httpFailure(r *http.Response, body []byte, err error, deadline time.Duration) *harness.Failure {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // "" if the header is missing
	switch {
	case r.StatusCode >= 300 && r.StatusCode < 400:
		return failure(protocol, "answered with a redirect to %s (redirects are not followed; give that address)",
			quote([]byte(r.Header.Get("Location"))))
	case r.StatusCode >= 500:
		return failure(crash, "answered with status %s: %s", quote([]byte(r.Status)), quote(body))
	case r.StatusCode != http.StatusOK:
		return failure(protocol, "answered with status %s, want 200 (is it the right path?): %s", quote([]byte(r.Status)),
			quote(body))
	case errors.Is(err, context.DeadlineExceeded):
		return failure(hang, "did not finish its response within %v", deadline)
	case err != nil:
		return failure(crash, "closed the connection in the middle of a response: %v", err)
	case len(body) > rpc.MaxLine:
		return failure(protocol, "sent a response of more than %d MiB", rpc.MaxLine>>20)
	case kind != "application/json":
		return failure(protocol, "answered with content type %s, expected application/json: %s",
			quote([]byte(r.Header.Get("Content-Type"))), quote(body))
	}
	return nil
}

// transportFailure explains why there was no response. A failure without a kind is not the
// engine's fault.
func transportFailure(err error, deadline time.Duration) *harness.Failure {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		dns       *net.DNSError
		op        *net.OpError
	)
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // drop the address, which the message already contains
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return failure(hang, "gave no answer within %v", deadline)
	case exhausted(err):
		return failure("", "replanbench has run out of files, memory or processes: %v (raise ulimit -n, or use fewer "+
			"--workers)", err)
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &record),
		errors.Is(err, http.ErrSchemeMismatch):
		return failure(crash, "could not be reached over TLS: %v (an endpoint without TLS has an http: address)", err)
	case errors.As(err, &dns):
		return failure(crash, "could not be reached: %v (check the host name)", err)
	case errors.As(err, &op) && op.Op == "dial":
		return failure(crash, "could not be reached: %v (check that it runs, and on this port)", err)
	}
	return failure(crash, "closed the connection: %v", err)
}
