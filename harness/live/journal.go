package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"replanbench/corpora"
	"replanbench/harness/files"
)

// Journal is the corpus that a run writes. Every reply, and every request that
// failed for good, is appended as it comes and is on the disk before the next
// step, so that a killed run loses none. A later record stands for an earlier
// one with the same key: a request that failed is asked again when the run goes
// on, and what comes of that takes its place.
type Journal struct {
	name   string
	file   *os.File
	unlock func() error

	mu      sync.Mutex
	records map[string]corpora.Record // by key
	other   int                       // lines that no key was read from
	whole   int64                     // bytes of whole lines
}

// OpenJournal opens a corpus to append to, and keeps it for this process. One that exists is refused unless
// the run goes on with it; what is left of a line that was cut off is removed.
func OpenJournal(name string, resume bool) (*Journal, error) {
	for _, ext := range []string{".gz", ".zst"} {
		if strings.HasSuffix(name, ext) {
			return nil, fmt.Errorf("%s: replies are appended one by one, which a compressed corpus cannot do (name it .jsonl)", name)
		}
	}
	unlock, err := files.Lock(name, "replanbench live")
	if err != nil {
		return nil, err
	}
	f, err := openJournal(name, resume)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	j := &Journal{name: name, file: f, unlock: unlock, records: map[string]corpora.Record{}}
	if err := j.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), j.Close())
	}
	return j, nil
}

func openJournal(name string, resume bool) (*os.File, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
	if !resume {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(name, flags, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s exists (go on with it by --resume, or name another --corpus)", name)
	case err != nil:
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: is no ordinary file, so a run could not go on with it (name another --corpus)", name), err, f.Close())
	}
	return f, nil
}

func (j *Journal) read() error {
	r := bufio.NewReader(j.file)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) > 0:
			return j.file.Truncate(j.whole) // a line that was cut off
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		j.whole += int64(len(line))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		rec, err := corpora.Decode(line)
		if err != nil {
			j.other++
			continue
		}
		j.records[rec.Key()] = rec
	}
}

// Find returns what was recorded for a request: the reply, or the failure.
func (j *Journal) Find(key string) (corpora.Record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r, ok := j.records[key]
	return r, ok
}

// all returns the records that the journal has, in an order that is always the
// same.
func (j *Journal) all() []corpora.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []corpora.Record
	for _, k := range slices.Sorted(maps.Keys(j.records)) {
		list = append(list, j.records[k])
	}
	return list
}

// Append writes a record.
func (j *Journal) Append(r corpora.Record) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("record %q: %w", r.ID, err)
	}
	line, err := r.Append(nil)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records[r.Key()] = r // though it could not be written: it was paid for
	_, err = j.file.Write(line)
	if err := errors.Join(err, j.file.Sync()); err != nil {
		return fmt.Errorf("appending to %s: %w", j.name, errors.Join(err, j.file.Truncate(j.whole)))
	}
	j.whole += int64(len(line))
	return nil
}

// Close closes the file and leaves it to others.
func (j *Journal) Close() error { return errors.Join(j.file.Close(), j.unlock()) }

// Arrange rewrites the corpus with the records of the run in the order of its
// cells, behind everything else in the file, so that equal runs give equal
// files whatever came first. keys are those of the run's records.
func (j *Journal) Arrange(keys []string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	ours := make(map[string]bool, len(keys))
	for _, k := range keys {
		ours[k] = true
	}
	return files.Write(j.name, func(w io.Writer) error { return j.rewrite(w, ours, keys) })
}

func (j *Journal) rewrite(to io.Writer, ours map[string]bool, keys []string) error {
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	r := bufio.NewReader(j.file)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if rec, bad := corpora.Decode(line); bad != nil || !ours[rec.Key()] {
				fmt.Fprintf(w, "%s", line) // Flush tells of an error
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := j.write(w, keys); err != nil {
		return err
	}
	return w.Flush()
}

// write writes the records with these keys.
func (j *Journal) write(to io.Writer, keys []string) error {
	for _, k := range keys {
		rec, ok := j.records[k]
		if !ok {
			return fmt.Errorf("the record %s is lost", k)
		}
		line, err := rec.Append(nil)
		if err != nil {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Source returns the run's records as a corpus to be scored.
func (j *Journal) Source(name string, keys []string) corpora.Source {
	return corpora.Source{Name: name, Open: func() (io.ReadCloser, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		var b bytes.Buffer
		if err := j.write(&b, keys); err != nil {
			return nil, err
		}
		return io.NopCloser(&b), nil
	}}
}
