package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/diff"
	"replanbench/harness/document/escape"
	"replanbench/harness/plan"
)

// item is an object of a list in an outcome: a message or an event.
type item struct {
	raw     string // as compact JSON
	members map[string]string
}

// itemsOf reads a list of objects. It returns nil for any other document.
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

// text shows an item in one line, its subject first.
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

// changes returns the members that differ between an item and its new version, by name.
func (x item) changes(now item) (lines []pageLine) {
	for _, p := range diff.Paths(x.members, now.members) {
		from, _ := p.Want.(string)
		to, _ := p.Got.(string)
		lines = append(lines, newPageLine(plan.FieldChange{Field: p.Names[0], From: from, To: to}))
	}
	return lines
}

// pair is an item before and after; -1 is none.
type pair struct{ before, after int }

// align pairs the items of two lists: the longest common subsequence, and between its
// items those with the same place and role. go-cmp also aligns lists, but its choice
// among equal alignments varies from build to build.
func align(before, after []item) (pairs []pair) {
	common := make([][]int, len(before)+1) // length of the common rest
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i, b := range slices.Backward(before) {
		for k := len(after) - 1; k >= 0; k-- {
			if b.raw == after[k].raw {
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
		case before[i].raw == after[k].raw,
			common[i+1][k+1] == common[i][k] && before[i].members["role"] == after[k].members["role"]:
			pairs, i, k = append(pairs, pair{i, k}), i+1, k+1
		case common[i+1][k] == common[i][k]:
			pairs, i = append(pairs, pair{i, -1}), i+1
		default:
			pairs, k = append(pairs, pair{-1, k}), k+1
		}
	}
	return pairs
}

// newPageList shows a list before the edit, and how each side differs from it. A nil side
// is unknown.
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
			continue
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
	all := slices.Concat(rows, more)
	for i := range all {
		all[i].Wrong = len(sides) == 1 && names[0] == "expected" && all[i].Cells[0].changed()
	}
	p.fill(all)
	p.Unlike = slices.ContainsFunc(p.Rows, func(row pageStep) bool { return row.Wrong })
	return p
}

func itemID(i int, x item) string {
	return strings.TrimSpace(strconv.Itoa(i) + " " + escape.Cut(x.members["role"], 20))
}

// messages shows the messages of the case before and after trimming.
func (c *pageCause) messages(e *Evidence) {
	messages := itemsOf(e.Case.Messages)
	got, want := outcomeItems(e.Given), outcomeItems(e.Want)
	if n := len(messages); n > 0 && n <= aligned && e.Given != nil && len(got.messages) <= aligned {
		names, columns := []string{"before", "got"}, []string{"before", came("got", e.Given)}
		sides := [][]item{got.messages}
		if e.Want != nil && len(want.messages) <= aligned {
			names, columns = []string{"before", "expected", "got"}, slices.Insert(columns, 1, came("expected", e.Want))
			sides = [][]item{want.messages, got.messages}
		}
		c.Lists = append(c.Lists, newPageList("The messages before and after", names, columns, messages, sides))
	}
}

// trace shows the trace. With a plan on the page it does so only if the trace is wrong.
func (c *pageCause) trace(e *Evidence, withPlan bool) {
	got, want := outcomeItems(e.Given), outcomeItems(e.Want)
	same := slices.EqualFunc(want.trace, got.trace, func(a, b item) bool { return a.raw == b.raw })
	switch n := max(len(want.trace), len(got.trace)); {
	case n == 0 || n > aligned, withPlan && (same || len(want.trace) == 0 || len(got.trace) == 0):
		return
	}
	if e.Want == nil {
		c.Lists = append(c.Lists, newPageList("Trace", []string{"got"}, []string{came("got", e.Given)}, got.trace, nil))
		return
	}
	names, columns := []string{"expected", "got"}, []string{came("expected", e.Want), came("got", e.Given)}
	p := newPageList("Expected trace and actual trace", names, columns, want.trace, [][]item{got.trace})
	p.members(e)
	c.Lists = append(c.Lists, p)
}

// members adds the other members of the outcome that are wrong.
func (p *pagePlan) members(e *Evidence) {
	if e.Given == nil {
		return
	}
	type end struct{ Mode, Phase, Path, Content string }
	want, got := e.Want, e.Given
	for _, d := range diff.Paths(end{want.Mode, want.Phase, want.Path, want.Content},
		end{got.Mode, got.Phase, got.Path, got.Content}) {
		from, to := fmt.Sprint(d.Want), fmt.Sprint(d.Got)
		if to != "" {
			line := newPageLine(plan.FieldChange{Field: d.Names[0], From: from, To: to})
			row := pageStep{ID: "the end: " + d.Names[0], Before: escape.Cut(from, itemShown), Wrong: true}
			row.Cells = []pageFate{{true, []pageLine{line}}}
			p.Rows = append(p.Rows, row)
		}
	}
}

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

// came returns the heading of a side: its name and its verdict.
func came(name string, o *harness.Outcome) string {
	return name + ": " + newSide(name, &plan.Plan{}, o).came
}
