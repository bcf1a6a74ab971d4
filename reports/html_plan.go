package reports

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/reports/escape"
	"replanbench/reports/explain"
)

// pagePlan is a plan before an edit and on either side of it, as one list: a row for
// each step, and in each column what became of it there.
type pagePlan struct {
	Title   string
	Columns []string
	Names   []string // of the columns behind the first, in a word
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
	Wrong      bool // it is not what it should be
}

// pageFate is what became of a step.
type pageFate struct {
	Known bool
	Lines []pageLine // none: it is as it was
}

// pageLine is a change of a step, or of one of its members: what both values share
// stands round what differs.
type pageLine struct{ Tone, Name, Before, Old, New, After string }

// side is a plan after an edit.
type side struct {
	name, came string
	plan       *plan.Plan // nil: it is not known
	fates      map[string][]pageLine
}

// planRows is how many steps are shown, if most of them stay as they were.
const planRows = 30

func newPagePlan(before *plan.Plan, want, got *harness.Outcome) *pagePlan {
	before = named(before)
	sides := []side{newSide("got", before, got)}
	p := &pagePlan{Title: "The plan before and after", Columns: []string{"step", "before"}, Names: []string{"before", "got"}}
	if want != nil {
		sides = slices.Insert(sides, 0, newSide("expected", before, want))
		p.Unlike, p.Names = sides[0].came != sides[1].came, []string{"before", "expected", "got"}
	}
	rows := steps(before, sides)
	for _, s := range sides {
		p.Columns = append(p.Columns, s.name+": "+s.came)
	}
	for _, row := range rows {
		changed := false
		for _, s := range sides {
			lines := s.fates[row.ID]
			changed = changed || lines != nil
			row.Cells = append(row.Cells, pageFate{s.plan != nil, lines})
		}
		if len(sides) == 2 && sides[0].plan != nil && sides[1].plan != nil {
			row.Wrong = !slices.Equal(row.Cells[0].Lines, row.Cells[1].Lines)
		}
		if !changed && len(rows) > planRows || len(p.Rows) == 10*planRows {
			p.Left++
			continue
		}
		if row.ID = explain.ID(row.ID); row.ID == "" {
			row.ID = "(the plan)"
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// named calls the items of a list that have no ids by what they say.
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

// newSide tells what an outcome makes of a plan. What is refused leaves it as it was.
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

// fates tells what became of the steps, by their ids; "" is the plan itself.
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
		list[id] = append(list[id], pageLine{Tone: "doubtful", Name: "moved", Before: fmt.Sprintf("to place %d", places[id]+1)})
	}
	return list
}

func newPageLine(f plan.FieldChange) pageLine {
	before, from, to, after := unlike(escape.Unlike(f.From, f.To, longest))
	return pageLine{"doubtful", f.Field, before, from, to, after}
}

// steps are those of all plans, each id once: in the order of the old plan, and then
// the new ones.
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
