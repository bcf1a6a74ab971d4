package live_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
	"replanbench/harness/live/prompt"
	"replanbench/harness/score/tokens"
	"replanbench/harness/testdata/memnet"
)

// goodPatch is a reply that can be applied to the plan of the test cases.
const goodPatch = `{"update_steps":[{"id":"b","description":"another way"}]}`

// completion is the body of an answer.
func completion(content, finish string) string {
	data, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion", "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{
			"role":    "assistant",
			"content": content,
		}}},
		"usage": map[string]any{"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60},
	})
	if err != nil {
		panic(err) // the values are fixed
	}
	return string(data)
}

// stream is the body of a streamed answer, cut off before the end if asked.
func stream(content, finish string, cut bool) string {
	var b strings.Builder
	for _, part := range []string{content[:len(content)/2], content[len(content)/2:]} {
		fmt.Fprintf(&b, `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n", part)
	}
	if cut {
		return b.String()
	}
	fmt.Fprintf(&b, `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`+"\n\n", finish)
	b.WriteString(`data: {"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":50,"completion_tokens":10,"total_tokens":60}}` + "\n\ndata: [DONE]\n\n")
	return b.String()
}

func answer(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may have gone
}

func good(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, "application/json", completion(goodPatch, "stop"))
}

// counted makes a handler of a function that also sees how many requests came
// before.
func counted(handle func(w http.ResponseWriter, r *http.Request, n int)) http.Handler {
	var before atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(w, r, int(before.Add(1)-1))
	})
}

// serve starts a server.
func serve(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, n int)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(counted(handle))
	t.Cleanup(s.Close)
	return s
}

// serveInMemory starts a server to which the transport leads, whatever the
// address: for simulated time.
func serveInMemory(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, n int)) *http.Transport {
	t.Helper()
	l := memnet.Listen()
	s := &http.Server{Handler: counted(handle)}
	go func() { _ = s.Serve(l) }() // until it is closed
	transport := l.Transport()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = s.Close()
	})
	return transport
}

// fakeClock moves when someone sleeps.
type fakeClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newFakeClock() *fakeClock { return &fakeClock{now: time.Unix(1_800_000_000, 0)} }

func (c *fakeClock) clock() live.Clock {
	return live.Clock{
		Now: func() time.Time {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.now
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.now = c.now.Add(d)
			c.slept = append(c.slept, d)
			return ctx.Err()
		},
	}
}

// testCases makes n cases of one small plan.
func testCases(t *testing.T, n int) live.Cases {
	t.Helper()
	var list []live.Case
	for i := range n {
		message := fmt.Sprintf("it broke, time %d", i)
		c, err := live.NewCase(all.Asked(), live.CaseSpec{
			ID:           fmt.Sprintf("c%d", i),
			Plan:         []byte(`{"title":"t","steps":[{"id":"a","description":"one","status":"done"},{"id":"b","description":"two","dependencies":["a"],"status":"failed"}]}`),
			FailedStep:   "b",
			ErrorMessage: &message,
		})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return live.ListOf(list...)
}

// setup is a run against a server, ready to be changed.
type setup struct {
	plan    live.Plan
	options live.Options
	clock   *fakeClock
	corpus  string
}

func newSetup(t *testing.T, url string, cases int) *setup {
	t.Helper()
	set, err := prompt.Load(all.Asked(), "replan", prompt.Others{})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokens.New(tokens.Chars4)
	if err != nil {
		t.Fatal(err)
	}
	clock := newFakeClock()
	s := &setup{clock: clock, corpus: filepath.Join(t.TempDir(), "replies.jsonl")}
	s.plan = live.Plan{
		Dialect: all.Asked(),
		Cases:   testCases(t, cases), Prompts: []prompt.Set{set}, Models: []string{"m"},
		Temperatures: []*float64{nil}, Formats: []live.Format{live.Free}, Samples: 1, Profile: harness.Reference(),
	}
	s.options = live.Options{
		Client: client(t, live.Endpoint{BaseURL: url + "/v1", Key: "sk-test", Timeout: time.Minute}), Renderer: &prompt.Go{},
		Counter: tok, Clock: clock.clock(),
		Retry: live.DefaultRetry(func() float64 { return 0 }), Workers: 1,
	}
	return s
}

func client(t *testing.T, e live.Endpoint) *live.Client {
	t.Helper()
	c, err := live.NewClient(e, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run opens the corpus and runs the plan.
func (s *setup) run(t *testing.T, resume bool) *live.Result {
	t.Helper()
	j, err := live.OpenJournal(s.corpus, resume, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Journal = j
	result, err := live.Run(t.Context(), s.plan, s.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if result.Whole+result.Failed+result.NotAsked != result.Cells {
		t.Errorf("%d whole, %d failed and %d not asked are not %d cells", result.Whole, result.Failed, result.NotAsked,
			result.Cells)
	}
	return result
}
