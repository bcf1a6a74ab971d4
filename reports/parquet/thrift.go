package parquet

import "encoding/binary"

// thrift writes structures in the compact protocol, which the headers and the
// footer of a file are in: fields by number, in their order.
type thrift struct {
	data  []byte
	last  int   // the field before
	outer []int // of the structures around
}

// The types of fields.
const (
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) field(id, kind int) {
	t.data = append(t.data, byte((id-t.last)<<4|kind)) // no two are more than 15 apart
	t.last = id
}

func (t *thrift) i32(id int, x int) {
	t.field(id, thriftI32)
	t.data = binary.AppendVarint(t.data, int64(x))
}

func (t *thrift) i64(id int, x int64) {
	t.field(id, thriftI64)
	t.data = binary.AppendVarint(t.data, x)
}

func (t *thrift) text(id int, s string) {
	t.field(id, thriftBinary)
	t.item(s)
}

// item is a text in a list.
func (t *thrift) item(s string) {
	t.data = binary.AppendUvarint(t.data, uint64(len(s)))
	t.data = append(t.data, s...)
}

// list begins a list, whose items follow.
func (t *thrift) list(id, kind, length int) {
	t.field(id, thriftList)
	if length < 15 {
		t.data = append(t.data, byte(length<<4|kind))
		return
	}
	t.data = append(t.data, byte(0xf0|kind))
	t.data = binary.AppendUvarint(t.data, uint64(length))
}

// begin begins a structure: a field, or an item of a list where the id is 0.
func (t *thrift) begin(id int) {
	if id > 0 {
		t.field(id, thriftStruct)
	}
	t.outer = append(t.outer, t.last)
	t.last = 0
}

// end ends a structure.
func (t *thrift) end() {
	t.data = append(t.data, 0)
	if n := len(t.outer) - 1; n >= 0 {
		t.last, t.outer = t.outer[n], t.outer[:n]
	}
}
