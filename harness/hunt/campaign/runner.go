package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/guard"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// runner is a campaign under way.
type runner struct {
	Config
	hello   harness.Hello
	result  Result
	started time.Time
	ran     uint64
	begun   int       // workers
	saved   time.Time // when the checkpoint was written
	told    time.Time // the last call of Progress
	found   int       // groups that are neither known nor advice
	sealed  bool      // the checkpoint is not written any more
	lost    error     // why the checkpoint could not be written
	// announced are the ways to break (class, check and kind) with an announced group.
	announced map[string]bool
	examples  examples
	evidence  cause.Evidence // what the causes were made of
	settled   atomic.Pointer[[]settlement]
	chance    atomic.Bool // a case gets different answers: each failing one is examined for that
	limit     time.Time   // the end of looking for look-alikes after an interrupt
}

// job is a chunk to run, and where its tally goes.
type job struct {
	chunk uint64
	done  chan tally
	probe bool // of the plain cases, which count in the first shard alone
}

// work runs the cases of chunks until there are no more.
func (r *runner) work(ctx context.Context, jobs <-chan job) {
	for j := range jobs {
		j.done <- r.chunk(ctx, j.chunk)
	}
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
	begin := func() { workers.Go(func() { r.work(ctx, jobs) }) }
	r.staff(begin)
	go r.deal(ctx, jobs, order)
	for j := range order {
		t := <-j.done
		err := t.err
		if r.plain() > 0 && j.chunk == 0 {
			r.connect(&t)
			switch {
			case !j.probe || r.result.Unconnected:
			case err == nil:
				continue
			default:
				t = tally{err: err, coverage: NewCoverage()}
			}
		}
		if err == nil {
			r.add(t)
			r.staff(begin)
		}
		switch {
		case err == nil:
			if r.proceed(j.chunk); r.result.Stopped == "" {
				r.tell(false)
				continue
			}
		case errors.Is(err, errOver):
			err = r.leave(t)
			for j := range order {
				if t := <-j.done; t.err == nil || errors.Is(t.err, errOver) {
					err = errors.Join(err, r.leave(t))
				} else {
					err = errors.Join(err, t.err)
				}
			}
			r.tell(true)
			return err
		case errors.Is(err, harness.ErrStopped) || ctx.Err() != nil:
			err = errors.Join(err, r.leave(t))
		}
		interrupted := ctx.Err() != nil
		stop(nil)
		for j := range order {
			if t := <-j.done; interrupted && err != nil {
				err = errors.Join(err, r.leave(t))
			}
		}
		return err
	}
	r.tell(true)
	return context.Cause(ctx)
}

// casesPerWorker is how many cases have been run for each worker before there is one more than
// one per processor: many chunks of a slow engine at once would give the first result late.
const casesPerWorker = 500

// staff begins the workers for which enough cases have been run.
func (r *runner) staff(begin func()) {
	for r.begun < min(r.Workers, max(runtime.GOMAXPROCS(0), 1+int(r.ran/casesPerWorker))) {
		begin()
		r.begun++
	}
}

