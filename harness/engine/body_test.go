package engine_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine"
)

// FuzzBody checks that every response body of an endpoint becomes an outcome or a failure with
// a kind.
func FuzzBody(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":2,"result":{"verdict":"rejected","code":"empty_patch"}}`, "application/json", 200)
	f.Add(`{"jsonrpc":"2.0","id":2,"result":{"verdict":"applied","plan":{"steps":[{"id":1}]}}}`,
		"application/json; charset=utf-8", 200)
	f.Add("<html>", "text/html", 502)
	f.Fuzz(func(t *testing.T, body, kind string, status int) {
		if status < 200 || status > 599 || strings.ContainsAny(kind, "\r\n\x00") {
			return
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(string(data), `"initialize"`) {
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{}}}}`)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		defer s.Close()
		e, err := engine.Dial(t.Context(), s.URL, engine.Options{Deadline: patience})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		out, err := e.Eval(t.Context(), testCase("x"))
		failure := (*harness.Failure)(nil)
		if err != nil && (!errors.As(err, &failure) || failure.Kind == "") || err == nil && out.Verdict == "" {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}
