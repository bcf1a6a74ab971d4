package agent

import (
	"context"

	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
)

// Replay is what came of a session that was played again.
type Replay struct {
	Session Session
	Log     session.Log
	Broken  []Broken
	// Shown reports whether the break showed that the session is kept for; of one
	// kept for nothing in particular, whether anything broke that fails the gate.
	Shown bool
}

// Play plays a kept session again, and judges it at the level of the configuration.
func Play(ctx context.Context, c Config, s Session) (Replay, error) {
	subject, err := c.subject(ctx)
	if err != nil {
		return Replay{}, err
	}
	d := driver{config: c, subject: subject}
	one, err := d.play(ctx, Planned{Script: s.Script})
	r := Replay{Session: s, Log: one.log}
	for _, b := range one.broken {
		if !c.Level.Includes(subject.Dialect.Judging.Level(b.Check, b.Kind, b.Class)) {
			continue
		}
		r.Broken = append(r.Broken, b)
		same := b.Check == s.Check && b.Kind == s.Kind
		r.Shown = r.Shown || same || s.Check == "" && !b.Advisory
	}
	return r, err
}

// Probe is what three turns tell of an agent.
type Probe struct {
	Profile *profile.Profile
	Log     session.Log
	Edits   []string
}

// Look plays three turns to an agent, to learn how it is driven.
func Look(ctx context.Context, c Config) (Probe, error) {
	subject, err := c.subject(ctx)
	if err != nil {
		return Probe{}, err
	}
	source, err := subject.Source([]string{})
	if err != nil {
		return Probe{}, err
	}
	script := newPlanner(subject, source, c.Seed, 1, 0, nil).Session(0).Script
	script.Turns = script.Turns[:min(3, len(script.Turns))]
	log, err := c.Agent.Play(ctx, script, session.Name{})
	p := Probe{Profile: subject.Profile, Log: log}
	for _, t := range script.Turns {
		p.Edits = append(p.Edits, t.Edit)
	}
	return p, err
}
