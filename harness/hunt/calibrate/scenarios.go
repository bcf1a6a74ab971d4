package calibrate

import (
	"context"
	"runtime"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// ShownShare is how many of all defects the built-in scenarios must show, of 1.
const ShownShare = 0.97

// Shown is what the scenarios of a dialect show of its defects. Reports contain it.
type Shown struct {
	Dialect   string     `json:"dialect"`
	Scenarios int        `json:"scenarios" join:"first"`
	Shown     int        `json:"shown"`   // defects that fail at least one scenario
	Defects   []ShownRow `json:"defects"` // in the order of the dialect
}

// ShownRow is a defect and the scenarios that it fails.
type ShownRow struct {
	Name      string   `json:"name"`
	Text      string   `json:"text"`
	Why       string   `json:"why,omitzero"` // why no scenario shows it; "" if one should
	Scenarios []string `json:"scenarios"`    // the ids of the scenarios that it fails
	NotRun    bool     `json:"not_run,omitzero"`
	At        int      `json:"at,omitzero"` // its place among all of the dialect, from 1; 0 where all are there
}

// Scenarios runs the built-in scenarios of dialects against their defects, or those of
// the shard, all dialects counted through.
// progress is told how many defects of how many are over, never by two goroutines
// at once; it may be nil. The error is that of the context, and what was not run
// then says so.
func Scenarios(ctx context.Context, dialects []string, part shard.Shard, workers int,
	progress func(done, total int),
) ([]Shown, error) {
	list, err := scenarios.Builtin()
	if err != nil {
		return nil, err
	}
	var tables []Shown
	total, seen := 0, 0
	for _, name := range dialects {
		d := all.Find(name)
		t := Shown{Dialect: name}
		for i := range d.Defects {
			if part.Holds(seen) {
				t.Defects = append(t.Defects, ShownRow{At: i + 1})
			}
			seen++
		}
		total += len(t.Defects)
		for _, s := range list {
			if s.Case.Dialect == name {
				t.Scenarios++
			}
		}
		tables = append(tables, t)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		wait sync.WaitGroup
		lock sync.Mutex
		done int
		free = make(chan struct{}, workers)
	)
	for _, t := range tables {
		d := all.Find(t.Dialect)
		for i := range t.Defects {
			free <- struct{}{}
			wait.Go(func() {
				defer func() { <-free }()
				at := t.Defects[i].At
				t.Defects[i] = shown(ctx, d, d.Defects[at-1], list)
				if !part.Whole() {
					t.Defects[i].At = at
				}
				lock.Lock()
				defer lock.Unlock()
				if done++; progress != nil {
					progress(done, total)
				}
			})
		}
	}
	wait.Wait()
	for i := range tables {
		for _, r := range tables[i].Defects {
			if len(r.Scenarios) > 0 && !r.NotRun {
				tables[i].Shown++
			}
		}
	}
	return tables, ctx.Err()
}

// shown runs the scenarios of a dialect against a defect, each against an engine of
// its own: what takes several requests no scenario can show.
func shown(ctx context.Context, d *dialect.Dialect, m mutant.Defect, list []scenarios.Scenario) ShownRow {
	r := ShownRow{Name: m.Name, Text: m.Text, Why: m.Unshown, NotRun: true}
	for _, s := range list {
		if s.Case.Dialect != d.Name {
			continue
		}
		results, err := suite.Run(ctx, d.Mutant(m), []scenarios.Scenario{s}, suite.Options{Workers: 1})
		if ctx.Err() != nil {
			return r
		}
		if err != nil || failed(results[0].Status) {
			r.Scenarios = append(r.Scenarios, s.ID)
		}
	}
	r.NotRun = false
	return r
}

func failed(s harness.Status) bool {
	switch s {
	case harness.Pass, harness.NotSupported, harness.NotRun:
		return false
	}
	return true
}
