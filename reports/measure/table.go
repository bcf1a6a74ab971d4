package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
)

// Table is a list of measures, and how readers see it: a row for each set of keys, a
// column for each metric. Without measures it is a list of notes.
type Table struct {
	Title    string    `json:"title,omitzero"`
	Measures []Measure `json:"measures"`
	Notes    Notes     `json:"notes,omitempty"`
	// Section is the name for programs, if it is not the name of the section.
	Section string `json:"section,omitzero"`

	// Columns are the columns for readers; nil: every key, then every metric.
	Columns []Column `json:"-"`
	// Long tables have a row for each measure.
	Long bool `json:"long,omitzero"`
	// Hidden tables are for programs only. Again marks a table whose measures are also in
	// other tables: programs skip it.
	Hidden bool `json:"hidden,omitzero"`
	Again  bool `json:"-"`
	// Listed tables repeat the list of causes of a page, so the page omits them.
	Listed bool `json:"-"`

	// Repeated is how many first columns a terminal repeats when it splits a wide table;
	// 0: never split.
	Repeated int `json:"-"`
	// Pieces: a terminal breaks figures only between count, share and interval. It then
	// breaks the repeated columns into one, and then splits the table.
	Pieces bool `json:"-"`
}

// Notes are sentences below a table.
type Notes []string

// If adds a note, formatted as by fmt.Sprintf, if ok.
func (n *Notes) If(ok bool, format string, args ...any) {
	if ok {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

// Add adds measures.
func (t *Table) Add(list ...Measure) { t.Measures = append(t.Measures, list...) }

// Note returns a table of notes.
func Note(title string, notes ...string) Table { return Table{Title: title, Notes: notes} }

// Cell is a text for readers. Renderers escape it.
type Cell struct {
	Text string
	Tone style.Tone
}

// None returns the cell of a missing value.
func None() Cell { return Cell{"–", style.Faint} }

// Row contains the measures of one row.
type Row []Measure

// Of returns the measure with that name and keys, or nil; "" names the first measure.
func (r Row) Of(name string, where ...Key) *Measure {
	for i := range r {
		if (name == "" || r[i].Name == name) && !slices.ContainsFunc(where, func(k Key) bool {
			return r[i].Keys.Get(k.Name) != k.Value
		}) {
			return &r[i]
		}
	}
	return nil
}

// Column is a column for readers.
type Column struct {
	Head  string
	Right bool // aligned to the right
	keys  []string
	cell  func(Row) Cell
}

// KeyCol returns a column of keys. It joins several keys; without keys it says "all".
func KeyCol(head string, names ...string) Column {
	return Column{Head: head, keys: append([]string{}, names...), cell: func(r Row) Cell {
		return Cell{Text: Label(r[0].Keys, names...)}
	}}
}

// NumberCol returns a column of a key that is a number.
func NumberCol(head, name string) Column {
	c := KeyCol(head, name)
	c.Right = true
	return c
}

// place is the key that only orders rows. No column shows it, and each of its values has its own row.
const place = "place"

// Label joins the values of keys.
func Label(k Keys, names ...string) string {
	if len(names) == 0 {
		return "all"
	}
	values := collect.Map(names, func(name string) string { return cmp.Or(k.Get(name), "–") })
	return strings.Join(values, " · ")
}

// Col returns the column of a metric, of the measures with certain keys.
func Col(head, name string, where ...Key) Column {
	return CellCol(head, true, name, (*Measure).Cell, where...)
}

// WordCol returns a column with the texts of a metric.
func WordCol(head, name string) Column {
	return CellCol(head, false, name, func(m *Measure) Cell {
		tone := style.Plain
		if m.Unit == Words {
			tone = m.Tone
		}
		return Cell{m.Text, tone}
	})
}

// KCol and NCol return a column with the counts of a metric.
func KCol(head, name string) Column {
	return TextCol(head, true, name, func(m *Measure) string { k, _ := m.Whole(); return fmt.Sprint(k) })
}

// NCol returns a column with the totals of a metric.
func NCol(head, name string, where ...Key) Column {
	return TextCol(head, true, name, func(m *Measure) string { _, n := m.Whole(); return fmt.Sprint(n) }, where...)
}

// TextCol returns a column of plain texts that are made from the measures of a metric.
func TextCol(head string, right bool, name string, text func(*Measure) string, where ...Key) Column {
	return CellCol(head, right, name, func(m *Measure) Cell { return Cell{Text: text(m)} }, where...)
}

// CellCol returns a column whose cells are made from the measures of a metric.
func CellCol(head string, right bool, name string, cell func(*Measure) Cell, where ...Key) Column {
	return Column{Head: head, Right: right, cell: func(r Row) Cell {
		if m := r.Of(name, where...); m != nil {
			return cell(m)
		}
		return None()
	}}
}

// Rated returns the heading of a column of rates.
func Rated(name string) string { return name + " % [95 % CI]" }

// Grid is a table as readers see it.
type Grid struct {
	Title    string
	Columns  []Column
	Rows     [][]Cell
	Repeated int
	Pieces   bool
}

// Grid returns the rows of the table; nil without any.
func (t *Table) Grid() *Grid {
	if len(t.Measures) == 0 || t.Hidden {
		return nil
	}
	columns := t.Columns
	if columns == nil {
		columns = t.columns()
	}
	g := &Grid{Title: t.Title, Columns: columns, Repeated: t.Repeated, Pieces: t.Pieces}
	for _, row := range t.rows(columns) {
		cells := collect.Map(columns, func(c Column) Cell { return c.cell(row) })
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// rows groups the measures by the keys that the columns show.
func (t *Table) rows(columns []Column) (rows []Row) {
	keys := []string{place}
	for _, c := range columns {
		keys = append(keys, c.keys...)
	}
	places := map[string]int{}
	for i, m := range t.Measures {
		id := fmt.Sprint(i)
		if !t.Long {
			values := collect.Map(keys, m.Keys.Get)
			id = strings.Join(values, "\x00")
		}
		at, ok := places[id]
		if !ok {
			at = len(rows)
			places[id] = at
			rows = append(rows, nil)
		}
		rows[at] = append(rows[at], m)
	}
	return rows
}

// columns returns a column for each key and each metric.
func (t *Table) columns() (list []Column) {
	var keys, names []string
	rated := map[string]bool{}
	for _, m := range t.Measures {
		for _, k := range m.Keys {
			keys = append(keys, k.Name)
		}
		names = append(names, m.Name)
		rated[m.Name] = rated[m.Name] || m.Unit == Share && m.Low != nil
	}
	for _, name := range collect.Unique(keys) {
		if name != place {
			list = append(list, KeyCol(name, name))
		}
	}
	for _, name := range collect.Unique(names) {
		head := Named(name)
		if rated[name] {
			head = Rated(head)
		}
		c := Col(head, name)
		c.Right = !slices.ContainsFunc(t.Measures, func(m Measure) bool { return m.Name == name && m.Unit == Words })
		list = append(list, c)
	}
	return list
}

// Thousands writes a number in groups of three digits.
func Thousands(n int) string { return humanize.Comma(int64(n)) }

// RowCol returns a column whose cells are made from whole rows.
func RowCol(head string, right bool, cell func(Row) Cell) Column {
	return Column{Head: head, Right: right, cell: cell}
}

// Bar draws a part of a whole with blocks.
func Bar(part, whole int) string {
	return strings.Repeat("█", part) + strings.Repeat("░", max(0, whole-part))
}
