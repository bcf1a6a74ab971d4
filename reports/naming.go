package reports

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/calibrate"
	"replanbench/reports/measure"
)

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
		measure.CellCol("", false, "", func(m *measure.Measure) measure.Cell { return measure.Cell{Text: words[m.Name]} }),
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
		measure.CellCol("aim", true, "", func(m *measure.Measure) measure.Cell { return measure.Cell{Text: aim[m.Name]} }),
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
		t.Measures = append(t.Measures, m.If(f.share.Percent() < f.least, style.Bad))
	}
	calls := float64(n.Calls.N) / float64(max(n.Calls.Of, 1))
	t.Measures = append(t.Measures, k.Figure("engine_calls_per_case", measure.Number, calls).As("%.2f", calls))
	t.Notes = []string{fmt.Sprintf("Campaigns of %d cases with %d seeds.", n.Cases, n.Seeds)}
	if off := slices.Compact(slices.Sorted(slices.Values(n.Off))); len(off) > 0 {
		t.Notes = append(t.Notes, "Targets missed in: "+someOf(off)+".")
	}
	return []measure.Table{t}
}
