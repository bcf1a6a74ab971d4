package parquet_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	library "github.com/parquet-go/parquet-go"

	"replanbench/reports/parquet"
)

type row struct {
	Text   string   `parquet:"text"`
	Bytes  []byte   `parquet:"bytes"`
	Tags   []string `parquet:"tags,list"`
	Count  *int64   `parquet:"count,optional"`
	Share  *float64 `parquet:"share,optional"`
	Number int64    `parquet:"number"`
	Size   float64  `parquet:"size"`
	Yes    bool     `parquet:"yes"`
}

// TestLibraryReadsIt: what is written, in no row, in one group and in many.
func TestLibraryReadsIt(t *testing.T) {
	for _, n := range []int{0, 1, 9, 25_000} {
		var rows []row
		for i := range n {
			r := row{Text: fmt.Sprintf("text %d é", i), Bytes: []byte{0, 0xff, byte(i)}, Number: int64(-i), Size: float64(i) / 3, Yes: i%3 == 0}
			for range i % 4 {
				r.Tags = append(r.Tags, fmt.Sprint("tag ", i))
			}
			if i%2 == 0 {
				count, share := int64(i), float64(i)/7
				r.Count, r.Share = &count, &share
			}
			rows = append(rows, r)
		}
		var b bytes.Buffer
		w, err := parquet.NewWriter[row](&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rows...); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := library.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if d := cmp.Diff(rows, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%d rows (-written +read):\n%s", n, d)
		}
	}
}

func TestOtherTypes(t *testing.T) {
	type odd struct {
		N int `parquet:"n"`
	}
	if _, err := parquet.NewWriter[odd](&bytes.Buffer{}); err == nil {
		t.Error("a field of type int is taken")
	}
}
