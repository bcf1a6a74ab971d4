package engine_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/testdata/memnet"
)

// faultyServer serves a good engine, except that fault answers the cases.
func faultyServer(t *testing.T, fault http.HandlerFunc) *httptest.Server {
	good := rpc.Handler(echo{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if fault != nil && strings.Contains(string(body), trigger) {
			fault(w, r)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		good.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // the faults are on purpose
	t.Cleanup(s.Close)
	return s
}

// httpFault is a server's behaviour on the case with the trigger, and the expected result of
// that case.
type httpFault struct {
	name   string
	fault  http.HandlerFunc
	kind   harness.Status
	detail string
}

func httpFaults() []httpFault {
	status := func(code int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(header, value)
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	return []httpFault{
		{"500", status(500, "X", "", "stack\ttrace"), harness.Crash, `"500 Internal Server Error": "stack\ttrace"`},
		{"404", status(404, "X", "", "nothing here"), harness.ProtocolFailure, "is it the right path?"},
		{
			"redirect", status(307, "Location", "/v2", ""), harness.ProtocolFailure,
			`redirect to "/v2" (redirects are not followed`,
		},
		{
			"wrong content type", status(200, "Content-Type", "text/html", "<html>"), harness.ProtocolFailure,
			`content type "text/html", expected application/json: "<html>"`,
		},
		{"not JSON", status(200, "X", "", "ok"), harness.ProtocolFailure, `an invalid body: "ok"`},
		{
			"wrong id", status(200, "X", "", response("9999", `{"verdict":"unsupported"}`)), harness.ProtocolFailure,
			"with id 9999",
		},
		{"endless body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for chunk := strings.Repeat(" ", 1<<20); ; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}, harness.ProtocolFailure, "more than 8 MiB"},
		{"slow body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, harness.Hang, "did not finish its response within 5m0s"},
		{
			"no answer", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, harness.Hang,
			"gave no answer within 5m0s",
		},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}, harness.Crash, "closed the connection"},
		{"broken off in the body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"jsonrpc":`)
		}, harness.Crash, "closed the connection in the middle of a response"},
	}
}

// TestHTTPFaults simulates time and the network for engines that hang.
func TestHTTPFaults(t *testing.T) {
	for _, tc := range httpFaults() {
		t.Run(tc.name, func(t *testing.T) {
			if tc.kind != harness.Hang {
				s := faultyServer(t, tc.fault)
				s.Start()
				tc.test(t, dial(t, s.URL, engine.Options{Deadline: patience}))
				return
			}
			synctest.Test(t, func(t *testing.T) {
				s := faultyServer(t, tc.fault)
				s.Listener.Close() // close the real listener
				l := memnet.Listen()
				s.Listener = l
				s.Start()
				e, err := engine.DialBy(t.Context(), "http://engine/", engine.Options{Deadline: patience}, l.Transport())
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				tc.test(t, e)
			})
		})
	}
}

func (f httpFault) test(t *testing.T, e *engine.HTTP) {
	before := heap()
	for _, r := range evalAll(t, e, 20) {
		if r.reply != trigger {
			wantAnswer(t, r)
			continue
		}
		wantFailure(t, r.err, f.kind, f.detail)
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func dial(t *testing.T, url string, o engine.Options) *engine.HTTP {
	t.Helper()
	e, err := engine.Dial(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestDialFails(t *testing.T) {
	secure := faultyServer(t, nil)
	secure.StartTLS()
	plain := faultyServer(t, nil)
	plain.Start()
	for _, tc := range []struct{ name, url, want string }{
		{"refused", "http://" + unusedAddress(t), "connection refused (check that it runs, and on this port)"},
		{"unknown authority", secure.URL, "over TLS"},
		{
			"plain behind https", strings.Replace(plain.URL, "http:", "https:", 1),
			"an endpoint without TLS has an http: address",
		},
		{"not a URL", "localhost:80", "is not a URL of the form"},
		{"file", "file:///etc/passwd", "is not a URL of the form"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := engine.Dial(t.Context(), tc.url, engine.Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant … %s …", err, tc.want)
			}
		})
	}
}

func unusedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A server that goes away is given up after a few cases.
func TestHTTPGoesAway(t *testing.T) {
	s := faultyServer(t, nil)
	s.Start()
	e := dial(t, s.URL, engine.Options{MaxRestarts: 2})
	s.Close()
	for i := range 6 {
		_, err := e.Eval(t.Context(), testCase(fmt.Sprint(i)))
		if stopped := errors.Is(err, harness.ErrStopped); stopped != (i > 2) {
			t.Errorf("case %d: got %v", i, err)
		}
	}
}

// A server that always hangs is given up as well, with or without partial output. Free requests
// do not count.
func TestHTTPHangs(t *testing.T) {
	for _, fault := range httpFaults() {
		if fault.kind != harness.Hang {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			s := faultyServer(t, fault.fault)
			s.Listener.Close() // close the real listener
			l := memnet.Listen()
			s.Listener = l
			s.Start()
			e, err := engine.DialBy(t.Context(), "http://engine/", engine.Options{MaxRestarts: 2}, l.Transport())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			for range 3 {
				_, err := e.Eval(engine.Free(t.Context()), testCase(trigger))
				wantFailure(t, err, harness.Hang, "")
			}
			for i := range 6 {
				_, err := e.Eval(t.Context(), testCase(trigger))
				if stopped := errors.Is(err, harness.ErrStopped); stopped != (i > 2) {
					t.Errorf("%s: case %d: got %v", fault.name, i, err)
				}
			}
		})
	}
}
