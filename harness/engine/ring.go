package engine

import (
	"strings"
	"sync"
)

// ringSize is how many bytes of the end of standard error are kept.
const ringSize = 64 << 10

// ring keeps the last bytes written to it.
type ring struct {
	mu      sync.Mutex
	buf     []byte // grows up to ringSize, then wraps
	next    int
	dropped bool
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	if len(p) > ringSize {
		p = p[len(p)-ringSize:]
		r.dropped = true
	}
	if room := ringSize - len(r.buf); room > 0 {
		k := min(room, len(p))
		r.buf = append(r.buf, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		r.dropped = true
		k := copy(r.buf[r.next:], p)
		r.next = (r.next + k) % ringSize
		p = p[k:]
	}
	return n, nil
}

// String returns the kept bytes as valid UTF-8, with a note if the start is missing.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := strings.ToValidUTF8(string(r.buf[r.next:])+string(r.buf[:r.next]), "\uFFFD")
	if r.dropped {
		return "[… only the last 64 KiB are kept]\n" + s
	}
	return s
}
