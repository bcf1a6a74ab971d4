package finding

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/judge"
)

// Baseline is a list of failures and findings that are known and no news.
//
// It is a text file. Each line has a pattern and, behind " # ", the reason or
// the address where it is told; blank lines and lines that begin with # are
// passed over:
//
//	planpatch/no-silent-loss/*    # the engine has no warnings yet
//	planpatch/conflicts/**        # https://example.com/tickets/12
//
// A pattern names scenarios by their ids and findings by dialect, invariant
// and fingerprint. As in paths, * stands for anything within one part and **
// for any number of parts. A pattern that matches nothing is an error in a
// gate, and so is a known failure that passes: otherwise the list would rot.
type Baseline struct {
	entries []Entry
}

// Entry is one line of a baseline.
type Entry struct {
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
	Line    int    `json:"line"` // from 1
	// Before: the pattern is the name of what an earlier run found. It may be gone.
	Before bool `json:"-"`
}

// With returns the baseline with the names of what an earlier run found behind it.
func (b Baseline) With(names []string, reason string) Baseline {
	entries := slices.Clone(b.entries)
	for _, name := range names {
		entries = append(entries, Entry{Pattern: name, Reason: reason, Before: true})
	}
	return Baseline{entries: entries}
}

// ParseBaseline reads a baseline. Errors name the file, the line and what to
// write instead.
func ParseBaseline(name string, data []byte) (Baseline, error) {
	var b Baseline
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, reason, _ := strings.Cut(line, "#")
		e := Entry{Pattern: strings.TrimSpace(pattern), Reason: strings.TrimSpace(reason), Line: i + 1}
		if e.Reason == "" {
			return Baseline{}, fmt.Errorf("%s:%d: the pattern %q has no reason (write: pattern  # why it is known, or an "+
				"address)", name, e.Line, e.Pattern)
		}
		if _, err := path.Match(e.Pattern, ""); err != nil || strings.ContainsAny(e.Pattern, " \t") {
			return Baseline{}, fmt.Errorf("%s:%d: %q is no pattern (a pattern is a path in which * and ** may stand)", name,
				e.Line, e.Pattern)
		}
		b.entries = append(b.entries, e)
	}
	return b, nil
}

// Find returns the first entry whose pattern matches the name.
func (b Baseline) Find(name string) (Entry, bool) {
	i := slices.IndexFunc(b.entries, func(e Entry) bool { return e.Matches(name) })
	if i < 0 {
		return Entry{}, false
	}
	return b.entries[i], true
}

// Unused returns the entries whose pattern matches none of the names.
func (b Baseline) Unused(names []string) []Entry {
	return slices.DeleteFunc(slices.Clone(b.entries), func(e Entry) bool {
		return e.Before || slices.ContainsFunc(names, e.Matches)
	})
}

// NamesFinding reports whether the second part of the pattern is a class, as in the names of
// causes, or a check, as in the names of findings. Another seed may not show it.
func (e Entry) NamesFinding() bool {
	parts := strings.Split(e.Pattern, "/")
	return len(parts) > 1 && (judge.Class(parts[1]).Rank() >= 0 || all.IsCheck(parts[1]))
}

// Matches reports whether the entry's pattern matches a name.
func (e Entry) Matches(name string) bool {
	if e.Before {
		return e.Pattern == name
	}
	pattern, parts := strings.Split(e.Pattern, "/"), strings.Split(name, "/")
	return matches(pattern, parts) || sameCause(pattern, parts)
}

// sameCause reports whether two names, dialect/class/id, are of one cause: in a longer
// campaign it may show something worse, and be of another class.
func sameCause(a, b []string) bool {
	if len(a) != 3 || len(b) != 3 || a[0] != b[0] || a[2] != b[2] {
		return false
	}
	return len(a[2]) == idLength && strings.Trim(a[2], "0123456789abcdef") == ""
}

// idLength is the length of the ids of causes, in hexadecimal digits.
const idLength = 12

// matches compares part by part, from the end of the pattern back, so that
// several ** take no more than the product of both lengths.
func matches(pattern, name []string) bool {
	// ok[j]: the pattern from part i on matches the name from part j on.
	ok := make([]bool, len(name)+1)
	ok[len(name)] = true
	for _, part := range slices.Backward(pattern) {
		if part == "**" {
			for j := len(name) - 1; j >= 0; j-- {
				ok[j] = ok[j] || ok[j+1]
			}
			continue
		}
		for j := range name {
			match, _ := path.Match(part, name[j]) // patterns were checked when read
			ok[j] = match && ok[j+1]
		}
		ok[len(name)] = false
	}
	return ok[0]
}
