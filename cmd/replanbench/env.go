package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/live/ask"
	"replanbench/harness/live/redact"
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
	secrets        *redact.Shared // which stdout and stderr do not contain
	terminalWidth  func() int     // how wide the terminal of stdout is, in columns; 0 if that is unknown
}

func processEnv() env {
	secrets := &redact.Shared{}
	return env{
		stdin: os.Stdin, stdout: secrets.Writer(os.Stdout), stderr: secrets.Writer(os.Stderr), secrets: secrets,
		inTerminal: isTerminal(os.Stdin), outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
		getenv: os.Getenv, terminalWidth: func() int { return terminalWidth(os.Stdout) },
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull && f.Name() != os.DevNull
}

// in reads the files that a command line names.
func (e env) in() files.Inputs { return files.Inputs{Stdin: e.stdin} }

// world is the environment of requests.
func (e env) world() ask.World { return ask.World{Getenv: e.getenv, Hide: e.secrets.Add} }

// colour reports whether results on standard output may be coloured: on a terminal unless
// CLICOLOR or FORCE_COLOR is 0, elsewhere if FORCE_COLOR or CLICOLOR_FORCE asks for it, and
// never if NO_COLOR is set (no-color.org, bixense.com/clicolors, force-color.org).
func (e env) colour() bool {
	if e.getenv("NO_COLOR") != "" {
		return false
	}
	for _, name := range []string{"FORCE_COLOR", "CLICOLOR_FORCE"} {
		if v := e.getenv(name); v != "" && v != "0" {
			return true
		}
	}
	return e.outTerminal && e.getenv("TERM") != "dumb" && e.getenv("CLICOLOR") != "0" && e.getenv("FORCE_COLOR") != "0"
}

// say writes a line to standard error, on a terminal without broken words.
func (e env) say(line string) {
	if line = escape.Terminal(line); e.errTerminal {
		line = explain.WrapTo(e.columns(), line, "  ")
	}
	fmt.Fprintln(e.stderr, line)
}

// columns is how wide text on standard output may be: as COLUMNS says, as the
// terminal is, or 80.
func (e env) columns() int {
	if n := e.wrapping(); n > 0 {
		return n
	}
	return 80
}

// wrapping is the same for text that stays as it is where nobody says how wide; 0
// then.
func (e env) wrapping() int {
	if e.getenv != nil {
		if n, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && n > 0 {
			return max(n, 40)
		}
	}
	if e.outTerminal && e.terminalWidth != nil {
		if n := e.terminalWidth(); n > 0 {
			return max(n, 40)
		}
	}
	return 0
}

// maxReport bounds a stored report. One of 100,000 cases and 5,000 findings has
// about 20 MB.
const maxReport = 512 << 20

// stdinName names standard input among the inputs of a command.
const stdinName = files.Stdin

// onceFromStdin refuses several inputs from standard input.
func onceFromStdin(names []string) error {
	n := collect.Count(names, func(name string) bool { return name == stdinName })
	if n > 1 {
		return usagef("standard input (-) can be read only once")
	}
	return nil
}

// readInput reads a file, or standard input for "-".
func readInput(e env, name string) ([]byte, error) { return e.in().Read(name) }

// inputName is what messages call an input.
func inputName(name string) string { return files.InputName(name) }
