package harness

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Place returns where in its source the engine crashed: the innermost line that is not of a
// library, as FILE:LINE. It is "" if neither the message nor the standard error of an engine
// that died says it. Crashes of one place are one bug, whatever case shows them.
func (f *Failure) Place() string {
	switch _, message, answered := strings.Cut(f.Detail, `: "`); {
	case f.Kind != Crash:
		return ""
	case answered: // standard error may be about other requests
		if m := placedMessage.FindStringSubmatch(message); m != nil {
			return m[1]
		}
		return ""
	case strings.HasPrefix(f.Detail, "panic: "): // in this process: FILE:LINE FUNCTION
		place, _, _ := strings.Cut(f.Stderr, " ")
		return place
	}
	return traced(f.Stderr)
}

// StderrLines returns the lines of standard error with spaces for tabs. It leaves out blank lines
// and those that only mark a part of the line above, as Python writes them.
func (f *Failure) StderrLines() []string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(f.Stderr), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.Trim(line, " ^~") == "" })
}

var (
	// placedMessage matches a message that begins with FILE:LINE, as the adapters write it.
	placedMessage = regexp.MustCompile(`^([\w.+@-]+\.\w+:\d+): `)
	pythonLine    = regexp.MustCompile(`^\s+File "([^"<]*?[\w.+@-]+\.\w+)", line (\d+)`)
	nodeLine      = regexp.MustCompile(`^\s+at .*?\(?(?:file://)?(/[^\s():]*?[\w.+@-]+\.[cm]?[jt]sx?):(\d+):\d+\)?\s*$`)
	goLine        = regexp.MustCompile(`^\t(/\S*?[\w.+@-]+\.go):(\d+)`)
)

// traced returns the place in a stack trace. Traces of Python end with the innermost line, those
// of Node and Go begin with it.
func traced(text string) (place string) {
	for line := range strings.Lines(text) {
		m, last := pythonLine.FindStringSubmatch(line), true
		for _, form := range []*regexp.Regexp{nodeLine, goLine} {
			if m == nil {
				m, last = form.FindStringSubmatch(line), false
			}
		}
		if m != nil && !library(m[1]) && (last || place == "") {
			place = path.Base(strings.ReplaceAll(m[1], `\`, "/")) + ":" + m[2]
		}
	}
	return place
}

// library reports whether a file belongs to a language or an installed package.
func library(file string) bool {
	for _, part := range []string{"/lib/python", "/site-packages/", "/node_modules/", "/src/runtime/", "/pkg/mod/"} {
		if strings.Contains(file, part) {
			return true
		}
	}
	return false
}
