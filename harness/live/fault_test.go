package live_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"replanbench/corpora"
	"replanbench/harness/live"
)

// fault is how the server misbehaves. With once it does so for the first
// request alone, then answers well.
type fault struct {
	name   string
	handle http.HandlerFunc
	stream bool
	class  live.Class // "" where it is an answer nevertheless
	kind   string     // of such an answer
	retry  bool
}

func status(code int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		answer(w, code, contentType, body)
	}
}

func errorBody(code, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","code":%q}}`, message, code)
}

// hijacked takes over the connection.
func hijacked(f func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // httptest servers can be taken over
		}
		f(c)
		_ = c.Close() // nobody listens any more
	}
}

func faults() []fault {
	const ok, jsonType = http.StatusOK, "application/json"
	whole := completion(goodPatch, "stop")
	return []fault{
		{"429", status(429, jsonType, errorBody("rate_limit_exceeded", "slow down")), false, live.RateLimit, "", true},
		{
			"429 with Retry-After", status(429, jsonType, errorBody("rate_limit_exceeded", "slow down"), "Retry-After", "7"),
			false, live.RateLimit, "", true,
		},
		{
			"429 without quota", status(429, jsonType, errorBody("insufficient_quota", "no money")), false, live.Quota, "",
			false,
		},
		{"500", status(500, jsonType, errorBody("", "oh")), false, live.ServerError, "", true},
		{
			"502 as a page", status(502, "text/html", "<html><body>Bad Gateway</body></html>"), false, live.ServerError, "",
			true,
		},
		{"timeout", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // without reading on, the server does not see the client go
			<-r.Context().Done()
		}, false, live.Timeout, "", true},
		{"connection reset", hijacked(func(c net.Conn) {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // then closing resets
			}
		}), false, live.Connection, "", true},
		{"body cut", hijacked(func(c net.Conn) {
			w := bufio.NewWriter(c)
			fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(whole),
				whole[:len(whole)/2])
			_ = w.Flush() // nobody listens any more
		}), false, live.BodyCut, "", true},
		{"stream cut", status(ok, "text/event-stream", stream(goodPatch, "stop", true)), true, live.StreamCut, "", true},
		{"malformed JSON", status(ok, jsonType, `{"choices":[{"message":`), false, live.BadJSON, "", true},
		{"not a completion", status(ok, jsonType, `"hello"`), false, live.BadJSON, "", true},
		{"empty body", status(ok, jsonType, ""), false, live.BadJSON, "", true},
		{"wrong content type", status(ok, "text/html", "<html>log in</html>"), false, live.WrongType, "", true},
		{"empty choices", status(ok, jsonType, `{"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}`), false, live.NoChoices, "", true},
		{
			"choices that are no list", status(ok, jsonType, `{"choices":{"0":{"message":{"content":"x"}}}}`), false,
			live.NoChoices, "", true,
		},
		{
			"an error with status 200", status(ok, jsonType, errorBody("server_error", "busy")), false, live.ServerError, "",
			true,
		},
		{"an error in a stream", status(ok, "text/event-stream", "data: "+errorBody("rate_limit_exceeded", "slow down")+
			"\n\n"), true, live.RateLimit, "", true},
		{
			"a lone surrogate", status(ok, jsonType,
				`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"\ud800 lone"}}]}`), false,
			"", "replaced_characters", false,
		},
		{"refusal", status(ok, jsonType, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"I will not"}}]}`), false, "", "refusal", false},
		{"tool call", status(ok, jsonType, `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`), false, "", "tool_call", false},
		{
			"length", status(ok, jsonType, completion(`{"update_steps":[{"id":"b","desc`, "length")), false, "",
			"finish_reason length", false,
		},
		{
			"context length", status(400, jsonType, errorBody("context_length_exceeded", "too long")), false,
			live.ContextLength, "", false,
		},
		{"bad request", status(400, jsonType, errorBody("invalid_value", "temperature")), false, live.BadRequest, "", false},
		{
			"unauthorized", status(401, jsonType, errorBody("invalid_api_key", "wrong key")), false, live.Unauthorized, "",
			false,
		},
		{"no such model", status(404, jsonType, errorBody("model_not_found", "no model")), false, live.NotFound, "", false},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			block := strings.Repeat(" ", 1<<20)
			for range 100 {
				if _, err := io.WriteString(w, block); err != nil {
					return
				}
			}
		}, false, live.TooLarge, "", false},
		{"too large when decompressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, live.DefaultMaxBody+1)) // the client may have gone
			_ = z.Close()
		}, false, live.TooLarge, "", false},
	}
}

