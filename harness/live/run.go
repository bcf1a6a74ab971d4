package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live/prompt"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
)

// Options say how a plan is run.
type Options struct {
	Client *Client
	// Routes say of models, by their names in the plan, where they are asked if not by
	// Client and Pace.
	Routes   map[string]Route
	Renderer prompt.Renderer
	Journal  *Journal
	Counter  tokens.Tokenizer
	Prices   score.Prices
	Limits   Limits
	Clock    Clock
	Pace     *Pace
	Retry    Retry
	Workers  int  // requests under way at once; at least 1
	Replay   bool // nothing waits
	Race     *Race
	// Shard says which of all cases the plan's are.
	Shard shard.Shard
	// Tell is called after every finished cell, for one at a time; it may be nil.
	Tell func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	Cells, Total int
	Failed       int
	Spent        Spent
	Rate         float64 // cells a second
	Left         time.Duration
	Currency     string
}

// Run asks everything that the plan has and the journal has not. An error means
// that the run could not go on; what it did is in the result. A limit that was
// met, and requests that failed, are no errors: the result says so.
func Run(ctx context.Context, p Plan, o Options) (*Result, error) {
	r := &runner{plan: p, options: o, cells: make([]state, p.Cells()), tally: &tally{}, started: o.Clock.Now()}
	for c := range p.combinations() {
		r.tally.group(c.group()) // in the order of the plan
	}
	r.caller = NewCaller(o, p.Params.ReplyTokens)
	if err := r.render(ctx); err != nil {
		return nil, err
	}
	if err := o.Journal.each(r.caller.recall); err != nil { // what earlier sessions have used
		return nil, err
	}
	err := r.rounds(ctx)
	result := r.result()
	if arranged := o.Journal.arrange(result.Records); err == nil {
		err = arranged
	}
	return result, err
}

type runner struct {
	plan    Plan
	options Options
	caller  *Caller
	started time.Time
	race    *standing
	// recordedOnly makes no request: a cell ends where the journal has no reply.
	recordedOnly bool

	mu      sync.Mutex
	cells   []state // by place
	tally   *tally  // of those that are over
	records []placed
	resumed int
	stopped *stopped
	done    int
	failed  int
}

// state is all that is kept of a cell.
type state uint8

const (
	over    state = 1 << iota
	replied       // there is a first reply
	applied       // and it could be applied
)

// placed is a record of a run, and its place in the run of all shards.
type placed struct {
	At  int
	Key digest
}

// cellResult is what came of a cell.
type cellResult struct {
	cell    cell
	keys    []digest  // of its replies' records
	lost    *digest   // key of the record of the request that got no reply; nil if all did
	resumed int       // of them from an earlier session
	applied bool      // by the first reply
	failure *Failure  // why that request got none
	full    bool      // the next request did not fit the model: the ladder ended there
	skipped string    // why the first request was not made, or the next
	counts  []counted // of its records
}

// counted is what one reply took.
type counted struct {
	latencyMS           float64
	prompt, reply       int // as the endpoint said; -1 unknown
	ourPrompt, ourReply int
	kind, finish        string
}

