package main

import (
	"replanbench/harness/document/files"
)

// maxReport bounds a stored report. One of 100,000 cases and 5,000 findings has
// about 20 MB.
const maxReport = 512 << 20

// stdinName names standard input among the inputs of a command.
const stdinName = files.Stdin

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
func readInput(e env, name string) ([]byte, error) { return e.in().Read(name) }

// inputName is what messages call an input.
func inputName(name string) string { return files.InputName(name) }
