package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
)

// canary is the key that no output may contain.
const canary = "sk-canary-0123456789"

// TestKeysStayOutOfLogs runs the program against endpoints that send their request
// headers again after each answer. net/http then logs an unsolicited response.
func TestKeysStayOutOfLogs(t *testing.T) {
	completion := func([]byte) []byte {
		return []byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"{} ` + canary + `"}}]}`)
	}
	engine := func(request []byte) []byte {
		var answer bytes.Buffer
		if err := rpc.Serve(t.Context(), bytes.NewReader(append(request, '\n')), &answer, reference.New()); err != nil {
			t.Error(err)
		}
		return answer.Bytes()
	}
	for name, tc := range map[string]struct {
		answer func([]byte) []byte
		args   func(host string) []string
	}{
		"live": {completion, func(host string) []string {
			return strings.Fields("live --model m --cases generated:3 --concurrency 1 --corpus out.jsonl --record tape " +
				"--base-url http://" + host + "/v1")
		}},
		"responses": {completion, func(host string) []string {
			return strings.Fields("live --api responses --model m --cases generated:3 --tries 1 --concurrency 1 --corpus " +
				"out.jsonl --base-url http://" + host + "/v1")
		}},
		"protocols": {completion, func(host string) []string {
			return strings.Fields("protocols --live m --changes generated:2 --concurrency 1 --base-url http://" + host + "/v1")
		}},
		"engine": {engine, func(host string) []string {
			return strings.Fields("fuzz --cases 30 --dir found --engine http://user:" + canary + "@" + host + "/eval?key=" +
				canary)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "replanbench", tc.args(echoing(t, tc.answer))...)
			var out, message bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &message
			cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+canary)
			err := cmd.Run()
			if _, failed := err.(*exec.ExitError); err != nil && !failed {
				t.Fatal(err)
			}
			if !strings.Contains(message.String(), "Unsolicited response") || !strings.Contains(message.String(), "[redacted]") {
				t.Errorf("standard error is %s, want a redacted note of net/http", message.String())
			}
			holdsNoKey(t, "standard error", message.String())
			holdsNoKey(t, "standard output", out.String())
			files := os.DirFS(dir)
			if err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := fs.ReadFile(files, path)
				holdsNoKey(t, filepath.Join(dir, path), string(data))
				return err
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func holdsNoKey(t *testing.T, where, text string) {
	t.Helper()
	if strings.Contains(text, canary) || strings.Contains(text, "c2stY2FuYXJ5") || strings.Contains(text, "NrLWNhbmFyeS") {
		t.Errorf("%s contains the key:\n%s", where, text)
	}
}

// echoing listens on an address. It answers every request, and then sends the request's
// headers and address as another response.
func echoing(t *testing.T, answer func(request []byte) []byte) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go echo(c, answer)
		}
	}()
	return l.Addr().String()
}

func echo(c net.Conn, answer func([]byte) []byte) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		data := answer(body)
		_, err = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+
			"%d\r\n\r\n%sHTTP/1.1 400 Bad Request\r\nX-Echo: %s %s\r\n\r\n", len(data), data, req.URL, req.Header)
		if err != nil {
			return
		}
	}
}
