package main

import (
	"fmt"
	"sync"
	"time"

	"replanbench/harness/document/escape"
)

// progress shows how far a run is: a line that changes on a terminal, and a line
// now and then elsewhere. Several goroutines may use it at once.
type progress struct {
	env   env
	quiet bool

	mu    sync.Mutex
	last  time.Time
	shown bool
}

// The time between two lines, on a terminal and elsewhere.
const (
	progressRedraw = 100 * time.Millisecond
	progressEvery  = 10 * time.Second
)

func newProgress(e env, quiet bool) *progress {
	return &progress{env: e, quiet: quiet, last: time.Now()}
}

// progress begins the progress of each run of a gate.
func (e env) progress(quiet bool) func() (show, tell func(string), end func()) {
	return func() (show, tell func(string), end func()) {
		p := newProgress(e, quiet)
		return p.show, p.tell, p.end
	}
}

// counting returns a function that shows how many of so many there were.
func (p *progress) counting(what string) func(done, total int) {
	return func(done, total int) { p.show(fmt.Sprintf("%d of %d %s", done, total, what)) }
}

// show shows a line in place of the last one, unless that was a moment ago.
func (p *progress) show(line string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	every := progressEvery
	if p.env.errTerminal {
		every = progressRedraw
	}
	t := time.Now()
	if t.Sub(p.last) < every {
		return
	}
	p.last = t
	if p.env.errTerminal {
		fmt.Fprintf(p.env.stderr, "\r\x1b[K%s", escape.Cut(line, p.env.columns()-1)) // a wrapped line cannot be cleared
		p.shown = true
		return
	}
	fmt.Fprintln(p.env.stderr, line)
}

// tell writes a line that later progress does not overwrite.
func (p *progress) tell(line string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	p.shown = false
	p.env.say(line)
}

// end clears the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.env.stderr, "\r\x1b[K")
	}
}
