package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/history"
	"replanbench/harness/history/sequence"
)

// Bounds of a session.
const (
	maxAgain  = 6 // how often a turn may be asked for again
	maxFinals = 6 // how often the agent may ask on after the end
	maxSide   = 200
)

// Player is the model of one session: it plays a script.
// Its many fields are the state of a conversation, which every answer reads and changes.
type Player struct {
	profiles []*profile.Profile // to choose from
	id       int                // identifies the session
	script   Script
	changed  chan struct{} // gets a value with every request

	mu        sync.Mutex
	home      string
	dir       string // the working directory; "" if others started the agent
	profile   *profile.Profile
	turn      int // the next one
	waiting   *waiting
	last      wire.Answer
	known     map[string]int  // calls that are settled, by id
	noIDs     bool            // a fault took ids away
	success   map[string]bool // results of calls that changed the plan
	dropped   map[string]bool // calls of discarded attempts that were executed
	plan      jsontext.Value  // as the agent stated it last; nil if it did not
	style     style           // how the tools change the plan; nil until the profile is known
	parent    *parent         // since the agent was made to start a sub-agent
	present   map[string]bool // calls in the last request
	oldest    string          // the first of them
	watch     *watch
	shortened bool // calls of the history were removed
	probes    []probed
	shut      bool // the agent did not execute a probe call
	tokens    int  // usage of the last answer, as claimed
	started   int  // how often the agent was started again
	sides     int  // requests without the plan tool before that
	finals    int
	over      bool  // the session shall end
	err       error // that ends it
	log       Log
	output    func() string             // what the agent has written so far
	said      func(where string) string // the texts in a place of the last request
	broke     func(b Break)             // gets each break; may be nil
}

// waiting is a turn whose answer was sent.
type waiting struct {
	turn    int
	asked   int
	fault   *fault.Fault // of the last answer; nil if that was whole
	first   *fault.Fault // of the first one
	written int          // how much the agent had written before
}

// NewPlayer returns the model of a session that plays a script to an agent with
// one of these profiles, whose HOME is there.
func NewPlayer(list []*profile.Profile, s Script, id int, home string) *Player {
	p := &Player{
		profiles: list, home: home, id: id, script: s, changed: make(chan struct{}, 1), known: map[string]int{},
		dropped: map[string]bool{}, success: map[string]bool{}, output: func() string { return "" },
	}
	for i := range s.Turns {
		p.log.Steps = append(p.log.Steps, Step{Turn: i, Deed: NotReached})
	}
	return p
}

// Answer plays the model. Requests that come at once are answered in turn.
func (p *Player) Answer(_ context.Context, r *wire.Request) endpoint.Delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}()
	if p.isChild(r) {
		return p.child(r)
	}
	if !p.isMain(r) {
		p.log.Side++
		if p.present != nil { // a request for a summary may be the first one that has the last call
			maps.Copy(p.present, callIDs(r))
		}
		if p.log.Side > maxSide {
			p.end(Alive, "loop", fmt.Sprintf("the agent sent more than %d requests without its plan tool", maxSide))
		}
		return p.say(r, aside(r))
	}
	p.log.Requests++
	p.examine(r)
	p.settle(r)
	if d, ok := p.meanwhile(r); ok {
		return d
	}
	if d, ok := p.style.ask(r); ok {
		return d
	}
	if p.resting() {
		return p.say(r, "Done for today.")
	}
	if p.turn >= len(p.script.Turns) {
		p.finals++
		if p.finals > maxFinals {
			p.end(Alive, "loop", fmt.Sprintf("the agent sent %d more requests after the last answer, which called no tool",
				maxFinals))
		}
		return p.say(r, "Done. The tests are fixed.")
	}
	return p.deliver(r)
}

