// Package calibrate measures the harness itself. It runs campaigns against engines
// with known defects, and shows which check detects which defect, after how many
// cases, and how small the shrunk case is.
//
// A campaign that finds nothing in a good engine means little unless campaigns
// find something in bad ones. The reference is judged in the same way and must
// pass.
package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// Dialects lists the dialects that there are both cases and defects for.
func Dialects() []string {
	return slices.DeleteFunc(all.Names(), func(d string) bool { return len(all.Defects(d)) == 0 })
}

// Options select the measurements.
type Options struct {
	Dialect string
	Defects []mutant.Defect
	Seeds   int // each defect is hunted with the seeds 1 to Seeds
	Cases   int // how many cases a hunt has at most
	Workers int // hunts at once; 0 is one per processor
	// Shard is the part of the rows to hunt for; the first is the reference.
	Shard shard.Shard
	// Progress is called with the number of finished hunts and of all, never by two
	// goroutines at once; it may be nil.
	Progress func(done, total int)
}

// Result is the kill table: which defects campaigns find, and how fast. Reports contain it.
type Result struct {
	Dialect string `json:"dialect"`
	Seeds   int    `json:"seeds" join:"first"`
	Cases   int    `json:"cases" join:"first"` // limit for each defect and seed
	// Reference are the campaigns against the reference, which has no defect. Only the first shard has them.
	Reference []Hunt `json:"reference"`
	Defects   []Row  `json:"defects"`            // in the order of the dialect
	Median    int    `json:"median" join:"keep"` // of Cases over the defects
}

// Row is the result of the hunts for one defect.
type Row struct {
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Killed int      `json:"killed"` // seeds that find it
	Checks []string `json:"checks"` // checks that find it, most seeds first
	Cases  int      `json:"cases"`  // until it is found, or all without a finding: median over the seeds
	// Steps and Operations are the size of the median shrunk case, ordered by steps, then operations.
	Steps      int    `json:"steps"`
	Operations int    `json:"operations"`
	Large      string `json:"large,omitzero"` // why no smaller case shows it
	Hunts      []Hunt `json:"hunts"`          // one a seed
	At         int    `json:"at,omitzero"`    // its place among all defects, from 1; 0 where all are there
}

// Hunt is a campaign against one engine that ends with the first finding.
type Hunt struct {
	Seed  uint64 `json:"seed"`
	Cases int    `json:"cases"`          // up to the one that showed the defect; all if none did; 0: not run
	Check string `json:"check,omitzero"` // that found it; "": no finding
	// Message describes in a sentence the mistake in the outcome of Case.
	Message    string        `json:"message,omitzero"`
	Steps      int           `json:"steps"`         // of the plan of Case
	Operations int           `json:"operations"`    // of its replies
	Case       *harness.Case `json:"case,omitzero"` // shrunk
}

// Ran reports whether the hunt was run to its end.
func (h Hunt) Ran() bool { return h.Cases > 0 }

// Found reports whether the defect was found.
func (h Hunt) Found() bool { return h.Check != "" }

// Survived lists the seeds with which the defect was not found.
func (r Row) Survived() (seeds []uint64) {
	for _, h := range r.Hunts {
		if h.Ran() && !h.Found() {
			seeds = append(seeds, h.Seed)
		}
	}
	return seeds
}

// Ran reports whether all hunts were run to their end.
func (r Row) Ran() bool { return !slices.ContainsFunc(r.Hunts, func(h Hunt) bool { return !h.Ran() }) }

// Conclude computes the figures of the row from its hunts.
func (r *Row) Conclude() {
	var found []Hunt
	var cases []int
	count := map[string]int{}
	for _, h := range r.Hunts {
		cases = append(cases, h.Cases)
		if !h.Found() {
			continue
		}
		if found = append(found, h); count[h.Check] == 0 {
			r.Checks = append(r.Checks, h.Check)
		}
		count[h.Check]++
	}
	r.Cases, r.Killed = median(cases, cmp.Compare), len(found)
	slices.SortStableFunc(r.Checks, func(a, b string) int { return count[b] - count[a] })
	h := median(found, func(a, b Hunt) int {
		return cmp.Or(cmp.Compare(a.Steps, b.Steps), cmp.Compare(a.Operations, b.Operations))
	})
	r.Steps, r.Operations = h.Steps, h.Operations
}

// Conclude sorts the defects and computes the median; whole says that none is missing.
func (r *Result) Conclude(whole bool) {
	slices.SortStableFunc(r.Defects, func(a, b Row) int { return a.At - b.At })
	var cases []int
	for i := range r.Defects {
		cases = append(cases, r.Defects[i].Cases)
		if whole {
			r.Defects[i].At = 0
		}
	}
	r.Median = median(cases, cmp.Compare)
}

// median returns the lower of the two in the middle; the zero value of nothing.
func median[T any](list []T, compare func(a, b T) int) (middle T) {
	if len(list) == 0 {
		return middle
	}
	slices.SortFunc(list, compare)
	return list[(len(list)-1)/2]
}

