// Package rows writes measures for programs: one row per measure, one column per key.
package rows

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/reports/measure"
)

// field is a named value of a row for programs: a string, *int64 or *float64. Nil
// pointers are missing values.
type field struct {
	name  string
	value any
}

// fields returns the columns of a row: section, metric, a column for each key, and the
// figures. A key with the name of another column gets an underscore.
func fields(keys []string, r measure.Record) []field {
	list := []field{{"section", r.Section}, {"metric", r.Name}}
	test := struct {
		p, corrected, detectable *float64
		needed                   *int64
	}{}
	if t := r.Test; t != nil {
		test.p, test.corrected, test.needed, test.detectable = &t.P, &t.Corrected, new(int64(t.Needed)), &t.Detectable
	}
	figures := []field{
		{"unit", string(r.Unit)},
		{"value", r.Value},
		{"low", r.Low},
		{"high", r.High},
		{"k", r.K},
		{"n", r.N},
		{"p", test.p},
		{"p_corrected", test.corrected},
		{"needed", test.needed},
		{"detectable", test.detectable},
		{"better", r.Better},
		{"text", r.Text},
		{"reproduce", r.Reproduce},
	}
	for _, name := range keys {
		value := r.Keys.Get(name)
		for slices.ContainsFunc(slices.Concat(list[:2], figures), func(f field) bool { return f.name == name }) {
			name += "_"
		}
		list = append(list, field{name, value})
	}
	return append(list, figures...)
}

// table returns a row of fields for each record. All rows have the same columns.
func table(records []measure.Record) [][]field {
	keys := measure.KeyNames(records)
	return collect.Map(records, func(x measure.Record) []field { return fields(keys, x) })
}

// CSV writes one row per measure and per failure (RFC 4180), with a header. Shares are
// from 0 to 1. Spreadsheets do not read foreign texts as formulas.
func CSV(w io.Writer, records []measure.Record) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	rows := table(records)
	line := collect.Map(rows[0], func(f field) string { return cellText(f.name) })
	if err := out.Write(line); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, row := range rows {
		for i, f := range row {
			line[i] = f.text()
		}
		if err := out.Write(line); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// text returns the value for a spreadsheet; "" if it is missing.
func (f field) text() string {
	switch v := f.value.(type) {
	case *int64:
		if v != nil {
			return strconv.FormatInt(*v, 10)
		}
	case *float64:
		if v != nil {
			return strconv.FormatFloat(*v, 'f', -1, 64)
		}
	case string:
		return cellText(v)
	}
	return ""
}

// cellText escapes foreign text that a spreadsheet could read as a formula, with an
// apostrophe.
func cellText(s string) string {
	s = escape.Terminal(s)
	if s != "" && strings.Contains("=+-@\uff1d\uff0b\uff0d\uff20", string([]rune(s)[:1])) {
		return "'" + s
	}
	return s
}

// JSONLines writes the rows of [CSV] as objects, one in a line. Missing values are
// null.
func JSONLines(w io.Writer, records []measure.Record) error {
	enc := jsontext.NewEncoder(w, jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true))
	for _, row := range table(records) {
		err := enc.WriteToken(jsontext.BeginObject)
		for _, f := range row {
			if s, ok := f.value.(string); ok {
				f.value = escape.Terminal(s)
			}
			err = cmp.Or(err, enc.WriteToken(jsontext.String(f.name)), json.MarshalEncode(enc, f.value))
		}
		if err = cmp.Or(err, enc.WriteToken(jsontext.EndObject)); err != nil {
			return fmt.Errorf("write JSON Lines: %w", err)
		}
	}
	return nil
}

// rowsOfGroup is how many rows a table keeps in memory.
const rowsOfGroup = 10_000

// NewParquet returns a writer of rows. It needs a schema only if T has none.
func NewParquet[T any](w io.Writer, schema ...parquet.WriterOption) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](w, append(schema, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowsOfGroup), parquet.CreatedBy("replanbench", "", ""))...)
}

// Parquet writes the rows of [CSV] as one table, with types and unescaped texts.
func Parquet(w io.Writer, records []measure.Record) error {
	rows := table(records)
	types := make([]reflect.StructField, len(rows[0]))
	for i, f := range rows[0] {
		types[i] = reflect.StructField{
			Name: "F" + strconv.Itoa(i), Type: reflect.TypeOf(f.value),
			Tag: reflect.StructTag("parquet:" + strconv.Quote(strings.ReplaceAll(f.name, ",", " "))),
		}
	}
	row := reflect.StructOf(types)
	out := NewParquet[any](w, parquet.SchemaOf(reflect.New(row).Interface()))
	var err error
	for _, fields := range rows {
		x := reflect.New(row).Elem()
		for i, f := range fields {
			if s, ok := f.value.(string); ok {
				f.value = strings.ToValidUTF8(s, "\uFFFD") // other bytes are no text in Parquet
			}
			x.Field(i).Set(reflect.ValueOf(f.value))
		}
		_, failed := out.Write([]any{x.Interface()})
		err = cmp.Or(err, failed)
	}
	if err = cmp.Or(err, out.Close()); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}
