package score

import (
	"context"
	"maps"
	"runtime"
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
)

// Run scores corpora. They are read twice, first for their retries, and never
// held whole. The result does not depend on the number of workers. An error
// means that an option is wrong, that a corpus could not be opened, or what
// Options.Each or the context said; bad lines are counted in the result.
func Run(ctx context.Context, sources []corpora.Source, o Options) (*Result, error) {
	r, err := start(ctx, sources, o)
	if err != nil {
		return nil, err
	}
	err = r.score(ctx, sources)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r.result(sources), err
}

// run is one pass over corpora.
type run struct {
	options   Options
	questions []metric
	retries   retryIndex
	workers   []*worker
	total     *worker // all of them together
	implied   bool    // groups are made by source without having been asked for
}

func start(ctx context.Context, sources []corpora.Source, o Options) (*run, error) {
	for _, key := range slices.Concat(o.By, slices.Sorted(maps.Keys(o.Where))) {
		if err := CheckKey(key); err != nil {
			return nil, err
		}
	}
	implied := !slices.Contains(o.By, "source")
	if implied {
		o.By = append(slices.Clone(o.By), "source")
	}
	if o.Profile.Ladder == nil {
		o.Profile = harness.Reference()
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &run{options: o, questions: metrics(), implied: implied}
	if slices.Contains(o.By, "attempt") {
		return r, nil // every reply is a request of its own
	}
	var err error
	r.retries, err = findRetries(ctx, sources, &r.options)
	return r, err
}

func (r *run) score(ctx context.Context, sources []corpora.Source) error {
	work := func() func(corpora.Batch, int) []Score {
		w := newWorker(r)
		r.workers = append(r.workers, w)
		return w.batch
	}
	return parallel(ctx, sources, r.options.Workers, work, func(scores []Score) error {
		for _, s := range scores {
			if err := r.options.Each(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// worker scores batches and counts for itself.
type worker struct {
	run     *run
	judge   *judge
	tallies map[string]*tally
	key     []byte

	records, left, retries, bad, failed int

	problems []placed
}

// placed is a problem with its place among the corpora.
type placed struct {
	at   position
	text string
}

// maxProblems is how many bad lines are told apart; the others are counted.
const maxProblems = 20

func newWorker(r *run) *worker {
	return &worker{run: r, judge: newJudge(r.options.Profile, newMeter(&r.options)), tallies: map[string]*tally{}}
}

func (w *worker) batch(b corpora.Batch, corpus int) []Score {
	var scores []Score
	for e := range b.Entries() {
		at := position{corpus, e.Line}
		if e.Problem != nil {
			w.bad++
			if len(w.problems) < maxProblems {
				w.problems = append(w.problems, placed{at, e.Problem.Error()})
			}
			continue
		}
		if !w.run.options.wants(&e.Record, b.Source) {
			w.left++
			continue
		}
		if e.Record.Failure != nil {
			w.fail(&e.Record, b.Source)
			continue
		}
		w.records++
		s, scored := w.record(&e.Record, at, b.Source)
		if scored && w.run.options.Each != nil {
			scores = append(scores, s)
		}
	}
	return scores
}

// record scores one record, unless it is a retry, which its first attempt
// takes along.
func (w *worker) record(rec *corpora.Record, at position, corpus string) (Score, bool) {
	t := w.tally(rec, corpus)
	linked := w.run.retries != nil
	if linked && rec.Attempt > 1 {
		w.retries++
		prompt, reply := w.judge.meter.tokens(rec)
		w.spend(t, rec, prompt, reply)
		if rec.RetryOf == "" {
			t.lose()
		}
		return Score{}, false
	}
	retries := w.run.retries.take(rec.ID)
	var replies []harness.Reply
	for _, r := range retries {
		replies = append(replies, r.reply)
	}
	s := w.judge.score(rec, replies)
	for _, r := range retries {
		s.call(r.prompt, r.tokens)
	}
	if o := &w.run.options; o.Budget > 0 && s.Largest >= 0 {
		s.Share = float64(s.Largest) / float64(o.Budget)
	}
	s.Group = t.key
	w.spend(t, rec, s.Prompt, s.Reply)
	t.add(&s, &w.run.options, w.run.questions, at)
	return s, true
}

// fail counts a request that got no reply. A retry is none by itself: its first
// attempt is scored, with a ladder that ends there.
func (w *worker) fail(rec *corpora.Record, corpus string) {
	w.failed++
	if rec.Attempt == 1 || w.run.retries == nil {
		t := w.tally(rec, corpus)
		t.requests++
		t.unscored[NoReply]++
	}
}

// spend counts what one call took.
func (w *worker) spend(t *tally, rec *corpora.Record, prompt, reply int) {
	t.spend(rec, prompt, reply)
	if rec.Messages != nil && w.judge.meter.counter != nil {
		t.prompts.add(w.judge.meter.measure(rec.Messages))
	}
}

// tally returns the counts of the record's group.
func (w *worker) tally(rec *corpora.Record, corpus string) *tally {
	w.key = w.key[:0]
	for _, k := range w.run.options.By {
		w.key = append(append(w.key, keyOf(rec, k, corpus)...), 0)
	}
	t := w.tallies[string(w.key)]
	if t == nil {
		var values []string
		for _, k := range w.run.options.By {
			values = append(values, keyOf(rec, k, corpus))
		}
		t = newTally(values, &w.run.options)
		w.tallies[string(w.key)] = t
	}
	return t
}

// lose counts a retry whose first attempt is not there.
func (t *tally) lose() {
	t.requests++
	t.unscored[LostRetry]++
}

func (w *worker) merge(v *worker) {
	w.records, w.left, w.retries = w.records+v.records, w.left+v.left, w.retries+v.retries
	w.bad, w.failed = w.bad+v.bad, w.failed+v.failed
	w.problems = append(w.problems, v.problems...)
	for key, t := range v.tallies {
		if w.tallies[key] == nil {
			w.tallies[key] = t
		} else {
			w.tallies[key].merge(t)
		}
	}
}

// tallies returns the counts of all workers together, by group in order.
func (r *run) tallies() []*tally {
	if r.total == nil {
		r.total = r.workers[0]
		for _, w := range r.workers[1:] {
			r.total.merge(w)
		}
		for _, key := range r.retries.unused() {
			if t := r.total.tallies[key]; t != nil {
				t.lose()
			}
		}
	}
	return slices.SortedFunc(maps.Values(r.total.tallies), func(a, b *tally) int { return compareKeys(a.key, b.key) })
}

func (r *run) result(sources []corpora.Source) *Result {
	list := r.tallies()
	res := &Result{
		By: r.options.By, Metrics: metricNames(), Profile: r.options.Profile, Budget: r.options.Budget, Corpora: []string{},
		Records: r.total.records, Left: r.total.left, Retries: r.total.retries, Bad: r.total.bad, Failed: r.total.failed, Problems: []string{}, Groups: []Group{},
	}
	for _, s := range sources {
		res.Corpora = append(res.Corpora, s.Name)
	}
	slices.SortFunc(r.total.problems, func(a, b placed) int {
		if a.at.before(b.at) {
			return -1
		}
		return 1
	})
	for _, p := range r.total.problems[:min(maxProblems, len(r.total.problems))] {
		res.Problems = append(res.Problems, p.text)
	}
	for _, t := range list {
		res.Groups = append(res.Groups, t.group(&r.options, r.questions))
	}
	res.oneSource(r.implied)
	return res
}