// isMain reports whether a request offers the plan tool, and chooses the profile by
// the first one that offers any known.
func (p *Player) isMain(r *wire.Request) bool {
	if p.profile == nil {
		if len(r.Tools) == 0 {
			return false
		}
		chosen, ok := profile.Choose(p.profiles, r.Tools)
		if !ok {
			if len(p.log.Learned.Tools) < len(r.Tools) {
				p.log.Learned = Learned{API: r.API, Stream: r.Stream, Model: r.Model, Tools: r.Tools}
			}
			return false
		}
		p.profile, p.plan = chosen, chosen.Nothing()
		p.style = newStyle(p)
		tool, _ := chosen.Of(r.Tools)
		p.log.Learned = Learned{API: r.API, Stream: r.Stream, Model: r.Model, Tools: r.Tools, Tool: tool, Profile: chosen}
	}
	_, ok := p.profile.Of(r.Tools)
	return ok && !p.isSummary(r)
}

// say answers with a text.
func (p *Player) say(r *wire.Request, text string) endpoint.Delivery {
	return endpoint.Deliver(r, wire.Write(r, p.answer(r, fmt.Sprintf("s%d-text-%d-%d", p.id, p.log.Requests, p.log.Side),
		text)))
}

func (p *Player) answer(r *wire.Request, id, text string) wire.Answer {
	model := r.Model
	if model == "" {
		model = ModelName
	}
	return wire.Answer{
		ID: id, Model: model, Created: created, Text: text, Finish: wire.Stop,
		Usage: wire.Usage{In: max(r.Size/bytesPerToken, p.tokens), Out: len(text)/bytesPerToken + 7},
	}
}

// bytesPerToken is the usual length of a token in requests.
const bytesPerToken = 4

// ModelName is the name of the played model.
const ModelName = "replanbench-1"

// created is when all answers were made: a session is the same at any time.
const created = 1_700_000_000

// deliver sends the next turn, or the last one again, which is whole then.
func (p *Player) deliver(r *wire.Request) endpoint.Delivery {
	turn := p.script.Turns[p.turn]
	w := p.waiting
	if w == nil {
		w = &waiting{turn: p.turn, written: len(p.output())}
		if p.parent != nil && !turn.Work {
			p.afterChild() // until now the sub-agent may have worked at the same time
			p.parent.done = true
		}
		switch f, err := fault.Find(turn.Fault); {
		case err != nil: // the turn has no fault
		case f.Fits(r):
			w.fault, w.first = f, f
		default:
			p.log.Steps[p.turn].Deed = Unfit
		}
		p.waiting = w
	}
	w.asked++
	id := callID(p.id, w.turn, w.asked)
	a := p.answer(r, fmt.Sprintf("s%d-answer-%d-%d", p.id, w.turn, w.asked), "")
	a.Calls = p.calls(r, turn, id)
	shot := &fault.Shot{
		Request: r, Answer: a, Last: p.last, Second: p.style.second(a.Calls), Gzip: r.Gzip, Location: r.URL,
		Window: p.profile.Tokens(),
	}
	p.last = a
	d := w.fault.Send(shot)
	if p.tokens = 0; w.fault != nil && shot.Answer.Usage.In > a.Usage.In && shot.Answer.Usage.In < 1<<40 {
		p.tokens = shot.Answer.Usage.In // a request for a summary has as many
	}
	return d
}

// calls returns the calls of a turn: the plan call, and before it a probe call if the
// fault may make the agent discard the answer.
func (p *Player) calls(r *wire.Request, turn Turn, id string) []wire.Call {
	plan := p.style.edits(turn, id)
	if turn.Work {
		if c, ok := p.probe(r, id, longText); ok {
			return []wire.Call{c}
		}
		return plan
	}
	if turn.Child {
		if name, arguments, ok := p.profile.Child.Call(r.Tools, childPrompt); ok {
			p.parent = &parent{turn: p.turn, file: p.profile.StateFile(p.home)}
			return []wire.Call{{ID: id, Name: name, Arguments: arguments}}
		}
		return plan
	}
	first := p.waiting.first
	if first == nil || first.Alone || first.Arrives == fault.Intact || first.Arrives == fault.Doubled {
		return plan
	}
	c, ok := p.probe(r, id+"p", "")
	if !ok {
		return plan
	}
	if n := len(p.probes); n == 0 || p.probes[n-1].turn != p.turn {
		p.probes = append(p.probes, probed{turn: p.turn})
	}
	last := &p.probes[len(p.probes)-1]
	last.ids = append(last.ids, c.ID)
	return append([]wire.Call{c}, plan...)
}

