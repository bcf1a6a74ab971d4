// Package parquet writes tables as Apache Parquet: plain values in pages that are
// compressed with zstd, which is what every reader reads. It knows the types that
// reports have, and takes a hundredth of the room of a library for all of Parquet,
// with which its tests read what it writes.
package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Physical types, encodings and the like, by their numbers in the format.
const (
	typeBool   = 0
	typeInt64  = 2
	typeDouble = 5
	typeBytes  = 6

	required = 0
	optional = 1
	repeated = 2

	convertedUTF8 = 0
	convertedList = 3

	encodingPlain = 0
	encodingRLE   = 3

	codecZstd = 6
)

// rowsOfGroup and bytesOfGroup are how much is kept before it is written.
const (
	rowsOfGroup  = 10_000
	bytesOfGroup = 32 << 20
)

const magic = "PAR1"

// Writer writes rows of type T, a struct whose fields are strings, bytes, booleans,
// int64, float64, pointers to these numbers, which are null where they are nil, and
// lists of strings. The tag parquet holds a field's name.
type Writer[T any] struct {
	out     io.Writer
	zstd    *zstd.Encoder
	columns []*column
	offset  int64 // in the file
	rows    int64 // of the group
	all     int64
	groups  []group
}

// column is what the group has of a column so far.
type column struct {
	name     string
	kind     int
	text     bool // of bytes: it is UTF-8
	optional bool
	list     bool
	count    int    // of the values, nulls and empty lists among them
	repeats  []bool // for each value: it belongs to the row of the one before
	defined  []bool // for each value: there is one
	bools    []bool
	values   []byte
}

type group struct {
	rows   int64
	bytes  int64
	chunks []chunk
}

// chunk is where the values of a column stand.
type chunk struct {
	offset       int64
	count        int
	raw, written int64
	column       *column
}

// NewWriter returns a writer of rows.
func NewWriter[T any](out io.Writer) (*Writer[T], error) {
	return newWriter[T](out, reflect.TypeFor[T]())
}

// NewWriterOf returns a writer of rows whose type, a struct as [Writer] wants it, is
// known only when the program runs.
func NewWriterOf(out io.Writer, row reflect.Type) (*Writer[any], error) {
	return newWriter[any](out, row)
}

func newWriter[T any](out io.Writer, row reflect.Type) (*Writer[T], error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer[T]{out: out, zstd: z}
	for i := range row.NumField() {
		c, err := newColumn(row.Field(i))
		if err != nil {
			return nil, err
		}
		w.columns = append(w.columns, c)
	}
	return w, w.write([]byte(magic))
}

func newColumn(f reflect.StructField) (*column, error) {
	c := &column{optional: f.Type.Kind() == reflect.Pointer}
	c.name, _, _ = strings.Cut(f.Tag.Get("parquet"), ",")
	t := f.Type
	if c.optional {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Bool:
		c.kind = typeBool
	case t.Kind() == reflect.Int64:
		c.kind = typeInt64
	case t.Kind() == reflect.Float64:
		c.kind = typeDouble
	case t.Kind() == reflect.String:
		c.kind, c.text = typeBytes, true
	case t == reflect.TypeFor[[]byte]():
		c.kind = typeBytes
	case t == reflect.TypeFor[[]string]():
		c.kind, c.text, c.list = typeBytes, true, true
	default:
		return nil, fmt.Errorf("the field %s is of a type that cannot be written as Parquet", f.Name)
	}
	return c, nil
}

// Write adds rows.
func (w *Writer[T]) Write(rows ...T) error {
	for _, row := range rows {
		v := reflect.ValueOf(row)
		size := 0
		for i, c := range w.columns {
			c.add(v.Field(i))
			size += len(c.values)
		}
		if w.rows++; w.rows >= rowsOfGroup || size >= bytesOfGroup {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *column) add(v reflect.Value) {
	switch {
	case c.list:
		for i := range max(1, v.Len()) {
			c.repeats, c.defined = append(c.repeats, i > 0), append(c.defined, v.Len() > 0)
			c.count++
			if v.Len() > 0 {
				c.plain(v.Index(i))
			}
		}
		return
	case c.optional:
		c.defined = append(c.defined, !v.IsNil())
	}
	if c.count++; !c.optional {
		c.plain(v)
	} else if !v.IsNil() {
		c.plain(v.Elem())
	}
}

// plain adds a value in its plain encoding.
func (c *column) plain(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		c.bools = append(c.bools, v.Bool())
	case reflect.Int64:
		c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v.Int()))
	case reflect.Float64:
		c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v.Float()))
	case reflect.String:
		s := strings.ToValidUTF8(v.String(), "\uFFFD")
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(len(s)))
		c.values = append(c.values, s...)
	default:
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v.Len()))
		c.values = append(c.values, v.Bytes()...)
	}
}

