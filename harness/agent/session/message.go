package session

import (
	"regexp"
	"strings"
)

// Lines of an agent's output that are not written for people.
var (
	traceLine = regexp.MustCompile(`^\s+at |^\s+File ".*", line \d+`)
	noiseLine = regexp.MustCompile(`^Node\.js v|^\(node:|^\(Use |^file:|^node:|^\s*\^+\s*$|Warning:|\[object Object\]|` +
		`^Traceback `)
	traceHead = regexp.MustCompile(`^\s|^\}|^(Uncaught )?[\w.]*(Error|Exception)\b`)
)

// message returns the part of an output that is a message to people: without stack traces,
// warnings of the runtime, and results of tools. noise reports that something was removed.
func (p *Player) message(output string) (text string, noise bool) {
	trace := false
	for line := range strings.Lines(output) {
		trace = trace || traceLine.MatchString(line)
	}
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
		case noiseLine.MatchString(line), trace && (traceLine.MatchString(line) || traceHead.MatchString(line)),
			p.isResult(line):
			noise = true
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), noise
}

// isResult reports whether a line comes from the result of a tool.
func (p *Player) isResult(line string) bool {
	const least = 8 // shorter lines are in many texts by chance
	line = strings.TrimSpace(line)
	for _, step := range p.log.Steps {
		for _, d := range step.Calls {
			if len(line) >= least && strings.Contains(d.Result, line) {
				return true
			}
		}
	}
	return false
}