// meanwhile answers with probe calls while the requests after a compaction are looked at.
func (p *Player) meanwhile(r *wire.Request) (d endpoint.Delivery, ok bool) {
	w := p.watch
	if w == nil {
		return d, false
	}
	w.probing++
	c, ok := p.probe(r, fmt.Sprintf("call_%d_%d_w%d", p.id, p.turn, w.probing), "")
	if !ok || p.waiting != nil {
		p.lost()
		return d, false
	}
	a := p.answer(r, "s"+c.ID, "")
	a.Calls = []wire.Call{c}
	return endpoint.Deliver(r, wire.Write(r, a)), true
}

// resting reports whether the agent must end now, to be started again.
func (p *Player) resting() bool {
	restarts := 0
	for _, t := range p.script.Turns[:min(p.turn+1, len(p.script.Turns))] {
		if t.Resume {
			restarts++
		}
	}
	return p.waiting == nil && p.profile.Resume != nil && p.dir != "" && restarts > p.started
}

// resume prepares for a restarted agent, and reports whether there must be one.
func (p *Player) resume() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.profile == nil || !p.resting() {
		return false
	}
	p.started++
	p.present, p.sides = nil, p.log.Side
	p.style.watchFor("resume", p.turn, open(p.plan))
	return true
}

// examine looks at the form of a request.
func (p *Player) examine(r *wire.Request) {
	if w := p.waiting; w != nil && w.first != nil && w.first.Family == "call" &&
		(w.first.Arrives == fault.Odd || w.first.Arrives == fault.Doubled) {
		p.noIDs = true
	}
	if p.noIDs {
		return // a fault took the ids away by which calls and results belong together
	}
	p.shortened = p.shortened || p.removed(callIDs(r))
	h := r.History()
	results, calls := sequence.Orphans(h)
	results = slices.DeleteFunc(results, func(i int) bool { return p.discarded(h[i].CallID) })
	at := p.turn
	if p.waiting == nil {
		at = max(0, p.turn-1)
	}
	if len(results) > 0 {
		p.breaks(Roles, "result-without-call", at,
			fmt.Sprintf("message %d of the request is a result of the call %q, and no call before it has that id", results[0],
				h[results[0]].CallID))
	}
	if len(calls) > 0 {
		p.breaks(Roles, "call-without-result", at, fmt.Sprintf("message %d of the request has a call without a result",
			calls[0]))
	}
	h = sequence.Normalize(h)
	for _, i := range sequence.AlternationErrors(h) {
		// What a user adds behind results is common.
		if h[i].Role != history.User && len(results)+len(calls)+len(p.dropped) == 0 {
			p.breaks(Roles, "order", at, fmt.Sprintf("message %d of the request has the role %s where another role is required",
				i, h[i].Role))
		}
	}
}

// breaks notes what broke, once for each kind and turn.
func (p *Player) breaks(check, kind string, turn int, message string) {
	for _, b := range p.log.Breaks {
		if b.Check == check && b.Kind == kind && (b.Turn == turn || check == Roles) {
			return // a problem stays in the history
		}
	}
	b := Break{
		Check: check, Kind: kind, Class: kinds[check+"/"+kind].class, Turn: turn, Message: message,
		Compacted: check == Roles && p.shortened,
	}
	p.log.Breaks = append(p.log.Breaks, b)
	if p.broke != nil {
		p.broke(b)
	}
}

// end notes what broke and ends the session.
func (p *Player) end(check, kind, message string) {
	p.breaks(check, kind, min(p.turn, len(p.script.Turns)-1), message)
	p.over = true
}

