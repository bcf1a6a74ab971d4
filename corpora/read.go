package corpora

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"replanbench/harness/document/strictjson"
)

// MaxLine is the maximum length of a line in bytes. The package skips longer lines without
// storing them.
const MaxLine = 16 << 20

// batchSize is the size of a batch in bytes, unless a line is longer.
const batchSize = 256 << 10

// Source is a corpus that can be opened several times.
type Source struct {
	Name string // for messages
	Open func() (io.ReadCloser, error)
}

// File returns the corpus in a file.
func File(name string) Source {
	return Source{name, func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: no such file", name)
		case err != nil:
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			f.Close()
			return nil, fmt.Errorf("%s: is a directory (name a corpus file, or import its files: replanbench corpus import "+
				"text %s)", name, name)
		}
		return f, nil
	}}
}

// Problem is a skipped line, or a file that cannot be read to its end.
type Problem struct {
	Source string
	Line   int // from 1; 0: the whole file
	Column int // in bytes from 1; 0: the whole line
	Text   string
}

func (p *Problem) Error() string {
	switch {
	case p.Line == 0:
		return p.Source + ": " + strings.TrimPrefix(p.Text, p.Source+": ")
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.Source, p.Line, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Source, p.Line, p.Column, p.Text)
}

// Batch is a sequence of whole lines. Batches can be decoded in any order.
type Batch struct {
	Source string
	Line   int // number of the first line
	Data   []byte
	// Problem, if not nil, comes after the lines: a line that is too long, or the end of a
	// damaged file.
	Problem *Problem
}

// Entry is a line of a corpus: a record, or the problem with it.
type Entry struct {
	Line    int
	Record  Record
	Problem *Problem
	Named   bool // the line has a problem but names its case; see [CaseOf]
}

// Entries decodes the lines of the batch, or only the lines that keep accepts if it is not
// nil. It skips blank lines.
func (b Batch) Entries(keep func(line []byte) bool) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for line, text := range b.Lines() {
			if keep != nil && !keep(text) {
				continue
			}
			e := Entry{Line: line}
			var err error
			if e.Record, err = Decode(text); err != nil {
				e.Problem = b.problem(line, err)
				_, e.Named = CaseOf(text)
			}
			if !yield(e) {
				return
			}
		}
		if b.Problem != nil {
			yield(Entry{Line: b.Problem.Line, Problem: b.Problem})
		}
	}
}

// Lines yields the lines of the batch with their numbers, for readers of other formats. It
// skips blank lines.
func (b Batch) Lines() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		line := b.Line
		for text := range bytes.Lines(b.Data) {
			if text = bytes.TrimSpace(text); len(text) > 0 && !yield(line, text) {
				return
			}
			line++
		}
	}
}

func (b Batch) problem(line int, err error) *Problem {
	if err == nil {
		return nil
	}
	p := &Problem{Source: b.Source, Line: line}
	p.Column, p.Text = explain(err)
	return p
}

// explain converts an error of the JSON library to a column and a sentence.
func explain(err error) (column int, text string) {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		return int(syntactic.ByteOffset) + 1, "not JSON: " + strictjson.Syntax(syntactic) + at(syntactic.JSONPointer)
	case errors.As(err, &semantic):
		want := "the value has the wrong type"
		switch {
		case semantic.Err != nil:
			want = semantic.Err.Error()
		case semantic.GoType != nil:
			want = "the value must be " + plainType(semantic.GoType.String())
		}
		return int(semantic.ByteOffset) + 1, want + at(semantic.JSONPointer)
	}
	return 0, err.Error()
}

func at(p jsontext.Pointer) string {
	if p == "" {
		return ""
	}
	return " at " + string(p)
}

// plainType returns the JSON name of a Go type.
func plainType(name string) string {
	switch {
	case strings.Contains(name, "int"):
		return "an integer"
	case strings.Contains(name, "string"):
		return "a string"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	}
	return "an object"
}

// Records reads the corpus record by record. Each step yields a record or an error: a
// *[Problem] for a skipped line, or a final error if the corpus cannot be opened.
func (s Source) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for batch, err := range s.Batches() {
			if err != nil {
				yield(Record{}, err)
				return
			}
			for e := range batch.Entries(nil) {
				if e.Problem != nil && !yield(Record{}, e.Problem) {
					return
				}
				if e.Problem == nil && !yield(e.Record, nil) {
					return
				}
			}
		}
	}
}

