package rpc

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong is the error of [LineReader] for a line of more than [MaxLine]
// bytes.
var ErrTooLong = fmt.Errorf("a line longer than %d MiB", MaxLine>>20)

// LineReader reads lines of bounded length.
type LineReader struct{ lines *bufio.Scanner }

// NewLineReader reads lines of at most maxLine bytes, or [MaxLine] if it is 0.
func NewLineReader(r io.Reader, maxLine int) LineReader {
	most := cmp.Or(maxLine, MaxLine) + 1 // with the end of the line
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, min(64<<10, most)), most)
	return LineReader{lines}
}

// Next returns the next line without its end, as a slice of its own. A last
// line without an end counts. The error is io.EOF at the end, and ErrTooLong
// as soon as a line has exceeded its bound: no more than that is ever held.
func (l LineReader) Next() ([]byte, error) {
	if l.lines.Scan() {
		return bytes.Clone(l.lines.Bytes()), nil
	}
	err := cmp.Or(l.lines.Err(), io.EOF)
	if errors.Is(err, bufio.ErrTooLong) {
		err = ErrTooLong
	}
	return nil, err
}
