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
	"time"

	"replanbench/corpora"
	"replanbench/harness/files"
)

// Journal is the corpus that a run writes. Every reply, and every request that
// failed for good, is in the file before the next step, so that a killed run loses
// none, and on the disk a second later. A later record stands for an earlier one with
// the same key: a request that failed is asked again when the run goes on, and what
// comes of that takes its place.
//
// In memory is where the records stand, and not what they say.
type Journal struct {
	name   string
	file   *os.File
	unlock func() error
	now    func() time.Time

	mu     sync.Mutex
	lines  map[string]line           // by key
	kept   map[string]corpora.Record // that could not be written
	other  int                       // lines that no key was read from
	whole  int64                     // bytes of whole lines
	synced time.Time
}

// line is where a record stands in the file.
type line struct {
	at   int64
	size int
}

// syncEvery is how long a record may wait for the disk.
const syncEvery = time.Second

// OpenJournal opens a corpus to append to, and keeps it for this process. One that exists is refused unless
// the run goes on with it; what is left of a line that was cut off is removed.
func OpenJournal(name string, resume bool, now func() time.Time) (*Journal, error) {
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
	j := &Journal{name: name, file: f, unlock: unlock, now: now, lines: map[string]line{}, kept: map[string]corpora.Record{}, synced: now()}
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
	for {
		text, err := r.ReadBytes('\n')
		switch {
		case err == io.EOF && len(text) > 0:
			return j.file.Truncate(j.whole) // a line that was cut off
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		at := j.whole
		j.whole += int64(len(text))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		rec, err := corpora.Decode(text)
		if err != nil {
			j.other++
			continue
		}
		j.lines[rec.Key()] = line{at, len(text)}
	}
}

// Find returns what was recorded for a request: the reply, or the failure.
func (j *Journal) Find(key string) (rec corpora.Record, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.find(key)
}

func (j *Journal) find(key string) (rec corpora.Record, ok bool, err error) {
	if rec, ok = j.kept[key]; ok {
		return rec, true, nil
	}
	l, ok := j.lines[key]
	if !ok {
		return rec, false, nil
	}
	text := make([]byte, l.size)
	if _, err = j.file.ReadAt(text, l.at); err == nil {
		rec, err = corpora.Decode(text)
	}
	if err != nil {
		return rec, false, fmt.Errorf("reading %s again: %w (did something else write to it?)", j.name, err)
	}
	return rec, true, nil
}

// each does something with each record, in an order that is always the same.
func (j *Journal) each(do func(*corpora.Record)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(j.lines)) {
		rec, _, err := j.find(k)
		if err != nil {
			return err
		}
		do(&rec)
	}
	return nil
}

// Append writes a record.
func (j *Journal) Append(r corpora.Record) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("record %q: %w", r.ID, err)
	}
	text, err := r.Append(nil)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.file.Write(text)
	if now := j.now(); now.Sub(j.synced) >= syncEvery {
		err, j.synced = errors.Join(err, j.file.Sync()), now
	}
	if err != nil {
		j.kept[r.Key()] = r // it was paid for
		return fmt.Errorf("appending to %s: %w", j.name, errors.Join(err, j.file.Truncate(j.whole)))
	}
	j.lines[r.Key()] = line{j.whole, len(text)}
	delete(j.kept, r.Key())
	j.whole += int64(len(text))
	return nil
}

// Close closes the file and leaves it to others.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close(), j.unlock()) }

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
		text, err := r.ReadBytes('\n')
		if len(text) > 0 {
			if rec, bad := corpora.Decode(text); bad != nil || !ours[rec.Key()] {
				fmt.Fprintf(w, "%s", text) // Flush tells of an error
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
		text, err := j.text(k)
		if err != nil {
			return err
		}
		if _, err := to.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// text is the record with a key as a line.
func (j *Journal) text(key string) ([]byte, error) {
	rec, ok, err := j.find(key)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("the record %s is lost", key)
	}
	return rec.Append(nil)
}

// Source returns the run's records as a corpus to be scored.
func (j *Journal) Source(name string, keys []string) corpora.Source {
	return corpora.Source{Name: name, Open: func() (io.ReadCloser, error) { return &lines{journal: j, keys: keys}, nil }}
}

// lines reads records one after the other.
type lines struct {
	journal *Journal
	keys    []string
	rest    []byte // of the line that is being read
}

func (l *lines) Read(p []byte) (n int, err error) {
	if len(l.rest) == 0 {
		if len(l.keys) == 0 {
			return 0, io.EOF
		}
		l.journal.mu.Lock()
		l.rest, err = l.journal.text(l.keys[0])
		l.journal.mu.Unlock()
		if err != nil {
			return 0, err
		}
		l.keys = l.keys[1:]
	}
	n = copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) Close() error { return nil }
