package rpc

import (
	"fmt"
	"io"
	"net/http"

	"replanbench/harness"
)

// Handler answers the same requests as [Serve], one per POST request.
func Handler(e harness.Engine) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "send requests by POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxLine))
		if err != nil {
			http.Error(w, fmt.Sprintf("read the request: %v", err), http.StatusBadRequest)
			return
		}
		hello, err := e.Hello(r.Context())
		if err != nil {
			http.Error(w, fmt.Sprintf("the engine gives no declaration: %v", err), http.StatusInternalServerError)
			return
		}
		m, fault := decodeRequest(body)
		if m.Method == Shutdown {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(respond(r.Context(), e, hello, m, fault)) // fails only if the client has gone
	})
}
