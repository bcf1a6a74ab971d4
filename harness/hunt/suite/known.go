package suite

import (
	"fmt"
	"strings"
	"unicode"

	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/hunt/finding"
	"replanbench/scenarios"
)

// ApplyKnown gives failures that a baseline knows the status known, and
// scenarios that it names one by one and that pass the status fixed. It returns
// the entries that match no failure at all.
func ApplyKnown(results []Result, known finding.Baseline) []finding.Entry {
	var failing []string
	for i := range results {
		r := &results[i]
		entry, ok := known.Find(r.Scenario.ID)
		switch r.Status {
		case harness.Pass:
			if r.Wider != "" { // a list of a wider level may name it
				failing = append(failing, r.Scenario.ID)
				continue
			}
			if ok && !entry.Before && entry.Pattern == r.Scenario.ID {
				r.Status = harness.Fixed
				r.Reason = fmt.Sprintf("it passes, but line %d of the known failures lists it (delete it there)", entry.Line)
				failing = append(failing, r.Scenario.ID) // reported here, not as unused
			}
		case harness.NotSupported, harness.NotRun:
		default:
			failing = append(failing, r.Scenario.ID)
			if ok {
				r.Status, r.Reason = harness.Known, entry.Reason
			}
		}
	}
	return known.Unused(failing)
}

// Failing lists what fails, as the entries of a list of known failures. A reason is a beginning:
// people have to write it.
func Failing(results []Result) (list []finding.Entry) {
	for _, r := range results {
		switch r.Status {
		case harness.Pass, harness.NotSupported, harness.NotRun:
			continue
		}
		list = append(list, finding.Entry{Pattern: Pattern(r.Scenario.ID), Reason: symptom(r)})
	}
	return list
}

// Pattern returns a pattern that matches an id, which is a path and may contain what
// has a meaning in a baseline.
func Pattern(id string) string {
	var b strings.Builder
	for _, r := range id {
		switch {
		case strings.ContainsRune(`*?[\`, r):
			b.WriteRune('\\')
			b.WriteRune(r)
		case strings.ContainsRune("#{},", r) || unicode.IsSpace(r) || !unicode.IsPrint(r):
			b.WriteByte('?') // cannot be written down, so any character will do
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// symptom says on one line how a scenario fails.
func symptom(r Result) string {
	if len(r.Differences) == 0 {
		return string(r.Status)
	}
	var at []string
	for _, d := range r.Differences {
		at = append(at, d.Pointer)
	}
	const most = 3
	if len(at) > most {
		at = append(at[:most], "…")
	}
	line := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.Join(at, ", "))
	return fmt.Sprintf("%s at %s; why?", r.Status, line)
}

// Update rewrites the files of the scenarios that failed so that they expect what
// the engine gave, and returns the files.
func Update(results []Result) (rewritten []string, err error) {
	for _, r := range results {
		if r.Status != harness.Fail {
			continue
		}
		if scenarios.InYAML(r.Scenario.File) {
			return rewritten, harness.Mistakef("%s: only scenarios in files that end in .txtar are rewritten; change its want "+
				"by hand", r.Scenario.File)
		}
		if err := files.WriteData(r.Scenario.File, r.Scenario.WithWant(r.Outcome).Format()); err != nil {
			return rewritten, err
		}
		rewritten = append(rewritten, r.Scenario.File)
	}
	return rewritten, nil
}
