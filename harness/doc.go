// Package harness is the contract of replanbench: it defines cases, outcomes and
// engines.
//
// A case is a value with everything that a replan needs (the plan, the limits, the
// scripted model replies), and an engine is a function from a case to an outcome. So
// the same value can be generated, stored, replayed, shrunk, sent to another process
// and judged.
//
// The package has no rules. The folders of the dialects (harness/dialect) have the
// rules of edits, harness/hunt/judge judges outcomes, and harness/engine drives
// engines outside of the process.
package harness

// Version is the version of the tool and of its rules.
const Version = "0.1.0"
