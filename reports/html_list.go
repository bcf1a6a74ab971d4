package reports

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/reports/escape"
)

// item is an object of a list that an outcome holds: a message, or what happened.
type item struct {
	raw     string // as compact JSON
	members map[string]string
}

// itemsOf reads a list of objects; nil if it is none.
func itemsOf(list []byte) (items []item) {
	var raw []map[string]jsontext.Value
	if json.Unmarshal(list, &raw) != nil || raw == nil {
		return nil
	}
	items = []item{}
	for _, object := range raw {
		x := item{members: map[string]string{}}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			text := ""
			if json.Unmarshal(object[name], &text) != nil {
				text = object[name].String()
			}
			x.members[name] = text
			x.raw += name + "=" + object[name].String() + "\n"
		}
		items = append(items, x)
	}
	return items
}

// text is an item in a line, what it is about first.
func (x item) text() string {
	var parts []string
	for _, name := range []string{"state", "step", "event", "code", "content"} {
		if x.members[name] != "" {
			parts = append(parts, x.members[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.members)) {
		if !slices.Contains([]string{"state", "step", "event", "code", "content", "role"}, name) {
			parts = append(parts, name+" "+x.members[name])
		}
	}
	return escape.Cut(strings.Join(parts, " · "), itemShown)
}

// How much of an item is shown, in bytes, and how many are aligned at most.
const (
	itemShown = 300
	aligned   = 500
)

// changes are the members in which an item is another now.
func (x item) changes(now item) (lines []pageLine) {
	names := maps.Clone(x.members)
	maps.Copy(names, now.members)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if x.members[name] != now.members[name] {
			lines = append(lines, newPageLine(plan.FieldChange{Field: name, From: x.members[name], To: now.members[name]}))
		}
	}
	return lines
}

// pair is an item before and after; -1 is none.
type pair struct{ before, after int }

// align pairs the items of two lists: the longest run that both have, and between
// those what stands in the same place.
func align(before, after []item) (pairs []pair) {
	common := make([][]int, len(before)+1) // how many both have from here on
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for k := len(after) - 1; k >= 0; k-- {
			if before[i].raw == after[k].raw {
				common[i][k] = common[i+1][k+1] + 1
			} else {
				common[i][k] = max(common[i+1][k], common[i][k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(before) || k < len(after); {
		switch {
		case i == len(before):
			pairs, k = append(pairs, pair{-1, k}), k+1
		case k == len(after):
			pairs, i = append(pairs, pair{i, -1}), i+1
		case before[i].raw == after[k].raw || common[i+1][k+1] == common[i][k] && before[i].members["role"] == after[k].members["role"]:
			pairs, i, k = append(pairs, pair{i, k}), i+1, k+1
		case common[i+1][k] == common[i][k]:
			pairs, i = append(pairs, pair{i, -1}), i+1
		default:
			pairs, k = append(pairs, pair{-1, k}), k+1
		}
	}
	return pairs
}

// newPageList is a list before and on either side, as one: each side against the first.
// It is nil where there is nothing to align.
func newPageList(title string, names []string, columns []string, before []item, sides [][]item) *pagePlan {
	p := &pagePlan{Title: title, Names: names, Columns: append([]string{"item"}, columns...)}
	cells := func() []pageFate {
		cells := make([]pageFate, len(sides))
		for s, list := range sides {
			cells[s].Known = list != nil
		}
		return cells
	}
	rows := make([]pageStep, len(before))
	for i, x := range before {
		rows[i] = pageStep{ID: itemID(i, x), Before: cmp.Or(x.text(), "(empty)"), Cells: cells()}
	}
	var more []pageStep
	for s, list := range sides {
		if list == nil {
			continue // it is not known
		}
		for _, at := range align(before, list) {
			switch {
			case at.after < 0:
				rows[at.before].Cells[s].Lines = []pageLine{{Tone: "bad", Name: "removed"}}
			case at.before < 0:
				row := pageStep{ID: itemID(at.after, list[at.after]), Cells: cells()}
				row.Cells[s] = pageFate{true, []pageLine{{Tone: "good", Name: "added", New: list[at.after].text()}}}
				more = append(more, row)
			default:
				rows[at.before].Cells[s].Lines = before[at.before].changes(list[at.after])
			}
		}
	}
	changed := func(c pageFate) bool { return len(c.Lines) > 0 }
	all := append(rows, more...)
	for _, row := range all {
		if !slices.ContainsFunc(row.Cells, changed) && len(all) > planRows || len(p.Rows) == 10*planRows {
			p.Left++
			continue
		}
		last := len(row.Cells) - 1
		row.Wrong = last == 1 && row.Cells[0].Known && row.Cells[1].Known && !slices.Equal(row.Cells[0].Lines, row.Cells[1].Lines) || last == 0 && len(names) == 2 && names[0] == "expected" && changed(row.Cells[0])
		p.Unlike = p.Unlike || row.Wrong
		p.Rows = append(p.Rows, row)
	}
	return p
}

func itemID(i int, x item) string {
	return strings.TrimSpace(strconv.Itoa(i) + " " + escape.Cut(x.members["role"], 20))
}

// messages shows the messages of the case and what is left of them.
func (c *pageCause) messages(e *Evidence) {
	messages := itemsOf(e.Case.Messages)
	got, want := outcomeItems(e.Given), outcomeItems(e.Want)
	if n := len(messages); n > 0 && n <= aligned && e.Given != nil && len(got.messages) <= aligned {
		names, columns, sides := []string{"before", "got"}, []string{"before", came("got", e.Given)}, [][]item{got.messages}
		if e.Want != nil && len(want.messages) <= aligned {
			names, columns, sides = []string{"before", "expected", "got"}, []string{"before", came("expected", e.Want), columns[1]}, [][]item{want.messages, got.messages}
		}
		c.Lists = append(c.Lists, newPageList("The messages before and after", names, columns, messages, sides))
	}
}

// trace shows what happened; beside a plan only where something else should have.
func (c *pageCause) trace(e *Evidence, beside bool) {
	got, want := outcomeItems(e.Given), outcomeItems(e.Want)
	same := slices.EqualFunc(want.trace, got.trace, func(a, b item) bool { return a.raw == b.raw })
	switch n := max(len(want.trace), len(got.trace)); {
	case n == 0 || n > aligned, beside && (same || len(want.trace) == 0 || len(got.trace) == 0):
		return
	}
	if e.Want == nil {
		c.Lists = append(c.Lists, newPageList("What happened", []string{"got"}, []string{came("got", e.Given)}, got.trace, nil))
		return
	}
	p := newPageList("What should have happened, and what did", []string{"expected", "got"}, []string{came("expected", e.Want), came("got", e.Given)}, want.trace, [][]item{got.trace})
	p.members(e)
	c.Lists = append(c.Lists, p)
}

// members adds the members in which two outcomes end otherwise.
func (p *pagePlan) members(e *Evidence) {
	if e.Given == nil {
		return
	}
	for _, m := range []struct{ name, want, got string }{
		{"mode", e.Want.Mode, e.Given.Mode}, {"phase", e.Want.Phase, e.Given.Phase}, {"path", e.Want.Path, e.Given.Path}, {"content", e.Want.Content, e.Given.Content},
	} {
		if m.want != m.got && m.got != "" {
			line := newPageLine(plan.FieldChange{Field: m.name, From: m.want, To: m.got})
			p.Rows = append(p.Rows, pageStep{ID: "the end: " + m.name, Before: escape.Cut(m.want, itemShown), Cells: []pageFate{{true, []pageLine{line}}}, Wrong: true})
		}
	}
}

// outcomeItems are the lists of an outcome.
func outcomeItems(o *harness.Outcome) (x struct{ messages, trace []item }) {
	if o == nil {
		return x
	}
	x.messages = itemsOf(o.Messages)
	if data, err := json.Marshal(o.Trace, jsontext.AllowInvalidUTF8(true)); err == nil && o.Trace != nil {
		x.trace = itemsOf(data)
	}
	return x
}

// came is a side with what came of the case there.
func came(name string, o *harness.Outcome) string {
	return name + ": " + newSide(name, &plan.Plan{}, o).came
}
