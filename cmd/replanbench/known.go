package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness/dialect/all"
	"replanbench/harness/finding"
	"replanbench/harness/suite"
	"replanbench/reports/escape"
)

// knownFlags are the flags for failures that are known.
type knownFlags struct {
	read  string
	write string
}

func (f *knownFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.read, "known", "", "a `FILE` of known failures, which fail nothing: pattern  # reason")
	cmd.Flags().StringVar(&f.write, "write-known", "", "write the failures to a new `FILE`, to be used with --known")
}

// load reads the known failures, if any.
func (f *knownFlags) load(e env) (finding.Baseline, error) {
	switch {
	case f.read != "" && f.write != "":
		return finding.Baseline{}, usagef("--known and --write-known exclude each other")
	case f.write != "":
		if err := mayWrite(f.write, false); err != nil {
			return finding.Baseline{}, err
		}
		return finding.Baseline{}, writable(f.write)
	case f.read == "":
		return finding.Baseline{}, nil
	}
	data, err := readInput(e, f.read)
	if err != nil {
		return finding.Baseline{}, err
	}
	b, err := finding.ParseBaseline(f.read, data)
	if err != nil {
		return b, usageError(err)
	}
	return b, nil
}

// save writes the failures as known.
func (f *knownFlags) save(e env, results []suite.Result) error {
	n := 0
	err := writeFile(f.write, func(w io.Writer) (err error) {
		n, err = suite.WriteKnown(w, results)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d failures written to %s; say in each line why it is known, or mend it\n", n, escape.Terminal(f.write))
	return nil
}

// command is the command line of a run with these failures known.
func (f *knownFlags) command(paths []string, engine engineFlags) string {
	args := append([]string{"run"}, paths...)
	if f.read != "" {
		args = append(args, "--known", f.read)
	}
	return escape.Shell(append(args, engine.again()...)...)
}

// ofScenarios leaves out the entries that name findings: in a list for both,
// they are none of the scenarios' business.
func ofScenarios(entries []finding.Entry) []finding.Entry {
	return slices.DeleteFunc(entries, namesFindings)
}

// ofFindings keeps those entries only.
func ofFindings(entries []finding.Entry) []finding.Entry {
	return slices.DeleteFunc(entries, func(e finding.Entry) bool { return !namesFindings(e) })
}

// namesFindings reports whether the second part of a pattern is an invariant,
// as it is in the names of findings.
func namesFindings(e finding.Entry) bool {
	parts := strings.Split(e.Pattern, "/")
	return len(parts) > 1 && all.IsCheck(parts[1])
}
