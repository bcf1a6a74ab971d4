package reports

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replanbench/harness/score"
)

// oneTable returns the chosen columns as one table with a row for each group. It shows a
// share as k of n with its interval.
func (s *Score) oneTable() *table {
	t := &table{title: "Scores: k of n, % [95 % CI]", pieces: true, repeated: len(s.By)}
	for _, key := range s.By {
		t.columns = append(t.columns, column{name: key})
	}
	for _, name := range s.Columns {
		t.columns = append(t.columns, column{name, true})
	}
	for i := range s.Groups {
		var row []cell
		for _, k := range s.Groups[i].Key {
			row = append(row, text(cmp.Or(k, "–")))
		}
		for _, name := range s.Columns {
			row = append(row, figureCell(s.Groups[i].Figure(name)))
		}
		t.rows = append(t.rows, row)
	}
	if len(t.columns) > 0 {
		return t
	}
	return nil
}

// figureCell formats a figure for readers.
func figureCell(f score.Figure, ok bool) cell {
	interval := ""
	switch {
	case !ok:
		return none()
	case f.Number:
		return number(f.Yes)
	case f.Currency != "":
		return text(fmt.Sprintf("%.4f %s", f.Value, f.Currency))
	case f.Mean:
		if f.HasInterval() {
			interval = fmt.Sprintf(" [%.1f–%.1f]", f.Low, f.High)
		}
		return text(fmt.Sprintf("%.1f%s", f.Value, interval))
	}
	if f.HasInterval() {
		interval = fmt.Sprintf(" [%.1f–%.1f]", 100*f.Low, 100*f.High)
	}
	return text(fmt.Sprintf("%d of %d, %.1f%s", f.Yes, f.N, 100*f.Value, interval))
}

// field is a named value of a row for programs: a string, int64, float64 or nil.
type field struct {
	name  string
	value any
}

// fields returns the rows of the one table for programs. All rows have the same names.
// Shares are from 0 to 1.
func (s *Score) fields() [][]field {
	var rows [][]field
	for i := range s.Groups {
		var row []field
		for k, key := range s.By {
			row = append(row, field{key, s.Groups[i].Key[k]})
		}
		for _, name := range s.Columns {
			row = append(row, figureFields(name, s.Groups, i)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// figureFields returns the fields of a column in group i. The first group with a value
// decides the kind of the column.
func figureFields(name string, groups []score.Group, i int) []field {
	var kind score.Figure
	for k := range groups {
		if f, ok := groups[k].Figure(name); ok {
			kind = f
			break
		}
	}
	f, ok := groups[i].Figure(name)
	value := func(has bool, v any) any {
		if ok && has {
			return v
		}
		return nil
	}
	if kind.Number {
		return []field{{name, value(true, int64(f.Yes))}}
	}
	if kind.Currency != "" {
		return []field{{name, value(true, f.Value)}, {name + "_currency", value(true, f.Currency)}}
	}
	list := []field{{name, value(true, f.Value)}}
	if !kind.Mean {
		list = append(list, field{name + "_k", value(true, int64(f.Yes))})
	}
	return append(list, field{name + "_n", value(true, int64(f.N))},
		field{name + "_low", value(f.HasInterval(), f.Low)}, field{name + "_high", value(f.HasInterval(), f.High)})
}

// members returns the rows of the one table as JSON objects; nil without columns.
func (s *Score) members() []map[string]any {
	if s.Columns == nil {
		return nil
	}
	list := []map[string]any{}
	for _, row := range s.fields() {
		members := map[string]any{}
		for _, f := range row {
			members[f.name] = f.value
		}
		list = append(list, members)
	}
	return list
}

// tabled returns the rows of the one table if the report contains nothing else. Formats
// for programs are then this table.
func (r *Report) tabled() ([][]field, bool) {
	if r.Score == nil || r.Score.Columns == nil || len(r.Score.Groups) == 0 || len(r.chapters()) > 1 {
		return nil, false
	}
	return r.Score.fields(), true
}

// csvTable writes the one table as CSV.
func csvTable(w io.Writer, rows [][]field) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	line := make([]string, len(rows[0]))
	for i, f := range rows[0] {
		line[i] = cellText(f.name)
	}
	err := out.Write(line)
	for _, row := range rows {
		for i, f := range row {
			switch v := f.value.(type) {
			case nil:
				line[i] = ""
			case string:
				line[i] = cellText(v)
			case float64:
				line[i] = decimal(v)
			default:
				line[i] = fmt.Sprint(v)
			}
		}
		err = cmp.Or(err, out.Write(line))
	}
	if out.Flush(); cmp.Or(err, out.Error()) != nil {
		return fmt.Errorf("write CSV: %w", cmp.Or(err, out.Error()))
	}
	return nil
}

// parquetTable writes the one table as Parquet. It builds the row type from the columns.
func parquetTable(w io.Writer, rows [][]field) error {
	types := make([]reflect.StructField, len(rows[0]))
	for i := range types {
		kind := reflect.TypeFor[string]()
		for _, row := range rows {
			if v := row[i].value; v != nil {
				kind = reflect.TypeOf(v)
			}
		}
		if kind.Kind() != reflect.String {
			kind = reflect.PointerTo(kind)
		}
		name := strings.ReplaceAll(rows[0][i].name, ",", " ")
		types[i] = reflect.StructField{
			Name: "F" + strconv.Itoa(i), Type: kind,
			Tag: reflect.StructTag("parquet:" + strconv.Quote(name)),
		}
	}
	row := reflect.StructOf(types)
	out := newParquet[any](w, parquet.SchemaOf(reflect.New(row).Interface()))
	var err error
	for _, fields := range rows {
		x := reflect.New(row).Elem()
		for i, f := range fields {
			switch {
			case f.value == nil:
			case x.Field(i).Kind() == reflect.Pointer:
				x.Field(i).Set(reflect.New(types[i].Type.Elem()))
				x.Field(i).Elem().Set(reflect.ValueOf(f.value))
			default:
				x.Field(i).SetString(f.value.(string))
			}
		}
		eachText(x, validUTF8)
		_, failed := out.Write([]any{x.Interface()})
		err = cmp.Or(err, failed)
	}
	if err = cmp.Or(err, out.Close()); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}

// legend explains the columns of the one table.
func (s *Score) legend() (notes []string) {
	for _, t := range score.Columns() {
		if slices.Contains(s.Columns, t.Name) {
			notes = append(notes, fmt.Sprintf("  %s: %s", t.Name, t.Text))
		}
	}
	return notes
}
