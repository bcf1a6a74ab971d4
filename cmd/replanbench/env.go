package main

import (
	"io"
	"os"
)

// env is the world outside, as the commands see it: nothing else reads or
// writes the process's streams or its environment variables.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	inTerminal     bool // stdin is a terminal
	outTerminal    bool // stdout is a terminal
	errTerminal    bool // stderr is a terminal
	getenv         func(string) string
}

func processEnv() env {
	return env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		inTerminal: isTerminal(os.Stdin), outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
		getenv: os.Getenv,
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull && f.Name() != os.DevNull
}

// colour reports whether results on standard output may be coloured: on a
// terminal only, and not where NO_COLOR is set (https://no-color.org).
func (e env) colour() bool {
	return e.outTerminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
}
