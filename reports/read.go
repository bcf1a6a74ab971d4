package reports

import (
	"fmt"
	"io"
	"iter"
	"runtime"
)

// Input is a file of reports, one after another.
type Input struct {
	Name string // for errors
	Open func() (io.ReadCloser, error)
}

// stored is a report in an input.
type stored struct {
	where  string
	text   []byte
	report *Report
	err    error
}

// AddAll adds the reports of the inputs, each of at most `most` bytes. Errors contain the name of
// the input. Decoding takes longer than merging, so as many reports are decoded at a time as there
// are processors.
func (m *Merger) AddAll(inputs []Input, most int64) error {
	waiting, stop := make(chan chan stored, runtime.GOMAXPROCS(0)), make(chan struct{})
	defer close(stop)
	go func() {
		defer close(waiting)
		for s := range texts(inputs, most) {
			done := make(chan stored, 1)
			go func() { done <- s.decoded() }()
			select {
			case waiting <- done:
			case <-stop:
				return
			}
		}
	}()
	for done := range waiting { // in the order of the inputs
		s := <-done
		if s.err != nil {
			return s.err
		}
		if err := m.Add(s.where, s.report); err != nil {
			return fmt.Errorf("merge the reports: %w", err)
		}
	}
	return nil
}

// texts reads the inputs one after the other, and stops after an error.
func texts(inputs []Input, most int64) iter.Seq[stored] {
	return func(yield func(stored) bool) {
		for _, input := range inputs {
			if !input.texts(most, yield) {
				return
			}
		}
	}
}

// texts reports whether all reports were read and more may follow.
func (i Input) texts(most int64, yield func(stored) bool) bool {
	in, err := i.Open()
	if err != nil {
		yield(stored{err: err})
		return false
	}
	defer in.Close()
	n := 0
	for text, err := range split(in, most) {
		where := i.Name
		if n++; n > 1 {
			where = fmt.Sprintf("%s, report %d", where, n)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", where, err)
		}
		if !yield(stored{where: where, text: text, err: err}) || err != nil {
			return false
		}
	}
	return true
}

func (s stored) decoded() stored {
	if s.err != nil {
		return s
	}
	if s.report, s.err = Decode(s.text); s.err != nil {
		s.err = fmt.Errorf("%s: %w", s.where, s.err)
	}
	return s
}
