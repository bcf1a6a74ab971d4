package score

import (
	"errors"
	"fmt"
	"os"
)

// maxOnHand limits the bytes that a shelf keeps in memory.
const maxOnHand = 256 << 10

// shelf stores any number of texts: the last ones in memory, the others in a temporary
// file. The zero value is empty.
type shelf struct {
	file *os.File // nil if all texts are in memory
	size int64    // of the file
	last []byte   // the texts after the file
}

// put stores a text and returns its position.
func (s *shelf) put(text string) (at int64, err error) {
	if len(s.last)+len(text) > maxOnHand && len(s.last) > 0 {
		if err := s.flush(); err != nil {
			return 0, fmt.Errorf("storing the replies of retries (set TMPDIR to a directory with more space): %w", err)
		}
	}
	at = s.size + int64(len(s.last))
	s.last = append(s.last, text...)
	return at, nil
}

func (s *shelf) flush() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "replanbench-retries-"); err != nil {
			return err
		}
	}
	n, err := s.file.Write(s.last)
	s.size, s.last = s.size+int64(n), s.last[:0]
	return err
}

// get returns the text of that length at a position. No put may follow.
func (s *shelf) get(at int64, length int) (string, error) {
	if at >= s.size {
		at -= s.size
		return string(s.last[at : at+int64(length)]), nil
	}
	text := make([]byte, length)
	_, err := s.file.ReadAt(text, at)
	return string(text), err
}

func (s *shelf) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// maxCached limits the bytes of texts in a cache. Prompts and plans have any size, so their
// number would not bound the memory.
const maxCached = 1 << 20

// cache stores values computed from texts, because many records share a text. A full cache
// is cleared. It does not store texts larger than its limit. The zero value is ready to
// use.
type cache[V any] struct {
	values map[string]V
	size   int
}

// get returns the value of a text. It calls from if the value is not cached.
func (c *cache[V]) get(text []byte, from func() V) V {
	if v, ok := c.values[string(text)]; ok {
		return v
	}
	v := from()
	if len(text) > maxCached {
		return v
	}
	if c.size += len(text); c.values == nil || c.size > maxCached {
		c.values, c.size = map[string]V{}, len(text)
	}
	c.values[string(text)] = v
	return v
}
