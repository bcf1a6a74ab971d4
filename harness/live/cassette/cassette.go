// Package cassette records HTTP exchanges in a directory, one file each, and
// replays them without a network.
//
// The key of an exchange is the name of the request (from its context), its method,
// path and body, and how often the same request was sent before. So equal samples
// of one prompt have different keys, in whatever order they were sent. In replay a
// request that was not recorded is an error, and nothing is sent.
//
// No header of a request is written, and of a response only Content-Type and
// Retry-After. Bodies are written unchanged, except for the caller's secrets.
package cassette

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/redact"
)

// LatencyHeader is a response header with the number of milliseconds the
// exchange took when it was recorded.
const LatencyHeader = "Replanbench-Latency-Ms"

type nameKey struct{}

// WithName names the requests made with the context.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// Unrecorded is the error of a request without a recording, or without one
// that can be what was recorded.
type Unrecorded struct {
	Name   string // of the request
	File   string // where its recording is or would be
	Reason error  // the error in the file; nil if there is no file
}

func (u *Unrecorded) Error() string {
	if u.Reason == nil {
		return fmt.Sprintf("the request %q is not in the recording: %s does not exist (was it recorded with the same "+
			"prompts, cases and parameters?)", u.Name, u.File)
	}
	return fmt.Sprintf("%s: the recording is damaged: %v (record it again, or restore the file)", u.File, u.Reason)
}

func (u *Unrecorded) Unwrap() error { return u.Reason }

// failed is the error of a request that had failed when it was recorded.
type failed struct {
	Message  string
	TimedOut bool
}

func (f *failed) Error() string { return f.Message }

// Timeout reports whether a network error is a timeout.
func (f *failed) Timeout() bool { return f.TimedOut }

// exchange is one file.
type exchange struct {
	V         int     `json:"v"`
	Name      string  `json:"name"`
	Request   string  `json:"request"` // the body
	Status    int     `json:"status,omitzero"`
	Type      string  `json:"content_type,omitzero"`
	After     string  `json:"retry_after,omitzero"`
	Body      string  `json:"body,omitzero"`
	Cut       bool    `json:"cut,omitzero"`   // the connection ended within the body
	Error     string  `json:"error,omitzero"` // in place of a response
	Timeout   bool    `json:"timeout,omitzero"`
	LatencyMS float64 `json:"latency_ms"`
}

const version = 1

// Recorder is a transport that records or replays.
type Recorder struct {
	dir     string
	next    http.RoundTripper // nil in replay
	now     func() time.Time
	secrets redact.Secrets
	maxBody int64

	mu   sync.Mutex
	sent map[string]int // by key
}

// Record returns a transport that forwards requests and writes every exchange to a
// directory, without secrets. It keeps at most maxBody bytes of a body.
func Record(dir string, next http.RoundTripper, now func() time.Time, maxBody int64, secrets ...string) (*Recorder,
	error,
) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("recording to %s: %w", dir, files.Cause(err))
	}
	files.Sweep(dir)
	return &Recorder{
		dir: dir, next: next, now: now, secrets: redact.New(secrets...), maxBody: maxBody,
		sent: map[string]int{},
	}, nil
}

// Replay returns a transport that answers from a directory alone.
func Replay(dir string) (*Recorder, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("replaying from %s: there is no such directory (record one first)", dir)
	}
	return &Recorder{dir: dir, sent: map[string]int{}}, nil
}

// RoundTrip answers a request.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	name, _ := req.Context().Value(nameKey{}).(string)
	file := r.file(name, req, body)
	if r.next == nil {
		return r.replay(name, file, req)
	}
	sent := req.Clone(req.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	x := r.exchange(sent)
	x.V, x.Name, x.Request = version, name, r.secrets.Text(string(body))
	if req.Context().Err() != nil && !errors.Is(req.Context().Err(), context.DeadlineExceeded) {
		return nil, req.Context().Err() // interrupted: not an answer
	}
	if err := r.write(file, x); err != nil {
		return nil, err
	}
	return x.response(req)
}

