package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/calibrate"
	"replanbench/reports/measure"
)

// Calibration is the section of a kill table.
type Calibration struct{ calibrate.Result }

// AddCalibration adds a kill table. again returns the command line that runs a defect
// ("": the reference) with one seed. Each defect counts as a case, and so does the
// reference.
func (r *Report) AddCalibration(c calibrate.Result, again func(defect string, seed uint64) string) {
	r.Calibration = &Calibration{c}
	for _, row := range c.Defects {
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
	if len(c.Reference) == 0 {
		return // of another shard
	}
	f := Failure{Suite: suiteCalibrate, ID: referenceID, Title: "the reference has no defect"}
	if i := slices.IndexFunc(c.Reference, calibrate.Hunt.Found); i >= 0 {
		h := c.Reference[i]
		f.Message = fmt.Sprintf("with seed %d case %d breaks %s: %s", h.Seed, h.Cases, h.Check, h.Message)
		f.Reproduce = again("", h.Seed)
	}
	r.addCalibrated(calibrate.Row{Hunts: c.Reference}, f)
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
		measure.CellCol("killed by", false, "killed", (*measure.Measure).Cell),
		measure.Col("cases", "cases_until_found"),
		measure.TextCol("range", true, "cases_until_found", textOf),
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
		t.Measures = append(append(t.Measures, killed(d, k),
			k.Count("cases_until_found", d.Cases).Saying(fmt.Sprintf("%d–%d", least, most))), size...)
		if d.Killed > 0 && !d.Small() {
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
func killed(d *calibrate.Row, k measure.Keys) measure.Measure {
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

func (c *Calibration) notes() []string {
	killed := collect.Count(c.Defects, func(d calibrate.Row) bool { return d.Killed == len(d.Hunts) })
	small := collect.Count(c.Defects, func(d calibrate.Row) bool { return d.Small() })
	clean := collect.Count(c.Reference, func(h calibrate.Hunt) bool { return h.Cases > 0 && h.Check == "" })
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

// Naming says how well the causes of campaigns identify known defects.
type Naming struct {
	calibrate.Causes
}

// AddCauses adds the section of a dialect.
func (r *Report) AddCauses(c calibrate.Causes) {
	r.Naming = &Naming{c}
	r.Summary.addMany(harness.Pass, int(c.One.N))
}

// tables returns a row for each target.
func (n *Naming) tables() []measure.Table {
	k, aim := measure.By("dialect", n.Dialect), map[string]string{"engine_calls_per_case": "2.5"}
	words := map[string]string{"engine_calls_per_case": "engine calls per case"}
	percent := func(m *measure.Measure) measure.Cell {
		if m.Unit != measure.Share {
			return measure.Cell{}
		}
		return m.Cell()
	}
	t := measure.Table{Title: "Causes of known defects, " + n.Dialect, Long: true, Columns: []measure.Column{
		measure.TextCol("", false, "", func(m *measure.Measure) string { return words[m.Name] }),
		measure.CellCol("n", true, "", func(m *measure.Measure) measure.Cell {
			if m.K == nil {
				return m.Cell()
			}
			return measure.Cell{Text: fmt.Sprint(*m.K)}
		}),
		measure.CellCol("of", true, "", func(m *measure.Measure) measure.Cell {
			if m.N == nil {
				return measure.Cell{}
			}
			return measure.Cell{Text: fmt.Sprint(*m.N)}
		}),
		measure.CellCol("share %", true, "", percent),
		measure.TextCol("aim", true, "", func(m *measure.Measure) string { return aim[m.Name] }),
	}}
	for _, f := range []struct {
		name, words string
		share       calibrate.Share
		least       float64
	}{
		{"one_found", "one defect: found", n.Alone, 100},
		{"one_cause", "one defect: exactly one cause", n.One, 95},
		{"one_named_first", "one defect: named first", n.Named, 90},
		{"held_out_one_cause", "held out: exactly one cause", n.HeldOutOne, 75},
		{"held_out_two_causes", "held out: at most two causes", n.HeldOutTwo, 90},
		{"several_recall", "two to four defects: recall", n.Recall, 90},
		{"several_precision", "two to four defects: precision", n.Precision, 90},
		{"stable", "the same causes with another seed", n.Stable, 90},
	} {
		words[f.name], aim[f.name] = f.words, fmt.Sprintf("%.0f", f.least)
		m := k.Share(f.name, int(f.share.N), int(f.share.Of)).As("%.1f", f.share.Percent()).In(style.Good)
		t.Add(m.If(f.share.Percent() < f.least, style.Bad))
	}
	calls := float64(n.Calls.N) / float64(max(n.Calls.Of, 1))
	t.Add(k.Figure("engine_calls_per_case", measure.Number, calls).As("%.2f", calls))
	t.Notes = []string{fmt.Sprintf("Campaigns of %d cases with %d seeds.", n.Cases, n.Seeds)}
	off := slices.Compact(slices.Sorted(slices.Values(n.Off)))
	t.Notes.If(len(off) > 0, "Targets missed in: %s.", someOf(off))
	return []measure.Table{t}
}

// Shown says which built-in defects the built-in scenarios detect.
type Shown struct {
	Dialects []calibrate.Shown `json:"dialects" join:"by=Dialect"`
	Defects  int               `json:"defects"`
	Shown    int               `json:"shown"` // defects that fail at least one scenario
}

// AddShown adds the table of defects and scenarios. Each defect counts as a case. The
// gate requires [calibrate.ShownShare] of the defects that a scenario can detect to fail one.
// again is the command line that makes the table.
func (r *Report) AddShown(tables []calibrate.Shown, again string) {
	s := &Shown{Dialects: tables}
	r.Shown = s
	for _, t := range tables {
		for _, row := range t.Defects {
			switch {
			case row.NotRun:
				r.Summary.Add(harness.NotRun)
			case len(row.Scenarios) > 0:
				r.Summary.Add(harness.Pass)
			default:
				r.Summary.Add(harness.Known)
			}
		}
		s.Defects, s.Shown = s.Defects+len(t.Defects), s.Shown+t.Shown
	}
	if r.Part == nil {
		r.judgeShown(again)
	}
}

const scenariosID = "scenarios"

// judgeShown compares the share of detected defects with the gate.
func (r *Report) judgeShown(again string) {
	s := r.Shown
	within := s.Defects // reach of scenarios
	for _, d := range s.Dialects {
		for _, row := range d.Defects {
			if row.Why != "" && len(row.Scenarios) == 0 {
				within--
			}
		}
	}
	if float64(s.Shown) < calibrate.ShownShare*float64(within) {
		r.Summary.Add(harness.Fail)
		r.Failures = append(r.Failures, Failure{
			Suite: suiteCalibrate, ID: scenariosID, Title: "scenarios detect the built-in defects", Status: harness.Fail,
			Reproduce: again,
			Message: fmt.Sprintf("%d of %d defects that a scenario can detect fail at least one, and at least %.0f %% must "+
				"(write scenarios for the others)", s.Shown, within, 100*calibrate.ShownShare),
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
				missed.Add(why)
			}
			t.Add(m)
		}
		list = append(list, t)
	}
	total := fmt.Sprintf("%d of %d defects fail at least one scenario (%s).", s.Shown, s.Defects,
		percent(s.Shown, s.Defects))
	return append(append([]measure.Table{missed}, list...), measure.Note("All dialects", total))
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
