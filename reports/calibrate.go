package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/calibrate"
	"replanbench/reports/measure"
)

// Calibration is the kill table: which built-in defects campaigns find, and how fast.
type Calibration struct {
	Dialect string `json:"dialect"`
	Seeds   int    `json:"seeds" join:"first"`
	Cases   int    `json:"cases" join:"first"` // limit for each defect and seed
	// Reference are the campaigns against the reference, which has no defect.
	Reference []Hunt             `json:"reference"`
	Defects   []CalibratedDefect `json:"defects"`
	Median    int                `json:"median" join:"keep"` // of Cases over the defects
}

// CalibratedDefect is one row of the table.
type CalibratedDefect struct {
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Killed int      `json:"killed"` // seeds that find it
	Checks []string `json:"checks"` // checks that find it, most seeds first
	Cases  int      `json:"cases"`  // until it is found, median over the seeds
	// Steps and Operations are the size of the shrunk case, median over the seeds.
	Steps      int    `json:"steps"`
	Operations int    `json:"operations"`
	Large      string `json:"large,omitzero"` // why no smaller case shows it
	Hunts      []Hunt `json:"hunts"`
	At         int    `json:"at,omitzero"` // its position in the whole table, from 1, in the report of a shard
}

// Hunt is one campaign up to its first finding.
type Hunt struct {
	Seed       uint64        `json:"seed"`
	Cases      int           `json:"cases"`          // 0: not run
	Check      string        `json:"check,omitzero"` // "": no finding
	Message    string        `json:"message,omitzero"`
	Steps      int           `json:"steps"`
	Operations int           `json:"operations"`
	Case       *harness.Case `json:"case,omitzero"` // shrunk
}

// AddCalibration adds a kill table. again returns the command line that runs a defect
// ("": the reference) with one seed. Each defect counts as a case, and so does the
// reference.
func (r *Report) AddCalibration(c calibrate.Result, again func(defect string, seed uint64) string) {
	s := &Calibration{Dialect: c.Dialect, Seeds: c.Seeds, Cases: c.Cases, Reference: hunts(c.Control), Median: c.Median()}
	r.Calibration = s
	for _, row := range c.Rows {
		steps, operations := row.Size()
		killed := 0
		for _, h := range row.Hunts {
			if h.Found() {
				killed++
			}
		}
		s.Defects = append(s.Defects, CalibratedDefect{
			Name: row.Name, Text: row.Text, Killed: killed, Checks: row.Checks(), Cases: row.Cases(),
			Steps: steps, Operations: operations, Large: row.Large, Hunts: hunts(row.Hunts), At: row.At,
		})
		f := Failure{Suite: suiteCalibrate, ID: row.Name, Title: row.Text}
		if list := row.Survived(); len(list) > 0 {
			f.Message = "not found within " + counted(c.Cases, "case") + " with " + seeds(list)
			f.Reproduce = again(row.Name, list[0])
		}
		r.addCalibrated(row, f)
	}
	r.addControl(c, again)
}

const referenceID = "reference"

// addControl adds the reference as a case. Every finding there is a false alarm.
func (r *Report) addControl(c calibrate.Result, again func(string, uint64) string) {
	if len(c.Control) == 0 {
		return // of another shard
	}
	f := Failure{Suite: suiteCalibrate, ID: referenceID, Title: "the reference has no defect"}
	if i := slices.IndexFunc(c.Control, calibrate.Hunt.Found); i >= 0 {
		h := c.Control[i]
		f.Message = fmt.Sprintf("with seed %d case %d breaks %s: %s", h.Seed, h.Cases, h.Check, h.Message)
		f.Reproduce = again("", h.Seed)
	}
	r.addCalibrated(calibrate.Row{Hunts: c.Control}, f)
}

// addCalibrated counts a row, and adds the failure if it has a message.
func (r *Report) addCalibrated(row calibrate.Row, f Failure) {
	switch {
	case f.Message != "":
		f.Status = harness.Fail
		r.Failures = append(r.Failures, f)
		r.Summary.Add(harness.Fail)
	case !row.Ran():
		r.Summary.Add(harness.NotRun)
	default:
		r.Summary.Add(harness.Pass)
	}
}

func hunts(list []calibrate.Hunt) []Hunt {
	out := make([]Hunt, len(list))
	for i, h := range list {
		out[i] = Hunt{
			Seed: h.Seed, Cases: h.Cases, Check: h.Check, Message: h.Message, Steps: h.Steps,
			Operations: h.Operations,
		}
		if h.Found() {
			out[i].Case = &h.Case
		}
	}
	return out
}

