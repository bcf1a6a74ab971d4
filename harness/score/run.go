package score

import (
	"context"
	"maps"
	"runtime"
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
)

// Run scores corpora. It reads them twice, first for their retries, in constant memory. The
// result does not depend on the number of workers. Errors come from invalid options,
// unreadable corpora, Options.Each and the context. The result counts bad lines.
func Run(ctx context.Context, sources []corpora.Source, o Options) (*Result, error) {
	r, err := start(ctx, sources, o)
	if err != nil {
		return nil, err
	}
	defer r.retries.close()
	err = r.score(ctx, sources)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.finish()
	return r.result, err
}

// run is one pass over corpora. Workers judge the records, and the run counts their results
// in the order of the corpora.
type run struct {
	options   Options
	questions []metric
	retries   *retryIndex
	places    map[string]int // index of each corpus by name
	problems  []problemAt
	implied   bool   // source is an implicit key
	version   string // of the prompt that Where names without it
	tallies   map[string]*tally
	overflows map[string]*tally // of trimmed prompts, by degree of overflow
	result    *Result
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
	r := &run{
		options: o, questions: metrics(), implied: implied, tallies: map[string]*tally{},
		overflows: map[string]*tally{}, places: map[string]int{},
	}
	r.result = &Result{
		By: o.By, Metrics: harness.Names(Metrics()), Profile: o.Profile, Budget: o.Budget, Corpora: []string{},
		Problems: []string{}, Groups: []Group{}, LeftValues: map[string][]string{},
	}
	for i, s := range sources {
		r.places[s.Name] = i
		r.result.Corpora = append(r.result.Corpora, s.Name)
	}
	if slices.Contains(o.By, "attempt") {
		return r, nil // every reply is a separate request
	}
	var err error
	r.retries, err = findRetries(ctx, sources, &r.options)
	return r, err
}