// taken is a call of this turn that a history contains.
type taken struct {
	wire.Call
	result *wire.Result
}

// fresh finds the calls of a history that are not settled yet, with their results. Calls of the probe tool next to a
// plan call are settled at once, and so are calls that read the plan; shown has their results, and probes counts them.
func (p *Player) fresh(r *wire.Request) (list []taken, shown []*wire.Result, probes int) {
	results := map[string][]*wire.Result{}
	for _, m := range r.Messages {
		if m.Result != nil {
			results[m.Result.CallID] = append(results[m.Result.CallID], m.Result)
		}
	}
	count := map[string]int{}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			n := count[c.ID]
			count[c.ID]++
			if n < p.known[c.ID] {
				continue
			}
			t := taken{Call: c}
			if n < len(results[c.ID]) {
				t.result = results[c.ID][n]
			}
			if slices.Contains(p.profile.Probe.Names, c.Name) || slices.Contains(p.profile.Child.Names, c.Name) {
				p.known[c.ID]++
				probes++
				continue
			}
			if p.profile.Reads(c.Name) {
				p.known[c.ID]++
				if probes++; t.result != nil {
					shown = append(shown, t.result)
				}
				continue
			}
			list = append(list, t)
		}
	}
	return list, shown, probes
}

// settle finds out what became of the turn that was sent last.
func (p *Player) settle(r *wire.Request) {
	w := p.waiting
	p.said = r.Said
	compacted := p.compacted(r)
	if compacted {
		p.tokens = 0
	}
	fresh, shown, probes := p.fresh(r)
	if p.style.readBack(shown, compacted) {
		return
	}
	if p.watch != nil && p.watch.kind == "resume" && p.log.Side > p.sides && len(p.present) == 0 {
		p.log.Watched["resume"]--
		p.watched("gone")
		p.watch.kind = "gone" // it asked for a summary first, and keeps no call
	}
	if w == nil {
		if compacted && p.watch == nil {
			p.style.watchFor("gone", max(0, p.turn-1), open(p.plan))
		}
		p.look(r)
		return
	}
	step := &p.log.Steps[w.turn]
	step.Asked = w.asked
	switch {
	case len(fresh) > 0:
		if !p.style.take(w, step, fresh) {
			return
		}
	case probes > 0 && p.script.Turns[w.turn].Work:
		step.Deed = CarriedOut
		p.shut = p.shut || len(p.executions()) == 0
	case probes > 0 && p.script.Turns[w.turn].Child:
		step.Deed = CarriedOut
		p.afterChild()
	case probes > 0:
		step.Deed = Dropped
	case compacted:
		step.Deed = Lost
		p.style.forget(p.script.Turns[w.turn])
	case w.asked > maxAgain:
		p.end(Alive, "loop", fmt.Sprintf("the agent requested the same answer %d times", w.asked))
		step.Deed = Hung
	default:
		w.fault = nil // the next answer is whole
		return
	}
	p.waiting = nil
	p.turn++
	if compacted && p.watch == nil && step.Deed != Lost {
		p.style.watchFor("gone", w.turn, open(p.plan))
	}
	p.look(r)
}

// noResult is the note of a call without a result.
const noResult = "no result came back"

// faultOf returns the fault of the answer that a call came in; nil if the answer was whole. An agent may keep the calls
// of a discarded attempt in its history.
func (p *Player) faultOf(w *waiting, id string) *fault.Fault {
	if strings.HasPrefix(id, callID(p.id, w.turn, 1)) {
		return w.first
	}
	return w.fault
}

// learn keeps the plan that the agent stated.
func (p *Player) learn(d Did) {
	if l := &p.log.Learned; l.Stated == "" {
		l.Stated, l.Read = d.Result, d.After
		if l.Message != "" {
			l.Stated = p.said(l.Message)
		}
	}
	if d.After != nil || !d.Refused {
		p.plan = d.After
	}
}

