package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
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
	// Record is told of every exchange of a session, and of the key in it; nil
	// records nothing.
	Record func(name Name, key string, x endpoint.Exchange)
}

// Play runs the agent once and plays a script to it. An error says that the agent
// could not be started, or does not fit the profile; whatever else it does is in
// the log.
func (a *Agent) Play(ctx context.Context, s Script, name Name) (Log, error) {
	key := NewKey()
	player := NewPlayer(a.Profiles, s, name.ID, "")
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
		c.Env = append(slices.Clip(c.Env), of.Env...)
		if len(a.Profiles) == 1 {
			c.Args = append(slices.Clip(c.Args), of.Arguments...)
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
