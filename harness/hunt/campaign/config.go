// Package campaign runs many generated cases against one engine, judges every
// outcome, shrinks failing cases, and reports coverage.
//
// The cases are divided into chunks of [chunkSize]. Several workers run chunks, and
// the results are merged in the order of the chunks. So the result is the same for
// any number of workers, and a campaign can be interrupted, resumed, and merged from
// shards. An interrupted campaign reports the cases of unfinished chunks but does not
// store them: a resumed campaign runs them again.
//
// # Beyond one machine
//
// A shard takes every N-th chunk, so each shard has cases from all parts of the
// campaign and depends on no other shard. The merged results of all shards ([Merger]),
// in any order, equal the results of the whole campaign, with groups, causes and examples: a
// group has the example of the shard with its first case. Campaigns that end early
// are not exact: at --max-findings, which each shard counts separately, and at --time,
// after which further cases of settled groups are counted and not run again.
//
// Costs of the units in time of one core (AMD EPYC, busy with other work; user time and
// peak memory by /usr/bin/time -v):
//
//	a case against the reference   135 µs, 135 MB   fuzz --cases 50000 --workers 1
//	a reply scored, 230 bytes       50 µs,  63 MB   score replies.jsonl --workers 1 (60,000)
//	a reply of another shard       1.7 µs,  53 MB   the same with --shard 7/1000 (600,000)
//	a request of live              0.8 ms           live --cases generated:4000 (12,000 requests)
//	a case kept by live             15 KB           the same, against generated:1000
//	a report of a shard merged       2 ms,  60 MB   report of 1,000 reports of fuzz, 106 KB each
//	                                52 ms,  68 MB   report of 1,000 reports of score, 490 KB each
//
// Therefore:
//
//   - A billion cases take the harness 38 hours of one core, or 5 hours on a machine of
//     eight, with any number of shards. Memory stays at about 135 MB per process. An
//     engine that needs 10 ms per case takes 116 days of one core, so it is the engine
//     that needs shards: 1,000 of them take three hours. The first limit is the search
//     for culprits in an engine with many faults, up to eight more calls per failing
//     case.
//   - A corpus of 100 GB has 435 million short replies, or 6 hours of one core. Each of
//     N shards reads all of it twice to find its part, which is 12 minutes of one core.
//     More than thirty shards gain little, and the bandwidth of the storage is the first
//     limit. Standard input is copied to TMPDIR. Only the retries of the shard's cases
//     are held in memory; nothing else grows with the corpus.
//   - 10,000 live cases × 8 models with up to three requests each are 240,000 requests:
//     4 minutes for the harness, 8 hours at 500 requests per minute, so the limits of
//     the endpoint come first. A run keeps 1.2 GB about its cells. Eight shards, each
//     with an eighth of the cases and of the limits, hold 150 MB each.
//   - Merging is linear in the bytes of the reports, and holds one report at a time.
package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// chunkSize is how many cases are run and merged as one, unless the configuration sets
// another number.
const chunkSize = 100

