package corpora

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/klauspost/compress/zstd"

	"replanbench/harness"
)

// Writer writes a corpus.
type Writer struct {
	out  *bufio.Writer
	zip  io.Closer // nil: no compression
	line []byte
}

// NewWriter returns a writer to w. The extension of the name (.gz, .zst) selects the
// compression. Close does not close w.
func NewWriter(w io.Writer, name string) (*Writer, error) {
	var zip io.WriteCloser
	switch {
	case strings.HasSuffix(name, ".gz"):
		zip = gzip.NewWriter(w)
	case strings.HasSuffix(name, ".zst"):
		var err error
		if zip, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedBestCompression)); err != nil {
			return nil, err
		}
	default:
		return &Writer{out: bufio.NewWriterSize(w, 64<<10)}, nil
	}
	return &Writer{out: bufio.NewWriterSize(zip, 64<<10), zip: zip}, nil
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

// Close flushes the writer.
func (w *Writer) Close() error {
	err := w.out.Flush()
	if w.zip != nil {
		err = errors.Join(err, w.zip.Close())
	}
	return err
}

// WriteAll writes records as a corpus with the given file name. It reports and counts
// skipped records. Any other error ends it.
func WriteAll(ctx context.Context, to io.Writer, name string, records iter.Seq2[Record, error],
	skipped func(*Problem),
) (n int, err error) {
	w, err := NewWriter(to, name)
	if err != nil {
		return 0, err
	}
	for r, err := range records {
		if p, ok := err.(*Problem); ok {
			skipped(p)
			continue
		}
		if err != nil {
			return n, harness.Mistaken(err)
		}
		if err := cmp.Or(ctx.Err(), w.Write(r)); err != nil {
			return n, err
		}
		n++
	}
	return n, w.Close()
}