func (p *Player) deed(w *waiting, step *Step) Deed {
	if step.Deed == Unfit {
		return Unfit
	}
	done := false
	for _, d := range step.Calls {
		done = done || !d.Refused
	}
	switch {
	case !done:
		return ToolError
	case w.asked > 1:
		return AskedAgain
	}
	return CarriedOut
}

// arrival judges what the agent made of an answer that was spoilt.
func (p *Player) arrival(w *waiting, step *Step) {
	for i, d := range step.Calls {
		invalid := d.Spoilt == fault.Invalid
		partly := d.Spoilt == fault.Partial || d.Spoilt == fault.Nothing || invalid
		changed := d.After != nil && d.Before != nil && !bytes.Equal(d.After, d.Before)
		switch {
		case changed && d.Refused:
			p.breaks(Arrival, "refused", w.turn, fmt.Sprintf("the tool returned an error (%s), but the plan changed",
				brief(d.Result)))
		case partly && changed:
			kind := "part"
			if step.Deed = TookPart; invalid {
				step.Deed, kind = TookInvalid, "invalid"
			}
			p.breaks(Arrival, kind, w.turn, fmt.Sprintf("%s: the agent executed it as a call, and its plan is now %s",
				w.fault.Text, brief(string(d.After))))
		case i > 0 && d.Spoilt != fault.Doubled && !d.Refused && !step.Calls[i-1].Refused:
			p.breaks(Arrival, "twice", w.turn, "the agent executed one call twice")
		}
		if !d.Refused && d.After == nil && !partly && d.Spoilt != fault.Doubled && !d.unclear() && !p.sparse() {
			p.breaks(Stated, "nothing", w.turn, "the result of the tool contains no readable plan: "+brief(d.Result))
		}
	}
}

// brief is the beginning of a text.
func brief(text string) string { return escape.Brief(text, 200) }

// progress is how many turns are over, and whether the session shall end.
func (p *Player) progress() (turn int, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn, p.over
}

// Over reports whether the script was played to its end.
func (p *Player) Over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over || p.finals > 0
}

// Log is what came of the session so far, of an agent that others started.
func (p *Player) Log() Log {
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log // the agent may still ask
	log.Steps, log.Breaks = slices.Clone(log.Steps), slices.Clone(log.Breaks)
	return log
}

// NoTool says that none of these tools is one that a profile knows.
func NoTool(tools []wire.Tool) error {
	names := collect.Map(tools, func(t wire.Tool) string { return t.Name })
	if names == nil {
		return harness.Mistakef("the agent offered no tool at all in its requests (does it need a flag that allows tools?)")
	}
	return harness.Mistakef("the agent offers no plan tool that a profile names; its tools are: %s (write a profile: "+
		"replanbench agent profile opencode --out mine.yaml, enter the name of the plan tool, and pass --as mine.yaml)",
		strings.Join(names, ", "))
}

// Understood returns an error if the agent rejected every plan call of the session, or if a guessed
// profile finds no plan in any result. Most calls are valid, so the profile does not fit, and nothing can
// be judged.
func (l *Log) Understood() error {
	var first *Did
	calls, why := 0, "the agent rejects every plan call"
	for _, step := range l.Steps {
		for i := range step.Calls {
			did := &step.Calls[i]
			switch {
			case did.After != nil && (!did.Refused || did.Answers == nil), did.Note != "",
				!did.Refused && l.Learned.Profile.Guess == "" && did.Answers == nil:
				return nil
			case !did.Refused:
				why = "no result of a plan call shows the plan"
			}
			calls, first = calls+1, cmp.Or(first, did)
		}
	}
	if calls < 2 {
		return nil
	}
	return harness.Mistakef("%s, so the profile %s does not fit: correct what replanbench agent probe prints, and give it with "+
		"--as FILE; the first result is: %s", why, l.Learned.Profile.Name, brief(first.Result))
}

// ending is how an agent ended.
type ending struct {
	exit    launch.Exit
	strange map[string]int
	hung    bool
	waited  time.Duration
}

