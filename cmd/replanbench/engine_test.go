package main

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
)

// No report contains the passwords and keys of an engine's address.
func TestAddressWithoutSecrets(t *testing.T) {
	for _, tc := range []struct{ spec, want string }{
		{"http://localhost:8080/engine", "http://localhost:8080/engine"},
		{"https://me:hunter2@example.com/?key=hunter3&v=1", "https://me:xxxxx@example.com/?key=xxxxx&v=xxxxx"},
		{"https://me:${KEY}@example.com/?key=${OTHER}&v=1", "https://me:${KEY}@example.com/?key=${OTHER}&v=xxxxx"},
		{"exec:./engine --key hunter2", "exec:./engine --key hunter2"},
		{"defect:accepts-cycle", "defect:accepts-cycle"},
	} {
		if got := byname.WithoutSecrets(tc.spec); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.spec, got, tc.want)
		}
	}
	s := httptest.NewServer(rpc.Handler(reference.New()))
	defer s.Close()
	address := strings.Replace(s.URL, "http://", "http://me:hunter2@", 1) + "/?key=hunter3"
	code, out, message := call(t.Context(), "fuzz", "--cases", "20", "--timeout", "5m", "--quiet", "--format", "json",
		"--engine", address)
	if code != exitOK || strings.Contains(out+message, "hunter") || !strings.Contains(out, "me:xxxxx@") {
		t.Errorf("exit code %d: %s%s", code, out, message)
	}
}

// The reference behind HTTP gives the same results, and serves until it is
// interrupted.
func TestServeOverHTTP(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	told, stderr := io.Pipe()
	ended := make(chan int)
	go func() {
		e := env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, getenv: func(string) string { return "" }}
		ended <- run(ctx, []string{"engine", "serve", "--listen", "127.0.0.1:0"}, e)
	}()
	lines := bufio.NewScanner(told)
	if !lines.Scan() {
		t.Fatal("it does not say where it serves")
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "serving at "), " ")
	go func() { _, _ = io.Copy(io.Discard, told) }()
	for _, args := range [][]string{{"engine", "check"}, {"run", "../../scenarios/operations", "../../scenarios/trim"}} {
		args = append(args, "--engine", address, "--timeout", "5m") // the machine may have much else to do
		if code, out, message := call(t.Context(), args...); code != exitOK {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, message)
		}
	}
	interrupt()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d after an interrupt, want %d", code, exitInterrupted)
	}
}