// levels are the repetition or definition levels of values, which are 0 or 1 here.
func levels(list []bool) []byte {
	bits := packed(list)
	run := append(binary.AppendUvarint(nil, uint64(len(bits))<<1|1), bits...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
}

// packed are booleans as bits.
func packed(list []bool) []byte {
	data := make([]byte, (len(list)+7)/8)
	for i, x := range list {
		if x {
			data[i/8] |= 1 << (i % 8)
		}
	}
	return data
}

// page is all that a column has, before it is compressed.
func (c *column) page() []byte {
	var page []byte
	if c.list {
		page = append(page, levels(c.repeats)...)
	}
	if c.list || c.optional {
		page = append(page, levels(c.defined)...)
	}
	return append(append(page, c.values...), packed(c.bools)...)
}

// flush writes the rows so far as a group.
func (w *Writer[T]) flush() error {
	if w.rows == 0 {
		return nil
	}
	g := group{rows: w.rows}
	for _, c := range w.columns {
		page := c.page()
		data := w.zstd.EncodeAll(page, nil)
		var t thrift
		t.i32(1, 0) // a page of data
		t.i32(2, len(page))
		t.i32(3, len(data))
		t.begin(5)
		t.i32(1, c.count)
		t.i32(2, encodingPlain)
		t.i32(3, encodingRLE)
		t.i32(4, encodingRLE)
		t.end()
		t.end()
		head := int64(len(t.data))
		x := chunk{offset: w.offset, count: c.count, raw: head + int64(len(page)), written: head + int64(len(data)), column: c}
		g.chunks, g.bytes = append(g.chunks, x), g.bytes+x.raw
		if err := w.write(append(t.data, data...)); err != nil {
			return err
		}
		c.count, c.repeats, c.defined, c.bools, c.values = 0, c.repeats[:0], c.defined[:0], c.bools[:0], c.values[:0]
	}
	w.groups, w.all, w.rows = append(w.groups, g), w.all+w.rows, 0
	return nil
}

func (w *Writer[T]) write(data []byte) error {
	n, err := w.out.Write(data)
	w.offset += int64(n)
	return err
}

// Close writes what is left, and the footer.
func (w *Writer[T]) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	footer := w.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}

func (w *Writer[T]) footer() []byte {
	var t thrift
	t.i32(1, 1) // version
	elements := 1
	for _, c := range w.columns {
		if elements++; c.list {
			elements += 2
		}
	}
	t.list(2, thriftStruct, elements)
	t.begin(0)
	t.text(4, "schema")
	t.i32(5, len(w.columns))
	t.end()
	for _, c := range w.columns {
		c.schema(&t)
	}
	t.i64(3, w.all)
	t.list(4, thriftStruct, len(w.groups))
	for _, g := range w.groups {
		g.write(&t)
	}
	t.text(6, "replanbench")
	t.end()
	return t.data
}

// schema writes the elements of a column: a list has a group, and one in it that is
// repeated.
func (c *column) schema(t *thrift) {
	repetition, name := required, c.name
	if c.optional {
		repetition = optional
	}
	if c.list {
		t.begin(0)
		t.i32(3, required)
		t.text(4, c.name)
		t.i32(5, 1)
		t.i32(6, convertedList)
		t.end()
		t.begin(0)
		t.i32(3, repeated)
		t.text(4, "list")
		t.i32(5, 1)
		t.end()
		name = "element"
	}
	t.begin(0)
	t.i32(1, c.kind)
	t.i32(3, repetition)
	t.text(4, name)
	if c.text {
		t.i32(6, convertedUTF8)
	}
	t.end()
}

// path is where the values of a column stand in the schema.
func (c *column) path() []string {
	if c.list {
		return []string{c.name, "list", "element"}
	}
	return []string{c.name}
}

func (g group) write(t *thrift) {
	t.begin(0)
	t.list(1, thriftStruct, len(g.chunks))
	for _, x := range g.chunks {
		t.begin(0)
		t.i64(2, x.offset)
		t.begin(3)
		t.i32(1, x.column.kind)
		t.list(2, thriftI32, 2)
		t.data = binary.AppendVarint(t.data, encodingPlain)
		t.data = binary.AppendVarint(t.data, encodingRLE)
		path := x.column.path()
		t.list(3, thriftBinary, len(path))
		for _, name := range path {
			t.item(name)
		}
		t.i32(4, codecZstd)
		t.i64(5, int64(x.count))
		t.i64(6, x.raw)
		t.i64(7, x.written)
		t.i64(9, x.offset)
		t.end()
		t.end()
	}
	t.i64(2, g.bytes)
	t.i64(3, g.rows)
	t.end()
}
