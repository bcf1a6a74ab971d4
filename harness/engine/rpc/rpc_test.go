package rpc_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
)

// session serves an engine with the given lines and returns its answers.
func session(t *testing.T, e harness.Engine, lines ...string) []rpc.Message {
	t.Helper()
	var out strings.Builder
	if err := rpc.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out, e); err != nil {
		t.Fatal(err)
	}
	var answers []rpc.Message
	for line := range strings.Lines(out.String()) {
		var m rpc.Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answers = append(answers, m)
	}
	return answers
}

const evalLine = `{"jsonrpc":"2.0","id":"seven","method":"eval","params":{"deadline_ms":2000,"case":{"dialect":"planpatch",` +
	`"plan":{"title":"t","steps":[{"id":"a","description":"d"}]},"replies":["{\"title\":\"u\"}"]}}}`

func TestServe(t *testing.T) {
	answers := session(t, reference.New(),
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1,"client":{"name":"test"}}}`,
		"", evalLine,
		`{"jsonrpc":"2.0","method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":9,"method":"eval"}`, // never read
	)
	if len(answers) != 2 {
		t.Fatalf("%d answers, want 2", len(answers))
	}
	hello, err := rpc.DecodeHello(answers[0].Result)
	if err != nil || hello.Name != "reference" || !hello.Dialects["planpatch"].Has(harness.FeatureLadder) {
		t.Errorf("hello: %+v, %v", hello, err)
	}
	out, err := rpc.DecodeOutcome(harness.Case{Dialect: "planpatch"}, answers[1].Result)
	if err != nil || string(answers[1].ID) != `"seven"` || out.Verdict != harness.Applied || out.Plan.Title != "u" {
		t.Errorf("id %s: %+v, %v", answers[1].ID, out, err)
	}
}

func TestServeRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		code       int
	}{
		{"no JSON", `hello`, rpc.ParseError},
		{"no version", `{"id":1,"method":"eval"}`, rpc.InvalidRequest},
		{"no method", `{"jsonrpc":"2.0","id":1}`, rpc.InvalidRequest},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"evaluate"}`, rpc.MethodNotFound},
		{"no case", `{"jsonrpc":"2.0","id":1,"method":"eval"}`, rpc.InvalidParams},
		{
			"unknown knob", strings.Replace(evalLine, `"dialect"`, `"profile":{"conflict":"keep"},"dialect"`, 1),
			rpc.InvalidParams,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answers := session(t, reference.New(), tc.line)
			if len(answers) != 1 || answers[0].Error == nil || answers[0].Error.Code != tc.code {
				t.Errorf("got %+v, want one error %d", answers, tc.code)
			}
		})
	}
}

// crowd counts the concurrent evaluations.
type crowd struct{ now, most atomic.Int32 }

func (c *crowd) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{Name: "crowd", Window: 3, Dialects: map[string]harness.Declaration{"planpatch": {}}}, nil
}

func (c *crowd) Eval(context.Context, harness.Case) (harness.Outcome, error) {
	n := c.now.Add(1)
	for {
		most := c.most.Load()
		if n <= most || c.most.CompareAndSwap(most, n) {
			break
		}
	}
	time.Sleep(time.Second)
	c.now.Add(-1)
	return harness.Outcome{}, errors.New("out of order")
}

func (c *crowd) Close() error { return nil }

// TestServeKeepsToTheWindow simulates time, so that all permitted evaluations overlap.
func TestServeKeepsToTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{}
		lines := make([]string, 30)
		for i := range lines {
			lines[i] = evalLine
		}
		answers := session(t, c, lines...)
		if len(answers) != len(lines) || answers[0].Error == nil || answers[0].Error.Message != "out of order" {
			t.Errorf("%d answers, the first %+v", len(answers), answers[0])
		}
		if most := c.most.Load(); most != 3 {
			t.Errorf("%d evaluations at once, the window is 3", most)
		}
	})
}