// finish completes the log when the agent is gone.
func (p *Player) finish(e ending) (Log, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Exit, p.log.Strange = e.exit, e.strange
	hung, waited := e.hung, e.waited
	if p.err == nil && p.profile == nil {
		switch {
		case p.log.Learned.Tools != nil || p.log.Side > 0:
			p.err = NoTool(p.log.Learned.Tools)
		default:
			p.err = p.silent(hung, waited)
		}
	}
	if p.err != nil {
		return p.log, p.err
	}
	p.conclude(hung, waited)
	p.doubles()
	return p.log, nil
}

// silent is the error of an agent that never asked.
func (p *Player) silent(hung bool, waited time.Duration) error {
	how := "it " + p.log.Exit.Text
	if hung {
		how = fmt.Sprintf("it was killed after --timeout %s and a minute to start", waited.Round(time.Second))
	}
	said := brief(p.log.Exit.Output)
	if said == "" {
		said = "nothing"
	}
	return fmt.Errorf("the agent sent no request to the model: %s; its output: %s (does it read OPENAI_BASE_URL, "+
		"ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL? a profile can set others: --as)", how, said)
}

// conclude judges how the session ended.
func (p *Player) conclude(hung bool, waited time.Duration) {
	w := p.waiting
	at := max(0, min(p.turn, len(p.script.Turns)-1))
	switch {
	case p.over:
		return
	case w == nil && p.turn >= len(p.script.Turns): // the script was played to its end
		p.atEnd(hung, waited, at)
		return
	case w == nil && p.style.reading():
		p.breaks(Alive, "ended", at, fmt.Sprintf("the agent %s when it was asked for its plan", p.log.Exit.Text))
		return
	case w == nil:
		return
	}
	step := &p.log.Steps[w.turn]
	step.Asked = w.asked
	said, trace := p.message(p.written(w.written))
	switch {
	case hung:
		step.Deed = Hung
		p.breaks(Alive, "hang", at, fmt.Sprintf("no request and no exit within --timeout %s%s", waited.Round(time.Second),
			after(w)))
	case w.first == nil:
		if step.Deed = GaveUp; said == "" {
			step.Deed = Vanished
		}
		p.breaks(Alive, "ended", at, fmt.Sprintf("the agent %s after a well-formed answer: %s", p.log.Exit.Text, brief(said)))
	case said == "":
		step.Deed = Vanished
		without := "without a message"
		if trace {
			without = "with a stack trace or a warning of its runtime instead of a message"
		}
		p.breaks(Alive, "silent", at, fmt.Sprintf("the agent %s %s%s", p.log.Exit.Text, without, after(w)))
	default:
		step.Deed = GaveUp
		if w.first.Arrives == fault.Intact || w.first.Name == "two-calls" {
			p.breaks(Alive, "intact", at, fmt.Sprintf("the agent gave up (%s)%s, although the answer is well-formed",
				brief(said), after(w)))
		}
	}
}

// atEnd judges the end of a session that was played to the end.
func (p *Player) atEnd(hung bool, waited time.Duration, at int) {
	switch {
	case hung:
		p.breaks(Alive, "hang", at, fmt.Sprintf("the agent did not exit within --timeout %s after the last answer, which "+
			"called no tool", waited.Round(time.Second)))
	case !hung && p.log.Exit.Code != 0 && !p.spoilt():
		p.breaks(Alive, "exit-code", at, fmt.Sprintf("the session succeeded, but the agent %s", p.log.Exit.Text))
	}
}

// spoilt reports whether the script has faults, or edits that are refused, so that the
// agent may exit with an error.
func (p *Player) spoilt() bool {
	for i, s := range p.log.Steps {
		if p.script.Turns[i].Fault != "" || s.Deed != CarriedOut {
			return true
		}
	}
	return false
}

func after(w *waiting) string {
	if w.first == nil {
		return ""
	}
	return " after this answer: " + w.first.Text
}

// written is what the agent wrote after the first so many bytes.
func (p *Player) written(before int) string {
	text := p.log.Exit.Output
	return text[min(before, len(text)):]
}
