package reports

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/plan"
)

// pagePlan is a plan before an edit, and the edits of each side: a row for each step, and
// a column for each side.
type pagePlan struct {
	Title   string
	Columns []string
	Names   []string // short names of the columns after the first
	Unlike  bool     // the outcome is not the expected one
	Rows    []pageStep
	Left    int // unchanged rows that the page omits
}

// Side returns the name of the column of a row's cell i.
func (p *pagePlan) Side(i int) string { return p.Names[i+1] }

// pageStep is a step in all columns.
type pageStep struct {
	ID, Before string
	Cells      []pageFate
	Wrong      bool // the sides differ
}

// pageFate says how one side changes a step; without lines it does not.
type pageFate struct {
	Known bool
	Lines []pageLine
}

func (f pageFate) changed() bool { return len(f.Lines) > 0 }

// differ reports whether two known sides change a step in different ways.
func differ(a, b pageFate) bool { return a.Known && b.Known && !slices.Equal(a.Lines, b.Lines) }

// pageLine is a change of a step, or of one of its members. Before and After contain the
// text that both values share.
type pageLine struct{ Tone, Name, Before, Old, New, After string }

// side is a plan after an edit.
type side struct {
	name, came string
	plan       *plan.Plan // nil if unknown
	fates      map[string][]pageLine
}

// planRows is how many rows a plan has at most before the page omits unchanged rows.
const planRows = 30

func newPagePlan(before *plan.Plan, want, got *harness.Outcome) *pagePlan {
	before = named(before)
	sides := []side{newSide("got", before, got)}
	p := &pagePlan{Title: "The plan before and after", Columns: []string{before.Unit(), "before"}}
	p.Names = []string{"before", "got"}
	if want != nil {
		sides = slices.Insert(sides, 0, newSide("expected", before, want))
		p.Unlike, p.Names = sides[0].came != sides[1].came, []string{"before", "expected", "got"}
	}
	rows := steps(before, sides)
	for _, s := range sides {
		p.Columns = append(p.Columns, s.name+": "+s.came)
	}
	for i := range rows {
		row := &rows[i]
		for _, s := range sides {
			row.Cells = append(row.Cells, pageFate{s.plan != nil, s.fates[row.ID]})
		}
		row.ID = cmp.Or(explain.ID(row.ID), "(the plan)")
	}
	p.fill(rows)
	return p
}

// fill adds rows. If there are many, it omits unchanged ones.
func (p *pagePlan) fill(rows []pageStep) {
	for _, row := range rows {
		if !slices.ContainsFunc(row.Cells, pageFate.changed) && len(rows) > planRows || len(p.Rows) == 10*planRows {
			p.Left++
			continue
		}
		row.Wrong = row.Wrong || len(row.Cells) == 2 && differ(row.Cells[0], row.Cells[1])
		p.Rows = append(p.Rows, row)
	}
}

// named gives items without ids their text as id, if the plan is a list of such items.
func named(p *plan.Plan) *plan.Plan {
	if p == nil || !p.Listed {
		return p
	}
	p = p.Clone()
	for i := range p.Steps {
		if s := &p.Steps[i]; s.ID == "" {
			s.ID, s.Description = s.Description, ""
		}
	}
	return p
}

// newSide returns the plan after an outcome. A rejection does not change the plan.
func newSide(name string, before *plan.Plan, out *harness.Outcome) side {
	if out == nil {
		return side{name: name, came: "no answer"}
	}
	s := side{name: name, came: string(out.Verdict), plan: named(out.Plan)}
	if out.Code != "" {
		s.came += " " + string(out.Code)
	}
	if out.Verdict != harness.Applied && out.Plan == nil {
		s.plan = before
	}
	if s.plan != nil {
		s.fates = fates(before, s.plan)
	}
	return s
}

// fates returns the changes of the steps by id. The id of the plan itself is "".
func fates(before, after *plan.Plan) map[string][]pageLine {
	d := plan.Diff(before, after)
	list := map[string][]pageLine{}
	changes := func(id string, fields []plan.FieldChange) {
		for _, f := range fields {
			list[id] = append(list[id], newPageLine(f))
		}
	}
	changes("", d.Members)
	for _, c := range d.Changed {
		changes(c.ID, c.Fields)
	}
	for _, s := range d.Removed {
		list[s.ID] = append(list[s.ID], pageLine{Tone: "bad", Name: "removed"})
	}
	for _, s := range d.Added {
		list[s.ID] = append(list[s.ID], pageLine{Tone: "good", Name: "added", New: explain.Step(s, false)})
	}
	places := after.Index()
	for _, id := range d.Moved {
		moved := pageLine{Tone: "doubtful", Name: "moved", Before: fmt.Sprintf("to place %d", places[id]+1)}
		list[id] = append(list[id], moved)
	}
	return list
}

func newPageLine(f plan.FieldChange) pageLine {
	before, from, to, after := unlike(escape.Unlike(f.From, f.To, longest))
	return pageLine{"doubtful", f.Field, before, from, to, after}
}

// steps returns a row for each id of all plans: the old plan's steps, then new steps.
func steps(before *plan.Plan, sides []side) []pageStep {
	rows := []pageStep{}
	for _, s := range sides {
		if s.fates[""] != nil {
			rows = []pageStep{{Before: escape.Cut(before.Title, longest)}}
		}
	}
	seen := map[string]bool{"": true}
	add := func(p *plan.Plan, old bool) {
		for _, s := range p.Steps {
			if seen[s.ID] {
				continue
			}
			seen[s.ID] = true
			row := pageStep{ID: s.ID}
			if old {
				row.Before = cmp.Or(explain.Step(s, false), string(s.Status))
			}
			rows = append(rows, row)
		}
	}
	add(before, true)
	for _, s := range sides {
		if s.plan != nil {
			add(s.plan, false)
		}
	}
	return rows
}
