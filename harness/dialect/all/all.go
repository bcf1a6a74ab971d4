// Package all is the table of the dialects: the one place that lists them.
package all

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations"
	"replanbench/harness/dialect/orchestrator"
	"replanbench/harness/dialect/planmode"
	"replanbench/harness/dialect/planpatch"
	"replanbench/harness/dialect/trim"
	"replanbench/harness/judge"
)

// Dialects lists the dialects in the order of lists and reports.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{
		planpatch.Dialect(),
		operations.Dialect(),
		orchestrator.Dialect(),
		planmode.Dialect(),
		trim.Dialect(),
	}
}

// Names lists the names of the dialects.
func Names() []string {
	var names []string
	for _, d := range Dialects() {
		names = append(names, d.Name)
	}
	return names
}

// Find returns the dialect of that name.
func Find(name string) (dialect.Dialect, bool) {
	list := Dialects()
	i := slices.IndexFunc(list, func(d dialect.Dialect) bool { return d.Name == name })
	if i < 0 {
		return dialect.Dialect{}, false
	}
	return list[i], true
}

// Source returns a source of a dialect's samples.
func Source(name string, opts generators.Options) (*generators.Source, error) {
	d, ok := Find(name)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q (the dialects are %s)", name, strings.Join(Names(), ", "))
	}
	return d.Source(opts)
}

// At returns one sample of a dialect; see [generators.Source.At].
func At(name string, opts generators.Options, seed, index uint64) (generators.Sample, error) {
	s, err := Source(name, opts)
	if err != nil {
		return generators.Sample{}, err
	}
	return s.At(seed, index), nil
}

// Samples generates samples of a dialect for rapid.Check, which shrinks them.
func Samples(name string, opts generators.Options) *rapid.Generator[generators.Sample] {
	d, _ := Find(name)
	return generators.Samples(d.Generate, opts)
}

// Faults lists the faults of a dialect.
func Faults(name string) []generators.Fault {
	d, _ := Find(name)
	return d.Faults
}

// Rules returns how the outcomes of a dialect are judged.
func Rules(name string) judge.Rules {
	d, _ := Find(name)
	return d.Judging
}

// Checks lists every check once, in the order of the dialects.
func Checks() []judge.Check {
	var list []judge.Check
	for _, d := range Dialects() {
		for _, c := range d.Judging.Checks {
			if !slices.ContainsFunc(list, func(o judge.Check) bool { return o.Name == c.Name }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// IsCheck reports whether a dialect has a check of that name.
func IsCheck(name string) bool {
	return slices.ContainsFunc(Checks(), func(c judge.Check) bool { return c.Name == name })
}