// seeds returns "seed 3" or "the seeds 1, 4".
func seeds(list []uint64) string {
	if len(list) == 1 {
		return fmt.Sprintf("seed %d", list[0])
	}
	return "the seeds " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// tables returns the kill table, and the defects without a small case.
func (c *Calibration) tables() []measure.Table {
	t := measure.Table{Title: "Defects of " + c.Dialect, Notes: c.notes(), Columns: []measure.Column{
		measure.KeyCol("defect", "defect"),
		measure.CellCol("killed by", false, "killed", func(m *measure.Measure) measure.Cell { return m.Cell() }),
		measure.Col("cases", "cases_until_found"),
		measure.CellCol("range", true, "cases_until_found", func(m *measure.Measure) measure.Cell {
			return measure.Cell{Text: m.Text}
		}),
		measure.Col("steps", "steps"), measure.Col("ops", "operations"),
	}}
	large := measure.Table{Title: "Larger shrunk cases", Again: true, Columns: []measure.Column{
		measure.KeyCol("defect", "defect"), measure.Col("steps", "steps"), measure.Col("ops", "operations"),
		measure.WordCol("why", "why"),
	}}
	for i := range c.Defects {
		d := &c.Defects[i]
		k := measure.By("dialect", c.Dialect, "defect", d.Name)
		size := []measure.Measure{k.Count("steps", d.Steps), k.Count("operations", d.Operations)}
		least, most := d.Cases, d.Cases
		for _, h := range d.Hunts {
			least, most = min(least, h.Cases), max(most, h.Cases)
		}
		t.Measures = append(append(t.Measures, d.killed(k),
			k.Count("cases_until_found", d.Cases).Saying(fmt.Sprintf("%d–%d", least, most))), size...)
		if d.Killed > 0 && !d.small() {
			why := cmp.Or(d.Large, "unknown: the shrinker could do better")
			large.Measures = append(append(large.Measures, size...), k.Words("why", why))
		}
	}
	return []measure.Table{t, large}
}

// tests returns a test for the reference and for each defect.
func (c *Calibration) tests() []test {
	list := []test{{id: referenceID, class: "calibrate/" + c.Dialect, name: referenceID}}
	for _, d := range c.Defects {
		list = append(list, test{id: d.Name, class: "calibrate/" + c.Dialect, name: d.Name})
	}
	return list
}

// killed says which checks find the defect, and with how many seeds.
func (d *CalibratedDefect) killed(k measure.Keys) measure.Measure {
	m := k.Share("killed", d.Killed, len(d.Hunts)).Saying(strings.Join(d.Checks, " ")).In(style.Good)
	by := "nothing"
	if d.Killed > 0 {
		by = d.Checks[0]
		if more := len(d.Checks) - 1; more > 0 {
			by += fmt.Sprintf(" +%d", more)
		}
	}
	if d.Killed < len(d.Hunts) {
		by += fmt.Sprintf(" (%d of %d)", d.Killed, len(d.Hunts))
	}
	return m.As("%s", by).If(d.Killed == 0 || d.Killed < len(d.Hunts), style.Bad)
}

func (d *CalibratedDefect) small() bool {
	return d.Killed > 0 && d.Steps <= calibrate.SmallSteps && d.Operations <= calibrate.SmallOperations
}

func (c *Calibration) notes() []string {
	killed, small := 0, 0
	for _, d := range c.Defects {
		if d.Killed == len(d.Hunts) {
			killed++
		}
		if d.small() {
			small++
		}
	}
	clean := 0
	for _, h := range c.Reference {
		if h.Cases > 0 && h.Check == "" {
			clean++
		}
	}
	n := len(c.Defects)
	return []string{
		fmt.Sprintf("Found with each of %d seeds within %d cases: %d of %d defects. Cases until found, median over the "+
			"defects: %d.", c.Seeds, c.Cases, killed, n, c.Median),
		fmt.Sprintf("Shrunk to at most %d steps and %d operations: %d of %d defects.", calibrate.SmallSteps,
			calibrate.SmallOperations, small, n),
		fmt.Sprintf("The reference, which has no defect, passes %d cases with %d of %d seeds.", c.Cases, clean, c.Seeds),
		"Cases, steps and ops (operations: items of the lists in the replies) are medians over the seeds. +1: with some " +
			"seeds another check finds the defect first.",
	}
}
