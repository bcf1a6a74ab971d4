package cassette_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/live/cassette"
)

// send makes a request and describes what came: status, header and body, or
// the error.
func send(t *testing.T, transport http.RoundTripper, url, name, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(cassette.WithName(t.Context(), name), http.MethodPost, url,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-secret-1234")
	res, err := transport.RoundTrip(req)
	if err != nil {
		var timeout interface{ Timeout() bool }
		return fmt.Sprintf("error, timeout %v", errors.As(err, &timeout) && timeout.Timeout())
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return fmt.Sprintf("%d %s %q %q %v", res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Retry-After"),
		data, err)
}

func TestRecordAndReplay(t *testing.T) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		switch body, err := io.ReadAll(r.Body); {
		case err != nil:
			t.Error(err)
		case string(body) == "cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		case string(body) == "reset":
			panic(http.ErrAbortHandler)
		case string(body) == "busy":
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.Header().Set("Set-Cookie", "sk-secret-1234")
			w.Header().Set("Content-Type", "text/SK-Secret-1234")
			w.Header().Set("Retry-After", "sk-secret-1234")
			fmt.Fprintf(w, "answer %d to %s with %s", n, body, r.Header.Get("Authorization"))
		}
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "deep", "recording")
	recorder, err := cassette.Record(dir, http.DefaultTransport, time.Now, 1<<20, "sk-secret-1234")
	if err != nil {
		t.Fatal(err)
	}
	requests := [][2]string{{"a", "x"}, {"b", "x"}, {"a", "x"}, {"a", "y"}, {"c", "cut"}, {"c", "busy"}, {"c", "reset"}}
	var first, again []string
	for _, r := range requests {
		first = append(first, send(t, recorder, server.URL+"/v1", r[0], r[1]))
	}
	server.Close()
	player, err := cassette.Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		again = append(again, send(t, player, server.URL+"/v1", r[0], r[1]))
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("(-recorded +replayed):\n%s", diff)
	}
	if !strings.Contains(first[0], "answer 1") || !strings.Contains(first[1], "answer 2") ||
		!strings.Contains(first[2], "answer 3") {
		t.Errorf("equal requests are not kept apart: %q", first[:3])
	}
	req, err := http.NewRequestWithContext(cassette.WithName(context.Background(), "a"), http.MethodPost, server.URL+
		"/v1", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	var miss *cassette.Unrecorded
	if _, err := player.RoundTrip(req); !errors.As(err, &miss) || miss.Name != "a" { // a third time
		t.Errorf("a request that was not recorded: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(requests) {
		t.Fatalf("%d files for %d requests, %v", len(files), len(requests), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || strings.Contains(strings.ToLower(string(data)), "sk-secret") ||
			strings.Contains(string(data), "Cookie") {
			t.Errorf("%s: %v\n%s", f.Name(), err, data)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	if _, err := cassette.Replay(filepath.Join(t.TempDir(), "nowhere")); err == nil ||
		!strings.Contains(err.Error(), "record one first") {
		t.Error(err)
	}
}

// TestAlteredRecordings: what was altered by hand into something that no
// recorder writes is refused by name, and never taken for a lost connection.
func TestAlteredRecordings(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		fmt.Fprint(w, "answer")
	}))
	defer server.Close()
	recorder, err := cassette.Record(dir, http.DefaultTransport, time.Now, 100)
	if err != nil {
		t.Fatal(err)
	}
	send(t, recorder, server.URL, "a", "x")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ old, new, want string }{
		{`"v": 1`, `"v": 2`, "version 2 is unsupported"},
		{`"name": "a"`, `"name": "b"`, `it contains the request "b" instead of "a"`},
		{`"status": 200`, `"status": -5`, "invalid status -5"},
		{`"status": 200`, `"status": "ok"`, "at /status: a string is of the wrong type here"},
		{`"status": 200`, `"staus": 200`, "at /staus: unknown object member name"},
		{`"latency_ms": `, `"latency_ms": -1`, "ms"},
		{`"latency_ms": `, `"latency_ms": 1e300, "v": 1, "x": `, "duplicate object member name"},
		{"}", "", "the JSON is cut off"},
	}
	for _, tt := range tests {
		altered := strings.Replace(string(whole), tt.old, tt.new, 1)
		if err := os.WriteFile(files[0], []byte(altered), 0o600); err != nil {
			t.Fatal(err)
		}
		player, err := cassette.Replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(cassette.WithName(t.Context(), "a"), http.MethodPost, server.URL,
			strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		var damaged *cassette.Unrecorded
		if _, err := player.RoundTrip(req); !errors.As(err, &damaged) || damaged.File != files[0] ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want a message with %q", tt.new, err, tt.want)
		}
	}
}

// FuzzReplay: whatever stands in a recording's file, replay gives a response or
// an error.
func FuzzReplay(f *testing.F) {
	for _, s := range []string{
		`{"v":1,"status":200,"body":"x"}`, `{"v":2}`, `{"v":1,"error":"e"}`, `{`, `null`,
		`{"v":1,"status":-5,"cut":true}`,
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	recorder, err := cassette.Record(dir, http.NewFileTransport(http.Dir(dir)), time.Now, 100)
	if err != nil {
		f.Fatal(err)
	}
	request := func() *http.Request {
		req, err := http.NewRequest(http.MethodPost, "http://host/x", strings.NewReader("body"))
		if err != nil {
			f.Fatal(err)
		}
		return req
	}
	if _, err := recorder.RoundTrip(request()); err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		f.Fatal(files, err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		player, err := cassette.Replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		res, err := player.RoundTrip(request())
		if (res == nil) == (err == nil) {
			t.Fatalf("%v and %v", res, err)
		}
		if res != nil {
			_, _ = io.ReadAll(res.Body) // it may be cut
		}
	})
}