func (r *run) score(ctx context.Context, sources []corpora.Source) error {
	work := func() func(corpora.Batch) []judged {
		w := &worker{run: r, judge: newJudge(r.options.Profile, newMeter(&r.options))}
		return w.batch
	}
	return parallel(ctx, sources, r.options.Workers, work, func(batch []judged) error {
		for i := range batch {
			if err := r.count(&batch[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// worker judges batches. It is for one goroutine.
type worker struct {
	run   *run
	judge *judge
}

// judged is a record with the results of a worker.
type judged struct {
	corpora.Entry
	at            place
	left          bool // excluded by the options
	corpus        string
	group         []string
	overflow      []string // nil if the prompt was not trimmed
	score         Score    // of a first attempt
	prompt, reply int      // tokens
	measured      *prompt
	err           error // a retry could not be read again
}

func (w *worker) batch(b corpora.Batch) []judged {
	var list []judged
	of := w.run.options.Shard
	for e := range b.Entries(func(line []byte) bool { return mayHold(of, line) }) {
		if !holds(of, &e) {
			continue
		}
		j := judged{Entry: e, at: w.place(b.Source, e.Line)}
		if e.Problem == nil {
			w.record(&j, b.Source)
		}
		list = append(list, j)
	}
	return list
}

// place returns the position of a line in the corpora of the whole run.
func (w *worker) place(corpus string, line int) place {
	if list := w.run.options.Places; line > 0 && line <= len(list) {
		line = list[line-1]
	}
	return placeOf(w.run.places[corpus], line)
}

// record judges one record. It skips retries, which belong to their first attempt.
func (w *worker) record(j *judged, corpus string) {
	r, o := &j.Record, &w.run.options
	if j.left, j.corpus = !o.wants(r, corpus), corpus; j.left {
		return
	}
	j.group, j.overflow = o.group(r, corpus), o.overflowGroup(r, corpus)
	if r.Failure != nil {
		return
	}
	j.prompt, j.reply = w.judge.meter.tokens(r)
	j.measured = w.judge.meter.measure(r.Messages)
	if w.run.isRetry(r) {
		return
	}
	retries, replies, err := w.run.retries.take(r.ID)
	if err != nil {
		j.err = err
		return
	}
	s := w.judge.score(r, replies)
	for _, retry := range retries {
		s.call(retry.prompt, retry.tokens)
	}
	if budget := s.limit(o); budget > 0 && s.Largest >= 0 {
		s.Share = float64(s.Largest) / float64(budget)
	}
	s.Group, j.score = j.group, s
}

// isRetry reports whether a record belongs to another one's request.
func (r *run) isRetry(rec *corpora.Record) bool { return r.retries != nil && rec.Attempt > 1 }

// maxProblems limits the bad lines in the result. The others are only counted.
const maxProblems = 20

// maxValues limits the values that the result lists of a key of Where.
const maxValues = 10

// note notes the values of an excluded record for the keys of Where.
func (r *run) note(j *judged) {
	for key := range r.options.Where {
		list := r.result.LeftValues[key]
		if value := keyOf(&j.Record, key, j.corpus); len(list) < maxValues && !slices.Contains(list, value) {
			r.result.LeftValues[key] = append(list, value)
		}
	}
}

// oneVersion returns an error if the name of a prompt selects replies of two versions.
func (r *run) oneVersion(rec *corpora.Record) error {
	name, has := r.options.Where[promptKey], keyOf(rec, promptKey, "")
	if name == "" || has == name {
		return nil
	}
	if r.version == "" {
		r.version = has
	}
	if r.version != has {
		return harness.Mistakef("--where prompt=%s selects %s and %s: name one of them", name, r.version, has)
	}
	return nil
}

// count counts the results of a worker.
func (r *run) count(j *judged) error {
	res := r.result
	switch {
	case j.err != nil:
		return j.err
	case j.Problem != nil:
		if res.Bad++; res.Bad <= maxProblems {
			res.Problems = append(res.Problems, j.Problem.Error())
			r.problems = append(r.problems, problemAt{j.Problem.Error(), j.at})
		}
		return nil
	case j.left:
		res.Left++
		r.note(j)
		return nil
	}
	if err := r.oneVersion(&j.Record); err != nil {
		return err
	}
	if j.Record.Failure != nil {
		if res.Failed++; !r.isRetry(&j.Record) { // a failed retry ends the ladder of its first attempt
			r.tally(j.group).unjudged(NoReply)
			if j.overflow != nil {
				r.overflowTally(j.overflow).unjudged(NoReply)
			}
		}
		return nil
	}
	res.Records++
	if rec := &j.Record; rec.Damaged() {
		res.Damaged = corpora.AddDamaged(res.Damaged, corpora.DamagedPrompt{Prompt: rec.Prompt, Replies: 1, Example: rec.ID})
	}
	t := r.tally(j.group)
	t.spend(&j.Record, j.prompt, j.reply)
	if j.Record.Messages != nil && r.options.Counter != nil {
		t.Prompts.add(j.measured)
	}
	if r.isRetry(&j.Record) {
		if res.Retries++; j.Record.RetryOf == "" {
			t.unjudged(LostRetry)
		}
		return nil
	}
	t.set(&j.Record)
	t.add(&j.score, j.at, &r.options, r.questions)
	if j.overflow != nil {
		r.overflowTally(j.overflow).add(&j.score, j.at, &r.options, r.questions)
	}
	if s := &j.score; j.Record.Source == corpora.Documented && len(t.Listed) < maxListed {
		t.Listed = append(t.Listed, listedAt{Listed{s.ID, s.Verdict, s.Code, s.Rung, s.Danger, j.Record.Provenance}, j.at})
	}
	if r.options.Each == nil {
		return nil
	}
	return r.options.Each(j.score, &j.Record)
}

// tally returns the counts of a group.
func (r *run) tally(group []string) *tally {
	key := groupKey(group)
	if r.tallies[key] == nil {
		r.tallies[key] = newTally(group, &r.options)
	}
	return r.tallies[key]
}

// unjudged counts a request without a score.
func (t *tally) unjudged(why string) {
	t.Requests++
	t.Unscored[why]++
}

// finish computes the groups of the result.
func (r *run) finish() {
	for _, key := range r.retries.unused() {
		if t := r.tallies[key]; t != nil {
			t.unjudged(LostRetry)
		}
	}
	res := r.result
	if !r.options.Shard.Whole() || r.options.Places != nil {
		res.Part = r.part()
	}
	res.makeGroups(slices.Collect(maps.Values(r.tallies)), &r.options, r.implied)
	res.makeOverflow(slices.Collect(maps.Values(r.overflows)), r.options.By)
	if res.Part != nil {
		for i := range res.Groups {
			res.Groups[i].ByCase = nil // the part contains them
		}
	}
}

// makeGroups sets the groups from tallies.
func (r *Result) makeGroups(tallies []*tally, o *Options, implied bool) {
	slices.SortFunc(tallies, func(a, b *tally) int { return slices.CompareFunc(a.Key, b.Key, compareValues) })
	questions := metrics()
	r.Groups = []Group{}
	for _, t := range tallies {
		r.Groups = append(r.Groups, t.group(o, questions))
	}
	r.oneSource(implied)
}

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
