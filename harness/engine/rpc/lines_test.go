package rpc_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"replanbench/harness/engine/rpc"
)

// FuzzLineReader checks that the lines equal the lines of the input, that none exceeds the limit,
// and that the reader ends.
func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 4)
	f.Add(bytes.Repeat([]byte("x"), 70<<10), 66<<10)
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		most = max(1, min(most, 1<<20))
		lines := rpc.NewLineReader(bytes.NewReader(data), most)
		var want [][]byte
		for rest := data; len(rest) > 0; {
			line, more, _ := bytes.Cut(rest, []byte("\n"))
			want, rest = append(want, bytes.TrimSuffix(line, []byte("\r"))), more
		}
		for n := 0; ; n++ {
			line, err := lines.Next()
			switch {
			case errors.Is(err, io.EOF) && n == len(want):
				return
			case errors.Is(err, rpc.ErrTooLong) && n < len(want) && len(want[n]) >= most:
				return
			case err != nil || n >= len(want) || !bytes.Equal(line, want[n]) || len(line) > most+1:
				t.Fatalf("line %d: %q, %v; want one of %q with at most %d bytes", n, line, err, want, most)
			}
		}
	})
}
