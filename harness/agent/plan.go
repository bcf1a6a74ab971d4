package agent

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/strictjson"
)

// Planner plans sessions: which edits the model makes in which one, and what goes
// wrong. A session depends on the seed, on its number and on how many there are.
type Planner struct {
	subject  *Subject
	source   *generators.Source
	seed     uint64
	sessions int
	turns    int // edits in a session, without edits that faults damage
	faults   []string

	indices []uint64 // of the samples that the agent can be asked
	next    uint64
	random  *rand.Rand
	alone   bool // a plan can be made out of an empty one alone: one edit in a session
}

// plainCases is how many plain edits come first: the first session.
const plainCases = 6

// newPlanner returns a planner of so many sessions with so many edits each. The
// faults are spread over all sessions but the first.
func newPlanner(s *Subject, source *generators.Source, seed uint64, sessions, turns int, faults []string) *Planner {
	p := &Planner{
		subject: s, source: source, seed: seed, sessions: sessions, turns: turns,
		random: rand.New(rand.NewPCG(seed, 0)),
	}
	p.setFaults(faults)
	return p
}

// setFaults sets the faults and shuffles them by the seed. Those that cost users most come
// first, so that a short run has them, too.
func (p *Planner) setFaults(names []string) {
	p.faults = slices.Clone(names)
	p.random.Shuffle(len(p.faults), func(i, k int) { p.faults[i], p.faults[k] = p.faults[k], p.faults[i] })
	slices.SortStableFunc(p.faults, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// rank orders faults by what agents lose: the plan in a compaction, then a call of a broken
// answer that runs twice or in part, then the rest.
func rank(name string) int {
	f, err := fault.Find(name)
	switch {
	case name == nearWindow:
		return 0
	case err == nil && (f.Arrives == fault.Partial || f.Arrives == fault.Invalid || f.Family == "stream"):
		return 1
	}
	return 2
}

// Planned is a session to play.
type Planned struct {
	ID      int
	Script  session.Script
	Indices []uint64 // of the samples of the turns; none (^0) for those without
	Shrink  string   `json:"-"` // the id of the cause whose example the session shortens
}

// name names the session in recordings.
func (p Planned) name() session.Name { return session.Name{ID: p.ID, Shrink: p.Shrink} }

// none is the index of a turn that comes from no sample of the campaign.
const none = ^uint64(0)

// Session plans a session. The first has plain edits alone; the others have their
// share of edits with a trait each, and of faults, and end with a plain edit that
// shows whether all is well again.
func (p *Planner) Session(id int) Planned {
	out := Planned{ID: id}
	if p.sample(0); p.alone {
		return p.single(out)
	}
	if id == 0 {
		for i := range uint64(plainCases) {
			p.edit(&out, i, "")
		}
		return out
	}
	share := p.share(id)
	if k := slices.Index(share, nearWindow); k >= 0 { // first, because it takes longest and finds most
		p.fill(&out, p.plainIndex(id, k))
	}
	for k := range p.turns {
		if index, ok := p.index((id-1)*p.turns + k); ok {
			p.edit(&out, index, "")
		}
	}
	for k, name := range share {
		switch index := p.plainIndex(id, k); name {
		case nearWindow:
		case fault.SameCall:
			p.repeat(&out, index)
		default:
			p.edit(&out, index, name)
		}
	}
	p.edit(&out, p.plainIndex(id, len(p.faults)), "")
	return out
}

// single plans a session with one edit: plain ones first, then one with a fault
// and one with a trait in turn.
func (p *Planner) single(out Planned) Planned {
	k := out.ID - plainCases
	switch {
	case k < 0:
		p.edit(&out, uint64(out.ID), "")
	case k%2 == 0 && k/2 < len(p.faults):
		p.edit(&out, p.plainIndex(out.ID, 0), p.faults[k/2])
	default:
		if index, ok := p.index(k - min((k+1)/2, len(p.faults))); ok {
			p.edit(&out, index, "")
		}
	}
	return out
}

// nearWindow is the fault that makes the agent compact its history.
const nearWindow = "near-window"

// fill plans a compaction: a plan with open items, a sub-agent with a plan of its own, work
// with long results that fill the window, the plan again, and an edit before which the agent
// is started again.
func (p *Planner) fill(out *Planned, index uint64) {
	const results = 4 // long results, so that the call of the plan is far back in the history
	p.edit(out, p.longest(index), "")
	n := len(out.Script.Turns)
	if n < 2 {
		return
	}
	plan, edit := out.Script.Turns[n-2], out.Script.Turns[n-1]
	out.Script.Turns, out.Indices = out.Script.Turns[:n-1], out.Indices[:n-1]
	add := func(t session.Turn) {
		out.Script.Turns, out.Indices = append(out.Script.Turns, t), append(out.Indices, none)
	}
	if other, ok := p.sample((index + 1) % generators.PlainCases); ok && p.subject.Profile.Child.Names != nil {
		add(session.Turn{Edit: other.setup, Child: true, Setup: true})
	}
	for i := range results {
		t := session.Turn{Edit: plan.Edit, Work: true}
		if i == results-1 {
			t.Fault = nearWindow
		}
		add(t)
	}
	if !out.Script.Turns[0].New { // the plan is written again
		add(plan)
	}
	edit.Resume = p.subject.Profile.Resume != nil
	add(edit)
}

// repeat plans an edit that the model makes five times.
func (p *Planner) repeat(out *Planned, index uint64) {
	const times = 5
	p.edit(out, index, "")
	n := len(out.Script.Turns)
	if n == 0 {
		return
	}
	again := session.Turn{Edit: out.Script.Turns[n-1].Edit, Setup: true}
	for range times - 1 {
		out.Script.Turns, out.Indices = append(out.Script.Turns, again), append(out.Indices, none)
	}
	last := &out.Script.Turns[len(out.Script.Turns)-1]
	last.Setup, last.Fault = false, fault.SameCall
}

// longest returns the index of the plain sample with the longest plan, of some from an index on.
func (p *Planner) longest(index uint64) uint64 {
	const some = 12
	best, size := index, 0
	for k := range uint64(some) {
		i := (index + k) % generators.PlainCases
		if a, ok := p.sample(i); ok && len(a.setup) > size {
			best, size = i, len(a.setup)
		}
	}
	return best
}

// share are the faults of a session.
func (p *Planner) share(id int) []string {
	n, of := len(p.faults), max(1, p.sessions-1)
	return p.faults[(id-1)*n/of : min(n, id*n/of)]
}

// plainIndex chooses a plain sample.
func (p *Planner) plainIndex(id, k int) uint64 { return uint64(id*7+k) % generators.PlainCases }

// index returns the index of the n-th sample with traits that the agent can be asked. The
// samples with one trait come first, shuffled by the seed.
func (p *Planner) index(n int) (uint64, bool) {
	const most = 100_000 // then there are no more
	alone := generators.PlainCases + uint64(len(p.subject.Dialect.Traits))
	if p.next == 0 {
		p.next = generators.PlainCases
	}
	for (len(p.indices) <= n || p.next < alone) && p.next < most {
		if _, ok := p.sample(p.next); ok {
			p.indices = append(p.indices, p.next)
		}
		if p.next++; p.next == alone {
			p.random.Shuffle(len(p.indices), func(i, k int) { p.indices[i], p.indices[k] = p.indices[k], p.indices[i] })
		}
	}
	if n >= len(p.indices) {
		return 0, false
	}
	return p.indices[n], true
}

// asked is a sample as an agent can be asked it.
type asked struct {
	setup string
	turns []session.Turn // they make the plan, then the edit
}

// sample makes a sample, and reports whether it can be said in tool calls: one
// reply, which is a JSON object and nothing else, if the tool takes objects.
func (p *Planner) sample(index uint64) (asked, bool) {
	s := p.source.At(p.seed, index)
	if len(s.Case.Replies) != 1 {
		return asked{}, false
	}
	text := string(s.Case.Replies[0])
	if !p.sayable(text) {
		return asked{}, false
	}
	setup, anywhere := p.subject.Dialect.Restate(s.Case.Plan, p.subject.Rules)
	if setup == "" {
		return asked{}, false
	}
	p.alone = !anywhere
	first := session.Turn{Setup: true, Traits: baseTraits(p.subject.Dialect.Traits, s.Traits)}
	last := session.Turn{Traits: s.Traits}
	if p.subject.Profile.Single() {
		turns, ok := p.subject.singles(s.Case, setup, first, last)
		return asked{setup, turns}, ok
	}
	if p.subject.Profile.Lacks(setup) || p.subject.Profile.Lacks(text) {
		return asked{}, false
	}
	first.Edit, last.Edit = p.subject.Profile.Complete(setup), p.subject.Profile.Complete(text)
	return asked{first.Edit, []session.Turn{first, last}}, true
}

// sayable reports whether a reply can be the arguments of a tool.
func (p *Planner) sayable(text string) bool {
	if p.subject.Profile.AsText() {
		return true
	}
	doc, err := strictjson.Parse([]byte(text), maxDepth)
	return err == nil && doc.Root.Kind == strictjson.Object && strings.IndexByte(text, 0) < 0
}

// maxDepth bounds the depth of JSON that agents are sent.
const maxDepth = 200

// edit adds an edit to a session: a turn that brings the plan to where the sample
// begins, and the edit itself.
func (p *Planner) edit(out *Planned, index uint64, spoilt string) {
	a, ok := p.sample(index)
	fits := func() bool { return ok && (spoilt == "" || len(a.turns[len(a.turns)-1].Calls()) < 2) } // a fault spoils one call
	for tries := 0; !fits() && tries < generators.PlainCases; tries++ {
		index = (index + 1) % generators.PlainCases
		a, ok = p.sample(index)
	}
	if !fits() {
		return
	}
	last := len(a.turns) - 1
	if a.turns[last].Fault = spoilt; spoilt != "" {
		index = none
	}
	out.Script.Turns = append(out.Script.Turns, a.turns...)
	out.Indices = append(append(out.Indices, slices.Repeat([]uint64{none}, last)...), index)
}

// Faults returns the faults of these names, all of them if there are none.
func Faults(names []string) ([]string, error) {
	if names == nil {
		return fault.Names(), nil
	}
	for _, n := range names {
		if _, err := fault.Find(n); err != nil {
			return nil, err
		}
	}
	return slices.Compact(slices.Clone(names)), nil
}
