// Package harness is the contract of replanbench: what a case is, what an
// outcome is, and what an engine must do.
//
// One idea carries it. A case is a value that holds everything a replan needs
// (the plan, the limits, the scripted model replies), and an engine is a
// function from a case to an outcome. So the same value can be generated,
// stored, replayed, minimised, sent down a pipe and judged.
//
// The package holds no rules: the rules of an edit are in the folders of
// the dialects (harness/dialect), how an outcome is judged in
// harness/hunt/judge, and how engines outside the process are driven in
// harness/engine.
package harness

// Version is the version of the tool and of its rules.
const Version = "0.1.0"