func (r *Recorder) file(name string, req *http.Request, body []byte) string {
	h := sha256.New()
	for _, part := range []string{name, req.Method, req.URL.Path, string(body)} {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	key := hex.EncodeToString(h.Sum(nil)[:16])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[key]++
	return filepath.Join(r.dir, fmt.Sprintf("%s-%d.json", key, r.sent[key]))
}

// exchange sends a request and reads the whole answer.
func (r *Recorder) exchange(req *http.Request) exchange {
	start := r.now()
	res, err := r.next.RoundTrip(req)
	var x exchange
	if err == nil {
		defer res.Body.Close()
		x.Status = res.StatusCode
		x.Type, x.After = r.secrets.Text(res.Header.Get("Content-Type")), r.secrets.Text(res.Header.Get("Retry-After"))
		if to := res.Header.Get("Location"); to != "" {
			x.Body = "redirected" // where to is none of a file's business
			x.Type = "text/plain"
		} else {
			var data []byte
			data, err = io.ReadAll(io.LimitReader(res.Body, r.maxBody+1))
			x.Body = r.secrets.Stream(strings.ToValidUTF8(string(data), "\uFFFD"))
			if x.Cut = err != nil && !IsTimeout(err); x.Cut {
				err = nil
			}
		}
	}
	if err != nil {
		x = exchange{Error: r.secrets.Text(err.Error()), Timeout: IsTimeout(err)}
	}
	x.LatencyMS = float64(r.now().Sub(start).Microseconds()) / 1000
	return x
}

// IsTimeout reports whether a request failed because it took too long.
func IsTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// write writes a file whole or not at all.
func (r *Recorder) write(file string, x exchange) error {
	data, err := json.Marshal(x, json.Deterministic(true), jsontext.WithIndent(" "))
	if err != nil {
		return err
	}
	return files.WriteData(file, append(data, '\n'))
}

func (r *Recorder) replay(name, file string, req *http.Request) (*http.Response, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Unrecorded{Name: name, File: file}
	}
	if err != nil {
		return nil, err
	}
	x, err := decode(data, name)
	if err != nil {
		return nil, &Unrecorded{name, file, err}
	}
	return x.response(req)
}

// decode reads the exchange of a request. Files may have been altered by hand,
// so whatever was never written is refused.
func decode(data []byte, name string) (*exchange, error) {
	var x exchange
	err := json.Unmarshal(data, &x, json.RejectUnknownMembers(true))
	if err != nil {
		return nil, strictjson.Plain(err)
	}
	const day = 24 * 60 * 60 * 1000
	switch {
	case x.V != version:
		return nil, fmt.Errorf("version %d is unsupported (this program reads version %d)", x.V, version)
	case x.Name != name:
		return nil, fmt.Errorf("it contains the request %q instead of %q", x.Name, name)
	case x.Error == "" && (x.Status < 200 || x.Status > 599):
		return nil, fmt.Errorf("invalid status %d", x.Status)
	case x.LatencyMS < 0 || x.LatencyMS > day:
		return nil, fmt.Errorf("invalid duration of %v ms", x.LatencyMS)
	}
	return &x, nil
}

func (x *exchange) response(req *http.Request) (*http.Response, error) {
	if x.Error != "" {
		return nil, &failed{x.Error, x.Timeout}
	}
	res := &http.Response{
		StatusCode: x.Status, Status: fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req, ContentLength: -1, Header: http.Header{},
	}
	res.Header.Set("Content-Type", x.Type)
	res.Header.Set(LatencyHeader, strconv.FormatFloat(x.LatencyMS, 'f', -1, 64))
	if x.After != "" {
		res.Header.Set("Retry-After", x.After)
	}
	var body io.Reader = strings.NewReader(x.Body)
	if x.Cut {
		body = io.MultiReader(body, cutBody{})
	}
	res.Body = io.NopCloser(body)
	return res, nil
}

// cutBody ends as a connection that is lost.
type cutBody struct{}

func (cutBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
