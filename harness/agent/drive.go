package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"replanbench/harness"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/agent/wire"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// Config says how an agent is driven.
type Config struct {
	Agent session.Agent
	Name  string // of the profile, "" to choose one by the tools that are offered
	// Rules are settings that override the profile.
	Rules []string

	Seed       uint64
	Sessions   int
	Turns      int      // edits in a session
	Faults     []string // nil is all
	Traits     []string // nil is all
	Parallel   int
	ShrinkRuns int           // for each cause
	Time       time.Duration // begin no session after so long, also to shorten an example; 0 is no limit
	Shard      shard.Shard   // the part of the sessions to play

	Progress func(played, of, calls int)
	// Level bounds the causes that Found is called for.
	Level harness.Level
	// Guessed is called with the plan tool of an agent that no profile fits, where one was guessed.
	Guessed func(tool string)
	// Found is called with the sentence of each cause, when it first shows.
	Found func(sentence string)
}

// Result is what came of driving an agent.
// Its many fields are the members of the report.
type Result struct {
	Profile  string   `json:"profile"`
	Dialect  string   `json:"dialect"`
	Rules    []string `json:"rules" join:"first"` // settings, as in --profile
	Tool     string   `json:"tool"`
	API      string   `json:"api"`
	Stream   bool     `json:"stream"`
	Seed     uint64   `json:"seed" join:"first"`
	Planned  int      `json:"planned" join:"first"` // sessions
	Sessions int      `json:"sessions"`             // that were played
	Calls    int      `json:"calls"`                // of the plan tool, that the agent took up
	Judged   int      `json:"judged"`               // transitions
	Broken   int      `json:"broken"`               // of them
	Requests int      `json:"requests"`
	Side     int      `json:"side"`
	Behind   int      `json:"behind"` // processes that were left behind
	Hosts    []string `json:"hosts,omitzero" join:"set"`
	Causes   []Cause  `json:"causes" join:"keep"`
	Faults   []Fate   `json:"faults" join:"keep"`
	Part     *Part    `json:"part,omitzero"` // in the result of a shard
}

// Fate is what an agent did with a fault.
type Fate struct {
	Name    string       `json:"name"`
	Text    string       `json:"text"`
	Arrives string       `json:"arrives"`
	Deed    session.Deed `json:"deed"`
	Broke   []string     `json:"broke,omitzero"` // checks
}

// Survived reports whether the agent lived on, or ended with a message, and broke
// nothing.
func (f Fate) Survived() bool {
	return len(f.Broke) == 0 && f.Deed != session.Vanished && f.Deed != session.Hung && f.Deed != session.TookPart &&
		f.Deed != session.TookInvalid
}

// played is a session with what came of it.
type played struct {
	plan   Planned
	log    session.Log
	broken []Broken
	judged int
}

// Drive plays sessions and makes causes of what broke. An error says that the
// agent cannot be driven; what was done before it is in the result.
func Drive(ctx context.Context, c Config) (Result, error) {
	subject, err := c.subject(ctx)
	if err != nil {
		return Result{}, err
	}
	faults, err := Faults(c.Faults)
	if err != nil {
		return Result{}, err
	}
	source, err := subject.Source(c.Traits)
	if err != nil {
		return Result{}, err
	}
	planner := newPlanner(subject, source, c.Seed, c.Sessions, c.Turns, nil)
	d := driver{config: c, subject: subject, seen: newGathering(subject)}
	if c.Time > 0 {
		d.late = time.Now().Add(c.Time)
	}
	first, err := d.play(ctx, planner.Session(0))
	if err != nil {
		return Result{}, err
	}
	if err := first.log.Understood(); err != nil {
		return Result{}, err
	}
	if c.Progress != nil {
		c.Progress(1, c.Sessions, first.log.Calls())
	}
	planner.setFaults(fitting(faults, first.log.Learned))
	rest, err := d.playAll(ctx, planner, first.log.Calls())
	if c.Shard.First() { // else it was played to learn what the agent speaks
		rest = append([]played{first}, rest...)
	}
	result := d.result(rest, faults)
	if err != nil {
		return result, err
	}
	for i := range result.Causes {
		if err := d.shorten(ctx, &result.Causes[i]); err != nil {
			return result, err
		}
	}
	return result, ctx.Err()
}

// markUnfit marks the faults that do not exist in the API of the agent.
func (r *Result) markUnfit() {
	request := wire.Request{API: wire.API(r.API), Stream: r.Stream}
	for i := range r.Faults {
		f, err := fault.Find(r.Faults[i].Name)
		if err == nil && r.Faults[i].Deed == session.NotReached && !f.Fits(&request) {
			r.Faults[i].Deed = session.Unfit
		}
	}
}

