package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/history"
)

// Name identifies a session in recordings.
type Name struct {
	ID     int
	Shrink string // the cause whose example the session shortens; "" is none
}

// String is the name as part of a file name: 003, 003-shrink-2517bf303657.
func (n Name) String() string {
	text := fmt.Sprintf("%03d", n.ID)
	if n.Shrink != "" {
		text += "-shrink-" + n.Shrink
	}
	return text
}

// Agent is a command that is driven.
type Agent struct {
	Command  launch.Command
	Profiles []*profile.Profile // to choose from; the only one if it is known
	// Patience is how long the agent may be silent; the first request may take
	// a minute longer.
	Patience time.Duration
	// Record is called with every exchange of a session and the key in it; nil records
	// nothing.
	Record func(name Name, key string, x endpoint.Exchange)
	// Broke gets each break of the session itself when it shows; it may be nil.
	Broke func(b Break)
}

// Play runs the agent once and plays a script to it. An error says that the agent
// could not be started, or does not fit the profile; whatever else it does is in
// the log.
func (a *Agent) Play(ctx context.Context, s Script, name Name) (Log, error) {
	key := NewKey()
	player := NewPlayer(a.Profiles, s, name.ID, "")
	player.broke = a.Broke
	options := endpoint.Options{Key: key, Model: ModelName, Proxy: true}
	if a.Record != nil {
		options.Log = func(x endpoint.Exchange) { a.Record(name, key, x) }
	}
	server, err := endpoint.Open(player, options)
	if err != nil {
		return Log{}, err
	}
	defer server.Close()
	place, err := launch.NewPlace(launch.Variables{URL: server.URL(), Key: key, Model: ModelName})
	if err != nil {
		return Log{}, err
	}
	defer func() { _ = place.Remove() }() // a temporary directory
	player.livesAt(place)
	command, err := a.prepare(place)
	if err != nil {
		return Log{}, err
	}
	first := command
	for {
		run, err := launch.Start(place, command)
		if err != nil {
			return Log{}, err
		}
		player.watchOutput(run.Output)
		hung := player.await(ctx, run, a.Patience)
		exit := run.Stop()
		if err := ctx.Err(); err != nil {
			return Log{}, err
		}
		if !hung && player.resume() {
			command.Args = append(slices.Clip(first.Args), player.profile.Resume...)
			continue
		}
		return player.finish(ending{exit: exit, strange: server.Strange(), hung: hung, waited: a.Patience})
	}
}

// NewKey is a random key for an endpoint.
func NewKey() string { return "sk-replanbench-" + rand.Text() }

// prepare writes the settings of all profiles that may be the agent's.
func (a *Agent) prepare(p *launch.Place) (launch.Command, error) {
	c := a.Command
	for _, of := range a.Profiles {
		for _, f := range of.Settings {
			if err := p.Write(f.Home+f.Work, f.Home != "", f.Content); err != nil {
				return c, err
			}
		}
		if len(a.Profiles) == 1 { // else the agent must offer the tools that it has by default
			c.Env, c.Args = append(slices.Clip(c.Env), of.Env...), append(slices.Clip(c.Args), of.Arguments...)
		}
	}
	return c, nil
}

func (p *Player) livesAt(place *launch.Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.home, p.dir = place.Home(), place.Dir()
}

func (p *Player) watchOutput(output func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = output
}

// startTime is what an agent may take to start, on a machine with other work.
const startTime = time.Minute

// await waits until the agent ends, or is silent for too long, or the session is
// over.
func (p *Player) await(ctx context.Context, run *launch.Run, patience time.Duration) (hung bool) {
	timer := time.NewTimer(patience + startTime)
	defer timer.Stop()
	for {
		select {
		case <-run.Ended():
			return false
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-p.changed:
			if _, over := p.progress(); over {
				return false
			}
			timer.Reset(patience)
		}
	}
}

// summary is what the model answers to a request for a summary. It does not name the plan,
// as summaries of real models often do not.
const summary = "<state_snapshot><overall_goal>Fix the tests.</overall_goal><key_knowledge>Some commands were run; their " +
	"results were long.</key_knowledge></state_snapshot>"

// aside returns the text of an answer to a request without the plan tool: JSON in the form
// that the request demands, or a summary.
func aside(r *wire.Request) string {
	var form map[string]any
	if r.Form == nil || json.Unmarshal(r.Form, &form) != nil {
		return summary
	}
	text, err := json.Marshal(instance(form, 0), json.Deterministic(true))
	if err != nil {
		return summary
	}
	return string(text)
}

// instance returns a value of a JSON Schema: no, nothing, or the first of the words.
func instance(form map[string]any, depth int) any {
	const deepest = 8
	if words, _ := form["enum"].([]any); len(words) > 0 {
		return words[0]
	}
	kind, _ := form["type"].(string)
	switch strings.ToLower(kind) {
	case "string":
		return "nothing unusual"
	case "number", "integer":
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	}
	value := map[string]any{}
	members, _ := form["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member, ok := members[name].(map[string]any); ok && depth < deepest {
			value[name] = instance(member, depth+1)
		}
	}
	return value
}

// childPrompt is the instruction for a sub-agent.
const childPrompt = "Look around in the working directory, and keep a list of what you do."

// parent is an agent that was made to start a sub-agent.
type parent struct {
	turn int
	file string // in which it keeps its plan; "" is none
	done bool   // it has made another plan since
}

// isChild reports whether a request comes from the sub-agent: it has the task, and none of
// the agent's calls.
func (p *Player) isChild(r *wire.Request) bool {
	if p.parent == nil || len(r.Tools) == 0 {
		return false
	}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			if p.present[c.ID] {
				return false
			}
		}
	}
	return slices.ContainsFunc(r.Messages, func(m wire.Message) bool {
		return m.Role == history.User && strings.Contains(m.Text, childPrompt)
	})
}

// child plays the model of the sub-agent: it makes a plan if it can, and ends.
func (p *Player) child(r *wire.Request) endpoint.Delivery {
	p.log.Side++
	id := fmt.Sprintf("call_%d_%d_c", p.id, p.parent.turn)
	answered := slices.ContainsFunc(r.Messages, func(m wire.Message) bool { return m.Result != nil })
	if _, ok := p.profile.Of(r.Tools); answered || !ok {
		return p.say(r, "I looked around. Nothing is left to do.")
	}
	a := p.answer(r, "s"+id, "")
	a.Calls = p.style.edits(Turn{Edit: p.script.Turns[p.parent.turn].Edit}, id)
	return endpoint.Deliver(r, wire.Write(r, a))
}

// afterChild compares the plan of the agent with that before the sub-agent, if the agent
// keeps it in a file.
func (p *Player) afterChild() {
	if p.parent == nil || p.parent.done {
		return
	}
	p.watched("child")
	now, before := p.profile.Kept(p.parent.file), p.plan.Clone()
	if now == nil || before == nil || now.Canonicalize() != nil || before.Canonicalize() != nil ||
		string(now) == string(before) {
		return
	}
	p.breaks(Carried, "child", p.parent.turn, fmt.Sprintf("the plan of the agent was %s, and after a sub-agent made a plan "+
		"of its own, it is %s", brief(string(before)), brief(string(now))))
	p.plan = now
}
