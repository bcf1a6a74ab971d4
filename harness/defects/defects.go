// Package defects holds engines that are wrong in one respect each, to see
// whether the harness notices.
//
// A defect is a bug that real engines have: each engine here is the reference
// with exactly one of them, built round the reference's door. It changes the
// case before the reference sees it, or the outcome afterwards, or it keeps
// something in mind between two cases. The reference itself knows nothing of
// it. On a case that does not touch the defect, the two agree.
//
// The package finds nothing: package calibrate runs campaigns against these
// engines and shows which check notices which.
package defects

import (
	"slices"

	"replanbench/harness"
)

// Defect is a way to be wrong.
type Defect struct {
	Dialect string
	Name    string // among the defects of all dialects
	Text    string // one line, what the engine does
	// Large says why only a large case shows the defect (many steps, or many
	// operations), where one would expect a small one to do; mostly "".
	Large string
	// New returns an engine that has the defect and remembers nothing yet.
	New func() harness.Engine
}

// All lists the defects of every dialect.
func All() []Defect {
	return slices.Concat(planPatchDefects(), operationsDefects(), orchestratorDefects(), planModeDefects(), trimDefects())
}

// For lists the defects of engines for one dialect.
func For(dialect string) []Defect {
	return slices.DeleteFunc(All(), func(d Defect) bool { return d.Dialect != dialect })
}

// Dialects lists the dialects that there are defects for.
func Dialects() []string {
	var names []string
	for _, d := range All() {
		if !slices.Contains(names, d.Dialect) {
			names = append(names, d.Dialect)
		}
	}
	return names
}

// Find returns the defect of that name.
func Find(name string) (Defect, bool) {
	all := All()
	i := slices.IndexFunc(all, func(d Defect) bool { return d.Name == name })
	if i < 0 {
		return Defect{}, false
	}
	return all[i], true
}
