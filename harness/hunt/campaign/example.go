package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/engine"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shrink"
)

// examples makes, beside the cases, a small case for each thing that is wrong: for
// the first of the groups that say the same.
type examples struct {
	ctx    context.Context
	cancel context.CancelFunc
	wanted map[string]bool // by class and sentence
	turns  chan struct{}   // one for each example that may be made at a time
	open   atomic.Int64    // examples that are not made yet
	all    sync.WaitGroup
	mu     sync.Mutex
	made   map[string]finding.Finding // by group
	// pending are the groups whose example is not begun. Those of later wait until the cases
	// have been run, and only those that name a cause are made then.
	pending, later []cause.Group
	err            error
}

// begin prepares for a campaign in that context. Beside the cases one example is made at a
// time, after them as many as there are workers.
func (e *examples) begin(ctx context.Context, workers int) {
	e.ctx, e.cancel = context.WithCancel(engine.Free(ctx))
	e.wanted, e.made, e.turns = map[string]bool{}, map[string]finding.Finding{}, make(chan struct{}, workers)
	e.turns <- struct{}{}
}

// want has an example made of a group, unless another group says the same. If the time is
// limited, only the first group that breaks a check in a kind gets one at once.
func (e *examples) want(r *runner, g *cause.Group, sentence string) {
	key := wantedBy(g, sentence)
	if e.wanted[key] {
		return
	}
	e.wanted[key] = true
	if g.Example != nil || r.Bare {
		return
	}
	way := g.Check + " " + g.Kind
	if r.Time > 0 && e.wanted[way] {
		if !g.Advisory { // it fails nothing, so cases are worth more
			e.open.Add(1)
		}
		e.later = append(e.later, *g)
		return
	}
	e.wanted[way] = true
	e.begun(r, g)
}

// rest has the examples made of those groups that wait and name a cause.
func (e *examples) rest(r *runner) {
	if len(e.later) == 0 {
		return
	}
	heads := r.heads()
	for i := range e.later {
		if heads[e.later[i].ID] {
			e.begun(r, &e.later[i])
		}
	}
}

// heads are the ids of the groups that name a cause.
func (r *runner) heads() map[string]bool {
	d := r.diagnosis()
	d.Unnamed = true
	heads := map[string]bool{}
	for _, c := range cause.Diagnose(d, r.result.Groups) {
		heads[c.Groups[0]] = true
	}
	return heads
}

// prove tries examples in new processes, unless they were when they were made: the examples of groups that name a
// cause, and then all others if the engine remembers requests.
func (e *examples) prove(r *runner) {
	if len(e.made) == 0 || r.Time > 0 {
		return
	}
	heads := r.heads()
	try := func(named bool) {
		made := maps.Clone(e.made)
		for i := range r.result.Groups {
			g := &r.result.Groups[i]
			f, ok := made[g.ID]
			if !ok || heads[g.ID] != named {
				continue
			}
			e.all.Go(func() {
				<-e.turns
				err := r.before(e.ctx, &f, *g)
				e.turns <- struct{}{}
				e.done(g.ID, f, err)
			})
		}
		e.all.Wait()
	}
	try(true)
	for _, f := range e.made {
		if f.Kind == finding.Flaky {
			try(false)
			return
		}
	}
}

// begun has an example made of a group.
func (e *examples) begun(r *runner, g *cause.Group) {
	e.mu.Lock()
	e.pending = append(e.pending, *g)
	e.mu.Unlock()
	e.open.Add(1)
	e.all.Go(func() {
		defer e.open.Add(-1)
		<-e.turns
		group := e.next()
		f, err := r.example(e.ctx, group)
		if err == nil && r.Time > 0 { // else later: see prove
			err = r.before(e.ctx, &f, group)
		}
		e.turns <- struct{}{}
		e.done(group.ID, f, err)
	})
}

// done keeps the example of a group.
func (e *examples) done(id string, f finding.Finding, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.err = errors.Join(e.err, err)
		return
	}
	e.made[id] = f
}

// next takes the group of the worst class from those that wait for an example.
func (e *examples) next() cause.Group {
	e.mu.Lock()
	defer e.mu.Unlock()
	worst := 0
	for i := range e.pending {
		if e.pending[i].Class.Rank() < e.pending[worst].Class.Rank() {
			worst = i
		}
	}
	g := e.pending[worst]
	e.pending = slices.Delete(e.pending, worst, worst+1)
	return g
}

// wait puts the examples into their groups, and keeps them.
func (e *examples) wait(r *runner) error {
	if r.Time > 0 {
		left := time.Duration(examplesShare*float64(r.Time)) - r.Now().Sub(r.Began)
		timer := time.AfterFunc(left, e.cancel)
		defer timer.Stop()
	}
	for range r.Workers - 1 {
		e.turns <- struct{}{}
	}
	e.all.Wait()
	e.prove(r)
	e.cancel()
	for i := range r.result.Groups {
		g := &r.result.Groups[i]
		if f, ok := e.made[g.ID]; ok {
			g.Example = &f
		}
	}
	return e.err
}