// fitting returns the faults that exist in the API that the agent speaks.
func fitting(names []string, l session.Learned) []string {
	r := wire.Request{API: l.API, Stream: l.Stream}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		f, err := fault.Find(name)
		return err == nil && !f.Fits(&r)
	})
}

// subject learns which profile the agent has, if it was not said.
func (c *Config) subject(ctx context.Context) (*Subject, error) {
	if len(c.Agent.Profiles) != 1 {
		log, err := c.Agent.Play(ctx, session.Script{}, session.Name{})
		if err != nil {
			return nil, err
		}
		p := log.Learned.Profile
		if p.Guess != "" && c.Guessed != nil {
			c.Guessed(p.Name)
		}
		c.Agent.Profiles = []*profile.Profile{p}
	}
	s, err := newSubject(c.Agent.Profiles[0], c.Rules)
	if err == nil {
		s.level = c.Level
	}
	return s, err
}

type driver struct {
	config  Config
	subject *Subject
	late    time.Time // when no more sessions begin; zero is never

	mu        sync.Mutex
	seen      *gathering // of the causes that were announced
	announced []string   // their sentences
}

func (d *driver) isLate() bool { return !d.late.IsZero() && time.Now().After(d.late) }

// announce calls Found for the causes that the breaks of a session show first.
func (d *driver) announce(p Planned, broken ...Broken) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.seen == nil || d.config.Found == nil {
		return
	}
	before := len(d.seen.groups)
	for _, b := range broken {
		d.seen.put(p, b)
	}
	for _, o := range d.seen.groups[before:] {
		counts := d.seen.subject.Dialect.Judging.Level(o.first.Check, o.first.Kind, o.first.Class)
		if text := d.seen.sentence(o); !o.first.Advisory && d.config.Level.Includes(counts) &&
			!slices.Contains(d.announced, text) {
			d.announced = append(d.announced, text)
			d.config.Found(text)
		}
	}
}

// play plays one session and judges it.
func (d *driver) play(ctx context.Context, p Planned) (played, error) {
	a := d.config.Agent
	a.Broke = func(b session.Break) {
		broken := Broken{Break: b}
		p.place(&broken)
		d.announce(p, broken)
	}
	log, err := a.Play(ctx, p.Script, p.name())
	if err != nil {
		return played{}, err
	}
	broken, judged, err := d.subject.Judge(ctx, p, log)
	d.announce(p, broken...)
	return played{p, log, broken, judged}, err
}

