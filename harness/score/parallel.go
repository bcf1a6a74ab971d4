package score

import (
	"context"

	"replanbench/corpora"
)

// parallel processes the batches of all corpora with workers that start returns, and
// collects the results in the order of the batches. Only a few batches are in progress at
// a time. Errors come from opening a corpus, from collect, or from the context.
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

// feed gives each batch to an idle worker, which sends its result to a separate channel.
// Every channel in order has a worker, so that the collector never blocks forever.
func feed[T any](ctx context.Context, sources []corpora.Source, idle chan func(corpora.Batch) T,
	order chan<- chan T,
) error {
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
