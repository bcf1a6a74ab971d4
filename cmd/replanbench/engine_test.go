package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"replanbench/harness/engine/rpc"
	"replanbench/harness/reference"
)

// Passwords and keys in an engine's address stand in no report.
func TestAddressWithoutSecrets(t *testing.T) {
	for _, tc := range []struct{ spec, want string }{
		{"http://localhost:8080/engine", "http://localhost:8080/engine"},
		{"https://me:hunter2@example.com/?key=hunter3&v=1", "https://me:xxxxx@example.com/?key=xxxxx&v=xxxxx"},
		{"exec:./engine --key hunter2", "exec:./engine --key hunter2"},
		{"defect:accepts-cycle", "defect:accepts-cycle"},
	} {
		if got := withoutSecrets(tc.spec); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.spec, got, tc.want)
		}
	}
	s := httptest.NewServer(rpc.Handler(reference.New()))
	defer s.Close()
	address := strings.Replace(s.URL, "http://", "http://me:hunter2@", 1) + "/?key=hunter3"
	code, out, message := call(t.Context(), "fuzz", "--cases", "20", "--quiet", "--format", "json", "--engine", address)
	if code != exitOK || strings.Contains(out+message, "hunter") || !strings.Contains(out, "me:xxxxx@") {
		t.Errorf("exit code %d: %s%s", code, out, message)
	}
}
