package generators

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

type byName struct {
	name   string
	faults func() []Fault
	maker  func(Options) (Maker, error)
}

func table() []byName {
	return []byName{
		{"planpatch", patchFaultList, newPatchMaker},
		{"operations", updateFaultList, newUpdateMaker},
		{"orchestrator", runFaultList, newRunMaker},
		{"planmode", sessionFaultList, newSessionMaker},
		{"trim", trimFaults, newTrimMaker},
	}
}

// Dialects lists the dialects that samples can be made for.
func Dialects() []string {
	var names []string
	for _, d := range table() {
		names = append(names, d.name)
	}
	return names
}

// Faults lists the faults of a dialect in the order of their families.
func Faults(dialect string) []Fault {
	for _, d := range table() {
		if d.name == dialect {
			return d.faults()
		}
	}
	return nil
}

// New returns a source.
func New(dialect string, opts Options) (*Source, error) {
	for _, d := range table() {
		if d.name == dialect {
			m, err := d.maker(opts)
			if err != nil {
				return nil, err
			}
			return NewSource(m), nil
		}
	}
	return nil, fmt.Errorf("there is no generator for the dialect %q (there are some for %s)", dialect, strings.Join(Dialects(), ", "))
}

// At returns one sample of a dialect; see [Source.At].
func At(dialect string, opts Options, seed, index uint64) (Sample, error) {
	s, err := New(dialect, opts)
	if err != nil {
		return Sample{}, err
	}
	return s.At(seed, index), nil
}

// SamplesOf generates samples.
func SamplesOf(dialect string, opts Options) *rapid.Generator[Sample] {
	for _, d := range table() {
		if d.name == dialect {
			return Samples(d.maker, opts)
		}
	}
	return nil
}
