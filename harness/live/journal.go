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
	"replanbench/harness/document/files"
)

// Journal is the corpus that a run writes. Every reply, and every request that
// failed for good, is in the file before the next step, so that a killed run loses
// none, and on the disk a second later. A later record stands for an earlier one with
// the same key: a request that failed is asked again when the run goes on, and what
// comes of that takes its place.
//
// Only the positions of records are in memory, not their text.
type Journal struct {
	name   string
	file   *os.File
	unlock func() error
	now    func() time.Time

	mu     sync.Mutex
	lines  map[digest]line           // by key
	kept   map[digest]corpora.Record // that could not be written
	other  int                       // lines that no key was read from
	whole  int64                     // bytes of whole lines
	synced time.Time
}

// line is the position of a record in the file.
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
			return nil, fmt.Errorf("%s: a compressed corpus cannot be appended to (name it .jsonl)", name)
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
	j := &Journal{
		name: name, file: f, unlock: unlock, now: now, lines: map[digest]line{},
		kept: map[digest]corpora.Record{}, synced: now(),
	}
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
		return nil, fmt.Errorf("%s exists (continue it with --resume, or name another --corpus)", name)
	case err != nil:
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: not a regular file, so --resume could not continue it (name another --corpus)", name), err, f.Close())
	}
	return f, nil
}

func (j *Journal) read() error {
	r := bufio.NewReader(j.file)
	for {
		text, err := r.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(text) > 0:
			return j.file.Truncate(j.whole) // a line that was cut off
		case errors.Is(err, io.EOF):
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
		j.lines[keyOf(&rec)] = line{at, len(text)}
	}
}

// keyOf returns a hash of a record's key.
func keyOf(r *corpora.Record) digest { return digestOf(r.Key()) }

// Find returns what was recorded for a request: the reply, or the failure.
func (j *Journal) Find(key digest) (rec corpora.Record, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.find(key)
}

func (j *Journal) find(key digest) (rec corpora.Record, ok bool, err error) {
	if rec, ok = j.kept[key]; ok {
		return rec, true, nil
	}
	if _, ok = j.lines[key]; !ok {
		return rec, false, nil
	}
	text, err := j.text(key)
	if err == nil {
		rec, err = corpora.Decode(text)
	}
	if err != nil {
		return rec, false, fmt.Errorf("reading %s: the file changed during the run: %w", j.name, err)
	}
	return rec, true, nil
}

// text returns the line of a record, as in the file.
func (j *Journal) text(key digest) ([]byte, error) {
	if rec, ok := j.kept[key]; ok {
		return rec.Append(nil)
	}
	l := j.lines[key]
	text := make([]byte, l.size)
	_, err := j.file.ReadAt(text, l.at)
	return text, err
}

// each does something with each record, in an order that is always the same.
func (j *Journal) each(do func(*corpora.Record)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(j.lines), digest.compare) {
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
	key := keyOf(&r)
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.file.Write(text)
	if now := j.now(); now.Sub(j.synced) >= syncEvery {
		err, j.synced = errors.Join(err, j.file.Sync()), now
	}
	if err != nil {
		j.kept[key] = r // it was paid for
		return fmt.Errorf("appending to %s: %w", j.name, errors.Join(err, j.file.Truncate(j.whole)))
	}
	j.lines[key] = line{j.whole, len(text)}
	delete(j.kept, key)
	j.whole += int64(len(text))
	return nil
}

// Close closes the file and leaves it to others.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close(), j.unlock()) }

// Arrange rewrites the corpus with the records of the run in the order of its
// cells, behind everything else in the file, so that equal runs give equal
// files whatever came first.
func (j *Journal) arrange(records []placed) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	ours := make(map[digest]bool, len(records))
	for _, r := range records {
		ours[r.Key] = true
	}
	return files.Write(j.name, func(w io.Writer) error { return j.rewrite(w, ours, records) })
}

func (j *Journal) rewrite(to io.Writer, ours map[digest]bool, records []placed) error {
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	r := bufio.NewReader(j.file)
	for {
		text, err := r.ReadBytes('\n')
		if len(text) > 0 {
			if rec, bad := corpora.Decode(text); bad != nil || !ours[keyOf(&rec)] {
				fmt.Fprintf(w, "%s", text) // Flush returns the error
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	for _, placed := range records {
		rec, ok, err := j.find(placed.Key)
		if err == nil && !ok {
			err = errors.New("a record of the run is lost")
		}
		if err != nil {
			return err
		}
		text, err := rec.Append(nil)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Source returns the run's records as a corpus to be scored.
func (j *Journal) Source(name string, records []placed) corpora.Source {
	return corpora.Source{Name: name, Open: func() (io.ReadCloser, error) {
		return &lines{journal: j, left: records},
			nil
	}}
}

// lines reads records one after the other.
type lines struct {
	journal *Journal
	left    []placed
	rest    []byte // of the line that is being read
}

func (l *lines) Read(p []byte) (n int, err error) {
	if len(l.rest) == 0 {
		if len(l.left) == 0 {
			return 0, io.EOF
		}
		l.journal.mu.Lock()
		l.rest, err = l.journal.text(l.left[0].Key)
		l.journal.mu.Unlock()
		if err != nil {
			return 0, err
		}
		l.left = l.left[1:]
	}
	n = copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) Close() error { return nil }
