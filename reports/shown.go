package reports

import (
	"cmp"
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/calibrate"
	"replanbench/reports/measure"
)

// Shown says which built-in defects the built-in scenarios detect.
type Shown struct {
	Dialects []ShownDialect `json:"dialects" join:"by=Dialect"`
	Defects  int            `json:"defects"`
	Shown    int            `json:"shown"` // defects that fail at least one scenario
}

// ShownDialect is the table of one dialect.
type ShownDialect struct {
	Dialect   string        `json:"dialect"`
	Scenarios int           `json:"scenarios" join:"first"`
	Shown     int           `json:"shown"`
	Defects   []ShownDefect `json:"defects"`
}

// ShownDefect is a row of the table: a defect and the scenarios that it fails.
type ShownDefect struct {
	Name      string   `json:"name"`
	Text      string   `json:"text"`
	Why       string   `json:"why,omitzero"` // why no scenario detects it
	Scenarios []string `json:"scenarios"`    // ids of the scenarios that it fails
	NotRun    bool     `json:"not_run,omitzero"`
	// At is the position of the row among all rows, from 1, in the report of a shard.
	At int `json:"at,omitzero"`
}

// AddShown adds the table of defects and scenarios. Each defect counts as a case. The
// gate requires [calibrate.ShownShare] of the defects to fail a scenario. again is the
// command line that makes the table.
func (r *Report) AddShown(tables []calibrate.Shown, again string) {
	s := &Shown{}
	r.Shown = s
	for _, t := range tables {
		d := ShownDialect{Dialect: t.Dialect, Scenarios: t.Scenarios}
		for _, row := range t.Rows {
			d.Defects = append(d.Defects, ShownDefect{
				Name: row.Name, Text: row.Text, Why: row.Why,
				Scenarios: append([]string{}, row.Fails...), NotRun: !row.Ran, At: row.At,
			})
			switch {
			case !row.Ran:
				r.Summary.Add(harness.NotRun)
			case len(row.Fails) > 0:
				d.Shown++
				r.Summary.Add(harness.Pass)
			default:
				r.Summary.Add(harness.Known)
			}
		}
		s.Dialects = append(s.Dialects, d)
		s.Defects, s.Shown = s.Defects+len(t.Rows), s.Shown+d.Shown
	}
	if r.Part == nil {
		r.judgeShown(again)
	}
}

const scenariosID = "scenarios"

// judgeShown compares the share of detected defects with the gate.
func (r *Report) judgeShown(again string) {
	s := r.Shown
	if float64(s.Shown) < calibrate.ShownShare*float64(s.Defects) {
		r.Summary.Add(harness.Fail)
		r.Failures = append(r.Failures, Failure{
			Suite: suiteCalibrate, ID: scenariosID, Title: "scenarios detect the built-in defects", Status: harness.Fail,
			Reproduce: again,
			Message: fmt.Sprintf("%d of %d defects fail at least one scenario, and at least %.0f %% must (write scenarios "+
				"for the others)", s.Shown, s.Defects, 100*calibrate.ShownShare),
		})
	}
}

func (s *Shown) tables() (list []measure.Table) {
	missed := measure.Table{Title: "Defects that no scenario detects", Again: true, Columns: []measure.Column{
		measure.KeyCol("defect", "defect"), measure.WordCol("why", "why"),
	}}
	for _, d := range s.Dialects {
		t := measure.Table{
			Title: "Defects of " + d.Dialect + " and scenarios that detect them",
			Columns: []measure.Column{
				measure.KeyCol("defect", "defect"), measure.Col("scenarios", "scenarios"),
				measure.WordCol("examples", "scenarios"),
			},
			Notes: []string{fmt.Sprintf("%d of %d defects of %s fail at least one of its %d scenarios.", d.Shown, len(d.Defects),
				d.Dialect, d.Scenarios)},
		}
		for _, row := range d.Defects {
			k := measure.By("dialect", d.Dialect, "defect", row.Name)
			m := k.Count("scenarios", len(row.Scenarios)).Saying(examples(row.Scenarios))
			switch {
			case row.NotRun:
				m = m.As("not run")
			case len(row.Scenarios) == 0:
				m = m.In(style.Bad)
				why := k.Words("why", cmp.Or(row.Why, "unknown: a scenario could detect it"))
				missed.Measures = append(missed.Measures, why)
			}
			t.Measures = append(t.Measures, m)
		}
		list = append(list, t)
	}
	total := fmt.Sprintf("%d of %d defects fail at least one scenario (%s).", s.Shown, s.Defects,
		percent(s.Shown, s.Defects))
	return append(list, missed, measure.Note("All dialects", total))
}

// examples names the first two scenarios of a list, without their dialect.
func examples(ids []string) string {
	const most = 2
	var names []string
	for _, id := range ids[:min(most, len(ids))] {
		_, name, _ := strings.Cut(id, "/")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