// playAll plays the sessions behind the first, several at once if that is asked for. What it
// returns is in their order, whatever came first. calls is how many were made before.
func (d *driver) playAll(ctx context.Context, planner *Planner, calls int) ([]played, error) {
	c := &d.config
	var plans []Planned
	for i := 1; i < c.Sessions; i++ {
		if c.Shard.Holds(i) {
			plans = append(plans, planner.Session(i))
		}
	}
	results := make([]*played, len(plans))
	var mu sync.Mutex
	var failed error
	next, done := 0, 1
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(plans) || failed != nil || d.isLate() || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var workers sync.WaitGroup
	for range max(1, c.Parallel) {
		workers.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				one, err := d.play(ctx, plans[i])
				mu.Lock()
				if err != nil && failed == nil {
					failed = err
				}
				if err == nil {
					results[i], done, calls = &one, done+1, calls+one.log.Calls()
					if c.Progress != nil {
						c.Progress(done, len(plans)+1, calls)
					}
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	var list []played
	for _, r := range results {
		if r != nil {
			list = append(list, *r)
		}
	}
	if errors.Is(failed, context.Canceled) {
		failed = ctx.Err()
	}
	return list, failed
}

// result sums the sessions up.
func (d *driver) result(sessions []played, faults []string) Result {
	s := d.subject
	r := Result{
		Profile: s.Profile.Name, Dialect: s.Dialect.Name, Rules: slices.Concat(s.Profile.Rules, d.config.Rules),
		Seed: d.config.Seed, Planned: d.config.Sessions,
		Sessions: len(sessions), Causes: []Cause{},
	}
	all := newGathering(s)
	var fates []fateAt
	for _, one := range sessions {
		r.count(one)
		all.add(one.plan, one.log, one.broken)
		fates = append(fates, one.fates()...)
	}
	if !d.config.Shard.Whole() {
		r.Part = all.part(fates, faults)
	}
	r.Faults = worstFates(fates, faults)
	r.markUnfit()
	r.Causes = append(r.Causes, all.causes()...)
	return r
}

func (r *Result) count(one played) {
	l := one.log.Learned
	r.Tool, r.API, r.Stream = l.Tool.Name, string(l.API), l.Stream
	r.Calls += one.log.Calls()
	r.Judged += one.judged
	r.Requests += one.log.Requests
	r.Side += one.log.Side
	r.Behind += one.log.Exit.Behind
	for host := range one.log.Strange {
		if !slices.Contains(r.Hosts, host) {
			r.Hosts = append(r.Hosts, host)
		}
	}
	slices.Sort(r.Hosts)
	for _, b := range one.broken {
		if b.Dialect != "" && !b.Advisory {
			r.Broken++
		}
	}
}

// fates notes what became of the faults of a session.
func (one *played) fates() (list []fateAt) {
	for i, turn := range one.plan.Script.Turns {
		f, err := fault.Find(turn.Fault)
		if turn.Fault == "" || err != nil {
			continue
		}
		fate := Fate{Name: f.Name, Text: f.Text, Arrives: string(f.Arrives), Deed: one.log.Steps[i].Deed}
		if f.Name == nearWindow && fate.Deed == session.CarriedOut && one.log.Watched["gone"] == 0 {
			fate.Deed = session.Kept
		}
		for _, b := range one.broken {
			if b.Turn == i && b.Dialect == "" && !slices.Contains(fate.Broke, b.Check) {
				fate.Broke = append(fate.Broke, b.Check)
			}
		}
		list = append(list, fateAt{fate, place{one.plan.ID, i}})
	}
	return list
}

// worstFates returns the worst fate of each fault, in the order of the names.
func worstFates(fates []fateAt, names []string) (list []Fate) {
	worst := map[string]Fate{}
	for _, f := range fates {
		if old, ok := worst[f.Name]; !ok || old.Deed == session.NotReached || old.Survived() && !f.Survived() {
			worst[f.Name] = f.Fate
		}
	}
	for _, name := range names {
		f, ok := worst[name]
		if !ok {
			x, err := fault.Find(name)
			if err != nil {
				continue
			}
			f = Fate{Name: name, Text: x.Text, Arrives: string(x.Arrives), Deed: session.NotReached}
		}
		list = append(list, f)
	}
	return list
}

// shorten plays sessions that may show a cause, from the shortest on, and keeps the
// first that does. If none does, not even the whole one, the cause is unsteady.
func (d *driver) shorten(ctx context.Context, c *Cause) error {
	c.Session = d.session(c, c.from.Script)
	whole := false
	for _, s := range d.shorter(c) {
		if c.Played >= d.config.ShrinkRuns || ctx.Err() != nil || d.isLate() {
			break
		}
		c.Played++
		whole = len(s.Turns) == len(c.from.Script.Turns)
		one, err := d.play(ctx, Planned{ID: c.from.ID, Script: s, Shrink: c.ID})
		if err != nil {
			return fmt.Errorf("an earlier session: %w", err)
		}
		if one.shows(c) {
			c.Shown++
			c.Session.Script = s
			return nil
		}
	}
	if ctx.Err() == nil && whole && c.Played > 1 {
		c.Class, c.Kind = judge.Unsteady, "again"
		c.Sentence += fmt.Sprintf(" (not reproduced when played again %d times)", c.Played)
	}
	return ctx.Err()
}

// session is the session of a cause, to be kept.
func (d *driver) session(c *Cause, s session.Script) Session {
	return Session{
		Profile: d.subject.Profile.Name, Cause: c.ID, Check: c.Check, Kind: c.Kind, Sentence: c.Sentence,
		Script: s,
	}
}

// shows reports whether a session breaks what a cause is about.
func (one *played) shows(c *Cause) bool {
	return slices.ContainsFunc(one.broken, func(b Broken) bool {
		return b.Check == c.Check && b.Kind == c.Kind && b.Dialect == c.first.Dialect
	})
}

// shorter lists sessions to try: the turn that broke alone, with the one before it,
// the later half of what came before, and all of it. A lost plan must be made first.
func (d *driver) shorter(c *Cause) (list []session.Script) {
	turns, at := c.from.Script.Turns, c.first.Turn
	starts := []int{at, at - 1, at / 2, 0}
	if c.Check == session.Carried {
		starts = []int{planAt(turns, at, c.Kind), 0}
	}
	for _, from := range starts {
		for from = max(0, from); from > 0 && turns[0].New && !turns[from].New; {
			from-- // the turn that makes the tasks
		}
		if n := len(list); n > 0 && len(list[n-1].Turns) == at+1-from {
			continue
		}
		list = append(list, session.Script{Turns: turns[from : at+1]})
	}
	return append(list, c.from.Script)
}

// planAt returns the turn that made the plan that was lost at a turn: the last one before it,
// or, in a compaction, the last one before the work that filled the history.
func planAt(turns []session.Turn, at int, kind string) int {
	for ; at > 0; at-- {
		t, next := turns[at], turns[min(at+1, len(turns)-1)]
		if t.Setup && !t.Child && (kind != "gone" || next.Work || next.Child) {
			break
		}
	}
	return at
}
