package main

import (
	"fmt"
	"time"

	"replanbench/harness/campaign"
)

// progress shows how far a campaign is: a line that changes on a terminal, and
// a line now and then elsewhere.
type progress struct {
	env   env
	quiet bool
	last  time.Time
	shown bool
}

// progressEvery is the time between two lines where there is no terminal.
const progressEvery = 10 * time.Second

func newProgress(e env, quiet bool) *progress {
	return &progress{env: e, quiet: quiet, last: time.Now()}
}

func (p *progress) tell(now campaign.Progress) { p.show(progressLine(now)) }

// show shows a line in place of the last one.
func (p *progress) show(line string) {
	if p.quiet {
		return
	}
	if p.env.errTerminal {
		fmt.Fprintf(p.env.stderr, "\r\x1b[K%s", line)
		p.shown = true
		return
	}
	if t := time.Now(); t.Sub(p.last) >= progressEvery {
		p.last = t
		fmt.Fprintln(p.env.stderr, line)
	}
}

func progressLine(p campaign.Progress) string {
	of := ""
	if p.Total > 0 {
		of = fmt.Sprintf(" of %d (%d %%)", p.Total, 100*p.Cases/p.Total)
	}
	left := ""
	if p.Left > 0 {
		left = ", " + p.Left.Round(time.Second).String() + " left"
	}
	return fmt.Sprintf("%d cases%s, %.0f/s, %d findings%s", p.Cases, of, p.Rate, p.Findings, left)
}

// end clears the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.env.stderr, "\r\x1b[K")
	}
}
