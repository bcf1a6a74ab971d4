// Package agent tests a whole agent from outside, without an adapter: it plays the
// model. [Planner] plans sessions, package session plays them, and [Judge] judges
// each transition by the checks of the dialect whose edits the agent's plan tool
// takes. [Drive] turns breaks into causes, each with the shortest session that
// shows it.
//
// Package wire reads requests and writes answers, endpoint serves them, fault
// damages them, profile describes agents, and launch runs them. A session also
// fills the history, starts a sub-agent and restarts the agent; none of these may
// lose the plan. Plans and edits belong to the dialects, and no dialect is named
// here.
package agent

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/agent/profile"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
)

// Subject is the agent under test: its profile, and the dialect that it speaks.
type Subject struct {
	Profile *profile.Profile
	Dialect *dialect.Dialect
	Rules   harness.Profile // by which its plan tool works
	// open reports that nobody has stated the rules.
	open bool
	// level is the level at which transitions are judged.
	level harness.Level
}

// newSubject finds the dialect of a profile and the rules that it names. more are
// further settings, as in --profile.
func newSubject(p *profile.Profile, more []string) (*Subject, error) {
	d := all.Find(p.Dialect)
	if d == nil {
		return nil, harness.Mistakef("profile %s: unknown dialect %q%s (the dialects are %s)", p.Name, p.Dialect,
			harness.DidYouMean(p.Dialect, all.Names()), strings.Join(all.Names(), ", "))
	}
	if d.Restate == nil {
		return nil, harness.Mistakef("profile %s: agents cannot be tested in the dialect %s: its edits cannot make a plan",
			p.Name, d.Name)
	}
	s := &Subject{Profile: p, Dialect: d, Rules: harness.Reference().For(d.Judging.Knobs)}
	settings := slices.Concat(p.Rules, more)
	s.open = p.Guess != "" || len(settings) == 0
	for _, setting := range settings {
		if err := s.Rules.Apply(setting, d.Judging.Knobs...); err != nil {
			return nil, harness.Mistakef("profile %s: rules: %w", p.Name, err)
		}
	}
	first := harness.Case{
		Dialect: d.Name, Plan: p.Nothing(), Replies: []harness.Reply{`{"calls": [{"call": "create", "subject": "A"}]}`},
	}
	if p.Single() && d.Eval(first, s.Rules).Verdict != harness.Applied {
		return nil, harness.Mistakef("profile %s: the rules reject a new task without an id (ids=given); agents are tested only if "+
			"their tools choose the ids of new tasks", p.Name)
	}
	return s, nil
}

// harmless are traits that an agent may store as they are: the agent's own JSON parser
// accepts them, and no plan is lost.
var harmless = []string{"lone-surrogate"}

// Source makes cases that the agent can be asked. Nil means all traits that are not harmless.
func (s *Subject) Source(traits []string) (*generators.Source, error) {
	if traits == nil {
		for _, t := range s.Dialect.Traits {
			if !slices.Contains(harmless, t.Name) {
				traits = append(traits, t.Name)
			}
		}
	}
	return s.Dialect.Source(generators.Options{Traits: traits, Profile: &s.Rules, Without: s.Profile.Without})
}

// hello is the agent's declaration of itself, under these rules.
func (s *Subject) hello(rules harness.Profile) harness.Hello {
	return harness.Hello{Name: s.Profile.Name, Remote: true, Dialects: map[string]harness.Declaration{
		s.Dialect.Name: {Profile: rules, Without: s.Profile.Without},
	}}
}
