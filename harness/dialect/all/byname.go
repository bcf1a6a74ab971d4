package all

import (
	"fmt"
	"replanbench/generators"
	operations "replanbench/harness/dialect/operations/generate"
	orchestrator "replanbench/harness/dialect/orchestrator/generate"
	planmode "replanbench/harness/dialect/planmode/generate"
	planpatch "replanbench/harness/dialect/planpatch/generate"
	trim "replanbench/harness/dialect/trim/generate"
	"strings"

	"pgregory.net/rapid"
)

type byName struct {
	name   string
	faults func() []generators.Fault
	maker  func(generators.Options) (generators.Maker, error)
}

func table() []byName {
	return []byName{
		{"planpatch", planpatch.Faults, planpatch.New},
		{"operations", operations.Faults, operations.New},
		{"orchestrator", orchestrator.Faults, orchestrator.New},
		{"planmode", planmode.Faults, planmode.New},
		{"trim", trim.Faults, trim.New},
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
func Faults(dialect string) []generators.Fault {
	for _, d := range table() {
		if d.name == dialect {
			return d.faults()
		}
	}
	return nil
}

// New returns a source.
func New(dialect string, opts generators.Options) (*generators.Source, error) {
	for _, d := range table() {
		if d.name == dialect {
			m, err := d.maker(opts)
			if err != nil {
				return nil, err
			}
			return generators.NewSource(m), nil
		}
	}
	return nil, fmt.Errorf("there is no generator for the dialect %q (there are some for %s)", dialect, strings.Join(Dialects(), ", "))
}

// At returns one sample of a dialect; see [Source.At].
func At(dialect string, opts generators.Options, seed, index uint64) (generators.Sample, error) {
	s, err := New(dialect, opts)
	if err != nil {
		return generators.Sample{}, err
	}
	return s.At(seed, index), nil
}

// SamplesOf generates samples.
func SamplesOf(dialect string, opts generators.Options) *rapid.Generator[generators.Sample] {
	for _, d := range table() {
		if d.name == dialect {
			return generators.Samples(d.maker, opts)
		}
	}
	return nil
}