// deal hands out the chunks until there are no more, the time is over, or the
// context ends.
func (r *runner) deal(ctx context.Context, jobs, order chan<- job) {
	defer close(jobs)
	defer close(order)
	if r.plain() > 0 && !r.Shard.First() && r.result.Next == uint64(r.Shard.I-1) {
		j := job{0, make(chan tally, 1), true}
		select {
		case jobs <- j:
			order <- j
		case <-ctx.Done():
			return
		}
	}
	for k := r.result.Next; k < r.chunks(); k += uint64(r.Shard.N) {
		if r.over() {
			return
		}
		j := job{k, make(chan tally, 1), false}
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
	if r.relabel == nil {
		return r.Sample(r.Seed, index) // a variable whose address is taken would be allocated for each case
	}
	s := r.Sample(r.Seed, index)
	r.relabel(&s)
	return s
}

// keeping makes the case of an index with some of its traits.
func (r *runner) keeping(index uint64, traits []string) generators.Sample {
	s := r.source.Keeping(r.Seed, index, traits)
	if r.relabel != nil {
		r.relabel(&s)
	}
	return s
}

// item turns a sample of the campaign into an item to judge.
func (r *runner) item(s generators.Sample, index uint64) judge.Item {
	it := cause.ItemOf(s, cause.Salt(r.Seed, index))
	it.Codes = r.codes(s.Traits, index)
	return it
}

// codes are those that the rules give for one of several traits alone.
func (r *runner) codes(traits []string, index uint64) func() []harness.Code {
	if r.Judging.Reference == nil || len(traits) < 2 {
		return nil
	}
	return cause.CodesAlone(r.source, r.Seed, index, traits, func(c harness.Case) harness.Code {
		if c.Profile == nil {
			p := r.hello.Dialects[r.Dialect].Profile
			c.Profile = &p
		}
		out, err := r.Judging.Reference.Eval(context.Background(), c)
		if err != nil {
			return ""
		}
		return out.Code
	})
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
	judging := judge.New(engine, r.hello, all.Rules(r.Dialect), r.Judging)
	var j judge.Judgement
	for i, to := r.span(k); i < to; i++ {
		if r.over() {
			t.err = errOver
			break
		}
		s := r.sample(i)
		if j, t.err = judging.Judge(ctx, r.item(s, i)); t.err != nil {
			break
		}
		t.count(&s, &j)
		t.judged++
		if len(j.Breaks) > 0 {
			t.hits = append(t.hits, hit{i, s.Traits, j})
		}
	}
	t.calls = uint64(judging.Calls())
	t.close()
	if len(t.hits) > 0 && (t.err == nil || errors.Is(t.err, errOver)) {
		blamed, calls, err := r.attribute(ctx, t.hits)
		t.blamed, t.attribution, t.err = blamed, uint64(calls), cmp.Or(err, t.err)
	}
	return t
}

// The shares of the time of a campaign after which no more cases are run, no more culprits
// are looked for, no more examples are made small, and no more look-alikes are looked for.
// The rest is for writing the report. While no example waits, cases are run as long as
// culprits are looked for.
const casesShare, culpritsShare, examplesShare, alikeShare = 0.75, 0.88, 0.94, 0.97

// over reports whether the time for cases is over.
func (r *runner) over() bool {
	return r.past(casesShare) && (r.examples.open.Load() > 0 || r.past(culpritsShare))
}

// past reports whether a share of the time of the campaign is over.
func (r *runner) past(share float64) bool {
	return r.Time > 0 && r.Now().Sub(r.Began) >= time.Duration(share*float64(r.Time))
}

// errOver ends a chunk in the middle: one may take longer than the rest of the time.
var errOver = errors.New("the time is over")

// connect looks at the plain cases, which come first in every shard: an engine that
// fails on, or refuses, more than half of them is not connected, and nothing else
// that could be said of it means anything.
func (r *runner) connect(t *tally) {
	for i := range t.blamed { // an engine that answers at random is connected
		if b := &t.blamed[i]; b.Class == judge.Unsteady && b.Kind == again && t.lost > 0 {
			t.lost--
		}
	}
	if asked := t.judged - t.unsupported; t.err == nil && 2*t.lost > asked {
		r.result.Unconnected = true
		r.result.Stopped = fmt.Sprintf("the engine is not connected: it fails on, or refuses, %d of %d plain cases", t.lost,
			asked)
	}
}

// proceed goes behind a chunk whose tally is in the result.
func (r *runner) proceed(chunk uint64) {
	r.result.Next = chunk + uint64(r.Shard.N)
	if r.found >= r.MaxFindings && r.Known != nil { // what looks like a known cause goes with it
		r.found = r.undiagnosed()
	}
	if r.found >= r.MaxFindings {
		r.result.Stopped = fmt.Sprintf("--max-findings %d is reached; there may be more causes", r.MaxFindings)
	}
	if err := r.save(false); err != nil { // the findings count more than the file
		r.lost, r.sealed = err, true
	}
}

// undiagnosed counts the groups of unknown causes, look-alikes included.
func (r *runner) undiagnosed() (n int) {
	for _, c := range cause.Diagnose(r.diagnosis(), r.result.Groups) {
		known := func(id string) bool {
			return slices.ContainsFunc(r.result.Groups, func(g cause.Group) bool {
				return g.ID == id && r.Known != nil &&
					r.Known(g)
			})
		}
		if !c.Advisory && !slices.ContainsFunc(c.Groups, known) {
			n += len(c.Groups)
		}
	}
	return n
}

// leave puts what was done of a chunk to the result when the time is over, the engine
// given up or the campaign interrupted in the middle of it: what it did before is
// what there is to look into. The checkpoint is from before, since the chunk would be
// run again.
func (r *runner) leave(t tally) error {
	if err := r.save(true); err != nil {
		return err
	}
	r.sealed = true
	r.add(t)
	return nil
}

// add adds a tally to the result, and groups what broke.
func (r *runner) add(t tally) {
	for i := 0; i < len(t.blamed); {
		k := i
		for k < len(t.blamed) && t.blamed[k].index == t.blamed[i].index {
			k++
		}
		r.note(t.blamed[i:k])
		i = k
	}
	if t.blamed == nil { // an interrupt came before anyone looked for culprits
		for _, h := range t.hits {
			a := attributor{runner: r}
			r.note(a.unexamined(r.sample(h.index), h))
		}
	}
	r.ran += t.judged
	r.result.Cases += t.judged
	r.result.Calls += t.calls
	r.result.Attribution += t.attribution
	r.result.Unsupported += t.unsupported
	r.result.Valid += t.valid
	r.result.Accepted += t.accepted
	shard.Join(&r.result.Coverage, t.coverage)
	r.result.sort()
	r.settle()
}

// note counts a case that broke something: in the group of each of its breaks.
func (r *runner) note(breaks []blamed) {
	worst, failed := -1, false
	for i, b := range breaks {
		failed = failed || !b.Advisory
		if worst < 0 || worse(&b.Break, &breaks[worst].Break) {
			worst = i
		}
	}
	if failed {
		r.result.Failing++
	}
	for i, b := range breaks {
		g, fresh := r.group(b)
		if g == nil {
			r.result.NotAttributed++
			continue
		}
		g.Add(cause.Seen{Index: b.index, Answer: b.answer, Departs: b.departs, Place: b.place})
		if b.verdict != "" {
			g.Saw(b.verdict)
		}
		g.Unconfirmed = g.Unconfirmed && b.open
		if i == worst {
			g.Worst++
		}
		for _, o := range b.beside {
			g.Meet(o.Check, o.Kind)
		}
		if fresh {
			r.news(g)
		}
	}
}

// worse reports whether a break counts before another one of the same case.
func worse(a, b *judge.Break) bool {
	if a.Advisory != b.Advisory {
		return b.Advisory
	}
	return a.Class.Rank() < b.Class.Rank()
}

// group returns the group of a break, which may be new; nil where nobody looked
// for the culprits, and none that is there can explain it.
func (r *runner) group(b blamed) (g *cause.Group, fresh bool) {
	if b.open {
		i := slices.IndexFunc(r.result.Groups, func(g cause.Group) bool {
			return g.Check == b.Check && g.Kind == b.Kind && g.Covers(b.traits)
		})
		if i >= 0 {
			return &r.result.Groups[i], false
		}
		if b.Advisory || r.source != nil && len(b.traits) > 1 {
			return nil, false
		}
	}
	named := b.key
	if rules := all.Rules(r.Dialect); len(named.Culprits) > 0 {
		named.Kind = rules.Stem(named.Check, named.Kind)
	}
	id := named.ID(r.Dialect)
	if i := slices.IndexFunc(r.result.Groups, func(g cause.Group) bool { return g.ID == id }); i >= 0 {
		return &r.result.Groups[i], false
	}
	r.result.Groups = append(r.result.Groups, cause.Group{
		ID: id, Key: b.key, Class: b.Class, Advisory: b.Advisory, Unconfirmed: true,
		Failing: []cause.Seen{},
	})
	return &r.result.Groups[len(r.result.Groups)-1], true
}

// news reports a new group, and has its example made.
func (r *runner) news(g *cause.Group) {
	d := r.diagnosis()
	if !g.Advisory {
		before := r.found
		r.found = r.unknown(r.result.Groups)
		way := strings.Join([]string{string(g.Class), g.Check, g.Kind}, " ")
		if r.found > before && r.Found != nil && !r.announced[way] {
			r.Found(*g, d.Sentence(g))
			r.announced[way] = true
		}
	}
	if r.result.Judges(g) {
		r.examples.want(r, g, d.Topic(g))
	}
}

// unknown counts the groups that are neither known nor advice.
func (r *runner) unknown(list []cause.Group) int { return cause.Fresh(list, r.Known) }

// tell reports progress, twice a second at most.
func (r *runner) tell(now bool) {
	t := r.Now()
	if !now && t.Sub(r.told) < 500*time.Millisecond {
		return
	}
	r.told = t
	p := Progress{Cases: r.result.Cases, Total: r.mine(), Groups: r.found}
	elapsed := t.Sub(r.started)
	if elapsed > 0 {
		p.Rate = float64(r.ran) / elapsed.Seconds()
	}
	if p.Total > 0 && p.Rate > 0 {
		p.Left = time.Duration(float64(p.Total-p.Cases) / p.Rate * float64(time.Second))
	}
	if left := r.Time - t.Sub(r.Began); r.Time > 0 && (p.Left == 0 || left < p.Left) {
		p.Left = max(left, 0)
	}
	r.Progress(p)
}
