package reports

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/calibrate"
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

// figures returns the rows of the table. least is the target in percent.
func (n *Naming) figures() []struct {
	name  string
	share calibrate.Share
	least float64
} {
	return []struct {
		name  string
		share calibrate.Share
		least float64
	}{
		{"one defect: found", n.Alone, 100},
		{"one defect: exactly one cause", n.One, 95},
		{"one defect: named first", n.Named, 90},
		{"held out: exactly one cause", n.HeldOutOne, 75},
		{"held out: at most two causes", n.HeldOutTwo, 90},
		{"two to four defects: recall", n.Recall, 90},
		{"two to four defects: precision", n.Precision, 90},
		{"the same causes with another seed", n.Stable, 90},
	}
}

func (n *Naming) blocks() []block {
	t := table{title: "Causes of known defects, " + n.Dialect, columns: []column{
		{name: ""},
		{"n", true},
		{"of", true},
		{"share %", true},
		{"aim", true},
	}}
	for _, f := range n.figures() {
		share := cell{fmt.Sprintf("%.1f", f.share.Percent()), style.Good}
		if f.share.Percent() < f.least {
			share.tone = style.Bad
		}
		t.rows = append(t.rows, []cell{
			text(f.name), number(int(f.share.N)), number(int(f.share.Of)), share,
			text(fmt.Sprintf("%.0f", f.least)),
		})
	}
	calls := fmt.Sprintf("%.2f", float64(n.Calls.N)/float64(max(n.Calls.Of, 1)))
	t.rows = append(t.rows, []cell{text("engine calls per case"), text(calls), text(""), text(""), text("2.5")})
	notes := []string{fmt.Sprintf("Campaigns of %d cases with %d seeds.", n.Cases, n.Seeds)}
	if off := slices.Compact(slices.Sorted(slices.Values(n.Off))); len(off) > 0 {
		notes = append(notes, "Targets missed in: "+someOf(off)+".")
	}
	return []block{{table: &t, notes: notes}}
}

func (n *Naming) records() []record {
	var list []record
	for _, f := range n.figures() {
		list = append(list, portion("naming", n.Dialect, f.name, int(f.share.N), int(f.share.Of)))
	}
	return list
}