// Config says what to run. Only Dialect, Engine, and one of Cases and Time
// must be given. Each field is an option, and most are a flag of the command fuzz.
type Config struct {
	Dialect   string
	Generator generators.Options
	// Sample makes the cases in the place of the dialect's generator; nil is
	// the generator. Source says then where they come from.
	Sample func(seed, index uint64) generators.Sample
	Source string
	Seed   uint64
	// First is the case to begin with, for running a single one again.
	First uint64
	// FromMix begins with the random mix, behind the plain cases, each trait alone
	// and the pairs; First is then left to the generator.
	FromMix bool
	// Cases is how many cases the whole campaign has, all shards together; 0
	// is as many as there is time for.
	Cases uint64
	// Time ends the campaign early; 0 is never. How many cases there were
	// then differs from run to run.
	Time time.Duration
	// Began is when Time began to run; zero is the start of the campaign.
	Began time.Time
	// Shard is the part of the campaign to run; the zero value is all of it.
	Shard shard.Shard
	// Chunk is how many cases are run and merged as one; 0 is [chunkSize]. The first results of
	// a slow engine come sooner with a smaller number.
	Chunk uint64

	// Engine is the engine under test. As many workers share it as its window allows, and
	// examples are shrunk at the same time. So it must take several calls at once for any
	// number of Workers.
	Engine harness.Engine
	// Fresh makes another engine like Engine, for engines that live in this
	// process. If it is given, every chunk has an engine of its own, so that
	// one with a memory gives the same result whatever the workers do, and is
	// guarded against panics and hangs.
	Fresh func() (harness.Engine, error)
	// Apart starts an engine like Engine that has had no request, so that no earlier request
	// affects an example. It is nil if no further engine can be started.
	Apart func() (harness.Engine, error)
	// Deadline is the time that a fresh engine has for one case; 0 is
	// [DefaultDeadline].
	Deadline time.Duration
	// Judging chooses the oracle and how often the engine is asked again.
	Judging judge.Options

	Workers int // 0 is 1
	// MaxFindings ends the campaign when it has so many groups of breaks that are
	// neither known nor advice; 0 is [DefaultMaxFindings].
	MaxFindings int
	// Known reports the groups of breaks that do not count towards MaxFindings, so that
	// known failures cannot crowd out new ones; nil: none is known.
	Known func(cause.Group) bool
	// Found is called with each new group that is not advisory, and its sentence; it may be nil.
	Found func(g cause.Group, sentence string)
	// ShrinkBudget bounds the engine calls that go into the example of one cause;
	// 0 is [exampleCalls], less than 0 is none.
	ShrinkBudget int
	// Bare leaves the examples out: the causes are all that is wanted.
	Bare bool
	// Unnamed says that causes are not compared with known defects.
	Unnamed bool
	// HeldOut are defects and knobs that name no cause; see [cause.Campaign].
	HeldOut []string
	// Behaviours are values of knobs that the engine was found to work by, and does
	// not declare: a cause each.
	Behaviours []cause.Behaviour

	// Dir is where findings and the checkpoint are written; "" is nowhere.
	Dir string
	// Resume goes on from the checkpoint in Dir, if there is one.
	Resume bool
	// Progress is called now and then, never by two goroutines at once.
	Progress func(Progress)
	// Now returns the time, for Time and Progress; nil is the clock.
	Now func() time.Time

	relabel func(*generators.Sample) // for tests: corrupts labels
	source  *generators.Source       // that makes the cases; nil for others
}

// Defaults.
const (
	DefaultDeadline    = 10 * time.Second
	DefaultMaxFindings = 300
	// exampleCalls is how often an engine is asked to make the example of one cause
	// small, and hangCalls where each call costs the deadline.
	exampleCalls = 200
	hangCalls    = 8
	// afterInterrupt is how long look-alikes are looked for after an interrupt.
	afterInterrupt = 300 * time.Millisecond
)

// Progress is how far a campaign is.
type Progress struct {
	Cases  uint64        // done so far, including those of an interrupted run
	Total  uint64        // 0 if not known
	Groups int           // of breaks, neither known nor advice
	Rate   float64       // cases per second
	Left   time.Duration // 0 if not known
}

func (p Progress) String() string {
	of := ""
	if p.Total > 0 {
		of = fmt.Sprintf(" of %d (%d %%)", p.Total, 100*p.Cases/p.Total)
	}
	left := ""
	if p.Left > 0 {
		left = ", " + p.Left.Round(time.Second).String() + " left"
	}
	return fmt.Sprintf("%d cases%s, %.0f/s, %s of failures%s", p.Cases, of, p.Rate, english.Plural(p.Groups, "kind", ""), left)
}

