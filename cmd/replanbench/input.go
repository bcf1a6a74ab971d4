package main

import (
	"replanbench/corpora"
	"replanbench/harness/document/files"
)

// maxInput bounds every file that is read whole. A plan of 10,000 steps has
// about 2 MB.
const maxInput = 32 << 20

// maxReport bounds a stored report. One of 100,000 cases and 5,000 findings has
// about 20 MB.
const maxReport = 512 << 20

// stdinName names standard input among the inputs of a command.
const stdinName = corpora.StdinName

// inputName is what messages call an input.
func inputName(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// onceFromStdin refuses several inputs from standard input.
func onceFromStdin(names []string) error {
	n := 0
	for _, name := range names {
		if name == stdinName {
			n++
		}
	}
	if n > 1 {
		return usagef("standard input (-) can be read only once")
	}
	return nil
}

// readInput reads a file, or standard input for "-".
func readInput(e env, name string) ([]byte, error) { return readUpTo(e, name, maxInput) }

// readUpTo reads a file as readInput does, with a bound of its own.
func readUpTo(e env, name string, limit int64) ([]byte, error) {
	if name == stdinName {
		return files.ReadFrom(e.stdin, inputName(name), limit)
	}
	return files.Read(name, limit)
}
