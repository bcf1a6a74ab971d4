package measure

import (
	"cmp"
	"slices"
)

// Record is a measure as a row for programs: of a section, with the title of its table.
type Record struct {
	Section string
	Measure
}

// Rows returns a row for each measure of the tables.
func Rows(section string, tables []Table) (rows []Record) {
	for _, t := range tables {
		if t.Again {
			continue
		}
		for _, m := range t.Measures {
			rows = append(rows, Record{cmp.Or(t.Section, section), m})
		}
	}
	return rows
}

// KeyNames returns the names of all keys, in the order of their first row. A key without
// any value, or that only orders rows, is no column.
func KeyNames(rows []Record) (names []string) {
	for _, r := range rows {
		for _, k := range r.Keys {
			if k.Value != "" && k.Name != "place" && !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	return names
}