// example makes a finding of a group: its first case with the culprits alone, made
// anew in a small base where that shows the same, and then made smaller.
func (r *runner) example(ctx context.Context, g cause.Group) (finding.Finding, error) {
	h := &hunt{
		ctx: ctx, runner: r, check: g.Check, kind: g.Kind, make: r.maker(g), codes: r.codes(g.Culprits, g.First),
		calls: r.ShrinkBudget,
	}
	switch {
	case h.calls < 0:
		h.calls = 0
	case strings.HasPrefix(g.Kind, string(harness.Hang)):
		h.calls = hangCalls
	case h.calls == 0 && r.Time > 0:
		h.until = r.Now().Add(time.Duration(exampleShare * float64(r.Time)))
		fallthrough
	case h.calls == 0:
		h.calls = exampleCalls
	}
	f := finding.Finding{
		Faults: append([]string{}, g.Culprits...), Seed: r.Seed, CaseIndex: g.First,
		GeneratorVersion: generatorVersion(),
	}
	return f, h.tell(&f)
}

// maker makes the case of a group with some of the culprits: its first one, or,
// of so many steps, one made anew.
func (r *runner) maker(g cause.Group) func(traits []string, steps int) generators.Sample {
	return func(traits []string, steps int) generators.Sample {
		switch {
		case r.source == nil || g.Class == judge.Unsteady:
			return r.sample(g.First)
		case steps == 0:
			return r.keeping(g.First, traits)
		}
		return r.source.Anew(r.Seed, g.First, traits, steps)
	}
}

// Minimize makes a finding of any case that breaks something on the engine,
// by the check of that name, or by any if the name is "". Of the configuration
// it needs what belongs to the engine, the judging and the shrinking. It
// returns [ErrHolds] if nothing breaks.
func Minimize(ctx context.Context, c Config, hello harness.Hello, target harness.Case, name string) (finding.Finding,
	error,
) {
	r := &runner{Config: c, hello: hello}
	r.Dialect, r.Judging.Every, r.Judging.SampleReference = target.Dialect, 1, false
	r.Deadline = cmp.Or(r.Deadline, DefaultDeadline)
	e, done, err := r.open()
	if err != nil {
		return finding.Finding{}, err
	}
	defer done()
	j, err := judge.New(e, hello, all.Rules(r.Dialect), r.Judging).Judge(ctx, judge.Item{Case: target})
	switch {
	case err != nil:
		return finding.Finding{}, err
	case j.Unsupported != "":
		return finding.Finding{}, errors.New(j.Unsupported)
	}
	for _, b := range j.Breaks {
		if name == "" || b.Check == name {
			sample := generators.Sample{Case: target, Want: generators.Want{Loose: true}}
			h := &hunt{
				ctx: engine.Free(ctx), runner: r, check: b.Check, kind: b.Kind,
				calls: cmp.Or(c.ShrinkBudget, shrink.DefaultBudget),
			}
			h.make = func([]string, int) generators.Sample { return sample }
			f := finding.Finding{Faults: []string{}, GeneratorVersion: generatorVersion()}
			return f, h.tell(&f)
		}
	}
	return finding.Finding{}, ErrHolds
}

// ErrHolds says that a case breaks nothing.
var ErrHolds = errors.New("the case breaks nothing on this engine")

// exampleShare is the share of the time of a campaign that one example may take: each call
// for a crash costs the start of a process.
const exampleShare = 0.1

// times is how often a break must show again.
const times = 3

// tell reproduces the break, makes the case small, and says what it shows.
func (h *hunt) tell(f *finding.Finding) error {
	sample := h.make(f.Faults, 0)
	item := cause.ItemOf(sample, cause.Salt(h.runner.Seed, f.CaseIndex))
	shows, chance := 0, h.rules().Chanced(sample.Case)
	for range times {
		if h.shows(item) {
			shows++
		}
	}
	f.Reproduced = fmt.Sprintf("%d/%d", shows, times)
	if h.err != nil {
		return h.err
	}
	if h.ctx.Err() != nil {
		f.Reproduced = finding.Unexamined
	}
	if h.last == nil {
		h.last = &judge.Break{
			Check: h.check, Kind: h.kind,
			Message: "it does not occur again when the case is run alone",
		}
		if chance {
			h.last.Message = fmt.Sprintf("it depends on chance: it did not show when the case ran %d times more", times)
		}
		if f.Reproduced == finding.Unexamined {
			h.last.Message = "the case was not re-run: the campaign had ended"
		}
		if h.runner != nil {
			h.last.Class = h.rules().Class(h.check, h.kind)
		}
	}
	h.runner.describe(f, *h.last)
	f.Case = shown(item.Case, *h.last)
	f.Shrunk.From = finding.Measure(f.Case)
	if shows == times && !chance {
		if h.judgement.Failure != nil {
			h.place = h.judgement.Failure.Place()
		}
		f.Case = h.small(sample, item)
	} else if f.Reproduced != finding.Unexamined && !chance {
		f.Kind = finding.Flaky
	}
	f.Shrunk.To = finding.Measure(f.Case)
	h.runner.explain(f, h)
	return h.err
}

