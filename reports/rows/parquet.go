package rows

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replanbench/reports/measure"
)

// rowsOfGroup is how many rows a table keeps in memory.
const rowsOfGroup = 10_000

// NewParquet returns a writer of rows. It needs a schema only if T has none.
func NewParquet[T any](w io.Writer, schema ...parquet.WriterOption) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](w, append(schema,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsOfGroup), parquet.CreatedBy("replanbench", "", ""),
	)...)
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