// Batches reads the corpus in batches of lines, with memory for one batch only. It yields
// an error only if the corpus cannot be opened, and no batch then.
func (s Source) Batches() iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		f, err := s.Open()
		if err != nil {
			yield(Batch{}, err)
			return
		}
		defer f.Close()
		text, err := decompress(f)
		if err != nil {
			yield(Batch{Source: s.Name, Line: 1, Problem: &Problem{Source: s.Name, Text: err.Error()}}, nil)
			return
		}
		defer text.Close()
		sp := splitter{source: s.Name, in: text, line: 1}
		for !sp.done {
			if b := sp.next(); !yield(b, nil) {
				return
			}
		}
	}
}

// Text opens the corpus and decompresses it.
func (s Source) Text() (io.ReadCloser, error) {
	f, err := s.Open()
	if err != nil {
		return nil, err
	}
	text, err := decompress(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{text, f}, nil
}

// Compressed reports whether the beginning of a file is one of a compressed corpus.
func Compressed(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic()) || bytes.HasPrefix(head, zstdMagic())
}

func gzipMagic() []byte { return []byte{0x1f, 0x8b} }
func zstdMagic() []byte { return []byte{0x28, 0xb5, 0x2f, 0xfd} }

// decompress detects the compression by the first bytes, because file names can be wrong.
func decompress(r io.Reader) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading: %w", err)
	}
	switch {
	case len(head) == 0:
		return nil, errors.New("the file is empty (a corpus has one JSON record per line)")
	case bytes.HasPrefix(head, gzipMagic()):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("damaged gzip file: %w", err)
		}
		return plain(z), nil
	case bytes.HasPrefix(head, zstdMagic()):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("damaged zstd file: %w", err)
		}
		return plain(z.IOReadCloser()), nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, errors.New("a zip archive is not a corpus (unpack it; replanbench corpus import inspect reads .eval " +
			"logs directly)")
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return nil, errors.New("the file is UTF-16 (save it as UTF-8)")
	}
	return plain(io.NopCloser(in)), nil
}

// plain drops a byte order mark.
func plain(r io.ReadCloser) io.ReadCloser {
	in := bufio.NewReaderSize(r, 64<<10)
	if head, _ := in.Peek(3); string(head) == "\ufeff" {
		_, _ = in.Discard(3) // they were peeked
	}
	return struct {
		io.Reader
		io.Closer
	}{in, r}
}

// splitter cuts a stream into batches of whole lines.
type splitter struct {
	source string
	in     io.Reader
	line   int    // number of the next line
	rest   []byte // its beginning, already read
	done   bool
}

// next returns the next batch; after the last one it sets done.
func (s *splitter) next() Batch {
	buf := make([]byte, min(max(batchSize, 2*len(s.rest)), MaxLine+1))
	n := copy(buf, s.rest)
	s.rest = nil
	for {
		m, err := fill(s.in, buf[n:])
		n += m
		if err != nil {
			return s.last(buf[:n], err)
		}
		if end := bytes.LastIndexByte(buf, '\n') + 1; end > 0 {
			s.rest = buf[end:]
			return s.batch(buf[:end], nil)
		}
		if n > MaxLine {
			return s.skip(n)
		}
		buf = slices.Concat(buf, make([]byte, min(n, MaxLine+1-n)))
	}
}

// fill reads until buf is full. Unlike io.ReadFull it returns the reader's own error, which
// distinguishes a complete file from a truncated one.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

func (s *splitter) batch(data []byte, p *Problem) Batch {
	b := Batch{s.source, s.line, data, p}
	s.line += bytes.Count(data, []byte{'\n'})
	return b
}

// last ends the stream. It drops the truncated last line of a damaged file.
func (s *splitter) last(data []byte, err error) Batch {
	s.done = true
	if errors.Is(err, io.EOF) {
		return s.batch(data, nil)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	b := s.batch(data, nil)
	b.Problem = &Problem{
		Source: s.source, Line: s.line,
		Text: fmt.Sprintf("the file is damaged or cut off here: %v (the lines before were read)", err),
	}
	return b
}

// skip skips a line that is too long.
func (s *splitter) skip(n int) Batch {
	size, buf := n, make([]byte, batchSize)
	for {
		m, err := s.in.Read(buf)
		if end := bytes.IndexByte(buf[:m], '\n'); end >= 0 {
			size += end
			s.rest = buf[end+1 : m]
			break
		}
		size += m
		if err != nil {
			s.done = true
			break
		}
	}
	p := &Problem{Source: s.source, Line: s.line, Text: fmt.Sprintf(
		"skipped a line of %.1f MiB (the limit is %d MiB)", float64(size)/(1<<20), MaxLine>>20)}
	b := Batch{Source: s.source, Line: s.line, Problem: p}
	s.line++
	return b
}