// TestFaults: every fault is classified and retried as it should be, and what
// was recorded before stays.
func TestFaults(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			for name, times := range map[string]int{"once": 1, "always": 1000} {
				t.Run(name, func(t *testing.T) {
					if f.class == live.Timeout {
						synctest.Test(t, func(t *testing.T) { f.test(t, times) })
						return
					}
					f.test(t, times)
				})
			}
		})
	}
}

// test asks three cases; the server fails from the second on, so many times.
// Where it gives no answer, time is simulated.
func (f fault) test(t *testing.T, times int) {
	var asked atomic.Int64 // by handlers that may outlive their client
	handle := func(w http.ResponseWriter, r *http.Request, n int) {
		asked.Add(1)
		switch {
		case n >= 1 && n < 1+times:
			f.handle(w, r)
		case f.stream:
			answer(w, http.StatusOK, "text/event-stream; charset=utf-8", stream(goodPatch, "stop", false))
		default:
			good(w, r)
		}
	}
	endpoint := live.Endpoint{Key: "sk-test", Timeout: time.Minute}
	if f.class == live.Timeout {
		endpoint.BaseURL, endpoint.Transport = "http://model/v1", serveInMemory(t, handle)
	} else {
		endpoint.BaseURL = serve(t, handle).URL + "/v1"
	}
	s := newSetup(t, "http://nobody", 3)
	s.options.Client = client(t, endpoint)
	s.plan.Params.Stream = f.stream
	s.plan.Profile.Ladder = s.plan.Profile.Ladder[:1]
	s.options.Retry.Tries = 3
	result := s.run(t, false)
	requests := int(asked.Load())
	if result.Spent.Requests != requests {
		t.Errorf("%d requests are counted, and %d came", result.Spent.Requests, requests)
	}
	replies, lost := readRun(t, s.corpus)
	if len(replies) != result.Replies || len(replies) < 1 || string(replies[0].Reply) != goodPatch {
		t.Fatalf("%d records for %d replies, or the first is lost", len(replies), result.Replies)
	}
	if len(lost) != result.Failed {
		t.Errorf("%d failures are recorded, want %d", len(lost), result.Failed)
	}
	for _, r := range lost {
		if r.Failure.Class != string(f.class) || r.Failure.Message == "" ||
			r.FailedTries[len(r.FailedTries)-1] != string(f.class) {
			t.Errorf("the failure is recorded as %+v after %v, want %s", r.Failure, r.FailedTries, f.class)
		}
	}
	if f.class == "" {
		f.answered(t, result)
		return
	}
	failed := 0
	for _, c := range result.Tries {
		if c.Name != string(f.class) {
			t.Errorf("a try failed as %s, want %s", c.Name, f.class)
		}
		failed += c.N
	}
	if failed+result.Replies != requests {
		t.Errorf("%d failed tries and %d replies are not %d requests", failed, result.Replies, requests)
	}
	switch {
	case f.retry && times == 1:
		if result.Whole != s.plan.Cases.N || failed != 1 {
			t.Errorf("%d whole cells after %d failed tries, want %d after 1", result.Whole, failed, s.plan.Cases.N)
		}
	case f.retry:
		if n := s.plan.Cases.N - 1; result.Failed != n || failed != 3*n {
			t.Errorf("%d cells failed after %d tries, want %d with 3 tries each", result.Failed, failed, n)
		}
	case result.Failed < 1 || failed != result.Failed:
		t.Errorf("%d cells failed after %d tries, want one try each", result.Failed, failed)
	}
}

