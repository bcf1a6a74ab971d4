package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/finding"
	"replanbench/harness/guard"
	"replanbench/harness/judge"
)

// runner is a campaign under way.
type runner struct {
	Config
	hello   harness.Hello
	result  Result
	started time.Time
	ran     uint64
	saved   time.Time // when the checkpoint was written
	told    time.Time // when progress was told
	found   int       // distinct findings that are not known
	sealed  bool      // the checkpoint is not written any more
	lost    error     // why a finding is not on the disk; it is in the result
}

// job is a chunk to run, and where its tally goes.
type job struct {
	chunk uint64
	done  chan tally
}

// run gives the chunks to the workers and merges their tallies in the order of
// the chunks. At most a few chunks wait to be merged.
func (r *runner) run(ctx context.Context) error {
	if r.result.Stopped != "" {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jobs, order := make(chan job), make(chan job, 2*r.Workers)
	var workers sync.WaitGroup
	defer workers.Wait()
	for range r.Workers {
		workers.Go(func() {
			for j := range jobs {
				j.done <- r.chunk(ctx, j.chunk)
			}
		})
	}
	go r.deal(ctx, jobs, order)
	for j := range order {
		t := <-j.done
		err := t.err
		if err == nil {
			err = r.add(ctx, t)
		}
		switch {
		case err == nil:
			if err = r.proceed(j.chunk); err == nil && r.result.Stopped == "" {
				r.tell(false)
				continue
			}
		case errors.Is(err, harness.ErrStopped) || ctx.Err() != nil:
			err = errors.Join(err, r.leave(ctx, t))
		}
		interrupted := ctx.Err() != nil
		stop(nil)
		for j := range order {
			if t := <-j.done; interrupted && err != nil {
				err = errors.Join(err, r.leave(ctx, t))
			}
		}
		return err
	}
	r.tell(true)
	return context.Cause(ctx)
}

// deal hands out the chunks until there are no more, the time is over, or the
// context ends.
func (r *runner) deal(ctx context.Context, jobs, order chan<- job) {
	defer close(jobs)
	defer close(order)
	for k := r.result.Next; k < r.chunks(); k += uint64(r.Shards) {
		if r.Time > 0 && r.Now().Sub(r.started) >= r.Time {
			return
		}
		j := job{k, make(chan tally, 1)}
		select {
		case jobs <- j:
			order <- j
		case <-ctx.Done():
			return
		}
	}
}

// open returns an engine for one chunk, and how to close it.
func (r *runner) open() (harness.Engine, func(), error) {
	if r.Fresh == nil {
		g := guard.Shared(r.Engine, r.Deadline)
		return g, func() { g.Close() }, nil
	}
	e, err := r.Fresh()
	if err != nil {
		return nil, nil, fmt.Errorf("opening another engine: %w", err)
	}
	g := guard.New(e, r.Deadline)
	return g, func() { g.Close() }, nil
}

// sample makes a case.
func (r *runner) sample(index uint64) generators.Sample {
	s := r.Sample(r.Seed, index)
	if r.relabel != nil {
		r.relabel(&s)
	}
	return s
}

// item turns a sample of the campaign into what is judged.
func (r *runner) item(s generators.Sample, index uint64) judge.Item {
	return Item(s, r.Seed*0x9e3779b97f4a7c15+index)
}

// Item turns a sample into what is judged; the salt chooses the sampled checks.
func Item(s generators.Sample, salt uint64) judge.Item {
	it := judge.Item{Case: s.Case, Before: s.Before, Salt: salt, Traits: len(s.Traits)}
	if !s.Want.Loose {
		it.Label = &judge.Label{Verdict: s.Want.Verdict, Codes: s.Want.Codes, Plan: s.Want.Plan, Tier: s.Want.Tier, Rung: s.Want.Rung, More: s.Want.More}
	}
	return it
}

// chunk runs and judges the cases of one chunk.
func (r *runner) chunk(ctx context.Context, k uint64) tally {
	t := newTally(r.Dialect)
	engine, done, err := r.open()
	if err != nil {
		t.err = err
		return t
	}
	defer done()
	judge := judge.New(engine, r.hello, all.Rules(r.Dialect), r.Judging)
	for i, to := r.span(k); i < to; i++ {
		s := r.sample(i)
		j, err := judge.Judge(ctx, r.item(s, i))
		if err != nil {
			t.err = err
			break
		}
		t.count(&s, &j)
		t.judged++
		if len(j.Breaks) > 0 {
			t.hits = append(t.hits, hit{i, j})
		}
	}
	t.close()
	return t
}

// proceed goes behind a chunk whose tally is in the result.
func (r *runner) proceed(chunk uint64) error {
	r.result.Next = chunk + uint64(r.Shards)
	if r.found >= r.MaxFindings {
		r.result.Stopped = fmt.Sprintf("%d new findings, which is as many as were asked for", r.found)
	}
	return cmp.Or(r.lost, r.save(false))
}

// leave puts what was done of a chunk to the result when the engine is given up
// or the campaign interrupted in the middle of it: what it did before is what
// there is to look into. The checkpoint is from before, since the chunk would be
// run again.
func (r *runner) leave(ctx context.Context, t tally) error {
	if err := r.save(true); err != nil {
		return err
	}
	r.sealed = true
	return r.add(ctx, t)
}

// add adds a tally to the result, and makes findings of what broke.
func (r *runner) add(ctx context.Context, t tally) error {
	before := slices.Clone(r.result.Groups)
	for _, h := range t.hits {
		if r.found >= r.MaxFindings {
			break
		}
		if err := r.note(ctx, h); err != nil {
			r.result.Groups = before // a tally counts whole or not at all
			r.found = r.unknown(r.result.Findings())
			return err
		}
	}
	r.ran += t.judged
	r.result.Cases += t.judged
	r.result.Unsupported += t.unsupported
	r.result.Valid += t.valid
	r.result.Accepted += t.accepted
	r.result.Coverage.add(&t.coverage)
	r.result.sort()
	return nil
}

// note counts a case that broke something, by its first break, and makes a
// finding of it if it is among the first of its group.
func (r *runner) note(ctx context.Context, h hit) error {
	g := r.result.group(h.judgement.Breaks[0].Key())
	g.Count++
	if len(g.Findings) >= PerGroup {
		return nil
	}
	late := r.sealed && ctx.Err() != nil // the case is kept, and not looked into
	f, err := r.find(ctx, h, late)
	if err != nil {
		return err
	}
	g.Findings = append(slices.Clone(g.Findings), f)
	r.found = r.unknown(r.result.Findings())
	if r.Dir == "" || late {
		return nil
	}
	r.lost = cmp.Or(r.lost, f.Write(r.findingsDir()))
	return nil
}

// unknown counts the findings that are not known.
func (r *runner) unknown(list []finding.Finding) int {
	if r.Known == nil {
		return len(list)
	}
	n := 0
	for _, f := range list {
		if !r.Known(f) {
			n++
		}
	}
	return n
}

// tell reports progress, twice a second at most.
func (r *runner) tell(now bool) {
	t := r.Now()
	if !now && t.Sub(r.told) < 500*time.Millisecond {
		return
	}
	r.told = t
	p := Progress{Cases: r.result.Cases, Total: r.mine(), Findings: r.found}
	elapsed := t.Sub(r.started)
	if elapsed > 0 {
		p.Rate = float64(r.ran) / elapsed.Seconds()
	}
	if p.Total > 0 && p.Rate > 0 {
		p.Left = time.Duration(float64(p.Total-p.Cases) / p.Rate * float64(time.Second))
	}
	if r.Time > 0 && (p.Left == 0 || r.Time-elapsed < p.Left) {
		p.Left = max(r.Time-elapsed, 0)
	}
	r.Progress(p)
}
