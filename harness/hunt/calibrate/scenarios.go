package calibrate

import (
	"context"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// ShownShare is how many of the defects that they can show the built-in scenarios must show, of 1.
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
// progress is called with the number of finished defects and of all, never by two
// goroutines at once; it may be nil. The error is the context's error: then the defects
// that were not run say so.
func Scenarios(ctx context.Context, dialects []string, part shard.Shard, workers int,
	progress func(done, total int),
) ([]Shown, error) {
	list, err := scenarios.Builtin()
	if err != nil {
		return nil, err
	}
	tables := make([]Shown, len(dialects))
	var jobs []func(context.Context)
	seen := 0
	for i, name := range dialects {
		d, t := all.Find(name), &tables[i]
		own := slices.DeleteFunc(slices.Clone(list), func(s scenarios.Scenario) bool { return s.Case.Dialect != name })
		t.Dialect, t.Scenarios, t.Defects = name, len(own), make([]ShownRow, 0, len(d.Defects)) // rows never move
		for k, m := range d.Defects {
			if seen++; !part.Holds(seen - 1) {
				continue
			}
			t.Defects = append(t.Defects, ShownRow{Name: m.Name, Text: m.Text, Why: m.Unshown, NotRun: true})
			row := &t.Defects[len(t.Defects)-1]
			if !part.Whole() {
				row.At = k + 1
			}
			jobs = append(jobs, func(ctx context.Context) { row.run(ctx, func() harness.Engine { return d.Mutant(m) }, own) })
		}
	}
	err = (&Options{Workers: workers, Progress: progress}).each(ctx, len(jobs), func(ctx context.Context, i int) error {
		jobs[i](ctx)
		return ctx.Err()
	})
	for i := range tables {
		for _, r := range tables[i].Defects {
			if len(r.Scenarios) > 0 && !r.NotRun {
				tables[i].Shown++
			}
		}
	}
	return tables, err
}

// run runs scenarios against a defect, each against an engine of its own: what takes several
// requests no scenario can show.
func (r *ShownRow) run(ctx context.Context, engine func() harness.Engine, list []scenarios.Scenario) {
	for _, s := range list {
		results, err := suite.Run(ctx, engine(), []scenarios.Scenario{s}, suite.Options{Workers: 1})
		if ctx.Err() != nil {
			return
		}
		if err != nil || failed(results[0].Status) {
			r.Scenarios = append(r.Scenarios, s.ID)
		}
	}
	r.NotRun = false
}

func failed(s harness.Status) bool {
	switch s {
	case harness.Pass, harness.NotSupported, harness.NotRun:
		return false
	}
	return true
}