func TestHandler(t *testing.T) {
	s := httptest.NewServer(rpc.Handler(reference.New()))
	defer s.Close()
	for _, tc := range []struct {
		method, body string
		status       int
		want         string
	}{
		{http.MethodPost, evalLine, 200, `"verdict":"applied"`},
		{http.MethodPost, "hello", 200, `"code":-32700`},
		{http.MethodPost, `{"jsonrpc":"2.0","method":"shutdown"}`, 204, ""},
		{http.MethodPost, strings.Repeat(" ", rpc.MaxLine+1), 400, "too large"},
		{http.MethodGet, "", 405, "by POST"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tc.method, s.URL, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != tc.status || !strings.Contains(string(body), tc.want) {
			t.Errorf("%s %.40q: status %d, body %.200q, error %v", tc.method, tc.body, response.StatusCode, body, err)
		}
	}
}

func TestDecodeResponse(t *testing.T) {
	for _, tc := range []struct{ line, result, err string }{
		{`{"jsonrpc":"2.0","id":7,"result":{"verdict":"applied"}}`, `{"verdict":"applied"}`, ""},
		{`{"jsonrpc": "2.0", "id": 7, "result": {"a": {}} }`, `{"a": {}}`, ""},
		{`{"result":{},"id":7,"jsonrpc":"2.0"}`, `{}`, ""},
		{`{"jsonrpc":"2.0","id":7,"result":[]}`, `[]`, ""},
		{`hello`, "", "not a JSON-RPC message"},
		{`{"id":7,"result":{}}`, "", `"jsonrpc"`},
		{`{"jsonrpc":"2.0","result":{}}`, "", `"id" is missing`},
		{`{"jsonrpc":"2.0","id":7}`, "", "neither"},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"},"result":{}}`, "", "both"},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}`, "", "an error without an id: no"},
		{`{"jsonrpc":"2.0","id":"7","result":{}}`, "", "ids are integers"},
		{`{"jsonrpc":"2.0","id":7,"id":8,"result":{}}`, "", "duplicate"},
	} {
		r, err := rpc.DecodeResponse([]byte(tc.line))
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v, want %q in it", tc.line, err, tc.err)
			}
			continue
		}
		if err != nil || r.ID != 7 || string(r.Result) != tc.result {
			t.Errorf("%s: got %d %s %v", tc.line, r.ID, r.Result, err)
		}
	}
}

func TestDecodeHello(t *testing.T) {
	for _, tc := range []struct{ result, want string }{
		{`{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{}}}`, ""},
		{`{"protocol":2,"engine":{"name":"x"},"future":true}`, "speaks version 2 of the protocol"},
		{`{"engine":{"name":"x"}}`, `lacks the member "protocol"`},
		{`{"protocol":1,"dialects":{"planpatch":{}}}`, "name"},
		{`{"protocol":1,"engine":{"name":"x"}}`, "declares no dialect"},
		{`{"protocol":1,"engine":{"name":"x"},"window":-1,"dialects":{"planpatch":{}}}`, "window"},
		{`{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{"features":["laddr"]}}}`, `unknown feature "laddr"`},
		{`{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{"profile":"strikt"}}}`, `unknown profile "strikt"`},
	} {
		h, err := rpc.DecodeHello([]byte(tc.result))
		switch {
		case tc.want == "":
			if err != nil || h.Window != 1 || !h.Dialects["planpatch"].Profile.Equal(harness.Reference()) {
				t.Errorf("%s: got %+v, %v", tc.result, h, err)
			}
		case err == nil || !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: error %v, want %q in it", tc.result, err, tc.want)
		}
	}
}

func TestLineReader(t *testing.T) {
	in := iotest.OneByteReader(strings.NewReader("a\r\n\nbcdef\n12345678"))
	r := rpc.NewLineReader(in, 5)
	var got []string
	for {
		line, err := r.Next()
		if err != nil {
			if !errors.Is(err, rpc.ErrTooLong) {
				t.Error(err)
			}
			break
		}
		got = append(got, string(line))
	}
	if d := cmp.Diff([]string{"a", "", "bcdef"}, got); d != "" {
		t.Error(d)
	}
}

// FuzzDecode reads foreign bytes as every message of an engine. A decoded outcome can be
// encoded and decoded again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{"verdict":"applied","plan":{"title":"t","steps":[]}}}`))
	f.Add([]byte(`{"jsonrpc": "2.0", "id": 7, "result": {"verdict":"rejected","code":"empty_patch"}, "x": {}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{"profile":"strict"}}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`))
	f.Add([]byte(evalLine))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := rpc.DecodeResponse(line)
		if err != nil || r.Error != nil {
			return
		}
		_, _ = rpc.DecodeHello(r.Result) // it must not panic
		out, err := rpc.DecodeOutcome(harness.Case{Dialect: "planpatch"}, r.Result)
		if err != nil {
			return
		}
		b, err := json.Marshal(out)
		if err != nil {
			t.Fatalf("an outcome that was read cannot be written: %v", err)
		}
		if _, err := rpc.DecodeOutcome(harness.Case{Dialect: "planpatch"}, b); err != nil {
			t.Fatalf("an outcome that was written cannot be read: %v\n%s", err, b)
		}
	})
}
