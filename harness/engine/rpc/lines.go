package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong is the error of [LineReader] for a line of more than [MaxLine]
// bytes.
var ErrTooLong = fmt.Errorf("a line longer than %d MiB", MaxLine>>20)

// LineReader reads lines of bounded length.
type LineReader struct {
	r   *bufio.Reader
	max int
}

// NewLineReader reads lines of at most maxLine bytes, or [MaxLine] if it is 0.
func NewLineReader(r io.Reader, maxLine int) *LineReader {
	if maxLine == 0 {
		maxLine = MaxLine
	}
	return &LineReader{bufio.NewReaderSize(r, 64<<10), maxLine}
}

// Next returns the next line without its end, as a new slice. A last line without an end
// counts. The error is io.EOF at the end, and ErrTooLong as soon as a line exceeds the limit;
// no more than the limit is kept in memory.
func (l *LineReader) Next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > l.max+1:
			return nil, ErrTooLong
		case err == nil:
			return trimEnd(line[:len(line)-1]), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0:
			return trimEnd(line), nil
		default:
			return nil, err
		}
	}
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