func (c *Config) complete() error {
	switch {
	case c.Engine == nil:
		return errors.New("a campaign needs an engine")
	case c.Cases == 0 && c.Time == 0:
		return errors.New("a campaign needs a number of cases or a time (give --cases or --time)")
	case c.FromMix && (c.First > 0 || c.Sample != nil):
		return errors.New("the random mix begins at a case of its own (leave out --first or --from)")
	case c.Shard == shard.Shard{}:
		c.Shard = shard.Shard{I: 1, N: 1}
	case c.Shard.I < 1 || c.Shard.I > c.Shard.N:
		return fmt.Errorf("there is no shard %d of %d (count from 1)", c.Shard.I, c.Shard.N)
	}
	if c.Deadline == 0 {
		c.Deadline = DefaultDeadline
	}
	if c.MaxFindings <= 0 {
		c.MaxFindings = DefaultMaxFindings
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	c.Workers = max(c.Workers, 1)
	return nil
}

// sampler returns what makes the cases.
func (c *Config) sampler() (func(seed, index uint64) generators.Sample, error) {
	if c.Sample != nil {
		return c.Sample, nil
	}
	var err error
	if d := all.Find(c.Dialect); d != nil && c.Generator.Skip == nil {
		if c.Generator.Skip, err = d.Lacking(c.Generator); err != nil {
			return nil, err
		}
	}
	if c.source, err = all.Source(c.Dialect, c.Generator); err != nil {
		return nil, err
	}
	if c.FromMix {
		c.First = c.source.Mix()
	}
	return c.source.At, nil
}

// plain returns the number of cases in the first chunk, the plain cases; 0 if the
// campaign does not begin with them.
func (c *Config) plain() uint64 {
	if c.source == nil || c.First > 0 {
		return 0
	}
	return generators.PlainCases
}

// chunks returns how many chunks the whole campaign has; without a number of
// cases, more than there is ever time for.
func (c *Config) chunks() uint64 {
	if c.Cases == 0 {
		return 1 << 60
	}
	return c.chunkOf(c.Cases-1) + 1
}

// chunkOf returns the chunk of the n-th case.
func (c *Config) chunkOf(n uint64) uint64 {
	p := c.plain()
	switch {
	case p == 0:
		return n / c.size()
	case n < p:
		return 0
	}
	return 1 + (n-p)/c.size()
}

func (c *Config) size() uint64 { return cmp.Or(c.Chunk, chunkSize) }

// span returns the first case of a chunk and the one behind its last.
func (c *Config) span(chunk uint64) (from, to uint64) {
	from, to = chunk*c.size(), (chunk+1)*c.size()
	if p := c.plain(); p > 0 {
		to = p + chunk*c.size()
		from = to - c.size()
		if chunk == 0 {
			from = 0
		}
	}
	if c.Cases > 0 {
		to = min(to, c.Cases)
	}
	return c.First + from, c.First + to
}

// mine is how many cases the shard has; 0 if that is not known.
func (c *Config) mine() (n uint64) {
	if c.Cases == 0 {
		return 0
	}
	for k := uint64(c.Shard.I - 1); k < c.chunks(); k += uint64(c.Shard.N) {
		from, to := c.span(k)
		n += to - from
	}
	return n
}

// Run is what came of a campaign.
type Run struct {
	Result Result
	// Ran is the number of cases that this run has judged, without an earlier, interrupted
	// run. Elapsed is the time that it took.
	Ran     uint64
	Elapsed time.Duration
	Workers int
}

// Rate is the number of cases per second.
func (r Run) Rate() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Ran) / r.Elapsed.Seconds()
}

// Start runs a campaign. The run is valid even with an error: the context ended, or the
// engine was given up, and the result holds all chunks before that.
func Start(ctx context.Context, c Config) (Run, error) {
	if err := c.complete(); err != nil {
		return Run{}, err
	}
	hello, err := c.Engine.Hello(ctx)
	if err != nil {
		return Run{}, fmt.Errorf("the engine did not answer initialize: %w", err)
	}
	if c.Sample, err = c.sampler(); err != nil {
		return Run{}, err
	}
	if c.Fresh == nil {
		c.Workers = min(c.Workers, max(hello.Window, 1))
	}
	r := &runner{Config: c, hello: hello, started: c.Now(), announced: map[string]bool{}}
	if r.Began.IsZero() {
		r.Began = r.started
	}
	if r.result, err = r.begin(); err != nil {
		return Run{}, err
	}
	ctx = engine.Resolved(ctx) // the judge asks only what the engine supports
	r.examples.begin(ctx, c.Workers)
	err = r.run(ctx)
	if r.result.Interrupted = err != nil; ctx.Err() != nil {
		r.limit = r.Now().Add(afterInterrupt)
	}
	err = errors.Join(err, r.lost, r.conclude())
	run := Run{Result: r.result, Ran: r.ran, Elapsed: c.Now().Sub(r.started), Workers: c.Workers}
	return run, errors.Join(err, r.save(true))
}