// render renders the first prompt of every case, and the others once, so that a
// template that does not work stops the run before anything was sent.
func (r *runner) render(ctx context.Context) error {
	for i := range r.plan.Cases.N {
		c, err := r.plan.Cases.At(i)
		if err != nil {
			return err
		}
		for s := range r.plan.Prompts {
			set := &r.plan.Prompts[s]
			if _, err := r.options.Renderer.Render(ctx, set.Patch, c.variables); err != nil {
				return err
			}
			if i > 0 {
				continue
			}
			if r.plan.Dialect.Session != nil {
				if err := r.rehearse(ctx, &cell{c: &c, set: set}); err != nil {
					return err
				}
				continue
			}
			for _, rung := range r.plan.asking() {
				if _, err := r.options.Renderer.Render(ctx, set.Of(rung), c.variables.WithError(string(harness.NoDocument),
					"…")); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rounds goes through the cases: all at once or, in a race, in as many rounds
// as it looks.
func (r *runner) rounds(ctx context.Context) error {
	n := r.plan.Cases.N
	size := n
	if r.options.Race != nil {
		r.race = newStanding(*r.options.Race, len(r.plan.Prompts))
		size = r.race.roundSize(n)
	}
	for from := 0; from < n; from += size {
		if err := r.round(ctx, r.plan.cells(from, min(size, n-from))); err != nil {
			return err
		}
		if r.race != nil && from+size < n {
			r.race.look(from+size, r.outcomes(from+size))
		}
	}
	return nil
}

// round runs cells with all workers.
func (r *runner) round(ctx context.Context, cells iter.Seq2[cell, error]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan cell)
	var workers sync.WaitGroup
	for range max(1, r.options.Workers) {
		workers.Go(func() {
			for c := range queue {
				if err := r.work(ctx, c); err != nil {
					cancel(err)
				}
			}
		})
	}
feed:
	for c, err := range cells {
		if err != nil {
			cancel(err)
			break
		}
		select {
		case queue <- c:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// work asks one cell. An error ends the run.
func (r *runner) work(ctx context.Context, c cell) error {
	if ctx.Err() != nil {
		return nil
	}
	res := &cellResult{cell: c}
	if r.race != nil && r.race.out(c.prompt) {
		res.skipped = skippedRace
	} else if err := r.converse(ctx, res); err != nil {
		return err
	}
	r.over(res)
	return nil
}

// converse gets the replies of one cell.
func (r *runner) converse(ctx context.Context, res *cellResult) error {
	if r.plan.Dialect.Session != nil {
		return r.session(ctx, res)
	}
	return r.climb(ctx, res)
}

// The reasons why cells are not asked. Stopped and hopeless failures give further ones.
const skippedRace = "the prompt was already eliminated"

// exchange sends a conversation and appends the reply to it. ok is false if there is no
// reply; then fatal is the error that ends the whole run, if there is one. The first attempt
// sets first to the id of its record.
func (r *runner) exchange(
	ctx context.Context, res *cellResult, attempt int, first *string, talk *[]history.Message,
) (reply harness.Reply, ok bool, fatal error) {
	rec, err := r.reply(ctx, res, attempt, *first, *talk)
	if err != nil {
		return "", false, r.settle(res, err)
	}
	if attempt == 1 {
		*first = rec.ID
	}
	*talk = append(*talk, history.Message{Role: history.Assistant, Content: string(rec.Reply)})
	return rec.Reply, true, nil
}

// climb climbs the ladder with real replies.
func (r *runner) climb(ctx context.Context, res *cellResult) error {
	c := res.cell
	talk, fatal := r.opening(ctx, &c)
	first := ""
	ask := func(rung harness.Rung, why *harness.Refusal) (harness.Reply, bool) {
		attempt := len(res.keys) + 1
		if res.failure != nil || res.full || res.skipped != "" || fatal != nil {
			return "", false
		}
		if attempt > 1 {
			var next string
			next, fatal = r.options.Renderer.Render(ctx, c.set.Of(rung), c.c.variables.WithError(string(why.Code), why.Message))
			if fatal != nil {
				return "", false
			}
			talk = append(talk, history.Message{Role: history.User, Content: next})
		}
		var reply harness.Reply
		var ok bool
		reply, ok, fatal = r.exchange(ctx, res, attempt, &first, &talk)
		return reply, ok
	}
	out := r.plan.Dialect.Climb(harness.Case{Dialect: r.plan.Dialect.Name, Plan: c.c.Plan, Limits: c.c.Limits},
		r.plan.Profile, ask)
	res.applied = out.Verdict == harness.Applied && out.Rung == harness.RungPatch
	return fatal
}

// opening renders the first prompt of a cell, once more: all of them together would be
// most of what a run holds.
func (r *runner) opening(ctx context.Context, c *cell) ([]history.Message, error) {
	if r.plan.Dialect.Session != nil {
		text, err := r.firstQuestion(ctx, c)
		return r.plan.conversation(c.c, text), err
	}
	text, err := r.options.Renderer.Render(ctx, c.set.Patch, c.c.variables)
	return r.plan.conversation(c.c, text), err
}

// errNotRecorded says that the journal has no reply to a request.
var errNotRecorded = errors.New("not recorded yet")

// settle notes why a request got no reply. It returns an error that ends the run. A
// request that failed, now or in an earlier session, counts as failed for any reason that
// it was not asked again.
func (r *runner) settle(res *cellResult, err error) error {
	var f *Failure
	var u *useless
	var s *stopped
	switch {
	case res.full:
	case errors.Is(err, errNotRecorded):
		res.skipped = errNotRecorded.Error()
	case errors.As(err, &u):
		res.skipped = fmt.Sprintf("%s for the model %s", u.Class, res.cell.model)
	case errors.As(err, &f):
		res.failure = f
	case errors.As(err, &s):
		res.skipped = s.Error()
		r.mu.Lock()
		r.stopped = s
		r.mu.Unlock()
	default:
		return err
	}
	if res.failure != nil {
		res.skipped = ""
	}
	return nil
}

// reply returns the recorded reply to a request, or asks for it and records it.
func (r *runner) reply(ctx context.Context, res *cellResult, attempt int, first string,
	talk []history.Message,
) (corpora.Record, error) {
	c := res.cell
	sent, trimmed, refused := r.plan.trim(c.arm, talk, r.options.Counter)
	rec, err := r.plan.record(&c, attempt, first, sent, trimmed)
	if err != nil {
		return rec, err
	}
	key := keyOf(&rec)
	found, ok, err := r.options.Journal.Find(key)
	switch {
	case err != nil:
		return rec, err
	case ok && !sameMessages(found.Messages, sent):
		return rec, fmt.Errorf("the record %q has another prompt: the case or the system message has changed (name "+
			"another --corpus)", found.ID)
	case ok && found.Failure == nil:
		res.resumed++
		rec = found
	case ok && overflows(&found):
		res.lost, res.full = &key, true
		return rec, failureOf(found.Failure)
	case r.recordedOnly:
		return rec, errNotRecorded
	case refused != nil:
		rec.Failure = refused.record()
		res.lose(&rec)
		return rec, cmp.Or(r.options.Journal.Append(rec), error(refused))
	default:
		rec.Failure, rec.FailedTries = found.Failure, found.FailedTries
		if err := r.ask(ctx, res, &rec, sent); err != nil {
			return rec, err
		}
	}
	res.keys = append(res.keys, key)
	res.counts = append(res.counts, r.count(&rec, sent))
	return rec, nil
}

// ask asks for a reply and records it or, with the error, that none came.
func (r *runner) ask(ctx context.Context, res *cellResult, rec *corpora.Record, talk []Message) error {
	a, failed, err := r.caller.ask(ctx, Request{
		Name: rec.ID, Model: rec.Model, Messages: talk,
		Params: r.plan.params(&res.cell),
	})
	for _, f := range failed {
		if f.Class != NotRecorded { // then nothing went out
			rec.FailedTries = append(rec.FailedTries, string(f.Class))
			rec.Failure = f.record()
		}
	}
	if err == nil {
		rec.Failure = nil
		answered(rec, a)
		return r.options.Journal.Append(*rec)
	}
	if rec.Failure == nil {
		return err
	}
	res.lose(rec)
	if len(failed) > 0 {
		if lost := r.options.Journal.Append(*rec); lost != nil {
			return lost
		}
	}
	return err
}

// lose notes a request that got no reply.
func (res *cellResult) lose(rec *corpora.Record) {
	key := keyOf(rec)
	res.lost = &key
	if res.full = overflows(rec); !res.full {
		res.failure = failureOf(rec.Failure)
	}
}

// overflows reports whether a record is of a retry whose prompt did not fit the
// model or its budget, because it contains the whole conversation. The case ended
// there, and another session would end there too. A first request that does not fit
// is a failure.
func overflows(rec *corpora.Record) bool {
	if rec.Attempt == 1 || rec.Failure == nil {
		return false
	}
	class := Class(rec.Failure.Class)
	return class == ContextLength || class == CannotFit
}

// answered puts an answer into a record.
func answered(rec *corpora.Record, a Answer) {
	rec.Reply, rec.FinishReason = harness.Reply(a.Text), a.FinishReason
	rec.LatencyMS = float64(a.Latency.Microseconds()) / 1000
	if a.PromptTokens >= 0 {
		rec.Usage = &corpora.Usage{PromptTokens: a.PromptTokens, CompletionTokens: a.ReplyTokens}
	}
	if a.Kind != "" {
		rec.Tags = []string{"answer:" + a.Kind}
	}
}

func (r *runner) count(rec *corpora.Record, talk []Message) counted {
	n := counted{
		latencyMS: rec.LatencyMS, prompt: -1, reply: -1, kind: rec.Tag("answer"), finish: rec.FinishReason,
		ourPrompt: countMessages(r.options.Counter, talk), ourReply: r.options.Counter.Count(string(rec.Reply)),
	}
	if rec.Usage != nil {
		n.prompt, n.reply = rec.Usage.PromptTokens, rec.Usage.CompletionTokens
	}
	return n
}

// note counts a finished cell by its state.
func (r *runner) note(res *cellResult) {
	place := res.cell.place
	at := r.at(place)
	s := over
	if len(res.keys) > 0 {
		s |= replied
	}
	if res.applied {
		s |= applied
	}
	r.cells[place] = s
	r.tally.add(res, at)
	r.resumed += res.resumed
	r.failed += collect.One(res.failure != nil)
	if res.lost != nil {
		res.keys = append(res.keys, *res.lost)
	}
	for i, key := range res.keys {
		r.records = append(r.records, placed{at*maxAttempts + i, key})
	}
}

// at is the place of a cell in the run of all shards.
func (r *runner) at(place int) int {
	n := r.plan.perCase()
	return r.options.Shard.At(place/n)*n + place%n
}

func sameMessages(recorded []byte, talk []Message) bool {
	var before []Message
	return json.Unmarshal(recorded, &before) == nil && slices.Equal(before, talk)
}

// over records the end of a cell and reports it.
func (r *runner) over(res *cellResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(res)
	r.done++
	if r.options.Tell == nil {
		return
	}
	p := Progress{
		Cells: r.done, Total: len(r.cells), Failed: r.failed, Spent: r.caller.meter.now(),
		Currency: r.options.Prices.Currency,
	}
	if seconds := r.options.Clock.Now().Sub(r.started).Seconds(); seconds > 0 {
		p.Rate = float64(r.done) / seconds
		p.Left = time.Duration(float64(p.Total-p.Cells) / p.Rate * float64(time.Second))
	}
	r.options.Tell(p)
}
