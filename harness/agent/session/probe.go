package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"replanbench/harness/agent/wire"
)

// executionsFile is the file in the working directory that probe calls append a line to.
const executionsFile = "replanbench-executions"

// longText is the command whose output fills the history: about 24 kB.
const longText = "; seq -f 'line %g of the long result of a command that the agent has run' 1 400"

// probe returns a call of the probe tool, if the agent offers it and lets it through. The
// command appends the id of the call to a file.
func (p *Player) probe(r *wire.Request, id, command string) (wire.Call, bool) {
	if p.dir == "" || p.shut {
		return wire.Call{}, false
	}
	command = fmt.Sprintf("echo %s >> %s", id, filepath.Join(p.dir, executionsFile)) + command
	name, arguments, ok := p.profile.Probe.Call(r.Tools, command)
	return wire.Call{ID: id, Name: name, Arguments: arguments}, ok
}

// executions counts the executions of probe calls, by the id of the call.
func (p *Player) executions() map[string]int {
	count := map[string]int{}
	data, err := os.ReadFile(filepath.Join(p.dir, executionsFile))
	if p.dir == "" || err != nil {
		return count
	}
	for line := range strings.Lines(string(data)) {
		count[strings.TrimSpace(line)]++
	}
	return count
}

// probed is the probe calls of one turn, one for each attempt.
type probed struct {
	turn int
	ids  []string
}

// doubles notes the turns in which the agent executed the calls of two attempts, or one
// call twice.
func (p *Player) doubles() {
	count := p.executions()
	for _, x := range p.probes {
		var ran []string
		for i, id := range x.ids {
			for range count[id] {
				ran = append(ran, fmt.Sprint(i+1))
			}
		}
		if len(ran) > 1 {
			p.breaks(Arrival, "twice", x.turn, fmt.Sprintf("the model sent %d attempts of one answer, and the agent executed "+
				"the tool call of the attempts %s", len(x.ids), strings.Join(ran, " and ")))
		}
	}
}

// discarded reports whether a result belongs to a call of an attempt that the agent discarded.
// If so, the agent executed it in addition to the call of the retry.
func (p *Player) discarded(id string) bool {
	w := p.waiting
	for attempt := 1; w != nil && attempt < w.asked; attempt++ {
		call := callID(p.id, w.turn, attempt)
		if (id == call || id == call+"p") && !p.dropped[id] {
			p.dropped[id] = true
			p.breaks(Arrival, "twice", w.turn, fmt.Sprintf("the model sent %d attempts of one answer, and the agent executed "+
				"the tool call of attempt %d, which it discarded", w.asked, attempt))
		}
	}
	return p.dropped[id]
}

// callID is the id of the plan call in an attempt of a turn.
func callID(session, turn, attempt int) string {
	return fmt.Sprintf("call_%d_%d_%d", session, turn, attempt)
}
