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
	"strings"
	"sync"
	"sync/atomic"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
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
	// Progress is told how many hunts of how many are over, never by two
	// goroutines at once; it may be nil.
	Progress func(done, total int)
}

// Result is the kill table.
type Result struct {
	Dialect string
	Seeds   int
	Cases   int
	// Control is of the reference, which has no defect; each hunt must find nothing. Only
	// the first shard has it.
	Control []Hunt
	Rows    []Row // in the order of the defects
}

// Row is what became of one defect.
type Row struct {
	Name string
	Text string
	// Large is why no small case shows the defect; "" if there is one.
	Large string
	Hunts []Hunt // one a seed
	At    int    // its place among all defects, from 1; 0 where all are there
}

// Hunt is a campaign against one engine that ends with the first finding.
type Hunt struct {
	Seed  uint64
	Cases int    // up to and with the one that showed the defect; all if none did; 0 if not run
	Check string // that noticed; "" if none did
	// Flaky says that the break did not show each time, as for an engine
	// with a memory may.
	Flaky bool
	// Message describes in a sentence the mistake in the outcome of Case, the
	// shrunk one.
	Message    string
	Case       harness.Case
	Steps      int // of the plan of Case
	Operations int // of its replies
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

// Cases is the median number of cases until the defect was found, a seed
// without a finding counting with all its cases.
func (r Row) Cases() int {
	list := make([]int, len(r.Hunts))
	for i, h := range r.Hunts {
		list[i] = h.Cases
	}
	return Median(list)
}

// Checks lists the checks that found the defect, the one of most seeds first.
func (r Row) Checks() (names []string) {
	count := map[string]int{}
	for _, h := range r.Hunts {
		if h.Found() && count[h.Check] == 0 {
			names = append(names, h.Check)
		}
		count[h.Check]++
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	return names
}

// Size is the size of the median shrunk case, ordered by steps, then
// operations.
func (r Row) Size() (steps, operations int) {
	var found []Hunt
	for _, h := range r.Hunts {
		if h.Found() {
			found = append(found, h)
		}
	}
	if len(found) == 0 {
		return 0, 0
	}
	slices.SortFunc(found, func(a, b Hunt) int {
		return cmp.Or(cmp.Compare(a.Steps, b.Steps), cmp.Compare(a.Operations, b.Operations))
	})
	h := found[(len(found)-1)/2]
	return h.Steps, h.Operations
}

// The size of a shrunk case that can be taken in at a glance.
const (
	SmallSteps      = 3
	SmallOperations = 2
)

// Median is the median over the defects of their numbers of cases.
func (r Result) Median() int {
	list := make([]int, len(r.Rows))
	for i, row := range r.Rows {
		list[i] = row.Cases()
	}
	return Median(list)
}

// Median returns the lower of the two in the middle; 0 of nothing.
func Median(list []int) int {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
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
		res.Control = make([]Hunt, o.Seeds)
	}
	jobs := hunters(reference.New, res.Control)
	for i, d := range o.Defects {
		if !o.Shard.Holds(i + 1) { // the reference is before them
			continue
		}
		row := Row{Name: d.Name, Text: d.Text, Large: d.Large, Hunts: make([]Hunt, o.Seeds)}
		if !o.Shard.Whole() {
			row.At = i + 1
		}
		res.Rows = append(res.Rows, row)
		jobs = append(jobs, hunters(func() harness.Engine { return dialect.Mutant(d) }, row.Hunts)...)
	}
	return res, o.work(ctx, jobs)
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
		Seed: seed, Cases: int(f.CaseIndex) + 1, Check: f.Invariant, Message: f.Message, Flaky: f.Kind == finding.Flaky,
		Case: f.Case, Steps: f.Shrunk.To.Steps, Operations: f.Shrunk.To.Operations,
	}, nil
}

// Choose returns the defects of a dialect, or those named.
func Choose(dialect string, names []string) ([]mutant.Defect, error) {
	list := all.Defects(dialect)
	if names == nil {
		return list, nil
	}
	var known []string
	for _, d := range list {
		known = append(known, d.Name)
	}
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

// Command is the command line of the run without what changes nothing in the
// report; names are the defects that were asked for.
func (o Options) Command(names []string) string {
	args := []string{"calibrate", "--dialect", o.Dialect, "--seeds", fmt.Sprint(o.Seeds), "--cases", fmt.Sprint(o.Cases)}
	if names != nil {
		args = append(args, "--defects", strings.Join(names, ","))
	}
	return escape.Shell(args...)
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
