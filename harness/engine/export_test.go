package engine

import (
	"context"
	"sync"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
)

// Transport sends one case n times with the engine's window full, without
// making sense of it or of the answers: what the supervisor alone costs.
func (s *Subprocess) Transport(b *testing.B, c harness.Case, n int) {
	params, err := rpc.EncodeEval(rpc.EvalParams{DeadlineMS: 2000, Case: c})
	if err != nil {
		b.Fatal(err)
	}
	share := n / (s.hello.Window + 1)
	var workers sync.WaitGroup
	for range s.hello.Window + 1 {
		workers.Go(func() {
			for range share {
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