// answered: the model answered, though not with whole, plain text.
func (f fault) answered(t *testing.T, r *live.Result) {
	if r.Whole != 3 || r.Replies != 3 || len(r.Tries) != 0 {
		t.Errorf("%d whole cells, %d replies, failed tries %v; want 3, 3 and none", r.Whole, r.Replies, r.Tries)
	}
	if len(r.Answers) != 1 || r.Answers[0].Name != f.kind {
		t.Errorf("the answers are %v, want some %s", r.Answers, f.kind)
	}
}

// readRun reads the replies of a corpus and the requests that got none.
func readRun(t *testing.T, file string) (replies, lost []corpora.Record) {
	t.Helper()
	for _, r := range readCorpus(t, file) {
		if r.Failure != nil {
			lost = append(lost, r)
		} else {
			replies = append(replies, r)
		}
	}
	return replies, lost
}

func readCorpus(t *testing.T, file string) []corpora.Record {
	t.Helper()
	var list []corpora.Record
	for r, err := range corpora.File(file).Records() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestRetryAfter: a wait that the endpoint asks for is kept, and one that is too
// long gives the request up.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		after string
		want  time.Duration
		whole int
	}{{"7", 7 * time.Second, 1}, {"100000", 0, 0}, {"", time.Second, 1}} {
		t.Run("after "+tt.after, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 0 {
					w.Header().Set("Retry-After", tt.after)
					answer(w, 429, "application/json", "{}")
					return
				}
				good(w, r)
			})
			s := newSetup(t, server.URL, 1)
			s.options.Pace = live.NewPace(s.options.Clock, 0, 0)
			result := s.run(t, false)
			var slept time.Duration
			for _, d := range s.clock.slept {
				slept += d
			}
			if said := strings.Contains(fmt.Sprint(result.Failures), "requests a wait of 27h46m40s"); said == (tt.whole == 1) {
				t.Errorf("the reason is %v", result.Failures)
			}
			if result.Whole != tt.whole || slept < tt.want || slept > tt.want+time.Second {
				t.Errorf("%d whole cells after %v, want %d after %v", result.Whole, slept, tt.whole, tt.want)
			}
		})
	}
}

// TestRedirectTakesNoKey: a redirection to another host is not followed.
func TestRedirectTakesNoKey(t *testing.T) {
	reached := false
	other := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		reached = true
		good(w, r)
	})
	for _, code := range []int{301, 302, 307, 308} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", code)
		})
		result := newSetup(t, server.URL, 2).run(t, false)
		if reached || result.Failed != 1 || result.NotAsked != 1 || result.Failures[0].Name != string(live.Redirect) {
			t.Errorf("%d: reached %v, %+v", code, reached, result)
		}
	}
}

// TestSilentModel: a model that has never answered is given up; one that has is not.
func TestSilentModel(t *testing.T) {
	for _, test := range []struct {
		name     string
		answered int // requests before the endpoint breaks
		failed   int
		skipped  string
	}{
		{"never answered", 0, 8, "12 server_error for the model m"},
		{"has answered", 1, 19, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken := status(500, "application/json", errorBody("server_error", "down"))
			base := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n < test.answered {
					good(w, r)
					return
				}
				broken(w, r)
			}).URL + "/v1"
			s := newSetup(t, base, 20)
			s.options.Retry.Tries = 2
			s.options.Workers = 1
			result := s.run(t, false)
			skipped := ""
			for _, c := range result.Skipped {
				skipped += fmt.Sprintf("%d %s", c.N, c.Name)
			}
			if result.Failed != test.failed || skipped != test.skipped {
				t.Errorf("%d cells failed and skipped %q, want %d and %q", result.Failed, skipped, test.failed, test.skipped)
			}
		})
	}
}
