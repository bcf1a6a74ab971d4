package engine

import (
	"slices"
	"strings"
	"sync"
)

// ringSize is how much of an engine's standard error is kept: its end.
const ringSize = 64 << 10

// ring keeps the last bytes written to it.
type ring struct {
	mu      sync.Mutex
	buf     []byte
	dropped bool
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
	if over := len(r.buf) - ringSize; over > 0 {
		r.buf = slices.Delete(r.buf, 0, over)
		r.dropped = true
	}
	return len(p), nil
}

// String returns what is kept, as valid UTF-8, and says if the start is gone.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := strings.ToValidUTF8(string(r.buf), "\uFFFD")
	if r.dropped {
		return "[… only the last 64 KiB are kept]\n" + s
	}
	return s
}
