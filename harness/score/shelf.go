package score

import (
	"errors"
	"fmt"
	"os"
)

// maxOnHand is how many bytes of texts a shelf holds in memory.
const maxOnHand = 256 << 10

// shelf keeps texts until they are asked for: the last of them in memory, the others in
// a temporary file, since there may be any number. Its zero value is empty.
type shelf struct {
	file *os.File // nil while all are in memory
	size int64    // of the file
	last []byte   // what comes behind it
}

// put returns where the text stands.
func (s *shelf) put(text string) (at int64, err error) {
	if len(s.last)+len(text) > maxOnHand && len(s.last) > 0 {
		if err := s.flush(); err != nil {
			return 0, fmt.Errorf("keeping the replies of retries (set TMPDIR to a directory with more room): %w", err)
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

// get returns the text of that length that stands there; none is put any more.
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
