package corpora

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Writer writes a corpus.
type Writer struct {
	out   *bufio.Writer
	close []io.Closer // in this order
	line  []byte
}

// NewWriter returns a writer of plain JSON Lines to w, which Close does not
// close.
func NewWriter(w io.Writer) *Writer { return &Writer{out: bufio.NewWriterSize(w, 64<<10)} }

// Compress returns a writer to w that compresses as the name asks: .gz, .zst or
// not at all.
func Compress(w io.Writer, name string) (*Writer, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		z := gzip.NewWriter(w)
		return &Writer{out: bufio.NewWriterSize(z, 64<<10), close: []io.Closer{z}}, nil
	case strings.HasSuffix(name, ".zst"):
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			return nil, err
		}
		return &Writer{out: bufio.NewWriterSize(z, 64<<10), close: []io.Closer{z}}, nil
	}
	return NewWriter(w), nil
}

// Create makes a corpus file, compressed as its name asks.
func Create(name string) (*Writer, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w, err := Compress(f, name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w.close = append(w.close, f)
	return w, nil
}

// Write checks the record and appends it.
func (w *Writer) Write(r Record) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("record %q: %w", r.ID, err)
	}
	line, err := r.Append(w.line[:0])
	if err != nil {
		return err
	}
	w.line = line
	_, err = w.out.Write(line)
	return err
}

// Close writes what is left and closes what the writer opened.
func (w *Writer) Close() error {
	err := w.out.Flush()
	for _, c := range w.close {
		err = errors.Join(err, c.Close())
	}
	return err
}