// The size of a shrunk case that can be taken in at a glance.
const (
	SmallSteps      = 3
	SmallOperations = 2
)

// Small reports whether the defect was found and its shrunk case can be taken in at a glance.
func (r *Row) Small() bool {
	return r.Killed > 0 && r.Steps <= SmallSteps && r.Operations <= SmallOperations
}

// Run hunts every defect with every seed. The result depends on the options
// alone, not on the number of workers. If the context ends or an engine is
// given up, the result holds the hunts before that.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Seeds < 1 || o.Cases < 1 {
		return Result{}, errors.New("a calibration needs at least one seed and one case")
	}
	dialect := all.Find(o.Dialect)
	if dialect == nil {
		return Result{}, fmt.Errorf("there is no dialect %q", o.Dialect)
	}
	res := Result{Dialect: o.Dialect, Seeds: o.Seeds, Cases: o.Cases}
	if o.Shard.First() {
		res.Reference = make([]Hunt, o.Seeds)
	}
	jobs := hunters(reference.New, res.Reference)
	for i, d := range o.Defects {
		if !o.Shard.Holds(i + 1) { // the reference is before them
			continue
		}
		row := Row{Name: d.Name, Text: d.Text, Large: d.Large, Hunts: make([]Hunt, o.Seeds)}
		if !o.Shard.Whole() {
			row.At = i + 1
		}
		res.Defects = append(res.Defects, row)
		jobs = append(jobs, hunters(func() harness.Engine { return dialect.Mutant(d) }, row.Hunts)...)
	}
	err := o.work(ctx, jobs)
	for i := range res.Defects {
		res.Defects[i].Conclude()
	}
	res.Conclude(o.Shard.Whole())
	return res, err
}

// job is one hunt: an engine, and where its result goes.
type job struct {
	engine func() harness.Engine
	result *Hunt
}

func hunters(engine func() harness.Engine, results []Hunt) []job {
	jobs := make([]job, len(results))
	for i := range results {
		results[i].Seed = uint64(i + 1)
		jobs[i] = job{engine, &results[i]}
	}
	return jobs
}

// work does the jobs. The first error ends it.
func (o Options) work(ctx context.Context, jobs []job) error {
	return o.each(ctx, len(jobs), func(ctx context.Context, i int) error {
		h, err := o.hunt(ctx, jobs[i])
		if err == nil {
			*jobs[i].result = h
		}
		return err
	})
}

// each does n things, several at once. The first error ends it.
func (o Options) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	var next atomic.Int64
	var over sync.Mutex // one job is over at a time
	done := 0
	for range max(1, cmp.Or(o.Workers, runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				err := do(ctx, int(i))
				over.Lock()
				if err != nil {
					cancel(err)
				} else if done++; o.Progress != nil {
					o.Progress(done, n)
				}
				over.Unlock()
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// hunt runs a campaign that ends with its first finding.
func (o Options) hunt(ctx context.Context, j job) (Hunt, error) {
	seed := j.result.Seed
	run, err := campaign.Start(ctx, campaign.Config{
		Dialect: o.Dialect, Seed: seed, Cases: uint64(o.Cases), MaxFindings: 1, Unnamed: true,
		Engine: j.engine(), Fresh: func() (harness.Engine, error) { return j.engine(), nil },
		Judging: judge.Options{Reference: reference.New()},
	})
	if err != nil {
		return Hunt{}, fmt.Errorf("a campaign with seed %d: %w", seed, err)
	}
	list := run.Result.Findings()
	if len(list) == 0 {
		return Hunt{Seed: seed, Cases: o.Cases}, nil
	}
	f := list[0]
	return Hunt{
		Seed: seed, Cases: int(f.CaseIndex) + 1, Check: f.Invariant, Message: f.Message, Steps: f.Shrunk.To.Steps,
		Operations: f.Shrunk.To.Operations, Case: &f.Case,
	}, nil
}

// Choose returns the defects of a dialect, or those named.
func Choose(dialect string, names []string) ([]mutant.Defect, error) {
	list := all.Defects(dialect)
	if names == nil {
		return list, nil
	}
	known := collect.Map(list, func(d mutant.Defect) string { return d.Name })
	var chosen []mutant.Defect
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, harness.Mistakef("--defects %s: %s has no such defect%s (see replanbench list defects)", name, dialect,
				harness.DidYouMean(name, known))
		}
		chosen = append(chosen, list[i])
	}
	return chosen, nil
}

// Reproduce is the campaign of one defect and seed, or of the reference.
func (o Options) Reproduce(defect string, seed uint64) string {
	args := []string{
		"replanbench", "fuzz", "--dialect", o.Dialect, "--seed", fmt.Sprint(seed), "--cases",
		fmt.Sprint(o.Cases),
	}
	if defect != "" {
		args = append(args, "--engine", "defect:"+defect)
	}
	return escape.Shell(args...)
}
