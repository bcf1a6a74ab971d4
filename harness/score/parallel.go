package score

import (
	"context"
	"sync"

	"replanbench/corpora"
)

// job is a batch on its way to a worker; what comes of it goes back through
// done, so that it can be collected in order.
type job[T any] struct {
	batch corpora.Batch
	done  chan T
}

// parallel has the batches of all corpora worked on by so many workers, each
// of which start makes, and collects the results in the order of the batches.
// Only a few batches are under way at a time. It returns the error of a corpus
// that could not be opened, of collect, or of the context.
func parallel[T any](ctx context.Context, sources []corpora.Source, workers int,
	start func() func(corpora.Batch) T, collect func(T) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan job[T])
	order := make(chan job[T], 2*workers)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(order)
		defer close(jobs)
		if err := feed(ctx, sources, jobs, order); err != nil {
			cancel(err)
		}
	})
	for range workers {
		work := start()
		group.Go(func() {
			for j := range jobs {
				j.done <- work(j.batch)
			}
		})
	}
	for j := range order {
		result := <-j.done
		if ctx.Err() != nil {
			continue // drain
		}
		if err := collect(result); err != nil {
			cancel(err)
		}
	}
	group.Wait()
	return context.Cause(ctx)
}

// feed sends the batches on their way. What is in order goes to a worker, or
// the collector would wait for ever.
func feed[T any](ctx context.Context, sources []corpora.Source, jobs, order chan<- job[T]) error {
	for _, source := range sources {
		for batch, err := range source.Batches() {
			if err != nil {
				return err
			}
			j := job[T]{batch, make(chan T, 1)}
			select {
			case <-ctx.Done():
				return nil
			case order <- j:
				jobs <- j
			}
		}
	}
	return nil
}
