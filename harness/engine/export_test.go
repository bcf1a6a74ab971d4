package engine

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"
)

// SetClock judges the engine's silence by the test's clock. The engine reads it every tick.
func (o *Options) SetClock(now func() time.Time, tick time.Duration) { o.clock = clock{now, tick} }

// DialBy is [Dial] over a transport of the test.
func DialBy(ctx context.Context, address string, o Options, transport *http.Transport) (*HTTP, error) {
	return dial(ctx, address, o, transport)
}

// Transport sends the same parameters n times with the engine's window full, without decoding
// the answers. It measures the supervisor alone.
func (s *Subprocess) Transport(b *testing.B, params []byte, n int) {
	var workers sync.WaitGroup
	for w := range 2 * s.hello.Window {
		workers.Go(func() {
			for i := w; i < n; i += 2 * s.hello.Window {
				k := &call{ctx: context.Background(), params: params, done: make(chan answer, 1)}
				s.queue <- k
				if a := <-k.done; a.err != nil || a.failure != nil {
					b.Error(a.err, a.failure)
				}
			}
		})
	}
	workers.Wait()
}