// hunt looks for a small case that shows a break.
type hunt struct {
	ctx         context.Context
	runner      *runner
	check, kind string // what to look for
	place       string // where the engine must crash: elsewhere it is another bug; "" if no place is known
	make        func(traits []string, steps int) generators.Sample
	codes       func() []harness.Code // that are right beside the one of the whole case
	calls       int                   // of the engine, that are left
	until       time.Time             // the end of looking for smaller cases; zero is none
	last        *judge.Break
	judgement   judge.Judgement // in which last was seen
	item        judge.Item      // the last one of it was seen
	err         error           // no engine could be opened
}

func (h *hunt) rules() *judge.Rules {
	rules := all.Rules(h.runner.Dialect)
	return &rules
}

// shows reports whether the break shows in an item, on an engine of its own:
// one with a memory remembers nothing of other tries.
func (h *hunt) shows(item judge.Item) bool {
	if h.ctx.Err() != nil || h.err != nil {
		return false
	}
	e, done, err := h.runner.open()
	if err != nil {
		h.err = err
		return false
	}
	defer done()
	item.Codes = h.codes
	j := judge.New(e, h.runner.hello, all.Rules(h.runner.Dialect), h.runner.Judging)
	result, err := j.Only(h.ctx, item, h.check)
	h.calls -= j.Calls()
	if err != nil {
		return false
	}
	if h.judgement.Exercised == 0 {
		h.judgement = result
	}
	for i := range result.Breaks {
		if b := &result.Breaks[i]; b.Check == h.check && b.Kind == h.kind && h.crashes(result.Failure) {
			h.last, h.judgement, h.item = b, result, item
			return true
		}
	}
	return false
}

// crashes reports whether the engine fails where it must.
func (h *hunt) crashes(f *harness.Failure) bool {
	return h.place == "" || f != nil && f.Place() == h.place
}

// may reports whether calls and time are left for a smaller case.
func (h *hunt) may() bool {
	return h.calls > 0 && h.ctx.Err() == nil && (h.until.IsZero() || h.runner.Now().Before(h.until))
}

// smallest are the sizes of the bases in which a case is made anew.
var smallest = [...]int{1, 2, 3}

// small makes the case small: anew, with the same traits in small bases, and then
// piece by piece. What only its maker knows to be wrong is not cut: of a smaller
// case there is no such knowledge.
func (h *hunt) small(sample generators.Sample, item judge.Item) harness.Case {
	made := h.make
	if sample.Want.Loose != (h.check == judge.Expected) || !sample.Want.Loose {
		for _, steps := range smallest {
			s := h.make(sample.Traits, steps)
			if h.may() && len(s.Case.Plan) < len(sample.Case.Plan) && h.shows(cause.ItemOf(s, item.Salt)) {
				made = func(traits []string, _ int) generators.Sample { return h.make(traits, steps) }
				sample, item = s, cause.ItemOf(s, item.Salt)
				break
			}
		}
	}
	start := shown(item.Case, *h.last)
	if h.check == judge.Expected {
		return start
	}
	h.retarget(&start)
	keep := h.keeper(sample, made, start)
	if h.check == check.Bounded {
		h.calls = min(h.calls, 50) // each is slow
	}
	smaller, _ := shrink.While(all.Find(h.runner.Dialect), start, 5*max(h.calls, 0), h.may, func(c harness.Case) bool {
		return keep(c) && h.shows(judge.Item{Case: c, Salt: item.Salt, Traits: item.Traits})
	})
	return smaller
}

// retarget looks, where a break lies between two cases, for what breaks in the one
// that is kept.
func (h *hunt) retarget(c *harness.Case) {
	outer, inner, ok := strings.Cut(h.kind, "/")
	if !ok {
		return
	}
	name := judge.Reference
	if outer != h.check && h.rules().Place(outer) >= 0 {
		name = outer
	}
	was := *h
	h.check, h.kind = name, inner
	if !h.shows(judge.Item{Case: *c}) {
		calls := h.calls
		*h = was
		h.calls = calls
	}
}
