package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/plan"
)

// PlanChange shows the plan before and after, or that it is unchanged. It returns nothing
// for an invalid plan. A failed run may have finished steps, which the trace lists.
func (s Subject) PlanChange() []Section {
	if s.Unsound != nil || s.Before == nil {
		return nil
	}
	return []Section{planSection(s.Before, s.Outcome)}
}

func planSection(before *plan.Plan, out harness.Outcome) Section {
	if out.Plan == nil && out.Trace != nil && out.Verdict == harness.Rejected {
		return Section{Title: fmt.Sprintf("Plan: %s; the engine did not return the plan after the failed run", size(before))}
	}
	if out.Plan == nil {
		return Section{Title: fmt.Sprintf("The plan is unchanged (%s)", size(before))}
	}
	d := plan.Diff(before, out.Plan)
	if asked := reordered(before, out); asked != nil {
		d.Moved = asked
	}
	s := Section{Title: fmt.Sprintf("Plan: %s → %s", size(before), size(out.Plan))}
	if d.Empty() {
		s.Add("", 0, style.Plain, "no difference")
		return s
	}
	for _, f := range d.Members {
		s.field(f, 0)
	}
	if aside := d.Aside(); aside != "" {
		s.Add("", 0, style.Doubtful, "changed: %s", aside)
	}
	newPlanLines(before, out.Plan, d).write(&s)
	return s
}

// reordered returns the steps that moved according to the outcome, if this explains the
// new order. A comparison alone cannot decide which of two swapped neighbours moved.
func reordered(before *plan.Plan, out harness.Outcome) (ids []string) {
	for _, o := range out.Operations {
		if o.Type == "reorder" && o.Result == "applied" {
			ids = append(ids, o.StepID)
		}
	}
	others := func(p *plan.Plan) *plan.Plan {
		rest := func(s plan.Step) bool { return slices.Contains(ids, s.ID) }
		return &plan.Plan{Steps: slices.DeleteFunc(slices.Clone(p.Steps), rest)}
	}
	if ids == nil || plan.Diff(others(before), others(out.Plan)).Moved != nil {
		return nil
	}
	return ids
}

func size(p *plan.Plan) string {
	done := collect.Count(p.Steps, func(s plan.Step) bool { return s.Status == p.Finished() })
	size := fmt.Sprintf("%s, %d %s", english.Plural(len(p.Steps), p.Unit(), ""), done, p.Finished())
	if p.Record != nil {
		size = fmt.Sprintf("version %d, %s", p.Record.Version, size)
	}
	return size
}

// planLines merges the steps of two plans into the order of the new plan, with each
// removed step at its old position.
type planLines struct {
	before, after *plan.Plan
	changed       map[string][]plan.FieldChange
	moved, added  map[string]bool
	gone          map[string]bool
	width         int // of the ids
}

func newPlanLines(before, after *plan.Plan, d plan.Difference) *planLines {
	id := func(s plan.Step) string { return s.ID }
	l := &planLines{
		before: before, after: after, changed: map[string][]plan.FieldChange{},
		moved: collect.Set(d.Moved),
		added: collect.Set(collect.Map(d.Added, id)), gone: collect.Set(collect.Map(d.Removed, id)),
	}
	for _, c := range d.Changed {
		l.changed[c.ID] = c.Fields
	}
	const widest = 20
	for _, s := range slices.Concat(before.Steps, after.Steps) {
		l.width = min(max(l.width, twwidth.Width(escape.Terminal(ID(s.ID)))), widest)
	}
	return l
}

// context is the number of unchanged steps around a changed one.
const context = 3

func (l *planLines) write(s *Section) {
	rows := l.rows()
	near := make([]bool, len(rows))
	for i, r := range rows {
		if r.mark == "" || r.mark == doneMark {
			continue
		}
		for j := max(0, i-context); j < min(len(rows), i+context+1); j++ {
			near[j] = true
		}
	}
	skipped := 0
	for i, r := range rows {
		if !near[i] && len(rows) > 8*context {
			skipped++
			continue
		}
		skip(s, &skipped)
		s.Add(r.mark, 0, r.tone(), "%s", l.step(r.step))
		for _, f := range r.fields {
			s.field(f, 1)
		}
	}
	skip(s, &skipped)
}

func skip(s *Section, n *int) {
	if *n > 0 {
		s.Add("", 0, style.Faint, "… %d more, unchanged", *n)
	}
	*n = 0
}

// row is a step in the merged order with its change.
type row struct {
	mark   string
	step   plan.Step
	fields []plan.FieldChange
}

const doneMark = "✓"

func (r row) tone() style.Tone {
	switch r.mark {
	case "+":
		return style.Good
	case "-":
		return style.Bad
	case "~", ">":
		return style.Doubtful
	}
	return style.Faint
}

func (l *planLines) rows() []row {
	var rows []row
	next := 0 // index of the next step of the old plan
	removed := func(until int) {
		for ; next < until; next++ {
			if s := l.before.Steps[next]; l.gone[s.ID] {
				rows = append(rows, row{mark: "-", step: s})
			}
		}
	}
	places := l.before.Index()
	for _, s := range l.after.Steps {
		if l.added[s.ID] {
			removed(len(l.before.Steps))
			rows = append(rows, row{mark: "+", step: s})
			continue
		}
		if !l.moved[s.ID] {
			removed(places[s.ID])
		}
		r := row{step: s, fields: l.changed[s.ID]}
		switch {
		case r.fields != nil:
			r.mark = "~"
		case l.moved[s.ID]:
			r.mark = ">"
		case s.Status == l.after.Finished():
			r.mark = doneMark
		}
		rows = append(rows, r)
	}
	removed(len(l.before.Steps))
	return rows
}

func (l *planLines) step(s plan.Step) string {
	id := escape.Terminal(ID(s.ID))
	return id + strings.Repeat(" ", max(0, l.width-twwidth.Width(id))) + "  " + Step(s, l.moved[s.ID])
}

// named returns the name and the work of a step. The name can be missing.
func named(s *plan.Step) string {
	name, text := s.Name(), cmp.Or(s.Description, s.Name())
	if name == "" || name == text {
		return text
	}
	return strings.TrimSuffix(name+": "+text, ": ")
}

// Step returns the members of a step except its id, in one line.
func Step(s plan.Step, moved bool) string {
	const longestDescription = 60
	line := escape.Cut(named(&s), longestDescription)
	var notes []string
	if moved {
		notes = append(notes, "moved")
	}
	if s.Status != plan.Pending {
		notes = append(notes, string(s.Status))
	}
	if len(s.Dependencies) > 0 {
		notes = append(notes, "after "+IDs(s.Dependencies))
	}
	if len(s.ToolsExpected) > 0 {
		notes = append(notes, "tools "+IDs(s.ToolsExpected))
	}
	if notes != nil {
		line += "  [" + strings.Join(notes, "; ") + "]"
	}
	return line
}

// field shows a changed member, in one line if it is short.
func (s *Section) field(f plan.FieldChange, indent int) {
	from, to := show(f.From), show(f.To)
	if len(f.Field)+len(from)+len(to) <= 60 {
		s.Add("~", indent, style.Doubtful, "%s: %s → %s", f.Field, from, to)
		return
	}
	s.Add("~", indent, style.Doubtful, "%s:", f.Field)
	s.Add("-", indent+1, style.Bad, "%s", from)
	s.Add("+", indent+1, style.Good, "%s", to)
}

func show(value string) string { return Text(cmp.Or(value, "(none)")) }
