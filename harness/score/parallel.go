package score

import (
	"context"

	"replanbench/corpora"
)

// parallel has the batches of all corpora worked on by so many workers, each
// of which start makes, and collects the results in the order of the batches.
// Only a few batches are under way at a time. It returns the error of a corpus
// that could not be opened, of collect, or of the context.
func parallel[T any](ctx context.Context, sources []corpora.Source, workers int,
	start func() func(corpora.Batch) T, collect func(T) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := make(chan func(corpora.Batch) T, workers)
	for range workers {
		idle <- start()
	}
	order := make(chan chan T, 2*workers)
	go func() {
		defer close(order)
		if err := feed(ctx, sources, idle, order); err != nil {
			cancel(err)
		}
	}()
	for done := range order {
		result := <-done
		if ctx.Err() != nil {
			continue // drain
		}
		if err := collect(result); err != nil {
			cancel(err)
		}
	}
	return context.Cause(ctx)
}

// feed gives each batch to an idle worker, which leaves its result in a channel
// of its own. What is in order goes to a worker, or the collector would wait for
// ever.
func feed[T any](ctx context.Context, sources []corpora.Source, idle chan func(corpora.Batch) T, order chan<- chan T) error {
	for _, source := range sources {
		for batch, err := range source.Batches() {
			if err != nil {
				return err
			}
			done := make(chan T, 1)
			select {
			case <-ctx.Done():
				return nil
			case order <- done:
			}
			work := <-idle
			go func() {
				done <- work(batch)
				idle <- work
			}()
		}
	}
	return nil
}
